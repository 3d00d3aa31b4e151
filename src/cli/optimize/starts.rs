//! Several starts: their table in words, as CSV and as JSON.

use serde_json::{Map, Value, json};

use super::Findings;
use crate::cli::print::{fixed, line};
use crate::error::Result;
use crate::optimize::{MultistartReport, Report};
use crate::output::Table;

/// Minima shown in words; the table has all of them.
const SHOWN: usize = 10;

/// Number of the minimum, from 1, that each start leads to.
fn minimum_of(starts: &MultistartReport) -> Vec<usize> {
    let mut found = vec![0; starts.runs.len()];
    for (k, minimum) in starts.minima.iter().enumerate() {
        minimum.starts.iter().for_each(|&start| found[start] = k + 1);
    }
    found
}

/// The distinct minima in words.
pub(super) fn print(starts: &MultistartReport, allowed: f64) -> Result<()> {
    let (runs, minima) = (&starts.runs, &starts.minima);
    line(&format!(
        "  {} starts lead to {} distinct results; the best is that of start {}:",
        runs.len(),
        minima.len(),
        starts.best() + 1
    ))?;
    for minimum in minima.iter().take(SHOWN) {
        let (best, count) = (&runs[minimum.starts[0]], minimum.starts.len());
        let often = if count == 1 { "start" } else { "starts" };
        let missed = missed(best, allowed);
        line(&format!(
            "    {:>18}{missed} from {count} {often}, {}",
            fixed(best.best.value, 9),
            best.status.words()
        ))?;
    }
    if minima.len() > SHOWN {
        line(&format!("    and {} more", minima.len() - SHOWN))?;
    }
    if let Some(first) = starts.failures.first() {
        line(&format!(
            "  {} starts without a value were drawn again, the first because of this: {}",
            starts.failures.len(),
            first.error
        ))?;
    }
    Ok(())
}

/// A remark where limits are missed by more than is allowed.
fn missed(report: &Report, allowed: f64) -> String {
    let missed = report.limits.iter().map(|(limit, value)| limit.violation(*value));
    match missed.fold(0.0, f64::max) {
        missed if missed <= allowed => String::new(),
        missed => format!(" (limits missed by {missed:.1e})"),
    }
}

/// `starts.csv`: one row per start.
pub(super) fn table(findings: &Findings, starts: &MultistartReport) -> Table {
    let variables = &findings.found.report.variables;
    let columns = ["start", "minimum", "status", "initial value", "value"];
    let mut header = columns.map(str::to_string).to_vec();
    header.extend(["iterations", "simulations", "gradients", "failed points"].map(str::to_string));
    header.extend(variables.iter().map(|name| format!("{name} at the start")));
    header.extend(variables.iter().cloned());
    let minima = minimum_of(starts);
    let row = |(k, run): (usize, &Report)| {
        let mut row = vec![
            (k + 1).to_string(),
            minima[k].to_string(),
            run.status.words().to_string(),
            run.initial.value.to_string(),
            run.best.value.to_string(),
            (run.history.len() - 1).to_string(),
            run.simulations.to_string(),
            run.gradients.to_string(),
            run.failures.len().to_string(),
        ];
        let places = run.initial.parameters.iter().chain(&run.best.parameters);
        row.extend(places.map(f64::to_string));
        row
    };
    Table {
        name: "starts".to_string(),
        header,
        rows: starts.runs.iter().enumerate().map(row).collect(),
    }
}

/// The starts in their order; `minimum` counts the distinct results from 1, the best first.
pub(super) fn json(findings: &Findings, starts: &MultistartReport) -> Value {
    let minima = minimum_of(starts);
    let entry = |(k, run): (usize, &Report)| {
        let limits = run.limits.iter();
        let constraints: Map<String, Value> = limits
            .map(|(limit, value)| (limit.objective.clone(), json!(value)))
            .collect();
        json!({
            "minimum": minima[k],
            "status": run.status.words(),
            "initial": super::json::place(findings, &run.initial),
            "final": super::json::place(findings, &run.best),
            "constraints": constraints,
            "iterations": run.history.len() - 1,
            "simulations": run.simulations,
            "gradients": run.gradients,
            "failed": run.failures.len(),
        })
    };
    starts.runs.iter().enumerate().map(entry).collect()
}
