//! A scene ready to run, and the report of a run.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::collapse::LastSteps;
use super::objectives::objective_values;
use super::sampler::{Sampler, check_value, evaluate_outputs};
use super::settings::{check_step_count, penalty_factors, positive};
use super::watcher::Watcher;
use crate::error::{Error, ErrorKind, Result, Source};
use crate::hybrid::{HybridSystem, Options, simulate};
use crate::integrate::{Statistics, Tolerance};
use crate::linear::max_abs;
use crate::mechanism::{Choices, FormulationChoice, Mechanism, Workspace};
use crate::model::Mode;
use crate::output::Recording;
use crate::scene::schema::{FormulationKind, Integrator};
use crate::scene::{self, Compiled, Overrides};

/// Opening of a constraint, over the size of the mechanism, that a run with penalties remarks; coordinates are wrong by
/// some ten times as much then.
const MUCH_OPEN: f64 = 1e-5;

/// What a caller changes about a scene.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Parameters by name.
    pub parameters: Vec<(String, f64)>,
    /// Formulation.
    pub formulation: Option<FormulationKind>,
    /// Relative tolerance.
    pub rtol: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// Simulated time.
    pub duration: Option<f64>,
    /// Most bytes that the recording of a motion may take for its gradient by the adjoint; unbounded when none.
    pub memory: Option<usize>,
}

/// A mechanism with the options of its simulation.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Name of the scene.
    pub name: String,
    /// Text of the scene, for messages.
    source: Arc<Source>,
    /// The mechanism.
    pub mechanism: Mechanism,
    /// Time at the start.
    pub start: f64,
    /// Number of the model: time at the start.
    pub(super) start_number: usize,
    /// Number of the model: simulated time, unless the caller gave it.
    pub(super) duration_number: Option<usize>,
    /// Integration.
    pub options: Options,
    /// Most bytes that the recording for an adjoint may take.
    pub memory: Option<usize>,
    /// Intervals of a recording.
    pub samples: u32,
    /// Parameters that nothing uses.
    pub unused_parameters: Vec<String>,
}

/// An event of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Time.
    pub t: f64,
    /// Contact, force or scene event.
    pub name: String,
    /// What happened.
    pub kind: String,
}

/// Largest constraint residuals over a run, over the length of their Jacobian row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residuals {
    /// Metres or radians.
    pub position: f64,
    /// Per second.
    pub velocity: f64,
}

/// Everything a run has to report.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the scene.
    pub scene: String,
    /// Time at the end.
    pub t_end: f64,
    /// Events in order.
    pub events: Vec<Event>,
    /// Outputs at the end, by name.
    pub outputs: Vec<(String, f64)>,
    /// Objectives, by name.
    pub objectives: Vec<(String, f64)>,
    /// Largest residuals.
    pub residuals: Residuals,
    /// Total energy at the start and at the end.
    pub energy: (f64, f64),
    /// Work.
    pub statistics: Statistics,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Remarks for the user.
    pub remarks: Vec<String>,
}

impl Experiment {
    /// Reads a scene file and prepares it.
    ///
    /// # Errors
    /// Whatever is wrong with the file, the scene or the changes.
    pub fn open(path: &Path, changes: &Changes) -> Result<Self> {
        Self::new(&scene::read(path)?, changes)
    }

    /// Prepares a scene.
    ///
    /// # Errors
    /// Whatever is wrong with the scene or the changes.
    pub fn new(file: &scene::SceneFile, changes: &Changes) -> Result<Self> {
        let compiled = scene::compile(
            file,
            &Overrides {
                parameters: changes.parameters.clone(),
            },
        )?;
        Self::from_compiled(file, compiled, changes).map_err(|error| located(error, &file.source))
    }

    fn from_compiled(file: &scene::SceneFile, compiled: Compiled, changes: &Changes) -> Result<Self> {
        let Compiled {
            model,
            simulation: settings,
            unused_parameters,
        } = compiled;
        let atol = positive("atol", changes.atol.unwrap_or(settings.atol))?;
        let rtol = positive("rtol", changes.rtol.unwrap_or(settings.rtol))?;
        let start = model.numbers[settings.start].value;
        let duration = positive(
            "duration",
            changes.duration.unwrap_or(model.numbers[settings.duration].value),
        )?;
        let formulation = match changes.formulation.unwrap_or(settings.formulation) {
            FormulationKind::Nullspace => FormulationChoice::Nullspace,
            FormulationKind::Multipliers => FormulationChoice::Multipliers,
            FormulationKind::Penalty => FormulationChoice::Penalty(penalty_factors(&settings.penalty, &model, start)?),
        };
        let choices = Choices {
            formulation,
            projection: settings.projection,
            rest_speed: settings.rest_speed,
            atol,
        };
        let mechanism = Mechanism::new(model, choices);
        let tolerance = Tolerance::uniform(rtol, atol, mechanism.dimension())?.free(mechanism.memory())?;
        let options = Options {
            end: start + duration,
            tolerance,
            implicit: settings.integrator == Integrator::Radau,
            max_step: settings.max_step.unwrap_or(f64::INFINITY),
            max_steps: settings.max_steps,
        };
        check_step_count(&options, duration)?;
        Ok(Self {
            name: file.scene.name.clone(),
            source: file.source.clone(),
            mechanism,
            start,
            start_number: settings.start,
            duration_number: changes.duration.is_none().then_some(settings.duration),
            options,
            memory: changes.memory,
            samples: settings.samples,
            unused_parameters,
        })
    }

