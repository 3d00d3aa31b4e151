//! Hybrid systems: smooth flows joined by jumps (theory, section 3).
//!
//! A system says what its flow, guards and jumps are; [`simulate`] integrates the flow, locates the guards to the
//! resolution of time and applies the jumps. It knows no mechanisms.

mod breaks;
mod checkpoint;
mod differentiable;
mod endless;
mod exhausted;
mod guard;
mod last_instant;
mod leave;
mod leaving;
mod mode_flow;
mod path;
mod progress;
mod resolution;
mod simulate;
mod trajectory;
mod waking;

#[cfg(test)]
mod tests;

pub use breaks::Break;
pub use checkpoint::Checkpoint;
pub use differentiable::{Cotangents, Differentiable, Tangent, Tangents, tangents_by_jacobian};
pub use simulate::{Finish, Options, Simulation, simulate};
pub use trajectory::{JumpRecord, Phase, STEPS_OF_A_BLOCK, Trajectory, step_bytes};

use std::fmt::Debug;
use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::integrate::{DenseOutput, HessenbergWork, no_hessenberg};
use crate::linear::Descriptor;

/// Lower and upper bound of each component of a state.
pub type Bounds<'a> = dyn Fn(usize) -> [f64; 2] + 'a;

/// Direction in which a guard's value must cross zero for the guard to fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// The value must not be negative: fires when it falls below zero, and at once where it starts to.
    Unilateral,
    /// From positive to negative.
    Falling,
    /// From negative to positive.
    Rising,
    /// Either way.
    Either,
}

/// Something that happened at an event, for reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// Name of the contact, force or event concerned.
    pub name: String,
    /// What happened: `impact`, `stick`, `slip`, `reverse`, `rest`, `release`, `switch`, `tooth`, `reversal`, `kink`, `slide`,
    /// `leave`.
    pub kind: String,
    /// Which of several of one name and kind it is, such as the kinks of one force.
    pub part: usize,
    /// How it ended, where that is not one thing: an impact with friction in `stick`, `slip` or `reverse`.
    pub outcome: Option<&'static str>,
}

impl Happening {
    /// Name and kind.
    pub fn named(&self) -> (&str, &str) {
        (&self.name, &self.kind)
    }
}

/// Outcome of a jump.
#[derive(Clone, Debug)]
pub struct Jump<M> {
    /// Mode after the jump.
    pub mode: M,
    /// What happened, in the order of the system's elements.
    pub happenings: Vec<Happening>,
    /// Remarks for the user, such as an outcome that depends on the order of simultaneous impacts.
    pub remarks: Vec<String>,
}

/// A system with modes: x' = F_m(t, x) between events; at a guard's zero x jumps and the mode may change.
///
/// All slices of states have [`HybridSystem::dimension`] entries. The workspace holds scratch only: no result may depend
/// on what an earlier call left in it.
pub trait HybridSystem {
    /// Discrete state, constant between events.
    type Mode: Clone + Debug;
    /// Scratch.
    type Workspace;

    /// Number of continuous states n.
    fn dimension(&self) -> usize;

    /// States that only jumps change; they are left out of the error control.
    fn memory(&self) -> Range<usize> {
        0..0
    }

    /// States that guards may depend on; the others (quadratures) do not tell how fast the motion is.
    fn dynamic(&self) -> Range<usize> {
        0..self.dimension()
    }

    /// Size of a component of the state, in its unit: what rates of different units are compared by.
    fn size(&self, component: usize) -> f64 {
        let _ = component;
        1.0
    }

    /// Bytes that a mode holds, for the memory bound of recordings.
    fn mode_bytes(&self, mode: &Self::Mode) -> usize {
        size_of_val(mode)
    }

    /// Allocates scratch.
    fn workspace(&self) -> Self::Workspace;

    /// Writes x' = F_m(t, x).
    ///
    /// # Errors
    /// Kinds `Singular` and `NotFinite` where the flow is not defined: the integrator tries a smaller step.
    fn flow(&self, at: At<Self::Mode>, workspace: &mut Self::Workspace, dx: &mut [f64]) -> Result<()>;

