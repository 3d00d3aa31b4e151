//! The arithmetic of one step: stages, error estimate, interpolant.

use super::stages::StageEquations;
use super::variations::VariedStep;
use super::{Projected, Structure};
use std::ops::Range;

use crate::integrate::attempt::{Halt, NOT_FINITE, Tried};
use crate::integrate::scheme::Ends;
use crate::integrate::{Flow, Tolerance};
use crate::linear::{add_scaled, max_abs};

/// Rounding of a component over the size of the largest of its kind: the estimate magnifies that of the stages.
const ROUNDING: f64 = 50.0 * f64::EPSILON;

/// The same of weakened rates: position errors of rounding size ask for multipliers that grow with the inverse square of the
/// step size, whose impulses turn with the constraints within the step.
const ROUNDING_OF_WEAKENED: f64 = 2e3 * f64::EPSILON;

/// The same across the constraints, where it is magnified by the distance from a singular position too. Nothing accumulates
/// there.
const ROUNDING_ACROSS: f64 = 1.5e5 * f64::EPSILON;

impl Projected {
    /// Solves a step from its start and estimates its error.
    pub(super) fn step(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried<f64> {
        self.weigh(&ends.x, tol);
        self.solve(ends, flow, h, tol)?;
        self.evaluate_stages(ends, flow, h)?;
        self.quadratures.integrate(&self.tableau, h, &mut self.z);
        let step = VariedStep {
            t: ends.t,
            h,
            x: &ends.x,
            weights: &self.weights,
        };
        self.variations
            .solve(flow, &self.tableau, &step, &mut self.z, &mut ends.progress)?;
        ends.move_by(h, &self.z[(self.tableau.stages - 1) * ends.n..])?;
        let error = self.estimate(ends, flow, h, tol)?;
        let error = self.noise.without(h, error);
        ends.conclude(flow, h, error)
    }

    /// Newton iteration from the extrapolated polynomial; if that fails, with matrices of this step, then from a line.
    fn solve(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried {
        let mut extrapolates = !ends.first && ends.before.end() == ends.t && ends.before.reaches(h);
        loop {
            let rounding = self.floors(&ends.x, [ROUNDING; 2])[0].1;
            let Projected {
                stages,
                tableau,
                weights,
                state,
                z,
                ..
            } = &mut *self;
            let progress = &mut ends.progress;
            let step = StageEquations {
                t: ends.t,
                h,
                x: &ends.x,
                dx: &ends.dx,
                weights,
                rtol: tol.rtol(),
                rounding,
            };
            if extrapolates {
                tableau.extrapolate(&ends.before, h, state, z);
            } else {
                for (z, c) in z.chunks_exact_mut(ends.n.max(1)).zip(tableau.c) {
                    z.iter_mut().zip(&ends.dx).for_each(|(z, dx)| *z = c * h * dx);
                }
            }
            let (mut prepared, mut solved) = (Ok(()), Err(NOT_FINITE));
            flow.hessenberg(&mut |system| {
                prepared = stages.prepare(system, tableau, &step, progress);
                if prepared.is_ok() {
                    solved = stages.solve(system, tableau, &step, z, progress);
                }
                Ok(())
            })?;
            prepared?;
            match solved {
                Ok(convergence) => {
                    self.convergence = convergence;
                    return Ok(());
                }
                Err(Halt::Attempt(_)) if stages.renew() || extrapolates => (),
                Err(halt) => return Err(halt),
            }
            extrapolates &= self.stages.is_due();
        }
    }

    /// Inverse of the error allowed per component: that of the tolerance, but of the rates and of what they are rates of no
    /// less than the rounding of the largest.
    fn weigh(&mut self, x: &[f64], tol: &Tolerance) {
        for (i, (weight, x)) in self.weights.iter_mut().zip(x).enumerate() {
            *weight = 1.0 / tol.scale(i, x.abs());
        }
        let of_rates = if self.structure.weakened {
            ROUNDING_OF_WEAKENED
        } else {
            ROUNDING
        };
        for (kind, floor) in self.floors(x, [ROUNDING, of_rates]) {
            for weight in &mut self.weights[kind] {
                *weight = weight.min(1.0 / floor);
            }
        }
    }

    /// Errors of what the rates are rates of, and of the rates, that are fractions of the largest of the kind.
    fn floors(&self, x: &[f64], [of_others, of_rates]: [f64; 2]) -> [(Range<usize>, f64); 2] {
        let rates = self.structure.rates.clone();
        let floor = |kind: Range<usize>, fraction: f64| (kind.clone(), fraction * max_abs(&x[kind]));
        if rates.is_empty() {
            [(0..0, 0.0), (0..0, 0.0)]
        } else {
            [floor(0..rates.start, of_others), floor(rates, of_rates)]
        }
    }

    /// Makes the stages consistent and evaluates the quadratures there.
    fn evaluate_stages(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64) -> Tried {
        if self.structure.repaired {
            self.refine(ends, flow, h)?;
            self.repair(ends, flow, h)?;
        }
        let needed = !self.structure.quadratures.is_empty();
        for i in (0..self.tableau.stages).filter(|_| needed) {
            let t = self.load_stage(i, ends, h);
            let (quadratures, state, mut done) = (&mut self.quadratures, &self.state, Ok(()));
            flow.hessenberg(&mut |system| {
                done = quadratures.evaluate(system, (i, t), state, &mut ends.progress);
                Ok(())
            })?;
            done?;
        }
        Ok(())
    }

    /// Scaled norm of the error (theory, 8.9): the defect of the polynomial at the start, filtered along the constraints
    /// (equation IV.8.19) and as it is across them.
    fn estimate(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried<f64> {
        let Self {
            stages,
            variations,
            error,
            across,
            structure,
            tableau,
            z,
            ..
        } = &mut *self;
        tableau.defect(&ends.dx, h, z, error);
        error.iter_mut().for_each(|error| *error *= h / tableau.gamma);
        // Apart before the filter, which would turn an opening of rounding size into a jump of stiff components.
        across.copy_from_slice(&error[..structure.coupled]);
        let done = flow.hessenberg(&mut |system| stages.make_tangent(system, error));
        ends.progress.survive(ends.t, done)?;
        add_scaled(across, -1.0, &error[..structure.coupled]);
        stages.filter(tableau, h, error);
        variations.filter(tableau, h, &mut error[structure.block..]);
        Ok(self.error_norm(&ends.x, h, tol))
    }

    /// Norm of the error along the constraints, and of the part across them as far as it is more than rounding.
    fn error_norm(&self, x: &[f64], h: f64, tol: &Tolerance) -> f64 {
        let Structure { repaired, rates, .. } = &self.structure;
        let [others, of_rates] = self.floors(x, [ROUNDING_ACROSS; 2]).map(|(_, floor)| floor);
        let weakening = |i| if *repaired { 1.0 } else { self.structure.weakening(i, h) };
        let weight = |i: usize| self.weights[i] * weakening(i);
        let along = self.error.iter().enumerate().map(|(i, error)| error * weight(i));
        let across = self.across.iter().enumerate().map(|(i, error)| {
            let floor = if rates.contains(&i) { of_rates } else { others };
            error * weight(i).min(1.0 / floor)
        });
        (along.chain(across).map(|e| e * e).sum::<f64>() / tol.controlled().max(1) as f64).sqrt()
    }
}
