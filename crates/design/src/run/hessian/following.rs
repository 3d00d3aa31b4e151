//! Watching the simulation whose second derivatives are wanted.

use crate::error::Result;
use crate::hybrid::{JumpView, Observer, StepView};
use crate::mechanism::EventRecorder;
use crate::model::{Mode, Model};
use crate::run::collect::Instants;

/// Records events and when values are due.
pub(super) struct Following<'a> {
    pub recorder: EventRecorder<'a>,
    pub instants: Instants,
    pub model: &'a Model,
}

impl Observer<Mode> for Following<'_> {
    fn start(&mut self, t: f64, _: &Mode, _: &[f64]) -> Result<()> {
        match self.instants.due(t) {
            Some((_, due)) => self.recorder.due_at_start(t, self.instants.keys(due).collect()),
            None => Ok(()),
        }
    }

    fn step(&mut self, step: &StepView<Mode>) -> Result<()> {
        while let Some((t, due)) = self.instants.due(step.end) {
            let values = self.instants.keys(due).collect();
            self.recorder.due(t, step.mode, values)?;
        }
        Ok(())
    }

    fn jump(&mut self, jump: &JumpView<Mode>) -> Result<()> {
        let measured = self.instants.happened(self.model, jump.happenings);
        self.recorder.jump(jump, measured)
    }
}
