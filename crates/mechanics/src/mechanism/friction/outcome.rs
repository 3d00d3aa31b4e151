//! What contacts do in a stage of an impact: sought by changing one at a time, and over all combinations where that ends nowhere
//! (theory, 4.11).

use std::collections::HashSet;

use super::grasp::{Grasp, ZERO};
use super::joining::{Does, Joining, Kind, Outcome};
use super::stage::Along;
use crate::linear::max_abs;
use crate::mechanism::impact_system::{Chosen, ImpactSystem};
use crate::model::tangential::size;

/// Most contacts of which all combinations are tried.
const MOST_COMBINED: usize = 5;

/// An impact under way.
pub(super) struct Impact<'a> {
    pub(super) system: ImpactSystem<'a>,
    pub(super) chosen: Chosen,
    /// Largest rate of a contact before it.
    pub(super) fastest: f64,
    /// Rates that are rounding of the velocities: those of a contact that rolls beside one whose bounces have become small.
    pub(super) rounding: f64,
    /// Constraints and rows of the impulses of the rows that hold.
    pub(super) bilateral: Vec<(usize, usize)>,
    pub(super) contacts: Vec<Joining>,
    /// Joints that rub, which come behind the contacts wherever both are listed.
    pub(super) grasps: Vec<Grasp<'a>>,
}

