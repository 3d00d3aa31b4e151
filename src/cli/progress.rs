//! Progress of long computations.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Computations shorter than this show no progress bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// Resolution of the bar.
const TICKS: f64 = 1000.0;

/// A bar on standard error, on a terminal only, that appears when a computation takes long; any thread may move it.
pub(super) struct Progress {
    bar: Mutex<Option<ProgressBar>>,
    watched: bool,
    since: Instant,
}

impl Progress {
    pub fn new(quiet: bool) -> Self {
        Self {
            bar: Mutex::new(None),
            watched: !quiet && std::io::stderr().is_terminal(),
            since: Instant::now(),
        }
    }

    /// Shows the fraction done with a remark.
    pub fn at(&self, fraction: f64, remark: impl FnOnce() -> String) {
        if !self.watched || self.since.elapsed() < PATIENCE {
            return;
        }
        let Ok(mut bar) = self.bar.lock() else { return };
        let bar = bar.get_or_insert_with(|| {
            let bar = ProgressBar::new(TICKS as u64);
            match ProgressStyle::with_template("{bar:40} {percent:>3} %  {msg}  {eta} left") {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        bar.set_position((fraction * TICKS) as u64);
        bar.set_message(remark());
    }

    pub fn finish(&self) {
        if let Ok(Some(bar)) = self.bar.lock().as_deref() {
            bar.finish_and_clear();
        }
    }
}
