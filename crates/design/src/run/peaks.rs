//! Greatest and least values of expressions over a run, and where they are (theory, 3.4).
//!
//! Within a phase an extreme value lies where the rate of the expression, e_t + e_x F, passes through zero; the derivative
//! of that instant does not enter that of the value, since the rate vanishes there. At the start, at the end and on the
//! sides of jumps the rate need not vanish, and the value moves with the time of the start, the end or the event.

use crate::error::Result;
use crate::hybrid::{At, Differentiable, HybridSystem, JumpView, Tangent};
use crate::integrate::{DenseOutput, bracketed_root};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::expressions::{Evaluated, Owner};
use crate::model::{Mode, Model, Peak, Term};

/// Parts of a step in which the rate is taken to change its sign at most once; a step of order 8 spans at most about half
/// an oscillation.
const PARTS: u32 = 8;

/// Distance from a kink at which the rate is taken instead, as a part of the step.
const BESIDE_KINK: f64 = 1e-6;

/// Where an extreme value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At the start.
    Start,
    /// Within a phase.
    Within,
    /// Just before a jump.
    Before,
    /// Just after a jump.
    After,
    /// At the end.
    End,
}

/// A value that none so far exceeds.
#[derive(Clone, Debug)]
pub(super) struct Extreme {
    pub t: f64,
    pub value: f64,
    pub place: Place,
    pub mode: Mode,
    /// State, with whatever is integrated beside it.
    pub x: Vec<f64>,
}

/// The extreme values of a run so far, one per entry of [`Model::peaks`].
#[derive(Clone, Debug)]
pub(super) struct Extremes {
    found: Vec<Option<Extreme>>,
    /// Those that objectives use.
    used: Vec<usize>,
    /// State at an instant, with whatever is integrated beside it; written for every instant.
    x: Vec<f64>,
    /// Flow there.
    flow: Vec<f64>,
    /// No direction in the numbers.
    still: Vec<f64>,
}

impl Extremes {
    /// For states with so many entries, of which those of the mechanism come first.
    pub fn new(mechanism: &Mechanism, entries: usize) -> Self {
        Self {
            found: vec![None; mechanism.model.peaks.len()],
            used: used(&mechanism.model),
            x: vec![0.0; entries],
            flow: vec![0.0; mechanism.dimension()],
            still: vec![0.0; mechanism.numbers()],
        }
    }

    /// Whether the steps need interpolants.
    pub fn wants_dense(&self) -> bool {
        !self.used.is_empty()
    }

    /// The extreme values; none where no objective uses them.
    pub fn found(&self) -> &[Option<Extreme>] {
        &self.found
    }

    /// Compares with the values at a place; true for those that are exceeded.
    ///
    /// # Errors
    /// Kind `NotFinite` naming an expression without a value; kind `Singular` when accelerations are not determined.
    pub fn visit(
        &mut self,
        (t, place): (f64, Place),
        mode: &Mode,
        x: &[f64],
        mechanism: &Mechanism,
        workspace: &mut Workspace,
    ) -> Result<Vec<usize>> {
        let mut exceeded = Vec::new();
        for k in 0..self.used.len() {
            let peak = self.used[k];
            if self.compare(peak, (t, place), mode, x, mechanism, workspace)? {
                exceeded.push(peak);
            }
        }
        Ok(exceeded)
    }

    fn compare(
        &mut self,
        peak: usize,
        (t, place): (f64, Place),
        mode: &Mode,
        x: &[f64],
        mechanism: &Mechanism,
        workspace: &mut Workspace,
    ) -> Result<bool> {
        let model = &mechanism.model;
        let wanted = &model.peaks[peak];
        let state = &x[..mechanism.dimension()];
        mechanism.evaluate_motion(At::new(t, mode, state), true, workspace)?;
        let value = wanted
            .value
            .evaluate(model, mode, &mechanism.motion(At::new(t, mode, state), workspace));
        if !value.is_finite() {
            return Err(without_value(wanted, value, t));
        }
        let exceeds = |known: &Extreme| wanted.sign() * (value - known.value) > 0.0;
        let better = self.found[peak].as_ref().is_none_or(exceeds);
        if better {
            self.found[peak] = Some(Extreme {
                t,
                value,
                place,
                mode: mode.clone(),
                x: x.to_vec(),
            });
        }
        Ok(better)
    }

