//! Printing that does not fail when the reader goes away.

use std::io::{ErrorKind as IoKind, Write};

use serde_json::Value;

use crate::error::{Error, ErrorKind, Result};

/// Prints a line on standard output; a closed pipe is no failure.
///
/// # Errors
/// Kind `File` when standard output cannot be written.
pub(super) fn line(text: &str) -> Result<()> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != IoKind::BrokenPipe => Err(Error::new(
            ErrorKind::File,
            format!("standard output cannot be written: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Prints one JSON object on standard output.
///
/// # Errors
/// As [`line`].
pub(super) fn print_json(value: &Value) -> Result<()> {
    line(&format!("{value:#}"))
}
