//! The JSON object of the `optimize` command.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{Findings, starts};
use crate::optimize::{Failure, MultistartReport, Report, goal, reasons};
use crate::run::ByName;

impl Serialize for Findings {
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
fn failures(findings: &Findings, failures: &[Failure]) -> Value {
    let entry = |(first, count): (&Failure, usize)| {
        let object = json!({
            "count": count,
            "reason": first.error.to_string(),
            "name": first.error.name(),
            "iteration": first.iteration,
            "parameters": first.parameters,
        });
        named(findings, object)
    };
    reasons(failures).into_iter().map(entry).collect()
}

/// An object with its parameters by name.
fn named(findings: &Findings, object: impl Serialize) -> Value {
    let (mut object, names) = (json!(object), &findings.found.report.variables);
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
fn all_starts(findings: &Findings, starts: &MultistartReport) -> Value {
    let minima = starts::minimum_of(starts);
    let entry = |(k, run): (usize, &Report)| {
        json!({
            "minimum": minima[k],
            "status": run.status.words(),
            "initial": named(findings, &run.initial),
            "final": named(findings, &run.best),
            "constraints": constraints(run),
            "iterations": run.history.len() - 1,
            "simulations": run.simulations,
            "gradients": run.gradients,
            "failed": run.failures.len(),
        })
    };
    starts.runs.iter().enumerate().map(entry).collect()
}
