//! Quantities that outputs, objectives and event expressions may name, and expressions of them.

mod bushing;
mod facing;
mod footing;
mod hysteresis;
mod latching;
mod output;
mod power;
mod pressing;
mod reaction;
mod rubbing;
mod standing;
mod unit;
mod vectors;

pub use bushing::BushingPart;
pub use footing::Spread;
pub use hysteresis::Hysteresis;
pub use latching::Latching;
pub use output::{MAX_EARLIER, Output, Readable};
pub use rubbing::Rubbing;
pub use vectors::{PlacedVector, VectorKind};

use super::body::{Body, BodyKind};
use super::constraint::Constraint;
use super::kinematic::{self, Frame};
use super::local::{Local, MAX_LOCAL};
use super::marker::{Marker, difference, norm};
use super::{Mode, Model};
use crate::scalar::{Dual2, Dual64, Scalar};

/// Motion at an instant; all slices are global.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a, S> {
    /// Time.
    pub t: S,
    /// Positions (nq).
    pub q: &'a [S],
    /// Velocities (nv).
    pub v: &'a [S],
    /// Accelerations (nv).
    pub a: &'a [S],
    /// Multipliers (rows of the mode).
    pub lambda: &'a [S],
    /// Numbers and memory.
    pub numbers: &'a [S],
    /// Rigid bodies in space among the coordinates: [`Model::frames`].
    pub frames: &'a [Frame],
}

impl<S: Scalar> Motion<'_, S> {
    /// Rate of a coordinate.
    pub fn rate(&self, i: usize) -> S {
        kinematic::rate(self.frames, i, self.q, self.v)
    }

    /// Rates of an element's coordinates.
    pub fn rates(&self, local: &Local) -> [S; MAX_LOCAL] {
        local.coordinates_by(|i| self.rate(i))
    }

    /// Second derivative of a coordinate by time.
    pub fn acceleration(&self, i: usize) -> S {
        kinematic::acceleration(self.frames, i, self.q, self.v, self.a)
    }
}

/// A marker with the global indices that it refers to.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The marker in local indices.
    pub marker: Marker,
    /// Global indices.
    pub local: Local,
}

/// Component of a reaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReactionPart {
    /// Component of the force on the second attachment.
    Component(usize),
    /// Magnitude of that force.
    Magnitude,
    /// Component of the torque on the second body in space.
    Moment(usize),
    /// Magnitude of that torque.
    MomentMagnitude,
    /// The magnitude of the force, or of the torque, with the sign of the multiplier; only where [`Model::signed_part`] gives it.
    Signed {
        /// Whether of the torque.
        of_moment: bool,
    },
    /// Component of the force or of the torque in the frame of one of the attachments.
    InFrame {
        /// Which attachment.
        end: usize,
        /// Whether of the torque.
        of_moment: bool,
        /// Which component.
        axis: usize,
    },
    /// Tension of a link or bar: positive when the ends are pulled together.
    Tension,
    /// Torque on the second body, or the multiplier of a coupling.
    Torque,
    /// Power that a driver gives to the mechanism.
    Power,
}

/// How often a marker's position is differentiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Position.
    Position,
    /// Velocity.
    Velocity,
    /// Acceleration.
    Acceleration,
}

/// Something that can be read off the motion.
#[derive(Clone, Debug)]
pub enum Quantity {
    /// Time.
    Time,
    /// A number of the model (a parameter).
    Number(usize),
    /// A coordinate or one of its rates.
    Coordinate(usize, Rate),
    /// A component of a marker's position or one of its rates.
    Marker(Placed, usize, Rate),
    /// Distance of two markers.
    Distance(Placed, Placed),
    /// Length of a line force, or its rate.
    Stretch(usize, Rate),
    /// Tension of a line force.
    SpringForce(usize),
    /// Power that a force gives to the mechanism.
    ForcePower(usize),
    /// How far a one-sided spring is from switching: not negative while its mode holds.
    Engagement(usize),
    /// Relative angle of a torsion spring.
    TorsionAngle(usize),
    /// Torque of a torsion spring on its second body.
    TorsionTorque(usize),
    /// What a bushing sees and does.
    Bushing(usize, BushingPart),
    /// What a hysteretic spring does.
    Hysteretic(usize, Hysteresis),
    /// What a ratchet does.
    Ratchet(usize, Latching),
    /// Reaction of a group of constraints.
    Reaction(usize, ReactionPart),
    /// Gap of a contact.
    Gap(usize),
    /// How far a contact with a part of a surface is from being, or not being, the one that its point may touch: not negative while
    /// its mode holds.
    Facing(usize),
    /// How far the row of a constraint is from where it has no meaning.
    Margin(usize),
    /// Normal force of a lasting contact; zero while open.
    ContactForce(usize),
    /// How far a contact that touches without a share of the load of its face is from taking one (N).
    Relief(usize),
    /// What the friction at a contact or in a joint does.
    Friction(usize, Rubbing),
    /// A velocity of the model, such as a component of an angular velocity in body axes, or its rate.
    Speed(usize, Rate),
    /// A component of the momentum of a rigid body in space, or of its angular momentum about the origin of the ground frame.
    Momentum {
        /// Body of the model.
        body: usize,
        /// Whether the angular one is meant.
        angular: bool,
        /// Which component.
        axis: usize,
    },
    /// Kinetic energy.
    Kinetic,
    /// Potential energy of weight and springs.
    Potential,
    /// Kinetic plus potential energy.
    Total,
    /// Value of an earlier output.
    Output(usize),
}

