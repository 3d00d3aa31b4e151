//! The matrix `2/h I - J` of the Newton iteration: one block of it, which serves every block of the state.

use crate::error::{Error, ErrorKind, Result};
use crate::integrate::attempt::Progress;
use crate::integrate::{Flow, Statistics};
use crate::linear::Lu;

/// Jacobian and factors, kept from step to step as long as they serve.
#[derive(Clone, Debug)]
pub(super) struct StepMatrix {
    n: usize,
    jacobian: Vec<f64>,
    factors: Lu,
    /// Step size of the factors, if they belong to the Jacobian.
    factored: Option<f64>,
    /// Whether the Jacobian must be evaluated before the next step.
    due: bool,
    /// Whether the Jacobian belongs to the start of the current step.
    fresh: bool,
}

impl StepMatrix {
    pub fn new(n: usize) -> Self {
        Self {
            n,
            jacobian: vec![0.0; n * n],
            factors: Lu::new(n),
            factored: None,
            due: true,
            fresh: false,
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        2 * size_of_val(&self.jacobian[..]) + 4 * self.n * size_of::<f64>()
    }

    /// Forgets the Jacobian.
    pub fn forget(&mut self) {
        self.due = true;
    }

    /// The state moves on: the Jacobian is no longer that of the start of the step.
    pub fn age(&mut self, is_outdated: bool) {
        self.fresh = false;
        self.due |= is_outdated;
    }

    /// Whether the Jacobian belongs to the start of the step; if not, it is evaluated before the next iteration.
    pub fn is_fresh_or_due(&mut self) -> bool {
        self.due = !self.fresh;
        self.fresh
    }

    /// Makes the factors those for a step of size `h` from `(t, x)`; false (and remembered) if the matrix is singular.
    pub fn prepare(
        &mut self,
        flow: &mut dyn Flow,
        (t, x): (f64, &[f64]),
        h: f64,
        progress: &mut Progress,
    ) -> Result<bool> {
        if self.due {
            self.evaluate(flow, t, x, &mut progress.statistics)?;
        }
        if self.factored == Some(h) {
            return Ok(true);
        }
        self.factored = None;
        progress.statistics.factorisations += 1;
        let matrix = self.factors.matrix_mut(self.n);
        for (entry, j) in matrix.iter_mut().zip(&self.jacobian) {
            *entry = -j;
        }
        for diagonal in matrix.iter_mut().step_by(self.n + 1) {
            *diagonal += 2.0 / h;
        }
        if self.factors.factor().is_ok() {
            self.factored = Some(h);
            return Ok(true);
        }
        let message = "the matrix of the implicit step is singular";
        progress.remember(Error::new(ErrorKind::Singular, message).at_time(t).with_value(h));
        Ok(false)
    }

    /// Solves for every block in place.
    pub fn solve(&mut self, b: &mut [f64]) {
        for block in b.chunks_exact_mut(self.n.max(1)) {
            self.factors.solve(block);
        }
    }

    /// The Jacobian must be finite, since no smaller step avoids the start.
    fn evaluate(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64], statistics: &mut Statistics) -> Result<()> {
        statistics.jacobians += 1;
        flow.jacobian(t, x, &mut self.jacobian)
            .map_err(|error| error.at_time(t))?;
        if let Some(value) = self.jacobian.iter().find(|value| !value.is_finite()) {
            let message = "a derivative of the flow is not finite";
            return Err(Error::new(ErrorKind::NotFinite, message).at_time(t).with_value(*value));
        }
        (self.factored, self.due, self.fresh) = (None, false, true);
        Ok(())
    }
}
