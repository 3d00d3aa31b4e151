//! Which closed contacts stick, slip and open: chosen for all of them together, so that forces and accelerations agree with the
//! law (theory, 4.9).

use std::collections::HashSet;

use super::trial::{Choice, Trial};
use crate::error::Result;
use crate::formulation::select_rows;
use crate::hybrid::At;
use crate::linear::{in_units, independent_rows_after, max_abs};
use crate::mechanism::impact_problem::INDEPENDENCE;
use crate::mechanism::jump::{Next, Request};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::{ContactState, Grip, Hold, Mode};

/// Most contacts of which all combinations are tried when changing one after the other does not end.
const MOST_COMBINED: usize = 6;

impl Mechanism {
    /// Notes that a contact no longer sticks, or slips, as it did.
    pub(in crate::mechanism) fn turn_grip(
        &self,
        friction: usize,
        at: At<Mode>,
        request: &mut Request,
        workspace: &mut Workspace,
    ) {
        request.turned.push(friction);
        let sticks = at.mode.grip(friction).is_some_and(|grip| grip.hold == Hold::Stick);
        if sticks && self.evaluate_motion(at, true, workspace).is_ok() {
            let force = workspace.terms.numbers[self.model.frictions[friction].number];
            request.pushes.push((friction, if force > 0.0 { -1 } else { 1 }));
        }
    }

    /// Lets the closed contacts with friction stick or slip, and with them those that touch open or stay closed. `candidates` touch
    /// without normal velocity.
    ///
    /// # Errors
    /// Kind `Event` where nothing agrees with the law, kind `Singular` where the motion is not unique.
    pub(in crate::mechanism) fn grip(
        &self,
        before: &[Grip],
        next: &mut Next,
        request: &mut Request,
        candidates: &[usize],
        workspace: &mut Workspace,
    ) -> Result<()> {
        next.mode.grips.clear();
        if self.model.frictions.is_empty() {
            return Ok(());
        }
        let mut contacts: Vec<usize> = next.mode.having(ContactState::lasts).collect();
        let waits = |&contact: &usize| {
            next.mode.contacts[contact] == ContactState::Open && next.mode.released[contact] != next.t
        };
        contacts.extend(candidates.iter().copied().filter(waits));
        contacts.sort_unstable();
        contacts.dedup();
        if !contacts
            .iter()
            .any(|&contact| self.model.friction_of(contact).is_some())
        {
            return Ok(());
        }
        let mut trial = Trial::new(self, before, next.at(), request, contacts, workspace);
        let first = trial.first_choice(next.mode);
        let found = trial.search(first, next, workspace)?;
        trial.put(&found, next, workspace)?;
        for grip in next.mode.grips.iter().filter(|grip| grip.leads()) {
            let earlier = before.iter().find(|other| other.friction == grip.friction);
            let kind = match (earlier.map(|earlier| earlier.hold), grip.hold) {
                (Some(Hold::Stick), Hold::Slip(_)) => "slip",
                (Some(Hold::Slip(_)), Hold::Stick) => "stick",
                (Some(Hold::Slip(old)), Hold::Slip(new)) if old != new => "reverse",
                _ => continue,
            };
            request.report(self.rubbing_name(grip.friction), kind);
        }
        Ok(())
    }
}

impl Trial<'_> {
    /// What agrees with the law: changes what does not, one contact after the other, and then tries everything.
    fn search(&mut self, first: Vec<Choice>, next: &mut Next, workspace: &mut Workspace) -> Result<Vec<Choice>> {
        let (mut choice, mut seen, mut jam) = (first, HashSet::new(), None);
        while seen.insert(choice.clone()) {
            match self.look(&choice, next, workspace) {
                Ok(None) => return Ok(choice),
                Ok(Some(fault)) => choice = self.amended(&choice, &fault),
                Err(error) => {
                    jam = Some(error);
                    break;
                }
            }
        }
        for choice in self.combinations().into_iter().filter(|choice| self.agrees(choice)) {
            if let Ok(None) = self.look(&choice, next, workspace) {
                return Ok(choice);
            }
        }
        Err(jam.unwrap_or_else(|| self.mechanism.no_grip(&self.contacts, next.t)))
    }

    /// All choices, those that stick first; none where there are too many.
    fn combinations(&self) -> Vec<Vec<Choice>> {
        let mut found = vec![Vec::new()];
        if self.contacts.len() > MOST_COMBINED {
            return Vec::new();
        }
        for k in 0..self.contacts.len() {
            let options = self.options(k);
            let longer = |choice: &Vec<Choice>| -> Vec<Vec<Choice>> {
                let one = |option: &Choice| [&choice[..], &[*option]].concat();
                options.iter().map(one).collect()
            };
            found = found.iter().flat_map(longer).collect();
        }
        found
    }

    /// Puts a choice into the mode.
    pub(super) fn put(&self, choice: &[Choice], next: &mut Next, workspace: &mut Workspace) -> Result<()> {
        let mechanism = self.mechanism;
        next.mode.grips.clear();
        for (&contact, choice) in self.contacts.iter().zip(choice) {
            let state = &mut next.mode.contacts[contact];
            *state = match (choice, self.carried.contains(&contact)) {
                (Choice::Open, _) => ContactState::Open,
                (_, true) => ContactState::Carried,
                (_, false) => ContactState::Sliding,
            };
        }
        next.mode.refresh(&mechanism.model);
        mechanism.load_memory(next.x, &mut workspace.terms);
        mechanism.assemble_constraints(next.at(), &mut workspace.terms);
        select_rows(next.mode, &workspace.terms);
        let hold = |choice: Choice| match choice {
            Choice::Slip(sign) => Hold::Slip(sign),
            _ => Hold::Stick,
        };
        let closed: Vec<(usize, Hold)> = (self.contacts.iter().zip(choice))
            .filter(|(_, choice)| **choice != Choice::Open)
            .filter_map(|(&contact, &choice)| Some((mechanism.model.friction_of(contact)?, hold(choice))))
            .collect();
        next.mode.grips = mechanism.grouped(&closed, next.at(), workspace);
        Ok(())
    }
}

