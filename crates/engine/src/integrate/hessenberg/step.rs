//! The arithmetic of one step: stages, error estimate, interpolant.

use super::stages::Step;
use super::{HessenbergStepper, Projected, Structure, algebraic};
use std::ops::Range;

use crate::error::Result;
use crate::integrate::newton_stepper::{AFTER_DIVERGENCE, Outcome};
use crate::integrate::{Attempt, DenseOutput, Flow, Tolerance};
use crate::linear::{add_scaled, max_abs};

/// Growth of the step size up to which the polynomial of the step before is extrapolated to its end.
const FARTHEST: f64 = 3.0;

/// Rounding of a component over the size of the largest of its kind: the estimate magnifies that of the stages.
const ROUNDING: f64 = 50.0 * f64::EPSILON;

/// The same of weakened rates: position errors of rounding size ask for multipliers that grow with the inverse square of the
/// step size, whose impulses turn with the constraints within the step.
const ROUNDING_OF_WEAKENED: f64 = 2e4 * f64::EPSILON;

/// The same across the constraints, where it is magnified by the distance from a singular position too. Nothing accumulates
/// there.
const ROUNDING_ACROSS: f64 = 1.5e5 * f64::EPSILON;

/// Scaled error that is still taken for rounding, and what it counts as.
const MOST_NOISE: f64 = 10.0;
const ACCEPTABLE: f64 = 0.9;

