//! Derivatives of extreme values in a forward run.

use super::peaks::{Extreme, Extremes, Peaked, Place};
use crate::error::Result;
use crate::hybrid::{At, HybridSystem, JumpView, Observer, StepView, Tangent};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::Mode;
use crate::scalar::Dual64;
use crate::sensitivity::ForwardMode;

/// Collects extreme values with the sensitivities there.
#[derive(Debug)]
pub(super) struct PeakSlopes<'a> {
    mechanism: &'a Mechanism,
    directions: &'a [Vec<f64>],
    workspace: Workspace,
    found: Extremes,
    /// Derivatives of the time of the start by parameter.
    start: &'a [f64],
    /// By peak, the derivatives of its time by parameter where it is on a side of a jump.
    times: Vec<Vec<f64>>,
}

impl<'a> PeakSlopes<'a> {
    /// For sensitivities along these directions in the numbers; `start` are the derivatives of the time of the start.
    pub fn new(mechanism: &'a Mechanism, directions: &'a [Vec<f64>], start: &'a [f64]) -> Self {
        let entries = mechanism.dimension() * (directions.len() + 1);
        Self {
            mechanism,
            directions,
            workspace: mechanism.workspace(),
            found: Extremes::new(mechanism, entries),
            start,
            times: vec![Vec::new(); mechanism.model.peaks.len()],
        }
    }

    /// The extreme values of the whole run, which ends here.
    ///
    /// # Errors
    /// As [`Extremes::visit`].
    pub fn finish(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Result<Vec<Peaked<f64>>> {
        self.found.finish(t, mode, x, self.mechanism, &mut self.workspace)
    }

    /// The extreme values with their derivatives by a parameter, after [`PeakSlopes::finish`].
    ///
    /// # Errors
    /// As for the flow.
    pub fn by(&mut self, parameter: usize) -> Result<Vec<Peaked<Dual64>>> {
        let Self {
            mechanism,
            directions,
            workspace,
            found,
            start,
            times,
        } = self;
        let mut slopes = Vec::with_capacity(times.len());
        for ((extreme, peak), times) in found.found().iter().zip(&mechanism.model.peaks).zip(times) {
            let Some(extreme) = extreme else {
                slopes.push(Peaked::Known(Dual64::from(0.0)));
                continue;
            };
            let tau = match extreme.place {
                Place::End => {
                    slopes.push(Peaked::AtEnd);
                    continue;
                }
                Place::Within => 0.0,
                Place::Start => start[parameter],
                Place::Before | Place::After => times[parameter],
            };
            let direction = moved(mechanism, extreme, parameter, tau, workspace)?;
            let along = Tangent {
                t: tau,
                x: &direction,
                numbers: &directions[parameter],
            };
            let state = &extreme.x[..mechanism.dimension()];
            let motion = mechanism.motion_jvp(At::new(extreme.t, &extreme.mode, state), &along, workspace)?;
            let value = peak.value.evaluate(&mechanism.model, &extreme.mode, &motion);
            slopes.push(Peaked::Known(Dual64::new(extreme.value, value.eps)));
        }
        Ok(slopes)
    }

    fn visit(&mut self, (t, place): (f64, Place), mode: &Mode, x: &[f64]) -> Result<Vec<usize>> {
        self.found
            .visit((t, place), mode, x, self.mechanism, &mut self.workspace)
    }
}

/// Derivative of the state at an instant that moves by `tau`: S + F tau.
fn moved(
    mechanism: &Mechanism,
    extreme: &Extreme,
    parameter: usize,
    tau: f64,
    workspace: &mut Workspace,
) -> Result<Vec<f64>> {
    let n = mechanism.dimension();
    let mut direction = extreme.x[(parameter + 1) * n..(parameter + 2) * n].to_vec();
    let mut flow = vec![0.0; n];
    mechanism.flow(At::new(extreme.t, &extreme.mode, &extreme.x[..n]), workspace, &mut flow)?;
    for (slot, f) in direction.iter_mut().zip(&flow) {
        *slot += f * tau;
    }
    Ok(direction)
}

impl Observer<ForwardMode<Mode>> for PeakSlopes<'_> {
    fn wants_dense(&self) -> bool {
        self.found.wants_dense()
    }

    fn start(&mut self, t: f64, mode: &ForwardMode<Mode>, x: &[f64]) -> Result<()> {
        self.visit((t, Place::Start), &mode.mode, x).map(|_| ())
    }

    fn step(&mut self, step: &StepView<ForwardMode<Mode>>) -> Result<()> {
        self.found
            .step(step.dense, &step.mode.mode, self.mechanism, &mut self.workspace)
    }

    fn jump(&mut self, jump: &JumpView<ForwardMode<Mode>>) -> Result<()> {
        let sides = [
            (Place::Before, jump.mode_before, jump.before),
            (Place::After, jump.mode_after, jump.after),
        ];
        for (place, mode, x) in sides {
            for peak in self.visit((jump.t, place), &mode.mode, x)? {
                if let Some(times) = jump.mode_after.event_times.last() {
                    self.times[peak].clone_from(times);
                }
            }
        }
        Ok(())
    }
}
