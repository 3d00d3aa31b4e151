//! Gradients of outputs: the chain rule through the expression, then each quantity by what it reads of the motion.

use super::local::{ElementDuals, LocalGradient, State};
use crate::linear::pairs_within;
use crate::model::body::Body;
use crate::model::local::Local;
use crate::model::quantity::{Hysteresis, Latching, Motion, Output, Quantity, Rate, ReactionPart, Rubbing};
use crate::model::{Mode, Model};
use crate::scalar::Dual64;

/// Gradient with respect to all that an output may read; added to.
#[derive(Debug)]
pub struct MotionGradient<'a> {
    /// nq.
    pub q: &'a mut [f64],
    /// nv.
    pub v: &'a mut [f64],
    /// nv.
    pub a: &'a mut [f64],
    /// One per row of the mode.
    pub lambda: &'a mut [f64],
    /// Numbers and memory.
    pub numbers: &'a mut [f64],
}

/// Scratch: the motion as dual numbers, and what of it the quantity at hand reads. Written by [`Output::add_gradient`].
#[derive(Clone, Debug, Default)]
pub struct MotionDuals {
    q: Vec<Dual64>,
    v: Vec<Dual64>,
    a: Vec<Dual64>,
    lambda: Vec<Dual64>,
    numbers: Vec<Dual64>,
    /// Coordinates, velocities and numbers that are read, without repetition.
    coordinates: Vec<usize>,
    velocities: Vec<usize>,
    fed: Vec<usize>,
}

impl MotionDuals {
    /// Scratch for a model whose modes have at most `rows` rows.
    pub fn new(model: &Model, rows: usize) -> Self {
        let (nq, nv, count) = (model.nq(), model.nv(), model.numbers.len() + model.memory.len());
        let zeros = |n: usize| vec![Dual64::from(0.0); n];
        Self {
            q: zeros(nq),
            v: zeros(nv),
            a: zeros(nv),
            lambda: zeros(rows),
            numbers: zeros(count),
            coordinates: Vec::with_capacity(nq),
            velocities: Vec::with_capacity(nv),
            fed: Vec::with_capacity(count),
        }
    }

    fn load(&mut self, motion: &Motion<f64>) {
        let fill = |slots: &mut [Dual64], values: &[f64]| {
            pairs_within(slots, values, |slot, &value| *slot = Dual64::from(value));
        };
        fill(&mut self.q, motion.q);
        fill(&mut self.v, motion.v);
        fill(&mut self.a, motion.a);
        fill(&mut self.lambda, motion.lambda);
        fill(&mut self.numbers, motion.numbers);
        self.coordinates.clear();
        self.velocities.clear();
        self.fed.clear();
    }

    fn note(&mut self, model: &Model, local: &Local) {
        let known = |list: &mut Vec<usize>, i: usize| {
            if !list.contains(&i) {
                list.push(i);
            }
        };
        for &i in &local.coordinates {
            known(&mut self.coordinates, i);
            model.velocities_behind(i).for_each(|j| known(&mut self.velocities, j));
        }
        for &i in local.numbers.iter().filter(|number| model.is_fed(**number)) {
            known(&mut self.fed, i);
        }
    }
}

/// One of the arguments of a motion.
#[derive(Clone, Copy, Debug)]
enum MotionArgument {
    Position(usize),
    Velocity(usize),
    Acceleration(usize),
    Multiplier(usize),
    Number(usize),
}

impl MotionDuals {
    fn seed(&mut self, part: MotionArgument, slope: f64) {
        match part {
            MotionArgument::Position(i) => self.q[i].eps = slope,
            MotionArgument::Velocity(i) => self.v[i].eps = slope,
            MotionArgument::Acceleration(i) => self.a[i].eps = slope,
            MotionArgument::Multiplier(i) => self.lambda[i].eps = slope,
            MotionArgument::Number(i) => self.numbers[i].eps = slope,
        }
    }
}

impl MotionGradient<'_> {
    fn add(&mut self, part: MotionArgument, slope: f64) {
        match part {
            MotionArgument::Position(i) => self.q[i] += slope,
            MotionArgument::Velocity(i) => self.v[i] += slope,
            MotionArgument::Acceleration(i) => self.a[i] += slope,
            MotionArgument::Multiplier(i) => self.lambda[i] += slope,
            MotionArgument::Number(i) => self.numbers[i] += slope,
        }
    }
}

