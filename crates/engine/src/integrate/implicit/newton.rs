//! The nonlinear equations of a Radau step, solved by simplified Newton iterations in transformed variables
//! (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.8).

use crate::linear::pairs;
use nalgebra::Complex;

use super::radau::{ALPHA, BETA, C, GAMMA, T, T_INVERSE, transform};
use crate::integrate::attempt::{DIVERGED, Halt, NOT_FINITE, Progress, Tried};
use crate::integrate::scheme::RATE_TO_KEEP;
use crate::integrate::step_matrix::StepMatrix;
use crate::integrate::{Attempt, DenseOutput, Flow};
use crate::scalar::each;

/// Most iterations per attempt.
pub(super) const MOST_ITERATIONS: u32 = 7;

/// The step whose stages are found.
#[derive(Clone, Copy)]
pub(super) struct RadauStep<'a> {
    pub t: f64,
    pub h: f64,
    pub x: &'a [f64],
    /// Inverse of the error allowed per component; 0 where free.
    pub weights: &'a [f64],
    /// Number of components under control.
    pub controlled: usize,
    /// Weighted norm of the increments at which the iteration stops.
    pub precision: f64,
}

/// Iterates and scratch.
#[derive(Clone, Debug)]
pub(super) struct Newton {
    /// Stage increments `z_i = x(t + c_i h) - x`.
    pub z: [Vec<f64>; 3],
    /// Number of components that the flow reads; those behind them are integrals.
    pub coupled: usize,
    /// Transformed increments `T^-1 z`.
    w: [Vec<f64>; 3],
    /// Derivatives at the stages.
    derivatives: [Vec<f64>; 3],
    stage: Vec<f64>,
    real: Vec<f64>,
    complex: Vec<Complex<f64>>,
    /// `rate / (1 - rate)` of the last iteration, a guess for the next step.
    contraction: f64,
}

impl Newton {
    pub fn new(n: usize, integrals: usize) -> Self {
        let triple = || std::array::from_fn(|_| vec![0.0; n]);
        let coupled = n - integrals;
        Self {
            z: triple(),
            coupled,
            w: triple(),
            derivatives: triple(),
            stage: vec![0.0; n],
            real: vec![0.0; coupled],
            complex: vec![Complex::default(); coupled],
            contraction: 1.0,
        }
    }

    /// Number of components that are integrals.
    pub fn integrals(&self) -> usize {
        self.stage.len() - self.coupled
    }

    /// Forgets the past.
    pub fn reset(&mut self) {
        self.contraction = 1.0;
    }

    /// Starts from constant stages.
    pub fn start_constant(&mut self) {
        for values in self.z.iter_mut().chain(&mut self.w) {
            values.fill(0.0);
        }
    }

    /// Starts from the extrapolated interpolant of the step before, to a step from its end by `h`.
    pub fn start_extrapolated(&mut self, before: &DenseOutput, h: f64) {
        let n = self.stage.len();
        let end = before.end();
        before.evaluate(end, &mut self.stage);
        for (z, c) in self.z.iter_mut().zip(C) {
            before.evaluate(end + c * h, z);
            pairs(z, &self.stage, |z, x| *z -= x);
        }
        for i in 0..n {
            let values = transform(&T_INVERSE, each(|k| self.z[k][i]));
            for (w, value) in self.w.iter_mut().zip(values) {
                w[i] = value;
            }
        }
    }

