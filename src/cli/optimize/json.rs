//! The JSON object of the `optimize` command.

use serde_json::{Map, Value, json};

use super::{Findings, fit, goal, solver_name};
use crate::optimize::{Iteration, Place};

pub(super) fn object(findings: &Findings) -> Value {
    let report = &findings.report;
    let constraints: Map<String, Value> = report
        .limits
        .iter()
        .map(|(limit, value)| (limit.objective.clone(), json!(value)))
        .collect();
    let failures = report.reasons().into_iter().map(|(first, count)| {
        json!({
            "count": count,
            "reason": first.error.to_string(),
            "name": first.error.name(),
            "iteration": first.iteration,
            "parameters": by_name(findings, &first.parameters),
        })
    });
    json!({
        "scene": findings.experiment.name,
        "objective": goal(&findings.optimization),
        "solver": solver_name(report.solver),
        "status": report.status.words(),
        "initial": place(findings, &report.initial),
        "final": place(findings, &report.best),
        "constraints": constraints,
        "projected_gradient": report.gradient,
        "iterations": report.history.len() - 1,
        "simulations": report.simulations,
        "gradients": report.gradients,
        "evaluations": report.evaluations,
        "restarts": report.restarts,
        "failures": failures.collect::<Vec<_>>(),
        "history": report.history.iter().map(|iteration| entry(findings, iteration)).collect::<Vec<_>>(),
        "fit": findings.fit.as_ref().and_then(|found| found.as_ref().ok()).map(fit::object),
        "statistics": {"seconds": report.seconds},
    })
}

fn by_name(findings: &Findings, parameters: &[f64]) -> Map<String, Value> {
    let names = findings.report.variables.iter().cloned();
    names.zip(parameters.iter().map(|value| json!(value))).collect()
}

fn place(findings: &Findings, place: &Place) -> Value {
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
