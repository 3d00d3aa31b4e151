//! A scene ready to run, and the report of a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::collect::refuse_outside;
use super::interruption::Interruption;
use super::recording::{EventMark, Recording};
use super::settings::{check_step_count, penalty_factors, positive};
use crate::assembly::far_from_guesses;
use crate::error::{Error, ErrorKind, Result};
use crate::formulation::Elimination;
use crate::hybrid::Options;
use crate::integrate::{Method, Statistics};
use crate::mechanism::{Choices, FormulationChoice, Mechanism};
use crate::scalar::shortest;
use crate::scene::compiled::{Optimization, View};
use crate::scene::schema::{self, FormulationKind, Integrator};
use crate::scene::{self, Compiled, Overrides};

/// Absolute tolerance over the sizes of the mechanism, where none is written.
const ATOL: f64 = 1e-11;

/// What a caller changes about a scene.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Parameters by name.
    pub parameters: Vec<(String, f64)>,
    /// Load case of the optimization.
    pub case: Option<String>,
    /// Formulation.
    pub formulation: Option<FormulationKind>,
    /// Relative tolerance.
    pub rtol: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// Whether `atol` is over the sizes of the mechanism, as the default one is.
    pub atol_over_sizes: bool,
    /// Simulated time.
    pub duration: Option<f64>,
    /// Most bytes that the recording of a motion may take for its gradient by the adjoint; unbounded when none.
    pub memory: Option<usize>,
    /// Whether the scene may name files outside its folder.
    pub allow_outside: bool,
    /// Ends simulations and recordings once it is set.
    pub interruption: Interruption,
}

/// A mechanism with the options of its simulation.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Name of the scene.
    pub name: String,
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
    /// Whether the absolute tolerance is over the sizes of the mechanism.
    pub(super) atol_over_sizes: bool,
    /// Intervals of a recording.
    pub samples: u32,
    /// What is to be made better, if the scene says so.
    pub optimization: Option<Optimization>,
    /// What pictures show.
    pub view: View,
    /// Parameters that nothing uses.
    pub unused_parameters: Vec<String>,
    /// What the experiment was prepared from, so that it can be prepared again with other values.
    recipe: (Arc<scene::SceneFile>, Changes),
    /// Names of the objectives that are wanted; all when none.
    wanted: Option<Arc<[String]>>,
}

/// Largest constraint residuals over a run, over the length of their Jacobian row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ConstraintResiduals {
    /// Metres or radians.
    pub position: f64,
    /// Per second.
    pub velocity: f64,
}

/// Where the energy of a mechanism comes from and goes to (J).
#[derive(Clone, Debug, PartialEq)]
pub struct EnergyBalance {
    /// Work of each force beyond what it stores, and of each driver: positive into the mechanism.
    pub work: Vec<(String, f64)>,
    /// Change of the energy by the events of each name: impacts, switches.
    pub events: Vec<(String, f64)>,
    /// Change of the energy that nothing accounts for.
    pub missing: f64,
    /// What it may amount to by the tolerance.
    pub tolerance: f64,
}

