//! The matrices `sigma/h I - J` of simplified Newton iterations, for one block of the state.

use nalgebra::Complex;

use super::Flow;
use super::attempt::{Progress, Tried};
use super::lu::Lu;
use crate::error::{Error, ErrorKind, Result};

/// Jacobian and factors of one block of the state, which serve every block, kept from step to step as long as they serve.
#[derive(Clone, Debug)]
pub(super) struct StepMatrix {
    n: usize,
    /// Real `sigma`, and the complex one of methods that have one.
    shifts: (f64, Option<Complex<f64>>),
    jacobian: Vec<f64>,
    real: Lu<f64>,
    complex: Lu<Complex<f64>>,
    /// Step size of the factors, if they belong to the Jacobian.
    factored: Option<f64>,
    /// Whether the Jacobian must be evaluated before the next step.
    pub due: bool,
    /// Whether the Jacobian belongs to the start of the current step.
    fresh: bool,
}

impl StepMatrix {
    pub fn new(n: usize, shifts: (f64, Option<Complex<f64>>)) -> Self {
        Self {
            n,
            shifts,
            jacobian: vec![0.0; n * n],
            real: Lu::new(n),
            complex: Lu::new(if shifts.1.is_some() { n } else { 0 }),
            factored: None,
            due: true,
            fresh: false,
        }
    }

    /// Bytes held: the Jacobian, a real and a complex matrix.
    pub fn bytes(&self) -> usize {
        4 * size_of_val(&self.jacobian[..])
    }

    /// Has the Jacobian evaluated before the next iteration, unless it belongs to the start of the step; whether it has.
    pub fn renew(&mut self) -> bool {
        self.due = !self.fresh;
        self.due
    }

    /// The step from the start of the Jacobian is done, or begins elsewhere; the Jacobian is kept unless it is outdated.
    pub fn age(&mut self, is_outdated: bool) {
        self.fresh = false;
        self.due |= is_outdated;
    }

    /// Makes the factors those for a step of size `h` from `(t, x)`. The Jacobian must be finite, since no smaller
    /// step avoids the start.
    pub fn prepare(&mut self, flow: &mut dyn Flow, (t, x): (f64, &[f64]), h: f64, progress: &mut Progress) -> Tried {
        if self.due {
            progress.statistics.jacobians += 1;
            self.evaluate(flow, t, x)?;
        }
        if self.factored == Some(h) {
            return Ok(());
        }
        progress.statistics.factorisations += 1;
        self.factored = self.factor(h).then_some(h);
        if self.factored.is_none() {
            return progress.singular("the matrix of the implicit step is singular", t, h);
        }
        Ok(())
    }

    fn evaluate(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64]) -> Result<()> {
        flow.jacobian(t, x, &mut self.jacobian).map_err(|e| e.at_time(t))?;
        if let Some(index) = self.jacobian.iter().position(|v| !v.is_finite()) {
            let (row, column) = (index / self.n, index % self.n);
            let message = format!("the derivative of component {row} by component {column} is not finite");
            return Err(Error::new(ErrorKind::NotFinite, message)
                .at_time(t)
                .with_value(self.jacobian[index]));
        }
        (self.factored, self.due, self.fresh) = (None, false, true);
        Ok(())
    }

    fn factor(&mut self, h: f64) -> bool {
        let (n, (sigma, rotation)) = (self.n, self.shifts);
        let transposed = |index: usize| self.jacobian[index % n * n + index / n];
        for (index, entry) in self.real.entries_mut().iter_mut().enumerate() {
            *entry = -transposed(index);
        }
        for (index, entry) in self.complex.entries_mut().iter_mut().enumerate() {
            *entry = Complex::new(-transposed(index), 0.0);
        }
        for diagonal in self.real.entries_mut().iter_mut().step_by(n + 1) {
            *diagonal += sigma / h;
        }
        for diagonal in self.complex.entries_mut().iter_mut().step_by(n + 1) {
            *diagonal += rotation.unwrap_or_default() / h;
        }
        self.real.factor() && self.complex.factor()
    }

    /// Solves with the real matrix for every block in place.
    pub fn solve_real(&self, b: &mut [f64]) {
        b.chunks_exact_mut(self.n.max(1))
            .for_each(|block| self.real.solve(block));
    }

    /// Solves with the complex matrix for every block in place.
    pub fn solve_complex(&self, b: &mut [Complex<f64>]) {
        b.chunks_exact_mut(self.n.max(1))
            .for_each(|block| self.complex.solve(block));
    }
}
