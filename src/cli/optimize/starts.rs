//! Several starts: their table in words and as CSV.

use crate::cli::print::{counted, fixed, say};
use crate::error::Result;
use crate::optimize::{MultistartReport, Optimized, Report};
use crate::output::Table;

/// Minima shown in words; the table has all of them.
const SHOWN: usize = 10;

/// The distinct minima in words.
pub(super) fn print(starts: &MultistartReport, allowed: f64) -> Result<()> {
    let (runs, minima) = (&starts.runs, &starts.minima);
    say!(
        "  {} starts lead to {} distinct results; the best is that of start {}:",
        runs.len(),
        minima.len(),
        starts.best() + 1
    )?;
    for minimum in minima.iter().take(SHOWN) {
        let (best, count) = (&runs[minimum.starts[0]], minimum.starts.len());
        let often = counted(count, "start");
        let missed = missed(best, allowed);
        say!(
            "    {:>18}{missed} from {often}, {}",
            fixed(best.best.value, 9),
            best.status.words()
        )?;
    }
    if minima.len() > SHOWN {
        say!("    and {} more", minima.len() - SHOWN)?;
    }
    if let Some(first) = starts.failures.first() {
        say!(
            "  {} starts without a value were drawn again, the first because of this: {}",
            starts.failures.len(),
            first.error
        )?;
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
pub(in crate::cli) fn table(findings: &Optimized, starts: &MultistartReport) -> Table {
    let variables = &findings.found.report.variables;
    let minima = starts.minimum_of_starts();
    let names = variables
        .iter()
        .map(|name| format!("{name} at the start"))
        .chain(variables.iter().cloned());
    let places = starts.runs.iter().map(|run| {
        let places = run.initial.parameters.iter().chain(&run.best.parameters);
        places.map(f64::to_string).collect()
    });
    Table::of(
        "starts",
        starts.runs.iter().enumerate(),
        &[
            ("start", &|(k, _)| (k + 1).to_string()),
            ("minimum", &|(k, _)| minima[k].to_string()),
            ("status", &|(_, run)| run.status.words().to_string()),
            ("initial value", &|(_, run)| run.initial.value.to_string()),
            ("value", &|(_, run)| run.best.value.to_string()),
            ("iterations", &|(_, run)| (run.history.len() - 1).to_string()),
            ("simulations", &|(_, run)| run.simulations.to_string()),
            ("gradients", &|(_, run)| run.gradients.to_string()),
            ("failed points", &|(_, run)| run.failures.len().to_string()),
        ],
    )
    .with(names, places)
}