/// A motion with the model and the mode in which it is read.
#[derive(Clone, Copy, Debug)]
pub struct MotionView<'a> {
    /// The model.
    pub model: &'a Model,
    /// Its mode.
    pub mode: &'a Mode,
    /// All that outputs may read.
    pub motion: Motion<'a, f64>,
    /// Whether it is read at every instant of an interval, as what is integrated is, and not at one alone.
    pub over_time: bool,
}

impl MotionView<'_> {
    /// The same, read at every instant of an interval.
    pub fn over_time(&self) -> Self {
        Self {
            over_time: true,
            ..*self
        }
    }
}

impl Output {
    /// Adds weight times the gradient of the value, time held.
    pub fn add_gradient(&self, weight: f64, at: &MotionView, duals: &mut MotionDuals, out: &mut MotionGradient) {
        if let Some(quantity) = self.only() {
            return quantity.add_gradient(weight, at, duals, out);
        }
        for (&slope, quantity) in self.slopes(at).iter().zip(&self.arguments) {
            if slope != 0.0 {
                quantity.add_gradient(weight * slope, at, duals, out);
            }
        }
    }
}

impl Output {
    /// Sum of the sizes of all that the value is made of, each with its derivative by it.
    pub fn size_of_arguments(&self, at: &MotionView) -> f64 {
        let size = |(slope, quantity): (&f64, &Quantity)| match quantity {
            _ if *slope == 0.0 => 0.0,
            Quantity::Output(i) => slope.abs() * at.model.outputs[*i].1.size_of_arguments(at),
            _ => (slope * quantity.evaluate(at.model, at.mode, &at.motion)).abs(),
        };
        self.slopes(at).iter().zip(&self.arguments).map(size).sum()
    }
}

impl Quantity {
    /// Adds weight times the gradient of the value, time held.
    pub fn add_gradient(&self, weight: f64, at: &MotionView, duals: &mut MotionDuals, out: &mut MotionGradient) {
        match self {
            Self::Time => {}
            Self::Number(i) => out.numbers[*i] += weight,
            Self::Coordinate(i, Rate::Position) => out.q[*i] += weight,
            Self::Coordinate(i, Rate::Velocity | Rate::Acceleration) if at.model.is_turning(&[*i]) => {
                self.add_by_passes(weight, at, duals, out);
            }
            Self::Coordinate(i, Rate::Velocity) => out.v[at.model.velocities_behind(*i).start] += weight,
            Self::Coordinate(i, Rate::Acceleration) => out.a[at.model.velocities_behind(*i).start] += weight,
            Self::Speed(j, Rate::Acceleration) => out.a[*j] += weight,
            Self::Speed(j, _) => out.v[*j] += weight,
            Self::Output(i) => at.model.outputs[*i].1.add_gradient(weight, at, duals, out),
            Self::Kinetic | Self::Potential | Self::Total if !at.model.frames.is_empty() => {
                self.add_by_passes(weight, at, duals, out);
            }
            Self::Kinetic => at.add_kinetic(weight, out),
            Self::Potential => at.add_potential(weight, out),
            Self::Total => {
                at.add_kinetic(weight, out);
                at.add_potential(weight, out);
            }
            Self::Hysteretic(i, part) => {
                for (slot, sign) in at.model.energies_read(*i, *part).into_iter().flatten() {
                    out.numbers[at.model.memory_number(slot)] += weight * sign;
                }
                if *part != Hysteresis::Loss {
                    self.add_by_passes(weight, at, duals, out);
                }
            }
            _ => self.add_by_passes(weight, at, duals, out),
        }
    }

