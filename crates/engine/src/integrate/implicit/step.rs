//! The arithmetic of one implicit step: Newton iteration, error estimate, interpolant.

use super::ImplicitStepper;
use super::newton::Step;
use super::radau::{C, E, combine};
use crate::error::Result;
use crate::integrate::newton_stepper::Outcome;
use crate::integrate::{Attempt, DenseOutput, Flow, Tolerance};
use crate::scalar::each;

/// Degree of the collocation polynomial.
pub(super) const DEGREE: usize = C.len();

impl ImplicitStepper {
    /// Solves a step from the loaded state and estimates its error.
    pub(super) fn compute(&mut self, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Attempt> {
        let tightened = self.weigh(tol);
        match self.solve(flow, h, tol, tightened)? {
            Outcome::NotFinite => return Ok(Attempt::NotFinite),
            Outcome::Failed { factor } => return Ok(Attempt::NotConverged { factor }),
            Outcome::Converged { iterations, rate } => self.scheme.convergence = (iterations, rate),
        }
        let t_new = self.t + h;
        for ((x_new, x), z) in self.x_new.iter_mut().zip(&self.x).zip(&self.scheme.newton.z[2]) {
            *x_new = x + z;
        }
        if !self.progress.all_finite(t_new, &self.x_new, "state") {
            return Ok(Attempt::NotFinite);
        }
        let Some(error) = self.estimate(flow, h, tol)? else {
            return Ok(Attempt::NotFinite);
        };
        if error >= 1.0 {
            self.scheme.matrix.due = !self.scheme.matrix.fresh;
        } else if !self.progress.project(flow, t_new, &mut self.x_new)?
            || !self.progress.evaluate(flow, t_new, &self.x_new, &mut self.dx_new)?
        {
            return Ok(Attempt::NotFinite);
        }
        Ok(Attempt::Done { error })
    }

    /// Error allowed per component. The estimate has a lower order than the method, so a tolerance for the method becomes
    /// `0.1 rtol^(2/3)` for the estimate (as in Hairer and Wanner's program RADAU5); returns that relative tolerance.
    fn weigh(&mut self, tol: &Tolerance) -> f64 {
        let relative = 0.1 * tol.rtol().powf(2.0 / 3.0);
        let factor = relative / tol.rtol();
        for (i, (weight, x)) in self.scheme.weights.iter_mut().zip(&self.x).enumerate() {
            *weight = 1.0 / (factor * tol.scale(i, x.abs()));
        }
        relative
    }

    /// Newton iteration; if it fails with an old Jacobian, once more with a new one.
    fn solve(&mut self, flow: &mut dyn Flow, h: f64, tol: &Tolerance, relative: f64) -> Result<Outcome> {
        let precision = relative.sqrt().min(0.03).max(10.0 * f64::EPSILON / relative);
        loop {
            if self.scheme.matrix.due {
                let statistics = &mut self.progress.statistics;
                self.scheme.matrix.update(flow, self.t, &self.x, statistics)?;
            }
            if !self.scheme.matrix.factor(self.t, h, &mut self.progress) {
                return Ok(Outcome::NotFinite);
            }
            if self.first {
                self.scheme.newton.start_constant();
            } else {
                self.scheme.newton.start_extrapolated(&self.before, h);
            }
            let step = Step {
                t: self.t,
                h,
                x: &self.x,
                weights: &self.scheme.weights,
                controlled: tol.controlled(),
                precision,
            };
            let outcome = self
                .scheme
                .newton
                .solve(flow, &step, &self.scheme.matrix, &mut self.progress)?;
            if matches!(outcome, Outcome::Converged { .. }) || self.scheme.matrix.fresh {
                return Ok(outcome);
            }
            self.scheme.matrix.due = true;
        }
    }

    /// Scaled error norm (equations IV.8.19 and IV.8.20); none if it is not finite.
    fn estimate(&mut self, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Option<f64>> {
        self.solve_estimate(h, false);
        let mut error = self.norm(tol);
        // The filtered estimate is bounded for stiff components, but costs an evaluation.
        if error >= 1.0 && (self.first || self.progress.rejected) {
            for ((stage, x), error) in self.scheme.stage.iter_mut().zip(&self.x).zip(&self.scheme.error) {
                *stage = x + error;
            }
            if !self
                .progress
                .evaluate(flow, self.t, &self.scheme.stage, &mut self.dx_new)?
            {
                return Ok(None);
            }
            self.solve_estimate(h, true);
            error = self.norm(tol);
        }
        Ok(error.is_finite().then_some(error))
    }

    /// Error vector from the derivative at the start, or filtered from the one at the perturbed start (in `dx_new`).
    fn solve_estimate(&mut self, h: f64, filtered: bool) {
        let derivative = if filtered { &self.dx_new } else { &self.dx };
        for (i, (error, dx)) in self.scheme.error.iter_mut().zip(derivative).enumerate() {
            *error = dx + combine(&E, each(|k| self.scheme.newton.z[k][i])) / h;
        }
        self.scheme.matrix.solve_real(&mut self.scheme.error);
    }

    fn norm(&self, tol: &Tolerance) -> f64 {
        let scaled = self
            .scheme
            .error
            .iter()
            .zip(&self.scheme.weights)
            .map(|(error, weight)| error * weight);
        (scaled.map(|e| e * e).sum::<f64>() / tol.controlled().max(1) as f64).sqrt()
    }

    /// Writes the polynomial through the start and the three stages.
    pub(super) fn collocate(&self, h: f64, output: &mut DenseOutput) {
        let (n, z) = (self.n, &self.scheme.newton.z);
        let coefficients = output.resize(self.t, h, n, DEGREE);
        let [first, second, _] = C;
        for i in 0..n {
            let end = z[2][i];
            let slope = |c: f64, z: f64| (z / c - end) / (1.0 - c);
            let (low, high) = (slope(first, z[0][i]), slope(second, z[1][i]));
            let bend = (high - low) / (second - first);
            coefficients[i] = self.x[i];
            coefficients[n + i] = end;
            coefficients[2 * n + i] = low - first * bend;
            coefficients[3 * n + i] = bend;
        }
    }
}
