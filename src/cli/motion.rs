//! What the commands that write a motion have in common.

use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::scalar::shortest;

/// Parser of a number of pictures or states a second.
pub(super) fn rate(text: &str) -> std::result::Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    if (1e-6..=1e3).contains(&value) {
        Ok(value)
    } else {
        Err("give a number from 0.000001 to 1000".to_string())
    }
}

/// What the name of a file ends with, in lower case.
pub(super) fn extension(out: &Path) -> Option<String> {
    out.extension()
        .map(|extension| extension.to_string_lossy().to_lowercase())
}

/// The name of a file without its folder.
///
/// # Errors
/// Kind `Request` for a path that ends with no name.
pub(super) fn file_name(out: &Path) -> Result<String> {
    let name = out.file_name().map(|name| name.to_string_lossy().into_owned());
    name.ok_or_else(|| Error::new(ErrorKind::Request, format!("{} is no file name", out.display())))
}

/// A time given by an option, which must lie in the simulated time.
///
/// # Errors
/// Kind `Request` when it does not.
pub(super) fn moment(option: &str, t: f64, start: f64, end: f64) -> Result<f64> {
    if (start..=end).contains(&t) {
        return Ok(t);
    }
    let message = format!("t = {} s is outside the simulated time", shortest(t));
    let advice = format!("give {option} a time from {} to {} s", shortest(start), shortest(end));
    Err(Error::new(ErrorKind::Request, message).advise(advice))
}
