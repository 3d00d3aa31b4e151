//! Which closed contacts and joints stick and slip, and which contacts open: chosen for all of them together, so that forces and
//! accelerations agree with the law (theory, 4.9).

use std::collections::HashSet;

use super::shares::Sharing;
use super::trial::{Choice, Trial};
use crate::error::{ErrorKind, Result};
use crate::formulation::select_rows;
use crate::hybrid::At;
use crate::linear::{in_units, independent_rows_after, max_abs};
use crate::mechanism::impact_problem::INDEPENDENCE;
use crate::mechanism::jump::{Next, Request};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::{ContactState, Footing, Grip, Hold, Mode};

/// Most contacts of which all combinations are tried when changing one after the other does not end.
const MOST_COMBINED: usize = 6;

impl Mechanism {
    /// Notes that a contact or joint no longer sticks, or slips, as it did, and those that stuck with it.
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
            let force = |friction: usize| workspace.terms.numbers[self.model.frictions[friction].numbers[0]];
            for grip in at.mode.grips.iter().filter(|grip| grip.leader == friction) {
                // Contacts on one face have the force of the first.
                let pushed = force(if grip.shares() { grip.friction } else { friction });
                request
                    .pushes
                    .push((grip.friction, self.against(grip.friction, pushed)));
            }
        }
    }

    /// How slip begins against a force; along a surface in space its direction follows from the motion.
    pub(super) fn against(&self, friction: usize, force: f64) -> Hold {
        match self.model.frictions[friction].is_single() {
            true => Hold::Slip(if force > 0.0 { -1 } else { 1 }),
            false => Hold::SlipBegins,
        }
    }

    /// Lets the joints and closed contacts with friction stick or slip, and with these the contacts that touch open or stay closed. `candidates` touch
    /// without normal velocity.
    ///
    /// # Errors
    /// Kind `Event` where nothing agrees with the law, kind `Singular` where the motion is not unique.
    pub(in crate::mechanism) fn grip(
        &self,
        (before, footings): (&[Grip], &[Footing]),
        next: &mut Next,
        request: &mut Request,
        candidates: &[usize],
        workspace: &mut Workspace,
    ) -> Result<()> {
        if !self.hold_or_slip((before, footings), next, request, candidates, workspace)? {
            return Ok(());
        }
        self.end_slip(before, next, workspace)?;
        self.take_press_sides(before, next, request, workspace)?;
        self.take_ends(before, next, workspace)?;
        self.report_turns(before, next, request);
        Ok(())
    }

    /// The same without what only lasting motions need, and without a report; false where nothing rubs.
    ///
    /// # Errors
    /// As [`Mechanism::grip`].
    fn hold_or_slip(
        &self,
        (before, footings): (&[Grip], &[Footing]),
        next: &mut Next,
        request: &Request,
        candidates: &[usize],
        workspace: &mut Workspace,
    ) -> Result<bool> {
        next.mode.grips.clear();
        if self.model.frictions.is_empty() {
            return Ok(false);
        }
        let mut contacts: Vec<usize> = next.mode.having(ContactState::lasts).collect();
        let waits = |&contact: &usize| {
            next.mode.contacts[contact] == ContactState::Open && next.mode.released[contact] != next.t
        };
        contacts.extend(candidates.iter().copied().filter(waits));
        contacts.sort_unstable();
        contacts.dedup();
        let joints = self.rubbing_joints(next.mode);
        let rubs = |&contact: &usize| self.model.friction_of(contact).is_some();
        if !contacts.iter().any(rubs) && joints.is_empty() {
            return Ok(false);
        }
        self.check_reactions(&joints, next, workspace)?;
        let mut trial = Trial::new(self, before, next.at(), request, (contacts, joints), workspace);
        trial.rest_idle(footings, &request.shifted);
        let first = trial.first_choice(next.mode);
        let found = trial.search(first, next, workspace)?;
        trial.put(&found, next, workspace)?;
        Ok(true)
    }

    /// The mode that [`Mechanism::hold_or_slip`] leads to at a place, which stays as it is; none where nothing rubs.
    ///
    /// # Errors
    /// As [`Mechanism::grip`].
    pub(in crate::mechanism) fn rubbing(
        &self,
        held: (&[Grip], &[Footing]),
        at: At<Mode>,
        request: &Request,
        candidates: &[usize],
        workspace: &mut Workspace,
    ) -> Result<Option<Mode>> {
        let mut mode = at.mode.clone();
        let next = &mut Next {
            t: at.t,
            mode: &mut mode,
            x: &mut at.x.to_vec(),
        };
        let rubs = self.hold_or_slip(held, next, request, candidates, workspace)?;
        Ok(rubs.then_some(mode))
    }

    /// Reports what begins or ceases to stick, and what turns.
    fn report_turns(&self, before: &[Grip], next: &Next, request: &mut Request) {
        let earlier = |friction: usize| before.iter().find(|other| other.friction == friction);
        // Of feet that stick together now, one may have stuck before.
        let stuck = |grip: &Grip| earlier(grip.leader).is_some_and(|earlier| earlier.hold == Hold::Stick);
        let joins = |grip: &Grip| grip.hold == Hold::Stick && grip.turns && stuck(grip);
        let tells = |grip: &&Grip| grip.leads() || grip.shares() || joins(grip);
        for grip in next.mode.grips.iter().filter(tells) {
            let earlier = earlier(grip.friction);
            let kind = match (earlier.map(|earlier| earlier.hold), grip.hold) {
                (Some(Hold::Stick), new) if new.slips() => "slip",
                (Some(old), Hold::Stick) if old.slips() => "stick",
                (Some(Hold::Slip(old)), Hold::Slip(new)) if old != new => "reverse",
                (Some(Hold::SlipEnds), Hold::SlipBegins) => "reverse",
                _ => continue,
            };
            request.report(self.model.rubbed_name(grip.friction), kind);
        }
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
                // What is not possible is no reason to try something else.
                Err(error) if error.kind() == ErrorKind::Request => return Err(error),
                Err(error) => {
                    jam = Some(error);
                    break;
                }
            }
        }
        let mut combinations = self.combinations();
        combinations.retain(|choice| self.agrees(choice));
        for choice in combinations {
            match self.look(&choice, next, workspace) {
                Ok(None) => return Ok(choice),
                Err(error) if error.kind() == ErrorKind::Request => return Err(error),
                _ => {}
            }
        }
        Err(jam.unwrap_or_else(|| self.mechanism.no_grip(self, next.t)))
    }

    /// All choices, those that stick first; none where there are too many.
    fn combinations(&self) -> Vec<Vec<Choice>> {
        let mut found = vec![Vec::new()];
        if self.count() > MOST_COMBINED {
            return Vec::new();
        }
        for k in 0..self.count() {
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
    pub(super) fn put(&mut self, choice: &[Choice], next: &mut Next, workspace: &mut Workspace) -> Result<()> {
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
        self.carry(choice, next, workspace)?;
        let hold = |choice: Choice| match choice {
            Choice::Slip(hold) => hold,
            _ => Hold::Stick,
        };
        let closed: Vec<(usize, Hold)> = (choice.iter().enumerate())
            .filter(|(_, choice)| **choice != Choice::Open)
            .filter_map(|(k, &choice)| Some((self.friction(k)?, hold(choice))))
            .collect();
        next.mode.grips = mechanism.grouped(&closed, (&self.held, self.apart), next.at(), workspace)?;
        Ok(())
    }
}

impl Mechanism {
    /// The grips of what holds in these ways: contacts with the same row of velocities stick together, joints that keep the same motion from
    /// happening share it, and what others keep from moving already is spare.
    ///
    /// # Errors
    /// As for [`Mechanism::sharing`] and [`Mechanism::in_cone`].
    fn grouped(
        &self,
        closed: &[(usize, Hold)],
        (held, apart): (&[(usize, [f64; 3])], bool),
        at: At<Mode>,
        workspace: &Workspace,
    ) -> Result<Vec<Grip>> {
        let (nv, jacobian) = (self.model.nv(), &workspace.terms.jacobian);
        let mut rows = self.holding_rows(at.mode, workspace);
        let joints = rows.len() / nv.max(1);
        let mut grips: Vec<Grip> = Vec::new();
        let mut leaders: Vec<(usize, Hold, Vec<f64>)> = Vec::new();
        let mut sticking: Vec<usize> = Vec::new();
        let groups = self.groups(closed, apart, at, workspace)?;
        for &(friction, hold) in closed {
            let mut own = self.dense_slip_rows(friction, at, workspace);
            if own.len() != 1 {
                let known = rows.len();
                let grip = self.in_cone((friction, hold), &own, (&mut rows, joints), &groups, at, workspace)?;
                sticking.extend((known..rows.len()).step_by(nv).map(|_| friction));
                let direction = held.iter().find(|(other, _)| *other == friction);
                let direction = direction.filter(|_| grip.hold == Hold::SlipEnds);
                grips.push(Grip {
                    held: direction.map_or([0.0; 3], |(_, direction)| *direction),
                    ..grip
                });
                continue;
            }
            let row = own.swap_remove(0);
            let same = |(leader, other, known): &&(usize, Hold, Vec<f64>)| {
                *other == hold && self.is_one_face([*leader, friction]) && is_same(known, &row)
            };
            if let Some(&(leader, hold, _)) = leaders.iter().find(same) {
                let is_spare = |grip: &Grip| grip.friction == leader && grip.hold == Hold::Spare;
                let hold = if grips.iter().any(is_spare) { Hold::Spare } else { hold };
                grips.push(Grip::new(friction, leader, hold));
                continue;
            }
            let sticks = hold == Hold::Stick;
            let spare = sticks && !self.adds(&mut rows, &row, jacobian.units());
            // Joints that keep it from moving by themselves leave nothing to share.
            let held = |joints: &[f64]| !self.adds(&mut joints.to_vec(), &row, jacobian.units());
            if spare && !sticking.is_empty() && !held(&rows[..joints * nv]) && self.may_hold(friction, at, workspace) {
                let independent = Sharing {
                    rows: &rows,
                    joints,
                    sticking: &sticking,
                };
                grips.push(self.sharing(friction, &row, &independent, at, workspace)?);
                continue;
            }
            if sticks && !spare {
                sticking.push(friction);
            }
            leaders.push((friction, hold, row));
            grips.push(Grip::new(friction, friction, if spare { Hold::Spare } else { hold }));
        }
        Ok(grips)
    }

    /// For each contact the first one that the same bodies touch at with the same row of velocities; itself where there is none.
    pub(super) fn faces(&self, contacts: &[usize], at: At<Mode>, workspace: &Workspace) -> Vec<usize> {
        let (q, numbers) = (&at.x[self.positions()], &workspace.terms.numbers);
        let row = |&contact: &usize| {
            let friction = self.model.friction_of(contact)?;
            let row = self.tangential_rows(contact, q, numbers);
            Some((friction, row.first()?.dense(self.model.nv())))
        };
        if self.model.dimension > 2 {
            return self.flat_faces(contacts, at, workspace);
        }
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
        if a.press().is_some() || b.press().is_some() {
            return false;
        }
        let forces = [a, b].map(|friction| &self.model.forces[friction.force].local.coordinates);
        forces[0] == forces[1] && a.moves_as == b.moves_as
    }

    /// The rows of joints and gaps that hold, one after the other.
    pub(super) fn holding_rows(&self, mode: &Mode, workspace: &Workspace) -> Vec<f64> {
        let nv = self.model.nv();
        let mut rows = vec![0.0; mode.independent.len() * nv];
        for (&row, slots) in mode.independent.iter().zip(rows.chunks_exact_mut(nv.max(1))) {
            workspace.terms.jacobian.row(row).add_to(1.0, slots);
        }
        rows
    }

    /// Adds a row to independent ones if it is not a combination of them.
    pub(super) fn adds(&self, rows: &mut Vec<f64>, row: &[f64], units: &[f64]) -> bool {
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
