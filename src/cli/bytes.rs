//! Sizes of memory as a user writes them.

/// Units, the longest name first.
const UNITS: [(&str, f64); 4] = [("GB", 1e9), ("MB", 1e6), ("KB", 1e3), ("B", 1.0)];

/// Bytes from a number with a unit: `200MB`, `1.5 GB`, `64kB`; without a unit, bytes.
pub(super) fn parse_bytes(text: &str) -> Result<usize, String> {
    let upper = text.trim().to_ascii_uppercase();
    let (number, factor) = UNITS
        .iter()
        .find_map(|(unit, factor)| Some((upper.strip_suffix(unit)?, *factor)))
        .unwrap_or((&upper, 1.0));
    let bytes = number.trim().parse::<f64>().ok().map(|number| number * factor);
    match bytes {
        Some(bytes) if (1.0..1e18).contains(&bytes) => Ok(bytes as usize),
        _ => Err("write a size such as 200MB, 1.5GB or 64kB".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_bytes;

    #[test]
    fn sizes_are_read_with_and_without_units() {
        let sizes = [
            ("200MB", 200_000_000),
            ("64kB", 64_000),
            ("1.5 gb", 1_500_000_000),
            ("77 B", 77),
            ("8000", 8000),
        ];
        for (text, bytes) in sizes {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in ["", "MB", "-1MB", "0", "0.5B", "nanMB", "infGB", "1e30GB", "12 parsecs"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }
}
