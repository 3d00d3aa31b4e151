//! What the commands that write a motion have in common.

use crate::export::RATES;

/// Parser of a number of pictures or states a second.
pub(super) fn rate(text: &str) -> std::result::Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    match RATES.contains(&value) {
        true => Ok(value),
        false => Err(format!("give a number from {} to {}", RATES.start(), RATES.end())),
    }
}
