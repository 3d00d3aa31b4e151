//! What a plain run watches step by step.

use super::collapse::LastSteps;
use super::collect::Collector;
use super::experiment::ConstraintResiduals;
use super::grid::Grid;
use super::sampler::Sampler;
use crate::error::Result;
use crate::hybrid::{At, JumpView, Observer, StepView};
use crate::model::Mode;

/// Observes a run: residuals, events, objectives, samples, progress.
pub(super) struct Watcher<'a> {
    pub collector: Collector<'a>,
    pub sampler: Option<Grid<Sampler<'a>>>,
    /// Whoever else wants to see the motion.
    pub guest: &'a mut dyn Observer<Mode>,
    /// For the message of a step size that collapses.
    pub last: LastSteps,
    pub residuals: ConstraintResiduals,
    /// Told the simulated time after each step.
    pub progress: &'a mut dyn FnMut(f64),
}

impl Watcher<'_> {
    /// Whatever keeps the motion.
    fn recorders(&mut self) -> impl Iterator<Item = &mut dyn Observer<Mode>> {
        let sampler = self.sampler.as_mut().map(|sampler| sampler as &mut dyn Observer<Mode>);
        sampler.into_iter().chain([&mut *self.guest as &mut dyn Observer<Mode>])
    }

    fn watch_residuals(&mut self, t: f64, mode: &Mode, x: &[f64]) {
        let probe = &mut self.collector.probe;
        let (position, velocity) = probe.mechanism.residuals(At::new(t, mode, x), &mut probe.workspace);
        self.residuals.position = self.residuals.position.max(position);
        self.residuals.velocity = self.residuals.velocity.max(velocity);
    }
}

impl Observer<Mode> for Watcher<'_> {
    fn wants_dense(&self) -> bool {
        self.sampler.is_some() || self.guest.wants_dense() || Observer::<Mode>::wants_dense(&self.collector)
    }

    fn start(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Result<()> {
        self.watch_residuals(t, mode, x);
        self.last.begin(t, mode, x);
        self.collector.start(t, mode, x)?;
        self.recorders().try_for_each(|recorder| recorder.start(t, mode, x))
    }

    fn seeks(&mut self, t: f64) -> Result<()> {
        Observer::<Mode>::seeks(&mut self.collector, t)
    }

    fn step(&mut self, step: &StepView<Mode>) -> Result<()> {
        self.watch_residuals(step.end, step.mode, step.x);
        self.last.end_step(step.end, step.x);
        (self.progress)(step.end);
        self.collector.step(step)?;
        self.recorders().try_for_each(|recorder| recorder.step(step))
    }

    fn jump(&mut self, jump: &JumpView<Mode>) -> Result<()> {
        self.watch_residuals(jump.t, jump.mode_after, jump.after);
        self.last.begin(jump.t, jump.mode_after, jump.after);
        self.collector.jump(jump)?;
        self.recorders().try_for_each(|recorder| recorder.jump(jump))
    }
}
