//! What the time of a recorded event does to the motion after it.

use super::refuse_grazing;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Cotangents, Differentiable, JumpRecord, Phase, Tangent};

/// What the time of an event does to the state after it.
pub(super) struct EventTime<H: Differentiable> {
    pub tangent: H::LinearizedJump,
    pub flow_before: Vec<f64>,
    pub flow_after: Vec<f64>,
    /// T_x F- + T_t - F+.
    pub shift: Vec<f64>,
    /// 1 / (h_x F- + h_t); zero for a jump that follows at once on another event and keeps the time of that.
    pub over_rate: f64,
    /// h_x and the derivative of the guard by the numbers.
    pub x: Vec<f64>,
    pub numbers: Vec<f64>,
}

impl<H: Differentiable> EventTime<H> {
    /// At a recorded jump between two phases.
    ///
    /// # Errors
    /// Kind `Event` for a grazed guard; whatever the derivatives of the system report.
    pub fn new(
        system: &H,
        phase: &Phase<H::Mode>,
        jump: &JumpRecord,
        next: &Phase<H::Mode>,
        workspace: &mut H::Workspace,
    ) -> Result<Self> {
        let (n, count, t) = (system.dimension(), system.numbers(), jump.t);
        let Some(&guard) = jump.fired.first() else {
            return Err(Error::new(ErrorKind::Event, "a jump without a guard").at_time(t));
        };
        let (mut flow_before, mut shift) = (vec![0.0; n], vec![0.0; n]);
        let mut flow_after = vec![0.0; n];
        system.flow(At::new(t, &phase.mode, &jump.before), workspace, &mut flow_before)?;
        system.flow(At::new(t, &next.mode, &jump.after), workspace, &mut flow_after)?;
        let tangent = system.linearize_jump(At::new(t, &phase.mode, &jump.before), &jump.fired, workspace)?;
        let along = Tangent {
            t: 1.0,
            x: &flow_before,
            numbers: &vec![0.0; count],
        };
        system.jump_jvp(&tangent, &along, workspace, &mut shift);
        for (slot, f) in shift.iter_mut().zip(&flow_after) {
            *slot -= f;
        }
        let (mut x, mut numbers, mut over_rate) = (vec![0.0; n], vec![0.0; count], 0.0);
        if !jump.follows {
            let rate = system.guard_jvp(guard, At::new(t, &phase.mode, &jump.before), &along, workspace)?;
            let name = jump.happenings.first().map_or("the event", |happening| &happening.name);
            refuse_grazing(rate, &flow_before[system.dynamic()], name, t)?;
            over_rate = 1.0 / rate;
            let cotangents = Cotangents {
                x: &mut x,
                numbers: &mut numbers,
            };
            system.guard_vjp(guard, At::new(t, &phase.mode, &jump.before), workspace, cotangents)?;
        }
        Ok(Self {
            tangent,
            flow_before,
            flow_after,
            shift,
            over_rate,
            x,
            numbers,
        })
    }
}
