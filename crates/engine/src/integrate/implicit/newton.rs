//! The nonlinear equations of a Radau step, solved by simplified Newton iterations in transformed variables
//! (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.8).

use nalgebra::Complex;

use crate::integrate::Flow;
use crate::integrate::attempt::{Attempt, DIVERGED, Halt, NOT_FINITE, Progress, Tried};
use crate::integrate::scheme::{LEAST_CONTRACTION, RATE_TO_KEEP};
use crate::integrate::step_matrix::{Blocks, StepMatrix};
use crate::integrate::tableau::{ByEigenvalue, Tableau};
use crate::linear::{add_scaled, pairs};

/// Rate of convergence of an iteration that diverges.
const DIVERGES: f64 = 0.99;

/// First quotient of increments below which it tells nothing yet: increments of stiff modes may fall every other time only.
const MAY_TURN: f64 = 2.0;

/// Most iterations per attempt.
pub(super) fn most_iterations(tableau: &Tableau) -> u32 {
    7 + 5 * (tableau.stages as u32 - 3) / 2
}

/// The step whose stages are found.
#[derive(Clone, Copy)]
pub(super) struct RadauStep<'a> {
    pub tableau: &'a Tableau,
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
    /// Stage increments `z_i = x(t + c_i h) - x`, stage i at i * n.
    pub z: Vec<f64>,
    /// Number of components that the flow reads; those behind them are integrals.
    pub coupled: usize,
    /// Iterations before increments fall at the rate of the iteration.
    coupling: u32,
    /// Residuals of the coupled components and what they ask for, stage i at i * coupled.
    residuals: Vec<f64>,
    increments: Vec<f64>,
    /// Rates of the integrals, one stage after the other.
    rates: Vec<f64>,
    stage: Vec<f64>,
    derivative: Vec<f64>,
    real: Vec<f64>,
    complex: Vec<Complex<f64>>,
    /// `rate / (1 - rate)` of the last iteration, a guess for the next step.
    contraction: f64,
}

