//! Gradients from difference quotients: every parameter changed by smaller and smaller steps, the mechanism assembled and
//! simulated anew at both ends, and the quotients extrapolated to a step of zero.

mod alike;
mod extrapolation;
mod study;

pub(super) use alike::same_events;
pub use extrapolation::Estimate;
pub use study::{End, Step, StepStudy};

use super::experiment::Experiment;
use super::recording::EventMark;
use crate::error::Result;
use crate::machine::{cores, in_parallel};
use study::{Compared, study, study_of_sides};

/// The runs at the ends of differences are this much more accurate, since quotients divide their errors by the step.
const SHARPER: f64 = 1e-2;

/// Relative tolerance below which rounding gains on the error of the integration.
const SHARPEST: f64 = 1e-12;

/// Runs with tolerances this much looser show what error the integration leaves in the values: kinks of second derivatives
/// and bounces that accumulate make it larger than the tolerance.
const LOOSER: [f64; 2] = [1.5, 2.5];

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
        let (middle, base) = self.middle()?;
        let noise = middle.noise(&base);
        let count = middle.mechanism.model.parameters.len();
        let studies = in_parallel(cores(), count, progress, |parameter| {
            study(&middle, parameter, &base, &noise)
        });
        middle.studied(base, studies)
    }

    /// The studies of all parameters about this run in the middle.
    fn studied(&self, base: Compared, studies: Vec<StepStudy>) -> Result<Differences> {
        // An end that was interrupted is no end that fails.
        self.interruption().check(self.options.end)?;
        let names = self.mechanism.model.objectives.iter();
        Ok(Differences {
            rtol: self.options.tolerance.rtol(),
            objectives: names
                .map(|objective| objective.name.clone())
                .zip(base.values.iter().copied())
                .collect(),
            studies,
            events: base.events,
        })
    }

    /// One-sided difference quotients where each side of a parameter has its own events, which are given by parameter for the sides
    /// below and above; `progress` as above.
    ///
    /// # Errors
    /// As [`Experiment::differences`].
    pub(super) fn differences_of_sides(
        &self,
        events: &[[Vec<EventMark>; 2]],
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Differences> {
        let (middle, base) = self.middle()?;
        let noise = middle.noise(&base);
        let count = base.values.len() - base.events.len();
        let of_times = noise[count..].iter().copied().fold(self.floors()[count], f64::max);
        let studies = in_parallel(cores(), events.len(), progress, |parameter| {
            let bases = events[parameter].each_ref().map(|events| {
                let base = base.in_order(events);
                let of_times = std::iter::repeat_n(of_times, base.events.len());
                (
                    base,
                    noise[..count].iter().copied().chain(of_times).collect::<Vec<f64>>(),
                )
            });
            study_of_sides(
                &middle,
                parameter,
                bases.each_ref().map(|(base, noise)| (base, &noise[..])),
            )
        });
        middle.studied(base, studies)
    }

    /// The run in the middle of the differences: more accurate than that of the scene unless other events happen there, such
    /// as one more of the bounces that end in rest.
    fn middle(&self) -> Result<(Self, Compared)> {
        let (rtol, atol) = (self.options.tolerance.rtol(), self.mechanism.choices.atol);
        let own = Compared::of(self)?;
        let relative = (rtol * SHARPER).max(SHARPEST).min(rtol);
        let middle = self.with_tolerances(relative, atol * relative / rtol)?;
        let base = Compared::of(&middle)?;
        if same_events(&base.events, &own.events) {
            return Ok((middle, base));
        }
        Ok((self.clone(), own))
    }

    /// Absolute tolerances of the objectives, and one of the times of events.
    pub(in crate::run) fn floors(&self) -> Vec<f64> {
        let sizes = self.mechanism.allowed_objectives().iter();
        let time = if self.atol_over_sizes {
            self.options.end - self.start
        } else {
            1.0
        };
        sizes
            .chain([&time])
            .map(|size| self.mechanism.choices.atol * size)
            .collect()
    }

    /// Errors of the values of a run: what its tolerances allow, and how the values change with these.
    fn noise(&self, base: &Compared) -> Vec<f64> {
        let (rtol, atol) = (self.options.tolerance.rtol(), self.mechanism.choices.atol);
        let floors = self.floors();
        let floor = |k: usize| floors[k.min(floors.len() - 1)];
        let values = base.values.iter().enumerate();
        let mut noise: Vec<f64> = values.map(|(k, value)| rtol * value.abs() + floor(k)).collect();
        for looser in LOOSER {
            let run = self.with_tolerances(looser * rtol, looser * atol);
            let other = run.and_then(|run| Compared::of(&run)).ok();
            let Some(values) = other.and_then(|other| other.like(base)) else {
                continue;
            };
            for ((noise, value), other) in noise.iter_mut().zip(&base.values).zip(values) {
                *noise = noise.max((value - other).abs());
            }
        }
        noise
    }
}
