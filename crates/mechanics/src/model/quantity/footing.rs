//! How contacts of one body on one flat face in space share its load, where more of them touch than are needed to carry it (theory, 4.21).

use super::Motion;
use crate::model::marker::dot;
use crate::model::tangential::inner;
use crate::model::touch::tangents as tangents_of;
use crate::model::{Footing, MOST_FEET, Mode, Model};
use crate::scalar::{Scalar, each};

/// Second moment across a line, over that along it, up to which feet are on the line.
const LINE: f64 = 1e-12;

/// Places of the feet that press.
pub struct Spread<S> {
    count: f64,
    mean: [S; 2],
    /// The inverse of their second moments; along their line where they are on one.
    inverse: [[S; 2]; 2],
    /// Forces and moments that they can carry: one foot one, feet on a line two, others three.
    pub rank: usize,
}

impl<S: Scalar> Spread<S> {
    /// Of feet at some places.
    pub fn new(places: impl Iterator<Item = [S; 2]> + Clone) -> Self {
        let count = places.clone().fold(0.0, |count, _| count + 1.0);
        let total = |value: &dyn Fn([S; 2]) -> S| places.clone().fold(S::from(0.0), |sum, place| sum + value(place));
        let mean: [S; 2] = each(|k| total(&|place| place[k]) / count);
        let moment = |j: usize, k: usize| total(&|place| (place[j] - mean[j]) * (place[k] - mean[k]));
        let (xx, xy, yy) = (moment(0, 0), moment(0, 1), moment(1, 1));
        let (trace, determinant) = (xx + yy, xx * yy - xy * xy);
        let (inverse, rank) = if trace.re() == 0.0 {
            ([[S::from(0.0); 2]; 2], 1)
        } else if determinant.re() <= LINE * trace.re() * trace.re() {
            let square = trace * trace;
            ([[xx / square, xy / square], [xy / square, yy / square]], 2)
        } else {
            (
                [
                    [yy / determinant, -xy / determinant],
                    [-xy / determinant, xx / determinant],
                ],
                3,
            )
        };
        Self {
            count,
            mean,
            inverse,
            rank,
        }
    }

    /// How much of a load at a place a foot at another one takes, with the least sum of squares of all that press.
    pub fn share(&self, foot: [S; 2], load: [S; 2]) -> S {
        let [own, other]: [[S; 2]; 2] = [foot, load].map(|place| each(|k| place[k] - self.mean[k]));
        inner(own, self.inverse.map(|row| inner(row, other))) + 1.0 / self.count
    }
}

/// Feet that share a load, with their places.
pub(super) struct Sharing<'a, S> {
    footing: &'a Footing,
    places: [[S; 2]; MOST_FEET],
    spread: Spread<S>,
}

impl<S: Scalar> Sharing<'_, S> {
    fn place(&self, contact: usize) -> [S; 2] {
        let feet = self.footing.feet.iter().zip(&self.places);
        feet.filter(|((foot, _), _)| *foot == contact)
            .map(|(_, place)| *place)
            .next()
            .unwrap_or([S::from(0.0); 2])
    }
}

impl Model {
    /// Where contacts on one plane touch, by its tangents.
    pub(super) fn feet<S: Scalar, const D: usize>(
        &self,
        contacts: impl Iterator<Item = usize>,
        (q, numbers): (&[S], &[S]),
    ) -> [[S; 2]; MOST_FEET] {
        let mut tangents = None;
        let mut places = [[S::from(f64::NAN); 2]; MOST_FEET];
        for (contact, slot) in contacts.zip(&mut places) {
            let gap = &self.constraints[self.contacts[contact].gap];
            let (q, numbers) = (gap.local.pick(q), gap.local.pick_numbers(numbers));
            let along = *tangents.get_or_insert_with(|| tangents_of(gap.kind.contact_normal::<S, D>(&q, &numbers)));
            if let Some(place) = gap.kind.touching_place(&q, &numbers) {
                *slot = along.map(|tangent| dot(tangent, place));
            }
        }
        places
    }