/// Everything a run has to report.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the scene.
    pub scene: String,
    /// Time at the end.
    pub t_end: f64,
    /// Events in order.
    pub events: Vec<EventMark>,
    /// Outputs at the end, by name.
    pub outputs: Vec<(String, f64)>,
    /// Objectives, by name.
    pub objectives: Vec<(String, f64)>,
    /// Largest residuals.
    pub residuals: ConstraintResiduals,
    /// Total energy at the start and at the end.
    pub energy: (f64, f64),
    /// Where it came from and went to, where that was asked for.
    pub balance: Option<EnergyBalance>,
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
        Self::new(&scene::read_with(path, changes.allow_outside)?, changes)
    }

    /// Prepares a scene.
    ///
    /// # Errors
    /// Whatever is wrong with the scene or the changes.
    pub fn new(file: &scene::SceneFile, changes: &Changes) -> Result<Self> {
        Self::prepare(Arc::new(file.clone()), changes.clone())
    }

    /// The same scene with another value of a parameter; parameters written as expressions of it follow. Whatever was
    /// changed in this experiment after it was prepared is not carried over, but for which objectives are wanted.
    ///
    /// # Errors
    /// As [`Experiment::new`]: the value may lie outside the bounds or have no meaning.
    pub fn with_parameter(&self, name: &str, value: f64) -> Result<Self> {
        self.with_parameters(&[(name.to_string(), value)])
    }

    /// The same scene with other values of several parameters, as [`Experiment::with_parameter`].
    ///
    /// # Errors
    /// As [`Experiment::with_parameter`].
    pub fn with_parameters(&self, values: &[(String, f64)]) -> Result<Self> {
        let (file, mut changes) = self.recipe.clone();
        let replaced = |name: &String| values.iter().any(|(other, _)| other == name);
        changes.parameters.retain(|(name, _)| !replaced(name));
        changes.parameters.extend_from_slice(values);
        self.again(file, changes)
    }

    /// Leaves out all objectives but the wanted ones, here and in all that is prepared from it: each costs a costate. Those that
    /// formulas of the wanted ones name stay, and by the adjoint have no gradient of their own.
    pub fn want_objectives(&mut self, wanted: impl Fn(&str) -> bool) {
        let known = self.mechanism.model.objectives.iter();
        let names = known.map(|objective| objective.name.clone());
        self.wanted = Some(names.filter(|name| wanted(name)).collect());
        self.mechanism.want_objectives(wanted);
    }

    /// The scene prepared again, with the same objectives.
    fn again(&self, file: Arc<scene::SceneFile>, changes: Changes) -> Result<Self> {
        let mut again = Self::prepare(file, changes)?;
        if let Some(names) = &self.wanted {
            again.want_objectives(|name| names.iter().any(|wanted| wanted == name));
        }
        Ok(again)
    }

    /// The same scene with these changes and no others, and with all objectives.
    ///
    /// # Errors
    /// As [`Experiment::new`].
    pub fn changed(&self, changes: Changes) -> Result<Self> {
        Self::prepare(self.recipe.0.clone(), changes)
    }

    /// The same scene in a load case of its optimization, or as it is, with other values of several parameters.
    ///
    /// # Errors
    /// As [`Experiment::with_parameter`].
    pub fn in_case(&self, case: Option<&str>, values: &[(String, f64)]) -> Result<Self> {
        let mut own = self.clone();
        own.recipe.1.case = case.map(str::to_string);
        own.with_parameters(values)
    }

    /// The scene and what was changed about it.
    pub fn recipe(&self) -> (&scene::SceneFile, &Changes) {
        (&self.recipe.0, &self.recipe.1)
    }

    /// The files that it was read from.
    pub fn inputs(&self) -> Vec<PathBuf> {
        scene::inputs(&self.recipe.0)
    }

    /// The text of the scene.
    pub fn source(&self) -> &str {
        &self.recipe.0.source.text
    }

    /// The same experiment, to be ended by a flag, with all that is prepared from it.
    pub fn interruptible(mut self, interruption: &Interruption) -> Self {
        self.recipe.1.interruption = interruption.clone();
        self
    }

    /// The flag that ends its simulations.
    pub fn interruption(&self) -> &Interruption {
        &self.recipe.1.interruption
    }

    /// The same scene with other relative and absolute tolerances per step, as [`Experiment::with_parameter`].
    ///
    /// # Errors
    /// As [`Experiment::new`].
    pub fn with_tolerances(&self, rtol: f64, atol: f64) -> Result<Self> {
        let (file, mut changes) = self.recipe.clone();
        (changes.rtol, changes.atol) = (Some(rtol), Some(atol));
        changes.atol_over_sizes = self.atol_over_sizes;
        self.again(file, changes)
    }

    pub(super) fn prepare(file: Arc<scene::SceneFile>, changes: Changes) -> Result<Self> {
        let overrides = Overrides {
            parameters: changes.parameters.clone(),
            case: changes.case.clone(),
        };
        let file = scene::recounted(&file, &changes.parameters, changes.allow_outside)?;
        let compiled = scene::compile(&file, &overrides)?;
        Self::from_compiled(compiled, (file.clone(), changes)).map_err(|error| file.located(error))
    }

    fn from_compiled(compiled: Compiled, recipe: (Arc<scene::SceneFile>, Changes)) -> Result<Self> {
        let (changes, mut model, settings) = (&recipe.1, compiled.model, compiled.simulation);
        if model.nq() == 0 {
            let message = "the scene has nothing that could move: no points and no bodies";
            return Err(Error::new(ErrorKind::Request, message).advise("write some in `points` or `bodies`"));
        }
        let written = changes.atol.or(settings.atol);
        let atol_over_sizes = written.is_none() || changes.atol_over_sizes;
        let atol = positive("atol", written.unwrap_or(ATOL))?;
        let rtol = positive("rtol", changes.rtol.unwrap_or(settings.rtol))?;
        let start = model.numbers[settings.start].value;
        let duration = positive(
            "duration",
            changes.duration.unwrap_or(model.numbers[settings.duration].value),
        )?;
        refuse_outside(&model, start, start + duration)?;
        model.refuse_jumps(start, start + duration)?;
        if let Some(q) = far_from_guesses(&model, start) {
            model.measure_at(&q);
        }
        let formulation = match changes.formulation.unwrap_or(settings.formulation) {
            FormulationKind::Nullspace => FormulationChoice::Nullspace,
            FormulationKind::Multipliers => FormulationChoice::Multipliers,
            FormulationKind::Stabilized => FormulationChoice::Stabilized,
            FormulationKind::Index3 => FormulationChoice::Index3,
            FormulationKind::Penalty => FormulationChoice::Penalty(penalty_factors(&settings.penalty, &model, start)?),
        };
        let choices = Choices {
            formulation,
            by: match settings.by {
                schema::Elimination::Auto => Elimination::Auto,
                schema::Elimination::Qr => Elimination::Qr,
                schema::Elimination::Blocks => Elimination::Blocks,
            },
            projection: settings.projection,
            rest_speed: settings.rest_speed,
            atol,
            rtol,
        };
        let mechanism = Mechanism::new(model, choices).sized(start, duration, atol_over_sizes);
        let tolerance = mechanism.tolerance(rtol, &[])?;
        let options = Options {
            end: start + duration,
            tolerance,
            method: match settings.integrator {
                Integrator::DormandPrince => Method::DormandPrince,
                Integrator::Radau => Method::Radau,
                Integrator::Trapezoidal => Method::Trapezoidal,
            },
            max_step: settings.max_step.unwrap_or(f64::INFINITY),
            max_steps: settings.max_steps,
        };
        check_step_count(&options, duration)?;
        Ok(Self {
            name: recipe.0.scene.name.clone(),
            mechanism,
            start,
            start_number: settings.start,
            duration_number: changes.duration.is_none().then_some(settings.duration),
            options,
            memory: changes.memory,
            samples: settings.samples,
            atol_over_sizes,
            optimization: compiled.optimization,
            view: compiled.view,
            unused_parameters: compiled.unused_parameters,
            recipe,
            wanted: None,
        })
    }

    /// Simulates and reports; with a recording of outputs, energy and events over time when asked for.
    ///
    /// `progress` is told the simulated time after each step.
    ///
    /// # Errors
    /// Whatever ends the simulation.
    pub fn run(&self, record: bool, progress: &mut dyn FnMut(f64)) -> Result<(Report, Option<Recording>)> {
        self.simulate(record, &mut (), progress)
            .map_err(|error| self.located(error))
    }

    /// A time that `option` gives, which must lie in the simulated time.
    ///
    /// # Errors
    /// Kind `Request` when it does not.
    pub fn moment(&self, option: &str, t: f64) -> Result<f64> {
        let (start, end) = (self.start, self.options.end);
        if (start..=end).contains(&t) {
            return Ok(t);
        }
        let message = format!("t = {} s is outside the simulated time", shortest(t));
        let advice = format!("give {option} a time from {} to {} s", shortest(start), shortest(end));
        Err(Error::new(ErrorKind::Request, message).advise(advice))
    }

    /// What is to be said of files that the scene was read from.
    pub fn file_remarks(&self) -> &[String] {
        self.recipe.0.remarks()
    }

    /// The same error with the place of the element that it names, unless it has a place.
    pub fn located(&self, error: Error) -> Error {
        self.recipe.0.located(error)
    }
}
