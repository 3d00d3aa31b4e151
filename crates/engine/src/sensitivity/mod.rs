//! Sensitivities of a hybrid system's motion: forwards with the motion, or backwards over the recorded trajectory.

mod adjoint;
mod coincidence;
mod costate;
mod costs;
mod event_time;
mod forward;
mod forward_algebraic;
mod instant;
mod linearization;
mod one_sided;
mod recorder;
mod replay;

pub use adjoint::{AdjointResult, Backward, FinalGradient, adjoint};
pub use coincidence::coincide;
pub use costate::NumberDirection;
pub use costs::{JumpSide, PointCosts};
pub use event_time::move_together;
pub use forward::{ForwardMode, ForwardSystem, ForwardWorkspace};
pub use instant::{InOrder, Pair};
pub use linearization::{
    Linearization, LinearizationRecorder, LinearizedEvent, Neighbour, Overtaking, Sample, Switching,
};
pub use recorder::Recorder;
pub use replay::{Replay, Schedule};
