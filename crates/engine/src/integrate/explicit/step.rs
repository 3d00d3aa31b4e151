//! The arithmetic of one explicit step: stages, end, error estimate, interpolant.

use super::dormand_prince::{A, C, DENSE, DENSE_STAGES, LAST, STAGES, STEP, STEP_STAGES};
use super::{Block, ExplicitStepper, LANES};
use crate::error::Result;
use crate::integrate::{Attempt, DenseOutput, Flow, Tolerance};
use crate::linear::pairs;
use crate::scalar::each;

/// Degree of the interpolant.
const DEGREE: usize = 7;

impl ExplicitStepper {
    /// Derivative at the given stage.
    pub(super) fn stage_derivative(&self, stage: usize) -> &[f64] {
        &self.k[stage * self.x.len()..].as_flattened()[..self.n]
    }

    /// All stages of a step from the loaded state.
    pub(super) fn compute(&mut self, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Attempt> {
        for stage in 1..STAGES {
            if !self.evaluate_stage(flow, stage, h)? {
                return Ok(Attempt::NotFinite);
            }
        }
        self.combine_step(h);
        let (n, t_new) = (self.n, self.t + h);
        let x_new = &self.x_new.as_flattened()[..n];
        if !self.progress.all_finite(t_new, x_new, "state") {
            return Ok(Attempt::NotFinite);
        }
        let error = self.error(h, tol);
        if error < 1.0 {
            let x_new = &mut self.x_new.as_flattened_mut()[..n];
            if !self.progress.project(flow, t_new, x_new)? {
                return Ok(Attempt::NotFinite);
            }
            let x_new = &self.x_new.as_flattened()[..n];
            let dx = &mut self.k[LAST * self.x.len()..].as_flattened_mut()[..n];
            if !self.progress.evaluate(flow, t_new, x_new, dx)? {
                return Ok(Attempt::NotFinite);
            }
        }
        Ok(if error.is_finite() {
            Attempt::Done { error }
        } else {
            Attempt::NotFinite
        })
    }

    /// State and derivative of one stage; false if the flow failed there.
    #[inline]
    pub(super) fn evaluate_stage(&mut self, flow: &mut dyn Flow, stage: usize, h: f64) -> Result<bool> {
        let blocks = self.x.len();
        let (stages, x) = (&mut self.stage[..blocks], &self.x[..blocks]);
        for block in 0..blocks {
            let k = &self.k[block..];
            let mut sum = [0.0; LANES];
            for &(stage, coefficient) in A[stage] {
                add(&mut sum, coefficient, &k[stage * blocks]);
            }
            stages[block] = each(|lane| x[block][lane] + h * sum[lane]);
        }
        let x = &self.stage.as_flattened()[..self.n];
        let dx = &mut self.k[stage * blocks..].as_flattened_mut()[..self.n];
        self.progress.evaluate(flow, self.t + C[stage] * h, x, dx)
    }

    /// End of the step and error estimates in one pass over the stages.
    fn combine_step(&mut self, h: f64) {
        let blocks = self.x.len();
        let [fifth, third] = &mut self.errors;
        for (block, x) in self.x.iter().enumerate() {
            let sums = weighted_sums(&STEP_STAGES, &STEP, &self.k[block..], blocks);
            self.x_new[block] = each(|lane| x[lane] + h * sums[0][lane]);
            [_, fifth[block], third[block]] = sums;
        }
    }

    /// Combined error estimate (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, equation II.10.17).
    fn error(&self, h: f64, tol: &Tolerance) -> f64 {
        let (x, x_new) = (self.x.as_flattened(), self.x_new.as_flattened());
        let [fifth, third] = self.errors.each_ref().map(|e| e.as_flattened());
        let (mut fifth_square, mut third_square) = (0.0, 0.0);
        for (i, atol) in tol.atol().iter().enumerate() {
            let weight = 1.0 / (atol + tol.rtol() * x[i].abs().max(x_new[i].abs()));
            fifth_square += (fifth[i] * weight) * (fifth[i] * weight);
            third_square += (third[i] * weight) * (third[i] * weight);
        }
        let denominator = (fifth_square + 0.01 * third_square) * tol.controlled() as f64;
        if denominator == 0.0 {
            return 0.0;
        }
        h.abs() * fifth_square / denominator.sqrt()
    }

    /// Writes the interpolant; needs all stages.
    pub(super) fn fill(&self, h: f64, output: &mut DenseOutput) {
        let (n, blocks) = (self.n, self.x.len());
        let (x, x_new) = (self.x.as_flattened(), self.x_new.as_flattened());
        let (first, last) = (self.stage_derivative(0), self.stage_derivative(LAST));
        let coefficients = output.resize(self.t, h, n, DEGREE);
        for i in 0..n {
            let change = x_new[i] - x[i];
            let bend = h * first[i] - change;
            coefficients[i] = x[i];
            coefficients[n + i] = change;
            coefficients[2 * n + i] = bend;
            coefficients[3 * n + i] = change - h * last[i] - bend;
        }
        for block in 0..blocks {
            let sums = weighted_sums(&DENSE_STAGES, &DENSE, &self.k[block..], blocks);
            let (start, end) = (block * LANES, n.min((block + 1) * LANES));
            for (row, sum) in sums.iter().enumerate() {
                let out = &mut coefficients[(4 + row) * n..][start..end];
                pairs(out, sum, |out, sum| *out = h * sum);
            }
        }
    }
}

/// Several weighted sums of the same stage derivatives, for the first block of `k`.
#[inline]
fn weighted_sums<const SUMS: usize>(
    stages: &[usize],
    weights: &[[f64; SUMS]],
    k: &[Block],
    blocks: usize,
) -> [Block; SUMS] {
    let mut sums = [[0.0; LANES]; SUMS];
    for (i, stage) in stages.iter().enumerate() {
        pairs(&mut sums, &weights[i], |sum, weight| {
            add(sum, *weight, &k[stage * blocks]);
        });
    }
    sums
}

#[inline]
fn add(sum: &mut Block, weight: f64, k: &Block) {
    for lane in 0..LANES {
        sum[lane] += weight * k[lane];
    }
}
