//! What is no surface, and motions without one outcome, are refused by name.

use costate::error::ErrorKind;

use crate::support::{failure, planar, run, spatial};

fn refused(surface: &str) -> (ErrorKind, String) {
    let fields = format!(
        r#"points: {{ "P": (at: [0, 3], velocity: [0, -1], mass: 1), "Q": (at: [0, 9], mass: 1) }}, ground: {{ "O": [1, 9] }},
        bodies: {{ "rod": Bar(from: "O", to: "Q", length: 1) }},
        contacts: {{ "wall": Touch(point: "P", surface: {surface}, law: Restitution(1)) }},"#
    );
    let error = failure(&planar(5.0, &fields));
    assert!(error.advice().is_some() && error.line().is_some(), "{error}");
    (error.kind(), error.to_string())
}

#[test]
fn points_that_make_no_surface() {
    for (surface, words) in [
        ("Polyline(points: [[0, 0]])", "a surface through 1 points"),
        (
            "Polyline(points: [[0, 0], [1, 0]], closed: true)",
            "a surface through 2 points",
        ),
        ("Spline(points: [[0, 0], [1, 0]])", "a surface through 2 points"),
        ("Polyline(points: [[0, 0], [0, 0]])", "no direction"),
        ("Polyline(points: [[0, 0], [1, 0], [1, 0], [2, 1]])", "no direction"),
        ("Polyline(points: [[0, 0], [1, 0], [0.5, 0]])", "turns back"),
        ("Polyline(points: [[0, 0], [1, 0, 0]])", "has 3 components"),
        (r#"Polyline(points: [[0, 0], [1, 0]], on: "P")"#, "`P` is a point"),
    ] {
        let (kind, message) = refused(surface);
        assert_eq!(kind, ErrorKind::Scene, "{message}");
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn surfaces_through_points_are_planar() {
    let fields = r#"points: { "P": (at: [0, 3, 0], mass: 1) },
        contacts: { "wall": Touch(point: "P", surface: Polyline(points: [[0, 0, 0], [1, 0, 0]]), law: Restitution(1)) },"#;
    assert_eq!(failure(&spatial(1.0, fields)).kind(), ErrorKind::Scene);
}

#[test]
fn a_start_within_the_surface() {
    let fields = r#"points: { "P": (at: [0, 0.05], mass: 1) },
        contacts: { "wall": Touch(point: "P", radius: 0.1, surface: Polyline(points: [[-1, 0], [1, 0]]), law: Restitution(1)) },"#;
    let error = failure(&planar(1.0, fields));
    assert!(
        error.message().contains("starts with a penetration of 5.000e-2"),
        "{error}"
    );
}

#[test]
fn a_bare_point_that_strikes_the_end_of_a_surface() {
    let (kind, message) = refused("Polyline(points: [[-2, 0], [0, 0]])");
    assert_eq!(kind, ErrorKind::Event);
    assert!(message.contains("wall"), "{message}");
}

#[test]
fn a_curve_that_turns_more_sharply_than_the_circle_in_it() {
    let cup = |radius: f64, points: &str| {
        planar(
            1.0,
            &format!(
                r#"points: {{ "P": (at: [0, 3], mass: 1) }},
                contacts: {{ "cup": Touch(point: "P", radius: {radius}, surface: Spline(points: [{points}]), law: Restitution(0)) }},"#
            ),
        )
    };
    let (left_to_right, back) = ("[-1, 1], [0, 0], [1, 1]", "[1, 1], [0, 0], [-1, 1]");
    // The natural spline through them has the curvature 3 at its lowest point.
    let error = failure(&cup(0.334, left_to_right));
    assert_eq!(error.kind(), ErrorKind::Scene);
    assert!(error.message().contains("radius of 3.3333e-1 m"), "{error}");
    assert!(error.line().is_some() && error.advice().is_some());
    run(&cup(0.333, left_to_right));
    // It turns away from what is on its other side.
    run(&cup(0.5, back).replace("[0, 3]", "[0, -3]"));
}
