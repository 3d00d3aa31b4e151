//! Checkpoints: a simulation that is interrupted between two blocks of steps and resumed takes the same steps again.

use super::leaving::Leaving;
use super::progress::Progress;
use super::simulate::Simulation;
use super::{HybridSystem, Options};
use crate::integrate::{PassingStepper, Statistics};

/// Everything that the steps to come depend on.
#[derive(Clone, Debug)]
pub struct Checkpoint<M> {
    now: Progress<M>,
    /// With the memory of the step-size control and, for the implicit method, of its iterations.
    stepper: PassingStepper,
    leaving: Vec<Leaving>,
    guard_evaluations: u64,
}

impl<M> Checkpoint<M> {
    /// Time.
    pub fn t(&self) -> f64 {
        self.now.t
    }

    /// Work up to here.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            guards: self.guard_evaluations,
            ..self.stepper.statistics()
        }
    }

    /// Bytes held, for a mode that takes `mode` bytes.
    pub fn bytes(&self, mode: usize) -> usize {
        size_of::<Self>() + size_of_val(&self.now.x[..]) + size_of_val(&self.leaving[..]) + self.stepper.bytes() + mode
    }
}

impl<'a, H: HybridSystem> Simulation<'a, H> {
    /// What it takes to go on from here, to be asked for between two calls of [`Simulation::advance`].
    pub fn checkpoint(&self) -> Checkpoint<H::Mode> {
        Checkpoint {
            now: self.now.clone(),
            stepper: self.stepper.light(),
            leaving: self.search.leaving.clone(),
            guard_evaluations: self.search.evaluations,
        }
    }

    /// Goes on from a checkpoint of the same simulation.
    pub fn resume(
        system: &'a H,
        from: &Checkpoint<H::Mode>,
        options: &'a Options,
        workspace: &'a mut H::Workspace,
    ) -> Self {
        let mut simulation = Self::prepare(system, from.now.clone(), options, workspace);
        simulation.stepper.clone_from(&from.stepper);
        simulation.search.leaving.clone_from(&from.leaving);
        simulation.search.evaluations = from.guard_evaluations;
        simulation
    }
}
