//! What the motion gives for measured values: values at given times, and times of events.
//!
//! Values at times are read off the interpolants and do not disturb the steps; where the state jumps at that time, the
//! state before the jump counts.

use super::Collected;
use super::instants::{Instants, used};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, JumpView};
use crate::model::expressions::ExpressionOwner;
use crate::model::quantity::Output;
use crate::model::{Datum, Due, FitDatum, Measured, MeasuredAt, Mode, Model};
use crate::run::fit::{FitData, FitPoint};
use crate::run::probe::{Probe, check_value};

/// Collects the values of a run.
#[derive(Clone, Debug)]
pub(super) struct Fits {
    /// By fit and datum; not a number before the motion gets there.
    pub values: Vec<Vec<Collected>>,
    /// By fit and datum, where that is the time of an event: the jump which has this time, followed by those that come at once on it;
    /// the start where none.
    pub leaders: Vec<Vec<Option<Option<usize>>>>,
    /// The last such jump.
    leader: Option<usize>,
}

impl Fits {
    /// For a run along so many directions.
    pub fn new(model: &Model, directions: usize) -> Self {
        let (fits, unknown) = (model.fits.iter(), Collected::constant(f64::NAN, directions));
        Self {
            values: fits.clone().map(|fit| vec![unknown.clone(); fit.data.len()]).collect(),
            leaders: fits.map(|fit| vec![None; fit.data.len()]).collect(),
            leader: None,
        }
    }

    /// Takes the values that are due at a state, and their derivatives: g_x S + g_p.
    ///
    /// # Errors
    /// As [`Probe::value`].
    pub fn take(&mut self, due: &[Due], at: At<Mode>, probe: &mut Probe) -> Result<()> {
        let keys = || data(due);
        if keys().next().is_none() {
            return Ok(());
        }
        let model = &probe.mechanism.model;
        let motion = probe.motion(at)?;
        for key in keys() {
            if let Some(output) = measured_output(model, key) {
                let value = output.evaluate(model, at.mode, &motion);
                check_value(
                    (ExpressionOwner::Objective, &model.fits[key.fit].objective),
                    output,
                    value,
                    at.t,
                )?;
                self.values[key.fit][key.datum].value = value;
            }
        }
        probe.each_jvp(at, &[], |k, motion, _| {
            for key in keys() {
                if let Some(output) = measured_output(model, key) {
                    self.values[key.fit][key.datum].slopes[k] = output.evaluate(model, at.mode, motion).eps;
                }
            }
        })
    }

    /// Takes the time of a jump, with its derivatives by direction, where one was measured.
    pub fn jump<M>(&mut self, jump: &JumpView<M>, times: &[f64], measured: Vec<FitDatum>) {
        if !jump.follows {
            self.leader = Some(jump.index);
        }
        for FitDatum { fit, datum } in measured {
            self.values[fit][datum] = Collected {
                value: jump.t,
                slopes: times.to_vec(),
            };
            self.leaders[fit][datum] = Some(self.leader);
        }
    }

    /// Weighted sums of squared differences, by fit; zero for fits that no objective uses.
    ///
    /// # Errors
    /// Kind `Event` naming the objective when an event occurred less often than it was measured.
    pub fn misfits(&self, model: &Model, instants: &Instants, end: f64) -> Result<Vec<Collected>> {
        let first = self.values.iter().flatten().next();
        let directions = first.map_or(0, |known| known.slopes.len());
        let mut misfits = vec![Collected::constant(0.0, directions); model.fits.len()];
        for fit in used(model) {
            let data = || model.fits[fit].data.iter().zip(&self.values[fit]);
            if let Some((datum, _)) = data().find(|(_, known)| known.value.is_nan()) {
                return Err(missing(model, instants, (fit, datum), end));
            }
            let squares = data().map(|(datum, known)| datum.weight * (known.value - datum.measured).powi(2));
            misfits[fit].value = squares.sum();
            for (k, slope) in misfits[fit].slopes.iter_mut().enumerate() {
                let slopes = data().map(|(datum, known)| misfit_derivative(datum, known.value) * known.slopes[k]);
                *slope = slopes.sum();
            }
        }
        Ok(misfits)
    }

    /// The fits that objectives use, with what the motion gives.
    pub fn data(&self, model: &Model) -> Vec<FitData> {
        let data = used(model).map(|fit| {
            let found = &model.fits[fit];
            let points = found.data.iter().zip(&self.values[fit]);
            FitData {
                objective: found.objective.clone(),
                file: found.file.clone(),
                deviations_known: found.deviations_known,
                points: points
                    .map(|(datum, known)| FitPoint {
                        column: found.channels[datum.channel].column.clone(),
                        at: datum.at,
                        line: datum.line,
                        measured: datum.measured,
                        model: known.value,
                        weight: datum.weight,
                        gradient: known.slopes.clone(),
                    })
                    .collect(),
            }
        });
        data.collect()
    }
}

/// The measured values of what is due.
fn data(due: &[Due]) -> impl Iterator<Item = FitDatum> {
    due.iter().filter_map(|due| match due {
        Due::Datum(key) => Some(*key),
        Due::Reading(_) => None,
    })
}

fn missing(model: &Model, instants: &Instants, (fit, datum): (usize, &Datum), end: f64) -> Error {
    let (found, channel) = (&model.fits[fit], &model.fits[fit].channels[datum.channel]);
    let (column, event) = (&channel.column, &channel.text);
    let message = match datum.at {
        MeasuredAt::Occurrence(wanted) => format!(
            "the column \"{column}\" of {} has the time of event {wanted} of \"{event}\", which occurred {} times",
            found.file,
            instants.occurrences(fit, datum.channel)
        ),
        MeasuredAt::Time(t) => format!("the motion gives no value of \"{column}\" at {t} s"),
    };
    Error::new(ErrorKind::Event, message)
        .named(found.objective.clone())
        .at_time(end)
        .advise("lengthen `duration`, or start nearer to the motion that was measured")
}

/// What a datum measures at its time; none where it is the time of an event.
pub(super) fn measured_output(model: &Model, FitDatum { fit, datum }: FitDatum) -> Option<&Output> {
    let found = &model.fits[fit];
    match &found.channels[found.data[datum].channel].of {
        Measured::Value(output) => Some(output),
        Measured::EventTimes(_) => None,
    }
}

/// Derivative of a weighted squared difference by the value that the motion gives.
pub(super) fn misfit_derivative(datum: &Datum, value: f64) -> f64 {
    2.0 * datum.weight * (value - datum.measured)
}
