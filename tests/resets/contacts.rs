//! Contacts where positions and velocities are set.

use costate::scene::schema::FormulationKind::Nullspace;

use crate::support::*;

/// A ball that lies on a floor with a slope when an event acts on it.
fn lying(then: &str, slope: f64, duration: f64) -> String {
    let fields = format!(
        r#"parameters: {{ "h": 1.0, "f": 0.0 }}, gravity: [0, -9.81],
        points: {{ "P": (at: [0, 0.2], velocity: [0.3, 0], mass: 1) }},
        contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, "f"], normal: [{slope}, 1]), law: Restitution(0)) }},
        events: {{ "set": (when: At(0.7), then: [{then}]) }},
        outputs: {{ "x": "P.x", "y": "P.y", "vy": "P.vy" }}, objectives: {{ "end": Final("P.x + P.y") }},"#
    );
    planar(duration, &fields)
}

#[test]
fn what_lies_is_lifted_and_falls() {
    let report = run(&lying(r#"Reset("P.y", "h")"#, 0.0, 1.0));
    assert!(
        happenings(&report).contains(&("floor", "release")),
        "{:?}",
        happenings(&report)
    );
    close("y", output(&report, "y"), 1.0 - 0.5 * G * 0.09, 1e-11);
}

#[test]
fn what_lies_is_thrown() {
    let report = run(&lying(r#"Reset("P.vy", 3)"#, 0.0, 1.0));
    close("y", output(&report, "y"), 0.9 - 0.5 * G * 0.09, 1e-11);
}

#[test]
fn what_lies_stays_on_its_surface_where_it_can() {
    let report = run(&lying(r#"Reset("P.x", "P.x + h")"#, 0.2, 0.7 + 1e-9));
    assert!(!happenings(&report).contains(&("floor", "release")));
    close("gap", 0.2 * output(&report, "x") + output(&report, "y"), 0.0, 1e-12);
}

#[test]
fn what_lies_beside_it_goes_on_as_it_was() {
    let scene = lying(r#"Reset("P.y", "h")"#, 0.0, 1.0)
        .replace(r#"points: {"#, r#"points: { "Q": (at: [3, "f"], velocity: [0.5, 0], mass: 2),"#)
        .replace(
            r#"contacts: {"#,
            r#"contacts: { "other": Touch(point: "Q", surface: Plane(through: [0, "f"], normal: [0, 1]), law: Restitution(0)),"#,
        )
        .replace(r#""end": Final("P.x + P.y")"#, r#""end": Final("P.x + P.y + 10*Q.x + 100*Q.y")"#);
    let found = happenings(&run(&scene))
        .into_iter()
        .filter(|(name, _)| *name == "other")
        .count();
    assert_eq!(found, 0);
    let report = certified(&scene, Nullspace);
    all_close("by h and f", &report.objectives[0].gradient, &[1.0, 100.0], 1e-9);
}

#[test]
fn what_is_set_onto_a_surface_bounces_there() {
    let scene = lying(r#"Reset("P.y", 0), Reset("P.vy", -2)"#, 0.0, 0.8).replace("Restitution(0)", "Restitution(1)");
    let report = run(&scene);
    close("y", output(&report, "y"), 0.1 * 2.0 - 0.5 * G * 0.01, 1e-9);
}

#[test]
fn what_would_be_penetrated_is_named() {
    let error = failure(&lying(r#"Reset("P.y", "-h")"#, 0.0, 1.0));
    assert_eq!(error.name(), Some("set"));
    assert!(
        error.message().contains("\"floor\" would be penetrated by 1.000e0"),
        "{error}"
    );
    let error = failure(&lying(r#"Reset("P.vy", "-h")"#, 0.0, 1.0));
    assert!(
        error
            .message()
            .contains("\"P.vy\" forces the mechanism through \"floor\""),
        "{error}"
    );
}

#[test]
fn a_body_on_two_feet_is_lifted_off_both() {
    let fields = r#"gravity: [0, -9.81], parameters: { "h": 0.5 },
        bodies: { "box": Rigid(mass: 2, inertia: 0.1, at: [0, 0.1, 0], markers: { "left": [-0.2, -0.1], "right": [0.2, -0.1] }) },
        contacts: {
            "left foot": Touch(point: "box.left", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0)),
            "right foot": Touch(point: "box.right", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0)),
        },
        events: { "set": (when: At(0.5), then: [Reset("box.y", "h"), Reset("box.omega", 2)]) },
        outputs: { "y": "box.y", "angle": "box.angle" },"#;
    let report = run(&planar(0.6, fields));
    close("y", output(&report, "y"), 0.5 - 0.005 * G, 1e-11);
    close("angle", output(&report, "angle"), 0.2, 1e-11);
}
