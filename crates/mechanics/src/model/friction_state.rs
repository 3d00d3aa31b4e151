//! What dry friction does at an instant, for pictures and plots: sticks, slips, or nothing; and its cone.

use super::quantity::{Motion, Quantity, Rubbing};
use super::touch::Touch;
use super::{Hold, Mode, Model, Rubbed};
use crate::scalar::each;

/// What a contact or joint with friction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrictionState {
    /// It holds, or others keep it from slipping.
    Stick,
    /// It moves along its surface or freedom.
    Slip,
    /// It does not touch, or is switched off.
    Open,
}

impl FrictionState {
    /// All states.
    pub const ALL: [Self; 3] = [Self::Stick, Self::Slip, Self::Open];

    /// Its name for users.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stick => "stick",
            Self::Slip => "slip",
            Self::Open => "open",
        }
    }
}

/// The forces that a closed contact can bear by Coulomb's law: the force lies within it while it sticks, and on it while it slips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionCone {
    /// Where the contact touches: its tip.
    pub at: [f64; 3],
    /// The normal force: its axis.
    pub axis: [f64; 3],
    /// Coefficient of friction: tangent of its half angle.
    pub coefficient: f64,
}

impl Model {
    /// What the friction of an index does.
    pub fn friction_state(&self, friction: usize, mode: &Mode) -> FrictionState {
        let slips = match (&self.frictions[friction].rubbed, mode.grip(friction)) {
            (_, Some(grip)) => grip.hold.slips(),
            // One that others keep closed bears nothing, and moves as they do.
            (Rubbed::Contact(contact), None) if mode.contacts[*contact].lasts() => true,
            _ => return FrictionState::Open,
        };
        if slips {
            FrictionState::Slip
        } else {
            FrictionState::Stick
        }
    }

    /// Where a contact touches, or would, with the unit normal towards the point; zeros beyond the dimension. None for limits.
    pub fn touching(&self, contact: usize, q: &[f64], numbers: &[f64]) -> Option<[[f64; 3]; 2]> {
        let gap = &self.constraints[self.contacts[contact].gap];
        let (q, numbers) = (gap.local.pick(q), gap.local.pick_numbers(numbers));
        in_dimension!(self.dimension, D => {
            let touch = Touch::<f64, D>::of(&gap.kind, &q, &numbers)?;
            Some([touch.place, touch.normal].map(|vector| each(|k| if k < D { vector[k] } else { 0.0 })))
        })
    }

    /// The cone of a contact with friction that presses; none while it is open.
    pub fn friction_cone(&self, friction: usize, mode: &Mode, motion: &Motion<f64>) -> Option<FrictionCone> {
        let law = &self.frictions[friction];
        let (contact, hold) = (law.contact()?, mode.grip(friction)?.hold);
        let own = law.local.pick_numbers(motion.numbers);
        let value = |quantity: Quantity| quantity.evaluate(self, mode, motion);
        let coefficient = match hold {
            Hold::Stick | Hold::Spare => law.bounds(motion.t, &own)[0],
            _ => law.coefficient(motion.t, value(Quantity::Friction(friction, Rubbing::Slip)).abs(), &own),
        };
        let [at, normal] = self.touching(contact, motion.q, motion.numbers)?;
        let force = value(Quantity::ContactForce(contact));
        (force > 0.0).then_some(FrictionCone {
            at,
            axis: normal.map(|x| x * force),
            coefficient,
        })
    }
}
