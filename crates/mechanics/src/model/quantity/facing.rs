//! Whether a part of a surface is the one that its point may touch.

use super::Motion;
use crate::model::{ContactState, Mode, Model};
use crate::scalar::Scalar;

impl Model {
    /// How far a contact with a part of a surface is from leaving it: over a border while it faces the part, else over a border or
    /// from behind into facing it.
    pub(super) fn facing<S: Scalar, const D: usize>(&self, contact: usize, mode: &Mode, motion: &Motion<S>) -> S {
        let Some(face) = &self.contacts[contact].face else {
            return S::from(f64::NAN);
        };
        let local = &face.local;
        let inside = face.inside(&local.pick(motion.q), &local.pick_numbers(motion.numbers));
        if mode.contacts[contact] != ContactState::Away {
            return inside;
        }
        let gap = self.gap::<S, D>(contact, motion);
        if gap.re() < inside.re() { -gap } else { -inside }
    }
}
