//! Expressions at states of a run, with their derivatives along the directions that it follows.

use crate::error::Result;
use crate::expression::Expression;
use crate::hybrid::{At, Differentiable, HybridSystem, JumpView, Tangent};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::Mode;
use crate::model::expressions::{Evaluated, ExpressionOwner};
use crate::model::quantity::{Motion, Output, Quantity};
use crate::scalar::Dual64;
use crate::sensitivity::ForwardMode;

/// States about one at which an expression is compared with its value there.
const SAMPLES: usize = 3;

/// Their distance over the sizes of the mechanism: far enough that what has no slope changes too.
const SHARE: f64 = 1e-3;

/// The mode of a run, plain or with sensitivities.
pub(super) trait RunMode {
    /// Mode of the mechanism.
    fn mode(&self) -> &Mode;

    /// Derivatives of the time of the latest event, or of the start, by direction.
    fn times(&self) -> &[f64];
}

impl RunMode for Mode {
    fn mode(&self) -> &Mode {
        self
    }

    fn times(&self) -> &[f64] {
        &[]
    }
}

impl RunMode for ForwardMode<Mode> {
    fn mode(&self) -> &Mode {
        &self.mode
    }

    fn times(&self) -> &[f64] {
        self.latest_times()
    }
}

/// The state just before a jump.
pub(super) fn before<'a, M: RunMode>(jump: &JumpView<'a, M>) -> At<'a, Mode> {
    At::new(jump.t, jump.mode_before.mode(), jump.before)
}

/// The state just after a jump.
pub(super) fn after<'a, M: RunMode>(jump: &JumpView<'a, M>) -> At<'a, Mode> {
    At::new(jump.t, jump.mode_after.mode(), jump.after)
}

/// A quantity as an expression.
pub(super) fn alone(quantity: Quantity) -> Output {
    Output {
        expression: Expression::parse("quantity").expect("a name"),
        arguments: vec![quantity],
        earlier: Vec::new(),
    }
}

/// Evaluates the mechanism at the states X = [x | S_1 | S_2 | ...] of a run: one block per direction, none in a plain run.
#[derive(Debug)]
pub(super) struct Probe<'a> {
    pub mechanism: &'a Mechanism,
    /// Derivatives of the numbers by direction.
    pub directions: &'a [Vec<f64>],
    pub workspace: Workspace,
    /// F at a state, and the direction of a state.
    flow: Vec<f64>,
    tangent: Vec<f64>,
    /// No direction in the numbers.
    still: Vec<f64>,
}

impl<'a> Probe<'a> {
    pub fn new(mechanism: &'a Mechanism, directions: &'a [Vec<f64>]) -> Self {
        Self {
            mechanism,
            directions,
            workspace: mechanism.workspace(),
            flow: vec![0.0; mechanism.dimension()],
            tangent: vec![0.0; mechanism.dimension()],
            still: vec![0.0; mechanism.numbers()],
        }
    }

    /// Number of entries of a state X.
    pub fn entries(&self) -> usize {
        self.mechanism.dimension() * (self.directions.len() + 1)
    }

    /// The motion, with accelerations and multipliers.
    ///
    /// # Errors
    /// Kind `Singular` when the accelerations are not determined.
    pub fn motion<'b>(&'b mut self, at: At<'b, Mode>) -> Result<Motion<'b, f64>> {
        let at = self.alone(at);
        self.mechanism.evaluate_motion(at, true, &mut self.workspace)?;
        Ok(self.mechanism.motion(at, &self.workspace))
    }

