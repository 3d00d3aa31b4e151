//! Contacts of one body on one flat face in space, of which more touch than are needed to carry it: how they share what presses there
//! (theory, 4.21).

use super::trial::{Choice, Trial};
use crate::error::Result;
use crate::formulation::select_rows;
use crate::hybrid::At;
use crate::mechanism::jump::{Next, Request};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::quantity::{Quantity, Spread};
use crate::model::{ContactState, Footing, MOST_FEET, Mode};

impl Mechanism {
    /// Whether what presses at a contact can be borne by those that share it.
    fn can_spare(&self, footing: &Footing, contact: usize, at: At<Mode>, workspace: &Workspace) -> bool {
        let motion = self.motion(at, workspace);
        let place = |&(foot, _): &(usize, bool)| self.model.place_on_surface(foot, &motion);
        let pressing = footing.feet.iter().filter(|(_, presses)| *presses);
        let others = pressing.clone().filter(|(foot, _)| *foot != contact);
        others.clone().next().is_some() && Spread::new(others.map(place)).rank == Spread::new(pressing.map(place)).rank
    }

    /// Turns what contacts that share a load ask for into releases where the others cannot bear it: the body tips over these, and those
    /// leave that did not press.
    pub(in crate::mechanism) fn shift_loads(
        &self,
        at: At<Mode>,
        next: &mut Mode,
        request: &mut Request,
        workspace: &Workspace,
    ) {
        let mut shifted = Vec::new();
        for footing in &at.mode.footings {
            let mut now = footing.clone();
            let asked = request
                .shifted
                .iter()
                .filter(|own| footing.feet.iter().any(|(foot, _)| foot == *own));
            let mut tips = false;
            for &contact in asked {
                tips |= now.presses(contact) && !self.can_spare(&now, contact, at, workspace);
                let foot = now.feet.iter_mut().find(|(foot, _)| *foot == contact);
                foot.into_iter().for_each(|(_, presses)| *presses = !*presses);
                shifted.push(contact);
            }
            for &(contact, _) in now.feet.iter().filter(|(_, presses)| tips && !presses) {
                next.contacts[contact] = ContactState::Open;
                next.released.set(contact, at.t);
                request.released.push(contact);
                shifted.retain(|own| *own != contact);
            }
        }
        request.shifted = shifted;
    }
}

impl Mechanism {
    /// Whether a contact has friction, and not a coefficient of zero.
    fn rubs(&self, friction: usize, workspace: &Workspace) -> bool {
        let law = &self.model.frictions[friction];
        let own = law.local.gather_numbers::<f64>(&workspace.terms.numbers);
        law.coefficients.iter().any(|&number| own[number] > 0.0)
    }
}

