//! Printing that does not fail when the reader goes away.

use std::fmt::Arguments;
use std::io::{ErrorKind as IoKind, Write};
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
pub(super) use crate::report::words::{counted, fixed};

/// Prints a line on standard output; a closed pipe is no failure.
///
/// # Errors
/// Kind `File` when standard output cannot be written.
pub(super) fn line(text: Arguments) -> Result<()> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != IoKind::BrokenPipe => Err(Error::new(
            ErrorKind::File,
            format!("standard output cannot be written: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Prints a line on standard error; where that cannot be written, the exit status says how it ended.
pub(super) fn aside(text: Arguments) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Prints a line with the arguments of `format!`; [`line`] says when that fails.
macro_rules! say {
    ($($text:tt)*) => { $crate::cli::print::line(format_args!($($text)*)) };
}
pub(super) use say;

/// Prints a line on standard error with the arguments of `format!`, as [`aside`].
macro_rules! note {
    ($($text:tt)*) => { $crate::cli::print::aside(format_args!($($text)*)) };
}
pub(super) use note;

/// Says how many files were written, if there is a folder for them.
pub(super) fn say_written(folder: Option<&Path>, files: usize) -> Result<()> {
    match folder {
        Some(folder) => say!("  {files} files written to {}", folder.display()),
        None => Ok(()),
    }
}
