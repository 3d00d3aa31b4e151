//! The JSON object of the `gradient` command.

use serde_json::{Map, Value, json};

use super::{Findings, method_name};
use crate::run::{
    Certificate, Differences, End, Entry, Estimate, EventMark, GradientReport, Hessian, HessianReport, Margins,
    NoInfluence, Quantity, StepStudy, TOLERANCE_RULE,
};

pub(super) fn object(findings: &Findings) -> Value {
    let report = &findings.report;
    let mut object = json!({
        "scene": report.scene,
        "method": method_name(report.method),
        "parameters": report.parameters,
        "objectives": objectives(report),
        "no_influence": no_influence(&findings.no_influence),
        "events": events(report),
        "statistics": {
            "steps": report.forward.accepted,
            "rhs_evaluations": report.forward.evaluations,
            "backward_steps": report.backward.accepted,
            "backward_evaluations": report.backward.evaluations,
            "recording_bytes": report.recording_bytes,
            "seconds": report.seconds,
        },
    });
    if let Value::Object(map) = &mut object {
        if let Some(differences) = &report.differences {
            map.insert("errors".to_string(), errors(differences));
        }
        if let Some(found) = &findings.certificate {
            map.insert("certificate".to_string(), certificate(found));
        }
        if let Some(found) = &findings.hessian {
            map.insert("hessian".to_string(), hessian(found));
        }
    }
    object
}

/// By objective, parameter and parameter; objectives without second derivatives with the reason.
fn hessian(found: &HessianReport) -> Value {
    let named = |values: &[f64]| -> Map<String, Value> {
        let names = found.parameters.iter().cloned();
        names.zip(values.iter().map(|value| json!(value))).collect()
    };
    let of = |hessian: &Hessian| {
        let rows = hessian.rows.iter().map(|row| Value::Object(named(row)));
        let rows: Map<String, Value> = found.parameters.iter().cloned().zip(rows).collect();
        (hessian.objective.clone(), Value::Object(rows))
    };
    let missing = found.missing.iter().map(|(name, reason)| (name.clone(), json!(reason)));
    json!({
        "objectives": found.objectives.iter().map(of).collect::<Map<_, _>>(),
        "missing": missing.collect::<Map<_, _>>(),
        "simulations": found.simulations,
        "seconds": found.seconds,
    })
}

fn by_parameter(report: &GradientReport, values: &[f64]) -> Map<String, Value> {
    let names = report.parameters.iter().cloned();
    names.zip(values.iter().map(|value| json!(value))).collect()
}

fn objectives(report: &GradientReport) -> Map<String, Value> {
    let entry = |objective: &crate::run::ObjectiveGradient| {
        let gradient = by_parameter(report, &objective.gradient);
        (
            objective.name.clone(),
            json!({"value": objective.value, "gradient": gradient}),
        )
    };
    report.objectives.iter().map(entry).collect()
}

fn events(report: &GradientReport) -> Vec<Value> {
    let entry = |(event, slopes): &(EventMark, Option<Vec<f64>>)| {
        let mut entry = described(event);
        if let (Some(slopes), Value::Object(map)) = (slopes, &mut entry) {
            map.insert("gradient".to_string(), Value::Object(by_parameter(report, slopes)));
        }
        entry
    };
    report.events.iter().map(entry).collect()
}

fn described(event: &EventMark) -> Value {
    json!({"t": event.t, "name": event.name, "kind": event.kind})
}

fn no_influence(claims: &[NoInfluence]) -> Map<String, Value> {
    let mut objectives = Map::new();
    for claim in claims {
        let parameters = objectives.entry(claim.objective.clone()).or_insert_with(|| json!({}));
        if let Value::Object(map) = parameters {
            map.insert(claim.parameter.clone(), json!(claim.reason));
        }
    }
    objectives
}

/// By objective and parameter: the error that a difference quotient states, and its step.
fn errors(differences: &Differences) -> Value {
    let entry = |(k, (name, _)): (usize, &(String, f64))| {
        let studies = differences.studies.iter();
        let of = |study: &StepStudy| {
            let estimate = study.estimates[k];
            (study.parameter.clone(), json!(estimate.map(|found| found.error)))
        };
        (name.clone(), Value::Object(studies.map(of).collect()))
    };
    Value::Object(differences.objectives.iter().enumerate().map(entry).collect())
}

fn certificate(certificate: &Certificate) -> Value {
    let studies = certificate.differences.studies.iter();
    json!({
        "verdict": certificate.verdict.words(),
        "rtol": certificate.rtol,
        "difference_rtol": certificate.differences.rtol,
        "tolerance_rule": TOLERANCE_RULE,
        "entries": certificate.entries.iter().map(entry).collect::<Vec<_>>(),
        "step_studies": studies.map(study).collect::<Map<_, _>>(),
        "margins": margins(&certificate.margins),
    })
}

fn entry(entry: &Entry) -> Value {
    let mut object = match &entry.quantity {
        Quantity::Objective(name) => json!({"objective": name}),
        Quantity::EventTime(index, event) => json!({"event": index, "name": event.name, "t": event.t}),
    };
    let difference = |found: Estimate| json!({"value": found.value, "error": found.error, "step": found.step});
    let rest = json!({
        "parameter": entry.parameter,
        "adjoint": entry.adjoint,
        "forward": entry.forward,
        "difference": entry.difference.map(difference),
        "tolerance": entry.tolerance,
        "verdict": entry.verdict.words(),
        "reason": entry.reason,
    });
    if let (Value::Object(map), Value::Object(rest)) = (&mut object, rest) {
        map.extend(rest);
    }
    object
}

fn study(study: &StepStudy) -> (String, Value) {
    let steps = study.steps.iter();
    let steps: Vec<Value> = steps
        .map(|step| json!({"step": step.size, "below": end(&step.below), "above": end(&step.above)}))
        .collect();
    let value = json!({"value": study.value, "size": study.size, "steps": steps});
    (study.parameter.clone(), value)
}

/// `same`, the other sequence of events, or why the run failed.
fn end(end: &End) -> Value {
    match end {
        End::Same => json!("same events"),
        End::Changed(events) => json!({"events": events.iter().map(described).collect::<Vec<_>>()}),
        End::Failed(reason) => json!({"failed": reason}),
    }
}

fn margins(margins: &Margins) -> Value {
    let grazing = margins.grazing.as_ref();
    let closest = margins.closest_events.as_ref();
    let misses = margins.near_misses.iter();
    json!({
        "grazing": grazing.map(|found| json!({"name": found.name, "t": found.t, "speed": found.speed})),
        "near_misses": misses
            .map(|miss| json!({"name": miss.name, "kind": miss.kind, "t": miss.t, "clearance": miss.clearance}))
            .collect::<Vec<_>>(),
        "closest_events": closest.map(|found| {
            json!({"first": found.first, "second": found.second, "t": found.t, "seconds": found.seconds})
        }),
    })
}
