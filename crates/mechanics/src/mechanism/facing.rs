//! Surfaces with ends: the part that a point may touch, and what happens at the borders of the parts (theory, 4.6).

use super::guards::ROUNDING;
use super::jump::Request;
use super::start::PENETRATION;
use super::{Mechanism, Workspace};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::model::quantity::Quantity;
use crate::model::{ContactState, CoordinateKind, Grip, Mode, Shared};

impl Mechanism {
    /// State of an enabled contact that does not touch: whether its point faces its part of a surface, in front of it.
    pub(super) fn faced(&self, contact: usize, at: At<Mode>, workspace: &mut Workspace) -> ContactState {
        let Some(face) = &self.model.contacts[contact].face else {
            return ContactState::Open;
        };
        let gap = self.read(&Quantity::Gap(contact), at, workspace);
        let numbers = face.local.pick_numbers(&workspace.terms.numbers);
        let inside: f64 = face.inside(&face.local.pick(&at.x[self.positions()]), &numbers);
        // Nearer than the other side of the circle it penetrates; what lies behind does not.
        let depth = (2.0 * numbers[face.radius]).max(PENETRATION * self.farthest(at.x, CoordinateKind::Length));
        if inside < 0.0 || gap < -depth {
            ContactState::Away
        } else {
            ContactState::Open
        }
    }

    /// Takes a contact over the border of its part; one that lasts goes on as the contact with the part beyond.
    pub(super) fn pass_border(
        &self,
        contact: usize,
        at: At<Mode>,
        next: &mut Mode,
        request: &mut Request,
        workspace: &mut Workspace,
    ) {
        let (state, Some(face)) = (at.mode.contacts[contact], &self.model.contacts[contact].face) else {
            return;
        };
        if next.contacts[contact] != state {
            return;
        }
        self.load(at, &mut workspace.terms);
        let numbers = face.local.pick_numbers(&workspace.terms.numbers);
        let border = face.nearest(&face.local.pick(&at.x[self.positions()]), &numbers);
        let beyond = border.and_then(|border| border.beyond);
        if state == ContactState::Away {
            next.contacts[contact] = ContactState::Open;
        } else {
            let other = beyond.filter(|&other| next.contacts[other] != ContactState::Disabled);
            self.hand_over([contact, other.unwrap_or(contact)], next, request);
        }
    }

    /// Whether a contact watches the borders of its part. Where its point slides on a part beside it, that hands it over.
    pub(super) fn watches_borders(&self, contact: usize, mode: &Mode) -> bool {
        let Some(face) = &self.model.contacts[contact].face else {
            return false;
        };
        let lasts = |state: ContactState| {
            use ContactState::{Carried, Sliding, Stuck};
            matches!(state, Sliding | Carried | Stuck)
        };
        match mode.contacts[contact] {
            ContactState::Disabled | ContactState::Waiting | ContactState::Stuck => false,
            ContactState::Away => {
                let mut beside = face.borders.iter().filter_map(|border| border.beyond);
                !beside.any(|other| lasts(mode.contacts[other]))
            }
            ContactState::Open | ContactState::Sliding | ContactState::Carried => true,
        }
    }

    /// Moves the state of a contact to the one that goes on from its border; to itself where nothing does.
    fn hand_over(&self, [from, to]: [usize; 2], next: &mut Mode, request: &mut Request) {
        let state = std::mem::replace(&mut next.contacts[from], ContactState::Away);
        if from == to {
            request.passed.push((from, None));
            return;
        }
        if matches!(next.contacts[to], ContactState::Away | ContactState::Open) {
            next.contacts[to] = state;
            next.fastest[to] = next.fastest[to].max(next.fastest[from]);
        }
        request.passed.push((from, Some(to)));
    }

    /// A circle that strikes at a border strikes the part beyond; a bare point there strikes the end of the surface.
    ///
    /// # Errors
    /// Kind `Event` for the end of a surface.
    pub(super) fn check_ends(&self, at: At<Mode>, request: &mut Request, workspace: &Workspace) -> Result<()> {
        for contact in &mut request.touching {
            let passed = request.passed.iter().find(|(from, _)| from == contact);
            if let Some((_, Some(to))) = passed {
                *contact = *to;
            } else if passed.is_some() || self.is_at_end(*contact, at, workspace) {
                let name = &self.model.contacts[*contact].name;
                let message = format!("a bare point strikes the end of \"{name}\": there is no one outcome");
                return Err(Error::new(ErrorKind::Event, message)
                    .named(name.clone())
                    .at_time(at.t)
                    .advise("give the point a radius, or change a place a little"));
            }
        }
        request.touching.sort_unstable();
        request.touching.dedup();
        Ok(())
    }

    /// Whether a point is at a border that nothing goes on from.
    fn is_at_end(&self, contact: usize, at: At<Mode>, workspace: &Workspace) -> bool {
        let Some(face) = &self.model.contacts[contact].face else {
            return false;
        };
        let (q, numbers) = (
            face.local.pick(&at.x[self.positions()]),
            face.local.pick_numbers(&workspace.terms.numbers),
        );
        let ends = face
            .nearest(&q, &numbers)
            .is_some_and(|border| border.beyond.is_none() && border.next.is_none());
        let distance: f64 = face.inside(&q, &numbers);
        ends && distance <= ROUNDING * self.farthest(at.x, CoordinateKind::Length)
    }

    /// States of the contacts before a jump, those that are handed over as if the others had been in them.
    pub(super) fn handed_over(&self, mode: &Mode, next: &Mode, request: &Request) -> Shared<ContactState> {
        let mut before = mode.contacts.clone();
        for &(from, to) in &request.passed {
            let Some(to) = to else { continue };
            if next.contacts[from] == ContactState::Away {
                before[to] = before[from];
                before[from] = ContactState::Away;
            }
        }
        before
    }

    /// Grips before a jump, those of contacts that are handed over as if the others had been in them: what sticks goes on to stick,
    /// whatever its rounding is. What the guards of friction have noted of them goes along.
    pub(super) fn grips_handed_over(&self, grips: &[Grip], request: &mut Request) -> Vec<Grip> {
        let mut grips = grips.to_vec();
        for &(from, to) in &request.passed {
            let friction = |contact| self.model.friction_of(contact);
            let (Some(from), Some(to)) = (friction(from), to.and_then(friction)) else {
                continue;
            };
            if grips.iter().any(|grip| grip.friction == to) {
                continue;
            }
            let change = |own: &mut usize| *own = if *own == from { to } else { *own };
            for grip in &mut grips {
                change(&mut grip.friction);
                change(&mut grip.leader);
            }
            request.turned.iter_mut().for_each(change);
            request.slowed.iter_mut().for_each(change);
            request.pushes.iter_mut().for_each(|(own, _)| change(own));
        }
        grips
    }
}
