//! The stages of a step by collocation: first guess and fixed-point iteration.

use super::legendre::NODES;
use super::tables::Extrapolation;
use super::{Collocation, FAR};
use crate::integrate::attempt::{NOT_FINITE, Tried};
use crate::integrate::scheme::Ends;
use crate::integrate::{Singular, Tolerance};
use crate::linear::add_scaled;

/// Most sweeps over the stages; a step that is not found by then is too long.
const MOST_SWEEPS: usize = 60;

/// Change of a sweep, over the tolerance, at which the stages are found: the next would change them by less still.
const FOUND: f64 = 0.1;

/// A sweep that changes the stages by more than this fraction of the smallest change so far converges no further.
const STALLED: f64 = 0.7;

/// Sweeps without progress after which the iteration ends.
const MOST_STALLED: usize = 3;

impl Collocation {
    /// Iterates on the stages until rounding or noise is all that changes; the least change over the tolerance.
    pub(super) fn sweeps(&mut self, ends: &mut Ends, flow: &mut dyn Singular, h: f64, tol: &Tolerance) -> Tried<f64> {
        let (mut least, mut stalled) = (f64::INFINITY, 0);
        for _ in 0..MOST_SWEEPS {
            let change = self.sweep(ends, flow, h, tol)?;
            stalled = if change > STALLED * least { stalled + 1 } else { 0 };
            least = least.min(change);
            if change <= FOUND || stalled == MOST_STALLED {
                break;
            }
        }
        Ok(least)
    }

    /// First stages and their derivatives by extrapolation from one to the next.
    ///
    /// Stages far from the solution would be projected to a wrong branch of a singular position.
    pub(super) fn predict(&mut self, ends: &mut Ends, flow: &mut dyn Singular, h: f64) -> Tried {
        let Ends {
            n,
            t: start,
            ref x,
            ref mut progress,
            ..
        } = *ends;
        self.span = (start, h);
        let place = self.place.map(|place| (place - start) / h);
        self.tables
            .weigh_around(place.filter(|place| (place - 0.5).abs() < FAR), self.beyond);
        self.regularity.fill(f64::NAN);
        progress.evaluate(flow, start, x, &mut self.dx)?;
        for Extrapolation { stage, from } in &self.tables.predictor {
            let slope = |node: Option<usize>| node.map_or(&self.dx[..], |node| &self.slopes[node * n..][..n]);
            match from[0].0 {
                None => self.state.copy_from_slice(x),
                Some(before) => self.state.copy_from_slice(&self.stages[before * n..][..n]),
            }
            for &(node, weight) in from {
                add_scaled(&mut self.state, h * weight, slope(node));
            }
            let (stage, t) = (*stage, start + self.tables.nodes[*stage] * h);
            progress.evaluate(flow, t, &self.state, &mut self.slopes[stage * n..][..n])?;
            if let Some((_, regularity)) = flow.regularity().filter(|seen| seen.0 == t) {
                self.regularity[stage] = regularity;
            }
            self.stages[stage * n..][..n].copy_from_slice(&self.state);
        }
        Ok(())
    }

    /// Moves each stage to where the newest derivatives lead; the largest change over the tolerance.
    fn sweep(&mut self, ends: &mut Ends, flow: &mut dyn Singular, h: f64, tol: &Tolerance) -> Tried<f64> {
        let n = ends.n;
        let mut change: f64 = 0.0;
        for (weights, stage) in self.tables.to_node.iter().zip(self.stages.chunks_exact_mut(n.max(1))) {
            integrate(&ends.x, h, weights, &self.slopes, &mut self.state);
            change = change.max(tol.norm(&self.state, |i| self.state[i] - stage[i]));
            stage.copy_from_slice(&self.state);
        }
        for node in (0..NODES).filter(|&node| self.tables.counts[node]) {
            let (t, place) = (ends.t + self.tables.nodes[node] * h, node * n..(node + 1) * n);
            ends.progress
                .evaluate(flow, t, &self.stages[place.clone()], &mut self.slopes[place])?;
        }
        if change.is_finite() {
            Ok(change)
        } else {
            Err(NOT_FINITE)
        }
    }
}

/// out = x + h times the weighted sum of the slopes.
pub(super) fn integrate(x: &[f64], h: f64, weights: &[f64; NODES], slopes: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (weight, slope) in weights.iter().zip(slopes.chunks_exact(x.len().max(1))) {
        add_scaled(out, *weight, slope);
    }
    for (out, x) in out.iter_mut().zip(x) {
        *out = x + h * *out;
    }
}
