//! A mechanism as a hybrid system: the model under a formulation, with contacts and switches as guards and jumps.
//!
//! State x = [q | v | z | w]: positions, velocities, quadratures of the integrands, memory, of which some slots have rates.

mod closing;
mod collapse;
mod condition;
mod departing;
mod descriptor;
mod diagnosis;
mod differentiable;
mod displaced;
mod displacement;
mod dynamics;
mod endless;
mod facing;
mod forced;
mod friction;
mod guards;
mod hessenberg;
mod impact;
mod impact_problem;
mod impact_system;
mod jacobian;
mod jump;
mod jump_vjp;
mod known_events;
mod laws;
mod margin;
mod matrices;
mod memory;
mod nearness;
mod passing;
mod projection;
mod projector;
mod pull;
mod remembering;
mod reset;
mod resolve;
mod response;
mod resting_sides;
mod rounding;
mod sliding;
mod start;
mod stop;
mod system;
mod tangent;
mod tangent_scratch;
mod tangents;
mod together;
mod touch;
mod transposed;
mod transposed_scratch;
mod watch;
mod workspace;

pub use differentiable::LinearizedJump;
pub use known_events::{EventRecorder, Jets, KnownEvents, not_along_events};
pub use matrices::Matrices;
pub use start::Started;
use watch::Guards;
pub use watch::Watch;
pub use workspace::Workspace;

use std::ops::Range;

use crate::error::Result;
use crate::formulation::{Elimination, Formulation, Multipliers, Nullspace, Penalty, PenaltyFactors, Saddle};
use crate::integrate::Tolerance;
use crate::model::constraint::ConstraintKind;
use crate::model::quantity::Output;
use crate::model::{CoordinateKind, Model, Sizes};
use nearness::Nearness;

/// Formulation by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FormulationChoice {
    /// QR null-space projection.
    Nullspace,
    /// Index-1 with multipliers.
    Multipliers,
    /// Penalty with these factors.
    Penalty(PenaltyFactors),
    /// Differential-algebraic equations of index 2 with constraints of positions and velocities.
    Stabilized,
    /// Differential-algebraic equations of index 3 with constraints of positions.
    Index3,
}

/// Choices of a simulation that belong to the system rather than to the integrator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choices {
    /// Formulation.
    pub formulation: FormulationChoice,
    /// How its linear systems are solved.
    pub by: Elimination,
    /// Whether steps are projected onto the constraints.
    pub projection: bool,
    /// Speed of separation at which a bouncing contact comes to rest; from the impact speeds when none.
    pub rest_speed: Option<f64>,
    /// Absolute tolerance of the integration, over the sizes that the mechanism allows errors by.
    pub atol: f64,
    /// Relative tolerance of the integration.
    pub rtol: f64,
}

/// A mechanism ready to simulate.
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// The model.
    pub model: Model,
    /// Choices.
    pub choices: Choices,
    /// Characteristic sizes, which rounding is measured by.
    sizes: Sizes,
    /// Sizes that the absolute tolerance is over: the characteristic ones, or units.
    allowed: Sizes,
    /// The same for the quadratures and the objectives.
    allowed_integrals: Vec<f64>,
    allowed_memory: Vec<f64>,
    /// Sizes of memory: at the start, and of what its rates make of it.
    memory_sizes: Vec<f64>,
    allowed_objectives: Vec<f64>,
    /// Time that the motion is to last.
    duration: f64,
    /// Whether it is over sizes of the mechanism.
    over_sizes: bool,
    /// Whether the flow has to compute multipliers.
    integrands_need_multipliers: bool,
    /// What its guards watch.
    guards: Guards,
    /// Which contacts may touch.
    nearness: Nearness,
}

/// Most constraint rows that any mode of a model can have.
pub(crate) fn most_rows(model: &Model) -> usize {
    model.constraints.iter().map(|constraint| constraint.rows).sum()
}

fn needs_multipliers(model: &Model) -> bool {
    let rates = model.memory_rates().map(|(_, rate)| rate);
    let mut integrands = model.integrands.iter().chain(rates);
    integrands.any(|integrand| integrand.needs_multipliers(model))
}

impl Mechanism {
    /// A mechanism under the given choices.
    pub fn new(model: Model, choices: Choices) -> Self {
        Self {
            sizes: Sizes::UNIT,
            allowed: Sizes::UNIT,
            allowed_integrals: vec![1.0; model.integrands.len()],
            allowed_memory: vec![1.0; model.memory.len()],
            memory_sizes: vec![1.0; model.memory.len()],
            allowed_objectives: vec![1.0; model.objectives.len()],
            duration: 1.0,
            over_sizes: false,
            guards: Guards::of(&model),
            nearness: Nearness::new(&model),
            integrands_need_multipliers: needs_multipliers(&model),
            model,
            choices,
        }
    }

    /// The mechanism with rounding measured by the sizes of its motion from this time on; with its tolerance relative to them
    /// if asked for.
    pub fn sized(mut self, t: f64, duration: f64, tolerance_too: bool) -> Self {
        self.duration = duration;
        self.sizes = Sizes::of(&self.model, t, duration);
        self.memory_sizes = self.sizes.memory(&self.model, t, duration);
        if tolerance_too {
            self.allowed = self.sizes;
            self.allowed_integrals = self.sizes.integrals(&self.model, t, duration);
            self.allowed_memory.clone_from(&self.memory_sizes);
            self.allowed_objectives = self.sizes.objectives(&self.model, t, duration);
            self.over_sizes = true;
        }
        for i in 0..self.model.frictions.len() {
            let [end, _] = self.slip_speeds(i);
            if let Some(bristles) = &mut self.model.frictions[i].bristles {
                bristles.still = end;
            }
        }
        self
    }

