//! The JSON object of the `optimize` command.

use serde_json::{Map, Value, json};

use super::{Findings, fit, starts};
use crate::optimize::{Failure, Iteration, MultistartReport, Report, Valued, goal, reasons};
use crate::run::ByName;

pub(super) fn object(findings: &Findings) -> Value {
    let found = &findings.found;
    let report = &found.report;
    let starts = found.starts.as_ref();
    json!({
        "scene": findings.experiment.name,
        "objective": goal(&findings.optimization),
        "solver": report.solver,
        "status": findings.status().words(),
        "initial": place(findings, &report.initial),
        "final": place(findings, &report.best),
        "constraints": constraints(report),
        "projected_gradient": report.gradient,
        "iterations": report.history.len() - 1,
        "simulations": found.total(|report| report.simulations),
        "gradients": found.total(|report| report.gradients),
        "evaluations": found.total(|report| report.evaluations),
        "restarts": report.restarts,
        "recalled": found.recalled,
        "failures": failures(findings, &report.failures),
        "history": report.history.iter().map(|iteration| entry(findings, iteration)).collect::<Vec<_>>(),
        "fit": findings.fit.as_ref().and_then(|found| found.as_ref().ok()).map(fit::object),
        "starts": starts.map_or_else(|| json!([]), |all| all_starts(findings, all)),
        "failed_starts": failures(findings, starts.map_or(&[], |all| &all.failures)),
        "statistics": {"seconds": starts.map_or(report.seconds, |all| all.seconds)},
    })
}

/// Points without a value, by the sort of reason.
fn failures(findings: &Findings, failures: &[Failure]) -> Value {
    let entry = |(first, count): (&Failure, usize)| {
        json!({
            "count": count,
            "reason": first.error.to_string(),
            "name": first.error.name(),
            "iteration": first.iteration,
            "parameters": by_name(findings, &first.parameters),
        })
    };
    reasons(failures).into_iter().map(entry).collect()
}

fn by_name<'a>(findings: &'a Findings, parameters: &'a [f64]) -> ByName<'a, f64> {
    ByName(&findings.found.report.variables, parameters)
}

/// The objectives with limits, by name.
fn constraints(report: &Report) -> Map<String, Value> {
    let limits = report.limits.iter();
    limits
        .map(|(limit, value)| (limit.objective.clone(), json!(value)))
        .collect()
}

fn place(findings: &Findings, place: &Valued) -> Value {
    json!({"value": place.value, "parameters": by_name(findings, &place.parameters)})
}

fn entry(findings: &Findings, iteration: &Iteration) -> Value {
    json!({
        "iteration": iteration.number,
        "value": iteration.value,
        "violation": iteration.violation,
        "projected_gradient": iteration.gradient,
        "step": iteration.step,
        "parameters": by_name(findings, &iteration.parameters),
        "simulations": iteration.simulations,
        "failed": iteration.failed,
        "events_changed": iteration.events_changed,
    })
}

/// The starts in their order; `minimum` counts the distinct results from 1, the best first.
fn all_starts(findings: &Findings, starts: &MultistartReport) -> Value {
    let minima = starts::minimum_of(starts);
    let entry = |(k, run): (usize, &Report)| {
        json!({
            "minimum": minima[k],
            "status": run.status.words(),
            "initial": place(findings, &run.initial),
            "final": place(findings, &run.best),
            "constraints": constraints(run),
            "iterations": run.history.len() - 1,
            "simulations": run.simulations,
            "gradients": run.gradients,
            "failed": run.failures.len(),
        })
    };
    starts.runs.iter().enumerate().map(entry).collect()
}
