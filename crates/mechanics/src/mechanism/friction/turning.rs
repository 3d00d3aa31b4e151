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

/// Least share of the coefficients by which they grow where directions are followed from those without friction.
const LEAST_SHARE: f64 = 1e-3;

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
            angles.map(|(k, angle)| angle + share(k) * by).collect::<Vec<f64>>()
        };
        let mut starts = alike.chain(apart).map(start);
        starts
            .find_map(|mut angles| self.turned_from(&mut angles, 1.0, kind, v, does, turning))
            .or_else(|| self.followed(kind, v, does, turning))
    }

    /// The outcome that the one without friction turns into as the coefficients grow.
    fn followed(&self, kind: &Kind, v: &[f64], does: &[Does], turning: &[usize]) -> Option<Outcome> {
        let without = self.outcome_along(kind, v, does, &vec![[0.0; 2]; does.len()])?;
        let angle = |&k: &usize| {
            let [x, y] = self.slip_after(k, v, &without.v);
            y.atan2(x)
        };
        let mut angles: Vec<f64> = turning.iter().map(angle).collect();
        let (mut share, mut step) = (0.0, 0.25);
        while step >= LEAST_SHARE {
            let (next, mut tried) = (f64::min(share + step, 1.0), angles.clone());
            match self.turned_from(&mut tried, next, kind, v, does, turning) {
                Some(outcome) if next == 1.0 => return Some(outcome),
                Some(_) => (share, angles, step) = (next, tried, 2.0 * step),
                None => step *= 0.25,
            }
        }
        None
    }

    /// Slip velocity of a contact after a stage, with what comes back of the one before.
    fn slip_after(&self, k: usize, before: &[f64], after: &[f64]) -> [f64; 2] {
        let contact = &self.contacts[k];
        let (old, new) = (contact.rates(before), contact.rates(after));
        [1, 2].map(|d| new[d] + contact.share * old[d])
    }

    /// Newton's method for the angles of the slip velocities, with a share of the coefficients.
    fn turned_from(
        &self,
        angles: &mut [f64],
        share: f64,
        kind: &Kind,
        v: &[f64],
        does: &[Does],
        turning: &[usize],
    ) -> Option<Outcome> {
        let n = turning.len();
        let mut last = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let (outcome, deviations) = self.deviations(angles, share, kind, v, does, turning)?;
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
                let mut other = angles.to_vec();
                other[j] += STEP;
                let (_, there) = self.deviations(&other, share, kind, v, does, turning)?;
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
        share: f64,
        kind: &Kind,
        v: &[f64],
        does: &[Does],
        turning: &[usize],
    ) -> Option<(Outcome, Vec<f64>)> {
        let mut along = vec![[0.0; 2]; does.len()];
        for (&k, angle) in turning.iter().zip(angles) {
            along[k] = [angle.cos(), angle.sin()].map(|part| share * part);
        }
        let outcome = self.outcome_along(kind, v, does, &along)?;
        let deviation = |&k: &usize| {
            let slip = self.slip_after(k, v, &outcome.v);
            let (own, onward, [x, y]) = (direction(along[k]), inner(slip, along[k]), direction(slip));
            (onward > 0.0 && size(slip) > 0.0).then(|| own[0] * y - own[1] * x)
        };
        let found: Option<Vec<f64>> = turning.iter().map(deviation).collect();
        Some((outcome, found?))
    }
}