    /// One pass per argument that the quantity reads.
    fn add_by_passes(&self, weight: f64, at: &MotionView, duals: &mut MotionDuals, out: &mut MotionGradient) {
        duals.load(&at.motion);
        match self {
            // With the multipliers given.
            Self::Reaction(group, part) if *part != ReactionPart::Power => {
                let constraints = at.model.groups[*group].constraints.iter();
                let turning = constraints.map(|&index| &at.model.constraints[index]);
                turning
                    .filter(|constraint| constraint.kind.has_turning_reaction())
                    .for_each(|constraint| duals.note(at.model, &constraint.local));
                let frame = at.model.frame_read(*group, *part);
                frame.into_iter().for_each(|frame| duals.note(at.model, &frame.local));
            }
            _ => self.each_local(at.model, |local| duals.note(at.model, local)),
        }
        let mut pass = |duals: &mut MotionDuals, part: MotionArgument| {
            duals.seed(part, 1.0);
            let motion = Motion {
                t: Dual64::from(at.motion.t),
                q: &duals.q,
                v: &duals.v,
                a: &duals.a,
                lambda: &duals.lambda[..at.mode.rows],
                numbers: &duals.numbers,
                frames: &at.model.frames,
            };
            let slope = self.evaluate(at.model, at.mode, &motion).eps;
            duals.seed(part, 0.0);
            out.add(part, weight * slope);
        };
        for k in 0..duals.coordinates.len() {
            let i = duals.coordinates[k];
            pass(duals, MotionArgument::Position(i));
        }
        for k in 0..duals.velocities.len() {
            let j = duals.velocities[k];
            if self.reads_velocities() {
                pass(duals, MotionArgument::Velocity(j));
            }
            if matches!(
                self,
                Self::Marker(_, _, Rate::Acceleration)
                    | Self::Coordinate(_, Rate::Acceleration)
                    | Self::Friction(_, Rubbing::Balance(_))
            ) {
                pass(duals, MotionArgument::Acceleration(j));
            }
        }
        for k in 0..duals.fed.len() {
            let i = duals.fed[k];
            pass(duals, MotionArgument::Number(i));
        }
        self.each_row(at, |row| pass(duals, MotionArgument::Multiplier(row)));
    }

    fn reads_velocities(&self) -> bool {
        match self {
            Self::Marker(_, _, rate) => *rate != Rate::Position,
            Self::Stretch(_, rate) => *rate != Rate::Position,
            Self::SpringForce(_)
            | Self::ForcePower(_)
            | Self::Reaction(_, ReactionPart::Power)
            | Self::TorsionTorque(_)
            | Self::Bushing(..)
            | Self::Hysteretic(_, Hysteresis::Loading)
            | Self::Ratchet(_, Latching::Advance)
            | Self::Coordinate(_, Rate::Velocity | Rate::Acceleration)
            | Self::Kinetic
            | Self::Total
            | Self::Momentum { .. }
            | Self::Friction(..) => true,
            Self::Coordinate(..) | Self::Hysteretic(..) | Self::Ratchet(..) | Self::Reaction(..) => false,
            Self::Time | Self::Number(_) | Self::Distance(..) | Self::Engagement(_) | Self::TorsionAngle(_) => false,
            Self::Gap(_) | Self::Facing(_) | Self::Margin(_) | Self::ContactForce(_) | Self::Relief(_) => false,
            Self::Potential | Self::Output(_) => false,
            // By hand.
            Self::Speed(..) => false,
        }
    }