impl Newton {
    pub fn new(n: usize, blocks: Blocks, stages: usize) -> Self {
        let zeros = |length| vec![0.0; length];
        let coupled = n - blocks.integrals;
        Self {
            z: zeros(stages * n),
            coupled,
            coupling: blocks.coupling(n),
            residuals: zeros(stages * coupled),
            increments: zeros(stages * coupled),
            rates: zeros(stages * blocks.integrals),
            stage: zeros(n),
            derivative: zeros(n),
            real: zeros(coupled),
            complex: vec![Complex::default(); coupled],
            contraction: 1.0,
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let vectors = [
            &self.z,
            &self.residuals,
            &self.increments,
            &self.rates,
            &self.stage,
            &self.derivative,
            &self.real,
        ];
        vectors.iter().map(|vector| size_of_val(&vector[..])).sum::<usize>() + size_of_val(&self.complex[..])
    }

    /// Number of components that are integrals.
    pub fn integrals(&self) -> usize {
        self.stage.len() - self.coupled
    }

    /// Forgets the past.
    pub fn reset(&mut self) {
        self.contraction = 1.0;
    }

    /// Iterates from the increments in `z` to the precision of the step; the iterations and their rate of convergence.
    pub fn solve(
        &mut self,
        flow: &mut dyn Flow,
        step: &RadauStep<'_>,
        matrix: &mut StepMatrix,
        progress: &mut Progress,
    ) -> Tried<(u32, f64)> {
        self.contraction = self.contraction.powf(0.8);
        let most = most_iterations(step.tableau);
        let mut rate = RATE_TO_KEEP;
        let (mut size_before, mut quotient_before) = (0.0, 0.0);
        for iteration in 1..=most {
            self.evaluate_stages(flow, step, progress)?;
            let size = self.correct(step, matrix);
            if !size.is_finite() {
                return Err(NOT_FINITE);
            }
            if iteration > self.coupling && iteration < most {
                let quotient: f64 = size / size_before;
                let is_first = iteration == self.coupling + 1;
                rate = if is_first {
                    quotient
                } else {
                    (quotient * quotient_before).sqrt()
                };
                quotient_before = quotient;
                self.contraction = contraction(rate);
                if !is_first || quotient >= MAY_TURN {
                    self.foresee(step, rate, size, most - 1 - iteration)?;
                }
            }
            size_before = size.max(f64::EPSILON);
            if iteration >= self.coupling && self.contraction * size <= step.precision {
                self.integrate(flow, step, progress)?;
                return Ok((iteration, rate));
            }
        }
        Err(DIVERGED)
    }

    /// Goes on if the remaining iterations will do.
    fn foresee(&self, step: &RadauStep<'_>, rate: f64, size: f64, remaining: u32) -> Tried {
        if rate >= DIVERGES {
            return Err(DIVERGED);
        }
        let remaining = f64::from(remaining);
        let excess = self.contraction * size * rate.powf(remaining) / step.precision;
        if excess >= 1.0 {
            let factor = 0.8 * excess.clamp(1e-4, 20.0).powf(-1.0 / (4.0 + remaining));
            return Err(Halt::Attempt(Attempt::NotConverged { factor }));
        }
        Ok(())
    }

    /// The integrals of the stages that have been found, `z = h A f`.
    fn integrate(&mut self, flow: &mut dyn Flow, step: &RadauStep<'_>, progress: &mut Progress) -> Tried {
        let (s, n, integrals) = (step.tableau.stages, self.stage.len(), self.integrals());
        if integrals == 0 {
            return Ok(());
        }
        self.evaluate_stages(flow, step, progress)?;
        for (z, weights) in self.z.chunks_exact_mut(n).zip(step.tableau.integrals.chunks_exact(s)) {
            let slots = &mut z[self.coupled..];
            slots.fill(0.0);
            for (weight, rates) in weights.iter().zip(self.rates.chunks_exact(integrals)) {
                add_scaled(slots, step.h * weight, rates);
            }
        }
        Ok(())
    }

    /// Residuals `D z / h - f` at all stages, and the rates of the integrals there.
    fn evaluate_stages(&mut self, flow: &mut dyn Flow, step: &RadauStep<'_>, progress: &mut Progress) -> Tried {
        let RadauStep { tableau, t, h, x, .. } = *step;
        let (s, n, coupled) = (tableau.stages, self.stage.len(), self.coupled);
        for i in 0..s {
            self.stage.copy_from_slice(x);
            add_scaled(&mut self.stage, 1.0, &self.z[i * n..(i + 1) * n]);
            progress.evaluate(flow, t + tableau.c[i] * h, &self.stage, &mut self.derivative)?;
            let (derivative, rates) = self.derivative.split_at(coupled);
            self.rates[i * rates.len()..][..rates.len()].copy_from_slice(rates);
            let residual = &mut self.residuals[i * coupled..(i + 1) * coupled];
            pairs(residual, derivative, |residual, derivative| *residual = -derivative);
            for (weight, z) in tableau.slopes[i * s..(i + 1) * s]
                .iter()
                .zip(self.z.chunks_exact(n.max(1)))
            {
                add_scaled(residual, weight / h, &z[..coupled]);
            }
        }
        Ok(())
    }

    /// One iteration; returns the weighted norm of the increments.
    fn correct(&mut self, step: &RadauStep<'_>, matrix: &mut StepMatrix) -> f64 {
        let (n, coupled) = (self.stage.len(), self.coupled);
        let scratch = (&mut self.real[..], &mut self.complex[..]);
        step.tableau
            .solve(&self.residuals, &mut self.increments, scratch, |which| match which {
                ByEigenvalue::Real(b) => matrix.solve_real(b),
                ByEigenvalue::Complex(pair, b) => matrix.solve_complex(pair, b),
            });
        let mut square = 0.0;
        let increments = self.increments.chunks_exact(coupled.max(1));
        for (z, increments) in self.z.chunks_exact_mut(n.max(1)).zip(increments) {
            for ((z, increment), weight) in z.iter_mut().zip(increments).zip(step.weights) {
                *z -= increment;
                square += (increment * weight) * (increment * weight);
            }
        }
        (square / (step.tableau.stages * step.controlled.max(1)) as f64).sqrt()
    }
}

/// What is left of a series over its last term.
fn contraction(rate: f64) -> f64 {
    if rate < DIVERGES {
        (rate / (1.0 - rate)).max(LEAST_CONTRACTION)
    } else {
        f64::INFINITY
    }
}
