//! The matrices `sigma/h I - J` of simplified Newton iterations, for one block of the state.

use nalgebra::{Complex, ComplexField};

use super::Flow;
use super::attempt::{Progress, Tried};
use crate::error::{Error, ErrorKind, Result};
use crate::linear::{Descriptor, Lu, Shifted, pairs};

/// Jacobian and factors of one block of the state, which serve every block, kept from step to step as long as they serve.
#[derive(Clone, Debug)]
pub(super) struct StepMatrix {
    n: usize,
    /// Real `sigma`, and complex ones.
    shifts: (f64, Vec<Complex<f64>>),
    matrices: Matrices,
    /// Step size of the factors, if they belong to the Jacobian.
    factored: Option<f64>,
    /// Whether the Jacobian must be evaluated before the next step.
    pub due: bool,
    /// Whether the Jacobian belongs to the start of the current step.
    fresh: bool,
}

/// The Jacobian, with the factors of the real and the complex matrices.
#[derive(Clone, Debug)]
enum Matrices {
    Dense(Box<Dense>),
    Sparse(Box<Sparse>),
}

/// In descriptor form.
#[derive(Clone, Debug, Default)]
struct Sparse {
    jacobian: Descriptor,
    real: Shifted<f64>,
    complex: Vec<Shifted<Complex<f64>>>,
}

/// Row-major.
#[derive(Clone, Debug)]
struct Dense {
    jacobian: Vec<f64>,
    real: Lu,
    complex: Vec<Lu<Complex<f64>>>,
}

/// How the components of a flow hang together: in blocks of one Jacobian, with integrals behind them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    /// Components of a block.
    pub size: usize,
    /// Components that are integrals.
    pub integrals: usize,
    /// Whether the rates of the others depend on the first block, as those of sensitivities do on the state.
    pub follow: bool,
}

impl Blocks {
    /// Iterations before increments of `n` components fall at the rate of the iteration: the matrix does not know how others
    /// depend on the first block, so that they follow it by one.
    pub fn coupling(&self, n: usize) -> u32 {
        if self.follow && n > self.size + self.integrals {
            2
        } else {
            1
        }
    }
}

impl StepMatrix {
    /// Without room for the matrices before a flow is known.
    pub fn new(n: usize, shifts: (f64, Vec<Complex<f64>>)) -> Self {
        Self {
            n,
            shifts,
            matrices: Matrices::Sparse(Box::default()),
            factored: None,
            due: true,
            fresh: false,
        }
    }

    /// Bytes held: the Jacobian, a real matrix and complex ones.
    pub fn bytes(&self) -> usize {
        match &self.matrices {
            Matrices::Dense(dense) => (2 + 2 * dense.complex.len()) * size_of_val(&dense.jacobian[..]),
            Matrices::Sparse(sparse) => {
                let complex = sparse.complex.iter().map(Shifted::bytes).sum::<usize>();
                sparse.jacobian.bytes() + sparse.real.bytes() + complex
            }
        }
    }

    /// Forgets the Jacobian, and makes room for that of a flow.
    pub fn restart(&mut self, flow: &dyn Flow) {
        self.due = true;
        if flow.has_descriptor() {
            if let Matrices::Dense(..) = self.matrices {
                self.matrices = Matrices::Sparse(Box::default());
            }
        } else {
            self.make_dense();
        }
    }

    fn make_dense(&mut self) {
        if let Matrices::Sparse(_) = self.matrices {
            let n = self.n;
            self.matrices = Matrices::Dense(Box::new(Dense {
                jacobian: vec![0.0; n * n],
                real: Lu::new(n),
                complex: vec![Lu::new(n); self.shifts.1.len()],
            }));
        }
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
            let done = self.evaluate(flow, t, x);
            progress.survive(t, done)?;
            (self.due, self.fresh) = (false, true);
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

    /// Evaluates the Jacobian.
    pub fn evaluate(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64]) -> Result<()> {
        self.factored = None;
        if let Matrices::Sparse(sparse) = &mut self.matrices {
            if flow.descriptor(t, x, &mut sparse.jacobian)? {
                let not_finite = || Error::new(ErrorKind::NotFinite, "the derivative of the flow is not finite");
                return sparse.jacobian.is_finite().then_some(()).ok_or_else(not_finite);
            }
            self.make_dense();
        }
        if let Matrices::Dense(dense) = &mut self.matrices {
            let jacobian = &mut dense.jacobian;
            flow.jacobian(t, x, jacobian)?;
            if let Some(index) = jacobian.iter().position(|v| !v.is_finite()) {
                let (row, column) = (index / self.n, index % self.n);
                let message = format!("the derivative of component {row} by component {column} is not finite");
                return Err(Error::new(ErrorKind::NotFinite, message).with_value(jacobian[index]));
            }
        }
        Ok(())
    }

    /// Factors for a step of size `h`; false if a matrix is singular.
    pub fn factor(&mut self, h: f64) -> bool {
        let (sigma, n) = (self.shifts.0 / h, self.n);
        let sigmas = self.shifts.1.iter().map(|sigma| sigma / h);
        match &mut self.matrices {
            Matrices::Dense(dense) => {
                let Dense {
                    jacobian,
                    real,
                    complex,
                } = &mut **dense;
                load(real.matrix_mut(n), jacobian, sigma);
                let mut complex = complex.iter_mut().zip(sigmas);
                let done = real.factor_any().is_ok();
                done && complex.all(|(factors, sigma)| {
                    load(factors.matrix_mut(n), jacobian, sigma);
                    factors.factor_any().is_ok()
                })
            }
            Matrices::Sparse(sparse) => {
                let Sparse {
                    jacobian,
                    real,
                    complex,
                } = &mut **sparse;
                complex.resize_with(sigmas.len(), Shifted::default);
                let mut complex = complex.iter_mut().zip(sigmas);
                let done = real.factor(jacobian, sigma);
                done && complex.all(|(factors, sigma)| factors.factor(jacobian, sigma))
            }
        }
    }

    /// Solves with the real matrix for every block in place.
    pub fn solve_real(&mut self, b: &mut [f64]) {
        let blocks = b.chunks_exact_mut(self.n.max(1));
        match &mut self.matrices {
            Matrices::Dense(dense) => blocks.for_each(|block| dense.real.solve(block)),
            Matrices::Sparse(sparse) => blocks.for_each(|block| sparse.real.solve(&sparse.jacobian, block)),
        }
    }

    /// Solves with the matrix of a complex shift for every block in place.
    pub fn solve_complex(&mut self, shift: usize, b: &mut [Complex<f64>]) {
        let blocks = b.chunks_exact_mut(self.n.max(1));
        match &mut self.matrices {
            Matrices::Dense(dense) => blocks.for_each(|block| dense.complex[shift].solve(block)),
            Matrices::Sparse(sparse) => blocks.for_each(|block| sparse.complex[shift].solve(&sparse.jacobian, block)),
        }
    }
}

/// Writes minus a matrix with a shift of its diagonal.
fn load<T: ComplexField<RealField = f64> + Copy>(out: &mut [T], matrix: &[f64], shift: T) {
    pairs(out, matrix, |slot, entry| *slot = T::from_real(-entry));
    let n = matrix.len().isqrt();
    out.iter_mut().step_by(n + 1).for_each(|diagonal| *diagonal += shift);
}
