//! The arithmetic of one step of the trapezoidal rule: Newton iteration, error estimate, interpolant.

use super::{DEGREE, TrapezoidalStepper};
use crate::error::Result;
use crate::integrate::newton_stepper::AFTER_DIVERGENCE;
use crate::integrate::{Attempt, DenseOutput, Flow, Tolerance};

/// Most iterations per attempt.
const MOST_ITERATIONS: u32 = 8;

/// Error of the iteration, over the tolerance, at which it ends.
const PRECISION: f64 = 1e-3;

/// Rate of convergence that is not worth waiting for.
const SLOW: f64 = 0.5;

impl TrapezoidalStepper {
    /// Solves a step from the loaded state and estimates its error.
    pub(super) fn compute(&mut self, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Attempt> {
        loop {
            let start = (self.t, &self.x[..]);
            if !self.scheme.matrix.prepare(flow, start, h, &mut self.progress)? {
                return Ok(Attempt::NotFinite);
            }
            self.predict(h);
            match self.iterate(flow, h, tol)? {
                Some(true) => return self.conclude(flow, h, tol),
                Some(false) if self.scheme.matrix.is_fresh_or_due() => {
                    return Ok(Attempt::NotConverged {
                        factor: AFTER_DIVERGENCE,
                    });
                }
                None if self.scheme.matrix.is_fresh_or_due() => return Ok(Attempt::NotFinite),
                _ => (),
            }
        }
    }

    /// Where the iteration starts: the extrapolated interpolant of the step before, or the state itself.
    fn predict(&mut self, h: f64) {
        if self.first {
            self.x_new.copy_from_slice(&self.x);
        } else {
            self.before.evaluate(self.before.end() + h, &mut self.x_new);
        }
    }

    /// Newton's iteration; whether it converged, or none if the flow failed.
    fn iterate(&mut self, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Option<bool>> {
        let (t_new, mut before) = (self.t + h, f64::INFINITY);
        self.scheme.rate = 0.0;
        for iteration in 1..=MOST_ITERATIONS {
            if !self.progress.evaluate(flow, t_new, &self.x_new, &mut self.dx_new)? {
                return Ok(None);
            }
            let slopes = self.dx.iter().zip(&self.dx_new);
            let states = self.x.iter().zip(&self.x_new);
            for ((change, (x, x_new)), (f, f_new)) in self.scheme.change.iter_mut().zip(states).zip(slopes) {
                *change = f + f_new - 2.0 / h * (x_new - x);
            }
            self.scheme.matrix.solve(&mut self.scheme.change);
            for (x_new, change) in self.x_new.iter_mut().zip(&self.scheme.change) {
                *x_new += change;
            }
            let size = tol.norm(&self.x_new, |i| self.scheme.change[i]);
            if !size.is_finite() {
                return Ok(None);
            }
            if iteration > 1 {
                self.scheme.rate = size / before;
            }
            // What is left is a geometric series; the first correction says nothing of its rate.
            let left = self.scheme.rate / (1.0 - self.scheme.rate).max(SLOW) * size;
            let is_found = if iteration > 1 {
                left <= PRECISION
            } else {
                size <= 1e-3 * PRECISION
            };
            if is_found {
                return Ok(Some(true));
            }
            if self.scheme.rate > SLOW {
                return Ok(Some(false));
            }
            before = size.max(f64::MIN_POSITIVE);
        }
        Ok(Some(false))
    }

    /// Error estimate, projection and derivative at the end of a solved step.
    fn conclude(&mut self, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Attempt> {
        let t_new = self.t + h;
        if !self.progress.all_finite(t_new, &self.x_new, "state")
            || !self.progress.evaluate(flow, t_new, &self.x_new, &mut self.dx_new)?
        {
            return Ok(Attempt::NotFinite);
        }
        let Some(error) = self.estimate(flow, h, tol)? else {
            return Ok(Attempt::NotFinite);
        };
        if error >= 1.0 {
            return Ok(Attempt::Done { error });
        }
        self.scheme.stage.copy_from_slice(&self.x_new);
        if !self.progress.project(flow, t_new, &mut self.x_new)? {
            return Ok(Attempt::NotFinite);
        }
        let moved = self.scheme.stage != self.x_new;
        if moved && !self.progress.evaluate(flow, t_new, &self.x_new, &mut self.dx_new)? {
            return Ok(Attempt::NotFinite);
        }
        Ok(Attempt::Done { error })
    }

    /// Scaled norm of h/3 (2 f_m - f - f1), the difference to Simpson's rule, filtered by `(I - h/2 J)^-1` so that it is bounded
    /// for stiff components; none if it is not finite.
    fn estimate(&mut self, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Option<f64>> {
        let slopes = self.dx.iter().zip(&self.dx_new);
        let states = self.x.iter().zip(&self.x_new);
        for ((stage, (x, x_new)), (f, f_new)) in self.scheme.stage.iter_mut().zip(states).zip(slopes) {
            *stage = 0.5 * (x + x_new) + h / 8.0 * (f - f_new);
        }
        let middle = self.t + 0.5 * h;
        if !self
            .progress
            .evaluate(flow, middle, &self.scheme.stage, &mut self.scheme.change)?
        {
            return Ok(None);
        }
        for ((change, f), f_new) in self.scheme.change.iter_mut().zip(&self.dx).zip(&self.dx_new) {
            *change = 2.0 / 3.0 * (2.0 * *change - f - f_new);
        }
        self.scheme.matrix.solve(&mut self.scheme.change);
        let error = tol.norm(&self.x_new, |i| self.scheme.change[i]);
        Ok(error.is_finite().then_some(error))
    }

    /// Writes the cubic polynomial through states and slopes at both ends.
    pub(super) fn interpolate(&self, h: f64, output: &mut DenseOutput) {
        let n = self.n;
        let coefficients = output.resize(self.t, h, n, DEGREE);
        for i in 0..n {
            let change = self.x_new[i] - self.x[i];
            let bend = h * self.dx[i] - change;
            coefficients[i] = self.x[i];
            coefficients[n + i] = change;
            coefficients[2 * n + i] = bend;
            coefficients[3 * n + i] = change - h * self.dx_new[i] - bend;
        }
    }
}
