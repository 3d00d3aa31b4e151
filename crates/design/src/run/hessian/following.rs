//! Watching the simulation whose second derivatives are wanted.

use super::kinks::Kinks;
use crate::error::Result;
use crate::hybrid::{JumpView, Observer, StepView};
use crate::mechanism::EventRecorder;
use crate::model::Mode;
use crate::run::Experiment;
use crate::run::collect::Instants;

/// Records events and when values were measured.
pub(super) struct Following<'a> {
    pub recorder: EventRecorder<'a>,
    pub instants: Instants,
    pub kinks: Kinks<'a>,
    pub experiment: &'a Experiment,
}

impl Observer<Mode> for Following<'_> {
    fn wants_dense(&self) -> bool {
        true
    }

    fn start(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Result<()> {
        self.kinks.look(t, mode, x)?;
        if let Some((_, due)) = self.instants.due(t) {
            self.recorder.measured_at_start(self.instants.keys(due).collect());
        }
        Ok(())
    }

    fn step(&mut self, step: &StepView<Mode>) -> Result<()> {
        self.experiment.interruption().check(step.end)?;
        if let Some(dense) = step.dense {
            self.kinks.step(step.end, step.mode, |t, x| dense.evaluate(t, x))?;
        }
        while let Some((t, due)) = self.instants.due(step.end) {
            let data = self.instants.keys(due).collect();
            self.recorder.measured(t, step.mode, data)?;
        }
        Ok(())
    }

    fn jump(&mut self, jump: &JumpView<Mode>) -> Result<()> {
        let model = &self.experiment.mechanism.model;
        let measured = self.instants.happened(model, jump.happenings);
        self.recorder.jump(jump, measured)
    }
}
