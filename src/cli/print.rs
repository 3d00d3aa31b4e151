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

/// A number in fixed point with these digits after the point, or with an exponent where that would show nothing of it or
/// too many digits.
pub(super) fn fixed(value: f64, digits: usize) -> String {
    // The smallest number of which fixed point still shows three digits.
    let least = 10.0_f64.powi(3 - i32::try_from(digits).unwrap_or(i32::MAX));
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
        assert_eq!(fixed(-2.5, 9), "-2.500000000");
        assert_eq!(fixed(1.25e-6, 9), "0.000001250");
        assert_eq!(fixed(-1.25e-12, 3), "-1.250e-12");
        assert_eq!(fixed(1e300, 3), "1.000e300");
    }
}
