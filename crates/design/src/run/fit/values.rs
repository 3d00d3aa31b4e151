//! What the motion gives for measured values.

use std::ops::Range;

use super::instants::{Instants, used};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Happening, HybridSystem, StepView};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::expressions::{Evaluated, Owner};
use crate::model::{FitDatum, Measured, MeasuredAt, Mode, Model};

/// Collects the values of a run.
#[derive(Clone, Debug)]
pub struct FitValues {
    instants: Instants,
    /// State at an instant; written by every step with one.
    x: Vec<f64>,
    /// By fit and datum; not a number before the motion gets there.
    values: Vec<Vec<f64>>,
}

impl FitValues {
    /// For a run from `start` to `end`.
    pub fn new(mechanism: &Mechanism, start: f64, end: f64) -> Self {
        let model = &mechanism.model;
        Self {
            instants: Instants::new(model, start, end),
            x: vec![0.0; mechanism.dimension()],
            values: model.fits.iter().map(|fit| vec![f64::NAN; fit.data.len()]).collect(),
        }
    }

    /// Whether the steps need interpolants.
    pub fn wants_dense(&self) -> bool {
        !self.instants.is_empty()
    }

    /// The next time up to this one at which values are due, with their places; passes them.
    pub fn due(&mut self, until: f64) -> Option<(f64, Range<usize>)> {
        self.instants.due(until)
    }

    /// The measured value at a place.
    pub fn key(&self, place: usize) -> FitDatum {
        self.instants.key(place)
    }

    /// Takes the values at these places from a state.
    ///
    /// # Errors
    /// Kind `NotFinite` naming an expression without a value; kind `Singular` when accelerations are not determined.
    pub fn take(
        &mut self,
        places: Range<usize>,
        (t, mode, x): (f64, &Mode, &[f64]),
        mechanism: &Mechanism,
        workspace: &mut Workspace,
    ) -> Result<()> {
        mechanism.evaluate_motion(At::new(t, mode, x), true, workspace)?;
        let motion = mechanism.motion(At::new(t, mode, x), workspace);
        for FitDatum { fit, datum } in places.map(|place| self.instants.key(place)) {
            let found = &mechanism.model.fits[fit];
            let Measured::Value(output) = &found.channels[found.data[datum].channel].of else {
                continue;
            };
            let value = output.evaluate(&mechanism.model, mode, &motion);
            if !value.is_finite() {
                let evaluated = Evaluated {
                    owner: Owner::Objective,
                    name: &found.objective,
                    text: output.expression.text(),
                    value,
                    sides: Vec::new(),
                };
                return Err(evaluated.without_value(t));
            }
            self.values[fit][datum] = value;
        }
        Ok(())
    }

    /// Takes what is due at the start.
    ///
    /// # Errors
    /// As [`FitValues::take`].
    pub fn start(
        &mut self,
        t: f64,
        mode: &Mode,
        x: &[f64],
        mechanism: &Mechanism,
        workspace: &mut Workspace,
    ) -> Result<()> {
        match self.due(t) {
            Some((t, due)) => self.take(due, (t, mode, x), mechanism, workspace),
            None => Ok(()),
        }
    }

    /// Takes what is due within a step.
    ///
    /// # Errors
    /// As [`FitValues::take`].
    pub fn step(&mut self, step: &StepView<Mode>, mechanism: &Mechanism, workspace: &mut Workspace) -> Result<()> {
        let Some(dense) = step.dense else { return Ok(()) };
        while let Some((t, due)) = self.due(step.end) {
            let mut x = std::mem::take(&mut self.x);
            dense.evaluate(t, &mut x);
            self.take(due, (t, step.mode, &x), mechanism, workspace)?;
            self.x = x;
        }
        Ok(())
    }

    /// Takes the time of a jump where one was measured; returns where.
    pub fn jump(&mut self, t: f64, happenings: &[Happening], model: &Model) -> Vec<FitDatum> {
        let answered = self.instants.happened(model, happenings);
        for &FitDatum { fit, datum } in &answered {
            self.values[fit][datum] = t;
        }
        answered
    }

    /// The values so far; not a number where the motion did not get.
    pub fn values(&self) -> &[Vec<f64>] {
        &self.values
    }

    /// Weighted sums of squared differences, by fit; zero for fits that no objective uses.
    ///
    /// # Errors
    /// Kind `Event` naming the objective when an event occurred less often than it was measured.
    pub fn misfits(&self, model: &Model, end: f64) -> Result<Vec<f64>> {
        let mut misfits = vec![0.0; model.fits.len()];
        for fit in used(model) {
            let data = model.fits[fit].data.iter().zip(&self.values[fit]);
            if let Some((datum, _)) = data.clone().find(|(_, value)| value.is_nan()) {
                return Err(self.missing(model, fit, datum.channel, datum.at, end));
            }
            misfits[fit] = data
                .map(|(datum, value)| datum.weight * (value - datum.measured).powi(2))
                .sum();
        }
        Ok(misfits)
    }

    fn missing(&self, model: &Model, fit: usize, channel: usize, at: MeasuredAt, end: f64) -> Error {
        let (found, channel_found) = (&model.fits[fit], &model.fits[fit].channels[channel]);
        let (column, event) = (&channel_found.column, &channel_found.text);
        let message = match at {
            MeasuredAt::Occurrence(wanted) => format!(
                "the column \"{column}\" of {} has the time of event {wanted} of \"{event}\", which occurred {} times",
                found.file,
                self.instants.occurrences(fit, channel)
            ),
            MeasuredAt::Time(t) => format!("the motion gives no value of \"{column}\" at {t} s"),
        };
        Error::new(ErrorKind::Event, message)
            .named(found.objective.clone())
            .at_time(end)
            .advise("lengthen `duration`, or start nearer to the motion that was measured")
    }
}
