//! Numbers in sentences.

/// `1 event`, `2 events`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A number in fixed point with these digits after the point, or with an exponent where that would show nothing of it or
/// too many digits.
pub fn fixed(value: f64, digits: usize) -> String {
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