impl HessenbergStepper {
    /// Solves a step from the loaded state and estimates its error.
    pub(super) fn compute(&mut self, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Attempt> {
        self.weigh(tol);
        match self.solve(flow, h, tol)? {
            Outcome::NotFinite => return Ok(Attempt::NotFinite),
            Outcome::Failed { factor } => return Ok(Attempt::NotConverged { factor }),
            Outcome::Converged { iterations, rate } => self.scheme.convergence = (iterations, rate),
        }
        if !self.evaluate_stages(flow, h)? {
            return Ok(Attempt::NotFinite);
        }
        self.scheme.tail.integrate(&self.scheme.tableau, h, &mut self.scheme.z);
        if !self.scheme.tail.vary(
            &self.scheme.tableau,
            h,
            &self.x,
            &self.scheme.weights,
            &mut self.scheme.z,
        ) {
            return Ok(Attempt::NotConverged {
                factor: AFTER_DIVERGENCE,
            });
        }
        self.end(flow, h, tol)
    }

    /// Error, projected end and its derivative.
    fn end(&mut self, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Attempt> {
        let t_new = self.t + h;
        let last = &self.scheme.z[(self.scheme.tableau.stages - 1) * self.n..];
        for ((x_new, x), z) in self.x_new.iter_mut().zip(&self.x).zip(last) {
            *x_new = x + z;
        }
        if !self.progress.all_finite(t_new, &self.x_new, "state") {
            return Ok(Attempt::NotFinite);
        }
        let Some(error) = self.estimate(flow, h, tol)? else {
            return Ok(Attempt::NotFinite);
        };
        let error = self.without_noise(h, error);
        let ended = error >= 1.0
            || self.progress.project(flow, t_new, &mut self.x_new)?
                && self.progress.evaluate(flow, t_new, &self.x_new, &mut self.dx_new)?;
        if !ended || !error.is_finite() {
            return Ok(Attempt::NotFinite);
        }
        Ok(Attempt::Done { error })
    }

    /// The error, or an acceptable one where it has not fallen with the step size since the first rejection from this state:
    /// then it is rounding, and no step has less.
    fn without_noise(&mut self, h: f64, error: f64) -> f64 {
        if error < 1.0 || !error.is_finite() {
            return error;
        }
        let (longest, largest) = *self.scheme.too_large.get_or_insert((h.abs(), error));
        let stays = h.abs() < 0.5 * longest && error > 0.5 * largest;
        if stays && error < MOST_NOISE { ACCEPTABLE } else { error }
    }

    /// Newton iteration from the extrapolated polynomial; if that fails, with matrices of this step, then from a line.
    fn solve(&mut self, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Outcome> {
        let mut extrapolates = !self.first && self.before.end() == self.t && h / self.before.step() <= FARTHEST;
        loop {
            let step = Step {
                t: self.t,
                h,
                x: &self.x,
                dx: &self.dx,
                weights: &self.scheme.weights,
                rtol: tol.rtol(),
                rounding: self.floors([ROUNDING; 2])[0].1,
            };
            let system = algebraic(flow)?;
            if !self
                .scheme
                .stages
                .prepare(system, &self.scheme.tableau, &step, &mut self.progress)?
            {
                return Ok(Outcome::NotFinite);
            }
            if extrapolates {
                extrapolate(
                    &self.before,
                    self.scheme.tableau.c,
                    h,
                    &mut self.scheme.state,
                    &mut self.scheme.z,
                );
            } else {
                for (z, c) in self.scheme.z.chunks_exact_mut(self.n.max(1)).zip(self.scheme.tableau.c) {
                    z.iter_mut().zip(&self.dx).for_each(|(z, dx)| *z = c * h * dx);
                }
            }
            let outcome = self.scheme.stages.solve(
                system,
                &self.scheme.tableau,
                &step,
                &mut self.scheme.z,
                &mut self.progress,
            )?;
            if matches!(outcome, Outcome::Converged { .. }) || !(self.scheme.stages.renew() || extrapolates) {
                return Ok(outcome);
            }
            extrapolates &= self.scheme.stages.is_due();
        }
    }

    /// Inverse of the error allowed per component: that of the tolerance, but of the rates and of what they are rates of no
    /// less than the rounding of the largest.
    fn weigh(&mut self, tol: &Tolerance) {
        for (i, (weight, x)) in self.scheme.weights.iter_mut().zip(&self.x).enumerate() {
            *weight = 1.0 / tol.scale(i, x.abs());
        }
        let floors = self.floors(if self.scheme.structure.weakened {
            [ROUNDING, ROUNDING_OF_WEAKENED]
        } else {
            [ROUNDING; 2]
        });
        for (kind, floor) in floors {
            self.scheme.weights[kind]
                .iter_mut()
                .for_each(|weight| *weight = weight.min(1.0 / floor));
        }
    }

    /// Errors of what the rates are rates of, and of the rates, that are fractions of the largest of the kind.
    fn floors(&self, [of_others, of_rates]: [f64; 2]) -> [(Range<usize>, f64); 2] {
        let rates = self.scheme.structure.rates.clone();
        let floor = |kind: Range<usize>, fraction: f64| (kind.clone(), fraction * max_abs(&self.x[kind]));
        if rates.is_empty() {
            [(0..0, 0.0), (0..0, 0.0)]
        } else {
            [floor(0..rates.start, of_others), floor(rates, of_rates)]
        }
    }

    /// Makes the stages consistent and evaluates what depends on them.
    fn evaluate_stages(&mut self, flow: &mut dyn Flow, h: f64) -> Result<bool> {
        if self.scheme.structure.repaired && !(self.refine(flow, h)? && self.repair(flow, h)?) {
            return Ok(false);
        }
        for (i, c) in self.scheme.tableau.c.iter().enumerate() {
            self.scheme.load_stage(i, &self.x);
            let (system, state) = (algebraic(flow)?, &self.scheme.state);
            let place = (i, self.t + c * h);
            if !self.scheme.tail.evaluate(system, place, state, &mut self.progress)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Scaled norm of the error (theory, 8.9): the defect of the polynomial at the start, filtered along the constraints
    /// (equation IV.8.19) and as it is across them; none if the flow failed.
    fn estimate(&mut self, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Option<f64>> {
        self.scheme.error.copy_from_slice(&self.dx);
        let tableau = &self.scheme.tableau;
        for (weight, z) in tableau
            .start_slope
            .iter()
            .zip(self.scheme.z.chunks_exact(self.n.max(1)))
        {
            add_scaled(&mut self.scheme.error, -weight / h, z);
        }
        self.scheme
            .error
            .iter_mut()
            .for_each(|error| *error *= h / tableau.gamma);
        let Projected {
            stages,
            tail,
            error,
            across,
            structure,
            tableau,
            ..
        } = &mut self.scheme;
        // Apart before the filter, which would turn an opening of rounding size into a jump of stiff components.
        across.copy_from_slice(&error[..structure.coupled]);
        let done = stages.make_tangent(algebraic(flow)?, error);
        if !self.progress.survives(self.t, done)? {
            return Ok(None);
        }
        add_scaled(across, -1.0, &error[..structure.coupled]);
        stages.filter(tableau, h, error);
        for variation in error.chunks_exact_mut(structure.block.max(1)).skip(1) {
            tail.factors.filter(tableau, h, variation);
        }
        Ok(Some(self.error_norm(h, tol)))
    }

    /// Norm of the error along the constraints, and of the part across them as far as it is more than rounding.
    fn error_norm(&self, h: f64, tol: &Tolerance) -> f64 {
        let Structure { repaired, rates, .. } = &self.scheme.structure;
        let [others, of_rates] = self.floors([ROUNDING_ACROSS; 2]).map(|(_, floor)| floor);
        let weight = |i: usize| {
            self.scheme.weights[i]
                * if *repaired {
                    1.0
                } else {
                    self.scheme.structure.weakening(i, h)
                }
        };
        let along = self.scheme.error.iter().enumerate().map(|(i, error)| error * weight(i));
        let across = self.scheme.across.iter().enumerate().map(|(i, error)| {
            let floor = if rates.contains(&i) { of_rates } else { others };
            error * weight(i).min(1.0 / floor)
        });
        (along.chain(across).map(|e| e * e).sum::<f64>() / tol.controlled().max(1) as f64).sqrt()
    }

    /// Writes the polynomial through the start and the stages, which ends at the projected state.
    pub(super) fn collocate(&self, h: f64, output: &mut DenseOutput) {
        let (n, s) = (self.n, self.scheme.tableau.stages);
        let coefficients = output.resize(self.t, h, n, s);
        let (first, rest) = coefficients.split_at_mut(n);
        first.copy_from_slice(&self.x);
        rest.fill(0.0);
        for (row, weights) in rest
            .chunks_exact_mut(n.max(1))
            .zip(self.scheme.tableau.nested.chunks_exact(s))
        {
            for (weight, z) in weights.iter().zip(self.scheme.z.chunks_exact(n.max(1))) {
                row.iter_mut().zip(z).for_each(|(slot, z)| *slot += weight * z);
            }
        }
        for (slot, (x_new, x)) in rest.iter_mut().zip(self.x_new.iter().zip(&self.x)) {
            *slot = x_new - x;
        }
    }
}

/// Increments of a step by `h` from the end of a polynomial that goes on.
fn extrapolate(before: &DenseOutput, c: &[f64], h: f64, state: &mut [f64], z: &mut [f64]) {
    let end = before.end();
    before.evaluate(end, state);
    for (z, c) in z.chunks_exact_mut(state.len().max(1)).zip(c) {
        before.evaluate(end + c * h, z);
        z.iter_mut().zip(&*state).for_each(|(z, x)| *z -= x);
    }
}
