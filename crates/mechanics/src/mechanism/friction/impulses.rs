//! The impulses of a stage, for what contacts and joints do in it (theory, 4.11).

use super::acts::Acts;
use super::grasp::{Grasp, ZERO};
use super::joining::{Does, Kind, Outcome};
use super::outcome::Impact;
use super::rounding::Linear;
use super::stage::Along;
use crate::linear::{Entries, Lu, add_scaled, max_abs};

/// Most steps until what presses joints agrees with their impulses.
const MOST_STEPS: usize = 60;

/// Change of the impulses, over the largest, that is rounding.
const CONVERGED: f64 = 1e-14;

/// Slopes of what presses each joint by the impulses of the rows that hold, by their places.
type Pressed = Vec<Vec<(usize, f64)>>;

/// What a stage asks.
pub(super) struct Asked<'a> {
    kind: &'a Kind<'a>,
    v: &'a [f64],
    does: &'a [Does],
    along: &'a [[f64; 2]],
}

impl Impact<'_> {
    /// The outcome of a stage with these directions of slip; none where the impulses are not unique.
    pub(super) fn outcome_along(&self, kind: &Kind, v: &[f64], does: &[Does], along: &[[f64; 2]]) -> Option<Outcome> {
        let asked = Asked { kind, v, does, along };
        let momentum: Vec<f64> = self.system.mass.times(v).collect();
        let target = |i: usize| self.system.rows[i].target;
        let free = self.system.solve(&self.chosen, &momentum, target);
        let acts = self.acts(kind, does);
        let unknowns = self.unknown_impulses(&acts);
        let (right, linear, lu) = self.agreed_impulses(&asked, (&acts, &unknowns), &free)?;
        let noise = self.slip_noise(v, &unknowns, &linear, (&right, lu))?;
        let mut impulses = vec![[0.0; 3]; does.len()];
        let mut pushed = momentum;
        for (&(k, direction), impulse) in unknowns.iter().zip(&right) {
            impulses[k][direction] = *impulse;
            add_scaled(&mut pushed, *impulse, &self.row((k, direction)).dense(v.len()));
        }
        if impulses.as_flattened().iter().any(|impulse| !impulse.is_finite()) {
            return None;
        }
        let (v, bilateral) = self.system.solve(&self.chosen, &pushed, target);
        let taken: Vec<f64> = impulses.iter().map(|impulse| impulse[0]).collect();
        let sum = |shares: &[(usize, f64)]| shares.iter().map(|(k, share)| share * taken[*k]).sum();
        for (impulse, pressing) in impulses.iter_mut().zip(&acts.pressing) {
            impulse[0] = sum(pressing);
        }
        let would_take = acts
            .would_press
            .iter()
            .map(|shares| (!shares.is_empty()).then(|| sum(shares)));
        Some(Outcome {
            v,
            would_take: would_take.collect(),
            taken,
            takes: acts.takes,
            impulses,
            bilateral,
            spare: acts.spare,
            noise,
        })
    }

    /// Unknown impulses: contact or joint, and direction.
    fn unknown_impulses(&self, acts: &Acts) -> Vec<(usize, usize)> {
        let mut unknowns: Vec<(usize, usize)> = Vec::new();
        for (k, along) in acts.along.iter().enumerate() {
            let Some(along) = along else {
                continue;
            };
            unknowns.extend(acts.takes[k].then_some((k, 0)));
            match along {
                Along::Nothing => {}
                Along::Turn(d, _) => unknowns.push((k, d + 1)),
                _ => unknowns.extend((1..=self.contacts[k].directions).map(|d| (k, d))),
            }
        }
        let first = self.contacts.len();
        let taking = (0..self.grasps.len()).filter(|&k| !acts.spare[k]);
        unknowns.extend(taking.map(|k| (first + k, 0)));
        unknowns
    }

    pub(super) fn row(&self, (k, direction): (usize, usize)) -> &Entries<f64> {
        match self.contacts.get(k) {
            Some(contact) => &contact.rows[direction],
            None => &self.grasps[k - self.contacts.len()].row,
        }
    }

    /// What a unit impulse does to the velocities and to the impulses of the rows that hold.
    pub(super) fn response(&self, (k, direction): (usize, usize)) -> (&[f64], &[f64]) {
        match self.contacts.get(k) {
            Some(contact) => (&contact.responses[direction], &contact.carried[direction]),
            None => {
                let (v, bilateral) = &self.grasps[k - self.contacts.len()].response;
                (v, bilateral)
            }
        }
    }

    /// The impulses where what presses the joints that slip follows from them: Newton's method, as that is a sum of lengths.
    fn agreed_impulses(
        &self,
        asked: &Asked,
        (acts, unknowns): (&Acts, &[(usize, usize)]),
        free: &(Vec<f64>, Vec<f64>),
    ) -> Option<(Vec<f64>, Linear, Lu)> {
        let first = self.contacts.len();
        let mut pressed: Pressed = vec![Vec::new(); self.grasps.len()];
        let mut last: Option<(Vec<f64>, f64)> = None;
        for _ in 0..MOST_STEPS {
            let linear = self.linear(asked, (acts, unknowns), free, &pressed);
            let (found, lu) = linear.solve()?;
            let change = last.as_ref().map_or(f64::INFINITY, |(last, _)| {
                let changes = last.iter().zip(&found).map(|(old, new)| (new - old).abs());
                changes.fold(0.0, f64::max)
            });
            // Rows that are almost parallel magnify rounding: then it grows no smaller.
            let stays = last.is_some_and(|(_, before)| change >= before);
            let small = if stays { ZERO } else { CONVERGED };
            let known = change <= small * max_abs(&found);
            if known || asked.does[first..].iter().all(|does| does.slip == 0) {
                return Some((found, linear, lu));
            }
            let mut bilateral = free.1.clone();
            for (&unknown, &impulse) in unknowns.iter().zip(&found) {
                add_scaled(&mut bilateral, impulse, self.response(unknown).1);
            }
            let slopes = self
                .grasps
                .iter()
                .map(|grasp| grasp.pressed(&self.bilateral, &bilateral));
            pressed = slopes.collect();
            last = Some((found, change));
        }
        None
    }

    /// The equations of the impulses with what presses the joints as linear as given.
    fn linear(
        &self,
        asked: &Asked,
        (acts, unknowns): (&Acts, &[(usize, usize)]),
        free: &(Vec<f64>, Vec<f64>),
        pressed: &Pressed,
    ) -> Linear {
        let n = unknowns.len();
        let (mut matrix, mut right) = (vec![0.0; n * n], vec![0.0; n]);
        let mut by_velocities = vec![false; n];
        for (row, &(k, direction)) in unknowns.iter().enumerate() {
            let slots = &mut matrix[row * n..][..n];
            let Asked { kind, does, along, .. } = *asked;
            let by_velocity = match (self.contacts.get(k), direction) {
                (Some(_), 0) => does[k].held,
                _ => does[k].slip == 0,
            };
            by_velocities[row] = by_velocity;
            if by_velocity {
                let own = self.row((k, direction));
                right[row] = -self.returned(asked, (k, direction)) - own.dot(&free.0);
                for (slot, &other) in slots.iter_mut().zip(unknowns) {
                    *slot = own.dot_by(|i| self.response(other).0[i]);
                }
                continue;
            }
            slots[row] = 1.0;
            let Some(contact) = self.contacts.get(k) else {
                let grasp = &self.grasps[k - self.contacts.len()];
                let factor = grasp.coefficient * f64::from(does[k].slip);
                for &(place, slope) in &pressed[k - self.contacts.len()] {
                    right[row] -= factor * slope * free.1[place];
                    for (slot, &other) in slots.iter_mut().zip(unknowns) {
                        *slot += factor * slope * self.response(other).1[place];
                    }
                }
                continue;
            };
            match (direction, kind) {
                (0, Kind::Expansion(compressed)) => right[row] = contact.e * compressed[k],
                (0, _) => {}
                (d, _) => {
                    for &(other, share) in &acts.pressing[k] {
                        let place = unknowns.iter().position(|unknown| *unknown == (other, 0));
                        let factor = contact.coefficient * along[k][d - 1] * share;
                        place.into_iter().for_each(|place| slots[place] += factor);
                    }
                }
            }
        }
        Linear {
            matrix,
            right,
            by_velocities,
        }
    }

    /// Velocity along a row that is to come back, with that of what is at rest.
    fn returned(&self, asked: &Asked, (k, direction): (usize, usize)) -> f64 {
        let Some(contact) = self.contacts.get(k) else {
            return 0.0;
        };
        let rates = contact.rates(asked.v);
        let back = match (direction, asked.kind) {
            (0, Kind::Newton) => contact.e * rates[0],
            (0, _) => 0.0,
            (d, _) => contact.share * rates[d],
        };
        back + contact.offsets[direction]
    }
}

