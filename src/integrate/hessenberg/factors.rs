//! Factors of `sigma M + J` for the eigenvalues `sigma` of a step: one real matrix, and one complex for every pair.

use nalgebra::Complex;

use super::tableau::Tableau;
use crate::integrate::lu::Lu;
use crate::linear::add_scaled;

/// Matrices of one linear system over all stages, `M dX/dt + J dX`.
#[derive(Clone, Debug)]
pub(super) struct Factors {
    n: usize,
    /// Row-major; written by the caller.
    pub mass: Vec<f64>,
    pub jacobian: Vec<f64>,
    real: Lu<f64>,
    complex: Vec<Lu<Complex<f64>>>,
    /// Right-hand sides.
    b: Vec<f64>,
    rotated: Vec<Complex<f64>>,
}

impl Factors {
    /// For systems of `n` unknowns.
    pub fn new(n: usize, tableau: &Tableau) -> Self {
        Self {
            n,
            mass: vec![0.0; n * n],
            jacobian: vec![0.0; n * n],
            real: Lu::new(n),
            complex: vec![Lu::new(n); tableau.pairs.len()],
            b: vec![0.0; n],
            rotated: vec![Complex::default(); n],
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (3 + 2 * self.complex.len()) * self.n * self.n * size_of::<f64>()
    }

    /// Factors for a step of size `h`; false if a matrix is singular.
    pub fn factor(&mut self, tableau: &Tableau, h: f64) -> bool {
        let n = self.n;
        let entry = |column: usize, row: usize| (self.mass[row * n + column], self.jacobian[row * n + column]);
        let sigma = tableau.gamma / h;
        for (index, slot) in self.real.entries_mut().iter_mut().enumerate() {
            let (mass, jacobian) = entry(index / n, index % n);
            *slot = sigma * mass + jacobian;
        }
        for (lu, pair) in self.complex.iter_mut().zip(&tableau.pairs) {
            let sigma = pair.eigenvalue / h;
            for (index, slot) in lu.entries_mut().iter_mut().enumerate() {
                let (mass, jacobian) = entry(index / n, index % n);
                *slot = sigma * mass + jacobian;
            }
        }
        self.real.factor() && self.complex.iter_mut().all(Lu::factor)
    }

    /// Writes what the residuals of all stages ask to be subtracted from the unknowns of all stages; stage i at i * n.
    pub fn solve(&mut self, tableau: &Tableau, residuals: &[f64], increments: &mut [f64]) {
        let n = self.n.max(1);
        self.b.fill(0.0);
        for (weight, residual) in tableau.left.iter().zip(residuals.chunks_exact(n)) {
            add_scaled(&mut self.b, *weight, residual);
        }
        self.real.solve(&mut self.b);
        increments.fill(0.0);
        for (weight, increment) in tableau.right.iter().zip(increments.chunks_exact_mut(n)) {
            add_scaled(increment, *weight, &self.b);
        }
        for (lu, pair) in self.complex.iter().zip(&tableau.pairs) {
            self.rotated.fill(Complex::default());
            for (weight, residual) in pair.left.iter().zip(residuals.chunks_exact(n)) {
                for (slot, value) in self.rotated.iter_mut().zip(residual) {
                    *slot += weight * value;
                }
            }
            lu.solve(&mut self.rotated);
            for (weight, increment) in pair.right.iter().zip(increments.chunks_exact_mut(n)) {
                for (slot, value) in increment.iter_mut().zip(&self.rotated) {
                    *slot += 2.0 * (weight * value).re;
                }
            }
        }
    }

    /// Turns e (`n` entries) into `(sigma M + J)^-1 sigma M e` with the real `sigma`.
    pub fn filter(&mut self, tableau: &Tableau, h: f64, e: &mut [f64]) {
        let sigma = tableau.gamma / h;
        for (slot, row) in self.b.iter_mut().zip(self.mass.chunks_exact(self.n.max(1))) {
            *slot = sigma * row.iter().zip(&*e).map(|(mass, e)| mass * e).sum::<f64>();
        }
        self.real.solve(&mut self.b);
        e.copy_from_slice(&self.b);
    }
}
