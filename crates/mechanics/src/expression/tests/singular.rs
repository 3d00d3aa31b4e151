//! Places where derivatives are easily lost: zero bases, kinks, axes, large and small arguments.

use super::functions::assert_close;
use super::*;
use crate::scalar::{Dual, Dual2, Dual2_64, Dual64};

fn first(text: &str, x: [f64; 3], seeds: [f64; 3]) -> Dual64 {
    value_at(text, std::array::from_fn(|i| Dual::new(x[i], seeds[i])))
}

fn second(text: &str, x: f64) -> [f64; 3] {
    let jet: Dual2_64 = value_at(text, [x, 0.0, 0.0].map(|x| Dual2::new(x, 1.0, 0.0)));
    [jet.re, jet.v1, jet.v2]
}

#[test]
fn whole_powers_have_all_derivatives_at_zero_and_below() {
    assert_eq!(second("x^0", 0.0), [1.0, 0.0, 0.0]);
    assert_eq!(second("x^1", 0.0), [0.0, 1.0, 0.0]);
    assert_eq!(second("x^2", 0.0), [0.0, 0.0, 2.0]);
    assert_eq!(second("x^3", 0.0), [0.0, 0.0, 0.0]);
    assert_eq!(second("x^50", 0.0), [0.0, 0.0, 0.0]);
    assert_eq!(second("x^3", -2.0), [-8.0, 12.0, -12.0]);
    assert_eq!(second("x^-2", -2.0), [0.25, 0.25, 0.375]);
    assert_eq!(second("2^(x^2)", 0.0)[..2], [1.0, 0.0]);
    let [value, slope, curvature] = second("x^33", -1.0);
    assert_eq!(value, -1.0);
    assert_close(slope, 33.0, 1e-13, "slope");
    assert_close(curvature, -33.0 * 32.0, 1e-13, "curvature");
}

#[test]
fn a_whole_exponent_may_be_a_parameter_that_does_not_vary() {
    let cube = first("x^y", [-2.0, 3.0, 0.0], [1.0, 0.0, 0.0]);
    assert_eq!((cube.re, cube.eps), (-8.0, 12.0));
    let varying = first("x^y", [-2.0, 3.0, 0.0], [1.0, 1.0, 0.0]);
    assert_eq!(varying.re, -8.0);
    assert!(varying.eps.is_nan());
    assert!(first("x^y", [-2.0, 2.5, 0.0], [1.0, 0.0, 0.0]).re.is_nan());
}