    /// Number of equal parts that the state consists of: see [`Flow::blocks`](crate::integrate::Flow::blocks).
    fn blocks(&self) -> usize {
        1
    }

    /// Writes dF/dx, row-major n x n; of one of the blocks.
    ///
    /// # Errors
    /// Kind `Request` unless the system provides it.
    fn flow_jacobian(&self, at: At<Self::Mode>, workspace: &mut Self::Workspace, jacobian: &mut [f64]) -> Result<()> {
        let At { t, .. } = at;
        let _ = (workspace, jacobian);
        Err(Error::new(ErrorKind::Request, "this system has no Jacobian")
            .at_time(t)
            .advise("use the explicit integrator"))
    }

    /// Whether [`HybridSystem::flow_descriptor`] writes the derivative of the flow in this mode: for systems so large that a dense
    /// one costs more than several directions.
    fn has_descriptor(&self, mode: &Self::Mode, workspace: &Self::Workspace) -> bool {
        let _ = (mode, workspace);
        false
    }

    /// Writes dF/dx in descriptor form, of one of the blocks; false where it is dense.
    ///
    /// # Errors
    /// As for the flow.
    fn flow_descriptor(
        &self,
        at: At<Self::Mode>,
        workspace: &mut Self::Workspace,
        out: &mut Descriptor,
    ) -> Result<bool> {
        let _ = (at, workspace, out);
        Ok(false)
    }

    /// Does some work with the differential-algebraic equations of a mode, whose underlying ordinary differential equation the
    /// flow is: see [`Flow::hessenberg`](crate::integrate::Flow::hessenberg).
    ///
    /// # Errors
    /// As the work; kind `Request` unless the motion is to be integrated as theirs.
    fn hessenberg(&self, mode: &Self::Mode, workspace: &mut Self::Workspace, work: HessenbergWork) -> Result<()> {
        let _ = (mode, workspace, work);
        Err(no_hessenberg())
    }

    /// Moves a state at the end of a step back onto the system's invariants; true if it moved.
    ///
    /// # Errors
    /// When the state is too far off.
    fn project(&self, t: f64, mode: &Self::Mode, x: &mut [f64], workspace: &mut Self::Workspace) -> Result<bool> {
        let _ = (t, mode, x, workspace);
        Ok(false)
    }

    /// Whether [`HybridSystem::project`] moves states in a mode at all.
    fn projects(&self, mode: &Self::Mode) -> bool {
        let _ = mode;
        false
    }

    /// How far the state of the latest projection was from where the invariants lose their independence, with its time; see
    /// [`Singular::regularity`](crate::integrate::Singular::regularity).
    fn regularity(&self, workspace: &Self::Workspace) -> Option<(f64, f64)> {
        let _ = workspace;
        None
    }

    /// Where a motion in this mode starts from a place where the invariants lose their independence: the time of the start, and
    /// the time in which the motion changes by its size; see [`Singular::departure`](crate::integrate::Singular::departure).
    fn departure(&self, mode: &Self::Mode) -> Option<(f64, f64)> {
        let _ = mode;
        None
    }

    /// Whether a time is that of such a start, to rounding: there the state has a flow, but no derivatives and no projection.
    fn departs(&self, mode: &Self::Mode, t: f64) -> bool {
        let _ = (mode, t);
        false
    }

    /// Whether the flow is smooth within a mode. Then a place that no step size makes smooth is one where only rounding is
    /// rough, and a long step may pass it.
    fn is_smooth(&self) -> bool {
        true
    }

    /// Whether first steps of a mode may be exact at their ends alone: see
    /// [`Flow::begins_stiff`](crate::integrate::Flow::begins_stiff).
    fn begins_stiff(&self, mode: &Self::Mode) -> bool {
        let _ = mode;
        false
    }

    /// What a step size that collapses at a state comes from, where the system knows better; else the error as it is.
    fn explain(&self, error: Error, at: At<Self::Mode>, workspace: &mut Self::Workspace) -> Error {
        let _ = (at, workspace);
        error
    }

