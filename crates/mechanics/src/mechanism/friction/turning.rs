//! Slip in space at the end of a stage of an impact: its direction is that of the velocity that it leads to (theory, 4.2).

use super::outcome::{Does, Impact, Kind, Outcome};
use crate::linear::Lu;
use crate::model::tangential::{direction, inner, size};

/// Deviation of a direction, in radians, that is rounding where the slip is as fast as what it is made of.
const ENOUGH: f64 = 1e-15;

/// Newton steps; each squares the deviation.
const MOST_STEPS: usize = 40;

/// Directions that the search begins with where the slip velocity before does not lead to the one after.
const STARTS: usize = 48;

/// Change of an angle for a difference quotient: the slope of Newton's method alone depends on it.
const STEP: f64 = 1e-6;

impl Impact<'_> {
    /// Contacts that slip in a direction that is sought.
    pub(super) fn turning(&self, does: &[Does]) -> Vec<usize> {
        let turns = |&k: &usize| self.contacts[k].directions > 1 && does[k].slips();
        (0..self.contacts.len()).filter(turns).collect()
    }

    /// The outcome where the slip of each contact after the stage has the direction that its impulse is against.
    pub(super) fn outcome_turning(&self, kind: &Kind, v: &[f64], does: &[Does], turning: &[usize]) -> Option<Outcome> {
        let before: Vec<f64> = (turning.iter().map(|&k| self.contacts[k].rates(v)))
            .map(|rates| rates[2].atan2(rates[1]))
            .collect();
        // To either side in turns, the nearest first.
        let side = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let turn = |i: usize| side(i) * i.div_ceil(2) as f64 * std::f64::consts::TAU / STARTS as f64;
        // All alike, and then each in its own way.
        let alike = (0..STARTS).map(|i| (turn(i), false));
        let apart = (1..STARTS).filter(|_| turning.len() > 1).map(|i| (turn(i), true));
        let start = |(by, apart): (f64, bool)| {
            let share = |k: usize| if apart { side(k) * (k + 1) as f64 } else { 1.0 };
            let angles = before.iter().enumerate();
            angles.map(|(k, angle)| angle + share(k) * by).collect()
        };
        let mut starts = alike.chain(apart).map(start);
        starts.find_map(|angles| self.turned_from(angles, kind, v, does, turning))
    }

    /// Newton's method for the angles of the slip velocities.
    fn turned_from(
        &self,
        mut angles: Vec<f64>,
        kind: &Kind,
        v: &[f64],
        does: &[Does],
        turning: &[usize],
    ) -> Option<Outcome> {
        let n = turning.len();
        let mut last = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let (outcome, deviations) = self.deviations(&angles, kind, v, does, turning)?;
            let over_rounding = |(&k, angle): (&usize, &f64)| {
                let rates = self.contacts[k].rates(&outcome.v);
                angle.abs() * size([rates[1], rates[2]]) / self.contacts[k].terms(&outcome.v)
            };
            let worst = turning.iter().zip(&deviations).map(over_rounding).fold(0.0, f64::max);
            // Where it is no more than rounding it does not fall any further.
            if worst <= ENOUGH || (worst >= last && worst < 1e3 * ENOUGH) {
                return Some(outcome);
            }
            last = worst;
            let mut lu = Lu::new(n);
            let matrix = lu.matrix_mut(n);
            for j in 0..n {
                let mut other = angles.clone();
                other[j] += STEP;
                let (_, there) = self.deviations(&other, kind, v, does, turning)?;
                for i in 0..n {
                    matrix[i * n + j] = (there[i] - deviations[i]) / STEP;
                }
            }
            let mut change = deviations;
            lu.factor().ok()?;
            lu.solve(&mut change);
            angles
                .iter_mut()
                .zip(&change)
                .for_each(|(angle, change)| *angle -= change.clamp(-0.5, 0.5));
        }
        None
    }

    /// The outcome for angles of slip, and how far the slip velocities that it leads to are turned from these; none where they turn back.
    fn deviations(
        &self,
        angles: &[f64],
        kind: &Kind,
        v: &[f64],
        does: &[Does],
        turning: &[usize],
    ) -> Option<(Outcome, Vec<f64>)> {
        let mut along = vec![[0.0; 2]; does.len()];
        for (&k, angle) in turning.iter().zip(angles) {
            along[k] = [angle.cos(), angle.sin()];
        }
        let outcome = self.outcome_along(kind, v, does, &along)?;
        let deviation = |&k: &usize| {
            let contact = &self.contacts[k];
            let (old, new) = (contact.rates(v), contact.rates(&outcome.v));
            let slip = [1, 2].map(|d| new[d] + contact.share * old[d]);
            let (onward, [x, y]) = (inner(slip, along[k]), direction(slip));
            (onward > 0.0 && size(slip) > 0.0).then(|| along[k][0] * y - along[k][1] * x)
        };
        let found: Option<Vec<f64>> = turning.iter().map(deviation).collect();
        Some((outcome, found?))
    }
}
