//! The closed configuration nearest to the guess, from one that is closed: Newton steps on the optimality conditions
//! W^2 (q - guess) + C^T mu = 0, c = 0 (theory, 5.2), and where these fail, a walk along the constraints to where they work.

use nalgebra::DVector;

use super::positions::{CLOSED, LEAST_WEIGHT, Problem, weight};
use super::{bars, relative_opening};
use crate::linear::max_abs;
use crate::model::Terms;

/// Steps of a walk.
const MOST_STEPS: usize = 200;

/// Halvings of a step of a walk.
const MOST_HALVINGS: usize = 20;

/// Relative growth of the squared distance that is rounding.
const ROUNDING: f64 = 1e-12;

impl Problem<'_> {
    /// Moves a closed configuration to the one nearest to the guess; false if that was not found, and the configuration is
    /// the nearest of those on the way.
    pub fn nearest(&self, q: &mut Vec<f64>, terms: &mut Terms) -> bool {
        if self.improve(q, terms) {
            return true;
        }
        self.walk(q, terms);
        self.improve(q, terms)
    }

    /// Newton steps that count only when they end no farther from the guess, with every bar along its angle.
    fn improve(&self, q: &mut Vec<f64>, terms: &mut Terms) -> bool {
        let mut found = q.clone();
        let bound = self.squared_distance(q) * (1.0 + ROUNDING) + (ROUNDING * max_abs(q)).powi(2);
        let optimal = self.optimize(&mut found, terms);
        let improved = optimal && self.squared_distance(&found) <= bound && self.is_closed(&found, terms);
        if improved {
            *q = found;
        }
        improved
    }

    /// Goes towards the guess along the constraints: steps without curvature, each closed again, halved until they come
    /// nearer.
    fn walk(&self, q: &mut Vec<f64>, terms: &mut Terms) {
        for _ in 0..MOST_STEPS {
            self.assemble(q, terms);
            let system = self.system(q, terms, LEAST_WEIGHT, None);
            let Some((step, _)) = system.and_then(|system| system.solve(&self.pull_to_guess(q), |_| 0.0)) else {
                return;
            };
            let Some(next) = self.nearer(q, &step, terms) else {
                return;
            };
            *q = next;
        }
    }

    /// The closed configuration after the longest of the step, its half, its quarter, ... that comes nearer to the guess.
    fn nearer(&self, q: &[f64], step: &DVector<f64>, terms: &mut Terms) -> Option<Vec<f64>> {
        let bound = self.squared_distance(q) * (1.0 - ROUNDING);
        let mut fraction = 1.0;
        for _ in 0..MOST_HALVINGS {
            let mut next = q.to_vec();
            for (k, &i) in self.free.iter().enumerate() {
                next[i] += fraction * step[k];
            }
            self.approach(&mut next, false, terms);
            if self.squared_distance(&next) < bound && self.is_closed(&next, terms) {
                return Some(next);
            }
            fraction *= 0.5;
        }
        None
    }

    /// |W (q - guess)|^2.
    fn squared_distance(&self, q: &[f64]) -> f64 {
        let part = |&i: &usize| weight(self.model, i) * (q[i] - self.guess[i]).powi(2);
        self.free.iter().map(part).sum()
    }

    /// Whether every constraint is closed and every bar lies along its angle.
    pub(super) fn is_closed(&self, q: &[f64], terms: &Terms) -> bool {
        relative_opening(self.model, self.mode, self.t, q, &terms.numbers) <= CLOSED
            && bars::check(self.model, self.mode, q, &terms.numbers).is_ok()
    }

    /// Newton steps on the optimality conditions; true when they converge.
    fn optimize(&self, q: &mut [f64], terms: &mut Terms) -> bool {
        let mut multipliers: Option<Vec<f64>> = None;
        let mut last = f64::INFINITY;
        for _ in 0..30 {
            self.assemble(q, terms);
            let Some(system) = self.system(q, terms, 0.0, multipliers.as_deref()) else {
                return false;
            };
            let Some((step, mu)) = system.solve(&self.pull_to_guess(q), |row| -terms.c[row]) else {
                return false;
            };
            let length = self.relative(&step, q, terms);
            for (k, &i) in self.free.iter().enumerate() {
                q[i] += step[k];
            }
            if length <= 1e-14 {
                return true;
            }
            // Once the step no longer shrinks it is rounding, or the conditions are not met near here.
            if length >= last {
                return length <= 1e-10;
            }
            last = length;
            multipliers = Some(system.by_row(&mu));
        }
        false
    }
}