impl Impact<'_> {
    /// What the contacts do in a stage, with its outcome: changes what does not agree, and then tries all combinations.
    pub(super) fn search(&self, kind: &Kind, v: &[f64]) -> Option<(Vec<Does>, Outcome)> {
        let held = !matches!(kind, Kind::Expansion(_));
        // What does not approach goes on as it was: a contact that lies stays as it is, whatever else would be consistent.
        let speeds: Vec<[f64; 3]> = self.contacts.iter().map(|contact| contact.rates(v)).collect();
        let noise = f64::max(self.rounding, ZERO * max_abs(speeds.as_flattened()));
        let begin = |(contact, &[gap, x, y]): (&Joining, &[f64; 3])| {
            let goes_on = contact.friction.is_some() && gap.abs() <= noise && size([x, y]) > noise;
            let slip = if goes_on { contact.sign(x) } else { 0 };
            Does { held, slip }
        };
        let mut does: Vec<Does> = self.contacts.iter().zip(&speeds).map(begin).collect();
        let joint = |grasp: &Grasp| Does {
            held: true,
            slip: grasp.direction(v),
        };
        self.slide_together(&mut does);
        does.extend(self.grasps.iter().map(joint));
        let (mut seen, mut angles) = (HashSet::new(), None);
        while seen.insert(does.clone()) {
            let Some(outcome) = self.outcome(kind, v, &does, angles.as_deref()) else {
                break;
            };
            let Some(instead) = self.fault(kind, v, &does, &outcome) else {
                return Some((does, outcome));
            };
            angles = Some(self.angles_beyond(v, &does, &outcome));
            self.amend(&mut does, instead, &outcome);
        }
        let is_right = |does: Vec<Does>, outcome: Outcome| {
            let found = self.fault(kind, v, &does, &outcome);
            found.is_none().then_some((does, outcome))
        };
        self.combinations().into_iter().find_map(|mut does| {
            let outcome = self.outcome(kind, v, &does, None)?;
            match self.fault(kind, v, &does, &outcome) {
                Some(instead) if instead.1.slips() && !does[instead.0].slips() => {
                    let angles = self.angles_beyond(v, &does, &outcome);
                    self.amend(&mut does, instead, &outcome);
                    let outcome = self.outcome(kind, v, &does, Some(&angles))?;
                    is_right(does, outcome)
                }
                _ => is_right(does, outcome),
            }
        })
    }

    /// Changes what a contact does, its slip with those on its face.
    fn amend(&self, does: &mut [Does], (k, instead): (usize, Does), outcome: &Outcome) {
        if self.is_foot(k) {
            return self.amend_feet(does, (k, instead), outcome);
        }
        for (i, other) in does.iter_mut().enumerate() {
            if i == k {
                *other = instead;
            } else if i.max(k) < self.contacts.len() && self.contacts[i].face == self.contacts[k].face {
                other.slip = instead.slip;
            }
        }
    }

    fn combinations(&self) -> Vec<Vec<Does>> {
        if self.contacts.len() + self.grasps.len() > MOST_COMBINED {
            return Vec::new();
        }
        let mut found = vec![Vec::new()];
        let of_contact = |contact: &Joining| {
            let slips: &[i8] = match (contact.friction, contact.directions) {
                (None, _) => &[0],
                (_, 1) => &[0, 1, -1],
                _ => &[0, 1],
            };
            let both = slips
                .iter()
                .flat_map(|&slip| [true, false].map(|held| Does { held, slip }));
            both.collect::<Vec<Does>>()
        };
        let of_joint = |_: &Grasp| [0, 1, -1].map(|slip| Does { held: true, slip }).to_vec();
        let all = self
            .contacts
            .iter()
            .map(of_contact)
            .chain(self.grasps.iter().map(of_joint));
        for options in all {
            found = (found.iter())
                .flat_map(|does: &Vec<Does>| options.iter().map(|option| [&does[..], &[*option]].concat()))
                .collect();
        }
        found.retain(|does| {
            let same =
                |i: usize, j: usize| self.contacts[i].face != self.contacts[j].face || does[i].slip == does[j].slip;
            (0..self.contacts.len()).all(|i| (0..i).all(|j| same(i, j)) || self.is_foot(i) && self.may_turn(does, i))
        });
        found
    }

    /// Whether a contact takes an impulse, and what it does along the surface: of those that stick on one face the first does.
    pub(super) fn along(&self, kind: &Kind, does: &[Does], k: usize) -> Option<Along> {
        let open = |i: usize| !does[i].held && !matches!(kind, Kind::Expansion(_));
        if open(k) {
            return None;
        }
        let contact = &self.contacts[k];
        let first = (0..k).all(|i| self.contacts[i].face != contact.face || open(i));
        Some(match (contact.friction, does[k].slip) {
            (None, _) => Along::Nothing,
            (_, 0) if first || contact.directions > 1 => Along::Stick(contact.tangential),
            (_, 0) => Along::Nothing,
            (_, slip) if contact.directions == 1 => Along::Slip(slip),
            _ => Along::SlipInSpace(contact.tangential),
        })
    }

    /// A contact that sticks and takes no impulse along its surface, which others imply.
    pub(super) fn sharing(&self, kind: &Kind, does: &[Does]) -> Option<usize> {
        let alongs = self.acts(kind, does).along.into_iter().zip(&self.contacts).zip(does);
        let takes_part = |k: usize| self.along(kind, does, k).is_some();
        let stands = |contact: &Joining| self.stands_with(does, contact, takes_part);
        let mut shared = alongs
            .filter(|((along, contact), does)| does.slip == 0 && *along == Some(Along::Nothing) && !stands(contact));
        shared.find_map(|((_, contact), _)| contact.friction)
    }

    /// Solves for the impulses of the contacts; none where they are not unique. Directions of slip in space are sought from these angles too.
    pub(super) fn outcome(&self, kind: &Kind, v: &[f64], does: &[Does], angles: Option<&[f64]>) -> Option<Outcome> {
        match self.turning(does) {
            turning if turning.is_empty() => {
                let signs: Vec<[f64; 2]> = does.iter().map(|own| [f64::from(own.slip), 0.0]).collect();
                self.outcome_along(kind, v, does, &signs)
            }
            turning => self.outcome_turning(kind, v, does, &turning, angles),
        }
    }

    /// The first contact that does not agree with the law, with what it should do instead.
    fn fault(&self, kind: &Kind, v: &[f64], does: &[Does], outcome: &Outcome) -> Option<(usize, Does)> {
        let expands = matches!(kind, Kind::Expansion(_));
        let largest = |k: usize| {
            let own = self
                .contacts
                .iter()
                .flat_map(|contact| [contact.rates(v), contact.rates(&outcome.v)]);
            own.map(|rates| rates[k].abs()).fold(0.0, f64::max)
        };
        let fastest = largest(0).max(largest(1)).max(largest(2)).max(self.fastest);
        let speed = f64::max(self.rounding, ZERO * fastest).max(f64::MIN_POSITIVE);
        let impulse = max_abs(outcome.impulses.as_flattened());
        for (k, contact) in self.contacts.iter().enumerate() {
            let ([gap, slip, across_slip], own) = (contact.rates(&outcome.v), does[k]);
            let least = f64::max(ZERO * impulse, speed / contact.response());
            let floor = match kind {
                Kind::Expansion(compressed) => contact.e * compressed[k],
                _ => 0.0,
            };
            let asked = if matches!(kind, Kind::Newton) {
                -contact.e * contact.rates(v)[0]
            } else {
                0.0
            };
            let [normal, along, across] = outcome.impulses[k];
            if contact.stops {
                continue;
            }
            if own.held && normal < floor - least {
                return Some((k, Does { held: false, ..own }));
            }
            if own.held && !outcome.takes[k] && gap > asked + speed {
                return Some((k, Does { held: false, ..own }));
            }
            let would = outcome.would_take[k].filter(|_| !own.held && gap <= asked + speed);
            if would.is_some_and(|would| would > floor + least) {
                return Some((k, Does { held: true, ..own }));
            }
            if gap < asked - speed && (!own.held || normal == 0.0 || !outcome.takes[k]) {
                // What is held in vain stays so: another combination has to be found.
                return Some((k, Does { held: true, slip: 0 }));
            }
            if contact.friction.is_none() || (!own.held && !expands) {
                continue;
            }
            if own.slip == 0 && self.stands_with(does, contact, |k| outcome.impulses[k][0] > 0.0) {
                let used = self.used_by_feet(does, contact.face, outcome);
                if used.is_some_and(|(used, largest)| (used - 1.0) * largest > least) {
                    return Some((k, Does { slip: 1, ..own }));
                }
            } else if own.slip == 0
                && contact.directions > 1
                && contact.share == 0.0
                && size([slip, across_slip]) > speed
            {
                // Joints leave it one direction along the surface: what sticks in that takes no unique impulse.
                return Some((k, Does { slip: 1, ..own }));
            } else if own.slip == 0 {
                let most: f64 = (self.contacts.iter().zip(&outcome.impulses))
                    .filter(|(other, _)| match contact.directions {
                        1 => other.face == contact.face,
                        _ => other.contact == contact.contact,
                    })
                    .map(|(other, impulses)| other.coefficient * impulses[0])
                    .sum();
                if size([along, across]) > most + least {
                    let slip = contact.sign(-along);
                    return Some((k, Does { slip, ..own }));
                }
            } else if contact.directions == 1
                && slip * f64::from(own.slip) + contact.share * contact.rates(v)[1] * f64::from(own.slip)
                    < -speed.max(outcome.noise[k])
            {
                return Some((k, Does { slip: 0, ..own }));
            }
        }
        self.joint_fault(v, does, outcome)
    }
}