    /// The state of the mechanism alone.
    fn alone<'b>(&self, at: At<'b, Mode>) -> At<'b, Mode> {
        At::new(at.t, at.mode, &at.x[..self.mechanism.dimension()])
    }

    /// Every output in the order of the scene, with the motion.
    ///
    /// # Errors
    /// As [`Probe::motion`]; kind `NotFinite` naming an output without a value.
    pub fn outputs<'b>(&'b mut self, at: At<'b, Mode>) -> Result<(Vec<f64>, Motion<'b, f64>)> {
        let model = &self.mechanism.model;
        let motion = self.motion(at)?;
        let mut values: Vec<f64> = Vec::with_capacity(model.outputs.len());
        for (name, output) in &model.outputs {
            let value = output.evaluate_next(&values, model, at.mode, &motion);
            check_value((ExpressionOwner::Output, name), output, value, at.t)?;
            values.push(value);
        }
        Ok((values, motion))
    }

    /// Value of an expression of an objective.
    ///
    /// # Errors
    /// As [`Probe::motion`]; kind `NotFinite` when there is no value.
    pub fn value(&mut self, objective: &str, output: &Output, at: At<Mode>) -> Result<f64> {
        let value = output.evaluate(&self.mechanism.model, at.mode, &self.motion(at)?);
        check_value((ExpressionOwner::Objective, objective), output, value, at.t)?;
        Ok(value)
    }

    /// Absolute tolerance of the values of an expression about a state: by how much they change where the state is off by its own.
    pub fn atol_of(&mut self, output: &Output, at: At<Mode>) -> f64 {
        self.error_of(output, at, [self.mechanism.choices.atol, 0.0])
    }

    /// By how much the values of an expression about a state change where every entry is off by an absolute tolerance over its size,
    /// and by a relative one.
    pub fn error_of(&mut self, output: &Output, at: At<Mode>, [atol, rtol]: [f64; 2]) -> f64 {
        let (mechanism, at) = (self.mechanism, self.alone(at));
        let value = |probe: &mut Self, at: At<Mode>| {
            let motion = probe.motion(at).ok()?;
            let value = output.evaluate(&mechanism.model, at.mode, &motion);
            value.is_finite().then_some(value)
        };
        let Some(here) = value(self, at) else { return 0.0 };
        let (sizes, quadratures) = (mechanism.allowed(), mechanism.quadratures());
        let memory = mechanism.model.memory_rates().map(|(slot, _)| quadratures.end + slot);
        let places: Vec<usize> = (0..quadratures.start).chain(memory).collect();
        let larger = atol.max(rtol).max(f64::MIN_POSITIVE);
        let mut largest = 0.0_f64;
        for sample in 0..SAMPLES {
            let mut x = at.x.to_vec();
            for &k in &places {
                let off = (atol * sizes[k] + rtol * x[k].abs()) / larger;
                x[k] += SHARE * off * (((sample + 1) * (3 * k + 2)) as f64).sin();
            }
            let there = value(self, At { x: &x, ..at }).unwrap_or(here);
            largest = largest.max((there - here).abs());
        }
        larger * largest / SHARE
    }

    /// What `read` makes of the motion with its rates: the derivatives along (1, F).
    ///
    /// # Errors
    /// As for the flow.
    pub fn rates<T>(&mut self, at: At<Mode>, read: impl FnOnce(&Motion<Dual64>, &Tangent) -> T) -> Result<T> {
        let (mechanism, at) = (self.mechanism, self.alone(at));
        let (along, workspace) = self.flowing(at)?;
        let motion = mechanism.motion_jvp(at, &along, workspace)?;
        Ok(read(&motion, &along))
    }

    /// Value of a guard.
    ///
    /// # Errors
    /// As for the guard.
    pub fn guard_value(&mut self, guard: usize, at: At<Mode>) -> Result<f64> {
        let at = self.alone(at);
        self.mechanism.guard(guard, at, &mut self.workspace)
    }

    /// Rate of a guard.
    ///
    /// # Errors
    /// As for the flow.
    pub fn guard_rate(&mut self, guard: usize, at: At<Mode>) -> Result<f64> {
        self.flow(at)?;
        self.guard_rate_by_flow(guard, at)
    }

    /// Finds the flow at a state.
    ///
    /// # Errors
    /// As for the flow.
    pub fn flow(&mut self, at: At<Mode>) -> Result<()> {
        let at = self.alone(at);
        self.mechanism.flow(at, &mut self.workspace, &mut self.flow)
    }

    /// Rate of a guard by the flow that was found last.
    ///
    /// # Errors
    /// As for the guard.
    pub fn guard_rate_by_flow(&mut self, guard: usize, at: At<Mode>) -> Result<f64> {
        let at = self.alone(at);
        let along = Tangent {
            t: 1.0,
            x: &self.flow,
            numbers: &self.still,
        };
        self.mechanism.guard_jvp(guard, at, &along, &mut self.workspace)
    }

    /// The direction (1, F) at a state of the mechanism.
    fn flowing(&mut self, at: At<Mode>) -> Result<(Tangent<'_>, &mut Workspace)> {
        self.mechanism.flow(at, &mut self.workspace, &mut self.flow)?;
        let along = Tangent {
            t: 1.0,
            x: &self.flow,
            numbers: &self.still,
        };
        Ok((along, &mut self.workspace))
    }

    /// Derivatives of a value of an objective at a state along the directions, as [`Probe::each_jvp`].
    ///
    /// # Errors
    /// As for that, and as [`Mechanism::check_direction`].
    pub fn slopes(&mut self, (objective, value): (&str, &Output), at: At<Mode>, times: &[f64]) -> Result<Vec<f64>> {
        let (mechanism, mut slopes) = (self.mechanism, vec![0.0; self.directions.len()]);
        self.each_jvp(at, times, |k, motion, _| {
            slopes[k] = value.evaluate(&mechanism.model, at.mode, motion).eps;
        })?;
        let alone = self.alone(at);
        if !slopes.is_empty() {
            mechanism.check_direction((objective, value), alone, &mut self.workspace)?;
        }
        Ok(slopes)
    }

    /// Hands the motion with its derivatives along each direction to `read`. The time moves by `times`, and the state by
    /// S + F tau; both are held where there are no `times`.
    ///
    /// # Errors
    /// As for the flow.
    pub fn each_jvp(
        &mut self,
        at: At<Mode>,
        times: &[f64],
        mut read: impl FnMut(usize, &Motion<Dual64>, &Tangent),
    ) -> Result<()> {
        if self.directions.is_empty() {
            return Ok(());
        }
        let mechanism = self.mechanism;
        let (x, blocks) = at.x.split_at(mechanism.dimension());
        let at = self.alone(at);
        match times {
            [] => self.flow.fill(0.0),
            _ => mechanism.flow(at, &mut self.workspace, &mut self.flow)?,
        }
        for (k, (block, numbers)) in blocks.chunks_exact(x.len()).zip(self.directions).enumerate() {
            let tau = times.get(k).copied().unwrap_or(0.0);
            for ((slot, s), f) in self.tangent.iter_mut().zip(block).zip(&self.flow) {
                *slot = s + f * tau;
            }
            let along = Tangent {
                t: tau,
                x: &self.tangent,
                numbers,
            };
            let motion = mechanism.motion_jvp(at, &along, &mut self.workspace)?;
            read(k, &motion, &along);
        }
        Ok(())
    }
}

/// An expression must have a value.
///
/// # Errors
/// Kind `NotFinite` naming whose it is.
pub(super) fn check_value((owner, name): (ExpressionOwner, &str), output: &Output, value: f64, t: f64) -> Result<()> {
    if value.is_finite() {
        return Ok(());
    }
    let found = Evaluated {
        owner,
        name,
        text: output.expression.text(),
        value,
    };
    Err(found.without_value(t))
}