    /// The same of one in an evaluated motion (m).
    pub fn place_on_surface(&self, contact: usize, motion: &Motion<f64>) -> [f64; 2] {
        in_dimension!(self.dimension, D => self.feet::<f64, D>(std::iter::once(contact), (motion.q, motion.numbers))[0])
    }

    /// How contacts share a load.
    pub(super) fn sharing<'a, S: Scalar, const D: usize>(
        &self,
        footing: &'a Footing,
        motion: &Motion<S>,
    ) -> Sharing<'a, S> {
        let places = self.feet::<S, D>(footing.feet.iter().map(|(foot, _)| *foot), (motion.q, motion.numbers));
        let pressing = footing.feet.iter().zip(places).filter(|((_, presses), _)| *presses);
        Sharing {
            footing,
            places,
            spread: Spread::new(pressing.map(|(_, place)| place)),
        }
    }

    /// Rows whose multipliers press a foot that shares a load, with its share of each.
    pub(super) fn shares<S: Scalar>(
        &self,
        contact: usize,
        sharing: &Sharing<S>,
        mode: &Mode,
    ) -> impl Iterator<Item = (usize, S)> {
        let own = sharing.place(contact);
        let feet = sharing.footing.feet.iter().zip(&sharing.places);
        let row = |contact: usize| mode.row_of(self.contacts[contact].gap);
        let loaded = feet.filter_map(move |(&(foot, _), place)| Some((row(foot)?, place)));
        loaded.map(move |(row, place)| (row, sharing.spread.share(own, *place)))
    }

    /// How much of the impulses of some contacts one takes that shares them with all `feet` on its face.
    pub fn impulse_shares<S: Scalar>(
        &self,
        contact: usize,
        feet: &[usize],
        taking: impl Iterator<Item = usize>,
        place: (&[S], &[S]),
    ) -> Vec<S> {
        let at =
            |contact: usize| in_dimension!(self.dimension, D => self.feet::<S, D>(std::iter::once(contact), place)[0]);
        let (spread, own) = (Spread::new(feet.iter().map(|foot| at(*foot))), at(contact));
        taking.map(|other| spread.share(own, at(other))).collect()
    }

    /// What presses a foot that shares a load, or would if it did.
    pub(super) fn share<S: Scalar>(&self, contact: usize, sharing: &Sharing<S>, mode: &Mode, motion: &Motion<S>) -> S {
        let parts = self.shares(contact, sharing, mode);
        parts.fold(S::from(0.0), |sum, (row, share)| sum + share * motion.lambda[row])
    }

    /// What presses a foot that shares a load.
    pub(super) fn pressed_in<S: Scalar>(
        &self,
        contact: usize,
        sharing: &Sharing<S>,
        mode: &Mode,
        motion: &Motion<S>,
    ) -> S {
        match sharing.footing.presses(contact) {
            true => self.share(contact, sharing, mode, motion),
            false => S::from(0.0),
        }
    }

    pub(super) fn relief<S: Scalar, const D: usize>(&self, contact: usize, mode: &Mode, motion: &Motion<S>) -> S {
        let footing = mode.footing_of(contact);
        footing.map_or(S::from(0.0), |footing| {
            -self.share(contact, &self.sharing::<S, D>(footing, motion), mode, motion)
        })
    }

    /// Contacts whose multipliers press one, itself among them.
    pub(in crate::model) fn pressing_contacts(&self, contact: usize, mode: &Mode) -> impl Iterator<Item = usize> {
        let feet = mode.footing_of(contact).map_or(&[][..], |footing| &footing.feet[..]);
        let others = feet.iter().map(|(foot, _)| *foot).filter(move |foot| *foot != contact);
        std::iter::once(contact).chain(others)
    }

    /// Contacts of the same two bodies, with which one may share loads.
    pub(in crate::model) fn mates(&self, contact: usize) -> impl Iterator<Item = usize> {
        let own = &self.constraints[self.contacts[contact].gap].local.coordinates;
        let shares = self.dimension > 2 && !self.frictions.is_empty();
        (0..self.contacts.len()).filter(move |&other| {
            let with = || &self.constraints[self.contacts[other].gap].local.coordinates == own;
            other == contact || shares && with()
        })
    }
}
