//! Watching the simulation whose second derivatives are wanted.

use crate::error::Result;
use crate::hybrid::{JumpView, Observer, StepView};
use crate::mechanism::EventRecorder;
use crate::model::{Mode, Model};
use crate::run::collect::Instants;

/// Records events and when values were measured.
pub(super) struct Following<'a> {
    pub recorder: EventRecorder<'a>,
    pub instants: Instants,
    pub model: &'a Model,
}

impl Observer<Mode> for Following<'_> {
    fn start(&mut self, t: f64, _: &Mode, _: &[f64]) -> Result<()> {
        if let Some((_, due)) = self.instants.due(t) {
            self.recorder.measured_at_start(self.instants.keys(due).collect());
        }
        Ok(())
    }

    fn step(&mut self, step: &StepView<Mode>) -> Result<()> {
        while let Some((t, due)) = self.instants.due(step.end) {
            let data = self.instants.keys(due).collect();
            self.recorder.measured(t, step.mode, data)?;
        }
        Ok(())
    }

    fn jump(&mut self, jump: &JumpView<Mode>) -> Result<()> {
        let measured = self.instants.happened(self.model, jump.happenings);
        self.recorder.jump(jump, measured)
    }
}
