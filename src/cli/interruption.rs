//! Interruption from the keyboard.

#[cfg(feature = "viewer")]
use std::path::Path;
#[cfg(feature = "viewer")]
use std::sync::{Arc, Mutex, PoisonError};

use super::print::note;
use crate::error::{Error, ErrorKind, Result};
use crate::run::Interruption;

/// Exit status of a process that is ended by an interruption: 128 and the number of the signal.
const ENDED_AT_ONCE: i32 = 130;

/// From now on the first interruption from the keyboard sets the flag, and the second ends the process.
///
/// # Errors
/// Kind `Request` when the system lets no handler be installed.
pub(super) fn watch_keyboard(flag: &Interruption) -> Result<()> {
    let set = flag.clone();
    handled_by(move || {
        if set.is_set() {
            std::process::exit(ENDED_AT_ONCE);
        }
        set.set();
        note!("interrupted: ending with the best point so far; once more ends at once");
    })
}

/// From now on an interruption from the keyboard removes a file that is not whole, and ends the process while nothing holds
/// the lock: graphics drivers end with a fault where the process is left while they draw.
///
/// # Errors
/// As [`watch_keyboard`].
#[cfg(feature = "viewer")]
pub(super) fn remove_when_interrupted(path: &Path) -> Result<Arc<Mutex<()>>> {
    let path = path.to_path_buf();
    let drawing = Arc::new(Mutex::new(()));
    let lock = Arc::clone(&drawing);
    handled_by(move || {
        let _nothing_draws = lock.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = std::fs::remove_file(&path);
        std::process::exit(ENDED_AT_ONCE);
    })?;
    Ok(drawing)
}

fn handled_by(handler: impl FnMut() + Send + 'static) -> Result<()> {
    ctrlc::set_handler(handler).map_err(|error| {
        Error::new(
            ErrorKind::Request,
            format!("interruptions cannot be watched for: {error}"),
        )
    })
}