impl Mechanism {
    /// The grips of contacts that hold in these ways: those with the same row of velocities stick together, and what others keep from
    /// moving already is spare.
    fn grouped(&self, closed: &[(usize, Hold)], at: At<Mode>, workspace: &Workspace) -> Vec<Grip> {
        let (q, numbers) = (&at.x[self.positions()], &workspace.terms.numbers);
        let nv = self.model.nv();
        let jacobian = &workspace.terms.jacobian;
        let mut rows: Vec<f64> = Vec::new();
        for &row in &at.mode.independent {
            let first = rows.len();
            rows.resize(first + nv, 0.0);
            jacobian.row(row).add_to(1.0, &mut rows[first..]);
        }
        let mut grips: Vec<Grip> = Vec::new();
        let mut leaders: Vec<(usize, Hold, Vec<f64>)> = Vec::new();
        for &(friction, hold) in closed {
            let row = self.tangential_rows(self.model.frictions[friction].contact, q, numbers);
            let row = row.first().map(|row| row.dense(nv)).unwrap_or_default();
            let same = |(leader, other, known): &&(usize, Hold, Vec<f64>)| {
                *other == hold && self.is_one_face([*leader, friction]) && is_same(known, &row)
            };
            if let Some(&(leader, hold, _)) = leaders.iter().find(same) {
                let hold = if grips
                    .iter()
                    .any(|grip| grip.friction == leader && grip.hold == Hold::Spare)
                {
                    Hold::Spare
                } else {
                    hold
                };
                grips.push(Grip { friction, leader, hold });
                continue;
            }
            let spare = hold == Hold::Stick && !self.adds(&mut rows, &row, jacobian.units());
            leaders.push((friction, hold, row));
            grips.push(Grip {
                friction,
                leader: friction,
                hold: if spare { Hold::Spare } else { hold },
            });
        }
        grips
    }

    /// For each contact the first one that the same bodies touch at with the same row of velocities; itself where there is none.
    pub(super) fn faces(&self, contacts: &[usize], at: At<Mode>, workspace: &Workspace) -> Vec<usize> {
        let (q, numbers) = (&at.x[self.positions()], &workspace.terms.numbers);
        let row = |&contact: &usize| {
            let friction = self.model.friction_of(contact)?;
            let row = self.tangential_rows(contact, q, numbers);
            Some((friction, row.first()?.dense(self.model.nv())))
        };
        let rows: Vec<_> = contacts.iter().map(row).collect();
        let same = |a: usize, b: usize| match (&rows[a], &rows[b]) {
            (Some((one, row)), Some((other, own))) => self.is_one_face([*one, *other]) && is_same(row, own),
            _ => false,
        };
        let first = |k: usize| (0..k).find(|&earlier| same(earlier, k)).unwrap_or(k);
        (0..contacts.len()).map(first).collect()
    }

    /// Whether two contacts are between the same bodies, with surfaces that move in the same way.
    fn is_one_face(&self, both: [usize; 2]) -> bool {
        let [a, b] = both.map(|friction| &self.model.frictions[friction]);
        let forces = [a, b].map(|friction| &self.model.forces[friction.force].local.coordinates);
        forces[0] == forces[1] && a.speed.is_none() == b.speed.is_none()
    }

    /// Adds a row to independent ones if it is not a combination of them.
    fn adds(&self, rows: &mut Vec<f64>, row: &[f64], units: &[f64]) -> bool {
        let (nv, known) = (row.len(), rows.len() / row.len().max(1));
        rows.extend(row);
        let independent = independent_rows_after(known, &in_units(rows, units), nv, INDEPENDENCE);
        let adds = independent.contains(&known);
        if !adds {
            rows.truncate(known * nv);
        }
        adds
    }
}

/// Deviation of two rows, over the larger, up to which they are one.
const SAME: f64 = 1e-9;

fn is_same(a: &[f64], b: &[f64]) -> bool {
    let size = max_abs(a).max(max_abs(b));
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME * size)
}
