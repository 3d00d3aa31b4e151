//! Gradients of all objectives with respect to all parameters.

mod adjoint;
mod by_length;
mod by_property;
mod course;
mod forward;
mod residuals;
mod sides;
mod start;

use std::fmt;

use serde::Serialize;

use super::collect::{finite, refuse_kinks};
use super::difference::Differences;
use super::experiment::Experiment;
use super::fit::FitData;
use super::recording::EventMark;
use super::undetermined::{add, beside, refuse};
use crate::assembly::Undetermined;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::HybridSystem;
use crate::integrate::Statistics;
use crate::machine::Clock;
use crate::mechanism::{Started, Workspace};
use crate::model::Objective;
pub use by_length::{BarSlope, DesignGradient};
pub use by_property::{Property, PropertySlope};
pub(super) use sides::combined;
pub use sides::{Side, Sides};
use start::LinearizedStart;

/// How gradients are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Costates, one backward pass for all objectives.
    Adjoint,
    /// Sensitivities integrated with the motion.
    Forward,
    /// Difference quotients of repeated simulations, extrapolated.
    FiniteDifference,
}

/// The name on the command line.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Value and gradient of one objective.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectiveGradient {
    /// Name in the scene.
    pub name: String,
    /// Value.
    pub value: f64,
    /// One entry per parameter; not a number where there is none.
    pub gradient: Vec<f64>,
}

/// Result of a gradient computation.
#[derive(Clone, Debug)]
pub struct GradientReport {
    /// Name of the scene.
    pub scene: String,
    /// Method.
    pub method: Method,
    /// Parameters in the order of every gradient.
    pub parameters: Vec<String>,
    /// Objectives.
    pub objectives: Vec<ObjectiveGradient>,
    /// Events, with dt/dp by the forward method and by differences.
    pub events: Vec<(EventMark, Option<Vec<f64>>)>,
    /// Measured data with the motion's values and derivatives, by the forward method.
    pub fits: Vec<FitData>,
    /// The step studies, by differences.
    pub differences: Option<Differences>,
    /// Parameters by which nothing has a derivative: not numbers in every gradient.
    pub undetermined: Vec<Undetermined>,
    /// Derivatives from both sides of every parameter, where events at one instant have none in common: by
    /// [`Experiment::gradient_or_sides`].
    pub sides: Vec<Sides>,
    /// Why there are sides: which events part, and when.
    pub refused: Option<Error>,
    /// Work of the forward run, with what was computed again within a bound on memory.
    pub forward: Statistics,
    /// Work of the backward pass.
    pub backward: Statistics,
    /// Most bytes that the recording of the motion took; zero by the forward method, which records nothing.
    pub recording_bytes: usize,
    /// Wall time in seconds.
    pub seconds: f64,
}

impl ObjectiveGradient {
    /// From values by name and one gradient for each.
    pub(super) fn of(values: Vec<(String, f64)>, gradients: Vec<Vec<f64>>) -> Vec<Self> {
        let found = values.into_iter().zip(gradients);
        found
            .map(|((name, value), gradient)| Self { name, value, gradient })
            .collect()
    }
}

impl GradientReport {
    /// Rejects derivatives that are not finite; those by differences may be missing.
    fn check_finite(&self, t: f64) -> Result<()> {
        let exact = self.objectives.iter().filter(|_| self.differences.is_none());
        let entries = exact.flat_map(|objective| {
            objective
                .gradient
                .iter()
                .enumerate()
                .map(move |entry| (objective, entry))
        });
        let known = |parameter: usize| self.undetermined.iter().all(|found| found.parameter != parameter);
        entries
            .filter(|(_, (parameter, _))| known(*parameter))
            .try_for_each(|(objective, (_, slope))| finite(&objective.name, *slope, t))
    }