    /// Visits the coordinates and numbers of every element that the quantity evaluates.
    pub fn each_local<'a>(&'a self, model: &'a Model, mut visit: impl FnMut(&'a Local)) {
        match self {
            Self::Marker(placed, ..) => visit(&placed.local),
            Self::Distance(a, b) => [a, b].into_iter().for_each(|placed| visit(&placed.local)),
            Self::Stretch(i, _)
            | Self::SpringForce(i)
            | Self::ForcePower(i)
            | Self::Engagement(i)
            | Self::TorsionAngle(i)
            | Self::TorsionTorque(i)
            | Self::Bushing(i, _)
            | Self::Hysteretic(i, _) => {
                visit(&model.forces[*i].local);
            }
            Self::Reaction(group, part) => {
                for &index in &model.groups[*group].constraints {
                    visit(&model.constraints[index].local);
                }
                model
                    .frame_read(*group, *part)
                    .into_iter()
                    .for_each(|frame| visit(&frame.local));
            }
            Self::Gap(contact) => visit(&model.constraints[model.contacts[*contact].gap].local),
            Self::ContactForce(contact) | Self::Relief(contact) => model
                .mates(*contact)
                .for_each(|mate| visit(&model.constraints[model.contacts[mate].gap].local)),
            Self::Margin(constraint) => visit(&model.constraints[*constraint].local),
            Self::Facing(contact) => {
                visit(&model.constraints[model.contacts[*contact].gap].local);
                if let Some(face) = &model.contacts[*contact].face {
                    visit(&face.local);
                }
            }
            Self::Friction(friction, _) => model.each_friction_local(*friction, &mut visit),
            Self::Ratchet(contact, _) => {
                if let Some(ratchet) = model.ratchet(*contact) {
                    visit(&ratchet.local);
                }
            }
            Self::Kinetic => model.bodies.iter().for_each(|body| visit(&body.local)),
            Self::Potential | Self::Total => {
                model.bodies.iter().for_each(|body| visit(&body.local));
                model.forces.iter().for_each(|force| visit(&force.local));
            }
            Self::Coordinate(i, _) => {
                let turns = |body: &&Body| !model.frames.is_empty() && body.local.coordinates.contains(i);
                model.bodies.iter().filter(turns).for_each(|body| visit(&body.local));
            }
            Self::Momentum { body, .. } => visit(&model.bodies[*body].local),
            Self::Time | Self::Number(_) | Self::Speed(..) | Self::Output(_) => {}
        }
    }

    /// Visits the rows whose multipliers the quantity reads.
    fn each_row(&self, at: &MotionView, mut visit: impl FnMut(usize)) {
        let mut rows_of = |constraint: usize| {
            if let Some(first) = at.mode.row_of(constraint) {
                (first..first + at.model.constraints[constraint].rows).for_each(&mut visit);
            }
        };
        match self {
            Self::Reaction(group, _) => at.model.groups[*group].constraints.iter().copied().for_each(rows_of),
            Self::ContactForce(contact) | Self::Relief(contact) => {
                for own in at.model.pressing_contacts(*contact, at.mode) {
                    let element = &at.model.contacts[own];
                    rows_of(element.gap);
                    if let Some(pin) = &element.pin {
                        rows_of(pin.constraint);
                    }
                }
            }
            Self::Friction(friction, _) => {
                // Those that rub together share what presses them too, so that each row is visited once.
                let sharing = at.model.frictions[*friction].contact();
                let sharing = sharing.and_then(|contact| at.mode.footing_of(contact));
                let feet = sharing.map_or(&[][..], |footing| &footing.feet[..]);
                let gap = |foot: usize| at.model.contacts[foot].gap;
                feet.iter().for_each(|(foot, _)| rows_of(gap(*foot)));
                at.model.frictions_with(*friction, at.mode).for_each(|other| {
                    let pressing = at.model.pressing_constraints(other).into_iter().flatten();
                    pressing
                        .filter(|own| !feet.iter().any(|(foot, _)| gap(*foot) == *own))
                        .for_each(&mut rows_of);
                });
            }
            _ => {}
        }
    }
}

impl MotionView<'_> {
    fn add_kinetic(&self, weight: f64, out: &mut MotionGradient) {
        for body in &self.model.bodies {
            let gradient = self.of_element(&body.local, State::Motion, |ElementDuals { q, v, numbers }| {
                in_dimension!(self.model.dimension, D => body.kinetic::<Dual64, D>(q, v, numbers).eps)
            });
            out.add_local(weight, &body.local, &gradient);
        }
    }

    fn add_potential(&self, weight: f64, out: &mut MotionGradient) {
        for body in &self.model.bodies {
            let gradient = self.of_element(&body.local, State::Positions, |ElementDuals { q, numbers, .. }| {
                in_dimension!(self.model.dimension, D => body.potential::<Dual64, D>(q, numbers).eps)
            });
            out.add_local(weight, &body.local, &gradient);
        }
        for (_, force) in self
            .model
            .forces
            .iter()
            .enumerate()
            .filter(|(i, _)| self.mode.force_acts(*i) && self.model.stores_energy(*i))
        {
            let gradient = self.of_element(&force.local, State::Positions, |ElementDuals { q, numbers, .. }| {
                in_dimension!(self.model.dimension, D => force.potential::<Dual64, D>(q, numbers).eps)
            });
            out.add_local(weight, &force.local, &gradient);
        }
    }

    fn of_element(&self, local: &Local, state: State, value: impl Fn(&ElementDuals) -> f64) -> LocalGradient {
        let Motion { q, v, numbers, .. } = self.motion;
        ElementDuals::new(local, q, v, numbers).gradient(self.model, local, state, value)
    }
}

impl MotionGradient<'_> {
    fn add_local(&mut self, weight: f64, local: &Local, gradient: &LocalGradient) {
        for (k, &i) in local.coordinates.iter().enumerate() {
            self.q[i] += weight * gradient.q[k];
            self.v[i] += weight * gradient.v[k];
        }
        for (&i, slope) in local.numbers.iter().zip(&gradient.numbers) {
            self.numbers[i] += weight * slope;
        }
    }
}