impl Impact<'_> {
    /// What presses a joint.
    fn presses(&self, grasp: &Grasp, outcome: &Outcome) -> f64 {
        let pressed = grasp.pressed(&self.bilateral, &outcome.bilateral);
        let parts = pressed.iter().map(|&(place, slope)| slope * outcome.bilateral[place]);
        parts.sum()
    }

    /// The joints that hold, or rub with what presses them, by their places. What presses others is rounding, as where the impact is
    /// elsewhere, and tells no side of theirs.
    pub(super) fn pressed_joints(&self, does: &[Does], outcome: &Outcome) -> Vec<usize> {
        let largest = max_abs(outcome.impulses.as_flattened()).max(max_abs(&outcome.bilateral));
        let takes = |&k: &usize| {
            !outcome.spare[k - self.contacts.len()]
                && (does[k].slip == 0 || self.presses(&self.grasps[k - self.contacts.len()], outcome) > ZERO * largest)
        };
        (self.contacts.len()..does.len()).filter(takes).collect()
    }

    /// The first joint that does not agree with the law, by its place, with what it should do instead.
    pub(super) fn joint_fault(&self, v: &[f64], does: &[Does], outcome: &Outcome) -> Option<(usize, Does)> {
        let first = self.contacts.len();
        for (k, grasp) in (first..).zip(&self.grasps) {
            let (own, impulse) = (does[k], outcome.impulses[k][0]);
            let ([slip, noise], [_, before]) = (grasp.slip(&outcome.v), grasp.slip(v));
            if own.slip != 0 {
                if slip * f64::from(own.slip) < -noise.max(before).max(outcome.noise[k]) {
                    return Some((k, Does { slip: 0, ..own }));
                }
                continue;
            }
            if outcome.spare[k - first] {
                // What slips to a stop with others rubs as it slipped; and they may make it move.
                let comes_back = slip.abs() > noise.max(before).max(outcome.noise[k]);
                let slip = if comes_back {
                    grasp.direction(&outcome.v)
                } else {
                    grasp.moves(v)
                };
                if slip != 0 {
                    return Some((k, Does { slip, ..own }));
                }
                continue;
            }
            let most = self.presses(grasp, outcome);
            let least = ZERO * max_abs(outcome.impulses.as_flattened());
            if impulse.abs() > grasp.coefficient * most + least {
                let slip = if impulse > 0.0 { -1 } else { 1 };
                return Some((k, Does { slip, ..own }));
            }
        }
        None
    }

    /// Energy that the joints give: it must not be positive; and the sum of its parts without their signs.
    pub(super) fn given_by_joints(&self, [before, after]: [&[f64]; 2], total: &[[f64; 3]]) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (grasp, impulse) in self.grasps.iter().zip(&total[self.contacts.len()..]) {
            let [old, new] = [before, after].map(|v| grasp.slip(v)[0]);
            sums[0] += 0.5 * (old + new) * impulse[0];
            sums[1] += (old.abs() + new.abs()) * impulse[0].abs();
        }
        sums
    }
}
