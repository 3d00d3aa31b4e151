//! Printing that does not fail when the reader goes away.

use std::fmt::Arguments;
use std::io::{ErrorKind as IoKind, Write};
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};

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

/// `1 event`, `2 events`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A number in fixed point with these digits after the point, or with an exponent where that would show nothing of it or
/// too many digits.
pub(super) fn fixed(value: f64, digits: usize) -> String {
    // The smallest number of which fixed point still shows three digits.
    let least = 10.0_f64.powi(3 - i32::try_from(digits).unwrap_or(i32::MAX));
    // No sign of a zero.
    let value = value + 0.0;
    if value == 0.0 || (least..1e9).contains(&value.abs()) || !value.is_finite() {
        format!("{value:.digits$}")
    } else {
        format!("{value:.digits$e}")
    }
}

#[cfg(test)]
mod tests {
    use super::fixed;

    #[test]
    fn tiny_and_huge_numbers_are_shown_with_an_exponent_and_others_without() {
        assert_eq!(fixed(0.0, 9), "0.000000000");
        assert_eq!(fixed(-0.0, 9), "0.000000000");
        assert_eq!(fixed(-2.5, 9), "-2.500000000");
        assert_eq!(fixed(1.25e-6, 9), "0.000001250");
        assert_eq!(fixed(-1.25e-12, 3), "-1.250e-12");
        assert_eq!(fixed(1e300, 3), "1.000e300");
    }
}
