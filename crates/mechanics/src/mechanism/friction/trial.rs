//! A choice of what the closed contacts and the joints do, and what of it does not agree with the law.

use crate::error::{ErrorKind, Result};
use crate::hybrid::At;
use crate::mechanism::jump::{Next, Request};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::quantity::{Quantity, Rubbing};
use crate::model::{ContactState, Grip, Hold, Mode};

/// What a contact or joint does, as long as its friction is not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Choice {
    Open,
    /// Closed; with friction it sticks, or slips in this way.
    Stick,
    Slip(Hold),
}

/// The first thing that does not agree, by its place, and what it should do instead; along the surface with those on its
/// face.
pub(super) struct Fault {
    pub place: usize,
    pub instead: Choice,
    pub face: bool,
}

/// Contacts and joints whose states are sought together; places are those of the contacts, then those of the joints.
pub(super) struct Trial<'a> {
    pub mechanism: &'a Mechanism,
    /// Contacts that touch without normal velocity.
    pub contacts: Vec<usize>,
    /// Frictions of joints that hold.
    pub joints: Vec<usize>,
    /// Those of them that others keep closed.
    pub carried: Vec<usize>,
    /// How each slips; none where it does not move along the surface.
    pub moves: Vec<Option<Hold>>,
    /// How each begins to slip, because it sticks no longer.
    pub pushed: Vec<Option<Hold>>,
    /// How each has slipped whose slip has not ended, where no velocity jumps: also where it begins at this very instant it goes on if its
    /// acceleration agrees.
    begun: Vec<Option<Hold>>,
    /// In space: directions of slip that are held, by the frictions.
    pub held: Vec<(usize, [f64; 3])>,
    /// The first contact on the face of each, with which it sticks and slips.
    pub faces: Vec<usize>,
    /// Slip speeds.
    speeds: Vec<f64>,
    /// In space: the first contact on the face of each, with which it may share what presses there; none where nothing rubs.
    pub floors: Vec<usize>,
    /// Contacts that touch without a share of it.
    pub idle: Vec<bool>,
    /// Whether feet on one face begin to slip each by itself.
    pub apart: bool,
}

impl<'a> Trial<'a> {
    pub fn new(
        mechanism: &'a Mechanism,
        before: &[Grip],
        at: At<Mode>,
        request: &Request,
        (contacts, joints): (Vec<usize>, Vec<usize>),
        workspace: &mut Workspace,
    ) -> Self {
        mechanism.load(at, &mut workspace.terms);
        let motion = mechanism.motion(at, workspace);
        let mut trial = Self {
            mechanism,
            moves: Vec::new(),
            pushed: Vec::new(),
            begun: Vec::new(),
            held: Vec::new(),
            faces: mechanism.faces(&contacts, at, workspace),
            speeds: Vec::new(),
            floors: mechanism.floors(&contacts, at, workspace),
            idle: vec![false; contacts.len()],
            apart: false,
            carried: (contacts.iter().copied())
                .filter(|&contact| at.mode.contacts[contact] == ContactState::Carried)
                .collect(),
            contacts,
            joints,
        };
        trial.faces.extend(trial.contacts.len()..trial.count());
        let mut ended = Vec::new();
        for k in 0..trial.count() {
            let friction = trial.friction(k);
            let earlier = before.iter().find(|grip| Some(grip.friction) == friction);
            let turned = earlier
                .is_some_and(|grip| request.turned.contains(&grip.leader) || request.slowed.contains(&grip.friction));
            let stuck = earlier.is_some_and(|grip| matches!(grip.hold, Hold::Stick | Hold::Spare));
            let struck =
                friction.is_some_and(|own| request.jolted.contains(&own) || mechanism.is_struck(own, at, workspace));
            let noise = friction.map_or(0.0, |friction| mechanism.slip_noise(friction, at.x));
            let slip = friction.map_or(0.0, |friction| {
                Quantity::Friction(friction, Rubbing::Slip).evaluate(&mechanism.model, at.mode, &motion)
            });
            let moves = if friction.is_some_and(|friction| mechanism.model.frictions[friction].is_smooth()) {
                // What never sticks has one way to slip.
                Some(if trial.is_single(k) {
                    Hold::Slip(1)
                } else {
                    Hold::SlipAlong
                })
            } else if trial.is_single(k) {
                let still = !struck && (turned || stuck) || slip.abs() <= noise;
                (!still).then_some(Hold::Slip(if slip < 0.0 { -1 } else { 1 }))
            } else {
                let before = earlier.filter(|_| !struck);
                friction.and_then(|own| mechanism.goes_on(own, before, turned, (slip, noise)))
            };
            if let (Some(friction), Some(Hold::SlipEnds)) = (friction, moves) {
                let known = earlier.filter(|grip| !struck && grip.hold == Hold::SlipEnds);
                let direction = || mechanism.model.slip_direction(friction, &motion);
                trial
                    .held
                    .push((friction, known.map_or_else(direction, |grip| grip.held)));
            }
            match earlier.map(|grip| grip.hold).filter(|_| turned) {
                Some(Hold::SlipEnds) if moves.is_none() => ended.push((trial.faces[k], true)),
                Some(Hold::SlipBegins) => ended.push((trial.faces[k], false)),
                _ => {}
            }
            let begun = earlier
                .map(|grip| grip.hold)
                .filter(|hold| matches!(hold, Hold::Slip(_)));
            trial
                .begun
                .push(begun.filter(|_| !turned && !struck && workspace.plan.is_none()));
            trial.speeds.push(slip.abs());
            trial.moves.push(moves);
            let own = friction.filter(|_| turned && stuck);
            let push = own.and_then(|own| request.pushes.iter().find(|(other, _)| *other == own));
            trial.pushed.push(push.map(|(_, hold)| *hold));
        }
        if mechanism.model.dimension > 2 {
            trial.settle_faces(&ended);
        }
        trial
    }

