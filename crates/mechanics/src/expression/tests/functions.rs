//! Values of every function against the standard library, and that dual numbers have the same real parts.

use super::*;
use crate::expression::function_names;
use crate::scalar::{Dual, Dual2_64, Dual64};

type Reference = fn(f64) -> f64;

/// Function of one argument, the interval it is tested on, its reference.
pub(super) const UNARY: [(&str, f64, f64, Reference); 22] = [
    ("sqrt", 0.01, 9.0, f64::sqrt),
    ("cbrt", -9.0, 9.0, f64::cbrt),
    ("exp", -5.0, 5.0, f64::exp),
    ("log", 0.01, 9.0, f64::ln),
    ("ln", 0.01, 9.0, f64::ln),
    ("log10", 0.01, 9.0, f64::log10),
    ("log2", 0.01, 9.0, f64::log2),
    ("sin", -7.0, 7.0, f64::sin),
    ("cos", -7.0, 7.0, f64::cos),
    ("tan", -1.5, 1.5, f64::tan),
    ("asin", -0.99, 0.99, f64::asin),
    ("acos", -0.99, 0.99, f64::acos),
    ("atan", -5.0, 5.0, f64::atan),
    ("sinh", -4.0, 4.0, f64::sinh),
    ("cosh", -4.0, 4.0, f64::cosh),
    ("tanh", -4.0, 4.0, f64::tanh),
    ("asinh", -5.0, 5.0, f64::asinh),
    ("acosh", 1.02, 5.0, f64::acosh),
    ("atanh", -0.98, 0.98, f64::atanh),
    ("abs", -5.0, 5.0, f64::abs),
    ("sign", -5.0, 5.0, f64::signum),
    ("step", -5.0, 5.0, |x| if x < 0.0 { 0.0 } else { 1.0 }),
];

/// Evenly spaced places inside an interval, never its middle, where some functions have a kink.
pub(super) fn places(low: f64, high: f64) -> impl Iterator<Item = f64> {
    (0..40).map(move |i| low + (high - low) * (f64::from(i) + 0.5) / 40.0)
}

pub(super) fn assert_close(actual: f64, expected: f64, tolerance: f64, what: &str) {
    let allowed = tolerance * expected.abs().max(1e-3);
    assert!(
        (actual - expected).abs() <= allowed,
        "{what}: {actual} instead of {expected}"
    );
}

fn assert_real_parts(text: &str, place: [f64; 3], expected: f64) {
    let what = format!("{text} at {place:?}");
    assert_close(value_at(text, place), expected, 4.0 * f64::EPSILON, &what);
    let first: Dual64 = value_at(text, place.map(|x| Dual::new(x, 0.7)));
    assert_close(first.re, expected, 16.0 * f64::EPSILON, &what);
    let second: Dual2_64 = value_at(text, place.map(|x| Dual2_64::new(x, 0.7, 0.3)));
    assert_close(second.re, expected, 16.0 * f64::EPSILON, &what);
}

#[test]
fn functions_of_one_argument_have_the_values_of_the_standard_library() {
    for (name, low, high, reference) in UNARY {
        for x in places(low, high) {
            assert_real_parts(&format!("{name}(x)"), [x, 0.0, 0.0], reference(x));
        }
    }
}

#[test]
fn functions_of_more_arguments_have_the_values_of_the_standard_library() {
    for x in places(-3.0, 3.0) {
        for y in places(-2.0, 4.0) {
            let place = [x, y, 1.0];
            assert_real_parts("atan2(y, x)", place, y.atan2(x));
            assert_real_parts("min(x, y)", place, x.min(y));
            assert_real_parts("max(x, y)", place, x.max(y));
            assert_real_parts("hypot(x, y)", place, x.hypot(y));
            assert_real_parts("max(x, y, z)", place, x.max(y).max(1.0));
            assert_real_parts("hypot(x, y, z)", place, x.hypot(y).hypot(1.0));
            assert_real_parts("abs(x)^y", place, x.abs().powf(y));
        }
    }
}

#[test]
fn every_function_is_tested() {
    let several = ["atan2", "min", "max", "hypot"];
    for name in function_names() {
        assert!(
            several.contains(&name) || UNARY.iter().any(|(tested, ..)| *tested == name),
            "{name}"
        );
    }
}

#[test]
fn powers_have_the_values_of_the_standard_library() {
    for x in places(-3.0, 3.0) {
        for n in -40..=40 {
            let expected = x.powi(n);
            if expected.is_finite() && expected.abs() > 1e-3 {
                let text = format!("x^{n}");
                let what = format!("{text} at {x}");
                assert_close(value_at(&text, [x, 0.0, 0.0]), expected, 1e-14, &what);
                let dual: Dual64 = value_at(&text, [x, 0.0, 0.0].map(|x| Dual::new(x, 1.0)));
                assert_close(dual.re, expected, 1e-14, &what);
            }
        }
        for exponent in ["0.5", "1.5", "-0.5", "2.25", "-3.7", "33.5"] {
            let c: f64 = exponent.parse().unwrap();
            let x = x.abs() + 0.1;
            assert_real_parts(&format!("x^{exponent}"), [x, 0.0, 0.0], x.powf(c));
        }
    }
}

#[test]
fn nan_is_never_lost() {
    let nan = f64::NAN;
    for (name, ..) in UNARY {
        assert!(value_at(&format!("{name}(x)"), [nan, 1.0, 1.0]).is_nan(), "{name}");
    }
    for text in ["atan2", "min", "max", "hypot"] {
        assert!(value_at(&format!("{text}(x, y)"), [nan, 1.0, 1.0]).is_nan(), "{text}");
        assert!(value_at(&format!("{text}(y, x)"), [nan, 1.0, 1.0]).is_nan(), "{text}");
    }
    for text in ["x^0", "x^2", "x^-3", "x^0.5", "1^x", "x^y", "0*x", "y^x", "x^z"] {
        assert!(value_at(text, [nan, 1.0, 0.0]).is_nan(), "{text}");
        let dual: Dual64 = value_at(text, [nan, 1.0, 0.0].map(|x| Dual::new(x, 1.0)));
        assert!(dual.re.is_nan(), "{text}");
    }
}
