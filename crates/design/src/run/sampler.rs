//! Samples outputs and energy over time from the interpolants.

use super::experiment::Event;
use super::grid::Grid;
use super::recording::{Energy, EventMark, Recording, Series};
use crate::error::Result;
use crate::hybrid::{At, HybridSystem, JumpView, Observer, StepView};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::Mode;
use crate::model::expressions::{Evaluated, Owner};
use crate::model::quantity::Output;

/// Observer that records every output and the energy at equidistant times and on both sides of every jump.
#[derive(Debug)]
pub struct Sampler<'a> {
    mechanism: &'a Mechanism,
    workspace: Workspace,
    x: Vec<f64>,
    grid: Grid,
    times: Vec<f64>,
    phases: Vec<usize>,
    /// One list per output.
    values: Vec<Vec<f64>>,
    kinetic: Vec<f64>,
    potential: Vec<f64>,
}

impl<'a> Sampler<'a> {
    /// A sampler over [start, end] with the given number of intervals.
    pub fn new(mechanism: &'a Mechanism, start: f64, end: f64, samples: u32) -> Self {
        Self {
            mechanism,
            workspace: mechanism.workspace(),
            x: vec![0.0; mechanism.dimension()],
            grid: Grid::new(start, end, samples),
            times: Vec::new(),
            phases: Vec::new(),
            values: vec![Vec::new(); mechanism.model.outputs.len()],
            kinetic: Vec::new(),
            potential: Vec::new(),
        }
    }

    /// Times sampled so far.
    pub(super) fn times(&self) -> &[f64] {
        &self.times
    }

    fn sample(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Result<()> {
        let outputs = evaluate_outputs(self.mechanism, t, mode, x, &mut self.workspace)?;
        let named = self.mechanism.model.outputs.iter();
        for ((list, value), (name, output)) in self.values.iter_mut().zip(outputs).zip(named) {
            check_value(name, output, value, t)?;
            list.push(value);
        }
        let motion = self.mechanism.motion(At::new(t, mode, x), &self.workspace);
        let (kinetic, potential) = self.mechanism.model.energy(mode, &motion);
        self.kinetic.push(kinetic);
        self.potential.push(potential);
        self.times.push(t);
        Ok(())
    }

    /// The recording, with the events of the run.
    pub fn into_recording(self, scene: &str, events: &[Event]) -> Recording {
        let outputs = self.mechanism.model.outputs.iter().zip(self.values);
        Recording {
            scene: scene.to_string(),
            outputs: outputs
                .map(|((name, output), values)| Series {
                    name: name.clone(),
                    expression: output.expression.text().to_string(),
                    values,
                })
                .collect(),
            times: self.times,
            phases: self.phases,
            events: events
                .iter()
                .map(|event| EventMark {
                    t: event.t,
                    name: event.name.clone(),
                    kind: event.kind.clone(),
                })
                .collect(),
            energy: Energy {
                kinetic: self.kinetic,
                potential: self.potential,
            },
        }
    }
}

impl Observer<Mode> for Sampler<'_> {
    fn wants_dense(&self) -> bool {
        true
    }

    fn start(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Result<()> {
        self.phases.push(0);
        self.sample(t, mode, x)
    }

    fn step(&mut self, step: &StepView<Mode>) -> Result<()> {
        let Some(dense) = step.dense else { return Ok(()) };
        while let Some(t) = self.grid.next_before(step.end) {
            let mut x = std::mem::take(&mut self.x);
            dense.evaluate(t, &mut x);
            self.sample(t, step.mode, &x)?;
            self.x = x;
        }
        if self.grid.ends_at(step.end) {
            self.sample(step.end, step.mode, step.x)?;
        }
        Ok(())
    }

    fn jump(&mut self, jump: &JumpView<Mode>) -> Result<()> {
        if self.times.last() != Some(&jump.t) {
            self.sample(jump.t, jump.mode_before, jump.before)?;
        }
        self.phases.push(self.times.len());
        self.sample(jump.t, jump.mode_after, jump.after)
    }
}

/// An output must have a value.
pub(super) fn check_value(name: &str, output: &Output, value: f64, t: f64) -> Result<()> {
    if value.is_finite() {
        return Ok(());
    }
    let found = Evaluated {
        owner: Owner::Output,
        name,
        text: output.expression.text(),
        value,
        sides: Vec::new(),
    };
    Err(found.without_value(t))
}

/// Every output at a state, in the order of the scene; accelerations and multipliers are left in the workspace.
///
/// # Errors
/// Kind `Singular` when the accelerations are not determined.
pub(super) fn evaluate_outputs(
    mechanism: &Mechanism,
    t: f64,
    mode: &Mode,
    x: &[f64],
    workspace: &mut Workspace,
) -> Result<Vec<f64>> {
    mechanism.evaluate_motion(At::new(t, mode, x), true, workspace)?;
    let motion = mechanism.motion(At::new(t, mode, x), workspace);
    let mut values: Vec<f64> = Vec::with_capacity(mechanism.model.outputs.len());
    for (_, output) in &mechanism.model.outputs {
        let value = output.evaluate_after(|earlier| values[earlier], &mechanism.model, mode, &motion);
        values.push(value);
    }
    Ok(values)
}