#[test]
fn powers_of_zero_have_the_derivatives_that_exist() {
    let smooth = first("x^1.5", [0.0; 3], [1.0, 0.0, 0.0]);
    assert_eq!((smooth.re, smooth.eps), (0.0, 0.0));
    let steep = first("x^0.5", [0.0; 3], [1.0, 0.0, 0.0]);
    assert_eq!(steep.re, 0.0);
    assert!(!steep.eps.is_finite());
    assert!(!second("x^1.5", 0.0)[2].is_finite());
    assert_eq!(second("x^2.5", 0.0), [0.0; 3]);
    let both = first("x^y", [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]);
    assert_eq!((both.re, both.eps), (0.0, 1.0));
    let exponent_only = first("x^y", [0.0, 0.5, 0.0], [0.0, 1.0, 0.0]);
    assert_eq!((exponent_only.re, exponent_only.eps), (0.0, 0.0));
    let undefined = first("x^y", [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    assert_eq!(undefined.re, 1.0);
    assert!(undefined.eps.is_nan());
    assert_eq!(value_at("x^-1", [0.0; 3]), f64::INFINITY);
}

#[test]
fn an_argument_that_does_not_vary_has_no_singular_derivative() {
    let texts = [
        ("sqrt(x) + y", 0.0, 0.0),
        ("cbrt(x) + y", 0.0, 0.0),
        ("x^0.5 + y", 0.0, 0.0),
        ("acos(x) + y", 1.0, 0.0),
        ("asin(x) + y", 1.0, std::f64::consts::FRAC_PI_2),
        ("acosh(x) + y", 1.0, 0.0),
        ("hypot(x, x) + y", 0.0, 0.0),
        ("atan2(x, x) + y", 0.0, 0.0),
        ("max(-y - 1, 0)^1.5 + y", 0.0, 0.0),
        ("sqrt(max(-y - 1, 0)) + y", 0.0, 0.0),
    ];
    for (text, x, expected) in texts {
        let jet = first(text, [x, 0.0, 0.0], [0.0, 1.0, 0.0]);
        assert_eq!((jet.re, jet.eps), (expected, 1.0), "{text}");
        let twice: Dual2_64 = value_at(text, [Dual2::from(x), Dual2::new(0.0, 1.0, 0.0), Dual2::from(0.0)]);
        assert_eq!((twice.re, twice.v1, twice.v2), (expected, 1.0, 0.0), "{text}");
        let inner = Dual::new(Dual::new(0.0, 1.0), Dual::from(1.0));
        let nested: Dual<Dual64> = value_at(text, [Dual::from(x), inner, Dual::from(0.0)]);
        assert_eq!(
            (nested.re.re, nested.re.eps, nested.eps.re, nested.eps.eps),
            (expected, 1.0, 1.0, 0.0),
            "{text}"
        );
    }
}

#[test]
fn an_undefined_derivative_is_never_a_made_up_zero() {
    let texts = [
        ("sqrt(x)", 0.0),
        ("cbrt(x)", 0.0),
        ("hypot(x, x)", 0.0),
        ("hypot(x, y)", 0.0),
        ("atan2(x, x)", 0.0),
        ("acos(x)", 1.0),
        ("asin(x)", -1.0),
        ("acosh(x)", 1.0),
        ("log(x)", 0.0),
        ("1/x", 0.0),
    ];
    for (text, x) in texts {
        let jet = first(text, [x, 0.0, 0.0], [1.0, 0.0, 0.0]);
        assert!(!jet.eps.is_finite(), "{text}: {jet}");
        let real = value_at(text, [x, 0.0, 0.0]);
        assert!(jet.re == real || !real.is_finite(), "{text}: {jet} instead of {real}");
    }
}

#[test]
fn kinks_take_the_documented_branch() {
    assert_eq!(first("abs(x)", [0.0; 3], [1.0; 3]).eps, 1.0);
    assert_eq!(first("min(x, -x)", [0.0; 3], [1.0; 3]).eps, 1.0);
    assert_eq!(first("max(-x, x)", [0.0; 3], [1.0; 3]).eps, -1.0);
    assert_eq!(value_at("sign(x)", [0.0; 3]), 0.0);
    assert_eq!(value_at("sign(x)", [-0.0; 3]), 0.0);
    assert_eq!(value_at("step(x)", [0.0; 3]), 1.0);
    assert_eq!(value_at("step(x)", [-1e-300; 3]), 0.0);
    for text in ["sign(x)", "step(x)"] {
        assert_eq!(first(text, [0.0; 3], [1.0; 3]).eps, 0.0);
    }
}

#[test]
fn atan2_turns_through_every_quadrant_and_axis() {
    for degrees in (-175..=180).step_by(5) {
        let angle = f64::from(degrees).to_radians();
        let (mut y, mut x) = angle.sin_cos();
        if degrees % 90 == 0 {
            (y, x) = (y.round(), x.round());
        }
        // Moving along the tangent (-y, x) turns by one radian per unit, along the radius not at all.
        let turning = first("atan2(y, x)", [x, y, 0.0], [-y, x, 0.0]);
        assert_eq!(turning.re, y.atan2(x), "{degrees}");
        assert_close(turning.eps, 1.0, 1e-14, "tangent");
        let leaving = first("atan2(y, x)", [x, y, 0.0], [x, y, 0.0]);
        assert!(leaving.eps.abs() < 1e-15, "{degrees}: {leaving}");
    }
}

#[test]
fn large_and_small_arguments_do_not_overflow_inside() {
    for x in [1e3, -1e3, 1e200] {
        let jet = first("tanh(x)", [x, 0.0, 0.0], [1.0, 0.0, 0.0]);
        assert_eq!((jet.re, jet.eps), (x.signum(), 0.0), "{x}");
    }
    let tiny = first("tanh(x)", [1e-12, 0.0, 0.0], [1.0, 0.0, 0.0]);
    assert_eq!(tiny.re, 1e-12);
    assert_close(tiny.eps, 1.0, 1e-15, "tanh");
    for scale in [1e-200, 1e200] {
        let jet = first("hypot(x, y)", [3.0 * scale, 4.0 * scale, 0.0], [1.0, 0.0, 0.0]);
        assert_close(jet.re / scale, 5.0, 1e-15, "hypot");
        assert_close(jet.eps, 0.6, 1e-15, "hypot");
    }
    let root = first("x^0.5", [1e-200, 0.0, 0.0], [1e-200, 0.0, 0.0]);
    assert_eq!(root.re, 1e-100);
    assert_close(root.eps * 1e100, 0.5, 1e-14, "root");
    let inverse = first("x^-3", [1e-80, 0.0, 0.0], [1e-80, 0.0, 0.0]);
    assert_close(inverse.re, 1e240, 1e-14, "inverse");
    assert_close(inverse.eps, -3e240, 1e-14, "inverse");
    let vanishing = first("x^-30", [1e20, 0.0, 0.0], [1.0, 0.0, 0.0]);
    assert_eq!((vanishing.re, vanishing.eps), (0.0, -0.0));
}

#[test]
fn one_pass_back_makes_up_no_derivative_and_loses_none() {
    let slopes = |text: &str, values: &[f64]| parsed(text).slopes(values);
    assert!(!slopes("sqrt(x)^2", &[0.0])[0].is_finite(), "the derivative is one");
    assert!(!slopes("x*sqrt(y)", &[0.0, 0.0])[1].is_finite());
    assert!(!slopes("hypot(x, y)", &[0.0, 0.0])[0].is_finite());
    assert_eq!(
        slopes("max(-x, 0)^1.5 + max(y, sqrt(x))", &[0.0, 2.0]),
        [0.0, 1.0],
        "branches that are not taken"
    );
    assert_eq!(slopes("sqrt(max(x, 0)) + x", &[-1.0]), [1.0]);
    assert_eq!(slopes("x*y*x - hypot(3*x, 4*x, z)/z", &[2.0, 5.0, 0.5])[1], 4.0);
}
