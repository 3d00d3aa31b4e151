//! The `check` command.

use serde_json::{Map, Value, json};

use super::arguments::CheckArguments;
use super::print::{fixed, line, print_json};
use crate::analysis::{Structure, structure};
use crate::error::Result;
use crate::run::Experiment;

pub(super) fn check(arguments: &CheckArguments) -> Result<()> {
    let common = &arguments.common;
    let experiment = Experiment::open(&common.scene, &common.changes())?;
    // Starting settles the contacts too: a penetration shows here already.
    let mut workspace = crate::hybrid::HybridSystem::workspace(&experiment.mechanism);
    let started = experiment.mechanism.start(experiment.start, &mut workspace);
    let started = started.map_err(|error| experiment.located(error))?;
    let found = structure(&experiment.mechanism.model, experiment.start).map_err(|error| experiment.located(error))?;
    let mut remarks = started.remarks;
    remarks.extend(experiment.unused_parameters_remark());
    if !common.quiet {
        for remark in &remarks {
            eprintln!("remark: {remark}");
        }
    }
    if common.json {
        return print_json(&to_json(&experiment, &found, &remarks));
    }
    if !common.quiet {
        print(&experiment, &found)?;
    }
    Ok(())
}

fn to_json(experiment: &Experiment, found: &Structure, remarks: &[String]) -> Value {
    let redundant: Vec<Value> = found
        .redundant
        .iter()
        .map(|(name, rows)| json!({"joint": name, "rows": rows}))
        .collect();
    let touches: Map<String, Value> = found
        .touches
        .iter()
        .map(|(name, list)| (name.clone(), json!(list)))
        .collect();
    let initial: Map<String, Value> = found
        .initial
        .iter()
        .map(|(name, q, v)| (name.clone(), json!({"position": q, "velocity": v})))
        .collect();
    json!({
        "scene": experiment.name,
        "coordinates": found.coordinates,
        "constraints": found.constraints,
        "degrees_of_freedom": found.degrees_of_freedom,
        "redundant": redundant,
        "assembly_residual": found.assembly_residual,
        "initial": initial,
        "touches": touches,
        "unused_parameters": experiment.unused_parameters,
        "remarks": remarks,
    })
}

fn print(experiment: &Experiment, found: &Structure) -> Result<()> {
    line(&experiment.name)?;
    line(&format!(
        "  {} coordinates, {} constraint equations, {} degree{} of freedom",
        found.coordinates,
        found.constraints,
        found.degrees_of_freedom,
        if found.degrees_of_freedom == 1 { "" } else { "s" }
    ))?;
    if found.redundant.is_empty() {
        line("  no redundant constraints")?;
    } else {
        line("  redundant constraints (the motion is unique, the reactions of these joints are not):")?;
        for (name, rows) in &found.redundant {
            line(&format!("    {name}: {rows}"))?;
        }
    }
    line(&format!(
        "  assembled with a residual of {:.2e}",
        found.assembly_residual
    ))?;
    line("  initial coordinates:")?;
    for (name, q, v) in &found.initial {
        line(&format!(
            "    {name:<24} {:>16}   velocity {:>16}",
            fixed(*q, 8),
            fixed(*v, 8)
        ))?;
    }
    if !found.touches.is_empty() {
        line("  parameters and the numbers they touch:")?;
    }
    for (name, list) in &found.touches {
        let touched = if list.is_empty() {
            "nothing".to_string()
        } else {
            list.join(", ")
        };
        line(&format!("    {name:<16} {touched}"))?;
    }
    Ok(())
}
