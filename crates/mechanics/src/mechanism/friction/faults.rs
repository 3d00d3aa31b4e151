//! What of a choice does not agree with the law of friction, and what should be done instead (theory, 4.9).

use super::trial::{Choice, Fault, Trial};
use crate::hybrid::At;
use crate::linear::max_abs;
use crate::mechanism::Workspace;
use crate::model::quantity::{Quantity, Rubbing};
use crate::model::{Hold, Mode};

/// Accelerations below this, over the largest, are rounding.
const ROUNDING: f64 = 1e-10;

/// Friction forces below this, over the one that acts, are rounding where slip begins.
const SLACK: f64 = 1e-9;

/// Acceleration along the freedom of a joint, over the largest, from which others do not keep it from moving.
const DEAD: f64 = 1e-6;

impl Trial<'_> {
    /// What of a choice does not agree with the law at a place, at the motion evaluated last.
    pub fn fault(&self, k: usize, choice: Choice, at: At<Mode>, workspace: &Workspace) -> Option<Fault> {
        let of_contact = self
            .contacts
            .get(k)
            .map(|&contact| self.normal_fault(contact, choice, at, workspace));
        let (instead, face) = match of_contact.flatten() {
            Some(true) => (self.closed(k), false),
            Some(false) => (Choice::Open, false),
            None if choice == Choice::Open => return None,
            None => (self.sliding_fault(k, at, workspace)?, true),
        };
        Some(Fault {
            place: k,
            instead,
            face,
        })
    }

    /// Whether an open contact closes (true), or a closed one pulls (false).
    fn normal_fault(&self, contact: usize, choice: Choice, at: At<Mode>, workspace: &Workspace) -> Option<bool> {
        let mechanism = self.mechanism;
        if choice == Choice::Open {
            let gap = mechanism.gap_row(contact, at, workspace);
            let (closing, size) = (gap.row.dot(&workspace.a) + gap.gamma, gap.row.re());
            let reach = size.iter().fold(0.0, |most: f64, (_, entry)| most.max(entry.abs()));
            // Where friction holds it, all accelerations are rounding, and none is a measure of the others.
            let row = gap.row.dense(mechanism.model.nv());
            let held = mechanism.rounding_of_accelerations(&row, workspace);
            let noise = held.max(ROUNDING * (reach * max_abs(&workspace.a) + gap.gamma.abs()));
            return (closing < -noise).then_some(true);
        }
        let force =
            Quantity::ContactForce(contact).evaluate(&mechanism.model, at.mode, &mechanism.motion(at, workspace));
        (force < -mechanism.force_noise(workspace)).then_some(false)
    }

    /// What should be done instead along the surface.
    fn sliding_fault(&self, k: usize, at: At<Mode>, workspace: &Workspace) -> Option<Choice> {
        let (mechanism, friction) = (self.mechanism, self.friction(k)?);
        let (motion, noise) = (
            mechanism.motion(at, workspace),
            mechanism.rub_noise(friction, workspace),
        );
        let read = |part| Quantity::Friction(friction, part).evaluate(&mechanism.model, at.mode, &motion);
        let grip = at.mode.grip(friction)?;
        if mechanism.model.stands(grip, at.mode) && (!grip.leads() || self.pulls(k, at, workspace)) {
            return None;
        }
        match grip.hold {
            Hold::Stick if grip.leads() && read(Rubbing::Cone) < -noise => {
                Some(Choice::Slip(mechanism.against(friction, read(Rubbing::Force))))
            }
            // What others keep at rest carries no friction.
            hold if hold.slips() && self.moves[k].is_none() && self.is_held(k, noise, at, workspace) => {
                Some(Choice::Stick)
            }
            hold if hold.slips() && self.moves[k].is_none() => {
                let rate = mechanism.model.onward_acceleration(friction, at.mode, &motion);
                let slack = noise + SLACK * read(Rubbing::Force).abs();
                // A joint slips only where it begins to move: others may hold what it is part of.
                let least = match self.pushed[k].is_none() && k >= self.contacts.len() {
                    true => 0.5 * noise,
                    false => -slack,
                };
                let turns = rate < least * mechanism.yields(friction, at, workspace);
                let other = match hold {
                    Hold::Slip(sign) if self.pushed[k].is_some() => Choice::Slip(Hold::Slip(-sign)),
                    _ => Choice::Stick,
                };
                turns.then_some(other)
            }
            // Where a mechanism is at a dead centre, joints keep it from moving only for an instant.
            Hold::Spare if self.is_single(k) => {
                let rate = mechanism.model.slip_acceleration(friction, &motion)[0];
                let moves = !self.is_still((friction, rate), noise, at, workspace);
                moves.then_some(Choice::Slip(mechanism.against(friction, -rate)))
            }
            _ => None,
        }
    }

    /// Whether the acceleration along the freedom of a joint is rounding.
    fn is_still(&self, (friction, rate): (usize, f64), noise: f64, at: At<Mode>, workspace: &Workspace) -> bool {
        let least = DEAD * max_abs(&workspace.a);
        rate.abs() <= least.max(noise * self.mechanism.mobility(friction, at, workspace))
    }

    /// Whether joints and closed contacts alone keep a joint from moving along its freedom, and not only for an instant.
    fn is_held(&self, k: usize, noise: f64, at: At<Mode>, workspace: &Workspace) -> bool {
        let (mechanism, is_joint) = (self.mechanism, k >= self.contacts.len());
        let Some(friction) = self.friction(k).filter(|_| is_joint && self.is_single(k)) else {
            return false;
        };
        let row = mechanism.dense_slip_rows(friction, at, workspace).swap_remove(0);
        let rate = mechanism
            .model
            .slip_acceleration(friction, &mechanism.motion(at, workspace))[0];
        let mut holding = mechanism.holding_rows(at.mode, workspace);
        self.is_still((friction, rate), noise, at, workspace)
            && !mechanism.adds(&mut holding, &row, workspace.terms.jacobian.units())
    }

    /// Whether one of the contacts on a face pulls: that comes before what they hold along it.
    fn pulls(&self, k: usize, at: At<Mode>, workspace: &Workspace) -> bool {
        let on_face = self
            .contacts
            .iter()
            .zip(&self.faces)
            .filter(|(_, face)| **face == self.faces[k]);
        on_face.map(|(contact, _)| *contact).any(|contact| {
            at.mode.contacts[contact].lasts() && self.normal_fault(contact, Choice::Stick, at, workspace).is_some()
        })
    }

    /// What a contact does that closes.
    fn closed(&self, k: usize) -> Choice {
        self.moves[k].or(self.pushed[k]).map_or(Choice::Stick, Choice::Slip)
    }
}