    /// The error for a guard that changes its sign through infinity at a time.
    fn pole(&self, guard: usize, t: f64) -> Error {
        let _ = guard;
        let message = "a condition for an event changes its sign through infinity, where it has no value";
        Error::new(ErrorKind::Event, message).at_time(t)
    }

    /// Name of the element that a guard belongs to: messages name it where a jump reports nothing.
    fn owner(&self, guard: usize) -> Option<&str> {
        let _ = guard;
        None
    }

    /// What helps against events that follow each other without end, by the guards that fired in the latest two; none where
    /// the usual advice does, which is about the conditions of events.
    fn advise_endless(&self, guards: &[usize]) -> Option<String> {
        let _ = guards;
        None
    }

    /// Number of guards, in any mode.
    fn guards(&self) -> usize;

    /// Direction in which a guard fires, or none while it sleeps in this mode.
    fn crossing(&self, guard: usize, mode: &Self::Mode) -> Option<Crossing>;

    /// Writes guards, ascending: at least all those that are awake in a mode and that may be zero, or no further from it than
    /// `reach` or their rounding, anywhere within some bounds of the components of the state. No other is evaluated there, as
    /// long as it stays on its side of zero.
    fn near(
        &self,
        mode: &Self::Mode,
        within: &Bounds,
        reach: f64,
        workspace: &mut Self::Workspace,
        near: &mut Vec<usize>,
    ) {
        let _ = (within, reach, workspace);
        near.clear();
        near.extend((0..self.guards()).filter(|&guard| self.crossing(guard, mode).is_some()));
    }

    /// Value of a guard.
    ///
    /// # Errors
    /// As for the flow.
    fn guard(&self, guard: usize, at: At<Self::Mode>, workspace: &mut Self::Workspace) -> Result<f64>;

    /// Size up to which the value of a guard may be rounding, after [`HybridSystem::guard`] at the same state: so small a
    /// value does not tell on which side of zero a guard is that starts there. `by_tolerance` is rounding by the tolerance of the
    /// state, of which guards in units of their own know nothing.
    fn rounding(&self, guard: usize, by_tolerance: f64, at: At<Self::Mode>, workspace: &mut Self::Workspace) -> f64 {
        let _ = (guard, at, workspace);
        by_tolerance
    }

    /// Size up to which a guard that the motion holds at zero may be off it within a step, by the error of that; zero for one that moves.
    fn error_within(&self, guard: usize, at: At<Self::Mode>, workspace: &mut Self::Workspace) -> f64 {
        let _ = (guard, at, workspace);
        0.0
    }

    /// Whether a unilateral guard fires wherever a jump takes it below zero by more than rounding, however soon it comes back: that of a
    /// kink, which says on which side the flow is.
    fn is_side(&self, guard: usize) -> bool {
        let _ = guard;
        false
    }

    /// Takes from the guards that fire at an instant those whose jump is next. The others jump right after it, each in a time
    /// of its own (theory, 3). All at once, unless the system knows which of them act on each other; none when no other happens.
    ///
    /// # Errors
    /// As for the jump.
    fn take_due(
        &self,
        at: At<Self::Mode>,
        due: &mut Vec<usize>,
        workspace: &mut Self::Workspace,
    ) -> Result<Vec<usize>> {
        let _ = (at, workspace);
        Ok(std::mem::take(due))
    }

    /// Keeps guards that fire at the same instant, and have their turn later, out of the jump of others; or no longer.
    fn hold_back(&self, mode: &mut Self::Mode, due: &[usize], held: bool) {
        let _ = (mode, due, held);
    }

    /// Told between two jumps at one instant when the second does not follow on the first, but has a time of its own.
    fn begin_own_time(&self, mode: &mut Self::Mode) {
        let _ = mode;
    }

    /// Applies the jump of the fired guards to x and returns the next mode.
    ///
    /// # Errors
    /// Kind `Event` when the outcome is not defined.
    fn jump(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &mut [f64],
        fired: &[usize],
        workspace: &mut Self::Workspace,
    ) -> Result<Jump<Self::Mode>>;
}

