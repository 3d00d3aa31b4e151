//! Measured data as costs of the objectives for the adjoint.

use super::instants::Instants;
use super::values::FitValues;
use crate::mechanism::Mechanism;
use crate::model::quantity::Output;
use crate::model::{Datum, Measured, MeasuredAt, Mode, Term};
use crate::sensitivity::JumpSide;

/// The weighted squared differences of a run that has been simulated.
#[derive(Debug)]
pub struct FitCosts<'a> {
    mechanism: &'a Mechanism,
    /// By fit and datum.
    values: &'a [Vec<f64>],
    instants: Instants,
    times: Vec<f64>,
}

impl<'a> FitCosts<'a> {
    /// From the values of a run from `start` to `end`.
    pub fn new(mechanism: &'a Mechanism, values: &'a FitValues, start: f64, end: f64) -> Self {
        let instants = Instants::new(&mechanism.model, start, end);
        Self {
            mechanism,
            values: values.values(),
            times: instants.times(),
            instants,
        }
    }

    /// The times with costs, ascending.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Largest derivative of an objective by a value that the motion gives.
    pub fn size(&self, objective: usize) -> f64 {
        let mut size = 0.0_f64;
        for (fit, factor) in self.terms(objective) {
            let data = self.mechanism.model.fits[fit].data.iter().zip(&self.values[fit]);
            size = data.fold(size, |size, (datum, value)| {
                size.max((factor * slope(datum, *value)).abs())
            });
        }
        size
    }

    /// What an objective measures at a time, with its derivative by that.
    pub fn due(&self, objective: usize, t: f64) -> impl Iterator<Item = (&Output, f64)> {
        let model = &self.mechanism.model;
        self.terms(objective).flat_map(move |(fit, factor)| {
            let here = self.instants.at(t).iter().filter(move |(_, key)| key.fit == fit);
            here.filter_map(move |(_, key)| {
                let datum = &model.fits[fit].data[key.datum];
                match &model.fits[fit].channels[datum.channel].of {
                    Measured::Value(output) => Some((output, factor * slope(datum, self.values[fit][key.datum]))),
                    Measured::EventTimes(_) => None,
                }
            })
        })
    }

    /// `weight` times the derivative of an objective's costs by the time of a jump, on the side before it.
    ///
    /// What follows at once on another jump has the time of that, which counts for all.
    pub fn rate(&self, objective: usize, weight: f64, side: &JumpSide<Mode>) -> f64 {
        if side.after || side.jump.follows {
            return 0.0;
        }
        weight * self.event_slope(objective, side.jump.t)
    }

    /// Derivative of an objective by the time of the events at a time.
    pub fn event_slope(&self, objective: usize, t: f64) -> f64 {
        let mut sum = 0.0;
        for (fit, factor) in self.terms(objective) {
            let data = self.mechanism.model.fits[fit].data.iter().zip(&self.values[fit]);
            let here = data.filter(|(datum, value)| matches!(datum.at, MeasuredAt::Occurrence(_)) && **value == t);
            sum += here.map(|(datum, value)| factor * slope(datum, *value)).sum::<f64>();
        }
        sum
    }

    /// The fits of an objective with their factors.
    fn terms(&self, objective: usize) -> impl Iterator<Item = (usize, f64)> {
        let model = &self.mechanism.model;
        model.objectives[objective].terms.iter().filter_map(|term| match term {
            Term::Fit { coefficient, fit } => {
                let factor = coefficient.iter().map(|&number| model.numbers[number].value).product();
                Some((*fit, factor))
            }
            Term::Final { .. } | Term::Integral { .. } | Term::AtEvents { .. } | Term::Peak { .. } => None,
        })
    }
}

/// Derivative of a weighted squared difference by the value that the motion gives.
fn slope(datum: &Datum, value: f64) -> f64 {
    2.0 * datum.weight * (value - datum.measured)
}