    /// Iterates to the precision of the step; the iterations and their rate of convergence.
    pub fn solve(
        &mut self,
        flow: &mut dyn Flow,
        step: &RadauStep<'_>,
        matrix: &mut StepMatrix,
        progress: &mut Progress,
    ) -> Tried<(u32, f64)> {
        self.contraction = self.contraction.max(f64::EPSILON).powf(0.8);
        let mut rate = RATE_TO_KEEP;
        let (mut size_before, mut quotient_before) = (0.0, 0.0);
        for iteration in 1..=MOST_ITERATIONS {
            self.evaluate_stages(flow, step, progress)?;
            let size = self.correct(step, matrix);
            if !size.is_finite() {
                return Err(NOT_FINITE);
            }
            if iteration > 1 && iteration < MOST_ITERATIONS {
                let quotient: f64 = size / size_before;
                rate = if iteration == 2 {
                    quotient
                } else {
                    (quotient * quotient_before).sqrt()
                };
                quotient_before = quotient;
                self.foresee(step, rate, size, iteration)?;
            }
            size_before = size.max(f64::EPSILON);
            if self.contraction * size <= step.precision {
                self.integrate(flow, step, progress)?;
                return Ok((iteration, rate));
            }
        }
        Err(DIVERGED)
    }

    /// Updates the contraction; goes on if the remaining iterations will do.
    fn foresee(&mut self, step: &RadauStep<'_>, rate: f64, size: f64, iteration: u32) -> Tried {
        if rate >= 0.99 {
            return Err(DIVERGED);
        }
        self.contraction = rate / (1.0 - rate);
        let remaining = f64::from(MOST_ITERATIONS - 1 - iteration);
        let excess = self.contraction * size * rate.powf(remaining) / step.precision;
        if excess >= 1.0 {
            let factor = 0.8 * excess.clamp(1e-4, 20.0).powf(-1.0 / (4.0 + remaining));
            return Err(Halt::Attempt(Attempt::NotConverged { factor }));
        }
        Ok(())
    }

    /// The integrals of the stages that have been found, `z = h A f`.
    fn integrate(&mut self, flow: &mut dyn Flow, step: &RadauStep<'_>, progress: &mut Progress) -> Tried {
        if self.integrals() == 0 {
            return Ok(());
        }
        self.evaluate_stages(flow, step, progress)?;
        let (gamma, rotation) = (step.h / GAMMA, step.h / Complex::new(ALPHA, BETA));
        for i in self.coupled..self.stage.len() {
            let [a, b, c] = transform(&T_INVERSE, each(|k| self.derivatives[k][i]));
            let pair = rotation * Complex::new(b, c);
            let values = transform(&T, [gamma * a, pair.re, pair.im]);
            for (z, value) in self.z.iter_mut().zip(values) {
                z[i] = value;
            }
        }
        Ok(())
    }

    fn evaluate_stages(&mut self, flow: &mut dyn Flow, step: &RadauStep<'_>, progress: &mut Progress) -> Tried {
        for ((z, derivative), c) in self.z.iter().zip(&mut self.derivatives).zip(C) {
            self.stage.copy_from_slice(step.x);
            pairs(&mut self.stage, z, |stage, z| *stage += z);
            progress.evaluate(flow, step.t + c * step.h, &self.stage, derivative)?;
        }
        Ok(())
    }

    /// One iteration; returns the weighted norm of the increments.
    fn correct(&mut self, step: &RadauStep<'_>, matrix: &mut StepMatrix) -> f64 {
        let n = self.coupled;
        let (gamma, rotation) = (GAMMA / step.h, Complex::new(ALPHA, BETA) / step.h);
        for i in 0..n {
            let [a, b, c] = transform(&T_INVERSE, each(|k| self.derivatives[k][i]));
            self.real[i] = a - gamma * self.w[0][i];
            self.complex[i] = Complex::new(b, c) - rotation * Complex::new(self.w[1][i], self.w[2][i]);
        }
        matrix.solve_real(&mut self.real);
        matrix.solve_complex(0, &mut self.complex);
        let mut square = 0.0;
        for i in 0..n {
            let increments = [self.real[i], self.complex[i].re, self.complex[i].im];
            for (w, increment) in self.w.iter_mut().zip(increments) {
                w[i] += increment;
                square += (increment * step.weights[i]) * (increment * step.weights[i]);
            }
            let values = transform(&T, each(|k| self.w[k][i]));
            for (z, value) in self.z.iter_mut().zip(values) {
                z[i] = value;
            }
        }
        (square / (3 * step.controlled.max(1)) as f64).sqrt()
    }
}
