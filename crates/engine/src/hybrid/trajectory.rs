//! A recorded motion: phases with dense output joined by complete jump records. The only input of the adjoint.

use super::{Happening, JumpView, Observer, StepView};
use crate::error::Result;
use crate::integrate::DenseOutput;

/// Steps that are kept or computed again together: a recording that is cut in pieces is cut after a multiple of this many
/// steps of a phase, and a backward pass ends a step there, whether the recording is cut or not.
pub const STEPS_OF_A_BLOCK: usize = 8;

/// Steps of one mode between two jumps.
#[derive(Clone, Debug)]
pub struct Phase<M> {
    /// The mode.
    pub mode: M,
    /// Time at the start.
    pub start: f64,
    /// State at the start.
    pub x: Vec<f64>,
    /// Interpolants of the steps in order.
    pub steps: Vec<DenseOutput>,
}

/// A jump between two phases.
#[derive(Clone, Debug)]
pub struct JumpRecord {
    /// Its number in the run, counted from zero.
    pub index: usize,
    /// Time.
    pub t: f64,
    /// Guards that fired.
    pub fired: Vec<usize>,
    /// As in [`JumpView::follows`].
    pub follows: bool,
    /// What happened.
    pub happenings: Vec<Happening>,
    /// State before.
    pub before: Vec<f64>,
    /// State after.
    pub after: Vec<f64>,
}

/// Phases and the jumps between them: one jump fewer than phases.
#[derive(Clone, Debug)]
pub struct Trajectory<M> {
    /// Phases in order.
    pub phases: Vec<Phase<M>>,
    /// Jumps in order; jump k joins phases k and k + 1.
    pub jumps: Vec<JumpRecord>,
}

impl<M> Default for Trajectory<M> {
    fn default() -> Self {
        Self {
            phases: Vec::new(),
            jumps: Vec::new(),
        }
    }
}

impl<M> Trajectory<M> {
    /// Mode and state at a time (before a jump at that instant); none outside the recorded time.
    pub fn at(&self, t: f64) -> Option<(&M, Vec<f64>)> {
        let mut all = self
            .phases
            .iter()
            .flat_map(|phase| phase.steps.iter().map(move |step| (phase, step)));
        let (phase, step) = all.find(|(_, step)| step.contains(t))?;
        let mut x = vec![0.0; step.dimension()];
        step.evaluate(t, &mut x);
        Some((&phase.mode, x))
    }

    /// State at a time (before a jump at that instant); none outside the recorded time.
    pub fn state(&self, t: f64) -> Option<Vec<f64>> {
        self.at(t).map(|(_, x)| x)
    }

    /// Bytes held by the interpolants, the states and the records of jumps, without what modes point at.
    pub fn bytes(&self) -> usize {
        let phases = self.phases.iter().map(|phase| {
            let steps: usize = phase.steps.iter().map(step_bytes).sum();
            size_of::<Phase<M>>() + size_of_val(&phase.x[..]) + steps
        });
        let jumps = self.jumps.iter().map(JumpRecord::bytes);
        phases.sum::<usize>() + jumps.sum::<usize>()
    }
}

/// Bytes of a recorded step.
pub fn step_bytes(step: &DenseOutput) -> usize {
    size_of::<DenseOutput>() + size_of_val(step.coefficients())
}

impl<M> From<&JumpView<'_, M>> for JumpRecord {
    fn from(jump: &JumpView<M>) -> Self {
        Self {
            index: jump.index,
            t: jump.t,
            fired: jump.fired.to_vec(),
            follows: jump.follows,
            happenings: jump.happenings.to_vec(),
            before: jump.before.to_vec(),
            after: jump.after.to_vec(),
        }
    }
}

impl JumpRecord {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let words: usize = self.happenings.iter().map(|h| h.name.len() + h.kind.len()).sum();
        size_of::<Self>()
            + size_of_val(&self.fired[..])
            + size_of_val(&self.happenings[..])
            + words
            + 2 * size_of_val(&self.before[..])
    }
}

impl<M: Clone> Observer<M> for Trajectory<M> {
    fn wants_dense(&self) -> bool {
        true
    }

    fn start(&mut self, start: f64, mode: &M, x: &[f64]) -> Result<()> {
        let (mode, x) = (mode.clone(), x.to_vec());
        let steps = Vec::new();
        self.phases.push(Phase { mode, start, x, steps });
        Ok(())
    }

    fn step(&mut self, step: &StepView<M>) -> Result<()> {
        if let (Some(phase), Some(dense)) = (self.phases.last_mut(), step.dense) {
            phase.steps.push(dense.clone());
        }
        Ok(())
    }

    fn jump(&mut self, jump: &JumpView<M>) -> Result<()> {
        self.jumps.push(JumpRecord::from(jump));
        self.start(jump.t, jump.mode_after, jump.after)
    }
}
