//! Feet of one body on one flat face in an impact in space: those that stick take three impulses together (theory, 4.19).

use super::joining::{Does, Joining, Outcome};
use super::outcome::Impact;
use super::stage::Along;
use crate::model::tangential::size;
use crate::model::{Feet, MOST_FEET};

impl Impact<'_> {
    /// Whether a contact is one of several on a flat face in space.
    pub(super) fn is_foot(&self, k: usize) -> bool {
        let of_face = |contact: &Joining| {
            let on_face = self.contacts.iter().filter(|other| other.face == contact.face);
            contact.directions > 1 && on_face.count() > 1
        };
        self.contacts.get(k).is_some_and(of_face)
    }

    fn on_face(&self, face: usize) -> impl Iterator<Item = usize> {
        (0..self.contacts.len()).filter(move |&k| self.contacts[k].face == face)
    }

    /// Whether some contact before this one sticks on its face, and one of these keeps the body from turning.
    pub(super) fn with_first(&self, alongs: &[Option<Along>], k: usize) -> Option<bool> {
        let before: Vec<usize> = self.on_face(self.contacts[k].face).filter(|&i| i < k).collect();
        let is = |kind: fn(&Along) -> bool| before.iter().any(|&i| alongs[i].as_ref().is_some_and(kind));
        is(|along| matches!(along, Along::Stick(_))).then(|| is(|along| matches!(along, Along::Turn(..))))
    }

    /// Whether several contacts on the face of one stick, of those that bear something.
    pub(super) fn stands_with(&self, does: &[Does], contact: &Joining, bears: impl Fn(usize) -> bool) -> bool {
        let sticks = |&k: &usize| does[k].slip == 0 && bears(k);
        contact.directions > 1 && self.on_face(contact.face).filter(sticks).count() > 1
    }

    /// Whether of the contacts on a face one at most sticks while others slip.
    pub(super) fn may_turn(&self, does: &[Does], k: usize) -> bool {
        let sticking = self.on_face(self.contacts[k].face).filter(|&i| does[i].slip == 0);
        sticking.count() < 2
    }

    /// Lets all contacts on a flat face slip where one goes on to.
    pub(super) fn slide_together(&self, does: &mut [Does]) {
        for k in (0..self.contacts.len()).filter(|&k| self.is_foot(k)) {
            if self.on_face(self.contacts[k].face).any(|i| does[i].slip != 0) {
                does[k].slip = 1;
            }
        }
    }

    /// Feet that bear something and stick on a face, with their places, and what they take along it.
    fn feet(&self, does: &[Does], face: usize, outcome: &Outcome) -> Option<(Vec<usize>, Feet<f64>, [f64; 3])> {
        let own: Vec<usize> = self
            .on_face(face)
            .filter(|&k| does[k].slip == 0 && outcome.impulses[k][0] > 0.0)
            .take(MOST_FEET)
            .collect();
        let (places, most): (Vec<[f64; 2]>, Vec<f64>) = (own.iter())
            .map(|&k| {
                (
                    self.contacts[k].place,
                    self.contacts[k].coefficient * outcome.impulses[k][0],
                )
            })
            .unzip();
        let arm = |i: usize| size([places[i][0] - places[0][0], places[i][1] - places[0][1]]);
        let turning = (1..own.len()).max_by(|&i, &j| arm(i).total_cmp(&arm(j)))?;
        let feet = Feet::new(&places, &most, turning);
        let mut load = [0.0; 3];
        for (i, &k) in own.iter().enumerate() {
            feet.add_force(i, [-outcome.impulses[k][1], -outcome.impulses[k][2]], &mut load);
        }
        Some((own, feet, load))
    }

    /// What feet that stick use of what they can bear, and that.
    pub(super) fn used_by_feet(&self, does: &[Does], face: usize, outcome: &Outcome) -> Option<(f64, f64)> {
        let (_, feet, load) = self.feet(does, face, outcome)?;
        let largest = load.iter().fold(0.0, |most: f64, part| most.max(part.abs()));
        match feet.yielding(load) {
            Some(yielding) => Some((yielding.used, feet.most())),
            None => (largest > 0.0).then_some((2.0, largest)),
        }
    }

    /// Changes what feet do: all slip, but one about which the body turns.
    pub(super) fn amend_feet(&self, does: &mut [Does], (k, instead): (usize, Does), outcome: &Outcome) {
        let face = self.contacts[k].face;
        let slips = instead.slip != 0 && does[k].slip == 0;
        let (count, sticking) = (self.on_face(face).count(), self.feet(does, face, outcome));
        let pivot = sticking.and_then(|(own, feet, load)| Some(own[feet.yielding(load)?.pivot?]));
        does[k] = instead;
        if slips {
            for i in self.on_face(face) {
                does[i].slip = if Some(i) == pivot && count > 1 { 0 } else { 1 };
            }
        } else {
            self.slide_together(does);
        }
    }
}
