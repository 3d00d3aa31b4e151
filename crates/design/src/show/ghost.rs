//! The motion predicted for another value of a parameter, ready to be shown.

use std::sync::Arc;

use super::Show;
use crate::appearance::{Appearance, Block, Item, Pose, Scale, blocks};
use crate::error::Result;
use crate::hybrid::HybridSystem;
use crate::model::CoordinateKind;
use crate::run::{Curves, EventMark, Experiment, Film, Prediction, Recording, Towards};

/// States kept of a second of motion, and how many at least and at most.
const PER_SECOND: f64 = 120.0;
const INTERVALS: (f64, f64) = (400.0, 4000.0);

/// A motion with its derivatives by all parameters that the scene uses, and what it looks like.
#[derive(Clone, Debug)]
pub struct Ghost {
    pub(super) prediction: Prediction,
    appearance: Appearance,
    scale: Scale,
    pub(super) experiment: Experiment,
}

impl Ghost {
    /// Simulates with sensitivities; `scale` is that of the motion that it stands beside.
    ///
    /// # Errors
    /// As [`Experiment::prediction`].
    pub fn new(experiment: Experiment, scale: Scale) -> Result<Self> {
        Self::of(experiment, scale, |_| true)
    }

    /// The same for the parameters of these names alone.
    ///
    /// # Errors
    /// As [`Ghost::new`].
    pub fn of(experiment: Experiment, scale: Scale, is_wanted: impl Fn(&str) -> bool) -> Result<Self> {
        let model = &experiment.mechanism.model;
        let mut used: Vec<String> = model
            .parameters
            .iter()
            .map(|parameter| parameter.name.clone())
            .filter(|name| is_wanted(name))
            .collect();
        let started = experiment
            .mechanism
            .start(experiment.start, &mut experiment.mechanism.workspace())?;
        let undetermined = experiment.undetermined_at_start(&started);
        let varies = |name: &String| undetermined.iter().all(|found| found.name != *name);
        used.retain(|name| !experiment.unused_parameters.contains(name) && varies(name));
        let duration = experiment.options.end - experiment.start;
        let intervals = (PER_SECOND * duration).clamp(INTERVALS.0, INTERVALS.1) as u32;
        let later = experiment.undetermined_later()?;
        used.retain(|name| later.iter().all(|found| found.name != *name));
        Ok(Self {
            prediction: experiment.prediction(&used, intervals, &mut |_| ())?,
            appearance: Appearance::new(model, &experiment.view),
            scale,
            experiment,
        })
    }

    /// Index of a parameter in the prediction; none for one that the scene does not use.
    pub(super) fn index(&self, parameter: &str) -> Option<usize> {
        let mut known = self.prediction.parameters().iter();
        known.position(|(name, _)| name == parameter)
    }

    /// The change of one parameter to a value; none for one that the scene does not use.
    pub fn change(&self, parameter: &str, value: f64) -> Option<Vec<f64>> {
        let index = self.index(parameter)?;
        let known = self.prediction.parameters();
        let mut dp = vec![0.0; known.len()];
        dp[index] = value - known[index].1;
        Some(dp)
    }

    /// The experiment that the prediction starts from.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// No change of any parameter.
    pub fn unchanged(&self) -> Vec<f64> {
        vec![0.0; self.prediction.parameters().len()]
    }

    /// The value of a parameter in the motion that the prediction starts from.
    pub fn value(&self, parameter: &str) -> Option<f64> {
        Some(self.prediction.parameters()[self.index(parameter)?].1)
    }

    /// The blocks predicted at a time.
    ///
    /// # Errors
    /// As [`Prediction::frame`].
    pub fn blocks(&self, t: f64, dp: &[f64]) -> Result<Vec<Block>> {
        Ok(blocks(&self.items(t, dp)?, &self.scale))
    }

    /// The events at their predicted times, in the simulated order.
    ///
    /// # Errors
    /// As [`Prediction::events`].
    pub fn events(&self, dp: &[f64]) -> Result<Vec<EventMark>> {
        self.prediction.events(dp)
    }

    /// The derivatives of the curves of a recording of the same experiment by a parameter: those that both sides of its value have in
    /// common, or of the sides that have any; none for one that the scene does not use.
    ///
    /// # Errors
    /// As [`Prediction::curves`].
    pub fn curves(&self, recording: &Recording, parameter: &str) -> Result<Vec<(Option<Towards>, Curves)>> {
        let Some(index) = self.index(parameter) else {
            return Ok(Vec::new());
        };
        let change = |sign: f64| {
            let mut dp = vec![0.0; self.prediction.parameters().len()];
            dp[index] = sign;
            dp
        };
        let motions = [-1.0, 1.0].map(|sign| self.prediction.motion(&change(sign)));
        if let [Ok((below, _)), Ok((above, _))] = &motions
            && Arc::ptr_eq(below, above)
        {
            return Ok(vec![(None, self.prediction.curves(recording, &change(1.0))?)]);
        }
        let mut found = Vec::new();
        for (sign, side, motion) in [(-1.0, Towards::Below, &motions[0]), (1.0, Towards::Above, &motions[1])] {
            if motion.is_ok() {
                let curves = self.prediction.curves(recording, &change(sign))?;
                found.push((Some(side), curves.scaled(sign)));
            }
        }
        Ok(found)
    }

    /// The shapes predicted at a time.
    ///
    /// # Errors
    /// As [`Prediction::frame`].
    pub fn items(&self, t: f64, dp: &[f64]) -> Result<Vec<Item>> {
        let mechanism = &self.experiment.mechanism;
        let (mode, x) = self.prediction.frame(t, dp)?;
        let pose = Pose {
            dimension: mechanism.model.dimension,
            t,
            q: &x[mechanism.positions()],
            numbers: &self.prediction.numbers(t, (&mode, &x), dp)?,
            mode: &mode,
        };
        Ok(self.appearance.items(&pose))
    }

    /// Largest distance along a coordinate between the prediction and the motion that was simulated for the change, over
    /// the extent of the mechanism; none if they have other coordinates.
    pub fn deviation(&self, dp: &[f64], simulated: &Show) -> Option<f64> {
        self.deviation_from(dp, (&simulated.experiment, &simulated.film))
    }

    /// The same for a motion that is not shown.
    pub(super) fn deviation_from(&self, dp: &[f64], (experiment, film): (&Experiment, &Film)) -> Option<f64> {
        let (mine, theirs) = (&self.experiment.mechanism, &experiment.mechanism);
        let same = mine.positions() == theirs.positions() && mine.dimension() == theirs.dimension();
        let lengths = |i: &usize| mine.model.coordinates[*i].kind == CoordinateKind::Length;
        let lengths: Vec<usize> = (0..mine.model.coordinates.len()).filter(lengths).collect();
        let mut most: f64 = 0.0;
        for frame in film.frames().filter(|_| same) {
            let (_, x) = self.prediction.frame(frame.t, dp).ok()?;
            let distances = lengths.iter().map(|&i| (x[i] - frame.x[i]).abs());
            most = distances.fold(most, f64::max);
        }
        same.then_some(most / self.scale.extent())
    }
}
