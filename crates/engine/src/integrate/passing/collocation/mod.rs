//! Collocation in the mean at Gauss-Legendre nodes, for single long steps over a place near which the flow carries noise
//! (theory, 8.1; collocation: Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.7).
//!
//! The derivative of the solution is the polynomial of degree 19 that is nearest to the flow at 24 nodes, each weighted by
//! how far from the place it lies. The stages are found by fixed-point iteration, each from the newest derivatives. The
//! highest coefficients of the polynomial tell the error: a derivative that is not resolved and noise in it show there.

mod legendre;
mod stages;
mod tables;

pub(super) use self::tables::BEYOND;

use self::legendre::{DEGREE, NODES};
use self::stages::integrate;
use self::tables::Tables;
use super::Singular;
use crate::integrate::attempt::Tried;
use crate::integrate::scheme::Ends;
use crate::integrate::{DenseOutput, Tolerance};
use crate::linear::add_scaled;

/// Coefficients of noise are of one size; those of a smooth flow that is resolved fall by more than this over two degrees.
const FALL: f64 = 4.0;

/// Distance of a rough place from the middle of a step, over its length, beyond which it tells nothing about the step.
const FAR: f64 = 1.0;

/// The method.
#[derive(Clone, Debug)]
pub(super) struct Collocation {
    tables: Box<Tables>,
    /// Start and size of the latest attempt.
    span: (f64, f64),
    /// Written by `compute`: what the projection changed at the end.
    shift: Vec<f64>,
    /// Written by `compute`: derivative at the start.
    dx: Vec<f64>,
    /// Written by `compute`: states and derivatives of the stages, stage i at i * n.
    stages: Vec<f64>,
    slopes: Vec<f64>,
    /// Written by `compute`: regularity of the flow at each stage, or NaN.
    regularity: [f64; NODES],
    /// Written by `compute`: what the two highest coefficients contribute to the error, and the two below them.
    contributions: [f64; 2],
    /// Time of the rough place, where known, for the next attempts.
    pub place: Option<f64>,
    /// Whether nodes lie beyond the end of the step that is nearer to it.
    pub beyond: bool,
    /// Scratch: a state.
    state: Vec<f64>,
}