impl Quantity {
    /// Value at an instant.
    pub fn evaluate<S: Scalar>(&self, model: &Model, mode: &Mode, motion: &Motion<S>) -> S {
        in_dimension!(model.dimension, D => self.evaluate_in::<S, D>(model, mode, motion))
    }

    fn evaluate_in<S: Scalar, const D: usize>(&self, model: &Model, mode: &Mode, motion: &Motion<S>) -> S {
        match self {
            Self::Time => motion.t,
            Self::Number(i) => motion.numbers[*i],
            Self::Coordinate(i, Rate::Position) => motion.q[*i],
            Self::Coordinate(i, Rate::Velocity) => motion.rate(*i),
            Self::Coordinate(i, Rate::Acceleration) => motion.acceleration(*i),
            Self::Speed(j, Rate::Acceleration) => motion.a[*j],
            Self::Speed(j, _) => motion.v[*j],
            Self::Momentum { body, angular, axis } => model.momenta(*body, motion)[usize::from(*angular)][*axis],
            Self::Marker(placed, axis, rate) => placed.component::<S, D>(*axis, *rate, motion),
            Self::Distance(a, b) => norm(difference(a.position::<S, D>(motion), b.position::<S, D>(motion))),
            Self::Stretch(i, rate) => model.stretch::<S, D>(*i, *rate, motion),
            Self::SpringForce(i) => model.spring_force::<S, D>(*i, mode, motion),
            Self::ForcePower(i) => model.force_power::<S, D>(*i, mode, motion),
            Self::Engagement(i) => model.engagement::<S, D>(*i, mode, motion),
            Self::TorsionAngle(i) => model.torsion(*i, motion).0,
            Self::TorsionTorque(i) => {
                if mode.force_acts(*i) {
                    model.torsion(*i, motion).1
                } else {
                    S::from(0.0)
                }
            }
            Self::Bushing(i, part) => model.bushing(*i, *part, mode, motion),
            Self::Hysteretic(i, part) => model.hysteresis::<S, D>(*i, *part, mode, motion),
            Self::Ratchet(i, part) => model.latching::<S, D>(*i, *part, mode, motion),
            Self::Reaction(group, part) => model.reaction::<S, D>(*group, *part, mode, motion),
            Self::Gap(contact) if model.slips_along(*contact, mode) => S::from(0.0),
            Self::Gap(contact) => model.gap::<S, D>(*contact, motion),
            Self::Facing(contact) => model.facing::<S, D>(*contact, mode, motion),
            Self::Margin(constraint) => model.margin::<S, D>(*constraint, motion),
            Self::ContactForce(contact) => model.contact_force::<S, D>(*contact, mode, motion),
            Self::Relief(contact) => model.relief::<S, D>(*contact, mode, motion),
            Self::Friction(friction, part) => model.rubbing::<S, D>(*friction, *part, mode, motion),
            Self::Kinetic => model.kinetic::<S, D>(motion),
            Self::Potential => model.potential::<S, D>(mode, motion),
            Self::Total => model.kinetic::<S, D>(motion) + model.potential::<S, D>(mode, motion),
            Self::Output(i) => model.outputs[*i].1.evaluate_over(model, mode, motion),
        }
    }

