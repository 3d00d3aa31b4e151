//! An optimization with what is said of its result.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::design::SceneDesign;
use super::fit_report::FitReport;
use super::multistart::MultistartReport;
use super::optimized_scene::goal;
use super::point::Failure;
use super::report::{Report, Status, reasons};
use super::search::Found;
use crate::error;
use crate::error::{Error, ErrorKind};
use crate::run::{ByName, Experiment, Interruption};
use crate::scene::compiled::Optimization;

/// An optimization of a scene with its result.
#[derive(Debug)]
pub struct Optimized {
    /// The scene as it was, which nothing interrupts.
    pub experiment: Experiment,
    /// What was made better.
    pub optimization: Optimization,
    /// What was found.
    pub found: Found,
    /// What measured data say at the best point, if they are the goal, or why they say nothing.
    pub fit: Option<error::Result<FitReport>>,
    /// Values of the goal in the load cases at the best point.
    pub cases: Vec<(String, f64)>,
}

impl Optimized {
    /// Adds to what was found what data and load cases say of it, whatever ended the search.
    pub fn new(experiment: Experiment, optimization: Optimization, found: Found) -> Self {
        let experiment = experiment.interruptible(&Interruption::default());
        let (design, best) = (
            SceneDesign::new(&experiment, &optimization),
            &found.report.best.parameters,
        );
        let (fit, cases) = (
            design.fit_report(best).transpose(),
            design.goals_by_case(best).unwrap_or_default(),
        );
        Self {
            fit,
            cases,
            experiment,
            optimization,
            found,
        }
    }

    /// Why all of it ended.
    pub fn status(&self) -> Status {
        self.found.status()
    }
}

impl Experiment {
    /// What the scene says about its optimization.
    ///
    /// # Errors
    /// Kind `Request` where it says nothing.
    pub fn wanted_optimization(&self) -> error::Result<&Optimization> {
        self.optimization.as_ref().ok_or_else(|| {
            Error::new(ErrorKind::Request, "the scene does not say what to optimize")
                .named("optimization")
                .advise("add `optimization: (minimize: \"objective\", over: [\"parameter\", ..])` to the scene")
        })
    }
}

/// As the `optimize` command writes it with `--json`.
impl Serialize for Optimized {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let found = &self.found;
        let report = &found.report;
        let starts = found.starts.as_ref();
        let object = json!({
            "scene": self.experiment.name,
            "objective": goal(&self.optimization),
            "solver": report.solver,
            "status": self.status().words(),
            "initial": named(self, &report.initial),
            "final": named(self, &report.best),
            "constraints": constraints(report),
            "cases": self.cases.iter().map(|(case, value)| (case.clone(), json!(value))).collect::<Map<_, _>>(),
            "projected_gradient": report.gradient,
            "iterations": report.history.len() - 1,
            "simulations": found.total(|report| report.simulations),
            "gradients": found.total(|report| report.gradients),
            "evaluations": found.total(|report| report.evaluations),
            "restarts": report.restarts,
            "recalled": found.recalled,
            "failures": failures(self, &report.failures),
            "history": report.history.iter().map(|iteration| named(self, iteration)).collect::<Vec<_>>(),
            "fit": self.fit.as_ref().and_then(|found| found.as_ref().ok()),
            "starts": starts.map_or_else(|| json!([]), |all| all_starts(self, all)),
            "failed_starts": failures(self, starts.map_or(&[], |all| &all.failures)),
            "statistics": {"seconds": starts.map_or(report.seconds, |all| all.seconds)},
        });
        object.serialize(serializer)
    }
}

/// Points without a value, by the sort of reason.
fn failures(optimized: &Optimized, failures: &[Failure]) -> Value {
    let entry = |(first, count): (&Failure, usize)| {
        let object = json!({
            "count": count,
            "reason": first.error.to_string(),
            "name": first.error.name(),
            "iteration": first.iteration,
            "parameters": first.parameters,
        });
        named(optimized, object)
    };
    reasons(failures).into_iter().map(entry).collect()
}

/// An object with its parameters by name.
fn named(optimized: &Optimized, object: impl Serialize) -> Value {
    let (mut object, names) = (json!(object), &optimized.found.report.variables);
    let parameters = object["parameters"].as_array().cloned().unwrap_or_default();
    object["parameters"] = json!(ByName(names, &parameters));
    object
}

/// The objectives with limits, by name.
fn constraints(report: &Report) -> Map<String, Value> {
    let limits = report.limits.iter();
    limits.map(|(limit, value)| (limit.name(), json!(value))).collect()
}

/// The starts in their order; `minimum` counts the distinct results from 1, the best first.
fn all_starts(optimized: &Optimized, starts: &MultistartReport) -> Value {
    let minima = starts.minimum_of_starts();
    let entry = |(k, run): (usize, &Report)| {
        json!({
            "minimum": minima[k],
            "status": run.status.words(),
            "initial": named(optimized, &run.initial),
            "final": named(optimized, &run.best),
            "constraints": constraints(run),
            "iterations": run.history.len() - 1,
            "simulations": run.simulations,
            "gradients": run.gradients,
            "failed": run.failures.len(),
        })
    };
    starts.runs.iter().enumerate().map(entry).collect()
}
