//! A guard along a step, as it is looked at for its zeros.

use super::resolution::{BETWEEN, Doubt, NODES};
use super::{At, HybridSystem};
use crate::error::{Error, ErrorKind, Result};
use crate::integrate::{DenseOutput, bracketed_root};

/// How far below zero rounding may carry a guard from step to step, in units of its noise.
pub(super) const ROUNDING_BELOW: f64 = 10.0;

/// Value, over the largest in the step, at which a unilateral guard does not start on zero but off it.
pub(super) const CLEARLY: f64 = 1e-6;

/// Value where a guard changes its sign, over those at the ends of the bracket, from which it is infinite there.
const POLE: f64 = 1e3;

/// A guard along a step, with the sign that makes "fires" mean "falls below zero".
pub(super) struct Path<'a, H: HybridSystem> {
    pub system: &'a H,
    pub mode: &'a H::Mode,
    pub workspace: &'a mut H::Workspace,
    pub dense: &'a DenseOutput,
    /// Part of the step that is searched: its start and length (signed), in seconds.
    pub window: (f64, f64),
    pub samples: &'a [f64],
    pub x: &'a mut [f64],
    pub evaluations: &'a mut u64,
    pub guard: usize,
    pub sign: f64,
    pub unilateral: bool,
    /// Whether it has stayed on zero for a step before.
    pub stayed: bool,
    /// Whether a jump of more than memory comes just before.
    pub struck: bool,
    pub noise: f64,
    /// Whether it has been found to stay on zero.
    pub idle: bool,
    /// Steps below this are long enough for any guard.
    pub finest: f64,
}

impl<H: HybridSystem> Path<'_, H> {
    pub fn value(&mut self, t: f64) -> Result<f64> {
        self.dense.evaluate(t, self.x);
        let value = self
            .system
            .guard(self.guard, At::new(t, self.mode, self.x), self.workspace)?;
        self.checked(t, value)
    }

    /// Value at a node.
    pub fn sample(&mut self, node: usize) -> Result<f64> {
        let t = self.window.0 + NODES[node] * self.window.1;
        let n = self.x.len();
        let at = At::new(t, self.mode, &self.samples[node * n..][..n]);
        let value = self.system.guard(self.guard, at, self.workspace)?;
        self.checked(t, value)
    }

    /// Ends the step where the samples do not tell what the guard does between them.
    pub fn check_resolution(&mut self, values: &[f64; NODES.len()]) -> Result<()> {
        let (start, h) = self.window;
        let Some(doubt) = Doubt::about(values).filter(|_| h.abs() > self.finest) else {
            return Ok(());
        };
        if doubt.is_rounding(self.rounding()) {
            return Ok(());
        }
        let between = self.value(start + BETWEEN * h)?;
        doubt.settle(between).map_err(|error| error.at_time(start))
    }

    /// Whether a unilateral guard does not start on zero but above it: what fired may watch something else since.
    pub fn is_away(&self, values: &[f64; NODES.len()]) -> bool {
        let largest = values.iter().fold(0.0, |most, value| f64::max(most, value.abs()));
        self.unilateral && values[0] > (CLEARLY * largest).max(ROUNDING_BELOW * self.noise)
    }

    /// Rounding of the guard at the end of the step.
    pub fn rounding(&mut self) -> f64 {
        let end = At::new(self.window.0 + self.window.1, self.mode, last(self.samples, self.x));
        self.system.rounding(self.guard, self.noise, end, self.workspace)
    }

    /// Whether all values in a step may be errors of what is held at zero, though they are more than rounding.
    pub fn is_held(&mut self, values: &[f64; NODES.len()]) -> bool {
        let rounding = self.rounding();
        if values.iter().all(|value| value.abs() <= rounding) {
            return false;
        }
        let end = At::new(self.window.0 + self.window.1, self.mode, last(self.samples, self.x));
        let error = self.system.error_within(self.guard, end, self.workspace);
        values.iter().all(|value| value.abs() <= error)
    }

    fn checked(&mut self, t: f64, value: f64) -> Result<f64> {
        *self.evaluations += 1;
        if value.is_nan() {
            return Err(
                Error::new(ErrorKind::NotFinite, "a condition for an event is not a number")
                    .at_time(t)
                    .advise(
                        "look for a division by zero or a root of a negative number in the expressions of the events",
                    ),
            );
        }
        Ok(self.sign * value)
    }
}

/// The last of the samples, of the size of a state.
fn last<'a>(samples: &'a [f64], x: &[f64]) -> &'a [f64] {
    &samples[samples.len() - x.len()..]
}

/// The zero between two times with values of both signs.
pub(super) fn root_between<H: HybridSystem>(path: &mut Path<H>, a: (f64, f64), b: (f64, f64)) -> Result<f64> {
    let root = bracketed_root(a, b, |t| path.value(t))?;
    // What is continuous becomes smaller towards its zero.
    match root.value.abs() > POLE * a.1.abs().max(b.1.abs()) {
        true => Err(path.system.pole(path.guard, root.t)),
        false => Ok(root.t),
    }
}
