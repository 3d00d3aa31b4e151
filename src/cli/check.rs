//! The `check` command.

use std::collections::HashSet;

use super::arguments::CheckArguments;
use super::common::out_folder;
use super::families::gathered;
use super::print::{fixed, say};
use crate::analysis::Structure;
use crate::error::Result;
use crate::files::OutFolder;
use crate::hybrid::{At, HybridSystem};
use crate::linear::FactorPattern;
use crate::mechanism::Started;
use crate::output::{self, Drawing, Pattern};
use crate::run::{Experiment, Undetermined};

pub(super) fn check(arguments: &CheckArguments) -> Result<()> {
    let common = &arguments.common;
    let experiment = Experiment::open(&common.scene, &common.changes_within(&arguments.limit))?;
    let out = out_folder(arguments.out.as_deref(), &experiment)?;
    let found = experiment.check()?;
    common.remark(&found.remarks);
    let pictures = match out {
        Some(folder) => write_patterns(&experiment, &found.started, folder)?,
        None => 0,
    };
    common.show(&found, || {
        print(&experiment, &found.structure)?;
        print_undetermined(&found.undetermined)?;
        if let Some(folder) = &arguments.out {
            say!("  {pictures} files written to {}", folder.display())?;
        }
        Ok(())
    })
}

/// Pictures of K, and of L where the scene is eliminated by blocks; returns the number of files.
fn write_patterns(experiment: &Experiment, started: &Started, folder: OutFolder) -> Result<usize> {
    let mechanism = &experiment.mechanism;
    let (mut workspace, at) = (
        mechanism.workspace(),
        At::new(experiment.start, &started.mode, &started.x),
    );
    let saddle = mechanism.matrices(at, &mut workspace).saddle();
    let entries: Vec<(usize, usize)> = saddle.triplet_iter().map(|(i, j, _)| (i, j)).collect();
    let pattern = |title: &str, label: &str, groups| {
        let (title, label) = (format!("{title}: {}", experiment.name), label.to_string());
        let size = saddle.nrows();
        Drawing::Pattern(Pattern {
            title,
            label,
            size,
            groups,
        })
    };
    let label = "coordinates, then rows of C";
    let groups = vec![(format!("{} entries", entries.len()), entries.clone())];
    let mut drawings = vec![("saddle".to_string(), pattern("Saddle matrix K", label, groups))];
    if let Some(factor) = mechanism.factor_pattern(at, &mut workspace) {
        drawings.push(("factor".to_string(), {
            let groups = of_factor(&factor, &entries);
            pattern(
                "Factor L of the saddle matrix",
                "unknowns in the order of elimination",
                groups,
            )
        }));
    }
    Ok(output::write_files(&[], &drawings, &[], folder)?.len())
}

/// Entries of L that K has, too, and those that the elimination adds.
fn of_factor(factor: &FactorPattern, saddle: &[(usize, usize)]) -> Vec<(String, Vec<(usize, usize)>)> {
    let mut place = vec![0; factor.order.len()];
    for (k, &unknown) in factor.order.iter().enumerate() {
        place[unknown] = k;
    }
    let known: HashSet<_> = saddle.iter().map(|&(i, j)| (place[i], place[j])).collect();
    let columns = factor.columns.iter().enumerate();
    let entries = columns.flat_map(|(j, rows)| rows.iter().map(move |&i| (i, j)));
    let (kept, added): (Vec<_>, Vec<_>) = entries.partition(|entry| known.contains(entry));
    vec![
        (format!("{} of K", kept.len()), kept),
        (format!("{} added", added.len()), added),
    ]
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
