//! The implicit method Radau IIA with 3, 5 or 7 stages, for stiff systems
//! (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.8).

mod newton;

use self::newton::{Newton, RadauStep, most_iterations};
use super::attempt::{Halt, NOT_FINITE, Tried};
use super::noise::Noise;
use super::scheme::{Convergence, Ends, RATE_TO_KEEP, Scheme};
use super::step_matrix::{Blocks, StepMatrix};
use super::tableau::Tableau;
use super::{DenseOutput, Flow, Tolerance};
use crate::error::Result;

/// Increments over the tolerance at which the iteration stops: the end of a step is more accurate than the polynomial within.
const PRECISION: f64 = 1e-3;

/// Rounding of a relative increment; no tolerance is met more precisely.
const ROUNDING: f64 = 10.0 * f64::EPSILON;

/// Radau IIA on ordinary differential equations.
#[derive(Clone, Debug)]
pub(super) struct Radau {
    tableau: Box<Tableau>,
    /// `sigma/h I - J` for the eigenvalues of the method.
    matrix: StepMatrix,
    newton: Newton,
    /// Iterations and rate of convergence of the latest attempt.
    convergence: (u32, f64),
    noise: Noise,
    /// Written by `compute`: inverse of the error allowed per component.
    weights: Vec<f64>,
    /// Scratch of the extrapolation and of the error estimate.
    error: Vec<f64>,
    stage: Vec<f64>,
}

impl Radau {
    /// For `n` components, with 3, 5 or 7 stages.
    pub fn new(n: usize, blocks: Blocks, stages: usize) -> Self {
        let tableau = Box::new(Tableau::with_stages(stages));
        let zeros = || vec![0.0; n];
        Self {
            matrix: StepMatrix::new(blocks.size, tableau.shifts()),
            newton: Newton::new(n, blocks, tableau.stages),
            convergence: (0, 1.0),
            noise: Noise::default(),
            weights: zeros(),
            error: zeros(),
            stage: zeros(),
            tableau,
        }
    }

    /// Newton iteration; if it fails with an old Jacobian, once more with a new one.
    fn solve(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried {
        loop {
            // The middle is nearer to all stages.
            let t = if flow.is_linear() { ends.t + 0.5 * h } else { ends.t };
            self.matrix.prepare(flow, (t, &ends.x), h, &mut ends.progress)?;
            if ends.first || !ends.before.reaches(h) {
                self.newton.z.fill(0.0);
            } else {
                self.tableau
                    .extrapolate(&ends.before, h, &mut self.stage, &mut self.newton.z);
            }
            let step = RadauStep {
                tableau: &self.tableau,
                t: ends.t,
                h,
                x: &ends.x,
                weights: &self.weights,
                controlled: tol.controlled() - self.newton.integrals(),
                precision: PRECISION.max(ROUNDING / tol.rtol()),
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

    /// Scaled error norm (equations IV.8.19 and IV.8.20): that of the polynomial within the step, since events and adjoints
    /// read it; its end is more accurate.
    fn estimate(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried<f64> {
        let mut error = self.filtered_defect(&ends.dx, h, tol);
        // Filtered twice it is small for stiff components, but costs an evaluation.
        if error >= 1.0 && (ends.first || ends.progress.rejected) {
            for ((stage, x), error) in self.stage.iter_mut().zip(&ends.x).zip(&self.error) {
                *stage = x + error;
            }
            ends.progress.evaluate(flow, ends.t, &self.stage, &mut ends.dx_new)?;
            error = self.filtered_defect(&ends.dx_new, h, tol);
        }
        if error.is_finite() {
            Ok(self.noise.without(h, error))
        } else {
            Err(NOT_FINITE)
        }
    }

    /// Scaled norm of the defect with the derivative at the start, or at the perturbed start.
    fn filtered_defect(&mut self, derivative: &[f64], h: f64, tol: &Tolerance) -> f64 {
        self.tableau.defect(derivative, h, &self.newton.z, &mut self.error);
        let (coupled, integrals) = self.error.split_at_mut(self.newton.coupled);
        self.matrix.solve_real(coupled);
        integrals.iter_mut().for_each(|error| *error *= h / self.tableau.gamma);
        let scaled = self
            .error
            .iter()
            .zip(&self.weights)
            .map(|(error, weight)| error * weight);
        (scaled.map(|e| e * e).sum::<f64>() / tol.controlled().max(1) as f64).sqrt()
    }
}

impl Scheme for Radau {
    /// 5, 9 or 13.
    fn order(&self) -> u32 {
        self.tableau.order()
    }

    fn order_of_estimate(&self) -> u32 {
        self.tableau.stages as u32
    }

    fn bytes(&self, n: usize) -> usize {
        self.matrix.bytes() + self.newton.bytes() + 3 * n * size_of::<f64>()
    }

    fn restart(&mut self, flow: &mut dyn Flow) -> Result<()> {
        self.newton.reset();
        self.matrix.restart(flow);
        Ok(())
    }

    fn start(&mut self, ends: &mut Ends, flow: &mut dyn Flow) -> Result<()> {
        self.noise.forget();
        self.matrix.age(false);
        ends.evaluate_start(flow)
    }

    fn compute(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried<f64> {
        for (i, (weight, x)) in self.weights.iter_mut().zip(&ends.x).enumerate() {
            *weight = 1.0 / tol.scale(i, x.abs());
        }
        self.solve(ends, flow, h, tol)?;
        ends.move_by(h, &self.newton.z[(self.tableau.stages - 1) * ends.n..])?;
        let error = self.estimate(ends, flow, h, tol)?;
        if error >= 1.0 {
            self.matrix.renew();
        }
        ends.conclude(flow, h, error)
    }

    fn convergence(&self) -> Convergence {
        let (iterations, rate) = self.convergence;
        Convergence::after(iterations, most_iterations(&self.tableau), rate)
    }

    fn interpolate(&mut self, ends: &Ends, h: f64, output: &mut DenseOutput) {
        self.tableau.interpolate(ends, h, &self.newton.z, output);
    }

    fn advance(&mut self) {
        self.noise.forget();
        self.matrix.age(self.convergence.1 > RATE_TO_KEEP);
    }
}
