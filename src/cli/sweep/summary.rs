//! The `sweep` command in words.

use std::path::Path;

use crate::cli::print::{counted, fixed, say, say_written};
use crate::error::Result;
use crate::scalar::shortest;
use crate::sweep::{Layout, Row, SweepReport};

pub(super) fn print(findings: &SweepReport, folder: Option<&Path>, files: usize) -> Result<()> {
    let sweep = &findings.sweep;
    let (rows, all) = (findings.rows.len(), sweep.plan.count());
    let part = if rows < all {
        format!(" of {all}")
    } else {
        String::new()
    };
    say!("{}: {rows}{part} points", sweep.experiment.name)?;
    print_ranges(findings)?;
    print_objectives(findings)?;
    let events = || findings.done().map(|(_, values)| values.events);
    if let (Some(least), Some(most)) = (events().min(), events().max()) {
        let to = if least < most {
            format!(" to {most}")
        } else {
            String::new()
        };
        say!("  number of events: {least}{to}")?;
    }
    for (first, failure, count) in findings.failures() {
        let points = counted(count, "point");
        say!(
            "  {points} without a value ({}), the first at {}: {}",
            first.outcome.status(),
            place(findings, first),
            // What follows are the details of one point; the table has them.
            failure.reason.split(':').next().unwrap_or_default()
        )?;
    }
    if findings.kept > 0 {
        say!("  {} points were there before", findings.kept)?;
    }
    say!(
        "  {} points computed in {:.3} s",
        rows - findings.kept,
        findings.seconds
    )?;
    say_written(folder, files)
}

fn print_ranges(findings: &SweepReport) -> Result<()> {
    let plan = findings.sweep.plan;
    for (k, range) in plan.ranges().iter().enumerate() {
        let values = match plan.layout() {
            Layout::Grid(counts) => counts
                .get(k)
                .map_or(String::new(), |count| format!("in {count} values")),
            Layout::Sample { seed, .. } => format!("at random (seed {seed})"),
            Layout::Points(_) => "given".to_string(),
        };
        say!(
            "  {} from {} to {} {values}",
            range.name,
            shortest(range.low),
            shortest(range.high)
        )?;
    }
    Ok(())
}

/// Each objective with its least and greatest value and where it has them.
fn print_objectives(findings: &SweepReport) -> Result<()> {
    for (k, name) in findings.sweep.objectives().iter().enumerate() {
        let found = || {
            findings
                .done()
                .filter_map(|(row, values)| Some((row, *values.objectives.get(k)?)))
        };
        let least = found().min_by(|a, b| a.1.total_cmp(&b.1));
        let greatest = found().max_by(|a, b| a.1.total_cmp(&b.1));
        for (words, extreme) in [("least", least), ("greatest", greatest)] {
            if let Some((row, value)) = extreme {
                let name = if words == "least" { name } else { "" };
                say!(
                    "    {name:<20} {words:<8} {:>18} at {}",
                    fixed(value, 9),
                    place(findings, row)
                )?;
            }
        }
    }
    Ok(())
}

fn place(findings: &SweepReport, row: &Row) -> String {
    let names = findings.sweep.parameters();
    let pairs = names
        .iter()
        .zip(&row.parameters)
        .map(|(name, value)| format!("{name} = {}", fixed(*value, 6)));
    pairs.collect::<Vec<_>>().join(", ")
}
