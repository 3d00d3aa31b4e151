//! What a run watches step by step.

use super::collapse::LastSteps;
use super::event_sums::EventSums;
use super::experiment::{Event, Residuals, event};
use super::film::Camera;
use super::fit::FitValues;
use super::interruption::Interruption;
use super::peaks::{Extremes, Place};
use super::sampler::Sampler;
use crate::error::Result;
use crate::hybrid::{At, JumpView, Observer, StepView};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::Mode;

/// Observes a run: residuals, events, samples, progress.
pub(super) struct Watcher<'a> {
    pub mechanism: &'a Mechanism,
    pub workspace: Workspace,
    pub sampler: Option<Sampler<'a>>,
    pub camera: Option<&'a mut Camera>,
    /// For the message of a step size that collapses.
    pub last: LastSteps,
    pub residuals: Residuals,
    pub events: Vec<Event>,
    pub sums: EventSums,
    pub fits: FitValues,
    pub peaks: Extremes,
    /// Ends the run once it is set.
    pub interruption: &'a Interruption,
    /// Told the simulated time after each step.
    pub progress: &'a mut dyn FnMut(f64),
}

impl Watcher<'_> {
    /// Whatever keeps the motion.
    fn recorders(&mut self) -> impl Iterator<Item = &mut dyn Observer<Mode>> {
        let sampler = self.sampler.as_mut().map(|sampler| sampler as &mut dyn Observer<Mode>);
        let camera = self.camera.as_mut().map(|camera| *camera as &mut dyn Observer<Mode>);
        sampler.into_iter().chain(camera)
    }

    fn watch_residuals(&mut self, t: f64, mode: &Mode, x: &[f64]) {
        let (position, velocity) = self.mechanism.residuals(At::new(t, mode, x), &mut self.workspace);
        self.residuals.position = self.residuals.position.max(position);
        self.residuals.velocity = self.residuals.velocity.max(velocity);
    }
}

impl Observer<Mode> for Watcher<'_> {
    fn wants_dense(&self) -> bool {
        let recorded = self.sampler.is_some() || self.camera.is_some();
        recorded || self.fits.wants_dense() || self.peaks.wants_dense()
    }

    fn start(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Result<()> {
        self.watch_residuals(t, mode, x);
        self.last.begin(t, mode, x);
        self.fits.start(t, mode, x, self.mechanism, &mut self.workspace)?;
        self.peaks
            .visit((t, Place::Start), mode, x, self.mechanism, &mut self.workspace)?;
        self.recorders().try_for_each(|recorder| recorder.start(t, mode, x))
    }

    fn step(&mut self, step: &StepView<Mode>) -> Result<()> {
        self.interruption.check(step.end)?;
        self.watch_residuals(step.end, step.mode, step.x);
        self.last.end_step(step.end, step.x);
        (self.progress)(step.end);
        self.fits.step(step, self.mechanism, &mut self.workspace)?;
        self.peaks
            .step(step.dense, step.mode, self.mechanism, &mut self.workspace)?;
        self.recorders().try_for_each(|recorder| recorder.step(step))
    }

    fn jump(&mut self, jump: &JumpView<Mode>) -> Result<()> {
        self.events.extend(jump.happenings.iter().map(|h| event(jump.t, h)));
        self.watch_residuals(jump.t, jump.mode_after, jump.after);
        self.last.begin(jump.t, jump.mode_after, jump.after);
        self.sums.add(jump, self.mechanism, &mut self.workspace)?;
        self.peaks.jump(jump, self.mechanism, &mut self.workspace)?;
        self.fits.jump(jump.t, jump.happenings, &self.mechanism.model);
        self.recorders().try_for_each(|recorder| recorder.jump(jump))
    }
}
