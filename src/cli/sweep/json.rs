//! The JSON object of the `sweep` command.

use serde_json::{Map, Value, json};

use super::Findings;
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
    let mut entry = json!({"index": row.index, "parameters": by_name(&parameters, &row.parameters)});
    let found = match &row.outcome {
        Outcome::Failed(failure) => json!({"status": row.outcome.status(), "reason": failure.reason}),
        Outcome::Done(values) => {
            let mut found = json!({
                "status": "ok",
                "events": values.events,
                "objectives": by_name(&objectives, &values.objectives),
            });
            if findings.sweep.gradient {
                let rows = objectives.iter().zip(values.gradient.chunks(parameters.len()));
                let gradient: Map<String, Value> = rows
                    .map(|(name, row)| (name.clone(), Value::Object(by_name(&parameters, row))))
                    .collect();
                found["gradient"] = Value::Object(gradient);
            }
            found
        }
    };
    if let (Some(entry), Value::Object(found)) = (entry.as_object_mut(), found) {
        entry.extend(found);
    }
    entry
}

fn by_name(names: &[String], values: &[f64]) -> Map<String, Value> {
    names
        .iter()
        .cloned()
        .zip(values.iter().map(|value| json!(value)))
        .collect()
}
