//! What a ratchet does.

use super::Motion;
use crate::model::contact::Ratchet;
use crate::model::{ContactState, Mode, Model};
use crate::scalar::Scalar;

/// Quantity of a ratchet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latching {
    /// Place that is held, or would be if the motion turned round now, m or rad.
    Held,
    /// Place that is held when it begins to act.
    Catch,
    /// Place that is held next.
    Next,
    /// How far the next tooth is ahead.
    Ahead,
    /// Speed in the direction in which it lets go.
    Advance,
}

impl Model {
    /// The ratchet that a contact is, if it is one.
    pub fn ratchet(&self, contact: usize) -> Option<&Ratchet> {
        self.contacts.get(contact)?.ratchet.as_deref()
    }

    /// Whether a contact is a ratchet without teeth that nothing holds: it touches wherever it is.
    pub fn slips_along(&self, contact: usize, mode: &Mode) -> bool {
        let free = matches!(
            mode.contacts[contact],
            ContactState::Open | ContactState::Waiting | ContactState::Carried
        );
        free && self.ratchet(contact).is_some_and(|ratchet| ratchet.teeth.is_none())
    }

    pub(super) fn latching<S: Scalar, const D: usize>(
        &self,
        contact: usize,
        part: Latching,
        mode: &Mode,
        motion: &Motion<S>,
    ) -> S {
        let Some(ratchet) = self.ratchet(contact) else {
            return S::from(f64::NAN);
        };
        let local = &ratchet.local;
        let (q, numbers) = (local.pick(motion.q), local.pick_numbers(motion.numbers));
        match part {
            Latching::Held if self.slips_along(contact, mode) => ratchet.place::<S, D>(&q, &numbers),
            Latching::Held => numbers[ratchet.held],
            Latching::Catch => ratchet.catch::<S, D>(&q, &numbers),
            Latching::Next => ratchet.next::<S, D>(&q, &numbers),
            Latching::Ahead => ratchet.ahead::<S, D>(&q, &numbers),
            Latching::Advance => ratchet.advance::<S, D>(&q, &motion.rates(local), &numbers),
        }
    }
}
