//! What can be said about a part of a mechanism at a time.

use super::Show;
use crate::appearance::{Owner, Vector};
use crate::error::Result;
use crate::hybrid::{At, HybridSystem};
use crate::model::body::BodyKind;
use crate::model::constraint::{Constraint, ConstraintKind};
use crate::model::force::ForceKind;
use crate::model::in_dimension;
use crate::model::marker::{Base, Marker, Place};
use crate::model::quantity::{BushingPart, Motion, Quantity, ReactionPart, Rubbing};
use crate::model::{ContactState, GroupKind, Hold, Mode, Model};

/// A part of a mechanism with its values at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// Name in the scene.
    pub name: String,
    /// What it is.
    pub kind: &'static str,
    /// Its values.
    pub readings: Vec<Reading>,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What it is of.
    pub label: String,
    /// One number, or the components of a vector.
    pub values: Vec<f64>,
    /// Unit; words for what is no number.
    pub unit: &'static str,
}

impl Show {
    /// The values of a part at a time.
    ///
    /// # Errors
    /// Kind `Singular` when accelerations and forces are not determined.
    pub fn inspect(&self, owner: Owner, t: f64) -> Result<Option<Inspection>> {
        let Some(frame) = self.film.frame(t) else {
            return Ok(None);
        };
        let mechanism = &self.experiment.mechanism;
        let (mut workspace, at) = (mechanism.workspace(), At::new(frame.t, frame.mode, &frame.x));
        mechanism.evaluate_motion(at, true, &mut workspace)?;
        let mut reader = Reader {
            model: self.model(),
            mode: frame.mode,
            motion: mechanism.motion(at, &workspace),
            readings: Vec::new(),
        };
        let kind = reader.read(owner);
        Ok(Some(Inspection {
            name: owner.name(self.model()).to_string(),
            kind,
            readings: reader.readings,
        }))
    }
}

struct Reader<'a> {
    model: &'a Model,
    mode: &'a Mode,
    motion: Motion<'a, f64>,
    readings: Vec<Reading>,
}

