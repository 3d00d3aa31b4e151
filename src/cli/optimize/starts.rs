//! Several starts in words.

use crate::cli::print::{counted, fixed, say};
use crate::error::Result;
use crate::optimize::{MultistartReport, Report};

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
