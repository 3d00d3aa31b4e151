//! Rates of stages that have lost an order, and their digits, to hidden constraints (index 3; theory, 8.7 and 8.8).
//!
//! Rounding of the constraints asks for multipliers that grow with the inverse square of the step size. Their impulses lie
//! across the constraints, but those of one stage not quite across those of another, nor across those of the start of the
//! step, along which the iteration corrects them.

use super::{HessenbergStepper, Projected, algebraic};
use crate::error::Result;
use crate::integrate::Flow;
use crate::linear::add_scaled;

impl HessenbergStepper {
    /// Makes the rates of the stages the integrals of the underlying equation: across the constraints of each stage as they
    /// are, along them, where the equation may be stiff, by the matrices of the step. False if that failed.
    pub(super) fn refine(&mut self, flow: &mut dyn Flow, h: f64) -> Result<bool> {
        for i in 0..self.scheme.tableau.stages {
            if !self.find_defect(flow, h, i)? {
                return Ok(false);
            }
        }
        let (s, n, rates) = (self.scheme.tableau.stages, self.n, self.scheme.structure.rates.clone());
        let Projected {
            tableau,
            stages,
            z,
            slopes,
            ..
        } = &mut self.scheme;
        let increments = stages.answer(tableau);
        for (z, increment) in z.chunks_exact_mut(n).zip(increments) {
            add_scaled(&mut z[rates.clone()], 1.0, &increment[rates.clone()]);
        }
        for (z, weights) in z.chunks_exact_mut(n).zip(tableau.integrals.chunks_exact(s)) {
            for (weight, slope) in weights.iter().zip(slopes.chunks_exact(rates.len().max(1))) {
                add_scaled(&mut z[rates.clone()], h * weight, slope);
            }
        }
        Ok(true)
    }

    /// Difference of the underlying equation and the polynomial in the rates of a stage, its part across the constraints in
    /// `slopes`, the rest asked of the matrices; false if that failed.
    fn find_defect(&mut self, flow: &mut dyn Flow, h: f64, i: usize) -> Result<bool> {
        let (s, n, rates) = (self.scheme.tableau.stages, self.n, self.scheme.structure.rates.clone());
        let t = self.t + self.scheme.tableau.c[i] * h;
        self.scheme.load_stage(i, &self.x);
        let Projected {
            tableau,
            state,
            slopes,
            z,
            error,
            stages,
            ..
        } = &mut self.scheme;
        let done = algebraic(flow)?.make_consistent(t, state);
        if !self.progress.survives(t, done)? || !self.progress.evaluate(flow, t, state, error)? {
            return Ok(false);
        }
        for (weight, z) in tableau.slopes[i * s..(i + 1) * s].iter().zip(z.chunks_exact(n)) {
            add_scaled(&mut error[rates.clone()], -weight / h, &z[rates.clone()]);
        }
        error[..rates.start].fill(0.0);
        let slope = &mut slopes[i * rates.len()..(i + 1) * rates.len()];
        slope.copy_from_slice(&error[rates.clone()]);
        let done = algebraic(flow)?.make_tangent(t, state, error);
        if !self.progress.survives(t, done)? {
            return Ok(false);
        }
        add_scaled(slope, -1.0, &error[rates.clone()]);
        stages.ask(i, &error[..rates.end]);
        Ok(true)
    }

    /// Moves the rates of the stages onto the hidden constraints (theory, 8.7); false if that failed.
    pub(super) fn repair(&mut self, flow: &mut dyn Flow, h: f64) -> Result<bool> {
        let rates = self.scheme.structure.rates.clone();
        for i in 0..self.scheme.tableau.stages {
            let t = self.t + self.scheme.tableau.c[i] * h;
            self.scheme.load_stage(i, &self.x);
            let done = algebraic(flow)?.make_consistent(t, &mut self.scheme.state);
            if !self.progress.survives(t, done)? {
                return Ok(false);
            }
            let z = &mut self.scheme.z[i * self.n..];
            for j in rates.clone() {
                z[j] = self.scheme.state[j] - self.x[j];
            }
        }
        Ok(true)
    }
}
