//! A choice of what the closed contacts do, and what of it does not agree with the law.

use crate::error::Result;
use crate::hybrid::At;
use crate::linear::max_abs;
use crate::mechanism::jump::{Next, Request};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::quantity::{Quantity, Rubbing};
use crate::model::{ContactState, Grip, Hold, Mode};

/// Accelerations below this, over the largest, are rounding.
const ROUNDING: f64 = 1e-10;

/// Friction forces below this, over the one that acts, are rounding where slip begins.
const SLACK: f64 = 1e-9;

/// What a contact does, as long as its friction is not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Choice {
    Open,
    /// Closed; with friction it sticks or slips in this direction.
    Stick,
    Slip(i8),
}

/// The first thing that does not agree: a contact, by its place, and what it should do instead; along the surface with those on its
/// face.
pub(super) struct Fault {
    contact: usize,
    instead: Choice,
    face: bool,
}

/// Contacts whose states are sought together.
pub(super) struct Trial<'a> {
    pub mechanism: &'a Mechanism,
    /// Contacts that touch without normal velocity.
    pub contacts: Vec<usize>,
    /// Those of them that others keep closed.
    pub carried: Vec<usize>,
    /// Direction in which each slips; none where it does not move along the surface.
    moves: Vec<Option<i8>>,
    /// Direction in which each begins to slip, because it sticks no longer.
    pushed: Vec<Option<i8>>,
    /// The first contact on the face of each, with which it sticks and slips.
    faces: Vec<usize>,
}

impl<'a> Trial<'a> {
    pub fn new(
        mechanism: &'a Mechanism,
        before: &[Grip],
        at: At<Mode>,
        request: &Request,
        contacts: Vec<usize>,
        workspace: &mut Workspace,
    ) -> Self {
        mechanism.load(at, &mut workspace.terms);
        let struck = workspace.plan.is_some();
        let noise = mechanism.noise(at.x);
        let motion = mechanism.motion(at, workspace);
        let mut trial = Self {
            mechanism,
            carried: Vec::new(),
            moves: Vec::new(),
            pushed: Vec::new(),
            faces: mechanism.faces(&contacts, at, workspace),
            contacts,
        };
        for &contact in &trial.contacts {
            if at.mode.contacts[contact] == ContactState::Carried {
                trial.carried.push(contact);
            }
            let friction = mechanism.model.friction_of(contact);
            let earlier = before.iter().find(|grip| Some(grip.friction) == friction);
            let turned = earlier.is_some_and(|grip| request.turned.contains(&grip.leader));
            let stuck = earlier.is_some_and(|grip| matches!(grip.hold, Hold::Stick | Hold::Spare));
            let slip = friction.map_or(0.0, |friction| {
                Quantity::Friction(friction, Rubbing::Slip).evaluate(&mechanism.model, at.mode, &motion)
            });
            let still = !struck && (turned || stuck) || slip.abs() <= noise;
            trial.moves.push((!still).then_some(if slip < 0.0 { -1 } else { 1 }));
            let leader = earlier.filter(|_| turned && stuck).map(|grip| grip.leader);
            let push = leader.and_then(|leader| request.pushes.iter().find(|(other, _)| *other == leader));
            trial.pushed.push(push.map(|(_, sign)| *sign));
        }
        trial
    }

    /// Where the search begins: as before it where that is known, else sticking.
    pub fn first_choice(&self, mode: &Mode) -> Vec<Choice> {
        let choice = |(k, &contact): (usize, &usize)| match self.moves[k].or(self.pushed[k]) {
            _ if !mode.contacts[contact].lasts() => Choice::Open,
            Some(sign) => Choice::Slip(sign),
            None => Choice::Stick,
        };
        self.contacts.iter().enumerate().map(choice).collect()
    }

