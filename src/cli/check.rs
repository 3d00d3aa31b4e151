//! The `check` command.

use std::collections::HashSet;

use serde::{Serialize, Serializer};
use serde_json::json;

use super::arguments::CheckArguments;
use super::families::gathered;
use super::print::{fixed, say};
use crate::analysis::{Structure, structure};
use crate::error::Result;
use crate::run::{Experiment, Undetermined};

pub(super) fn check(arguments: &CheckArguments) -> Result<()> {
    let common = &arguments.common;
    let experiment = Experiment::open(&common.scene, &common.changes_within(&arguments.limit))?;
    // Starting settles the contacts too: a penetration shows here already.
    let mut workspace = crate::hybrid::HybridSystem::workspace(&experiment.mechanism);
    let started = experiment.mechanism.start(experiment.start, &mut workspace);
    let started = started.map_err(|error| experiment.located(error))?;
    let on_time = || experiment.interruption().check(experiment.start);
    on_time()?;
    let found = structure(&experiment.mechanism.model, experiment.start).map_err(|error| experiment.located(error))?;
    let mut remarks = started.remarks.clone();
    remarks.extend(experiment.unused_parameters_remark());
    common.remark(&remarks);
    on_time()?;
    let undetermined = experiment.undetermined_at_start(&started);
    on_time()?;
    let findings = Findings {
        scene: &experiment.name,
        structure: &found,
        undetermined: &undetermined,
        unused_parameters: &experiment.unused_parameters,
        remarks: &remarks,
    };
    common.show(&findings, || {
        print(&experiment, &found)?;
        print_undetermined(&undetermined)
    })
}

/// Everything that the command shows.
#[derive(Serialize)]
struct Findings<'a> {
    scene: &'a str,
    #[serde(flatten)]
    structure: &'a Structure,
    #[serde(serialize_with = "each_undetermined")]
    undetermined: &'a [Undetermined],
    unused_parameters: &'a [String],
    remarks: &'a [String],
}

fn each_undetermined<S: Serializer>(found: &[Undetermined], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let entry = |found: &Undetermined| {
        json!({
            "parameter": found.name,
            "joints": found.joints,
            "held": found.held,
            "held_velocities": found.held_velocities,
        })
    };
    serializer.collect_seq(found.iter().map(entry))
}

fn print(experiment: &Experiment, found: &Structure) -> Result<()> {
    say!("{}", experiment.name)?;
    let freedom = if found.degrees_of_freedom == 1 {
        "degree"
    } else {
        "degrees"
    };
    let (coordinates, rows, free) = (found.coordinates, found.constraints, found.degrees_of_freedom);
    say!("  {coordinates} coordinates, {rows} constraint equations, {free} {freedom} of freedom")?;
    if found.redundant.is_empty() {
        say!("  no redundant constraints")?;
    } else {
        say!("  redundant constraints (the motion is unique, the reactions of these joints are not):")?;
        for (name, rows) in &found.redundant {
            say!("    {name}: {rows}")?;
        }
    }
    say!("  assembled with a residual of {:.2e}", found.assembly_residual)?;
    say!("  initial coordinates:")?;
    let initial = found.initial.iter().map(|(name, q, v)| (name.as_str(), (*q, *v)));
    for (name, values) in gathered(initial) {
        let (q, v) = (
            span(values.iter().map(|(q, _)| *q)),
            span(values.iter().map(|(_, v)| *v)),
        );
        say!("    {name:<24} {q:>16}   velocity {v:>16}")?;
    }
    if !found.touches.is_empty() {
        say!("  parameters and the numbers they touch:")?;
    }
    for (name, lists) in gathered(found.touches.iter().map(|(name, list)| (name.as_str(), list))) {
        let mut seen = HashSet::new();
        let names = lists.iter().flat_map(|list| list.iter());
        let touched = gathered(names.filter(|name| seen.insert(*name)).map(|name| (name.as_str(), ())));
        let touched: Vec<String> = touched.into_iter().map(|(name, _)| name).collect();
        let touched = if touched.is_empty() {
            "nothing".to_string()
        } else {
            touched.join(", ")
        };
        say!("    {name:<16} {touched}")?;
    }
    Ok(())
}

/// The only value, or the least and the greatest.
fn span(values: impl Iterator<Item = f64> + Clone) -> String {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let greatest = values.fold(f64::NEG_INFINITY, f64::max);
    let (least, greatest) = (fixed(least, 8), fixed(greatest, 8));
    if least == greatest {
        least
    } else {
        format!("{least} to {greatest}")
    }
}

fn print_undetermined(undetermined: &[Undetermined]) -> Result<()> {
    if !undetermined.is_empty() {
        say!("  parameters by which nothing has a derivative:")?;
    }
    for found in undetermined {
        say!("    {:<16} {}", found.name, found.reason())?;
    }
    Ok(())
}
