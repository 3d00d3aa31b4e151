//! Interruption from the keyboard.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, ErrorKind, Result};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Exit status of a process that is ended by an interruption: 128 and the number of the signal.
const ENDED_AT_ONCE: i32 = 130;

/// From now on the first interruption sets the flag, and the second ends the process.
///
/// # Errors
/// Kind `Request` when the system lets no handler be installed.
pub(super) fn flag() -> Result<&'static AtomicBool> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(ENDED_AT_ONCE);
        }
        eprintln!("interrupted: ending after the simulation under way; once more ends at once");
    })
    .map_err(|error| {
        Error::new(
            ErrorKind::Request,
            format!("interruptions cannot be watched for: {error}"),
        )
    })?;
    Ok(&INTERRUPTED)
}

/// What a command says that kept what it had when it was interrupted.
pub(super) fn interrupted(advice: &str) -> Error {
    Error::new(ErrorKind::Interrupted, "interrupted; the best point so far was kept").advise(advice)
}
