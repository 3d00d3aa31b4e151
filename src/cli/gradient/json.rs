//! The JSON object of the `gradient` command.

use serde_json::{Map, Value, json};

use super::Findings;
use crate::run::{ByName, Differences, GradientReport, Pairs};

pub(super) fn object(findings: &Findings) -> Value {
    let report = &findings.report;
    let mut no_influence = json!({});
    for claim in &findings.no_influence {
        no_influence[&claim.objective][&claim.parameter] = json!(claim.reason);
    }
    let undetermined: Vec<(String, String)> = report
        .undetermined
        .iter()
        .map(|found| (found.name.clone(), found.reason()))
        .collect();
    let mut object = json!({
        "scene": report.scene,
        "method": report.method,
        "parameters": report.parameters,
        "objectives": objectives(report),
        "no_influence": no_influence,
        "no_derivative": Pairs(&undetermined),
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
    if let Some(differences) = &report.differences {
        object["errors"] = errors(&report.parameters, differences);
    }
    if let Some(certificate) = &findings.certificate {
        object["certificate"] = json!(certificate);
    }
    if let Some(hessian) = &findings.hessian {
        object["hessian"] = json!(hessian);
    }
    object
}

fn objectives(report: &GradientReport) -> Map<String, Value> {
    let objectives = report.objectives.iter().map(|objective| {
        let gradient = ByName(&report.parameters, &objective.gradient);
        (
            objective.name.clone(),
            json!({"value": objective.value, "gradient": gradient}),
        )
    });
    objectives.collect()
}

fn events(report: &GradientReport) -> Vec<Value> {
    let events = report.events.iter().map(|(event, slopes)| {
        let mut entry = json!(event);
        if let Some(slopes) = slopes {
            entry["gradient"] = json!(ByName(&report.parameters, slopes));
        }
        entry
    });
    events.collect()
}

/// By objective and parameter: the error that a difference quotient states.
fn errors(parameters: &[String], differences: &Differences) -> Value {
    let errors = differences.objectives.iter().enumerate().map(|(k, (name, _))| {
        let studies = differences.studies.iter();
        let errors: Vec<Option<f64>> = studies.map(|study| Some(study.estimates[k]?.error)).collect();
        (name.clone(), json!(ByName(parameters, &errors)))
    });
    Value::Object(errors.collect())
}
