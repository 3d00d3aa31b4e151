//! The discrete state: which constraints, forces and contacts act.

use std::sync::Arc;

use super::{Departure, Model, Shared};

/// State of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactState {
    /// Switched off.
    Disabled,
    /// With a part of a surface that the point is beyond, or behind.
    Away,
    /// Not touching.
    Open,
    /// Closing at this instant, in its turn after another event: kept out of the jump of that.
    Waiting,
    /// Touching and sliding without friction: the gap is a constraint.
    Sliding,
    /// Touching because other contacts and joints already keep it so: no constraint of its own, and no force.
    Carried,
    /// Touching and pinned.
    Stuck,
}

impl ContactState {
    /// Whether it touches for a while without sticking.
    pub fn lasts(self) -> bool {
        matches!(self, Self::Sliding | Self::Carried)
    }
}

/// What the motion slides along the guard of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leader {
    /// The argument of a kink.
    Kink(usize),
    /// The condition of an event, upwards where the event fires.
    Event(usize),
}

/// A guard that both sides lead back to, and what changes there: it takes values between those of the two sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Slide {
    /// What the guard belongs to.
    pub leader: Leader,
    /// Kinks on the guard, each with its side above it.
    pub kinks: Vec<(usize, f64)>,
    /// Pairs of events on the guard that set the same memory: the one that fires upwards, then the other.
    pub events: Vec<[usize; 2]>,
}

/// Contacts of one body on one flat face in space that share its load, as more of them touch than are needed to carry it.
#[derive(Clone, Debug, PartialEq)]
pub struct Footing {
    /// The contacts, and whether each presses.
    pub feet: Vec<(usize, bool)>,
}

/// How a closed contact with friction holds along the surface, or a joint with friction along its freedom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hold {
    /// It does not move along it.
    Stick,
    /// In the plane: it moves along it, in this direction: +1 or -1.
    Slip(i8),
    /// In space: it moves along it.
    SlipAlong,
    /// In space: it begins to, so slowly yet that its acceleration tells in which direction.
    SlipBegins,
    /// In space: it comes to rest, so slowly already that its direction is held: that of the velocity is no more than rounding in the end.
    SlipEnds,
    /// Joints or other contacts keep it from moving along it already: it carries no friction.
    Spare,
}

impl Hold {
    /// Direction of slip; zero without.
    pub fn sign(self) -> f64 {
        match self {
            Self::Slip(sign) => f64::from(sign),
            _ => 0.0,
        }
    }

    /// Whether it moves along it.
    pub fn slips(self) -> bool {
        matches!(
            self,
            Self::Slip(_) | Self::SlipAlong | Self::SlipBegins | Self::SlipEnds
        )
    }
}

/// A closed contact with friction, or a joint with friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Which friction of the model.
    pub friction: usize,
    /// The first one of those that stick and slip together, on one flat face.
    pub leader: usize,
    /// How it holds.
    pub hold: Hold,
    /// Of joints that slip, the signs of their normal forces; zero where these are taken as they are. Of a joint that shares what it
    /// holds with its leader, the sign of its friction over that of the leader.
    pub sides: [i8; 2],
    /// Direction of slip that is held, in the ground frame; zero otherwise.
    pub held: [f64; 3],
    /// What the slip velocity has no part along when that slip ends, likewise.
    pub ends: [f64; 3],
    /// Of contacts in space that stick, or begin to slip, together with their leader on one face: whether it is the one that keeps the body
    /// from turning about that.
    pub turns: bool,
}

impl Grip {
    /// What begins to hold; the signs of normal forces are not known yet.
    pub fn new(friction: usize, leader: usize, hold: Hold) -> Self {
        Self {
            friction,
            leader,
            hold,
            sides: [0; 2],
            held: [0.0; 3],
            ends: [0.0; 3],
            turns: false,
        }
    }

    /// Whether it has a force of its own: of contacts that stick together on one face only some do.
    pub fn carries(&self) -> bool {
        match self.hold {
            Hold::Stick => self.leads() || self.shares() || self.turns,
            Hold::SlipBegins => self.leads() || self.turns,
            hold => hold.slips(),
        }
    }

    /// Whether it is a joint that sticks together with another one, each with a friction of its own.
    pub fn shares(&self) -> bool {
        !self.leads() && self.sides[0] != 0
    }

    /// Whether it is the first of those that stick and slip together.
    pub fn leads(&self) -> bool {
        self.leader == self.friction
    }
}

impl Footing {
    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.feet[..])
    }

    /// Whether a contact presses.
    pub fn presses(&self, contact: usize) -> bool {
        self.feet.contains(&(contact, true))
    }
}

