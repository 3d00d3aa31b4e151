//! What acted during a run, and which coordinates it tied together.

use crate::error::Result;
use crate::hybrid::{JumpView, Observer, simulate};
use crate::mechanism::{Mechanism, Watch};
use crate::model::quantity::Quantity;
use crate::model::{ContactState, Fit, Measured, Mode, Model, Switch, Trigger};
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
        let mut workspace = crate::hybrid::HybridSystem::workspace(mechanism);
        let started = mechanism.start(experiment.start, &mut workspace)?;
        let start = (experiment.start, started.mode, started.x);
        simulate(mechanism, start, &experiment.options, &mut workspace, &mut history)?;
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

    /// Sets of coordinates that move together: tied by a body, or by whatever acted.
    pub fn components(&self) -> Components {
        let model = &self.mechanism.model;
        let mut components = Components((0..model.nq()).collect());
        for body in &model.bodies {
            components.join(&body.local.coordinates);
        }
        for (group, _) in model.groups.iter().zip(&self.groups).filter(|(_, acted)| **acted) {
            for &constraint in &group.constraints {
                components.join(&model.constraints[constraint].local.coordinates);
            }
        }
        for (force, _) in model.forces.iter().zip(&self.forces).filter(|(_, acted)| **acted) {
            components.join(&force.local.coordinates);
        }
        for (contact, _) in model.contacts.iter().zip(&self.contacts).filter(|(_, acted)| **acted) {
            components.join(&model.constraints[contact.gap].local.coordinates);
        }
        for event in 0..model.events.len() {
            if self.events[event] {
                components.join(&event_coordinates(model, event));
            }
        }
        components
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
                Watch::Dependent => {}
            }
        }
        self.note(jump.mode_after);
        Ok(())
    }
}

/// Coordinates that an event reads or whose elements it switches.
pub(super) fn event_coordinates(model: &Model, event: usize) -> Vec<usize> {
    let event = &model.events[event];
    let mut coordinates = Vec::new();
    if let Trigger::Crossing { guard, .. } = &event.trigger {
        let mut reads = Reads::default();
        reads.all(model, &guard.arguments);
        coordinates.extend(reads.coordinates);
    }
    for (switch, _) in &event.actions {
        match *switch {
            Switch::Group(i) => {
                let constraints = model.groups[i].constraints.iter();
                coordinates.extend(constraints.flat_map(|&c| &model.constraints[c].local.coordinates));
            }
            Switch::Force(i) => coordinates.extend(&model.forces[i].local.coordinates),
            Switch::Contact(i) => {
                coordinates.extend(&model.constraints[model.contacts[i].gap].local.coordinates);
            }
        }
    }
    coordinates
}

/// Disjoint sets of coordinates.
pub(super) struct Components(Vec<usize>);

impl Components {
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
#[derive(Default)]
pub(super) struct Reads {
    pub numbers: Vec<usize>,
    pub coordinates: Vec<usize>,
}

impl Reads {
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

    fn element(&mut self, local: &crate::model::local::Local) {
        self.numbers.extend(&local.numbers);
        self.coordinates.extend(&local.coordinates);
    }

    fn one(&mut self, model: &Model, quantity: &Quantity) {
        let constraint = |i: usize| &model.constraints[i].local;
        match quantity {
            Quantity::Time => {}
            Quantity::Number(i) if *i < model.numbers.len() => self.numbers.push(*i),
            // Memory: whatever moves the events may have fed it.
            Quantity::Number(_) => self.coordinates.extend(0..model.nq()),
            Quantity::Coordinate(i, _) => self.coordinates.push(*i),
            Quantity::Marker(placed, ..) => self.element(&placed.local),
            Quantity::Distance(a, b) => {
                self.element(&a.local);
                self.element(&b.local);
            }
            Quantity::SpringForce(i)
            | Quantity::TorsionAngle(i)
            | Quantity::TorsionTorque(i)
            | Quantity::Hysteretic(i, _) => {
                self.element(&model.forces[*i].local);
            }
            Quantity::Reaction(group, _) => {
                let constraints = model.groups[*group].constraints.iter();
                constraints.for_each(|&i| self.element(constraint(i)));
            }
            Quantity::Ratchet(i, _) => {
                if let Some(ratchet) = model.ratchet(*i) {
                    self.element(&ratchet.local);
                }
            }
            Quantity::Gap(i) | Quantity::ContactForce(i) => self.element(constraint(model.contacts[*i].gap)),
            Quantity::Kinetic => model.bodies.iter().for_each(|body| self.element(&body.local)),
            Quantity::Potential | Quantity::Total => {
                model.bodies.iter().for_each(|body| self.element(&body.local));
                model.forces.iter().for_each(|force| self.element(&force.local));
            }
            Quantity::Output(i) => self.all(model, &model.outputs[*i].1.arguments),
        }
    }
}
