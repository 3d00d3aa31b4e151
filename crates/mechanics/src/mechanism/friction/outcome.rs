//! What contacts do in a stage of an impact: sought by changing one at a time, and over all combinations where that ends nowhere
//! (theory, 4.11).

use std::collections::HashSet;

use super::grasp::{Grasp, ZERO};
use super::independent::Line;
use super::stage::{Along, Normal, Pressing, Stage, Struck};
use crate::linear::{Entries, max_abs};
use crate::mechanism::impact_system::{Chosen, ImpactSystem};
use crate::model::tangential::size;

/// Most contacts of which all combinations are tried.
const MOST_COMBINED: usize = 5;

/// What a contact does in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Does {
    /// Whether its rate is prescribed; else its impulse is.
    pub(super) held: bool,
    /// Direction of slip, in space one; zero where it sticks.
    pub(super) slip: i8,
}

impl Does {
    /// Whether it slips.
    pub(super) fn slips(self) -> bool {
        self.slip != 0
    }

    /// What a joint does along its freedom.
    fn along_joint(self) -> Along {
        match self.slip {
            0 => Along::Stick(None),
            slip => Along::Slip(slip),
        }
    }
}

/// A contact that may take an impulse.
pub(super) struct Joining {
    pub(super) contact: usize,
    pub(super) friction: Option<usize>,
    /// Number: coefficient of restitution; none where nothing comes back.
    pub(super) restitution: Option<usize>,
    pub(super) e: f64,
    pub(super) coefficient: f64,
    /// Number of the law and value: share of the slip that comes back.
    pub(super) tangential: Option<usize>,
    pub(super) share: f64,
    /// Directions along the surface, one in the plane.
    pub(super) directions: usize,
    /// Of the gap and along the surface.
    pub(super) rows: [Entries<f64>; 3],
    /// Rates of the gap and slip velocities of what is at rest.
    pub(super) offsets: [f64; 3],
    /// The first contact on its face.
    pub(super) face: usize,
    /// The first contact on its face, with which it may share what presses there.
    pub(super) floor: usize,
    /// In space: where it touches, by the tangents.
    pub(super) place: [f64; 2],
    /// Whether it holds whatever that takes.
    pub(super) stops: bool,
    /// What unit impulses along the rows do to the velocities.
    pub(super) responses: [Vec<f64>; 3],
    /// And to the impulses of the rows that hold.
    pub(super) carried: [Vec<f64>; 3],
}

impl Joining {
    /// How it slips in the direction of the first tangent; in space its direction is sought.
    fn sign(&self, along: f64) -> i8 {
        if along < 0.0 && self.directions == 1 { -1 } else { 1 }
    }

    /// Largest of the terms that the slip velocities consist of.
    pub(super) fn terms(&self, v: &[f64]) -> f64 {
        let of_rows = self.rows[1..].iter().flat_map(Entries::iter);
        let terms = of_rows.map(|(i, entry)| (entry * v[i]).abs());
        terms
            .chain(self.offsets[1..].iter().map(|offset| offset.abs()))
            .fold(0.0, f64::max)
    }

    /// Normal velocity for a unit of normal impulse.
    pub(super) fn response(&self) -> f64 {
        self.rows[0].dot(&self.responses[0]).max(f64::MIN_POSITIVE)
    }

    /// A row with what its impulse does to the velocities.
    pub(super) fn line(&self, direction: usize) -> Line<'_> {
        (&self.rows[direction], &self.responses[direction])
    }

    /// Rates of gap and slip.
    pub(super) fn rates(&self, v: &[f64]) -> [f64; 3] {
        [0, 1, 2].map(|k| self.rows[k].dot(v) + self.offsets[k])
    }
}

/// What a stage asks of the normal direction.
pub(super) enum Kind<'a> {
    Compression,
    Newton,
    /// After the compression, with its normal impulses.
    Expansion(&'a [f64]),
}

/// Velocities and impulses, normal and along the surface, of a stage.
pub(super) struct Outcome {
    pub(super) v: Vec<f64>,
    /// Normal impulses along the rows that carry; those of the contacts are what these share.
    pub(super) taken: Vec<f64>,
    /// Whether each contact takes one of its own.
    pub(super) takes: Vec<bool>,
    /// What contacts would take that do not hold, where others on their face hold them too.
    pub(super) would_take: Vec<Option<f64>>,
    pub(super) impulses: Vec<[f64; 3]>,
    pub(super) bilateral: Vec<f64>,
    /// Joints that stick and take nothing, as other rows that hold imply it.
    pub(super) spare: Vec<bool>,
    /// What of the slip velocities, in space of those of the joints, is rounding.
    pub(super) noise: Vec<f64>,
}

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
