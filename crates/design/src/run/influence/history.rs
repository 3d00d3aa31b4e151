//! What acted during a run, and which coordinates it tied together.

use crate::error::Result;
use crate::hybrid::{JumpView, Observer};
use crate::mechanism::{Mechanism, Watch};
use crate::model::force::ForceKind;
use crate::model::local::Local;
use crate::model::quantity::Quantity;
use crate::model::{
    Assignment, ContactState, Event, Fit, Measured, Mode, Model, Remembered, Reset, Settable, Switch, Trigger,
};
use crate::run::experiment::Experiment;

/// Elements that took part in a run, each by its index in the model.
#[derive(Debug)]
pub(super) struct History<'a> {
    mechanism: &'a Mechanism,
    pub groups: Vec<bool>,
    pub forces: Vec<bool>,
    /// Contacts that were struck or lasted.
    pub contacts: Vec<bool>,
    /// Contacts whose force fell to the release threshold.
    pub released: Vec<bool>,
    pub events: Vec<bool>,
}

impl<'a> History<'a> {
    /// Simulates and keeps what acted.
    pub fn of(experiment: &'a Experiment) -> Result<Self> {
        let mechanism = &experiment.mechanism;
        let model = &mechanism.model;
        let mut history = Self {
            mechanism,
            groups: vec![false; model.groups.len()],
            forces: vec![false; model.forces.len()],
            contacts: vec![false; model.contacts.len()],
            released: vec![false; model.contacts.len()],
            events: vec![false; model.events.len()],
        };
        experiment.observe(&mut history)?;
        Ok(history)
    }

    fn note(&mut self, mode: &Mode) {
        let or = |all: &mut [bool], now: &dyn Fn(usize) -> bool| {
            for (i, seen) in all.iter_mut().enumerate() {
                *seen |= now(i);
            }
        };
        or(&mut self.groups, &|i| mode.groups[i]);
        or(&mut self.forces, &|i| mode.force_acts(i));
        or(&mut self.contacts, &|i| {
            matches!(
                mode.contacts[i],
                ContactState::Sliding | ContactState::Carried | ContactState::Stuck
            )
        });
    }

    /// The elements of the model in this run.
    pub fn elements(&self) -> Vec<Element> {
        let model = &self.mechanism.model;
        let idle = |acted: bool, name: &str, what: &str| (!acted).then(|| format!("`{name}` {what}"));
        let mut elements: Vec<Element> = model.bodies.iter().map(|body| Element::of(&body.local, None)).collect();
        for (i, (group, &acted)) in model.groups.iter().zip(&self.groups).enumerate() {
            let idle = idle(acted, &group.name, "was switched off during the whole run");
            for friction in model.frictions_of_joint(i).map(|friction| &model.frictions[friction]) {
                let mut element = Element::of(&model.forces[friction.force].local, idle.clone());
                element.numbers.extend(&friction.local.numbers);
                elements.push(element);
            }
            let locals = group.constraints.iter().map(|&i| &model.constraints[i].local);
            elements.extend(locals.map(|local| Element::of(local, idle.clone())));
        }
        for (force, &acted) in model.forces.iter().zip(&self.forces) {
            // Friction belongs to its contact or joint.
            if matches!(force.kind, ForceKind::Tangential(_) | ForceKind::Sliding(_)) {
                continue;
            }
            let idle = idle(acted, &force.name, "did not act during the run");
            let mut element = Element::of(&force.local, idle);
            let mut reads = Reads::default();
            reads.followed(model, &force.local.numbers);
            element.coordinates.extend(reads.coordinates);
            element.numbers.extend(reads.numbers);
            elements.push(element);
        }
        for (i, contact) in model.contacts.iter().enumerate() {
            let untouched = idle(self.contacts[i], &contact.name, "was never touched");
            let mut element = Element::of(&model.constraints[contact.gap].local, untouched);
            let of_ratchet = contact.ratchet.iter().flat_map(|ratchet| &ratchet.local.numbers);
            element.numbers.extend(of_ratchet);
            let of_friction = model
                .friction_of(i)
                .map(|friction| &model.frictions[friction].local.numbers);
            element.numbers.extend(of_friction.into_iter().flatten());
            let of_face = contact.face.iter().flat_map(|face| &face.local.numbers);
            element.numbers.extend(of_face);
            let torn = contact.law.pull_off().filter(|_| self.contacts[i]);
            let read = contact.law.restitution().or(contact.law.pull_off());
            element.numbers.extend(read.filter(|_| torn.is_none()));
            elements.push(element.clone());
            elements.extend(torn.map(|pull_off| Element {
                numbers: vec![pull_off],
                idle: idle(self.released[i], &contact.name, "was never torn off"),
                ..element
            }));
        }
        for (event, &fired) in model.events.iter().zip(&self.events) {
            let mut reads = Reads::default();
            reads.trigger(model, event);
            if !event.resets.is_empty() {
                event
                    .assignments
                    .iter()
                    .for_each(|assignment| reads.assignment(model, assignment));
            }
            let switched = event.actions.iter().flat_map(|(switch, _)| switched(model, *switch));
            let switched = switched.chain(event.resets.iter().flat_map(|reset| set_by(model, reset)));
            elements.push(Element {
                coordinates: reads.coordinates.into_iter().chain(switched).collect(),
                numbers: reads.numbers,
                idle: idle(fired, &event.name, "never fired"),
            });
        }
        // Memory with a rate carries what it reads to whatever reads it.
        if model.memory_rates().next().is_some() {
            elements.push(Element {
                coordinates: (0..model.nq()).collect(),
                numbers: Vec::new(),
                idle: None,
            });
        }
        elements
    }
}

