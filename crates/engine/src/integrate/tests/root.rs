//! Promises of root location.

use crate::error::{Error, ErrorKind, Result};
use crate::integrate::{Root, bracketed_root};

/// Ends of an interval and a function on it.
type Case = (f64, f64, fn(f64) -> f64);

fn root(a: f64, b: f64, g: impl Fn(f64) -> f64) -> Result<Root> {
    bracketed_root((a, g(a)), (b, g(b)), |t| Ok(g(t)))
}

#[test]
fn smooth_functions_are_located_to_the_last_bits_with_few_evaluations() {
    let cases: [(Case, f64); 6] = [
        ((0.0, 2.0, |t| t.cos() - t), 0.739_085_133_215_160_6),
        ((1.0, 4.0, |t| t * t - 2.0), std::f64::consts::SQRT_2),
        ((4.0, 1.0, |t| t * t - 2.0), std::f64::consts::SQRT_2),
        ((-3.0, 5.0, |t| t.exp() - 5.0), 1.609_437_912_434_100_4),
        ((2.0, 4.0, |t| t.sin()), std::f64::consts::PI),
        ((1e-3, 2e-3, |t| 4.905 * t * t + t - 1.5e-3), 1.489_123_221_512_797_4e-3),
    ];
    for (case, ((a, b, g), exact)) in cases.into_iter().enumerate() {
        let found = root(a, b, g).unwrap();
        assert!(
            (found.t - exact).abs() <= 4.0 * f64::EPSILON * exact,
            "case {case}: {found:?}"
        );
        assert!(found.evaluations <= 14, "case {case}: {found:?}");
    }
}

#[test]
fn the_last_bracket_is_narrow_and_encloses_the_change_of_sign() {
    for (a, b) in [(0.3, 2.0), (2.0, 0.3)] {
        let g = |t: f64| t.powi(3) - 2.0;
        let found = root(a, b, g).unwrap();
        if found.value == 0.0 {
            assert_eq!((found.before, found.after), (found.t, found.t));
            continue;
        }
        assert!((found.before - found.after).abs() <= 2.0 * f64::EPSILON * found.t);
        assert!(g(found.before) * g(a) > 0.0 && g(found.after) * g(b) > 0.0);
        assert!(found.t == found.before || found.t == found.after);
    }
}

#[test]
fn hard_functions_never_take_more_than_a_hundred_evaluations() {
    let hard: [Case; 12] = [
        (-1.0, 1.5, |t| t.powi(9)),
        (-1.0, 4.0, |t| t.powi(3)),
        (0.0, 1.0, |t| t.powi(20) - 1e-20),
        (0.0, 1.0, |t| if t < 0.123_456_789 { -1.0 } else { 1.0 }),
        (0.0, 1.0, |t| if t < 0.9 { -1e-300 } else { 1e300 }),
        (-1.0, 1.0, |t| if t < 1e-30 { -1.0 } else { t }),
        (-10.0, 10.0, |t| if t == 0.0 { 0.0 } else { t * (-1.0 / (t * t)).exp() }),
        (0.0, 5.0, |t| (-1e4 * t).exp() - 0.5),
        (-1.0, 1.0, |t| t.cbrt() + 1e-9),
        (0.0, 1.0, |t| if t <= 0.7 { f64::NEG_INFINITY } else { f64::INFINITY }),
        (0.0, 1e8, |t| (t - 3.0).tanh()),
        (1.0, 2.0, |t| (t - 1.5) + 1e-9 * (1e12 * t).sin()),
    ];
    for (case, (a, b, g)) in hard.into_iter().enumerate() {
        let found = root(a, b, g).unwrap();
        assert!(found.evaluations <= 90, "case {case}: {found:?}");
        let width = (found.after - found.before).abs();
        let resolution = (2.0 * f64::EPSILON * found.t.abs()).max((b - a) * 2.0_f64.powi(-70));
        assert!(width <= resolution, "case {case}: {found:?}");
        assert!(
            g(found.before) <= 0.0 && g(found.after) >= 0.0,
            "case {case}: {found:?}"
        );
    }
}

#[test]
fn kinks_that_mislead_interpolation_never_take_more_than_ninety_evaluations() {
    // Without the fallback to bisection the worst of these takes 118.
    for place in 30..40 {
        let exact = 0.7_f64.powi(place);
        for (flat, steep) in [(0.5, 0.1), (1.0, 0.5), (2.5, 0.6), (5.0, 0.9)] {
            let g = |t: f64| {
                if t < exact {
                    -(exact - t).powf(flat)
                } else {
                    (t - exact).powf(steep)
                }
            };
            let found = root(0.0, 1.0, g).unwrap();
            assert!(
                (found.t - exact).abs() <= 4.0 * f64::EPSILON * exact + 1e-21,
                "{found:?}"
            );
            assert!(found.evaluations <= 90, "{found:?}");
        }
    }
}

#[test]
fn a_function_with_the_rounding_of_a_large_value_is_located_within_that_rounding() {
    for offset in [1e-17, -1e-17] {
        let found = root(0.0, 1e-2, |t| (1.0 + (t - 1e-5)) - 1.0 + offset).unwrap();
        assert!((found.t - 1e-5).abs() < 4e-16, "{found:?}");
        assert!(found.evaluations <= 50, "{found:?}");
    }
}

#[test]
fn roots_at_the_ends_are_found_without_evaluation_and_the_first_end_wins() {
    let never = |_: f64| -> Result<f64> { unreachable!() };
    assert_eq!(bracketed_root((1.0, 0.0), (2.0, 3.0), never).unwrap().t, 1.0);
    assert_eq!(bracketed_root((1.0, -2.0), (2.0, 0.0), never).unwrap().t, 2.0);
    assert_eq!(bracketed_root((1.0, 0.0), (2.0, 0.0), never).unwrap().t, 1.0);
    assert_eq!(bracketed_root((1.0, -0.0), (2.0, -1.0), never).unwrap().t, 1.0);
}

#[test]
fn a_missing_change_of_sign_and_a_value_that_is_no_number_are_errors() {
    assert_eq!(root(0.0, 1.0, |t| t + 1.0).unwrap_err().kind(), ErrorKind::Request);
    let error = root(0.0, 1.0, |t| {
        if t == 0.0 {
            -1.0
        } else if t == 1.0 {
            1.0
        } else {
            f64::NAN
        }
    })
    .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFinite);
    assert!(error.time().is_some_and(|t| t > 0.0 && t < 1.0));
    let failing = |_: f64| -> Result<f64> { Err(Error::new(ErrorKind::Singular, "guard")) };
    assert_eq!(
        bracketed_root((0.0, -1.0), (1.0, 1.0), failing).unwrap_err().kind(),
        ErrorKind::Singular
    );
}
