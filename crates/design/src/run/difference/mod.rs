//! Gradients from difference quotients: every parameter changed by smaller and smaller steps, the mechanism assembled and
//! simulated anew at both ends, and the quotients extrapolated to a step of zero.

mod extrapolation;
mod study;

pub use extrapolation::Estimate;
pub use study::{End, Step, StepStudy};
pub(super) use study::{parameter_size, same_events};

use super::experiment::Experiment;
use super::parallel::{cores, in_parallel};
use super::recording::EventMark;
use crate::error::Result;
use study::{Noise, Sample, study};

/// The runs at the ends of differences are this much more accurate, since quotients divide their errors by the step.
const SHARPER: f64 = 1e-2;

/// Relative tolerance below which rounding gains on the error of the integration.
const SHARPEST: f64 = 1e-12;

/// Difference quotients of all objectives and event times with respect to all parameters.
#[derive(Clone, Debug)]
pub struct Differences {
    /// Relative tolerance of the runs.
    pub rtol: f64,
    /// Objectives with their values.
    pub objectives: Vec<(String, f64)>,
    /// Events of the run in the middle.
    pub events: Vec<EventMark>,
    /// One study per parameter.
    pub studies: Vec<StepStudy>,
}

impl Experiment {
    /// Difference quotients with a step study per parameter, on all cores; `progress` is told the fraction done, from any
    /// of the threads.
    ///
    /// # Errors
    /// Whatever ends the simulation in the middle. Failures at the ends of a difference are part of the result.
    pub fn differences(&self, progress: &(dyn Fn(f64) + Sync)) -> Result<Differences> {
        let (middle, base, noise) = self.middle()?;
        let names = middle.mechanism.model.objectives.iter();
        Ok(Differences {
            rtol: noise.relative,
            objectives: names
                .map(|objective| objective.name.clone())
                .zip(base.values.iter().copied())
                .collect(),
            studies: in_parallel(
                cores(),
                middle.mechanism.model.parameters.len(),
                progress,
                |parameter| study(&middle, parameter, &base, noise),
            ),
            events: base.events,
        })
    }

    /// The run in the middle of the differences, with the errors of its values: more accurate than that of the scene unless
    /// other events happen there, such as one more of the bounces that end in rest.
    fn middle(&self) -> Result<(Self, Sample, Noise)> {
        let (rtol, atol) = (self.options.tolerance.rtol(), self.mechanism.choices.atol);
        let own = Sample::of(self)?;
        let relative = (rtol * SHARPER).max(SHARPEST).min(rtol);
        let sharper = Noise {
            relative,
            absolute: atol * relative / rtol,
        };
        let middle = self.with_tolerances(sharper.relative, sharper.absolute)?;
        let base = Sample::of(&middle)?;
        if same_events(&base.events, &own.events) {
            return Ok((middle, base, sharper));
        }
        let noise = Noise {
            relative: rtol,
            absolute: atol,
        };
        Ok((self.clone(), own, noise))
    }
}
