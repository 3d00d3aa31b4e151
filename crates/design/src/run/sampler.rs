//! Samples outputs and energy over time from the interpolants, and the derivatives of outputs by all parameters.

use super::difference::parameter_size;
use super::experiment::Experiment;
use super::grid::Grid;
use super::probe::{Probe, RunMode, after, before};
use super::recording::{EventMark, Recording, Sensitivities, Series};
use crate::error::Result;
use crate::hybrid::{At, HybridSystem, JumpView, Observer, StepView};
use crate::model::Mode;
use crate::model::quantity::Output;

impl Experiment {
    /// Simulates with the forward sensitivities and samples outputs and derivatives.
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
        let (events, event_slopes): (Vec<_>, Vec<_>) = report.events.into_iter().unzip();
        let parameters = mechanism.model.parameters.iter();
        Ok(Sensitivities {
            slopes: std::mem::take(&mut sampler.slopes),
            recording: sampler.into_recording(&events),
            sizes: parameters
                .map(|parameter| parameter_size(parameter.value, parameter.bounds))
                .collect(),
            parameters: report.parameters,
            event_slopes: event_slopes.into_iter().map(Option::unwrap_or_default).collect(),
        })
    }
}

/// Observer that records every output and the energy at equidistant times and on both sides of every jump.
#[derive(Debug)]
pub(super) struct Sampler<'a> {
    probe: Probe<'a>,
    /// State X at an instant.
    x: Vec<f64>,
    grid: Grid,
    recording: Recording,
    /// Derivatives at fixed times, g_x S + g_p, by output, direction and time.
    slopes: Vec<Vec<Vec<f64>>>,
}

impl<'a> Sampler<'a> {
    /// A sampler of a run along directions in the numbers.
    pub fn new(experiment: &'a Experiment, directions: &'a [Vec<f64>]) -> Self {
        let probe = Probe::new(&experiment.mechanism, directions);
        let outputs = &experiment.mechanism.model.outputs;
        let series = |(name, output): &(String, Output)| Series {
            name: name.clone(),
            expression: output.expression.text().to_string(),
            values: Vec::new(),
        };
        Self {
            x: vec![0.0; probe.entries()],
            probe,
            grid: Grid::new(experiment.start, experiment.options.end, experiment.samples),
            recording: Recording {
                scene: experiment.name.clone(),
                outputs: outputs.iter().map(series).collect(),
                ..Recording::default()
            },
            slopes: vec![vec![Vec::new(); directions.len()]; outputs.len()],
        }
    }

    fn sample(&mut self, at: At<Mode>) -> Result<()> {
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
        self.probe.slopes(at, &[], |k, motion, _| {
            for ((_, output), slopes) in model.outputs.iter().zip(&mut self.slopes) {
                slopes[k].push(output.evaluate(model, at.mode, motion).eps);
            }
        })
    }

    /// The recording, with the events of the run.
    pub fn into_recording(self, events: &[EventMark]) -> Recording {
        Recording {
            events: events.to_vec(),
            ..self.recording
        }
    }
}

impl<M: RunMode> Observer<M> for Sampler<'_> {
    fn wants_dense(&self) -> bool {
        true
    }

    fn start(&mut self, t: f64, mode: &M, x: &[f64]) -> Result<()> {
        self.recording.phases.push(0);
        self.sample(At::new(t, mode.mode(), x))
    }

    fn step(&mut self, step: &StepView<M>) -> Result<()> {
        let Some(dense) = step.dense else { return Ok(()) };
        let mode = step.mode.mode();
        while let Some(t) = self.grid.next_before(step.end) {
            let mut x = std::mem::take(&mut self.x);
            dense.evaluate(t, &mut x);
            self.sample(At::new(t, mode, &x))?;
            self.x = x;
        }
        if self.grid.ends_at(step.end) {
            self.sample(At::new(step.end, mode, step.x))?;
        }
        Ok(())
    }

    fn jump(&mut self, jump: &JumpView<M>) -> Result<()> {
        if self.recording.times.last() != Some(&jump.t) {
            self.sample(before(jump))?;
        }
        self.recording.phases.push(self.recording.times.len());
        self.sample(after(jump))
    }
}
