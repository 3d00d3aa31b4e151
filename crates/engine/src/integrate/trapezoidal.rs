//! The implicit trapezoidal rule (order 2, A-stable) with variable steps (Hiskens and Pai, section VII).
//!
//! Each step solves `x1 = x + h/2 (f + f1)` by simplified Newton iterations. Its error is the difference to Simpson's rule with
//! the slope at the middle of the interpolant, so that one step needs no other.

use super::attempt::{DIVERGED, Halt, NOT_FINITE, Tried};
use super::scheme::{Convergence, Ends, LEAST_CONTRACTION, RATE_TO_KEEP, Scheme};
use super::step_matrix::{Blocks, StepMatrix};
use super::{DenseOutput, Flow, Tolerance};
use crate::error::Result;

/// Most iterations per attempt.
const MOST_ITERATIONS: u32 = 8;

/// Error of the iteration, over the tolerance, at which it ends.
const PRECISION: f64 = 1e-3;

/// Rate of convergence that is not worth waiting for.
const SLOW: f64 = 0.5;

/// The trapezoidal rule.
#[derive(Clone, Debug)]
pub(super) struct Trapezoidal {
    /// 2/h I - J.
    matrix: StepMatrix,
    /// Iterations before increments fall at the rate of the iteration.
    coupling: u32,
    /// Rate of convergence of the latest attempt.
    rate: f64,
    /// Scratch of iteration and error estimate.
    change: Vec<f64>,
    stage: Vec<f64>,
}

impl Trapezoidal {
    /// Degree of the interpolant.
    pub const DEGREE: usize = 3;

    /// For `n` components without integrals.
    pub fn new(n: usize, blocks: Blocks) -> Self {
        Self {
            matrix: StepMatrix::new(blocks.size, (2.0, Vec::new())),
            coupling: blocks.coupling(n),
            rate: 1.0,
            change: vec![0.0; n],
            stage: vec![0.0; n],
        }
    }

    /// Newton's iteration.
    fn iterate(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried {
        let (t_new, mut before) = (ends.t + h, f64::INFINITY);
        self.rate = 0.0;
        for iteration in 1..=MOST_ITERATIONS {
            ends.progress.evaluate(flow, t_new, &ends.x_new, &mut ends.dx_new)?;
            let slopes = ends.dx.iter().zip(&ends.dx_new);
            let states = ends.x.iter().zip(&ends.x_new);
            for ((change, (x, x_new)), (f, f_new)) in self.change.iter_mut().zip(states).zip(slopes) {
                *change = f + f_new - 2.0 / h * (x_new - x);
            }
            self.matrix.solve_real(&mut self.change);
            for (x_new, change) in ends.x_new.iter_mut().zip(&self.change) {
                *x_new += change;
            }
            let size = tol.norm(&ends.x_new, |i| self.change[i]);
            if !size.is_finite() {
                return Err(NOT_FINITE);
            }
            if iteration > self.coupling {
                self.rate = size / before;
            }
            // What is left is a geometric series; the first corrections say nothing of its rate.
            let contraction = self.rate / (1.0 - self.rate).max(SLOW);
            let left = contraction.max(LEAST_CONTRACTION) * size;
            let is_found = if iteration > self.coupling {
                left <= PRECISION
            } else {
                size <= 1e-3 * PRECISION
            };
            if is_found {
                return Ok(());
            }
            if self.rate > SLOW {
                break;
            }
            before = size.max(f64::MIN_POSITIVE);
        }
        Err(DIVERGED)
    }

    /// Error estimate, projection and derivative at the end of a solved step.
    fn conclude(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried<f64> {
        let t_new = ends.t + h;
        ends.progress.finite(t_new, &ends.x_new, "state")?;
        ends.progress.evaluate(flow, t_new, &ends.x_new, &mut ends.dx_new)?;
        let error = self.estimate(ends, flow, h, tol)?;
        if error < 1.0 {
            self.stage.copy_from_slice(&ends.x_new);
            let done = flow.project(t_new, &mut ends.x_new);
            ends.progress.survive(t_new, done)?;
            if self.stage != ends.x_new {
                ends.progress.evaluate(flow, t_new, &ends.x_new, &mut ends.dx_new)?;
            }
        }
        Ok(error)
    }

    /// Scaled norm of h/3 (2 f_m - f - f1), the difference to Simpson's rule, filtered by `(I - h/2 J)^-1` so that it is bounded
    /// for stiff components.
    fn estimate(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried<f64> {
        let slopes = ends.dx.iter().zip(&ends.dx_new);
        let states = ends.x.iter().zip(&ends.x_new);
        for ((stage, (x, x_new)), (f, f_new)) in self.stage.iter_mut().zip(states).zip(slopes) {
            *stage = 0.5 * (x + x_new) + h / 8.0 * (f - f_new);
        }
        let middle = ends.t + 0.5 * h;
        ends.progress.evaluate(flow, middle, &self.stage, &mut self.change)?;
        for ((change, f), f_new) in self.change.iter_mut().zip(&ends.dx).zip(&ends.dx_new) {
            *change = 2.0 / 3.0 * (2.0 * *change - f - f_new);
        }
        self.matrix.solve_real(&mut self.change);
        let error = tol.norm(&ends.x_new, |i| self.change[i]);
        if error.is_finite() { Ok(error) } else { Err(NOT_FINITE) }
    }
}

impl Scheme for Trapezoidal {
    fn order(&self) -> u32 {
        2
    }

    fn order_of_estimate(&self) -> u32 {
        3
    }

    fn bytes(&self, n: usize) -> usize {
        self.matrix.bytes() + 2 * n * size_of::<f64>()
    }

    fn restart(&mut self, flow: &mut dyn Flow) -> Result<()> {
        self.matrix.restart(flow);
        Ok(())
    }

    fn start(&mut self, ends: &mut Ends, flow: &mut dyn Flow) -> Result<()> {
        self.matrix.age(false);
        ends.evaluate_start(flow)
    }

    /// If the iteration fails with an old Jacobian, once more with a new one.
    fn compute(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried<f64> {
        loop {
            self.matrix.prepare(flow, (ends.t, &ends.x), h, &mut ends.progress)?;
            ends.extrapolate(h);
            match self.iterate(ends, flow, h, tol) {
                Ok(()) => return self.conclude(ends, flow, h, tol),
                Err(Halt::Attempt(_)) if self.matrix.renew() => (),
                Err(halt) => return Err(halt),
            }
        }
    }

    fn convergence(&self) -> Convergence {
        Convergence::of_rate(self.rate)
    }

    /// The cubic polynomial through states and slopes at both ends, of order 3.
    fn interpolate(&mut self, ends: &Ends, h: f64, output: &mut DenseOutput) {
        let coefficients = output.resize(ends.t, h, ends.n, Self::DEGREE);
        ends.fill_cubic(h, coefficients);
    }

    fn advance(&mut self) {
        self.matrix.age(self.rate > RATE_TO_KEEP);
    }
}
