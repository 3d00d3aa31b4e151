//! Checkpoints: a simulation that is interrupted between two blocks of steps and resumed takes the same steps again.

use super::guard::Stance;
use super::simulate::Simulation;
use super::{HybridSystem, Options};
use crate::integrate::{Statistics, Stepper};

/// Everything that the steps to come depend on.
#[derive(Clone, Debug)]
pub struct Checkpoint<M> {
    pub(super) t: f64,
    pub(super) mode: M,
    pub(super) x: Vec<f64>,
    /// With the memory of the step-size control and, for the implicit method, of its iterations.
    pub(super) stepper: Stepper,
    pub(super) h: Option<f64>,
    pub(super) stances: Vec<Stance>,
    pub(super) steps: u64,
    pub(super) phase_steps: usize,
    pub(super) jumps_at_once: usize,
    pub(super) start: f64,
    pub(super) last_jump: f64,
}

impl<M> Checkpoint<M> {
    /// Time.
    pub fn t(&self) -> f64 {
        self.t
    }

    /// Work up to here.
    pub fn statistics(&self) -> Statistics {
        self.stepper.statistics()
    }

    /// Bytes held, for a mode that takes `mode` bytes.
    pub fn bytes(&self, mode: usize) -> usize {
        size_of::<Self>() + size_of_val(&self.x[..]) + size_of_val(&self.stances[..]) + self.stepper.bytes() + mode
    }
}

impl<'a, H: HybridSystem> Simulation<'a, H> {
    /// What it takes to go on from here, to be asked for between two calls of [`Simulation::advance`].
    pub fn checkpoint(&self) -> Checkpoint<H::Mode> {
        Checkpoint {
            t: self.t,
            mode: self.mode.clone(),
            x: self.x.clone(),
            stepper: self.stepper.light(),
            h: self.h,
            stances: self.search.stances.clone(),
            steps: self.steps,
            phase_steps: self.phase_steps,
            jumps_at_once: self.jumps_at_once,
            start: self.start,
            last_jump: self.last_jump,
        }
    }

    /// Goes on from a checkpoint of the same simulation.
    pub fn resume(
        system: &'a H,
        from: &Checkpoint<H::Mode>,
        options: &'a Options,
        workspace: &'a mut H::Workspace,
    ) -> Self {
        let start = (from.t, from.mode.clone(), from.x.clone());
        let mut simulation = Self::prepare(system, start, options, workspace);
        simulation.stepper.clone_from(&from.stepper);
        simulation.search.stances.clone_from(&from.stances);
        simulation.h = from.h;
        simulation.steps = from.steps;
        simulation.phase_steps = from.phase_steps;
        simulation.jumps_at_once = from.jumps_at_once;
        simulation.start = from.start;
        simulation.last_jump = from.last_jump;
        simulation
    }
}