    /// Feet on one flat face come to rest together, or one of them while the body turns about it. `ended` are the faces of those whose slip
    /// ends (true), and of those whose slip has begun.
    fn settle_faces(&mut self, ended: &[(usize, bool)]) {
        let least = self.mechanism.least_slip();
        for face in (0..self.contacts.len()).filter(|&face| self.faces[face] == face) {
            let own: Vec<usize> = (face..self.contacts.len()).filter(|&k| self.faces[k] == face).collect();
            if own.len() < 2 {
                continue;
            }
            for &k in &own {
                match self.moves[k] {
                    Some(Hold::SlipEnds | Hold::SlipBegins) if ended.contains(&(face, true)) => self.moves[k] = None,
                    None if self.speeds[k] > least && ended.contains(&(face, false)) => {
                        self.moves[k] = Some(Hold::SlipAlong);
                    }
                    _ => {}
                }
            }
            let is_slow = |k: &usize| matches!(self.moves[*k], None | Some(Hold::SlipBegins));
            let rests = |k: &usize| self.moves[*k].is_none();
            let slow: Vec<usize> = own.iter().copied().filter(is_slow).collect();
            if slow.len() == own.len() {
                let rest = own.iter().any(rests);
                own.iter().filter(|_| rest).for_each(|&k| self.moves[k] = None);
                continue;
            }
            let slowest = (slow.iter().copied()).min_by(|&a, &b| self.speeds[a].total_cmp(&self.speeds[b]));
            for k in slow.into_iter().filter(|&k| Some(k) != slowest) {
                self.moves[k] = Some(Hold::SlipAlong);
            }
        }
    }

    /// How many contacts and joints there are.
    pub fn count(&self) -> usize {
        self.contacts.len() + self.joints.len()
    }

    /// The friction at a place, if there is some.
    pub fn friction(&self, k: usize) -> Option<usize> {
        match self.contacts.get(k) {
            Some(&contact) => self.mechanism.model.friction_of(contact),
            None => Some(self.joints[k - self.contacts.len()]),
        }
    }

    /// Whether it slips to one of two sides; in the plane all do.
    pub fn is_single(&self, k: usize) -> bool {
        let model = &self.mechanism.model;
        self.friction(k)
            .map_or(model.dimension == 2, |friction| model.frictions[friction].is_single())
    }

    /// Where the search begins: as before it where that is known, else sticking.
    pub fn first_choice(&self, mode: &Mode) -> Vec<Choice> {
        let is_open = |k: usize| {
            self.contacts
                .get(k)
                .is_some_and(|&contact| !mode.contacts[contact].lasts())
        };
        let choice = |k: usize| match self.moves[k].or(self.pushed[k]).or(self.begun[k]) {
            _ if is_open(k) => Choice::Open,
            Some(hold) => Choice::Slip(hold),
            None => Choice::Stick,
        };
        (0..self.count()).map(choice).collect()
    }

