//! Sensitivities of a hybrid system's motion: forwards with the motion, or backwards over the recorded trajectory.

mod adjoint;
mod costate;
mod costs;
mod event_time;
mod forward;
mod forward_algebraic;
mod linearization;
mod recorder;
mod replay;

pub use adjoint::{AdjointResult, Backward, FinalGradient, adjoint};
pub use costate::NumberDirection;
pub use costs::{JumpSide, PointCosts};
pub use forward::{ForwardMode, ForwardSystem, ForwardWorkspace};
pub use linearization::{
    Linearization, LinearizationRecorder, LinearizedEvent, Neighbour, Overtaking, Sample, Switching,
};
pub use recorder::Recorder;
pub use replay::{Replay, Schedule};

use crate::error::{Error, ErrorKind, Result};

/// Rates of a guard below this fraction of the motion's own rates have no event-time derivative.
const GRAZING: f64 = 1e-9;

/// -numerator / rate, the derivative of an event time, unless the guard is only grazed; `flow` is x' before the event.
fn event_time_slope(numerator: f64, rate: f64, flow: &[f64], name: &str, t: f64) -> Result<f64> {
    refuse_grazing(rate, flow, name, t)?;
    Ok(-numerator / rate)
}

/// An error where a guard's rate vanishes beside the motion's own rates.
fn refuse_grazing(rate: f64, flow: &[f64], name: &str, t: f64) -> Result<()> {
    if rate.abs() > GRAZING * crate::linear::max_abs(flow) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Event,
        format!("\"{name}\" is only grazed: the event time has no derivative"),
    )
    .named(name)
    .at_time(t)
    .with_value(rate)
    .advise("move the threshold or the parameters away from the grazing motion"))
}
