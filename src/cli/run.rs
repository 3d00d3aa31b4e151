//! The `run` command.

use std::path::Path;

use super::arguments::RunArguments;
use super::common::out_folder;
use super::print::{counted, fixed, say, say_written};
use super::progress::Progress;
use crate::error::{Error, ErrorKind, Result};
use crate::output::{self, Figure, comparison};
use crate::run::{EnergyBalance, Experiment, Recording, Report, Variants, about};
use crate::scalar::shortest;

/// Events listed in a summary.
const MOST_EVENTS: usize = 20;

/// Motions in one panel: as many as there are line styles.
const MOST_MOTIONS: usize = 6;

pub(super) fn run(arguments: &RunArguments) -> Result<()> {
    let common = &arguments.common;
    let experiment = Experiment::open(&common.scene, &common.changes_within(&arguments.limit))?;
    let out = out_folder(arguments.out.as_deref(), &experiment)?;
    let variants = variants(arguments, &experiment)?;
    let progress = Progress::new(common.quiet);
    let (start, end) = (experiment.start, experiment.options.end);
    let (report, recording) = experiment.run_balanced(arguments.out.is_some(), &mut |t| {
        progress.at((t - start) / (end - start), || format!("t = {} s", fixed(t, 3)));
    })?;
    let beside = match &recording {
        Some(recording) => compared(recording, &variants)?,
        None => Vec::new(),
    };
    progress.finish();
    let files = match (&out, &recording) {
        (Some(folder), Some(recording)) => output::write_with(recording, &beside, folder)?.len(),
        _ => 0,
    };
    common.remark(&report.remarks);
    common.show(&report, || print(&report, arguments.out.as_deref(), files))
}

/// What is drawn beside the outputs, checked before anything is simulated.
fn variants(arguments: &RunArguments, experiment: &Experiment) -> Result<Variants> {
    let variants = arguments.beside.variants(experiment)?;
    let count = 1 + variants.others.len();
    let (message, advice) = match &arguments.out {
        None if count > 1 => (
            "other motions are drawn in plots, which need a folder".to_string(),
            "add --out DIR, or leave out --vary and --compare".to_string(),
        ),
        _ if count > MOST_MOTIONS => (
            format!("{count} motions cannot be told apart in one plot"),
            format!(
                "give --vary at most {} values beside that of the scene",
                MOST_MOTIONS - 1
            ),
        ),
        _ => return Ok(variants),
    };
    Err(Error::new(ErrorKind::Request, message).advise(advice))
}

/// The outputs of the scene with those of other motions; none where there are no others.
fn compared(recording: &Recording, variants: &Variants) -> Result<Vec<(String, Figure)>> {
    let others = variants.others.iter().map(|(label, experiment)| {
        let run = experiment.run(true, &mut |_| ());
        let (_, recording) = run.map_err(|error| about(label, error))?;
        Ok((label.as_str(), recording.unwrap_or_default()))
    });
    let others: Vec<(&str, Recording)> = others.collect::<Result<_>>()?;
    if others.is_empty() {
        return Ok(Vec::new());
    }
    let motions = others.iter().map(|(label, recording)| (*label, recording));
    let motions: Vec<_> = std::iter::once((variants.own.as_str(), recording))
        .chain(motions)
        .collect();
    let named = |(name, figure): (String, Figure)| (name.replacen("outputs", "comparison", 1), figure);
    Ok(comparison(&motions).into_iter().map(named).collect())
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