    /// Leaves out all objectives but the wanted ones and those that they are made of, whose gradients are not wanted.
    pub fn want_objectives(&mut self, wanted: impl Fn(&str) -> bool) {
        let mut kept = self.model.want_objectives(wanted).into_iter();
        self.allowed_objectives.retain(|_| kept.next().unwrap_or(false));
    }

    /// The mechanism with further quadratures behind its own, whose errors no step is held to.
    pub fn with_quadratures(mut self, integrands: impl Iterator<Item = Output>) -> Self {
        self.model.integrands.extend(integrands);
        self.allowed_integrals
            .resize(self.model.integrands.len(), f64::INFINITY);
        self.integrands_need_multipliers = needs_multipliers(&self.model);
        self
    }

    /// The mechanism with every contact's gap evaluated in every step, near or not: to check those that are left out.
    pub fn evaluating_all_gaps(mut self) -> Self {
        self.nearness = Nearness::of_nothing(&self.model);
        self
    }

    /// Characteristic sizes.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// Tolerances of all components of a state and of its sensitivities along directions in the numbers of these sizes.
    ///
    /// # Errors
    /// Kind `Request` for tolerances out of range.
    pub fn tolerance(&self, rtol: f64, directions: &[f64]) -> Result<Tolerance> {
        let sizes = self.allowed();
        let mut atol: Vec<f64> = sizes.iter().map(|size| self.choices.atol * size).collect();
        let memory = self.quadratures().end;
        let mut constant: Vec<bool> = vec![true; self.model.memory.len()];
        self.model.memory_rates().for_each(|(slot, _)| constant[slot] = false);
        for (slot, _) in constant.iter().enumerate().filter(|(_, constant)| **constant) {
            atol[memory + slot] = f64::INFINITY;
        }
        for direction in directions {
            atol.extend(sizes.iter().map(|size| self.choices.atol * size / direction));
        }
        Tolerance::new(rtol, atol)
    }

    /// Sizes of the components of a state that the absolute tolerance is over.
    pub fn allowed(&self) -> Vec<f64> {
        let positions = self.model.position_kinds().map(|kind| self.allowed.position(kind));
        let velocities = self.model.velocity_kinds().map(|kind| self.allowed.velocity(kind));
        let integrals = self.allowed_integrals.iter().copied();
        let memory = self.allowed_memory.iter().copied();
        positions.chain(velocities).chain(integrals).chain(memory).collect()
    }

    /// Size of a direction in the numbers that the absolute tolerance of derivatives along it is over. One that is taken as written
    /// holds for directions of size one and above: along smaller ones, such as a moment of inertia of 1e-4, derivatives
    /// are so large that it would ask for digits that no step has.
    pub fn allowed_along(&self, direction: impl Iterator<Item = (usize, f64)>) -> f64 {
        let size = self.model.direction_size(direction);
        if self.over_sizes { size } else { size.min(1.0) }
    }

    /// Sizes of the objectives that the absolute tolerance is over.
    pub fn allowed_objectives(&self) -> &[f64] {
        &self.allowed_objectives
    }

    /// A fresh formulation workspace for velocities of these sizes.
    fn formulation(&self, units: &[f64]) -> Formulation {
        let (nv, rows) = (self.model.nv(), most_rows(&self.model));
        let by_blocks = self.choices.by.is_by_blocks(nv);
        match self.choices.formulation {
            FormulationChoice::Nullspace if by_blocks => Formulation::Saddle(Saddle::new(units, rows, true)),
            FormulationChoice::Nullspace => Formulation::Nullspace(Nullspace::new(rows, units)),
            // At a state on the constraints all are the index-1 system.
            FormulationChoice::Multipliers | FormulationChoice::Stabilized | FormulationChoice::Index3 => {
                match by_blocks {
                    true => Formulation::Saddle(Saddle::new(units, rows, false)),
                    false => Formulation::Multipliers(Multipliers::new(nv, rows)),
                }
            }
            FormulationChoice::Penalty(factors) => Formulation::Penalty(Penalty::new(nv, rows, factors, by_blocks)),
        }
    }

    /// Kind of what a gap is measured in.
    fn gap_kind(&self, contact: usize) -> CoordinateKind {
        let constraint = &self.model.constraints[self.model.contacts[contact].gap];
        match &constraint.kind {
            ConstraintKind::CoordinateLimit(limit) => {
                self.model.coordinates[constraint.local.coordinates[limit.b]].kind
            }
            _ => CoordinateKind::Length,
        }
    }

    /// Positions in the state.
    pub fn positions(&self) -> Range<usize> {
        0..self.model.nq()
    }

    /// Velocities in the state.
    pub fn velocities(&self) -> Range<usize> {
        self.model.nq()..self.model.nq() + self.model.nv()
    }

    /// Quadratures in the state.
    pub fn quadratures(&self) -> Range<usize> {
        let start = self.velocities().end;
        start..start + self.model.integrands.len()
    }

    /// What is integrated beside the motion, with its place in the state: the integrands, and memory that has a rate.
    pub(crate) fn integrated(&self) -> impl Iterator<Item = (usize, &Output)> {
        let memory = self.quadratures().end;
        let rates = self.model.memory_rates().map(move |(slot, rate)| (memory + slot, rate));
        self.quadratures().zip(&self.model.integrands).chain(rates)
    }
}
