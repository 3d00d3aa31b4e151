//! The `optimize` command in words.

use std::path::Path;

use super::{fit, starts};
use crate::cli::print::{counted, fixed, say, say_written};
use crate::error::Result;
use crate::optimize::{Iteration, Optimized, Report, goal};

/// The state of an iteration in one line.
pub(super) fn progress(iteration: &Iteration) -> String {
    let gradient = iteration
        .gradient
        .map(|gradient| format!(", gradient {gradient:.1e}"))
        .unwrap_or_default();
    format!(
        "iteration {}: {:.6e}{gradient}, step {:.1e}",
        iteration.number, iteration.value, iteration.step
    )
}

pub(super) fn print(findings: &Optimized, folder: Option<&Path>, files: usize) -> Result<()> {
    let report = &findings.found.report;
    let iterations = report.history.len() - 1;
    say!("{}: {}", findings.experiment.name, findings.status().words())?;
    say!(
        "  {} after {iterations} iterations of {}",
        report.status.meaning(),
        report.solver
    )?;
    let (before, after) = (report.initial.value, report.best.value);
    say!(
        "  {} from {} to {}",
        goal(&findings.optimization),
        fixed(before, 9),
        fixed(after, 9)
    )?;
    if let Some(gradient) = report.gradient {
        say!("  projected gradient at the end: {gradient:.1e}")?;
    }
    say!("  parameters, before and after:")?;
    for (k, variable) in findings.optimization.variables.iter().enumerate() {
        let value = report.best.parameters[k];
        let bound = if variable.on_bounds(value).contains(&true) {
            "  at its bound"
        } else {
            ""
        };
        let (before, after) = (fixed(report.initial.parameters[k], 9), fixed(value, 9));
        say!(
            "    {:<24} {before:>18} {after:>18} {}{bound}",
            variable.name,
            variable.unit
        )?;
    }
    for (case, value) in &findings.cases {
        say!("  in the case {:<22} {:>18}", format!("\"{case}\""), fixed(*value, 9))?;
    }
    print_limits(findings)?;
    match &findings.fit {
        Some(Ok(fit)) => fit::print(fit, &report.best.parameters)?,
        Some(Err(error)) => say!("  no statement about the data at the best point: {error}")?,
        None => {}
    }
    if let Some(all) = &findings.found.starts {
        starts::print(all, findings.optimization.stopping.violation)?;
    }
    print_work(findings)?;
    print_remarks(report)?;
    say_written(folder, files)
}

fn print_work(findings: &Optimized) -> Result<()> {
    let found = &findings.found;
    let seconds = found
        .starts
        .as_ref()
        .map_or(found.report.seconds, |starts| starts.seconds);
    say!(
        "  {} simulations, {} gradients for {} values that the method asked for, {seconds:.3} s",
        found.total(|report| report.simulations),
        found.total(|report| report.gradients),
        found.total(|report| report.evaluations)
    )?;
    match found.recalled {
        0 => Ok(()),
        recalled => say!("  {recalled} of them were read from the checkpoint"),
    }
}

fn print_limits(findings: &Optimized) -> Result<()> {
    let (report, allowed) = (&findings.found.report, findings.optimization.stopping.violation);
    if !report.limits.is_empty() {
        say!("  limits:")?;
    }
    for (limit, value) in &report.limits {
        let missed = limit.violation(*value);
        let verdict = if missed > allowed {
            format!("missed by {missed:.1e}")
        } else {
            "kept".to_string()
        };
        say!(
            "    {:<24} {:>18} {}: {verdict}",
            limit.name(),
            fixed(*value, 9),
            limit.rule()
        )?;
    }
    Ok(())
}

fn print_remarks(report: &Report) -> Result<()> {
    for (first, count) in report.reasons() {
        let points = counted(count, "point");
        say!(
            "  {points} without a value, the first in iteration {}: {}",
            first.iteration,
            first.error
        )?;
    }
    let changed = report
        .history
        .iter()
        .filter(|iteration| iteration.events_changed)
        .count();
    if changed > 0 {
        say!("  the sequence of events changed in {changed} iterations")?;
    }
    if report.restarts > 0 {
        say!(
            "  the method began again {} times from where it was stuck",
            report.restarts
        )?;
    }
    Ok(())
}