    /// Leaves out the derivatives of all objectives but these, on both sides as well.
    pub(super) fn keep_objectives(&mut self, kept: impl Fn(&str) -> bool) {
        fn retain<T>(all: &mut Vec<T>, places: &[bool]) {
            let mut places = places.iter();
            all.retain(|_| places.next().is_some_and(|kept| *kept));
        }
        let objectives = self.objectives.iter();
        let places: Vec<bool> = objectives.map(|objective| kept(&objective.name)).collect();
        retain(&mut self.objectives, &places);
        for side in self.sides.iter_mut().flat_map(|sides| &mut sides.sides).flatten() {
            retain(&mut side.values, &places);
            retain(&mut side.slopes, &places);
        }
    }

    /// Takes out the derivatives by parameters that cannot change alone, with those found at the start.
    pub(super) fn leave_out(&mut self, mut undetermined: Vec<Undetermined>) {
        add(&mut undetermined, std::mem::take(&mut self.undetermined));
        let of_objectives = self.objectives.iter_mut().map(|objective| &mut objective.gradient);
        let of_events = self.events.iter_mut().filter_map(|(_, slopes)| slopes.as_mut());
        let points = self.fits.iter_mut().flat_map(|fit| &mut fit.points);
        let of_points = points.map(|point| &mut point.gradient);
        for slopes in of_objectives.chain(of_events).chain(of_points) {
            for found in &undetermined {
                slopes[found.parameter] = f64::NAN;
            }
        }
        self.undetermined = undetermined;
    }

    /// Why nothing has a derivative by a parameter, if so.
    pub fn undetermined_reason(&self, parameter: &str) -> Option<String> {
        let mut list = self.undetermined.iter();
        list.find(|found| found.name == parameter).map(Undetermined::reason)
    }

    /// Why an objective has no derivative by a parameter, if so, with those of both sides where each has one.
    pub fn no_derivative(&self, objective: usize, parameter: usize) -> Option<String> {
        let sides = || self.sides.iter().find(|sides| sides.parameter == parameter);
        let slope = self.objectives.get(objective)?.gradient.get(parameter)?;
        self.undetermined_reason(&self.parameters[parameter]).or_else(|| {
            slope
                .is_nan()
                .then(sides)
                .flatten()
                .map(|sides| sides.reason(objective))
        })
    }

    /// Refuses parameters that cannot change alone, of those that are asked for.
    ///
    /// # Errors
    /// Kind `Assembly`, naming the parameter, with the joints and held values to blame.
    pub fn refuse_undetermined(&self, asked: impl Fn(&str) -> bool) -> Result<()> {
        refuse(&self.undetermined, asked)
    }
}

impl Experiment {
    /// Gradients of all objectives by a method.
    ///
    /// # Errors
    /// Whatever ends the simulation; kind `Event` where a derivative does not exist.
    pub fn gradient(&self, method: Method) -> Result<GradientReport> {
        let clock = Clock::start();
        let mut workspace = self.mechanism.workspace();
        let started = self.mechanism.start(self.start, &mut workspace)?;
        let undetermined = self.undetermined_at_start(&started);
        let found = match method {
            Method::Forward => self.forward_at_kinks(&started, &mut workspace),
            Method::Adjoint => self.adjoint(&started, &mut workspace),
            Method::FiniteDifference => self.by_differences(&started, &mut workspace),
        };
        let mut report = found.map_err(|error| beside(error, &undetermined))?;
        report.leave_out(undetermined);
        report.seconds = clock.seconds();
        let finite = report.check_finite(self.options.end);
        finite.map_err(|error| match started.mode.departure {
            Some(_) => error.advise(
                "accelerations at the singular position of the start have no derivative that is known: read them later",
            ),
            None => error,
        })?;
        Ok(report)
    }

    /// Refuses parameters that nothing uses, where the derivatives by them are what a result is made of.
    ///
    /// # Errors
    /// Kind `Request`, naming the first.
    pub(crate) fn refuse_unused(&self) -> Result<()> {
        let Some(name) = self.unused_parameters.first() else {
            return Ok(());
        };
        let message = format!("no expression uses the parameter \"{name}\"");
        Err(Error::new(ErrorKind::Request, message)
            .named(name.clone())
            .advise("use it in the scene, or vary others: nothing changes with it"))
    }

