//! Quadratic drag has a kink of its second derivative where the motion turns round.

use costate::error::ErrorKind;

use crate::support::{experiment, planar, tight};
use crate::{agrees_with_quotients, hessian};

/// A point with drag that grows with the square of its speed.
fn dragged(gravity: f64, velocity: [&str; 2], forces: &str) -> String {
    planar(
        1.0,
        &format!(
            r#"gravity: [0, {gravity}], parameters: {{ "v": 3.0, "c": 0.4, "u": 0.1, "still": 0.0 }},
            points: {{ "P": (at: [0, 0], velocity: ["{}", "{}"], mass: 1) }},
            forces: {{ "air": Drag(at: "P", quadratic: "c"), {forces} }},
            objectives: {{ "x": Final("P.x"), "y": Final("P.y^2"), "v": Final("P.vy") }},"#,
            velocity[0], velocity[1]
        ),
    )
}

#[test]
fn second_derivatives_through_a_turn_are_those_of_quotients() {
    // Straight up and down through rest, and past it.
    for text in [dragged(-9.81, ["still", "v"], ""), dragged(-9.81, ["u", "v"], "")] {
        agrees_with_quotients(&experiment(&text, &tight()), 1e-3, 1e-5);
    }
}

#[test]
fn a_start_from_rest_has_second_derivatives() {
    agrees_with_quotients(
        &experiment(&dragged(-9.81, ["still", "still"], ""), &tight()),
        1e-3,
        1e-4,
    );
}

/// x = ln(1 + c u t)/c for u > 0 is odd in u: its second derivative by u is -c t^2 on one side and c t^2 on the other.
#[test]
fn what_rests_under_quadratic_drag_has_no_second_derivatives() {
    let scene = experiment(&dragged(0.0, ["still", "still"], ""), &tight());
    let error = scene.hessian(&|_| {}).expect_err("no second derivatives");
    assert_eq!((error.kind(), error.name()), (ErrorKind::Event, Some("air")), "{error}");
    assert!(error.advice().is_some());
    let _ = hessian(&experiment(&dragged(0.0, ["u", "still"], ""), &tight()));
    // No parameter moves it.
    let idle = dragged(0.0, ["0*still", "0*v"], "");
    let _ = hessian(&experiment(&idle, &tight()));
}
