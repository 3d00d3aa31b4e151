//! Drivers that leave a contact no admissible motion.

use costate::error::ErrorKind;

use crate::support::*;
use crate::{says, shown};

/// A rod on a pivot whose angle is prescribed.
fn driven_rod(angle: &str, contact: &str) -> String {
    planar(
        2.0,
        &format!(
            r#"ground: {{ "A": [0, 0] }},
            points: {{ "P": (guess: [1, 0], mass: 1) }},
            bodies: {{ "rod": Bar(from: "A", to: "P", length: 1, mass: 1) }},
            joints: {{ "motor": DriveAngle(body: "rod", angle: "{angle}") }},
            contacts: {{ "stop": {contact} }},"#
        ),
    )
}

#[track_caller]
fn check_forced(text: &str, time: f64) {
    let error = failure(text);
    assert_eq!(
        (error.kind(), error.name()),
        (ErrorKind::Event, Some("stop")),
        "{error}"
    );
    says(
        &error,
        &[
            "\"motor\" forces the mechanism through \"stop\"",
            "no admissible motion",
        ],
    );
    assert_eq!(shown(&error), "\"stop\"");
    close("time", error.time().expect("a time"), time, 1e-9);
}

#[test]
fn a_driver_that_forces_the_mechanism_through_a_stop_is_told_so_under_every_law() {
    for law in [
        "Restitution(0.5)",
        "Restitution(0)",
        "Flip",
        "FlipKeeping([])",
        "Stick",
        "StickUntil(3)",
    ] {
        check_forced(
            &driven_rod("t", &format!(r#"Limit(of: Angle("rod"), at_most: 1, law: {law})"#)),
            1.0,
        );
    }
    let wall = r#"Touch(point: "P", surface: Plane(through: [0.5, 0], normal: [1, 0]), law: Restitution(0.5))"#;
    check_forced(&driven_rod("t", wall), (0.5_f64).acos());
}

#[test]
fn a_driver_that_leaves_a_stop_from_rest_in_the_wrong_direction_is_told_so() {
    check_forced(
        &driven_rod(
            "1 + t^2",
            r#"Limit(of: Angle("rod"), at_most: 1, law: Restitution(0.5))"#,
        ),
        0.0,
    );
}

#[test]
fn a_driven_linkage_that_strikes_a_stop_names_the_driver_and_not_the_bars() {
    let text = planar(
        2.0,
        r#"ground: { "A": [0, 0], "B": [2, 0] },
        points: { "P": (guess: [0, 1], mass: 1), "Q": (guess: [2, 1.5], mass: 1) },
        bodies: {
            "crank": Bar(from: "A", to: "P", length: 1, mass: 1),
            "coupler": Bar(from: "P", to: "Q", length: 2.2, mass: 1),
            "rocker": Bar(from: "B", to: "Q", length: 1.5, mass: 1),
        },
        joints: { "motor": DriveAngle(body: "crank", angle: "pi/2 + t") },
        contacts: { "stop": Limit(of: Coordinate("Q.x"), at_least: 1.6, law: Restitution(0.5)) },"#,
    );
    let error = failure(&text);
    says(&error, &["\"motor\" forces the mechanism through \"stop\""]);
}

#[test]
fn a_driver_that_turns_back_in_time_passes() {
    let text = driven_rod(
        "0.9*sin(t)",
        r#"Limit(of: Angle("rod"), at_most: 1, law: Restitution(0.5))"#,
    );
    assert!(report(&experiment(&text, &tight())).events.is_empty());
}

#[test]
fn drivers_that_come_to_contradict_each_other_are_both_named() {
    let error = failure(
        r#"Scene(name: "two drivers", space: Planar, gravity: [0, -9.81], ground: { "A": [0, 0] }, points: { "P": (guess: [1, 0], mass: 1) },
        joints: { "l": DriveDistance(between: ("A", "P"), distance: "1 + t^3"), "m": DriveDistance(between: ("A", "P"), distance: "1 + t^4") },
        simulation: (duration: 1))"#,
    );
    let said = error.to_string();
    assert!(
        said.contains("\"l\"") && said.contains("\"m\"") && said.contains("contradict"),
        "{said}"
    );
    assert!((error.time().unwrap() - 1e-3).abs() < 1e-4, "{said}");
}

#[test]
fn a_driver_past_the_reach_of_the_mechanism_is_named_with_the_joints_and_the_time() {
    let error = failure(
        r#"Scene(name: "reach", space: Planar, ground: { "O": [0, 0] },
        points: { "A": (guess: [0.5, 0.8], mass: 1), "P": (guess: [1, 0], mass: 1) },
        joints: { "crank": Link(from: "O", to: "A", length: 1), "rod": Link(from: "A", to: "P", length: 1),
            "push": DriveDistance(between: ("O", "P"), distance: "1 + t"),
            "rail": PointOnLine(point: "P", line: Fixed(through: [0, 0], direction: [1, 0])) },
        simulation: (duration: 3))"#,
    );
    let said = error.to_string();
    for word in ["\"push\"", "\"crank\"", "\"rod\"", "dead centre"] {
        assert!(said.contains(word), "{said}");
    }
    assert!((error.time().unwrap() - 1.0).abs() < 1e-6, "{said}");
}