    pub(super) fn report(&self, method: Method) -> GradientReport {
        let parameters = self.mechanism.model.parameters.iter();
        GradientReport {
            scene: self.name.clone(),
            method,
            parameters: parameters.map(|parameter| parameter.name.clone()).collect(),
            objectives: Vec::new(),
            events: Vec::new(),
            fits: Vec::new(),
            differences: None,
            undetermined: Vec::new(),
            sides: Vec::new(),
            refused: None,
            forward: Statistics::default(),
            backward: Statistics::default(),
            recording_bytes: 0,
            seconds: 0.0,
        }
    }

    /// The objectives whose gradients are wanted, with their places among all.
    pub(in crate::run) fn wanted_objectives(&self) -> impl Iterator<Item = (usize, &Objective)> {
        let all = self.mechanism.model.objectives.iter().enumerate();
        all.filter(|(_, objective)| objective.wanted)
    }

    /// Those entries of a list by objective whose gradients are wanted.
    fn wanted<T>(&self, all: Vec<T>) -> Vec<T> {
        let objectives = self.mechanism.model.objectives.iter().zip(all);
        let wanted = objectives.filter(|(objective, _)| objective.wanted);
        wanted.map(|(_, entry)| entry).collect()
    }

    /// Refuses kinks of formulas at these values.
    fn refuse_kinks(&self, values: &[(String, f64)]) -> Result<()> {
        refuse_kinks(&self.mechanism, values)
    }

    fn by_differences(&self, started: &Started, workspace: &mut Workspace) -> Result<GradientReport> {
        let found = self.differences(&|_| {})?;
        self.refuse_kinks(&found.objectives)?;
        let mut undetermined = self.undetermined_later()?;
        add(&mut undetermined, self.off_kinks(started, workspace)?);
        Ok(GradientReport {
            undetermined,
            ..self.difference_report(found)
        })
    }

    /// The gradient that difference quotients give; not a number where there is none.
    pub(super) fn difference_report(&self, differences: Differences) -> GradientReport {
        let column = |k: usize| -> Vec<f64> {
            let studies = differences.studies.iter();
            studies
                .map(|study| study.estimates[k].map_or(f64::NAN, |estimate| estimate.value))
                .collect()
        };
        let count = differences.objectives.len();
        let events = differences.events.iter().enumerate();
        GradientReport {
            objectives: ObjectiveGradient::of(differences.objectives.clone(), (0..count).map(column).collect()),
            events: events
                .map(|(k, event)| (event.clone(), Some(column(count + k))))
                .collect(),
            differences: Some(differences),
            ..self.report(Method::FiniteDifference)
        }
    }

    /// Derivatives of all numbers by parameter.
    pub(in crate::run) fn directions(&self) -> Vec<Vec<f64>> {
        let model = &self.mechanism.model;
        let mut directions = vec![vec![0.0; model.numbers.len()]; model.parameters.len()];
        for (i, number) in model.numbers.iter().enumerate() {
            for &(parameter, slope) in &number.gradient {
                directions[parameter][i] = slope;
            }
        }
        directions
    }

    /// Derivative of the end time along a direction in the numbers.
    pub(super) fn end_slope(&self, numbers: &[f64]) -> f64 {
        numbers[self.start_number] + self.duration_number.map_or(0.0, |number| numbers[number])
    }

    /// Gradient by parameter from the gradient by number (theory, section 6).
    fn by_parameter(&self, numbers: &[f64]) -> Vec<f64> {
        let model = &self.mechanism.model;
        let mut gradient = vec![0.0; model.parameters.len()];
        for (number, value) in model.numbers.iter().zip(numbers) {
            for &(parameter, slope) in &number.gradient {
                gradient[parameter] += value * slope;
            }
        }
        gradient
    }
}
