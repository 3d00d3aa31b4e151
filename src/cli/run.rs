//! The `run` command.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::arguments::RunArguments;
use super::print::{fixed, line, print_json};
use super::progress::Progress;
use crate::error::Result;
use crate::files::check_folder;
use crate::output;
use crate::run::{Experiment, Report};
use crate::scalar::shortest;

/// Events listed in a summary.
const MOST_EVENTS: usize = 20;

pub(super) fn run(arguments: &RunArguments) -> Result<()> {
    let common = &arguments.common;
    let experiment = Experiment::open(&common.scene, &common.changes())?;
    if let Some(folder) = &arguments.out {
        check_folder(folder)?;
    }
    let progress = Progress::new(common.quiet);
    let (start, end) = (experiment.start, experiment.options.end);
    let (report, recording) = experiment.run(arguments.out.is_some(), &mut |t| {
        progress.at((t - start) / (end - start), || format!("t = {} s", fixed(t, 3)));
    })?;
    progress.finish();
    let files = match (&arguments.out, &recording) {
        (Some(folder), Some(recording)) => output::write_all(recording, folder)?.len(),
        _ => 0,
    };
    if !common.quiet {
        for remark in &report.remarks {
            eprintln!("remark: {remark}");
        }
    }
    if common.json {
        return print_json(&to_json(&report));
    }
    if !common.quiet {
        print(&report, arguments.out.as_deref(), files)?;
    }
    Ok(())
}

fn to_json(report: &Report) -> Value {
    let map = |values: &[(String, f64)]| -> Map<String, Value> {
        values
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect()
    };
    let events: Vec<Value> = report
        .events
        .iter()
        .map(|e| json!({"t": e.t, "name": e.name, "kind": e.kind}))
        .collect();
    json!({
        "scene": report.scene,
        "t_end": report.t_end,
        "events": events,
        "outputs": map(&report.outputs),
        "objectives": map(&report.objectives),
        "residuals": {"position": report.residuals.position, "velocity": report.residuals.velocity},
        "energy": {"initial": report.energy.0, "final": report.energy.1},
        "statistics": {
            "steps": report.statistics.accepted,
            "rejected": report.statistics.rejected,
            "rhs_evaluations": report.statistics.evaluations,
            "jacobians": report.statistics.jacobians,
            "factorisations": report.statistics.factorisations,
            "seconds": report.seconds,
        },
        "remarks": report.remarks,
    })
}

fn print(report: &Report, folder: Option<&Path>, files: usize) -> Result<()> {
    line(&format!(
        "{}: simulated to t = {} s",
        report.scene,
        shortest(report.t_end)
    ))?;
    print_events(report)?;
    for (title, values) in [
        ("outputs at the end", &report.outputs),
        ("objectives", &report.objectives),
    ] {
        if !values.is_empty() {
            line(&format!("  {title}:"))?;
        }
        for (name, value) in values {
            line(&format!("    {name:<24} {:>18}", fixed(*value, 9)))?;
        }
    }
    let (initial, last) = report.energy;
    line(&format!(
        "  energy: {} at the start, {} at the end",
        fixed(initial, 9),
        fixed(last, 9)
    ))?;
    line(&format!(
        "  largest constraint residual: position {:.1e}, velocity {:.1e}",
        report.residuals.position, report.residuals.velocity
    ))?;
    let work = report.statistics;
    line(&format!(
        "  {} steps ({} rejected), {} right-hand sides, {:.3} s",
        work.accepted, work.rejected, work.evaluations, report.seconds
    ))?;
    if let Some(folder) = folder {
        line(&format!("  {files} files written to {}", folder.display()))?;
    }
    Ok(())
}

fn print_events(report: &Report) -> Result<()> {
    if report.events.is_empty() {
        return line("  no events");
    }
    line(&format!(
        "  {} event{}:",
        report.events.len(),
        if report.events.len() == 1 { "" } else { "s" }
    ))?;
    for event in report.events.iter().take(MOST_EVENTS) {
        line(&format!(
            "    t = {:<14} {} ({})",
            fixed(event.t, 9),
            event.name,
            event.kind
        ))?;
    }
    if report.events.len() > MOST_EVENTS {
        line(&format!("    and {} more", report.events.len() - MOST_EVENTS))?;
    }
    Ok(())
}
