//! The implicit method Radau IIA of order 5 with three stages, for stiff systems
//! (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.8).

mod newton;
mod radau;

use nalgebra::Complex;

use self::newton::{MOST_ITERATIONS, Newton, RadauStep};
use self::radau::{ALPHA, BETA, C, E, GAMMA, combine};
use super::attempt::{Halt, NOT_FINITE, Tried};
use super::scheme::{Convergence, Ends, RATE_TO_KEEP, Scheme};
use super::step_matrix::StepMatrix;
use super::{DenseOutput, Flow, Tolerance};
use crate::error::Result;
use crate::scalar::each;

/// Radau IIA with three stages.
#[derive(Clone, Debug)]
pub(super) struct Radau {
    /// `gamma/h I - J` and `(alpha + i beta)/h I - J`.
    matrix: StepMatrix,
    newton: Newton,
    /// Iterations and rate of convergence of the latest attempt.
    convergence: (u32, f64),
    /// Written by `compute`: inverse of the error allowed per component.
    weights: Vec<f64>,
    /// Scratch of the error estimate.
    error: Vec<f64>,
    stage: Vec<f64>,
}

impl Radau {
    /// Degree of the collocation polynomial.
    pub const DEGREE: usize = C.len();

    /// For `n` components whose Jacobian has equal diagonal blocks of the size `block`, but for the last of them, which are
    /// integrals.
    pub fn new(n: usize, block: usize, integrals: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            matrix: StepMatrix::new(block, (GAMMA, vec![Complex::new(ALPHA, BETA)])),
            newton: Newton::new(n, integrals),
            convergence: (0, 1.0),
            weights: zeros(),
            error: zeros(),
            stage: zeros(),
        }
    }

    /// Error allowed per component. The estimate has a lower order than the method, so a tolerance for the method becomes
    /// `0.1 rtol^(2/3)` for the estimate (as in Hairer and Wanner's program RADAU5); returns that relative tolerance.
    fn weigh(&mut self, x: &[f64], tol: &Tolerance) -> f64 {
        let relative = 0.1 * tol.rtol().powf(2.0 / 3.0);
        let factor = relative / tol.rtol();
        for (i, (weight, x)) in self.weights.iter_mut().zip(x).enumerate() {
            *weight = 1.0 / (factor * tol.scale(i, x.abs()));
        }
        relative
    }

    /// Newton iteration; if it fails with an old Jacobian, once more with a new one.
    fn solve(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, (tol, relative): (&Tolerance, f64)) -> Tried {
        let precision = relative.sqrt().min(0.03).max(10.0 * f64::EPSILON / relative);
        loop {
            self.matrix.prepare(flow, (ends.t, &ends.x), h, &mut ends.progress)?;
            if ends.first {
                self.newton.start_constant();
            } else {
                self.newton.start_extrapolated(&ends.before, h);
            }
            let step = RadauStep {
                t: ends.t,
                h,
                x: &ends.x,
                weights: &self.weights,
                controlled: tol.controlled() - self.newton.integrals(),
                precision,
            };
            match self.newton.solve(flow, &step, &mut self.matrix, &mut ends.progress) {
                Ok(convergence) => {
                    self.convergence = convergence;
                    return Ok(());
                }
                Err(Halt::Attempt(_)) if self.matrix.renew() => (),
                Err(halt) => return Err(halt),
            }
        }
    }

    /// Scaled error norm (equations IV.8.19 and IV.8.20).
    fn estimate(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried<f64> {
        self.solve_estimate(&ends.dx, h);
        let mut error = self.norm(tol);
        // The filtered estimate is bounded for stiff components, but costs an evaluation.
        if error >= 1.0 && (ends.first || ends.progress.rejected) {
            for ((stage, x), error) in self.stage.iter_mut().zip(&ends.x).zip(&self.error) {
                *stage = x + error;
            }
            ends.progress.evaluate(flow, ends.t, &self.stage, &mut ends.dx_new)?;
            self.solve_estimate(&ends.dx_new, h);
            error = self.norm(tol);
        }
        if error.is_finite() { Ok(error) } else { Err(NOT_FINITE) }
    }

    /// Error vector from the derivative at the start, or filtered from the one at the perturbed start.
    fn solve_estimate(&mut self, derivative: &[f64], h: f64) {
        for (i, (error, dx)) in self.error.iter_mut().zip(derivative).enumerate() {
            *error = dx + combine(&E, each(|k| self.newton.z[k][i])) / h;
        }
        let (coupled, integrals) = self.error.split_at_mut(self.newton.coupled);
        self.matrix.solve_real(coupled);
        integrals.iter_mut().for_each(|error| *error *= h / GAMMA);
    }

    fn norm(&self, tol: &Tolerance) -> f64 {
        let scaled = self
            .error
            .iter()
            .zip(&self.weights)
            .map(|(error, weight)| error * weight);
        (scaled.map(|e| e * e).sum::<f64>() / tol.controlled().max(1) as f64).sqrt()
    }
}

impl Scheme for Radau {
    fn order(&self) -> u32 {
        5
    }

    fn order_of_estimate(&self) -> u32 {
        4
    }

    fn bytes(&self, n: usize) -> usize {
        self.matrix.bytes() + 18 * n * size_of::<f64>()
    }

    fn restart(&mut self, flow: &mut dyn Flow) -> Result<()> {
        self.newton.reset();
        self.matrix.restart(flow);
        Ok(())
    }

    fn start(&mut self, ends: &mut Ends, flow: &mut dyn Flow) -> Result<()> {
        self.matrix.age(false);
        ends.evaluate_start(flow)
    }

    fn compute(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried<f64> {
        let relative = self.weigh(&ends.x, tol);
        self.solve(ends, flow, h, (tol, relative))?;
        ends.move_by(h, &self.newton.z[2])?;
        let error = self.estimate(ends, flow, h, tol)?;
        if error >= 1.0 {
            self.matrix.renew();
        }
        ends.conclude(flow, h, error)
    }

    fn convergence(&self) -> Convergence {
        let (iterations, rate) = self.convergence;
        Convergence::after(iterations, MOST_ITERATIONS, rate)
    }

    /// The collocation polynomial of degree 3: order 3 within the step, order 5 at its end.
    fn interpolate(&mut self, ends: &Ends, h: f64, output: &mut DenseOutput) {
        let (n, z) = (ends.n, &self.newton.z);
        let coefficients = output.resize(ends.t, h, n, Self::DEGREE);
        let [first, second, _] = C;
        for i in 0..n {
            let end = z[2][i];
            let slope = |c: f64, z: f64| (z / c - end) / (1.0 - c);
            let (low, high) = (slope(first, z[0][i]), slope(second, z[1][i]));
            let curvature = (high - low) / (second - first);
            coefficients[i] = ends.x[i];
            coefficients[n + i] = end;
            coefficients[2 * n + i] = low - first * curvature;
            coefficients[3 * n + i] = curvature;
        }
    }

    fn advance(&mut self) {
        self.matrix.age(self.convergence.1 > RATE_TO_KEEP);
    }
}
