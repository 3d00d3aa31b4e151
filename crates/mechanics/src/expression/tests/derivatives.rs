//! Derivatives of every function against central differences, and the kinds of dual numbers against each other.

use super::functions::{UNARY, assert_close, places};
use super::*;
use crate::scalar::{Dual, Dual2_64, Dual64};

/// Step of central differences: their error is about the square of it times the third derivative.
const STEP: f64 = 1e-5;

type Point = [f64; 3];

fn shifted(place: Point, direction: Point, by: f64) -> Point {
    std::array::from_fn(|i| place[i] + by * direction[i])
}

fn along(place: Point, direction: Point) -> [Dual64; 3] {
    std::array::from_fn(|i| Dual::new(place[i], direction[i]))
}

/// First and second derivative of `text` along a direction, checked against differences and each other.
fn checked_derivatives(text: &str, place: Point, direction: Point) -> (f64, f64) {
    let what = format!("{text} at {place:?} along {direction:?}");
    let first = |by: f64| value_at(text, along(shifted(place, direction, by), direction));
    let value = |by: f64| value_at(text, shifted(place, direction, by));
    let exact = first(0.0);
    let quotient = (value(STEP) - value(-STEP)) / (2.0 * STEP);
    assert_close(exact.eps, quotient, 1e-6, &what);

    let second: Dual2_64 = value_at(
        text,
        std::array::from_fn(|i| Dual2_64::new(place[i], direction[i], 0.0)),
    );
    let second_quotient = (first(STEP).eps - first(-STEP).eps) / (2.0 * STEP);
    assert_close(second.v1, exact.eps, 1e-13, &what);
    assert_close(second.v2, second_quotient, 1e-5, &what);

    let nested: Dual<Dual64> = value_at(
        text,
        std::array::from_fn(|i| Dual::new(Dual::new(place[i], direction[i]), Dual::new(direction[i], 0.0))),
    );
    assert_eq!(nested.re.re, exact.re, "{what}");
    assert_close(nested.re.eps, exact.eps, 1e-13, &what);
    assert_close(nested.eps.re, exact.eps, 1e-13, &what);
    assert_close(nested.eps.eps, second.v2, 1e-10, &what);
    (exact.eps, second.v2)
}

#[test]
fn functions_of_one_argument_are_differentiated_exactly() {
    for (name, low, high, _) in UNARY {
        for x in places(low, high) {
            let (first, second) = checked_derivatives(&format!("{name}(x)"), [x, 0.0, 0.0], [1.3, 0.0, 0.0]);
            let flat = matches!(name, "sign" | "step");
            assert_eq!(first == 0.0, flat, "{name} at {x}");
            assert_eq!(second == 0.0, flat || name == "abs", "{name} at {x}");
        }
    }
}

#[test]
fn functions_of_more_arguments_are_differentiated_exactly() {
    let texts = [
        "atan2(y, x)",
        "min(x, y*z)",
        "max(x, y, z)",
        "hypot(x, y)",
        "hypot(x, y, z)",
        "x*y/z - z + x",
        "(2 - x)/(y*3)/4",
        "sin(x*y)^2*exp(-z)",
        "tanh(x/z)*sqrt(1 + y^2)",
    ];
    for text in texts {
        for x in places(-3.0, 3.0).step_by(4) {
            for y in places(-2.0, 4.1).step_by(3) {
                checked_derivatives(text, [x, y, 1.7], [0.8, -0.5, 0.3]);
            }
        }
    }
}

#[test]
fn powers_are_differentiated_exactly() {
    for exponent in [
        "0",
        "1",
        "2",
        "3",
        "7",
        "-1",
        "-2",
        "-5",
        "33",
        "-40",
        "(x^0)",
        "2 + x - x",
    ] {
        for x in places(-1.6, 1.6).filter(|x| x.abs() > 0.7) {
            checked_derivatives(&format!("z + x^({exponent})"), [x, 0.0, 1.0], [1.0, 0.0, 0.0]);
        }
    }
    for exponent in ["0.5", "1.5", "-0.5", "2.25", "-3.7", "33.5", "y", "(x*y)", "z"] {
        for x in places(0.6, 1.6) {
            checked_derivatives(&format!("x^{exponent}"), [x, 1.3, 2.0], [0.8, -0.5, 0.3]);
        }
    }
}

#[test]
fn a_third_derivative_is_nested_once_more() {
    let twice = Dual::new(Dual::new(0.7, 1.0), Dual::from(1.0));
    let x = Dual::new(twice, Dual::from(1.0));
    let expression = parsed("x^4 + tanh(x)");
    let tanh = 0.7_f64.tanh();
    let tanh_third = -2.0 * (1.0 - tanh * tanh) * (1.0 - 3.0 * tanh * tanh);
    let third = expression.evaluate::<Dual<Dual<Dual64>>>(&[x]).eps.eps.eps;
    assert_close(third, 24.0 * 0.7 + tanh_third, 1e-13, "third derivative");
}

#[test]
fn the_gradient_of_a_known_formula_is_the_known_one() {
    let (x, y) = (1.25_f64, 0.4_f64);
    let gradient: [f64; 2] = std::array::from_fn(|i| {
        let mut seeds = [0.0; 3];
        seeds[i] = 1.0;
        value_at("x^2*sin(y) - 3/x", along([x, y, 0.0], seeds)).eps
    });
    assert_close(gradient[0], 2.0 * x * y.sin() + 3.0 / (x * x), 1e-15, "d/dx");
    assert_close(gradient[1], x * x * y.cos(), 1e-15, "d/dy");
}
