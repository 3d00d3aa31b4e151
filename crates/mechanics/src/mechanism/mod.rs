//! A mechanism as a hybrid system: the model under a formulation, with contacts and switches as guards and jumps.
//!
//! State x = [q | v | z | w]: positions, velocities, quadratures of the integrands, memory.

mod closing;
mod condition;
mod diagnosis;
mod differentiable;
mod dynamics;
mod forced;
mod guards;
mod hessenberg;
mod impact;
mod impact_problem;
mod jacobian;
mod jump;
mod jump_vjp;
mod known_events;
mod laws;
mod memory;
mod projection;
mod remembering;
mod resolve;
mod start;
mod stop;
mod system;
mod tangent;
mod together;
mod touch;
mod transposed;
mod transposed_scratch;
mod workspace;

pub use differentiable::LinearizedJump;
pub use guards::Watch;
pub use known_events::{EventRecorder, KnownEvents, not_along_events};
pub use start::Started;
pub use workspace::Workspace;

use std::ops::Range;

use crate::formulation::{Formulation, Multipliers, Nullspace, Penalty, PenaltyFactors};
use crate::linear::max_abs;
use crate::model::{Coordinate, Model, Start};

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
    /// Whether steps are projected onto the constraints.
    pub projection: bool,
    /// Speed of separation at which a bouncing contact comes to rest; from the impact speeds when none.
    pub rest_speed: Option<f64>,
    /// Absolute tolerance of the integration.
    pub atol: f64,
}

/// A mechanism ready to simulate.
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// The model.
    pub model: Model,
    /// Choices.
    pub choices: Choices,
    /// Whether the flow has to compute multipliers.
    integrands_need_multipliers: bool,
}

/// Most constraint rows that any mode of a model can have.
pub(crate) fn most_rows(model: &Model) -> usize {
    model.constraints.iter().map(|constraint| constraint.rows).sum()
}

impl Mechanism {
    /// A mechanism under the given choices.
    pub fn new(model: Model, choices: Choices) -> Self {
        let integrands_need_multipliers = model
            .integrands
            .iter()
            .any(|integrand| integrand.needs_multipliers(&model));
        Self {
            model,
            choices,
            integrands_need_multipliers,
        }
    }

    /// A fresh formulation workspace.
    fn formulation(&self) -> Formulation {
        let (nv, rows) = (self.model.nv(), most_rows(&self.model));
        match self.choices.formulation {
            FormulationChoice::Nullspace => Formulation::Nullspace(Nullspace::new(nv, rows)),
            // At a state on the constraints both are the index-1 system.
            FormulationChoice::Multipliers | FormulationChoice::Stabilized | FormulationChoice::Index3 => {
                Formulation::Multipliers(Multipliers::new(nv, rows))
            }
            FormulationChoice::Penalty(factors) => Formulation::Penalty(Penalty::new(nv, rows, factors)),
        }
    }

    /// Size of the mechanism: its largest coordinate, now or where the assembly starts.
    fn size(&self, x: &[f64]) -> f64 {
        let start = |coordinate: &Coordinate| match coordinate.start {
            Start::Number(number) => self.model.numbers[number].value.abs(),
            _ => 0.0,
        };
        let starts = self.model.coordinates.iter().map(start);
        starts
            .fold(max_abs(&x[self.positions()]), f64::max)
            .max(f64::MIN_POSITIVE)
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
}
