//! The JSON object of the `sweep` command.

use serde_json::{Value, json};

use super::Findings;
use crate::run::ByName;
use crate::sweep::{Outcome, Row};

pub(super) fn object(findings: &Findings) -> Value {
    let sweep = &findings.sweep;
    let failures = findings
        .failures()
        .into_iter()
        .map(|(first, failure, count)| {
 json!({"count": count, "status": first.outcome.status(), "reason": failure.reason, "index": first.index})
 });
    json!({
        "scene": sweep.experiment.name,
        "parameters": sweep.parameters(),
        "objectives": sweep.objectives(),
        "points": sweep.plan.count(),
        "rows": findings.rows.iter().map(|row| entry(findings, row)).collect::<Vec<_>>(),
        "failures": failures.collect::<Vec<_>>(),
        "statistics": {"kept": findings.kept, "simulated": findings.rows.len() - findings.kept, "seconds": findings.seconds},
    })
}

fn entry(findings: &Findings, row: &Row) -> Value {
    let (parameters, objectives) = (findings.sweep.parameters(), findings.sweep.objectives());
    let mut entry = json!({
        "index": row.index,
        "parameters": ByName(&parameters, &row.parameters),
        "status": row.outcome.status(),
    });
    match &row.outcome {
        Outcome::Failed(failure) => entry["reason"] = json!(failure.reason),
        Outcome::Done(values) => {
            entry["events"] = json!(values.events);
            entry["objectives"] = json!(ByName(&objectives, &values.objectives));
            if findings.sweep.gradient {
                let rows = values.gradient.chunks(parameters.len());
                let rows: Vec<_> = rows.map(|row| ByName(&parameters, row)).collect();
                entry["gradient"] = json!(ByName(&objectives, &rows));
            }
        }
    }
    entry
}
