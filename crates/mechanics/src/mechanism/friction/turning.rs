//! Slip in space at the end of a stage of an impact: its direction is that of the velocity that it leads to (theory, 4.2).

use super::joining::{Does, Kind, Outcome};
use super::outcome::Impact;
use crate::linear::{Lu, max_abs};
use crate::model::tangential::{direction, inner, size};

/// Deviation of a direction, in radians, that is rounding where the slip is as fast as what it is made of.
const ENOUGH: f64 = 1e-15;

/// Newton steps; each squares the deviation.
const MOST_STEPS: usize = 40;

/// Directions that the search begins with where the slip velocity before does not lead to the one after.
const STARTS: usize = 48;

/// Slip over the speed up to which friction grows, from which its direction is known well enough.
const SMALL: f64 = 1e3;

/// What is left of that speed in each step.
const LESS: f64 = 0.3;

/// Least part of a step of Newton's method.
const LEAST_PART: f64 = 1e-3;

/// Change of an angle for a difference quotient: the slope of Newton's method alone depends on it.
const STEP: f64 = 1e-6;

impl Impact<'_> {
    /// Contacts that slip in a direction that is sought.
    pub(super) fn turning(&self, does: &[Does]) -> Vec<usize> {
        let turns = |&k: &usize| self.contacts[k].directions > 1 && does[k].slips();
        (0..self.contacts.len()).filter(turns).collect()
    }

    /// The outcome where the slip of each contact after the stage has the direction that its impulse is against.
    pub(super) fn outcome_turning(
        &self,
        kind: &Kind,
        v: &[f64],
        does: &[Does],
        turning: &[usize],
        angles: Option<&[f64]>,
    ) -> Option<Outcome> {
        let before: Vec<f64> = (turning.iter().map(|&k| self.contacts[k].rates(v)))
            .map(|rates| rates[2].atan2(rates[1]))
            .collect();
        // To either side in turns, the nearest first.
        let side = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let turn = |i: usize| side(i) * i.div_ceil(2) as f64 * std::f64::consts::TAU / STARTS as f64;
        // All alike, and then each in its own way.
        let alike = (1..STARTS).map(|i| (turn(i), false));
        let apart = (1..STARTS).filter(|_| turning.len() > 1).map(|i| (turn(i), true));
        let start = |(by, apart): (f64, bool)| {
            let share = |k: usize| if apart { side(k) * (k + 1) as f64 } else { 1.0 };
            let angles = before.iter().enumerate();
            angles.map(|(k, angle)| angle + share(k) * by).collect::<Vec<f64>>()
        };
        let first = std::iter::once(before.clone());
        let given = angles.map(|angles| turning.iter().map(|&k| angles[k]).collect());
        let from = |mut angles: Vec<f64>| self.turned_from(&mut angles, kind, v, does, turning);
        first
            .chain(given)
            .find_map(from)
            .or_else(|| from(self.eased(kind, v, does, turning)?))
            .or_else(|| alike.chain(apart).map(start).find_map(from))
    }

    /// The angles of slip at an outcome of other contacts that stick: these slip against what holds them there.
    pub(super) fn angles_beyond(&self, v: &[f64], does: &[Does], outcome: &Outcome) -> Vec<f64> {
        let angle = |k: usize| {
            let [x, y] = match does[k].slips() {
                true => self.slip_after(k, v, &outcome.v),
                false => [-outcome.impulses[k][1], -outcome.impulses[k][2]],
            };
            y.atan2(x)
        };
        (0..self.contacts.len()).map(angle).collect()
    }

    /// The angles that slip velocities come to where friction grows with them up to a speed, and that becomes small beside them; none where some
    /// do not slip then.
    fn eased(&self, kind: &Kind, v: &[f64], does: &[Does], turning: &[usize]) -> Option<Vec<f64>> {
        let slips_by = |along: &[[f64; 2]]| {
            let outcome = self.outcome_along(kind, v, does, along)?;
            let slips = turning.iter().flat_map(|&k| self.slip_after(k, v, &outcome.v));
            Some(slips.collect::<Vec<f64>>())
        };
        let rest = |slips: &[f64], speed: f64| {
            let mut along = vec![[0.0; 2]; does.len()];
            for (&k, slip) in turning.iter().zip(slips.chunks_exact(2)) {
                along[k] = [slip[0], slip[1]].map(|part| part / slip[0].hypot(slip[1]).hypot(speed));
            }
            let led_to = slips_by(&along)?;
            Some(slips.iter().zip(&led_to).map(|(slip, to)| slip - to).collect())
        };
        let mut slips = slips_by(&vec![[0.0; 2]; does.len()])?;
        let mut speed = max_abs(&slips);
        for _ in 0..MOST_STEPS {
            slips = vanishing(slips, STEP * speed, |slips| rest(slips, speed))?;
            let sizes = slips.chunks_exact(2).map(|slip| slip[0].hypot(slip[1]));
            if sizes.fold(f64::INFINITY, f64::min) > SMALL * speed {
                return Some(slips.chunks_exact(2).map(|slip| slip[1].atan2(slip[0])).collect());
            }
            speed *= LESS;
        }
        None
    }

    /// Slip velocity of a contact after a stage, with what comes back of the one before.
    fn slip_after(&self, k: usize, before: &[f64], after: &[f64]) -> [f64; 2] {
        let contact = &self.contacts[k];
        let (old, new) = (contact.rates(before), contact.rates(after));
        [1, 2].map(|d| new[d] + contact.share * old[d])
    }

    /// Newton's method for the angles of the slip velocities.
    fn turned_from(
        &self,
        angles: &mut [f64],
        kind: &Kind,
        v: &[f64],
        does: &[Does],
        turning: &[usize],
    ) -> Option<Outcome> {
        let n = turning.len();
        let mut last = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let (outcome, deviations) = self.deviations(angles, kind, v, does, turning)?;
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
            let slip = self.slip_after(k, v, &outcome.v);
            let (own, onward, [x, y]) = (direction(along[k]), inner(slip, along[k]), direction(slip));
            (onward > 0.0 && size(slip) > 0.0).then(|| own[0] * y - own[1] * x)
        };
        let found: Option<Vec<f64>> = turning.iter().map(deviation).collect();
        Some((outcome, found?))
    }
}

/// Where a function of as many values vanishes, near these, by steps of Newton's method that make it less.
fn vanishing(mut x: Vec<f64>, step: f64, rest: impl Fn(&[f64]) -> Option<Vec<f64>>) -> Option<Vec<f64>> {
    let n = x.len();
    for _ in 0..MOST_STEPS {
        let own = rest(&x)?;
        let mut lu = Lu::new(n);
        let matrix = lu.matrix_mut(n);
        for j in 0..n {
            let mut other = x.clone();
            other[j] += step;
            let there = rest(&other)?;
            (0..n).for_each(|i| matrix[i * n + j] = (there[i] - own[i]) / step);
        }
        let mut change = own.clone();
        lu.factor().ok()?;
        lu.solve(&mut change);
        let stepped = |part: f64| -> Vec<f64> { x.iter().zip(&change).map(|(x, change)| x - part * change).collect() };
        let mut part = 1.0;
        while part > LEAST_PART && max_abs(&rest(&stepped(part))?) > max_abs(&own) {
            part *= 0.5;
        }
        x = stepped(part);
        if max_abs(&change) < step {
            break;
        }
    }
    Some(x)
}
