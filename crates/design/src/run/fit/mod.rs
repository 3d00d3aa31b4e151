//! Measured data beside what the motion gives: values at given times, and times of events.
//!
//! Values at times are read off the interpolants and do not disturb the steps; where the state jumps at that time, the
//! state before the jump counts.

mod costs;
mod instants;
mod slopes;
mod values;

pub(super) use costs::FitCosts;
pub(super) use instants::refuse_outside;
pub(super) use slopes::FitSlopes;
pub(super) use values::FitValues;

use crate::model::{MeasuredAt, Model};

/// The measured data of an objective with the motion's values.
#[derive(Clone, Debug, PartialEq)]
pub struct FitData {
    /// Name of the objective.
    pub objective: String,
    /// Path of the data file as written.
    pub file: String,
    /// Whether the weights are 1/sigma^2 with known standard deviations sigma.
    pub deviations_known: bool,
    /// The measured values, column by column.
    pub points: Vec<FitPoint>,
}

/// A measured value with that of the motion.
#[derive(Clone, Debug, PartialEq)]
pub struct FitPoint {
    /// The column that it was read from.
    pub column: String,
    /// Time, or occurrence of the event.
    pub at: MeasuredAt,
    /// Line in the data file.
    pub line: usize,
    /// The measured value, in its unit.
    pub measured: f64,
    /// What the motion gives, in the same unit.
    pub model: f64,
    /// Weight of the squared difference.
    pub weight: f64,
    /// Derivatives of what the motion gives, by parameter of the report.
    pub gradient: Vec<f64>,
}

impl FitPoint {
    /// What the motion gives less what was measured.
    pub fn residual(&self) -> f64 {
        self.model - self.measured
    }
}

/// The fits that objectives use, after a forward run.
pub(super) fn fit_data(model: &Model, slopes: FitSlopes) -> Vec<FitData> {
    let values = slopes.values().values().to_vec();
    let slopes = slopes.into_slopes();
    let in_use: Vec<usize> = instants::used(model).collect();
    let data = in_use.into_iter().map(|fit| {
        let found = &model.fits[fit];
        let points = found.data.iter().zip(&values[fit]).zip(&slopes[fit]);
        FitData {
            objective: found.objective.clone(),
            file: found.file.clone(),
            deviations_known: found.deviations_known,
            points: points
                .map(|((datum, value), gradient)| FitPoint {
                    column: found.channels[datum.channel].column.clone(),
                    at: datum.at,
                    line: datum.line,
                    measured: datum.measured,
                    model: *value,
                    weight: datum.weight,
                    gradient: gradient.clone(),
                })
                .collect(),
        }
    });
    data.collect()
}