    /// Looks for extreme values within a step.
    ///
    /// # Errors
    /// As [`Extremes::visit`].
    pub fn step(
        &mut self,
        dense: Option<&DenseOutput>,
        mode: &Mode,
        mechanism: &Mechanism,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let Some(dense) = dense else { return Ok(()) };
        let (start, end) = (dense.start(), dense.end());
        for k in 0..self.used.len() {
            let peak = self.used[k];
            let sign = mechanism.model.peaks[peak].sign();
            let mut before = (start, sign * self.rate(peak, start, dense, mode, mechanism, workspace)?);
            for part in 1..=PARTS {
                let t = start + f64::from(part) / f64::from(PARTS) * (end - start);
                let after = (t, sign * self.rate(peak, t, dense, mode, mechanism, workspace)?);
                if before.1 > 0.0 && after.1 <= 0.0 {
                    let rate = |t| Ok(sign * self.rate(peak, t, dense, mode, mechanism, workspace)?);
                    let top = bracketed_root(before, after, rate)?.t;
                    let mut x = std::mem::take(&mut self.x);
                    dense.evaluate(top, &mut x);
                    self.compare(peak, (top, Place::Within), mode, &x, mechanism, workspace)?;
                    self.x = x;
                }
                before = after;
            }
        }
        Ok(())
    }

    /// Compares with the values on both sides of a jump.
    ///
    /// # Errors
    /// As [`Extremes::visit`].
    pub fn jump(&mut self, jump: &JumpView<Mode>, mechanism: &Mechanism, workspace: &mut Workspace) -> Result<()> {
        let (before, after) = ((jump.t, Place::Before), (jump.t, Place::After));
        self.visit(before, jump.mode_before, jump.before, mechanism, workspace)?;
        self.visit(after, jump.mode_after, jump.after, mechanism, workspace)?;
        Ok(())
    }

    /// e_t + e_x F; just beside a kink where it has no value at the place itself, as that of a speed at rest.
    fn rate(
        &mut self,
        peak: usize,
        t: f64,
        dense: &DenseOutput,
        mode: &Mode,
        mechanism: &Mechanism,
        workspace: &mut Workspace,
    ) -> Result<f64> {
        let rate = self.rate_at(peak, t, dense, mode, mechanism, workspace)?;
        if rate.is_finite() {
            return Ok(rate);
        }
        let shift = BESIDE_KINK * (dense.end() - dense.start());
        let beside = if t + shift <= dense.end() { t + shift } else { t - shift };
        let rate = self.rate_at(peak, beside, dense, mode, mechanism, workspace)?;
        if rate.is_finite() {
            Ok(rate)
        } else {
            Err(without_value(&mechanism.model.peaks[peak], rate, t))
        }
    }

    fn rate_at(
        &mut self,
        peak: usize,
        t: f64,
        dense: &DenseOutput,
        mode: &Mode,
        mechanism: &Mechanism,
        workspace: &mut Workspace,
    ) -> Result<f64> {
        dense.evaluate(t, &mut self.x);
        let state = &self.x[..mechanism.dimension()];
        mechanism.flow(At::new(t, mode, state), workspace, &mut self.flow)?;
        let along = Tangent {
            t: 1.0,
            x: &self.flow,
            numbers: &self.still,
        };
        let motion = mechanism.motion_jvp(At::new(t, mode, state), &along, workspace)?;
        let wanted = &mechanism.model.peaks[peak];
        Ok(wanted.value.evaluate(&mechanism.model, mode, &motion).eps)
    }

    /// Compares with the values at the end, and returns all: the one thing that is not known before.
    ///
    /// # Errors
    /// As [`Extremes::visit`].
    pub fn finish(
        &mut self,
        t: f64,
        mode: &Mode,
        x: &[f64],
        mechanism: &Mechanism,
        workspace: &mut Workspace,
    ) -> Result<Vec<Peaked<f64>>> {
        self.visit((t, Place::End), mode, x, mechanism, workspace)?;
        let known = |extreme: &Option<Extreme>| match extreme {
            Some(extreme) if extreme.place == Place::End => Peaked::AtEnd,
            Some(extreme) => Peaked::Known(extreme.value),
            None => Peaked::Known(0.0),
        };
        Ok(self.found.iter().map(known).collect())
    }
}

/// An extreme value as a term of an objective.
#[derive(Clone, Copy, Debug)]
pub(super) enum Peaked<S> {
    /// The value at the end, which behaves like any final value.
    AtEnd,
    /// A value before the end.
    Known(S),
}

/// Peaks that objectives of the model use.
fn used(model: &Model) -> Vec<usize> {
    let terms = model.objectives.iter().flat_map(|objective| &objective.terms);
    let used = terms.filter_map(|term| match term {
        Term::Peak { peak, .. } => Some(*peak),
        Term::Final { .. } | Term::Integral { .. } | Term::AtEvents { .. } | Term::Fit { .. } => None,
    });
    used.collect()
}

fn without_value(peak: &Peak, value: f64, t: f64) -> crate::error::Error {
    let found = Evaluated {
        owner: Owner::Objective,
        name: &peak.objective,
        text: peak.value.expression.text(),
        value,
        sides: Vec::new(),
    };
    found.without_value(t)
}
