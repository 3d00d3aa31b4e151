//! The `run` command.

use std::path::Path;

use super::arguments::RunArguments;
use super::common::out_folder;
use super::print::{counted, fixed, say, say_written};
use super::progress::Progress;
use crate::error::Result;
use crate::output;
use crate::run::{EnergyBalance, Experiment, Report};
use crate::scalar::shortest;

/// Events listed in a summary.
const MOST_EVENTS: usize = 20;

pub(super) fn run(arguments: &RunArguments) -> Result<()> {
    let common = &arguments.common;
    let experiment = Experiment::open(&common.scene, &common.changes_within(&arguments.limit))?;
    let out = out_folder(arguments.out.as_deref(), &experiment)?;
    let progress = Progress::new(common.quiet);
    let (start, end) = (experiment.start, experiment.options.end);
    let (report, recording) = experiment.run_balanced(arguments.out.is_some(), &mut |t| {
        progress.at((t - start) / (end - start), || format!("t = {} s", fixed(t, 3)));
    })?;
    progress.finish();
    let files = match (&out, &recording) {
        (Some(folder), Some(recording)) => output::write_all(recording, folder)?.len(),
        _ => 0,
    };
    common.remark(&report.remarks);
    common.show(&report, || print(&report, arguments.out.as_deref(), files))
}

fn print(report: &Report, folder: Option<&Path>, files: usize) -> Result<()> {
    say!("{}: simulated to t = {} s", report.scene, shortest(report.t_end))?;
    print_events(report)?;
    for (title, values) in [
        ("outputs at the end", &report.outputs),
        ("objectives", &report.objectives),
    ] {
        if !values.is_empty() {
            say!("  {title}:")?;
        }
        for (name, value) in values {
            say!("    {name:<24} {:>18}", fixed(*value, 9))?;
        }
    }
    let (initial, last) = report.energy;
    say!(
        "  energy: {} at the start, {} at the end",
        fixed(initial, 9),
        fixed(last, 9)
    )?;
    report.balance.iter().try_for_each(print_balance)?;
    say!(
        "  largest constraint residual: position {:.1e}, velocity {:.1e}",
        report.residuals.position,
        report.residuals.velocity
    )?;
    let work = report.statistics;
    say!(
        "  {} steps ({} rejected), {} right-hand sides, {:.3} s",
        work.accepted,
        work.rejected,
        work.evaluations,
        report.seconds
    )?;
    say_written(folder, files)
}

/// What gave and took more energy than the tolerance explains, and what is missing.
fn print_balance(balance: &EnergyBalance) -> Result<()> {
    let work = balance.work.iter().map(|(name, energy)| (format!("by {name}"), energy));
    let events = balance.events.iter();
    let events = events.map(|(name, energy)| (format!("by the events of {name}"), energy));
    let shown = work
        .chain(events)
        .filter(|(_, energy)| energy.abs() > balance.tolerance);
    let shown: Vec<(String, &f64)> = shown.collect();
    let width = shown.iter().map(|(by, _)| by.chars().count()).fold(24, usize::max);
    for (by, energy) in shown {
        say!("    {by:<width$} {:>18}", fixed(*energy, 9))?;
    }
    say!(
        "    unaccounted for: {:.1e}, of which the tolerance explains {:.1e}",
        balance.missing,
        balance.tolerance
    )
}

fn print_events(report: &Report) -> Result<()> {
    if report.events.is_empty() {
        return say!("  no events");
    }
    say!("  {}:", counted(report.events.len(), "event"))?;
    for event in report.events.iter().take(MOST_EVENTS) {
        let outcome = event.outcome.map(|outcome| format!(", {outcome}")).unwrap_or_default();
        say!(
            "    t = {:<14} {} ({}{outcome})",
            fixed(event.t, 9),
            event.name,
            event.kind
        )?;
    }
    if report.events.len() > MOST_EVENTS {
        say!("    and {} more", report.events.len() - MOST_EVENTS)?;
    }
    Ok(())
}
