//! Costs at events: sums of expressions over the events of a run.

use crate::error::Result;
use crate::hybrid::{At, Cotangents, Differentiable, Happening, HybridSystem, JumpView, Observer, Tangent};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::expressions::{Evaluated, Owner};
use crate::model::quantity::Output;
use crate::model::{EventSum, Mode, Model, Side, Term};
use crate::scalar::Dual64;
use crate::sensitivity::{ForwardMode, JumpSide};

/// One sum per entry of [`Model::event_sums`].
#[derive(Clone, Debug)]
pub(super) struct EventSums(Vec<f64>);

impl EventSums {
    pub fn new(model: &Model) -> Self {
        Self(vec![0.0; model.event_sums.len()])
    }

    /// Adds what a jump contributes.
    ///
    /// # Errors
    /// Kind `NotFinite` naming an expression without a value; kind `Singular` when accelerations are not determined.
    pub fn add(&mut self, jump: &JumpView<Mode>, mechanism: &Mechanism, workspace: &mut Workspace) -> Result<()> {
        for (sum, term) in self.0.iter_mut().zip(&mechanism.model.event_sums) {
            let events = count(term, jump.happenings);
            if events > 0.0 {
                *sum += events * value(term, jump, mechanism, workspace)?;
            }
        }
        Ok(())
    }

    /// The sums so far.
    pub fn values(&self) -> &[f64] {
        &self.0
    }
}

/// How many of the events of a jump a sum counts.
fn count(sum: &EventSum, happenings: &[Happening]) -> f64 {
    sum.count(happenings.iter().map(|happening| happening.name.as_str()))
}

/// Derivatives of the sums of a forward run: one list per sum, one entry per parameter.
#[derive(Debug)]
pub(super) struct EventSumSlopes<'a> {
    mechanism: &'a Mechanism,
    directions: &'a [Vec<f64>],
    workspace: Workspace,
    values: Vec<f64>,
    /// By parameter and sum.
    sums: Vec<Vec<Dual64>>,
}

impl<'a> EventSumSlopes<'a> {
    pub fn new(mechanism: &'a Mechanism, directions: &'a [Vec<f64>]) -> Self {
        Self {
            mechanism,
            directions,
            workspace: mechanism.workspace(),
            values: vec![0.0; mechanism.model.event_sums.len()],
            sums: vec![vec![Dual64::from(0.0); mechanism.model.event_sums.len()]; directions.len()],
        }
    }

    /// The sums so far.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The sums with their derivatives by a parameter.
    pub fn by(&self, parameter: usize) -> &[Dual64] {
        &self.sums[parameter]
    }
}

impl Observer<ForwardMode<Mode>> for EventSumSlopes<'_> {
    fn jump(&mut self, jump: &JumpView<ForwardMode<Mode>>) -> Result<()> {
        let mechanism = self.mechanism;
        let n = mechanism.dimension();
        let mut flow = vec![0.0; n];
        for (index, sum) in mechanism.model.event_sums.iter().enumerate() {
            let events = count(sum, jump.happenings);
            if events == 0.0 {
                continue;
            }
            let (mode, x) = match sum.side {
                Side::Before => (&jump.mode_before.mode, jump.before),
                Side::After => (&jump.mode_after.mode, jump.after),
            };
            let times = jump.mode_after.event_times.last();
            let (state, sensitivities) = x.split_at(n);
            mechanism.evaluate_motion(At::new(jump.t, mode, state), true, &mut self.workspace)?;
            let motion = mechanism.motion(At::new(jump.t, mode, state), &self.workspace);
            self.values[index] += events * sum.value.evaluate(&mechanism.model, mode, &motion);
            mechanism.flow(At::new(jump.t, mode, state), &mut self.workspace, &mut flow)?;
            for (parameter, numbers) in self.directions.iter().enumerate() {
                let tau = times.map_or(0.0, |times| times[parameter]);
                let s = &sensitivities[parameter * n..(parameter + 1) * n];
                let direction: Vec<f64> = s.iter().zip(&flow).map(|(s, f)| s + f * tau).collect();
                let along = Tangent {
                    t: tau,
                    x: &direction,
                    numbers,
                };
                let motion = mechanism.motion_jvp(At::new(jump.t, mode, state), &along, &mut self.workspace)?;
                let value = sum.value.evaluate(&mechanism.model, mode, &motion);
                self.sums[parameter][index] += value * events;
            }
        }
        Ok(())
    }
}

/// The sums as costs of the objectives for the adjoint.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventCosts<'a>(pub &'a Mechanism);

impl EventCosts<'_> {
    /// As [`PointCosts::add`](crate::sensitivity::PointCosts::add).
    pub fn add(
        &self,
        functional: usize,
        weight: f64,
        side: &JumpSide<Mode>,
        workspace: &mut Workspace,
        mut cotangents: Cotangents,
    ) -> Result<f64> {
        let Self(mechanism) = self;
        let model = &mechanism.model;
        let mut rate = 0.0;
        for term in &model.objectives[functional].terms {
            let Term::AtEvents { coefficient, sum } = term else {
                continue;
            };
            let sum = &model.event_sums[*sum];
            let events = count(sum, &side.jump.happenings);
            if events == 0.0 || (sum.side == Side::After) != side.after {
                continue;
            }
            let factor: f64 = coefficient.iter().map(|&number| model.numbers[number].value).product();
            let weight = weight * events * factor;
            rate += jump_cost(mechanism, &sum.value, weight, side, workspace, cotangents.reborrow())?;
        }
        Ok(rate)
    }
}

/// Adds `weight` times the gradient of an expression on one side of a jump to the cotangents; returns `weight` times its rate.
///
/// # Errors
/// Kind `Singular` when accelerations are not determined.
pub(super) fn jump_cost(
    mechanism: &Mechanism,
    output: &Output,
    weight: f64,
    side: &JumpSide<Mode>,
    workspace: &mut Workspace,
    cotangents: Cotangents,
) -> Result<f64> {
    let (t, mode, x) = (side.jump.t, side.mode, side.x);
    let along = Tangent {
        t: 1.0,
        x: side.flow,
        numbers: &vec![0.0; mechanism.numbers()],
    };
    let motion = mechanism.motion_jvp(At::new(t, mode, x), &along, workspace)?;
    let rate = output.evaluate(&mechanism.model, mode, &motion).eps;
    mechanism.linearize(At::new(t, mode, x), workspace)?;
    mechanism.output_vjp(output, weight, At::new(t, mode, x), workspace, cotangents);
    Ok(weight * rate)
}

fn value(term: &EventSum, jump: &JumpView<Mode>, mechanism: &Mechanism, workspace: &mut Workspace) -> Result<f64> {
    let (mode, x) = match term.side {
        Side::Before => (jump.mode_before, jump.before),
        Side::After => (jump.mode_after, jump.after),
    };
    mechanism.evaluate_motion(At::new(jump.t, mode, x), true, workspace)?;
    let value = term.value.evaluate(
        &mechanism.model,
        mode,
        &mechanism.motion(At::new(jump.t, mode, x), workspace),
    );
    if value.is_finite() {
        return Ok(value);
    }
    let found = Evaluated {
        owner: Owner::Objective,
        name: &term.objective,
        text: term.value.expression.text(),
        value,
        sides: Vec::new(),
    };
    Err(found.without_value(jump.t))
}
