//! Samples outputs and energy over time from the interpolants, and the derivatives of outputs by all parameters.

use super::difference::parameter_size;
use super::experiment::Experiment;
use super::grid::{Grid, Keeper};
use super::probe::Probe;
use super::recording::{EventMark, Recording, Sensitivities, Series};
use crate::assembly::Undetermined;
use crate::error::Result;
use crate::hybrid::{At, HybridSystem};
use crate::model::Mode;
use crate::model::quantity::Output;

impl Experiment {
    /// Simulates with the forward sensitivities and samples outputs and derivatives, by all parameters that can change alone.
    ///
    /// # Errors
    /// As for the gradient by the forward method.
    pub fn sensitivities(&self) -> Result<Sensitivities> {
        let mechanism = &self.mechanism;
        let mut workspace = mechanism.workspace();
        let started = mechanism.start(self.start, &mut workspace)?;
        let directions = self.directions();
        let mut sampler = Sampler::new(self, &directions);
        let report = self.forward(&started, &mut workspace, &mut sampler)?;
        let mut sampler = sampler.keeper;
        let (events, event_slopes): (Vec<_>, Vec<_>) = report.events.into_iter().unzip();
        let mut undetermined = self.undetermined_at_start(&started);
        undetermined.extend(report.undetermined);
        let parameters = mechanism.model.parameters.iter();
        let sizes = parameters.map(|parameter| parameter_size(parameter.value, parameter.bounds));
        let slopes = std::mem::take(&mut sampler.slopes).into_iter();
        let times = event_slopes.into_iter().map(Option::unwrap_or_default);
        Ok(Sensitivities {
            slopes: slopes.map(|slopes| determined(slopes, &undetermined)).collect(),
            recording: sampler.into_recording(&events),
            sizes: determined(sizes.collect(), &undetermined),
            parameters: determined(report.parameters, &undetermined),
            event_slopes: times.map(|slopes| determined(slopes, &undetermined)).collect(),
        })
    }
}

/// The entries of a list by parameter without those of parameters that cannot change alone.
fn determined<T>(list: Vec<T>, undetermined: &[Undetermined]) -> Vec<T> {
    let known = |parameter: usize| undetermined.iter().all(|found| found.parameter != parameter);
    let entries = list.into_iter().enumerate();
    entries
        .filter(|(parameter, _)| known(*parameter))
        .map(|(_, entry)| entry)
        .collect()
}

/// Records every output and the energy.
#[derive(Debug)]
pub(super) struct Sampler<'a> {
    probe: Probe<'a>,
    recording: Recording,
    /// Derivatives at fixed times, g_x S + g_p, by output, direction and time.
    slopes: Vec<Vec<Vec<f64>>>,
}

impl<'a> Sampler<'a> {
    /// A sampler of a run along directions in the numbers.
    pub fn new(experiment: &'a Experiment, directions: &'a [Vec<f64>]) -> Grid<Self> {
        let probe = Probe::new(&experiment.mechanism, directions);
        let outputs = &experiment.mechanism.model.outputs;
        let series = |(name, output): &(String, Output)| Series {
            name: name.clone(),
            expression: output.expression.text().to_string(),
            values: Vec::new(),
        };
        let sampler = Self {
            probe,
            recording: Recording {
                scene: experiment.name.clone(),
                outputs: outputs.iter().map(series).collect(),
                ..Recording::default()
            },
            slopes: vec![vec![Vec::new(); directions.len()]; outputs.len()],
        };
        Grid::new(experiment, experiment.samples, sampler)
    }

    /// The recording, with the events of the run.
    pub fn into_recording(self, events: &[EventMark]) -> Recording {
        Recording {
            events: events.to_vec(),
            ..self.recording
        }
    }
}

impl Keeper for Sampler<'_> {
    fn begin(&mut self, _: &Mode) {
        self.recording.phases.push(self.recording.times.len());
    }

    fn keep(&mut self, at: At<Mode>) -> Result<()> {
        let model = &self.probe.mechanism.model;
        let (outputs, motion) = self.probe.outputs(at)?;
        let (kinetic, potential) = model.energy(at.mode, &motion);
        let recording = &mut self.recording;
        for (series, value) in recording.outputs.iter_mut().zip(outputs) {
            series.values.push(value);
        }
        recording.energy.kinetic.push(kinetic);
        recording.energy.potential.push(potential);
        recording.times.push(at.t);
        self.probe.each_jvp(at, &[], |k, motion, _| {
            for ((_, output), slopes) in model.outputs.iter().zip(&mut self.slopes) {
                slopes[k].push(output.evaluate(model, at.mode, motion).eps);
            }
        })
    }
}