/// A place in a mode.
#[derive(Debug)]
pub struct At<'a, M> {
    /// Time.
    pub t: f64,
    /// Mode.
    pub mode: &'a M,
    /// State, n entries.
    pub x: &'a [f64],
}

impl<'a, M> At<'a, M> {
    /// The place of a time, a mode and a state.
    pub fn new(t: f64, mode: &'a M, x: &'a [f64]) -> Self {
        Self { t, mode, x }
    }
}

// Derived, these would ask modes to be copied.
impl<M> Clone for At<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for At<'_, M> {}

/// A step as observers see it.
#[derive(Clone, Copy, Debug)]
pub struct StepView<'a, M> {
    /// Mode of the phase.
    pub mode: &'a M,
    /// Time at the start of the step.
    pub start: f64,
    /// Time at the end of the step.
    pub end: f64,
    /// State at the end of the step.
    pub x: &'a [f64],
    /// Interpolant; present when the observer asks for it, and where the step passes a rough place.
    pub dense: Option<&'a DenseOutput>,
    /// About when it passes a rough place, such as a singular position, if it does.
    pub passes: Option<f64>,
    /// A jump of the flow within the step that no guard tells: derivatives lack what it leaves.
    pub breaks: Option<&'a Break>,
}

/// A jump as observers see it.
#[derive(Clone, Copy, Debug)]
pub struct JumpView<'a, M> {
    /// Its number in the run, counted from zero.
    pub index: usize,
    /// Time.
    pub t: f64,
    /// Guards that fired.
    pub fired: &'a [usize],
    /// Whether it follows at once, without any flow, on the jump before it or on the start: then it has the time of that
    /// for nearby parameters too.
    pub follows: bool,
    /// What happened.
    pub happenings: &'a [Happening],
    /// Mode before.
    pub mode_before: &'a M,
    /// Mode after.
    pub mode_after: &'a M,
    /// State before.
    pub before: &'a [f64],
    /// State after.
    pub after: &'a [f64],
}

/// Watches a simulation: a recorder, a sampler of outputs, a progress bar.
pub trait Observer<M> {
    /// Whether [`StepView::dense`] is to be filled.
    fn wants_dense(&self) -> bool {
        false
    }

    /// Called at the start.
    ///
    /// # Errors
    /// An error ends the simulation.
    fn start(&mut self, t: f64, mode: &M, x: &[f64]) -> Result<()> {
        let _ = (t, mode, x);
        Ok(())
    }

    /// Called before each evaluation of the flow while a step is sought, which may take long over a rough place.
    ///
    /// # Errors
    /// An error ends the simulation.
    fn seeks(&mut self, t: f64) -> Result<()> {
        let _ = t;
        Ok(())
    }

    /// Called after each accepted step.
    ///
    /// # Errors
    /// An error ends the simulation.
    fn step(&mut self, step: &StepView<M>) -> Result<()> {
        let _ = step;
        Ok(())
    }

    /// Called after each jump.
    ///
    /// # Errors
    /// An error ends the simulation.
    fn jump(&mut self, jump: &JumpView<M>) -> Result<()> {
        let _ = jump;
        Ok(())
    }
}

impl<M> Observer<M> for () {}

/// Two observers of one simulation; the first is told first.
impl<M, A: Observer<M>, B: Observer<M>> Observer<M> for (&mut A, &mut B) {
    fn wants_dense(&self) -> bool {
        self.0.wants_dense() || self.1.wants_dense()
    }

    fn start(&mut self, t: f64, mode: &M, x: &[f64]) -> Result<()> {
        self.0.start(t, mode, x)?;
        self.1.start(t, mode, x)
    }

    fn seeks(&mut self, t: f64) -> Result<()> {
        self.0.seeks(t)?;
        self.1.seeks(t)
    }

    fn step(&mut self, step: &StepView<M>) -> Result<()> {
        self.0.step(step)?;
        self.1.step(step)
    }

    fn jump(&mut self, jump: &JumpView<M>) -> Result<()> {
        self.0.jump(jump)?;
        self.1.jump(jump)
    }
}
