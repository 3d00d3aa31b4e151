//! The `gradient` command.

use serde_json::{Map, Value, json};

use super::arguments::{GradientArguments, MethodArgument};
use super::print::{line, print_json};
use crate::error::Result;
use crate::run::{Changes, Experiment, GradientReport, Method};

pub(super) fn gradient(arguments: &GradientArguments) -> Result<()> {
    let common = &arguments.common;
    let changes = Changes {
        memory: arguments.memory,
        ..common.changes()
    };
    let experiment = Experiment::open(&common.scene, &changes)?;
    let method = match arguments.method {
        MethodArgument::Adjoint => Method::Adjoint,
        MethodArgument::Forward => Method::Forward,
        MethodArgument::FiniteDifference => Method::FiniteDifference,
    };
    let report = experiment.gradient(method)?;
    if common.json {
        return print_json(&to_json(&report));
    }
    if !common.quiet {
        print(&report)?;
    }
    Ok(())
}

fn method_name(method: Method) -> &'static str {
    match method {
        Method::Adjoint => "adjoint",
        Method::Forward => "forward",
        Method::FiniteDifference => "finite-difference",
    }
}

fn to_json(report: &GradientReport) -> Value {
    let by_parameter = |values: &[f64]| -> Map<String, Value> {
        report
            .parameters
            .iter()
            .zip(values)
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect()
    };
    let objectives: Map<String, Value> = report
        .objectives
        .iter()
        .map(|objective| {
            (
                objective.name.clone(),
                json!({"value": objective.value, "gradient": by_parameter(&objective.gradient)}),
            )
        })
        .collect();
    let events: Vec<Value> = report
        .events
        .iter()
        .map(|(event, slopes)| {
            let mut entry = json!({"t": event.t, "name": event.name, "kind": event.kind});
            if let (Some(slopes), Value::Object(map)) = (slopes, &mut entry) {
                map.insert("gradient".to_string(), Value::Object(by_parameter(slopes)));
            }
            entry
        })
        .collect();
    json!({
        "scene": report.scene,
        "method": method_name(report.method),
        "parameters": report.parameters,
        "objectives": objectives,
        "events": events,
        "statistics": {
            "steps": report.forward.accepted,
            "rhs_evaluations": report.forward.evaluations,
            "backward_steps": report.backward.accepted,
            "backward_evaluations": report.backward.evaluations,
            "recording_bytes": report.recording_bytes,
            "seconds": report.seconds,
        },
    })
}

fn print(report: &GradientReport) -> Result<()> {
    line(&format!(
        "{}: gradients by the {} method",
        report.scene,
        method_name(report.method)
    ))?;
    for objective in &report.objectives {
        line(&format!("  {} = {:.9}", objective.name, objective.value))?;
        for (name, value) in report.parameters.iter().zip(&objective.gradient) {
            line(&format!("    d/d {name:<20} {value:>18.9}"))?;
        }
    }
    line(&format!(
        "  {} right-hand sides forwards, {} backwards, {:.3} s",
        report.forward.evaluations, report.backward.evaluations, report.seconds
    ))
}
