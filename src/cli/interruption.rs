//! Interruption from the keyboard.

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
    ctrlc::set_handler(move || {
        if set.is_set() {
            std::process::exit(ENDED_AT_ONCE);
        }
        set.set();
        note!("interrupted: ending with the best point so far; once more ends at once");
    })
    .map_err(|error| {
        Error::new(
            ErrorKind::Request,
            format!("interruptions cannot be watched for: {error}"),
        )
    })
}
