//! Motions predicted for other values of the parameters, from one forward run (theory, 3.5).

mod curves;
mod motions;
mod sequence;
mod trust;
mod trust_curve;

pub use curves::Curves;
pub use sequence::{Cause, Limit};
pub use trust::Trust;
pub use trust_curve::TrustCurve;

use std::sync::Arc;

use super::experiment::Experiment;
use super::recording::EventMark;
use super::undetermined::refuse;
use crate::error::{Error, ErrorKind, Result};
use crate::expression::suggest;
use crate::hybrid::{HybridSystem, Observer, StepView};
use crate::model::{Mode, Parameter};
use crate::sensitivity::{Linearization, Switching};
use motions::Motions;

/// A motion with its derivatives by some parameters, from which motions for nearby values are predicted.
///
/// Changes `dp` have one entry per [`Prediction::parameters`], in the unit of the parameter, from the values of the
/// experiment that was simulated.
#[derive(Clone, Debug)]
pub struct Prediction {
    experiment: Experiment,
    parameters: Vec<(String, f64)>,
    /// Events at the very start; they have no jump of their own.
    at_start: Vec<EventMark>,
    motions: Motions,
}

impl Experiment {
    /// Simulates with the sensitivities by the named parameters, by all of them when none is named, and keeps them at
    /// intervals of 1/`intervals` of the simulated time and on both sides of every event; in between they follow
    /// polynomials of third degree. `progress` is told the simulated time after each step. Where events at one instant have no
    /// derivative in common, both sides of every parameter are simulated, and a change of several when it is asked for.
    ///
    /// # Errors
    /// Kind `Request` for names that the scene does not have or use, and for no intervals; else as for the gradient by the
    /// forward method.
    pub fn prediction(
        &self,
        parameters: &[String],
        intervals: u32,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Prediction> {
        self.record_prediction(parameters, intervals, progress)
            .map_err(|error| self.located(error))
    }

    fn record_prediction(
        &self,
        parameters: &[String],
        intervals: u32,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Prediction> {
        let mechanism = &self.mechanism;
        let chosen = self.chosen(parameters)?;
        let all = self.directions();
        let directions: Vec<Vec<f64>> = chosen.iter().map(|&k| all[k].clone()).collect();
        let mut workspace = mechanism.workspace();
        let started = mechanism.start(self.start, &mut workspace)?;
        let is_chosen = |name: &str| chosen.iter().any(|&k| mechanism.model.parameters[k].name == name);
        refuse(&self.undetermined_at_start(&started), is_chosen)?;
        refuse(&self.undetermined_later()?, is_chosen)?;
        let motions = self.record_motions(&started, &directions, intervals, progress)?;
        let chosen = chosen.iter().map(|&k| &mechanism.model.parameters[k]);
        let at_start = started.happenings.iter();
        Ok(Prediction {
            parameters: chosen.map(|found| (found.name.clone(), found.value)).collect(),
            at_start: at_start.map(|found| EventMark::new(self.start, found, true)).collect(),
            motions,
            experiment: self.clone(),
        })
    }

    /// Indices of parameters by name; all when none is named.
    fn chosen(&self, names: &[String]) -> Result<Vec<usize>> {
        let parameters = &self.mechanism.model.parameters;
        if names.is_empty() {
            return Ok((0..parameters.len()).collect());
        }
        let place = |name: &String| parameters.iter().position(|parameter| parameter.name == *name);
        let found = |name| place(name).ok_or_else(|| unknown(name, parameters));
        let twice = |(k, name): &(usize, &String)| names.iter().take(*k).any(|earlier| earlier == *name);
        if let Some((_, name)) = names.iter().enumerate().find(twice) {
            return Err(
                Error::new(ErrorKind::Request, format!("the parameter `{name}` is named twice"))
                    .named(name)
                    .advise("name every parameter once"),
            );
        }
        names.iter().map(found).collect()
    }
}

fn unknown(name: &str, parameters: &[Parameter]) -> Error {
    let candidates = parameters.iter().map(|parameter| parameter.name.as_str());
    Error::new(ErrorKind::Request, format!("the scene has no parameter `{name}`"))
        .named(name)
        .advise(suggest(name, candidates, "parameters"))
}

impl Prediction {
    /// Names of the parameters with the values of the simulated motion, in the order of every `dp`.
    pub fn parameters(&self) -> &[(String, f64)] {
        &self.parameters
    }

    /// The motion with its derivatives for a change, and the change by these: of one entry, and not negative, where each
    /// direction has an order of events and derivatives of its own.
    ///
    /// # Errors
    /// Kind `Request` where `dp` does not fit; kind `Event` where there is no derivative in its direction.
    pub fn motion(&self, dp: &[f64]) -> Result<(Arc<Linearization<Mode>>, Vec<f64>)> {
        let (recorded, dp) = self.motions.along(&self.experiment, dp)?;
        Ok((recorded.motion, dp))
    }

    /// The state predicted at a time, with its mode: x = [q | v | z | w] in the coordinates of the mechanism, after whatever
    /// happens then. Before the start and after the end of the simulated motion it is the state there.
    ///
    /// # Errors
    /// As [`Linearization::predict`] and [`Prediction::motion`].
    pub fn frame(&self, t: f64, dp: &[f64]) -> Result<(Mode, Vec<f64>)> {
        let (motion, dp) = self.motion(dp)?;
        let mut x = vec![0.0; motion.dimension()];
        let mode = motion.predict(t, &dp, Switching::Predicted, &mut x)?;
        let mechanism = &self.experiment.mechanism;
        // Quaternions that are moved along their derivative are longer by the square of the change.
        mechanism.model.normalize(&mut x[mechanism.positions()]);
        Ok((mode.clone(), x))
    }

    /// Numbers of the model for the changed parameters, to first order in `dp`, followed by the memory of the state predicted
    /// for a time; those that follow the motion are those of this state.
    ///
    /// # Errors
    /// Kind `Request` where `dp` does not fit.
    pub fn numbers(&self, t: f64, (mode, x): (&Mode, &[f64]), dp: &[f64]) -> Result<Vec<f64>> {
        self.motion(dp)?;
        let (mechanism, all) = (&self.experiment.mechanism, &self.experiment.mechanism.model.parameters);
        let change = |parameter: usize| {
            let place = self
                .parameters
                .iter()
                .position(|(name, _)| *name == all[parameter].name);
            place.map_or(0.0, |place| dp[place])
        };
        let numbers = mechanism.model.numbers.iter().map(|number| {
            let changes = number.gradient.iter();
            number.value + changes.map(|&(k, slope)| slope * change(k)).sum::<f64>()
        });
        let memory = &x[mechanism.quadratures().end..];
        let mut numbers: Vec<f64> = numbers.chain(memory.iter().copied()).collect();
        let (q, v) = (&x[mechanism.positions()], &x[mechanism.velocities()]);
        mechanism.model.follow(mode, t, q, v, &mut numbers);
        Ok(numbers)
    }

    /// Events at their predicted times, in the simulated order; those of the very start keep the time of the simulated start.
    ///
    /// # Errors
    /// As [`Prediction::motion`].
    pub fn events(&self, dp: &[f64]) -> Result<Vec<EventMark>> {
        let (motion, dp) = self.motion(dp)?;
        let later = motion.events().iter();
        let later = later.flat_map(|found| {
            let t = found.time(&dp);
            let happenings = found.happenings.iter().enumerate();
            happenings.map(move |(k, happening)| EventMark::new(t, happening, k > 0))
        });
        Ok(self.at_start.iter().cloned().chain(later).collect())
    }

    /// The experiment with the parameters changed by `dp`, prepared but not simulated. Parameters written as expressions of
    /// changed ones follow, and their own change comes on top.
    ///
    /// # Errors
    /// As [`Experiment::with_parameters`].
    pub fn changed(&self, dp: &[f64]) -> Result<Experiment> {
        self.motion(dp)?;
        let mut changed = self.experiment.clone();
        let mut values = Vec::new();
        // Expressions use parameters before them in the scene: each is looked up when those have changed.
        for (k, parameter) in self.experiment.mechanism.model.parameters.iter().enumerate() {
            let place = self.parameters.iter().position(|(name, _)| *name == parameter.name);
            let Some(&change) = place.and_then(|place| dp.get(place)).filter(|change| **change != 0.0) else {
                continue;
            };
            let known = changed.mechanism.model.parameters.get(k).unwrap_or(parameter);
            values.push((parameter.name.clone(), known.value + change));
            changed = self.experiment.with_parameters(&values)?;
        }
        Ok(changed)
    }
}

/// Observer that passes on the simulated time.
struct Progress<'a>(&'a mut dyn FnMut(f64));

impl<M> Observer<M> for Progress<'_> {
    fn step(&mut self, step: &StepView<M>) -> Result<()> {
        (self.0)(step.end);
        Ok(())
    }
}