    /// Coordinates whose positions and velocities it is read off, where these are few; none where it may need any.
    pub fn coordinates<'a>(&'a self, model: &'a Model) -> Option<&'a [usize]> {
        match self {
            Self::Time | Self::Number(_) => Some(&[]),
            Self::Coordinate(i, Rate::Position | Rate::Velocity) => Some(std::slice::from_ref(i)),
            Self::Marker(placed, _, Rate::Position | Rate::Velocity) => Some(&placed.local.coordinates),
            Self::Stretch(i, _)
            | Self::SpringForce(i)
            | Self::ForcePower(i)
            | Self::TorsionAngle(i)
            | Self::Bushing(i, _)
            | Self::TorsionTorque(i) => Some(&model.forces[*i].local.coordinates),
            _ => None,
        }
    }

    /// Whether accelerations or multipliers are needed; for an earlier output, [`Output::needs_dynamics`] knows.
    pub fn needs_dynamics(&self) -> bool {
        match self {
            Self::Coordinate(_, Rate::Acceleration)
            | Self::Marker(_, _, Rate::Acceleration)
            | Self::Speed(_, Rate::Acceleration) => true,
            Self::Friction(_, part) => part.needs_dynamics(),
            _ => self.needs_multipliers(),
        }
    }

    /// Whether multipliers are needed; for an earlier output, [`Output::needs_multipliers`] knows.
    fn needs_multipliers(&self) -> bool {
        match self {
            Self::Reaction(..) | Self::ContactForce(_) | Self::Relief(_) => true,
            Self::Friction(_, part) => part.needs_dynamics(),
            _ => false,
        }
    }
}

impl Placed {
    fn position<S: Scalar, const D: usize>(&self, motion: &Motion<S>) -> [S; D] {
        self.marker
            .position(&self.local.pick(motion.q), &self.local.pick_numbers(motion.numbers))
    }

    /// Component of the position or a rate, by a second-order pass along the motion.
    fn component<S: Scalar, const D: usize>(&self, axis: usize, rate: Rate, motion: &Motion<S>) -> S {
        let zero = S::from(0.0);
        let path = self.local.coordinates_by(|i| {
            let acceleration = if rate == Rate::Acceleration {
                motion.acceleration(i)
            } else {
                zero
            };
            Dual2::new(motion.q[i], motion.rate(i), acceleration)
        });
        let numbers = self.local.numbers_by(|i| Dual2::from_re(motion.numbers[i]));
        let position: [Dual2<S>; D] = self.marker.position(&path, &numbers);
        match rate {
            Rate::Position => position[axis].re,
            Rate::Velocity => position[axis].v1,
            Rate::Acceleration => position[axis].v2,
        }
    }
}

impl Model {
    /// The vector between the ends of a force along a line; zeros beyond the dimension.
    pub fn span(&self, force: usize, q: &[f64], numbers: &[f64]) -> Option<[f64; 3]> {
        in_dimension!(self.dimension, D => self.forces[force].span::<D>(q, numbers))
    }

    /// Whether a force along a line depends on its direction where its ends meet, or a bushing has a torque that turns round at pi.
    pub fn turns_round(&self, force: usize, numbers: &[f64]) -> bool {
        let element = &self.forces[force];
        let numbers = || element.local.gather_numbers::<f64>(numbers);
        match &element.kind {
            super::force::ForceKind::Line(line) => line.turns_round(&numbers()),
            super::force::ForceKind::Bushing(bushing) => bushing.turns_round(&numbers()),
            _ => false,
        }
    }

    /// Whether a force is drag with a part that grows with the square of the speed.
    pub fn is_quadratic_drag(&self, force: usize) -> bool {
        matches!(&self.forces[force].kind, super::force::ForceKind::Drag(drag) if drag.quadratic.is_some())
    }

    /// The velocity of the place that a force drags, with its derivative; zeros beyond the dimension, and for other forces.
    pub fn dragged(&self, force: usize, motion: &Motion<Dual64>) -> [Dual64; 3] {
        in_dimension!(self.dimension, D => self.dragged_in::<D>(force, motion))
    }

    fn dragged_in<const D: usize>(&self, force: usize, motion: &Motion<Dual64>) -> [Dual64; 3] {
        let (element, mut found) = (&self.forces[force], [Dual64::from(0.0); 3]);
        if let super::force::ForceKind::Drag(drag) = &element.kind {
            let (q, v) = (element.local.pick(motion.q), motion.rates(&element.local));
            let velocity: [Dual64; D] = drag.at.velocity(&q, &v, &element.local.pick_numbers(motion.numbers));
            found[..D].copy_from_slice(&velocity);
        }
        found
    }

