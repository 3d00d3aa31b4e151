//! The arithmetic of one explicit step: stages, end, error estimate, interpolant.

use super::dormand_prince::{A, C, DENSE, DENSE_STAGES, STAGES, STEP, STEP_STAGES};
use super::{Block, DormandPrince, LANES};
use crate::integrate::attempt::Tried;
use crate::integrate::scheme::{Ends, Scheme};
use crate::integrate::{DenseOutput, Flow, Tolerance};
use crate::linear::pairs;
use crate::scalar::each;

/// Step size times the largest eigenvalue from which on a step is too long: the interpolant is off by some ten times the estimate of
/// the error at -4, by a thousand at -20, and the estimate has a zero at -5.65.
const TOO_LONG: f64 = 4.0;

/// The same to which such a step is shortened.
const SHORTENED: f64 = 3.4;

/// The same of steps that would be longer if they were not to remain stable.
const KEPT_SHORT: f64 = 3.0;

/// Growth to the longest step known to be stable, from which down a step is kept short by it.
const KEPT: f64 = 1.5;

/// Error over the tolerance below which no interpolant is off by more than it.
const NOTICED: f64 = 1e-3;

/// Error over the tolerance that may be rounding.
const ROUNDING: f64 = 1e-6;

/// Growth of the step size up to which an interpolant is about as good as that of the step before, where the flow is the stiffer the
/// nearer to the start.
const FAMILIAR: f64 = 2.0;

/// Defect over the tolerance up to which an interpolant serves: first steps of smooth motions have up to this much.
const MOST_DEFECT: f64 = 10.0;

/// Part of the step at which the defect of the interpolant is about largest.
const DEFECTIVE: f64 = 0.73;

/// Degree of the interpolant.
const DEGREE: usize = 7;

impl DormandPrince {
    /// Derivative at the given stage.
    pub(super) fn stage_derivative_mut(&mut self, stage: usize) -> &mut [f64] {
        &mut self.k[stage * self.x.len()..].as_flattened_mut()[..self.n]
    }

