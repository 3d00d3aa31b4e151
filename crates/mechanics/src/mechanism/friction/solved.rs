//! A stage of an impact as it was solved, for its derivatives.

use super::joining::{Does, Kind, Outcome};
use super::outcome::Impact;
use super::stage::{Along, Normal, Pressing, Stage, Struck};

impl Impact<'_> {
    /// The stage as it was solved.
    pub(super) fn stage(
        &self,
        kind: &Kind,
        before: &[f64],
        does: &[Does],
        outcome: &Outcome,
        earlier: &[Struck],
    ) -> Stage {
        let mut unknowns = [&outcome.v[..], &outcome.bilateral].concat();
        let acts = self.acts(kind, does);
        let mut struck: Vec<Struck> = Vec::new();
        let mut places: Vec<(usize, usize)> = Vec::new();
        for ((k, contact), along) in self.contacts.iter().enumerate().zip(&acts.along) {
            let Some(along) = *along else {
                continue;
            };
            let normal = match (kind, contact.restitution, does[k].held) {
                _ if !acts.takes[k] => Normal::Carried,
                (Kind::Newton, Some(e), _) => Normal::Returning(e),
                (Kind::Expansion(_), Some(e), false) => Normal::Expanding(e),
                (Kind::Expansion(_), None, false) => continue,
                _ => Normal::Held,
            };
            if acts.takes[k] {
                places.push((k, unknowns.len() - before.len()));
                unknowns.push(outcome.taken[k]);
            }
            match along {
                Along::Nothing => {}
                Along::Turn(d, _) => unknowns.push(outcome.impulses[k][d + 1]),
                _ => unknowns.extend(&outcome.impulses[k][1..=contact.directions]),
            }
            let known = earlier.iter().find(|known| known.contact == contact.contact);
            struck.push(Struck {
                contact: contact.contact,
                friction: contact.friction,
                normal,
                along,
                pressing: Pressing::default(),
                earlier: known.map(|known| known.pressing.clone()),
            });
        }
        let contact_at = |k: usize| self.contacts[k].contact;
        for own in &mut struck {
            let of_contact = |k: &usize| contact_at(*k) == own.contact;
            let k = (0..self.contacts.len()).find(of_contact).unwrap_or(0);
            let taking = acts.pressing[k]
                .iter()
                .filter_map(|(other, _)| places.iter().find(|(known, _)| known == other));
            own.pressing = Pressing {
                feet: acts.feet[k].iter().map(|&k| contact_at(k)).collect(),
                taking: taking.map(|&(k, place)| (contact_at(k), place)).collect(),
            };
        }
        let joints = self.pressed_joints(does, outcome);
        unknowns.extend(joints.iter().map(|&k| outcome.impulses[k][0]));
        let joint = |&k: &usize| (self.grasps[k - self.contacts.len()].friction, does[k].along_joint());
        let spare = self.grasps.iter().zip(&outcome.spare).filter(|(_, spare)| **spare);
        let spare = spare.map(|(grasp, _)| (grasp.friction, Along::Nothing));
        Stage {
            bilateral: self.bilateral.clone(),
            struck,
            joints: joints.iter().map(joint).chain(spare).collect(),
            before: before.to_vec(),
            unknowns,
            factors: None,
            parties: Vec::new(),
        }
    }
}
