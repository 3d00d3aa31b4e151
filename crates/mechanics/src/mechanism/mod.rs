//! A mechanism as a hybrid system: the model under a formulation, with contacts and switches as guards and jumps.
//!
//! State x = [q | v | z | w]: positions, velocities, quadratures of the integrands, memory.

mod closing;
mod course;
mod diagnosis;
mod dynamics;
mod forced;
mod guards;
mod hessenberg;
mod impact;
mod jacobian;
mod jump;
mod jump_tangent;
mod jump_transposed;
mod laws;
mod memory;
mod projection;
mod projection_tangent;
mod remembering;
mod resolve;
mod start;
mod stop;
mod tangent;
mod touch;
mod transposed;
mod workspace;

pub use course::{Course, CourseRecorder, not_along_events};
pub use guards::Watch;
pub use jump_tangent::LinearizedJump;
pub use start::Started;
pub use workspace::Workspace;

use std::ops::Range;

use crate::error::Result;
use crate::formulation::{Formulation, Multipliers, Nullspace, Penalty, PenaltyFactors};
use crate::hybrid::{At, Cotangents, Crossing, Differentiable, DifferentialAlgebraic, HybridSystem, Jump, Tangent};
use crate::linear::max_abs;
use crate::model::{Coordinate, Mode, Model, Start};

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

impl HybridSystem for Mechanism {
    type Mode = Mode;
    type Workspace = Workspace;

    fn dimension(&self) -> usize {
        self.quadratures().end + self.model.memory.len()
    }

    fn memory(&self) -> Range<usize> {
        self.quadratures().end..self.dimension()
    }

    fn dynamic(&self) -> Range<usize> {
        0..self.velocities().end
    }

    fn mode_bytes(&self, mode: &Mode) -> usize {
        mode.bytes()
    }

    fn workspace(&self) -> Workspace {
        Workspace::new(self)
    }

    fn flow(&self, at: At<Mode>, workspace: &mut Workspace, dx: &mut [f64]) -> Result<()> {
        self.derivative(at, workspace, dx)
    }

    fn flow_jacobian(&self, at: At<Mode>, workspace: &mut Workspace, jacobian: &mut [f64]) -> Result<()> {
        self.state_jacobian(at, workspace, jacobian)
    }

    fn differential_algebraic(&self) -> Option<&dyn DifferentialAlgebraic<Mode = Mode, Workspace = Workspace>> {
        self.is_algebraic().then_some(self as _)
    }

    fn project(&self, t: f64, mode: &Mode, x: &mut [f64], workspace: &mut Workspace) -> Result<bool> {
        if !self.projects(mode) {
            return Ok(false);
        }
        self.project_state(t, mode, x, workspace)
    }

    fn projects(&self, _: &Mode) -> bool {
        self.choices.projection && self.needs_independent_rows()
    }

    fn regularity(&self, workspace: &Workspace) -> Option<(f64, f64)> {
        workspace.regularity
    }

    fn guards(&self) -> usize {
        self.guard_count()
    }

    fn crossing(&self, guard: usize, mode: &Mode) -> Option<Crossing> {
        self.guard_crossing(guard, mode)
    }

    fn guard(&self, guard: usize, at: At<Mode>, workspace: &mut Workspace) -> Result<f64> {
        self.guard_value(guard, at, workspace)
    }

    fn rounding(&self, guard: usize, at: At<Mode>, workspace: &Workspace) -> f64 {
        self.guard_rounding(guard, at, workspace)
    }

    fn jump(
        &self,
        t: f64,
        mode: &Mode,
        x: &mut [f64],
        fired: &[usize],
        workspace: &mut Workspace,
    ) -> Result<Jump<Mode>> {
        self.apply_jump(t, mode, x, fired, workspace)
    }
}

impl Differentiable for Mechanism {
    type LinearizedJump = LinearizedJump;

    fn numbers(&self) -> usize {
        self.model.numbers.len()
    }

    fn linearize(&self, at: At<Mode>, workspace: &mut Workspace) -> Result<()> {
        self.linearize_at(at, workspace)
    }

    fn flow_jvp(&self, at: At<Mode>, along: &Tangent, workspace: &mut Workspace, out: &mut [f64]) {
        self.flow_slope(at, along, workspace, out);
    }

    fn flow_vjp(&self, at: At<Mode>, mu: &[f64], workspace: &mut Workspace, cotangents: Cotangents) {
        self.flow_transposed_at(at, mu, workspace, cotangents);
    }

    fn linearize_projection(&self, at: At<Mode>, workspace: &mut Workspace) {
        if self.projects(at.mode) {
            self.linearize_projection_at(at, workspace);
        }
    }

    fn project_jvp(&self, at: At<Mode>, along: &mut [f64], numbers: &[f64], workspace: &mut Workspace) {
        if self.projects(at.mode) {
            self.project_slope(at, along, numbers, workspace);
        }
    }

    fn project_vjp(&self, at: At<Mode>, mu: &mut [f64], numbers_bar: &mut [f64], workspace: &mut Workspace) {
        if self.projects(at.mode) {
            self.project_transposed_at(at, mu, numbers_bar, workspace);
        }
    }

    fn guard_jvp(&self, guard: usize, at: At<Mode>, along: &Tangent, workspace: &mut Workspace) -> Result<f64> {
        self.guard_slope(guard, at, along, workspace)
    }

    fn guard_vjp(&self, guard: usize, at: At<Mode>, workspace: &mut Workspace, cotangents: Cotangents) -> Result<()> {
        self.guard_gradient_at(guard, at, workspace, cotangents)
    }

    fn linearize_jump(&self, at: At<Mode>, fired: &[usize], workspace: &mut Workspace) -> Result<LinearizedJump> {
        self.prepare_jump(at, fired, workspace)
    }

    fn jump_jvp(&self, tangent: &LinearizedJump, along: &Tangent, workspace: &mut Workspace, out: &mut [f64]) {
        self.jump_slope(tangent, along, workspace, out);
    }

    fn jump_vjp(&self, tangent: &LinearizedJump, mu: &[f64], workspace: &mut Workspace, cotangents: Cotangents) {
        self.jump_transposed_at(tangent, mu, workspace, cotangents);
    }
}