impl Reader<'_> {
    /// Reads the values of a part and says what it is.
    fn read(&mut self, owner: Owner) -> &'static str {
        match owner {
            Owner::Body(index) => self.body(index),
            Owner::Point(place) => {
                self.place(&Marker::Base(Base::Point(place)));
                self.joints_at(place);
                "point"
            }
            Owner::Ground(place) => {
                let at = self.model.rates(&Marker::Base(Base::Ground(place)), &self.motion)[0];
                self.vector("position", at, "m");
                "ground point"
            }
            Owner::Group(index) => self.group(index),
            Owner::Force(index) => self.force(index),
            Owner::Contact(index) => self.contact(index),
        }
    }

    fn value(&self, quantity: &Quantity) -> f64 {
        quantity.evaluate(self.model, self.mode, &self.motion)
    }

    fn quantity(&mut self, label: &str, quantity: &Quantity) {
        let unit = quantity.unit(self.model).unwrap_or_default();
        self.number(label, self.value(quantity), unit);
    }

    /// A unit where the scene is in metres, kilograms and seconds.
    fn in_si(&self, unit: &'static str) -> &'static str {
        if self.model.is_in_si() { unit } else { "" }
    }

    fn number(&mut self, label: &str, value: f64, unit: &'static str) {
        self.push(label, vec![value], self.in_si(unit));
    }

    fn vector(&mut self, label: &str, vector: [f64; 3], unit: &'static str) {
        self.push(label, vector[..self.model.dimension].to_vec(), self.in_si(unit));
    }

    fn push(&mut self, label: &str, values: Vec<f64>, unit: &'static str) {
        let label = label.to_string();
        self.readings.push(Reading { label, values, unit });
    }

    fn place(&mut self, marker: &Marker) {
        let [at, velocity, acceleration] = self.model.rates(marker, &self.motion);
        self.vector("position", at, "m");
        self.vector("velocity", velocity, "m/s");
        self.vector("acceleration", acceleration, "m/s²");
    }

    fn body(&mut self, index: usize) -> &'static str {
        let body = &self.model.bodies[index];
        let local = &body.local;
        let kind = match &body.kind {
            BodyKind::Particle(particle) => {
                self.number("mass", self.motion.numbers[local.numbers[particle.mass]], "kg");
                self.place(&Marker::Base(
                    Base::Point(particle.point).global(local, self.model.dimension),
                ));
                "point mass"
            }
            BodyKind::Bar(bar) => {
                let ends = [bar.from, bar.to].map(|end| Marker::Base(end.global(local, self.model.dimension)));
                self.ends(&ends);
                let mut groups = self.model.groups.iter();
                let group = groups.position(|group| group.kind == GroupKind::Bar && group.name == body.name);
                if let Some(group) = group {
                    self.tension(group);
                }
                "bar"
            }
            BodyKind::Rigid(rigid) => {
                let place = rigid.body.map(|i| local.coordinates[i]);
                self.place(&Marker::Base(Base::Point(place)));
                let rates = [self.motion.q, self.motion.v, self.motion.a].map(|list| list[place[2]]);
                for ((label, unit), value) in TURNS.into_iter().zip(rates) {
                    self.number(label, value, unit);
                }
                "rigid body"
            }
            BodyKind::Solid(solid) => {
                let place = solid.origin.map(|i| local.coordinates[i]);
                self.place(&Marker::Base(Base::Point(place)));
                let spin = solid.velocity + 3;
                let spins = [self.motion.v, self.motion.a].map(|list| [list[spin], list[spin + 1], list[spin + 2]]);
                self.vector("angular velocity in body axes", spins[0], "rad/s");
                self.vector("angular acceleration in body axes", spins[1], "rad/s²");
                "rigid body"
            }
        };
        let (q, v) = (local.pick(self.motion.q), self.motion.rates(local));
        let numbers = local.pick_numbers(self.motion.numbers);
        let (kinetic, potential) = in_dimension!(self.model.dimension, D => {
            (body.kinetic::<f64, D>(&q, &v, &numbers), body.potential::<f64, D>(&q, &numbers))
        });
        self.number("kinetic energy", kinetic, "J");
        self.number("potential energy", potential, "J");
        kind
    }

    /// Length, direction and turning of what lies between two places.
    fn ends(&mut self, ends: &[Marker; 2]) {
        let [from, to] = ends.each_ref().map(|end| self.model.rates(end, &self.motion));
        let [d, v] = [0, 1].map(|rate| Vector::from(to[rate]) - Vector::from(from[rate]));
        self.number("length", d.norm(), "m");
        if self.model.dimension == 2 {
            self.number("angle", d[1].atan2(d[0]), "rad");
            self.number("angular velocity", d.xy().perp(&v.xy()) / d.norm_squared(), "rad/s");
        }
    }

    /// Forces of the joints that have this point in common.
    fn joints_at(&mut self, place: Place) {
        let dimension = self.model.dimension;
        let is_here =
            |held: &Marker| matches!(held, Marker::Base(Base::Point(at)) if at[..dimension] == place[..dimension]);
        for (index, group) in self.model.groups.iter().enumerate() {
            let mut constraints = group.constraints.iter().map(|&index| &self.model.constraints[index]);
            if !self.mode.groups[index] || !constraints.any(|one| held_places(one, dimension).iter().any(is_here)) {
                continue;
            }
            let (part, what) = match group.kind {
                GroupKind::Bar => (ReactionPart::Tension, "tension"),
                GroupKind::Joint | GroupKind::Internal => (ReactionPart::Magnitude, "force"),
            };
            let label = format!("{}: {what}", group.name);
            self.quantity(&label, &Quantity::Reaction(index, part));
        }
    }

    /// The tension of a group of constraints.
    fn tension(&mut self, group: usize) {
        self.quantity("tension", &Quantity::Reaction(group, ReactionPart::Tension));
    }

    fn group(&mut self, index: usize) -> &'static str {
        let group = &self.model.groups[index];
        let constraints = group.constraints.iter().map(|&index| &self.model.constraints[index]);
        let (mut kind, mut ends, mut has_force, mut has_torque) = ("joint", None, false, false);
        for constraint in constraints {
            match &constraint.kind {
                ConstraintKind::Distance(link) => {
                    ends = Some([link.a, link.b].map(|end| end.global(&constraint.local, self.model.dimension)));
                    kind = match group.kind {
                        GroupKind::Bar => "bar without mass",
                        _ => "link",
                    };
                }
                kind => {
                    has_force |= kind.carries(false);
                    has_torque |= kind.has_torque();
                }
            }
        }
        if let Some(ends) = &ends {
            self.ends(ends);
            self.tension(index);
        }
        if has_force {
            let component = |k: usize| self.value(&Quantity::Reaction(index, ReactionPart::Component(k)));
            let force = (0..self.model.dimension).map(component).collect();
            self.push("force", force, self.in_si("N"));
            self.quantity("size of the force", &Quantity::Reaction(index, ReactionPart::Magnitude));
        }
        if has_torque {
            self.quantity("torque", &Quantity::Reaction(index, ReactionPart::Torque));
        }
        let own: Vec<usize> = self.model.frictions_of_joint(index).collect();
        for (k, &friction) in own.iter().enumerate() {
            let axis = if own.len() > 1 {
                format!("_{}", k + 1)
            } else {
                String::new()
            };
            self.friction(friction, &axis);
        }
        kind
    }

    /// What a contact or joint with friction does.
    fn friction(&mut self, friction: usize, axis: &str) {
        for (name, part) in [("friction", Rubbing::Force), ("slip", Rubbing::Slip)] {
            self.quantity(&format!("{name}{axis}"), &Quantity::Friction(friction, part));
        }
    }

    fn force(&mut self, index: usize) -> &'static str {
        let force = &self.model.forces[index];
        let numbers = force.local.pick_numbers(self.motion.numbers);
        let q = force.local.pick(self.motion.q);
        match &force.kind {
            ForceKind::Line(line) => {
                let ends = [line.a, line.b].map(|end| end.global(&force.local, self.model.dimension));
                let [a, b] = ends.each_ref().map(|end| self.model.rates(end, &self.motion)[0]);
                self.number("length", (Vector::from(b) - Vector::from(a)).norm(), "m");
                self.quantity("tension", &Quantity::SpringForce(index));
            }
            ForceKind::Torsion(_) => {
                let angle = Quantity::TorsionAngle(index);
                let [measure, acts] = match angle.unit(self.model) {
                    Some("m") => ["position", "force"],
                    _ => ["angle", "torque"],
                };
                self.quantity(measure, &angle);
                self.quantity(acts, &Quantity::TorsionTorque(index));
            }
            ForceKind::Bushing(_) => {
                self.quantity("angle", &Quantity::Bushing(index, BushingPart::Angle));
            }
            ForceKind::Load(load) => {
                let components = load.force.iter().map(|f| f.evaluate(self.motion.t, &numbers));
                self.push("force", components.collect(), self.in_si("N"));
                return "load";
            }
            _ => return "force",
        }
        if self.model.stores_energy(index) {
            let stored = in_dimension!(self.model.dimension, D => force.potential::<f64, D>(&q, &numbers));
            self.number("stored energy", stored, "J");
        }
        "spring or damper"
    }

    fn contact(&mut self, index: usize) -> &'static str {
        let state = match self.mode.contacts[index] {
            ContactState::Disabled => "switched off",
            ContactState::Away => "beyond its part of the surface",
            ContactState::Open | ContactState::Waiting => "open",
            ContactState::Sliding => self.sliding(index),
            ContactState::Carried => "carried by others",
            ContactState::Stuck => "stuck",
        };
        self.push("state", Vec::new(), state);
        self.quantity("gap", &Quantity::Gap(index));
        self.quantity("force", &Quantity::ContactForce(index));
        if let Some(friction) = self.model.friction_of(index) {
            self.friction(friction, "");
        }
        "contact"
    }

    /// What a contact does that is closed.
    fn sliding(&self, index: usize) -> &'static str {
        let grip = self
            .model
            .friction_of(index)
            .and_then(|friction| self.mode.grip(friction));
        match grip.map(|grip| grip.hold) {
            Some(Hold::Stick) => "sticking",
            Some(Hold::Slip(_) | Hold::SlipAlong | Hold::SlipBegins | Hold::SlipEnds) => "slipping",
            Some(Hold::Spare) => "kept by others",
            None => "sliding",
        }
    }
}

/// Angle and its rates.
const TURNS: [(&str, &str); 3] = [
    ("angle", "rad"),
    ("angular velocity", "rad/s"),
    ("angular acceleration", "rad/s²"),
];

/// The places that a constraint holds, with the model's indices.
fn held_places(constraint: &Constraint, dimension: usize) -> Vec<Marker> {
    let held = constraint.kind.held().into_iter().chain(constraint.kind.carrier());
    held.map(|marker| marker.global(&constraint.local, dimension)).collect()
}