    /// What a contact or joint can do.
    pub fn options(&self, k: usize) -> Vec<Choice> {
        let mut options = match (self.friction(k).is_some(), self.moves[k], self.pushed[k]) {
            (false, ..) => vec![Choice::Stick],
            (_, Some(hold), _) => vec![Choice::Slip(hold)],
            (_, None, Some(_)) => self.beginnings(k),
            (..) => [vec![Choice::Stick], self.beginnings(k)].concat(),
        };
        options.extend((k < self.contacts.len()).then_some(Choice::Open));
        options
    }

    /// The ways in which slip can begin.
    fn beginnings(&self, k: usize) -> Vec<Choice> {
        match self.is_single(k) {
            true => [1, -1].map(|sign| Choice::Slip(Hold::Slip(sign))).to_vec(),
            false => vec![Choice::Slip(Hold::SlipBegins)],
        }
    }

    /// Evaluates the motion of a choice; the first thing that does not agree with the law.
    ///
    /// # Errors
    /// As for the motion.
    pub fn look(&mut self, choice: &[Choice], next: &mut Next, workspace: &mut Workspace) -> Result<Option<Fault>> {
        let mut seen = Vec::new();
        self.apart = false;
        loop {
            self.move_on(choice, next, workspace)?;
            let Some(k) = self.shifting(next.at(), workspace) else {
                break;
            };
            self.idle[k] = !self.idle[k];
            if seen.contains(&self.idle) {
                return Err(self.mechanism.no_grip(self, next.t));
            }
            seen.push(self.idle.clone());
        }
        Ok((0..choice.len()).find_map(|k| self.fault(k, choice[k], next.at(), workspace)))
    }

    /// The motion of a choice. Where feet that begin to slip leave the direction open, they do so each against its own acceleration.
    fn move_on(&mut self, choice: &[Choice], next: &mut Next, workspace: &mut Workspace) -> Result<()> {
        self.apart = false;
        let found = self.put_moving(choice, next, workspace);
        let mechanism = self.mechanism;
        let begins = |grip: &&Grip| grip.hold == Hold::SlipBegins && mechanism.model.is_foot(grip, next.mode);
        let mut begun = next.mode.grips.iter().filter(begins);
        let is_open = match &found {
            Ok(()) => begun.any(|grip| mechanism.begins_otherwise(grip, next.at(), workspace)),
            Err(error) => error.kind() == ErrorKind::Singular && begun.next().is_some(),
        };
        if !is_open {
            return found;
        }
        self.apart = true;
        let apart = self.put_moving(choice, next, workspace);
        self.apart = apart.is_ok();
        match found {
            Ok(()) if !self.apart => self.put_moving(choice, next, workspace),
            _ => apart.or(found),
        }
    }

    fn put_moving(&mut self, choice: &[Choice], next: &mut Next, workspace: &mut Workspace) -> Result<()> {
        self.put(choice, next, workspace)?;
        self.mechanism.evaluate_motion(next.at(), true, workspace)
    }

    /// The choice with what is at fault changed.
    pub fn amended(&mut self, choice: &[Choice], fault: &Fault) -> Vec<Choice> {
        let mut amended = choice.to_vec();
        amended[fault.place] = fault.instead;
        if fault.instead == Choice::Open {
            // Without it, others on its face no longer touch only because it does.
            for k in self.leave_with(fault.place) {
                amended[k] = Choice::Open;
            }
        }
        for k in (0..choice.len()).filter(|_| fault.face) {
            if self.faces[k] == self.faces[fault.place] && choice[k] != Choice::Open && self.follows(k) {
                amended[k] = fault.instead;
            }
        }
        amended
    }

    /// Whether it does what others on its face do: in space not where it moves, as the body may turn.
    fn follows(&self, k: usize) -> bool {
        self.is_single(k) || self.moves[k].is_none()
    }

    /// Whether contacts on one face do the same.
    pub fn agrees(&self, choice: &[Choice]) -> bool {
        (0..choice.len()).all(|k| {
            let does = |i: &usize| choice[*i] != Choice::Open && self.follows(*i);
            let first = (0..k).find(|&i| self.faces[i] == self.faces[k] && does(&i));
            !does(&k) || first.is_none_or(|first| choice[first] == choice[k])
        })
    }
}