    /// What a contact can do.
    pub fn options(&self, k: usize) -> Vec<Choice> {
        let frictional = self.mechanism.model.friction_of(self.contacts[k]).is_some();
        match (frictional, self.moves[k], self.pushed[k]) {
            (false, ..) => vec![Choice::Stick, Choice::Open],
            (_, Some(sign), _) => vec![Choice::Slip(sign), Choice::Open],
            (_, None, Some(_)) => vec![Choice::Slip(1), Choice::Slip(-1), Choice::Open],
            (..) => vec![Choice::Stick, Choice::Slip(1), Choice::Slip(-1), Choice::Open],
        }
    }

    /// Evaluates the motion of a choice; the first thing that does not agree with the law.
    ///
    /// # Errors
    /// As for the motion.
    pub fn look(&self, choice: &[Choice], next: &mut Next, workspace: &mut Workspace) -> Result<Option<Fault>> {
        self.put(choice, next, workspace)?;
        self.mechanism.evaluate_motion(next.at(), true, workspace)?;
        Ok((0..choice.len()).find_map(|k| self.fault(k, choice[k], next.at(), workspace)))
    }

    /// The choice with what is at fault changed.
    pub fn amended(&self, choice: &[Choice], fault: &Fault) -> Vec<Choice> {
        let mut amended = choice.to_vec();
        amended[fault.contact] = fault.instead;
        for k in (0..choice.len()).filter(|_| fault.face) {
            if self.faces[k] == self.faces[fault.contact] && choice[k] != Choice::Open {
                amended[k] = fault.instead;
            }
        }
        amended
    }

    /// Whether contacts on one face do the same.
    pub fn agrees(&self, choice: &[Choice]) -> bool {
        (0..choice.len()).all(|k| {
            let first = (0..k).find(|&i| self.faces[i] == self.faces[k] && choice[i] != Choice::Open);
            choice[k] == Choice::Open || first.is_none_or(|first| choice[first] == choice[k])
        })
    }

    fn fault(&self, k: usize, choice: Choice, at: At<Mode>, workspace: &Workspace) -> Option<Fault> {
        let (mechanism, contact) = (self.mechanism, self.contacts[k]);
        let fault = |instead: Choice, face: bool| Fault {
            contact: k,
            instead,
            face,
        };
        let motion = mechanism.motion(at, workspace);
        let read = |quantity: Quantity| quantity.evaluate(&mechanism.model, at.mode, &motion);
        let largest = max_abs(&workspace.a);
        if choice == Choice::Open {
            let gap = mechanism.gap_row(contact, at, workspace);
            let (closing, size) = (gap.row.dot(&workspace.a) + gap.gamma, gap.row.re());
            let reach = size.iter().fold(0.0, |most: f64, (_, entry)| most.max(entry.abs()));
            let closes = closing < -ROUNDING * (reach * largest + gap.gamma.abs());
            return closes.then(|| fault(self.closed(k), false));
        }
        let noise = mechanism.force_noise(workspace);
        if read(Quantity::ContactForce(contact)) < -noise {
            return Some(fault(Choice::Open, false));
        }
        let friction = mechanism.model.friction_of(contact)?;
        let grip = at.mode.grip(friction)?;
        match grip.hold {
            Hold::Stick if grip.leads() && read(Quantity::Friction(friction, Rubbing::Cone)) < -noise => {
                let force = read(Quantity::Friction(friction, Rubbing::Force));
                Some(fault(Choice::Slip(if force > 0.0 { -1 } else { 1 }), true))
            }
            Hold::Slip(sign) if self.moves[k].is_none() => {
                let rate = mechanism.model.slip_acceleration(friction, &motion) * f64::from(sign);
                let slack = noise + SLACK * read(Quantity::Friction(friction, Rubbing::Force)).abs();
                let turns = rate < -slack * mechanism.yields(friction, at, workspace);
                let other = if self.pushed[k].is_some() {
                    Choice::Slip(-sign)
                } else {
                    Choice::Stick
                };
                turns.then(|| fault(other, true))
            }
            _ => None,
        }
    }

    /// What a contact does that closes.
    fn closed(&self, k: usize) -> Choice {
        self.moves[k].or(self.pushed[k]).map_or(Choice::Stick, Choice::Slip)
    }
}
