//! What the commands that write a motion have in common.

/// Parser of a number of pictures or states a second.
pub(super) fn rate(text: &str) -> std::result::Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    if (1e-6..=1e3).contains(&value) {
        Ok(value)
    } else {
        Err("give a number from 0.000001 to 1000".to_string())
    }
}