    /// Simulates and reports; with a recording of outputs, energy and events over time when asked for.
    ///
    /// `progress` is told the simulated time after each step.
    ///
    /// # Errors
    /// Whatever ends the simulation.
    pub fn run(&self, record: bool, progress: &mut dyn FnMut(f64)) -> Result<(Report, Option<Recording>)> {
        self.simulate(record, progress).map_err(|error| self.located(error))
    }

    /// Outputs and objectives must have a value at the end.
    fn check_finite(&self, report: &Report) -> Result<()> {
        let model = &self.mechanism.model;
        for ((name, value), (_, output)) in report.outputs.iter().zip(&model.outputs) {
            check_value(name, output, *value, report.t_end)?;
        }
        match report.objectives.iter().find(|(_, value)| !value.is_finite()) {
            None => Ok(()),
            Some((name, value)) => Err(Error::new(
                ErrorKind::NotFinite,
                format!("the objective \"{name}\" is {value} at the end"),
            )
            .named(name)
            .with_value(*value)
            .at_time(report.t_end)
            .advise("look for a division by zero, or a root or logarithm of a negative number, in its expressions")),
        }
    }

    /// What to say about parameters that nothing uses; none if every parameter is used.
    pub fn unused_parameters_remark(&self) -> Option<String> {
        let names: Vec<String> = self
            .unused_parameters
            .iter()
            .map(|name| format!("\"{name}\""))
            .collect();
        (!names.is_empty()).then(|| format!("no expression uses {}", names.join(", ")))
    }

    /// What to say about constraints that the penalty formulation leaves open by much, for a mechanism of this size.
    fn opening_remark(&self, residuals: &Residuals, size: f64) -> Option<String> {
        let penalty = matches!(self.mechanism.choices.formulation, FormulationChoice::Penalty(_));
        (penalty && residuals.position > MUCH_OPEN * size).then(|| {
            format!(
                "the penalty formulation lets constraints open by up to {:.1e}, in a mechanism of the size {size:.1e}: raise \
                 `augmented` or `factor` of `penalty`, or use another formulation",
                residuals.position
            )
        })
    }

    /// The same error with the place of the element that it names, unless it has a place.
    pub fn located(&self, error: Error) -> Error {
        located(error, &self.source)
    }

    fn simulate(&self, record: bool, progress: &mut dyn FnMut(f64)) -> Result<(Report, Option<Recording>)> {
        let clock = Instant::now();
        let mechanism = &self.mechanism;
        let mut workspace = mechanism.workspace();
        let started = mechanism.start(self.start, &mut workspace)?;
        let energy_before = total_energy(mechanism, self.start, &started.mode, &started.x, &mut workspace)?;
        let mut watcher = Watcher {
            sampler: record.then(|| Sampler::new(mechanism, self.start, self.options.end, self.samples)),
            mechanism,
            workspace: mechanism.workspace(),
            last: LastSteps::new(started.mode.clone(), mechanism.dimension()),
            residuals: Residuals::default(),
            events: started.happenings.iter().map(|h| event(self.start, h)).collect(),
            progress,
        };
        let size = max_abs(&started.x[mechanism.positions()]);
        let state = (self.start, started.mode, started.x);
        let finish = simulate(mechanism, state, &self.options, &mut workspace, &mut watcher)
            .map_err(|error| watcher.last.explain(error, mechanism, self.start, &mut workspace))?;
        let Watcher {
            sampler,
            residuals,
            events,
            ..
        } = watcher;
        let outputs = evaluate_outputs(mechanism, finish.t, &finish.mode, &finish.x, &mut workspace)?;
        let objectives = objective_values(mechanism, finish.t, &finish.mode, &finish.x, &mut workspace)?;
        let energy_after = total_energy(mechanism, finish.t, &finish.mode, &finish.x, &mut workspace)?;
        let report = Report {
            scene: self.name.clone(),
            t_end: finish.t,
            outputs: mechanism
                .model
                .outputs
                .iter()
                .map(|(name, _)| name.clone())
                .zip(outputs)
                .collect(),
            objectives,
            residuals,
            energy: (energy_before, energy_after),
            statistics: finish.statistics,
            seconds: clock.elapsed().as_secs_f64(),
            remarks: (self.unused_parameters_remark().into_iter())
                .chain(started.remarks)
                .chain(finish.remarks)
                .chain(self.opening_remark(&residuals, size))
                .collect(),
            events,
        };
        self.check_finite(&report)?;
        let recording = sampler.map(|sampler| sampler.into_recording(&self.name, &report.events));
        Ok((report, recording))
    }
}

/// The error with the place in the source of the entry that it names, unless it has a place.
fn located(error: Error, source: &Arc<Source>) -> Error {
    let place = error.name().and_then(|name| scene::locate_entry(&source.text, name));
    match place.filter(|_| error.place().is_none()) {
        Some(place) => error.at_place(place).in_source(source.clone()),
        None => error,
    }
}

pub(super) fn event(t: f64, happening: &crate::hybrid::Happening) -> Event {
    Event {
        t,
        name: happening.name.clone(),
        kind: happening.kind.clone(),
    }
}

fn total_energy(mechanism: &Mechanism, t: f64, mode: &Mode, x: &[f64], workspace: &mut Workspace) -> Result<f64> {
    mechanism.evaluate_motion(t, mode, x, false, workspace)?;
    let (kinetic, potential) = mechanism.model.energy(mode, &mechanism.motion(t, mode, x, workspace));
    Ok(kinetic + potential)
}
