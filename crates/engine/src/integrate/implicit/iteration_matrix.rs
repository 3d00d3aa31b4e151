//! The matrices of the simplified Newton iteration: `gamma/h I - J` and `(alpha + i beta)/h I - J`.

use nalgebra::Complex;

use super::radau::{ALPHA, BETA, GAMMA};
use crate::error::{Error, ErrorKind, Result};
use crate::integrate::attempt::Progress;
use crate::integrate::lu::Lu;
use crate::integrate::{Flow, Statistics};

/// Jacobian and factors of one block of the state, which serve every block, kept from step to step as long as they serve.
#[derive(Clone, Debug)]
pub(super) struct IterationMatrix {
    n: usize,
    jacobian: Vec<f64>,
    real: Lu<f64>,
    complex: Lu<Complex<f64>>,
    /// Step size of the factors, if they belong to the Jacobian.
    factored: Option<f64>,
    /// Whether the Jacobian must be evaluated before the next step.
    pub due: bool,
    /// Whether the Jacobian belongs to the start of the current step.
    pub fresh: bool,
}

impl IterationMatrix {
    pub fn new(n: usize) -> Self {
        Self {
            n,
            jacobian: vec![0.0; n * n],
            real: Lu::new(n),
            complex: Lu::new(n),
            factored: None,
            due: true,
            fresh: false,
        }
    }

    /// Bytes held: the Jacobian, a real and a complex matrix.
    pub fn bytes(&self) -> usize {
        4 * size_of_val(&self.jacobian[..])
    }

    /// Evaluates the Jacobian at `(t, x)`; it must be finite there, since no smaller step avoids the start.
    pub fn update(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64], statistics: &mut Statistics) -> Result<()> {
        statistics.jacobians += 1;
        flow.jacobian(t, x, &mut self.jacobian).map_err(|e| e.at_time(t))?;
        if let Some(index) = self.jacobian.iter().position(|v| !v.is_finite()) {
            let (row, column) = (index / self.n, index % self.n);
            let message = format!("the derivative of component {row} by component {column} is not finite");
            return Err(Error::new(ErrorKind::NotFinite, message)
                .at_time(t)
                .with_value(self.jacobian[index]));
        }
        self.factored = None;
        self.due = false;
        self.fresh = true;
        Ok(())
    }

    /// Factors for the step size `h` unless that is done; false (and remembered) if a matrix is singular.
    pub fn factor(&mut self, t: f64, h: f64, progress: &mut Progress) -> bool {
        if self.factored == Some(h) {
            return true;
        }
        self.factored = None;
        progress.statistics.factorisations += 1;
        let n = self.n;
        let real = self.real.entries_mut().iter_mut();
        let entries = real.zip(self.complex.entries_mut()).enumerate();
        for (index, (real, complex)) in entries {
            let (column, row) = (index / n, index % n);
            let j = self.jacobian[row * n + column];
            *real = -j;
            *complex = Complex::new(-j, 0.0);
        }
        for i in (0..n * n).step_by(n + 1) {
            self.real.entries_mut()[i] += GAMMA / h;
            self.complex.entries_mut()[i] += Complex::new(ALPHA, BETA) / h;
        }
        if self.real.factor() && self.complex.factor() {
            self.factored = Some(h);
            return true;
        }
        let message = "the matrix of the implicit step is singular";
        progress.remember(Error::new(ErrorKind::Singular, message).at_time(t).with_value(h));
        false
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