    /// All stages of a step, its end and its error.
    pub(super) fn step(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried<f64> {
        self.x.as_flattened_mut()[..self.n].copy_from_slice(&ends.x);
        self.stage_derivative_mut(0).copy_from_slice(&ends.dx);
        for stage in 1..STAGES {
            self.evaluate_stage(ends, flow, stage, h)?;
        }
        self.combine_step(h, &mut ends.x_new);
        ends.progress.finite(ends.t + h, &ends.x_new, "state")?;
        let error = self.error(ends, h, tol);
        let error = ends.conclude(flow, h, error)?;
        self.most_growth = (self.longest / h.abs()).max(1.0);
        if error >= 1.0 {
            return Ok(error);
        }
        let stiffness = h.abs() * self.fastest_decay(ends);
        if error > NOTICED && stiffness > TOO_LONG {
            self.longest = h.abs() * SHORTENED / stiffness;
            return Ok((stiffness / SHORTENED).powi(8));
        }
        if flow.begins_stiff() && h.abs() > FAMILIAR * self.before {
            let defect = self.defect(ends, flow, h)?;
            let (longer, before) = self.refused;
            // One that does not fall with the step size is that of a projected end.
            if defect > MOST_DEFECT && (h.abs() >= longer || defect < 0.5 * before) {
                self.refused = (h.abs(), defect);
                return Ok(defect / MOST_DEFECT);
            }
        }
        if self.most_growth < KEPT || error > ROUNDING && stiffness > KEPT_SHORT {
            ends.progress.statistics.at_stability += 1;
        }
        Ok(error)
    }

    /// Defect of the interpolant over the tolerance where it is about largest, with one more evaluation there: at the stages it
    /// has none, whatever the step.
    fn defect(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64) -> Tried<f64> {
        self.extend(ends, flow, h)?;
        let (mut within, t) = (std::mem::take(&mut self.within), ends.t + DEFECTIVE * h);
        self.fill(ends, h, &mut within);
        self.inside.iter_mut().for_each(|part| part.resize(self.n, 0.0));
        let [state, slope, known] = &mut self.inside;
        within.evaluate(t, state);
        within.derivative(t, slope);
        self.within = within;
        ends.progress.evaluate(flow, t, state, known)?;
        let scaled = |((slope, known), weight): ((&f64, &f64), &f64)| h * (slope - known) * weight;
        let square = slope.iter().zip(&*known).zip(&self.weights).map(scaled).map(|e| e * e);
        Ok((square.sum::<f64>() / self.n.max(1) as f64).sqrt())
    }

    /// Estimate of the largest eigenvalue of the Jacobian (1/s) of an acceptable step: slopes over states, at the end and at
    /// the last stage (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.2).
    fn fastest_decay(&self, ends: &Ends) -> f64 {
        let (stage, slope) = (
            self.stage.as_flattened(),
            self.k[(STAGES - 1) * self.x.len()..].as_flattened(),
        );
        let (mut slopes, mut states) = (0.0, 0.0);
        for (i, weight) in self.weights.iter().enumerate() {
            let [by_slope, by_state] =
                [ends.dx_new[i] - slope[i], ends.x_new[i] - stage[i]].map(|change| change * weight);
            slopes += by_slope * by_slope;
            states += by_state * by_state;
        }
        (slopes / states.max(f64::MIN_POSITIVE)).sqrt()
    }

    /// State and derivative of one stage.
    #[inline]
    pub(super) fn evaluate_stage(&mut self, ends: &mut Ends, flow: &mut dyn Flow, stage: usize, h: f64) -> Tried {
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
        ends.progress.evaluate(flow, ends.t + C[stage] * h, x, dx)
    }

    /// End of the step and error estimates in one pass over the stages.
    fn combine_step(&mut self, h: f64, x_new: &mut [f64]) {
        let blocks = self.x.len();
        let [fifth, third] = &mut self.errors;
        for (block, (x, x_new)) in self.x.iter().zip(x_new.chunks_mut(LANES)).enumerate() {
            let sums = weighted_sums(&STEP_STAGES, &STEP, &self.k[block..], blocks);
            let end: Block = each(|lane| x[lane] + h * sums[0][lane]);
            x_new.copy_from_slice(&end[..x_new.len()]);
            [_, fifth[block], third[block]] = sums;
        }
    }

    /// Combined error estimate (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, equation II.10.17). Components of
    /// a flow whose coefficients pulse have theirs each: an error of order 5 is seen there that those of order 3 of all the others, many
    /// tolerances large, would hide.
    fn error(&mut self, Ends { x, x_new, .. }: &Ends, h: f64, tol: &Tolerance) -> f64 {
        let [fifth, third] = self.errors.each_ref().map(|e| e.as_flattened());
        let (mut fifth_square, mut third_square) = (0.0, 0.0);
        for (i, atol) in tol.atol().iter().enumerate() {
            let weight = 1.0 / (atol + tol.rtol() * x[i].abs().max(x_new[i].abs()));
            self.weights[i] = weight;
            fifth_square += (fifth[i] * weight) * (fifth[i] * weight);
            third_square += (third[i] * weight) * (third[i] * weight);
        }
        if self.by_component {
            let own = |(i, weight): (usize, &f64)| {
                let [fifth, third] = [fifth[i], third[i]].map(|error| (error * weight) * (error * weight));
                fifth * (fifth / (fifth + 0.01 * third).max(f64::MIN_POSITIVE))
            };
            let square: f64 = self.weights.iter().enumerate().map(own).sum();
            return h.abs() * (square / tol.controlled() as f64).sqrt();
        }
        let denominator = (fifth_square + 0.01 * third_square) * tol.controlled() as f64;
        if denominator == 0.0 {
            return 0.0;
        }
        h.abs() * fifth_square / denominator.sqrt()
    }

    /// Writes the interpolant; needs all stages.
    pub(super) fn fill(&self, ends: &Ends, h: f64, output: &mut DenseOutput) {
        let (n, blocks) = (self.n, self.x.len());
        let coefficients = output.resize(ends.t, h, n, DEGREE);
        ends.fill_cubic(h, coefficients);
        for block in 0..blocks {
            let sums = weighted_sums(&DENSE_STAGES, &DENSE, &self.k[block..], blocks);
            let (start, end) = (block * LANES, n.min((block + 1) * LANES));
            for (row, sum) in sums.iter().enumerate() {
                let out = &mut coefficients[(4 + row) * n..][start..end];
                pairs(out, &sum[..end - start], |out, sum| *out = h * sum);
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