/// Discrete state of a mechanism. Constant between events.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Whether each group of constraints acts.
    pub groups: Vec<bool>,
    /// Whether each force is switched on.
    pub forces: Vec<bool>,
    /// Whether each force is on the slack side of a one-sided law.
    pub slack: Vec<bool>,
    /// State of each contact.
    pub contacts: Shared<ContactState>,
    /// Whether each event has fired.
    pub fired: Vec<bool>,
    /// Largest approach speed at each contact so far.
    pub fastest: Shared<f64>,
    /// Impacts of each contact since it and others that strike in turn have had narrow gaps.
    pub strikes: Shared<u32>,
    /// Time at which each contact was released last; minus infinity before.
    pub released: Shared<f64>,
    /// The guards that the motion slides along.
    pub slides: Vec<Slide>,
    /// The closed contacts and the joints with friction, ascending.
    pub grips: Vec<Grip>,
    /// Contacts that share loads.
    pub footings: Vec<Footing>,
    /// Open contacts that touch, and that what sticks keeps from moving: they are not struck, whatever the rounding of their gaps is.
    pub blocked: Vec<usize>,
    /// Acting constraints (indices into the model) in the order of their rows.
    pub constraints: Vec<usize>,
    /// First row of each acting constraint.
    pub offsets: Vec<usize>,
    /// Number of rows of all acting constraints.
    pub rows: usize,
    /// Rows used by the formulations that need independent ones; ascending.
    pub independent: Vec<usize>,
    /// How the mechanism leaves a singular position that it starts in.
    pub departure: Option<Arc<Departure>>,
}

impl Mode {
    /// The mode in which every element acts as the scene says at the start, contacts open.
    pub fn initial(model: &Model) -> Self {
        let mut mode = Self {
            groups: model.groups.iter().map(|group| group.active).collect(),
            forces: model.force_active.clone(),
            slack: vec![false; model.forces.len()],
            contacts: Shared::new(ContactState::Open, model.contacts.len()),
            fired: vec![false; model.events.len()],
            fastest: Shared::new(0.0, model.contacts.len()),
            strikes: Shared::new(0, model.contacts.len()),
            released: Shared::new(f64::NEG_INFINITY, model.contacts.len()),
            slides: Vec::new(),
            grips: Vec::new(),
            footings: Vec::new(),
            blocked: Vec::new(),
            constraints: Vec::new(),
            offsets: Vec::new(),
            rows: 0,
            independent: Vec::new(),
            departure: None,
        };
        mode.refresh(model);
        mode
    }

    /// Recomputes the list of acting constraints after a change; every row counts as independent until analysed.
    pub fn refresh(&mut self, model: &Model) {
        let of_groups = model
            .groups
            .iter()
            .zip(&self.groups)
            .filter(|(_, on)| **on)
            .flat_map(|(group, _)| group.constraints.iter().copied());
        let of_contacts = model
            .contacts
            .iter()
            .zip(self.contacts.iter())
            .filter_map(|(contact, state)| match state {
                ContactState::Sliding => Some(contact.gap),
                ContactState::Stuck => Some(contact.pin.as_ref().map_or(contact.gap, |pin| pin.constraint)),
                _ => None,
            });
        self.constraints = of_groups.chain(of_contacts).collect();
        self.offsets.clear();
        self.rows = 0;
        for &index in &self.constraints {
            self.offsets.push(self.rows);
            self.rows += model.constraints[index].rows;
        }
        self.independent = (0..self.rows).collect();
    }

    /// The mode with the lengths of quaternions among the acting constraints: what positions are assembled by.
    pub fn closing(&self, model: &Model) -> Self {
        let mut mode = self.clone();
        for frame in &model.frames {
            mode.constraints.push(frame.unit);
            mode.offsets.push(mode.rows);
            mode.rows += 1;
        }
        mode.independent = (0..mode.rows).collect();
        mode
    }

    /// How the mechanism leaves the singular position that it is in at a time, if it starts there then.
    #[inline]
    pub fn departure_at(&self, t: f64) -> Option<&Departure> {
        self.departure.as_deref().filter(|departure| departure.is_at(t))
    }

    /// Contacts by their state.
    pub fn having(&self, state: impl Fn(ContactState) -> bool) -> impl Iterator<Item = usize> {
        let states = self.contacts.iter().enumerate();
        states.filter(move |(_, own)| state(**own)).map(|(contact, _)| contact)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&self.groups[..])
            + size_of_val(&self.forces[..])
            + size_of_val(&self.slack[..])
            + self.contacts.bytes()
            + size_of_val(&self.fired[..])
            + self.fastest.bytes()
            + self.strikes.bytes()
            + self.released.bytes()
            + size_of_val(&self.slides[..])
            + size_of_val(&self.grips[..])
            + self.footings.iter().map(Footing::bytes).sum::<usize>()
            + size_of_val(&self.blocked[..])
            + size_of_val(&self.constraints[..])
            + size_of_val(&self.offsets[..])
            + size_of_val(&self.independent[..])
            + self
                .departure
                .as_ref()
                .map_or(0, |departure| departure.bytes() / Arc::strong_count(departure))
    }

    /// How a contact or joint with friction holds, while it is closed.
    pub fn grip(&self, friction: usize) -> Option<&Grip> {
        self.grips.iter().find(|grip| grip.friction == friction)
    }

    /// The contacts that one shares its load with.
    #[inline]
    pub fn footing_of(&self, contact: usize) -> Option<&Footing> {
        let with = |footing: &&Footing| footing.feet.iter().any(|(foot, _)| *foot == contact);
        self.footings.iter().find(with)
    }

    /// First row of a constraint of the model, when it acts.
    pub fn row_of(&self, constraint: usize) -> Option<usize> {
        self.constraints
            .iter()
            .position(|&c| c == constraint)
            .map(|k| self.offsets[k])
    }

    /// Whether a force acts: switched on and not slack.
    pub fn force_acts(&self, force: usize) -> bool {
        self.forces[force] && !self.slack[force]
    }
}