impl Collocation {
    /// For `n` components; allocates everything it will ever need.
    pub fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            tables: Box::new(Tables::new()),
            span: (0.0, 0.0),
            shift: zeros(),
            dx: zeros(),
            stages: vec![0.0; n * NODES],
            slopes: vec![0.0; n * NODES],
            regularity: [f64::NAN; NODES],
            contributions: [0.0; 2],
            place: None,
            beyond: false,
            state: zeros(),
        }
    }

    /// Lets nodes lie beyond the end of a step from `t` where a rough place is so close to one, on either side of it, and the flow is
    /// known there.
    pub fn straddle(&mut self, flow: &dyn Singular, t: f64, h: f64) {
        let theta = self.place.map(|place| (place - t) / h);
        let close = theta.filter(|theta| ((theta - 0.5).abs() - 0.5).abs() < BEYOND);
        let farthest = |theta: f64| if theta < 0.5 { -BEYOND } else { 1.0 + BEYOND };
        self.beyond = close.is_some_and(|theta| flow.extends(t + farthest(theta) * h));
    }

    /// Looks for a rough place within a step, at the price of one evaluation per node.
    pub fn find_rough_place(&mut self, ends: &mut Ends, flow: &mut dyn Singular, h: f64) -> Tried<Option<f64>> {
        self.place = None;
        self.predict(ends, flow, h)?;
        Ok(self.located())
    }

    /// Whether noise, rather than its length, limits the latest attempt: a step from nearer would not be better.
    pub fn meets_noise(&self) -> bool {
        let [highest, below] = self.contributions;
        highest.is_finite() && below < FALL * highest
    }

    /// Regularity of the flow near the end of the latest attempt; not a number where the system cannot tell.
    pub fn regularity_at_end(&self) -> f64 {
        self.regularity[NODES - 1]
    }

    /// About when the latest attempt passes a rough place: in its middle where nothing tells.
    pub fn passes(&self) -> f64 {
        let (t, h) = self.span;
        self.place.or(self.located()).unwrap_or(t + 0.5 * h)
    }

    /// Time at which the regularity of the flow vanishes, from lines through two nodes of the latest attempt on either side of it, or
    /// on one where it is least next to an end.
    pub fn located(&self) -> Option<f64> {
        let (t, h) = self.span;
        let (nodes, value) = (&self.tables.nodes, &self.regularity);
        let least = (0..NODES).min_by(|&i, &j| value[i].total_cmp(&value[j]))?;
        let zero = |i: usize, j: usize| nodes[i] - value[i] * (nodes[j] - nodes[i]) / (value[j] - value[i]);
        let left = (least >= 2).then(|| zero(least - 2, least - 1));
        let right = (least + 2 < NODES).then(|| zero(least + 2, least + 1));
        let theta = match (left, right) {
            (Some(left), Some(right)) => {
                let gap = nodes[least + 1] - nodes[least - 1];
                ((left - right).abs() < gap).then_some(0.5 * (left + right))
            }
            (left, right) => left.or(right).filter(|theta| (theta - 0.5).abs() < FAR),
        };
        theta.map(|theta| t + theta * h)
    }

    /// What noise as large as two coefficients of the derivative does to the end of the step, over the tolerance.
    fn contribution(&self, pair: &[[f64; NODES]; 2], x_new: &[f64], h: f64, tol: &Tolerance) -> f64 {
        let coefficient = |row: &[f64; NODES], i: usize| -> f64 {
            let slopes = self.slopes.iter().skip(i).step_by(x_new.len());
            row.iter().zip(slopes).map(|(weight, slope)| weight * slope).sum()
        };
        let [second, last] = pair;
        let scale = h * std::f64::consts::FRAC_1_SQRT_2;
        tol.norm(x_new, |i| scale * coefficient(second, i).hypot(coefficient(last, i)))
    }

    /// Solves a step from its start and returns its estimated error over the tolerance.
    pub fn compute(&mut self, ends: &mut Ends, flow: &mut dyn Singular, h: f64, tol: &Tolerance) -> Tried<f64> {
        self.contributions = [f64::NAN; 2];
        self.predict(ends, flow, h)?;
        let change = self.sweeps(ends, flow, h, tol)?;
        integrate(&ends.x, h, &self.tables.to_end, &self.slopes, &mut ends.x_new);
        let pairs = &self.tables.highest;
        self.contributions = [0, 1].map(|k| self.contribution(&pairs[k], &ends.x_new, h, tol));
        let error = change.max(self.contributions[0]);
        ends.progress.finite(ends.t + h, &ends.x_new, "state")?;
        self.shift.copy_from_slice(&ends.x_new);
        ends.conclude(flow, h, error)?;
        for (shift, x) in self.shift.iter_mut().zip(&ends.x_new) {
            *shift = x - *shift;
        }
        Ok(error)
    }

    /// Writes the interpolant of the latest attempt, which is acceptable, at the price of no evaluation.
    pub fn interpolate(&mut self, ends: &Ends, h: f64, output: &mut DenseOutput) {
        let n = ends.n;
        let coefficients = output.resize(ends.t, h, n, DEGREE);
        coefficients.fill(0.0);
        coefficients[..n].copy_from_slice(&ends.x);
        coefficients[n..2 * n].copy_from_slice(&self.shift);
        for (weights, nested) in self.tables.spectrum.iter().zip(&self.tables.nested) {
            self.state.fill(0.0);
            for (weight, slope) in weights.iter().zip(self.slopes.chunks_exact(n.max(1))) {
                add_scaled(&mut self.state, *weight, slope);
            }
            for (row, factor) in coefficients.chunks_exact_mut(n.max(1)).zip(nested) {
                add_scaled(row, h * factor, &self.state);
            }
        }
    }
}