/// An element in a run.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// The coordinates that it moves or reads: it ties them together if it acts.
    pub coordinates: Vec<usize>,
    /// The numbers that it uses.
    pub numbers: Vec<usize>,
    /// Why it did nothing in this run; none if it acted.
    pub idle: Option<String>,
}

impl Element {
    fn of(local: &Local, idle: Option<String>) -> Self {
        Self {
            coordinates: local.coordinates.clone(),
            numbers: local.numbers.clone(),
            idle,
        }
    }
}

impl Observer<Mode> for History<'_> {
    fn start(&mut self, _: f64, mode: &Mode, _: &[f64]) -> Result<()> {
        self.note(mode);
        Ok(())
    }

    fn jump(&mut self, jump: &JumpView<Mode>) -> Result<()> {
        for &guard in jump.fired {
            match self.mechanism.watch(guard) {
                Watch::Gap(i) | Watch::Tooth(i) => self.contacts[i] = true,
                Watch::Release(i) => self.released[i] = true,
                Watch::Spring(i) | Watch::Reversal(i) => self.forces[i] = true,
                Watch::Event(i) => self.events[i] = true,
                Watch::Grip(_) | Watch::Begun(_) | Watch::Ending(_) | Watch::Side(..) => {}
                Watch::Facing(_) | Watch::Margin(_) | Watch::Kink(_) | Watch::Dependent => {}
            }
        }
        self.note(jump.mode_after);
        Ok(())
    }
}

/// Coordinates of the elements that a switch turns on or off.
fn switched(model: &Model, switch: Switch) -> Vec<usize> {
    let of = |constraint: usize| &model.constraints[constraint].local.coordinates;
    let of_all = |constraints: &[usize]| constraints.iter().flat_map(|&c| of(c)).copied().collect();
    match switch {
        Switch::Group(i) => of_all(&model.groups[i].constraints),
        Switch::Force(i) => model.forces[i].local.coordinates.clone(),
        Switch::Contact(i) => of(model.contacts[i].gap).clone(),
    }
}

/// Disjoint sets of coordinates.
pub(super) struct Components(Vec<usize>);

impl Components {
    /// What moves together: tied by a body, or by whatever acted.
    pub fn new(coordinates: usize, elements: &[Element]) -> Self {
        let mut components = Self((0..coordinates).collect());
        for element in elements.iter().filter(|element| element.idle.is_none()) {
            components.join(&element.coordinates);
        }
        components
    }

    /// A coordinate that stands for the set of this one.
    pub fn of(&self, coordinate: usize) -> usize {
        let parent = self.0[coordinate];
        if parent == coordinate { parent } else { self.of(parent) }
    }

    fn join(&mut self, coordinates: &[usize]) {
        for pair in coordinates.windows(2) {
            let (a, b) = (self.of(pair[0]), self.of(pair[1]));
            self.0[a.max(b)] = a.min(b);
        }
    }
}

/// Numbers and coordinates that expressions read.
#[derive(Clone, Default)]
pub(super) struct Reads {
    pub numbers: Vec<usize>,
    pub coordinates: Vec<usize>,
}

impl Reads {
    /// What the trigger of an event reads.
    pub fn trigger(&mut self, model: &Model, event: &Event) {
        match &event.trigger {
            Trigger::At(number) => self.numbers.push(*number),
            Trigger::Crossing { guard, .. } => self.all(model, &guard.arguments),
        }
    }

    /// What goes into memory reads.
    pub fn assignment(&mut self, model: &Model, assignment: &Assignment) {
        if let Remembered::Expression(output) = &assignment.value {
            self.all(model, &output.arguments);
        }
    }

    /// What other expressions read, too.
    pub fn add(&mut self, other: &Self) {
        for (own, added) in [
            (&mut self.numbers, &other.numbers),
            (&mut self.coordinates, &other.coordinates),
        ] {
            own.extend(added);
            own.sort_unstable();
            own.dedup();
        }
    }

    pub fn all(&mut self, model: &Model, quantities: &[Quantity]) {
        for quantity in quantities {
            self.one(model, quantity);
        }
    }

    /// What the motion is asked for where measured data are compared with it.
    pub fn fit(&mut self, model: &Model, fit: &Fit) {
        for channel in &fit.channels {
            match &channel.of {
                Measured::Value(output) => self.all(model, &output.arguments),
                // Whatever moves the events moves their times.
                Measured::EventTimes(_) => self.coordinates.extend(0..model.nq()),
            }
        }
    }

    fn one(&mut self, model: &Model, quantity: &Quantity) {
        match quantity {
            Quantity::Number(i) if *i < model.numbers.len() => self.numbers.push(*i),
            // Memory: whatever moves the events may have fed it.
            Quantity::Number(_) => self.coordinates.extend(0..model.nq()),
            Quantity::Coordinate(i, _) => self.coordinates.push(*i),
            Quantity::Output(i) => self.all(model, &model.outputs[*i].1.arguments),
            _ => quantity.each_local(model, |local| {
                self.coordinates.extend(&local.coordinates);
                self.followed(model, &local.numbers);
            }),
        }
    }

    /// Numbers, with what those among them read that follow the motion.
    pub fn followed(&mut self, model: &Model, numbers: &[usize]) {
        for &number in numbers {
            if self.numbers.contains(&number) {
                continue;
            }
            self.numbers.push(number);
            for feedback in model.feedback.iter().filter(|feedback| feedback.number == number) {
                self.all(model, &feedback.value.arguments);
            }
        }
    }
}

/// The coordinates that are set, or whose rates are.
fn set_by(model: &Model, reset: &Reset) -> Vec<usize> {
    match reset.of {
        Settable::Position(coordinate) => vec![coordinate],
        Settable::Velocity(velocity) => (0..model.nq())
            .filter(|&i| model.velocities_behind(i).contains(&velocity))
            .collect(),
    }
}
