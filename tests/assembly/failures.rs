//! What is said when a mechanism does not close.

use costate::error::ErrorKind;

use crate::element_support::planar;
use crate::{assembled, refused};

#[test]
fn links_that_are_too_short_are_named_with_their_opening_and_the_nearest_configuration() {
    let error = refused(&planar(
        r#"ground: { "A": [0, 0], "B": [5, 0] }, points: { "P": (guess: [2, 1], mass: 1) },
        joints: { "left": Link(from: "A", to: "P", length: 2), "right": Link(from: "P", to: "B", length: 1) },"#,
    ));
    assert_eq!(error.kind(), ErrorKind::Assembly);
    assert!(["left", "right"].contains(&error.name().expect("a name")), "{error}");
    assert!(
        error.message().contains("\"left\"") || error.message().contains("\"right\""),
        "{error}"
    );
    // Two metres are missing: on the line between, the links together are open by that.
    let opening = error.value().expect("a value");
    assert!(opening > 0.3 && opening < 2.5, "{opening}");
    assert!(
        error.message().contains("P.x = ") && error.message().contains("P.y = "),
        "{error}"
    );
    assert!(error.advice().is_some(), "{error}");
}

#[test]
fn contradictory_lengths_name_both_joints() {
    let error = refused(&planar(
        r#"ground: { "A": [0, 0] }, points: { "P": (guess: [1, 0], mass: 1) },
        joints: { "short": Link(from: "A", to: "P", length: 1), "long": Link(from: "P", to: "A", length: 1.2) },"#,
    ));
    assert_eq!(error.kind(), ErrorKind::Assembly);
    let advice = error.advice().expect("advice");
    assert!(
        advice.contains("\"short\"") && advice.contains("\"long\"") && advice.contains("contradict"),
        "{advice}"
    );
    assert!(
        error.message().contains("\"short\"") || error.message().contains("\"long\""),
        "{error}"
    );
}

#[test]
fn a_joint_between_held_points_that_does_not_fit_is_named() {
    let error = refused(&planar(
        r#"points: { "P": (at: [0, 0], mass: 1), "Q": (at: [3, 4], mass: 1) }, joints: { "rod": Link(from: "P", to: "Q", length: 6) },"#,
    ));
    assert_eq!((error.kind(), error.name()), (ErrorKind::Assembly, Some("rod")));
    let opening = error.value().expect("a value");
    // c = 25 - 36 over the largest entry 8 of its row.
    assert!((opening - 11.0 / 8.0).abs() < 1e-9, "{opening}");
}

#[test]
fn a_driver_against_a_held_angle_is_named() {
    let error = refused(&planar(
        r#"ground: { "A": [0, 0] }, points: { "P": (guess: [1, 0]) },
        bodies: { "crank": Bar(from: "A", to: "P", length: 1, mass: 1, angle: 0.5) },
        joints: { "motor": DriveAngle(body: "crank", angle: "0.7 + t") },"#,
    ));
    assert_eq!((error.kind(), error.name()), (ErrorKind::Assembly, Some("motor")));
    assert!((error.value().expect("a value") - 0.2).abs() < 1e-9, "{error}");
}

#[test]
fn two_parts_of_a_large_mechanism_that_contradict_are_named_and_no_others() {
    let error = refused(&planar(
        r#"ground: { "A": [0, 0], "B": [4, 0] },
        points: { "P": (guess: [0.5, 1]), "Q": (guess: [3.5, 1.2]), "R": (guess: [2, 3], mass: 1) },
        bodies: {
          "crank": Bar(from: "A", to: "P", length: 1, mass: 1, angle: 1),
          "coupler": Bar(from: "P", to: "Q", length: 3, mass: 1),
          "rocker": Bar(from: "B", to: "Q", length: 1.5, mass: 1),
        },
        joints: { "hanger": Link(from: "Q", to: "R", length: 2), "tall stay": Link(from: "A", to: "R", length: 4),
                  "copy": Link(from: "R", to: "A", length: 4.5) },"#,
    ));
    let advice = error.advice().expect("advice");
    assert!(
        advice.contains("\"tall stay\"") && advice.contains("\"copy\""),
        "{advice}"
    );
    assert!(!advice.contains("hanger") && !advice.contains("coupler"), "{advice}");
}

#[test]
fn a_guess_out_of_all_proportion_is_named() {
    let scene = |guess: &str| {
        planar(&format!(
            r#"ground: {{ "A": [0, 0] }}, points: {{ "P": (guess: [1, {guess}], mass: 1) }},
            bodies: {{ "crank": Bar(from: "A", to: "P", length: 1, mass: 1) }},"#
        ))
    };
    assembled(&scene("-1e6"));
    let error = refused(&scene("1e12"));
    assert_eq!(
        (error.kind(), error.name()),
        (ErrorKind::Assembly, Some("P.y")),
        "{error}"
    );
}
