//! Watching the simulation whose second derivatives are wanted.

use std::ops::Range;

use super::kinks::Kinks;
use crate::error::Result;
use crate::hybrid::{JumpView, Observer, StepView};
use crate::mechanism::CourseRecorder;
use crate::model::{FitDatum, Mode};
use crate::run::Experiment;
use crate::run::fit::FitValues;

/// Ends a run when it is interrupted.
pub(super) struct Guarded<'a>(pub &'a Experiment);

impl<M> Observer<M> for Guarded<'_> {
    fn step(&mut self, step: &StepView<M>) -> Result<()> {
        self.0.interruption().check(step.end)
    }
}

/// Records events and when values were measured.
pub(super) struct Following<'a> {
    pub recorder: CourseRecorder<'a>,
    pub fits: FitValues,
    pub kinks: Kinks<'a>,
    pub experiment: &'a Experiment,
}

impl Following<'_> {
    fn data(&self, places: Range<usize>) -> Vec<FitDatum> {
        places.map(|place| self.fits.key(place)).collect()
    }
}

impl Observer<Mode> for Following<'_> {
    fn wants_dense(&self) -> bool {
        true
    }

    fn start(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Result<()> {
        self.kinks.look(t, mode, x)?;
        if let Some((_, places)) = self.fits.due(t) {
            let data = self.data(places);
            self.recorder.measured_at_start(data);
        }
        Ok(())
    }

    fn step(&mut self, step: &StepView<Mode>) -> Result<()> {
        self.experiment.interruption().check(step.end)?;
        if let Some(dense) = step.dense {
            self.kinks.step(step.end, step.mode, |t, x| dense.evaluate(t, x))?;
        }
        while let Some((t, places)) = self.fits.due(step.end) {
            let data = self.data(places);
            self.recorder.measured(t, step.mode, data)?;
        }
        Ok(())
    }

    fn jump(&mut self, jump: &JumpView<Mode>) -> Result<()> {
        let model = &self.experiment.mechanism.model;
        let measured = self.fits.jump(jump.t, jump.happenings, model);
        self.recorder.jump(jump, measured)
    }
}