impl Trial<'_> {
    /// Notes which contacts touched without a share of the load of their face before, and which of them changed.
    pub fn rest_idle(&mut self, before: &[Footing], shifted: &[usize]) {
        for (contact, idle) in self.contacts.iter().zip(&mut self.idle) {
            let known = before
                .iter()
                .find_map(|footing| footing.feet.iter().find(|(foot, _)| foot == contact));
            *idle = known.is_some_and(|(_, presses)| *presses == shifted.contains(contact));
        }
    }

    /// Chooses the rows by which faces carry, and how contacts on each share what presses there, where they are more than these.
    ///
    /// # Errors
    /// Kind `Request` where what presses at a contact that rubs is not unique.
    pub fn carry(&mut self, choice: &[Choice], next: &mut Next, workspace: &mut Workspace) -> Result<()> {
        let mechanism = self.mechanism;
        next.mode.footings.clear();
        if mechanism.model.dimension < 3 || !mechanism.needs_independent_rows() {
            return Ok(());
        }
        for floor in 0..self.contacts.len() {
            let on_floor = |&k: &usize| self.floors[k] == floor && choice[k] != Choice::Open;
            let own: Vec<usize> = (floor..self.contacts.len()).filter(on_floor).collect();
            let rubs = own.iter().any(|&k| self.friction(k).is_some());
            if self.floors[floor] == floor && rubs {
                self.carry_together(&own, next, workspace)?;
            }
        }
        self.check_carried(next, workspace)
    }

    /// Contacts that others carry must not share with those that rub: their rows follow from those of others.
    fn check_carried(&self, next: &Next, workspace: &Workspace) -> Result<()> {
        let (mechanism, mode) = (self.mechanism, &*next.mode);
        let mut carried = mode.having(|state| state == ContactState::Carried);
        let alone = carried.find(|&contact| mode.footing_of(contact).is_none());
        let rubbing = |&contact: &usize| {
            let friction = mechanism
                .model
                .friction_of(contact)
                .filter(|own| mechanism.rubs(*own, workspace));
            mode.contacts[contact].lasts() && (friction.is_some() || mode.footing_of(contact).is_some())
        };
        let pressed: Vec<usize> = self.contacts.iter().copied().filter(rubbing).collect();
        let friction = pressed.iter().find_map(|&contact| mechanism.model.friction_of(contact));
        let (Some(_), Some(friction)) = (alone, friction) else {
            return Ok(());
        };
        let (nv, units) = (mechanism.model.nv(), workspace.terms.jacobian.units());
        let of_pressed = |constraint: usize| {
            pressed
                .iter()
                .any(|&own| mechanism.model.contacts[own].gap == constraint)
        };
        let others = mode
            .constraints
            .iter()
            .zip(&mode.offsets)
            .filter(|(constraint, _)| !of_pressed(**constraint));
        let mut rows = Vec::new();
        for (&constraint, &first) in others {
            for row in first..first + mechanism.model.constraints[constraint].rows {
                let mut dense = vec![0.0; nv];
                workspace.terms.jacobian.row(row).add_to(1.0, &mut dense);
                mechanism.adds(&mut rows, &dense, units);
            }
        }
        for contact in mode.having(|state| state == ContactState::Carried) {
            let gap = mechanism.gap_row(contact, next.at(), workspace);
            if mode.footing_of(contact).is_none() && mechanism.adds(&mut rows.clone(), &gap.row.dense(nv), units) {
                return Err(mechanism.load_is_open(friction, next.t));
            }
        }
        Ok(())
    }

    fn carry_together(&mut self, own: &[usize], next: &mut Next, workspace: &mut Workspace) -> Result<()> {
        let mechanism = self.mechanism;
        let select = |next: &mut Next, workspace: &mut Workspace| {
            next.mode.refresh(&mechanism.model);
            mechanism.assemble_constraints(next.at(), &mut workspace.terms);
            select_rows(next.mode, &workspace.terms);
        };
        let before: Vec<ContactState> = own.iter().map(|&k| next.mode.contacts[self.contacts[k]]).collect();
        for &k in own {
            next.mode.contacts[self.contacts[k]] = ContactState::Carried;
        }
        select(next, workspace);
        let mut rows = mechanism.holding_rows(next.mode, workspace);
        let units = workspace.terms.jacobian.units();
        let mut holds = |k: usize| {
            let gap = mechanism.gap_row(self.contacts[k], next.at(), workspace);
            mechanism.adds(&mut rows, &gap.row.dense(mechanism.model.nv()), units)
        };
        let (idle, pressing): (Vec<usize>, Vec<usize>) = own.iter().partition(|&&k| self.idle[k]);
        let mut holding: Vec<usize> = pressing.into_iter().filter(|&k| holds(k)).collect();
        let pressed = holding.len();
        holding.extend(idle.into_iter().filter(|&k| holds(k)));
        let motion = mechanism.motion(next.at(), workspace);
        let places = own
            .iter()
            .map(|&k| mechanism.model.place_on_surface(self.contacts[k], &motion));
        let alone = Spread::new(places).rank == holding.len() && own.len() <= MOST_FEET;
        let rubbing = |k: &usize| {
            self.friction(*k)
                .filter(|friction| mechanism.rubs(*friction, workspace))
        };
        if let Some(friction) = own
            .iter()
            .find_map(rubbing)
            .filter(|_| !alone && holding.len() < own.len())
        {
            return Err(mechanism.load_is_open(friction, next.t));
        }
        let states = own
            .iter()
            .zip(before)
            .map(|(k, state)| match (alone, holding.contains(k)) {
                (true, true) => ContactState::Sliding,
                (true, false) => ContactState::Carried,
                (false, _) => state,
            });
        let states: Vec<ContactState> = states.collect();
        for (&k, state) in own.iter().zip(states) {
            next.mode.contacts[self.contacts[k]] = state;
        }
        select(next, workspace);
        if pressed < holding.len() || !alone || holding.len() == own.len() {
            // All press where those that did cannot bear everything.
            own.iter().for_each(|&k| self.idle[k] = false);
        }
        if alone && holding.len() < own.len() {
            let foot = |&k: &usize| (self.contacts[k], !self.idle[k]);
            next.mode.footings.push(Footing {
                feet: own.iter().map(foot).collect(),
            });
        }
        Ok(())
    }

    /// A contact that shares a load and pulls, though others can bear its share, or one that does not and would press.
    pub fn shifting(&self, at: At<Mode>, workspace: &Workspace) -> Option<usize> {
        let mechanism = self.mechanism;
        let (motion, noise) = (mechanism.motion(at, workspace), mechanism.force_noise(workspace));
        let wrong = |&(contact, presses): &(usize, bool)| {
            let quantity = if presses {
                Quantity::ContactForce
            } else {
                Quantity::Relief
            };
            (contact, quantity(contact).evaluate(&mechanism.model, at.mode, &motion))
        };
        let mut found: Option<(usize, f64)> = None;
        for footing in &at.mode.footings {
            for (contact, force) in footing.feet.iter().map(wrong) {
                let least = found.map_or(-noise, |(_, least)| least);
                let may = || !footing.presses(contact) || mechanism.can_spare(footing, contact, at, workspace);
                if force < least && may() {
                    found = Some((contact, force));
                }
            }
        }
        let (contact, _) = found?;
        self.contacts.iter().position(|own| *own == contact)
    }

    /// Contacts that touch without a load on the face of one that opens: they leave with it.
    pub fn leave_with(&mut self, k: usize) -> Vec<usize> {
        let Some(&floor) = self.floors.get(k) else {
            return Vec::new();
        };
        let found: Vec<usize> = (0..self.contacts.len())
            .filter(|&i| self.floors[i] == floor && self.idle[i])
            .collect();
        found.iter().for_each(|&i| self.idle[i] = false);
        found
    }
}
