//! The variations at the stages of a step, once the state there is known: they are linear, and their rates are those of the
//! flow, all at once.

use nalgebra::Complex;

use super::system::Structure;
use crate::integrate::Flow;
use crate::integrate::attempt::{DIVERGED, NOT_FINITE, Progress, Tried};
use crate::integrate::step_matrix::StepMatrix;
use crate::integrate::tableau::{ByEigenvalue, Tableau};
use crate::linear::add_scaled;

/// Most iterations.
const MOST_ITERATIONS: u32 = 30;

/// Increments over the tolerance at which the iteration stops.
const PRECISION: f64 = 1e-2;

/// Increments over the tolerance that may be rounding where they do not fall any more.
const STALLED: f64 = 0.5;

/// Where the variations of a step begin.
#[derive(Clone, Copy)]
pub(super) struct VariedStep<'a> {
    pub t: f64,
    pub h: f64,
    /// The state with its variations.
    pub x: &'a [f64],
    /// Inverse of the error allowed per component; 0 where free.
    pub weights: &'a [f64],
}

/// Matrices and scratch; sizes as in [`Structure`].
#[derive(Clone, Debug)]
pub(super) struct Variations {
    block: usize,
    /// `sigma/h I - J` of the flow in the middle of the step.
    matrix: StepMatrix,
    /// Residuals and increments of all variations at the stages.
    residuals: Vec<f64>,
    increments: Vec<f64>,
    real: Vec<f64>,
    complex: Vec<Complex<f64>>,
    /// A state with its variations, and their rates.
    state: Vec<f64>,
    rates: Vec<f64>,
}

impl Variations {
    pub fn new(structure: &Structure, tableau: &Tableau) -> Self {
        let varied = structure.block * structure.variations;
        let total = if varied == 0 { 0 } else { structure.dimension() };
        Self {
            block: structure.block,
            matrix: StepMatrix::new(structure.block, tableau.shifts()),
            residuals: vec![0.0; tableau.stages * varied],
            increments: vec![0.0; tableau.stages * varied],
            real: vec![0.0; varied],
            complex: vec![Complex::default(); varied],
            state: vec![0.0; total],
            rates: vec![0.0; total],
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let vectors = [&self.residuals, &self.increments, &self.real, &self.state, &self.rates];
        let complex = size_of_val(&self.complex[..]);
        self.matrix.bytes() + complex + vectors.map(|vector| size_of_val(&vector[..])).iter().sum::<usize>()
    }

    /// Makes room for the matrices of a flow.
    pub fn restart(&mut self, flow: &dyn Flow) {
        if !self.is_empty() {
            self.matrix.restart(flow);
        }
    }

    fn is_empty(&self) -> bool {
        self.state.is_empty()
    }

    /// Solves D z / h = J (s + z) + b for the increments z of all variations s, from those in `z`.
    pub fn solve(
        &mut self,
        flow: &mut dyn Flow,
        tableau: &Tableau,
        step: &VariedStep,
        z: &mut [f64],
        progress: &mut Progress,
    ) -> Tried {
        if self.is_empty() {
            return Ok(());
        }
        let t = self.load(tableau, step, z, tableau.stages / 2);
        let done = self.matrix.evaluate(flow, t, &self.state);
        progress.survive(t, done)?;
        if !self.matrix.factor(step.h) {
            return Err(DIVERGED);
        }
        let mut before = f64::INFINITY;
        for _ in 0..MOST_ITERATIONS {
            for stage in 0..tableau.stages {
                self.find_residuals(flow, tableau, step, (z, stage), progress)?;
            }
            let size = self.correct(tableau, step, z);
            if !size.is_finite() {
                return Err(NOT_FINITE);
            }
            let rate = size / before;
            if size <= PRECISION || (size <= STALLED && rate >= 0.5) {
                return Ok(());
            }
            if rate >= 2.0 {
                return Err(DIVERGED);
            }
            before = size;
        }
        Err(DIVERGED)
    }

    /// Writes the state of a stage with its variations; returns its time.
    fn load(&mut self, tableau: &Tableau, step: &VariedStep, z: &[f64], stage: usize) -> f64 {
        let total = step.x.len();
        self.state.copy_from_slice(step.x);
        add_scaled(&mut self.state, 1.0, &z[stage * total..][..total]);
        step.t + tableau.c[stage] * step.h
    }

    fn find_residuals(
        &mut self,
        flow: &mut dyn Flow,
        tableau: &Tableau,
        step: &VariedStep,
        (z, stage): (&[f64], usize),
        progress: &mut Progress,
    ) -> Tried {
        let (s, total, varied) = (tableau.stages, step.x.len(), self.real.len());
        let t = self.load(tableau, step, z, stage);
        progress.evaluate(flow, t, &self.state, &mut self.rates)?;
        let residual = &mut self.residuals[stage * varied..][..varied];
        residual.fill(0.0);
        add_scaled(residual, -1.0, &self.rates[self.block..]);
        for (weight, z) in tableau.slopes[stage * s..][..s].iter().zip(z.chunks_exact(total)) {
            add_scaled(residual, weight / step.h, &z[self.block..]);
        }
        Ok(())
    }

    /// One iteration; returns the largest root mean square of the weighted increments of a variation.
    fn correct(&mut self, tableau: &Tableau, step: &VariedStep, z: &mut [f64]) -> f64 {
        let (n, total) = (self.block, step.x.len());
        let Self {
            matrix,
            residuals,
            increments,
            real,
            complex,
            ..
        } = self;
        tableau.solve(residuals, increments, (real, complex), |by| match by {
            ByEigenvalue::Real(b) => matrix.solve_real(b),
            ByEigenvalue::Complex(pair, b) => matrix.solve_complex(pair, b),
        });
        for (z, increments) in z.chunks_exact_mut(total).zip(increments.chunks_exact(total - n)) {
            add_scaled(&mut z[n..], -1.0, increments);
        }
        let square = |first: usize| {
            let weights = &step.weights[n + first..][..n];
            let stages = increments
                .chunks_exact(total - n)
                .map(|increments| &increments[first..][..n]);
            let weighted = stages.flat_map(|increments| increments.iter().zip(weights).map(|(d, weight)| d * weight));
            weighted.map(|d| d * d).sum::<f64>()
        };
        let largest = (0..total - n).step_by(n).map(square).fold(0.0, f64::max);
        (largest / (tableau.stages * n) as f64).sqrt()
    }

    /// Filters the errors of the variations.
    pub fn filter(&mut self, tableau: &Tableau, h: f64, error: &mut [f64]) {
        if !self.is_empty() {
            error.iter_mut().for_each(|error| *error *= tableau.gamma / h);
            self.matrix.solve_real(error);
        }
    }
}
