//! Outputs and their derivatives with respect to all parameters over time.

use super::experiment::Experiment;
use super::recording::Sensitivities;
use super::sampler::Sampler;
use crate::error::Result;
use crate::hybrid::{At, HybridSystem, JumpView, Observer, StepView, Tangent};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::Mode;
use crate::run::difference::parameter_size;
use crate::sensitivity::ForwardMode;

impl Experiment {
    /// Simulates with the forward sensitivities and samples outputs and derivatives.
    ///
    /// # Errors
    /// As for the gradient by the forward method.
    pub fn sensitivities(&self) -> Result<Sensitivities> {
        let mechanism = &self.mechanism;
        let mut workspace = mechanism.workspace();
        let started = mechanism.start(self.start, &mut workspace)?;
        let mut recorder = Recorder::new(self);
        let report = self.forward(&started, &mut workspace, &mut recorder)?;
        let (events, event_slopes): (Vec<_>, Vec<_>) = report.events.into_iter().unzip();
        let parameters = mechanism.model.parameters.iter();
        Ok(Sensitivities {
            recording: recorder.sampler.into_recording(&self.name, &events),
            sizes: parameters
                .map(|parameter| parameter_size(parameter.value, parameter.bounds))
                .collect(),
            parameters: report.parameters,
            slopes: recorder.slopes,
            event_slopes: event_slopes.into_iter().map(Option::unwrap_or_default).collect(),
        })
    }
}

/// Samples the outputs as any recording does, and at the same times their derivatives.
struct Recorder<'a> {
    mechanism: &'a Mechanism,
    sampler: Sampler<'a>,
    /// Derivatives of the numbers by parameter.
    directions: Vec<Vec<f64>>,
    workspace: Workspace,
    /// State with sensitivities.
    x: Vec<f64>,
    /// By output, parameter and time.
    slopes: Vec<Vec<Vec<f64>>>,
}

impl<'a> Recorder<'a> {
    fn new(experiment: &'a Experiment) -> Self {
        let mechanism = &experiment.mechanism;
        let (start, end) = (experiment.start, experiment.options.end);
        let directions = experiment.directions();
        Self {
            mechanism,
            sampler: Sampler::new(mechanism, start, end, experiment.samples),
            workspace: mechanism.workspace(),
            x: vec![0.0; mechanism.dimension() * (directions.len() + 1)],
            slopes: vec![vec![Vec::new(); directions.len()]; mechanism.model.outputs.len()],
            directions,
        }
    }

    /// The derivative at a fixed time: g_x S + g_p.
    fn sample(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Result<()> {
        let (state, blocks) = x.split_at(self.mechanism.dimension());
        let blocks = blocks.chunks_exact(state.len());
        for (k, (block, numbers)) in blocks.zip(&self.directions).enumerate() {
            let along = Tangent {
                t: 0.0,
                x: block,
                numbers,
            };
            let motion = self
                .mechanism
                .motion_jvp(At::new(t, mode, state), &along, &mut self.workspace)?;
            for ((_, output), slopes) in self.mechanism.model.outputs.iter().zip(&mut self.slopes) {
                slopes[k].push(output.evaluate(&self.mechanism.model, mode, &motion).eps);
            }
        }
        Ok(())
    }
}

impl Observer<ForwardMode<Mode>> for Recorder<'_> {
    fn wants_dense(&self) -> bool {
        true
    }

    fn start(&mut self, t: f64, mode: &ForwardMode<Mode>, x: &[f64]) -> Result<()> {
        self.sampler.start(t, &mode.mode, &x[..self.mechanism.dimension()])?;
        self.sample(t, &mode.mode, x)
    }

    fn step(&mut self, step: &StepView<ForwardMode<Mode>>) -> Result<()> {
        let sampled = self.sampler.times().len();
        self.sampler.step(&StepView {
            mode: &step.mode.mode,
            start: step.start,
            end: step.end,
            x: &step.x[..self.mechanism.dimension()],
            dense: step.dense,
        })?;
        let Some(dense) = step.dense else { return Ok(()) };
        for k in sampled..self.sampler.times().len() {
            let t = self.sampler.times()[k];
            let mut x = std::mem::take(&mut self.x);
            dense.evaluate(t, &mut x);
            self.sample(t, &step.mode.mode, &x)?;
            self.x = x;
        }
        Ok(())
    }

    fn jump(&mut self, jump: &JumpView<ForwardMode<Mode>>) -> Result<()> {
        let n = self.mechanism.dimension();
        let sampled = self.sampler.times().len();
        self.sampler.jump(&JumpView {
            t: jump.t,
            fired: jump.fired,
            follows: jump.follows,
            happenings: jump.happenings,
            mode_before: &jump.mode_before.mode,
            mode_after: &jump.mode_after.mode,
            before: &jump.before[..n],
            after: &jump.after[..n],
        })?;
        if self.sampler.times().len() - sampled > 1 {
            self.sample(jump.t, &jump.mode_before.mode, jump.before)?;
        }
        self.sample(jump.t, &jump.mode_after.mode, jump.after)
    }
}