    fn stretch<S: Scalar, const D: usize>(&self, force: usize, rate: Rate, motion: &Motion<S>) -> S {
        let element = &self.forces[force];
        let super::force::ForceKind::Line(line) = &element.kind else {
            return S::from(f64::NAN);
        };
        let (q, v) = (element.local.pick(motion.q), motion.rates(&element.local));
        let (length, speed, _) = line.kinematics::<S, D>(&q, &v, &element.local.pick_numbers(motion.numbers));
        match rate {
            Rate::Position => length,
            _ => speed,
        }
    }

    fn spring_force<S: Scalar, const D: usize>(&self, force: usize, mode: &Mode, motion: &Motion<S>) -> S {
        let element = &self.forces[force];
        let super::force::ForceKind::Line(kind) = &element.kind else {
            return S::from(f64::NAN);
        };
        if !mode.force_acts(force) {
            return S::from(0.0);
        }
        let (q, v) = (element.local.pick(motion.q), motion.rates(&element.local));
        let numbers = element.local.pick_numbers(motion.numbers);
        let (length, rate, _) = kind.kinematics::<S, D>(&q, &v, &numbers);
        kind.tension(motion.t, length, rate, &numbers)
    }

    fn engagement<S: Scalar, const D: usize>(&self, force: usize, mode: &Mode, motion: &Motion<S>) -> S {
        let element = &self.forces[force];
        let super::force::ForceKind::Line(line) = &element.kind else {
            return S::from(f64::NAN);
        };
        let (q, numbers) = (element.local.pick(motion.q), element.local.pick_numbers(motion.numbers));
        let engagement = line.engagement::<S, D>(&q, &numbers);
        if mode.slack[force] { -engagement } else { engagement }
    }

    /// Relative angle and torque on the second body.
    fn torsion<S: Scalar>(&self, force: usize, motion: &Motion<S>) -> (S, S) {
        let element = &self.forces[force];
        let super::force::ForceKind::Torsion(kind) = &element.kind else {
            return (S::from(f64::NAN), S::from(f64::NAN));
        };
        let (q, v) = (element.local.pick(motion.q), motion.rates(&element.local));
        (
            kind.angle(&q),
            kind.torque(&q, &v, &element.local.pick_numbers(motion.numbers)),
        )
    }

    /// Gap of a contact.
    pub fn gap<S: Scalar, const D: usize>(&self, contact: usize, motion: &Motion<S>) -> S {
        let constraint = &self.constraints[self.contacts[contact].gap];
        constraint.value_at::<S, D>(motion.t, |i| motion.q[i], |i| motion.numbers[i])[0]
    }

    fn margin<S: Scalar, const D: usize>(&self, constraint: usize, motion: &Motion<S>) -> S {
        let Constraint { kind, local, .. } = &self.constraints[constraint];
        let margin = kind.margin::<S, D>(&local.pick(motion.q), &local.pick_numbers(motion.numbers));
        margin.unwrap_or(S::from(1.0))
    }

    fn kinetic<S: Scalar, const D: usize>(&self, motion: &Motion<S>) -> S {
        let mut sum = S::from(0.0);
        for body in &self.bodies {
            let numbers = body.local.pick_numbers(motion.numbers);
            sum += body.kinetic::<S, D>(&body.local.pick(motion.q), &motion.rates(&body.local), &numbers);
        }
        sum
    }

    /// Momentum and angular momentum of a rigid body in space.
    fn momenta<S: Scalar>(&self, body: usize, motion: &Motion<S>) -> [[S; 3]; 2] {
        let Body { kind, local, .. } = &self.bodies[body];
        match kind {
            BodyKind::Solid(solid) => {
                let numbers = local.pick_numbers(motion.numbers);
                solid.momenta(&local.pick(motion.q), &motion.rates(local), &numbers)
            }
            _ => [[S::from(f64::NAN); 3]; 2],
        }
    }

    fn potential<S: Scalar, const D: usize>(&self, mode: &Mode, motion: &Motion<S>) -> S {
        let mut sum = S::from(0.0);
        for body in &self.bodies {
            sum += body.potential::<S, D>(&body.local.pick(motion.q), &body.local.pick_numbers(motion.numbers));
        }
        for (index, force) in self.forces.iter().enumerate() {
            if mode.force_acts(index) && self.stores_energy(index) {
                sum += force.potential::<S, D>(&force.local.pick(motion.q), &force.local.pick_numbers(motion.numbers));
            }
        }
        sum
    }

    /// Kinetic and potential energy at an instant.
    pub fn energy(&self, mode: &Mode, motion: &Motion<f64>) -> (f64, f64) {
        (
            Quantity::Kinetic.evaluate(self, mode, motion),
            Quantity::Potential.evaluate(self, mode, motion),
        )
    }
}
