//! Starts where joints depend on each other for an instant: refused with the ways on; redundant joints are not meant.

use costate::error::{Error, ErrorKind};

use crate::element_support::planar;
use crate::{assembled, refused};

/// A four-bar along the x axis, a parallelogram or crossed, with the height of the guess of its crank.
fn four_bar(height: f64) -> String {
    planar(&format!(
        r#"ground: {{ "A": [0, 0], "B": [2, 0] }},
        points: {{ "P": (guess: [1, {height}], hold: [Y], mass: 1), "Q": (guess: [3, {height}], mass: 1), "R": (guess: [3, -1], mass: 1) }},
        bodies: {{
            "crank": Bar(from: "A", to: "P", length: 1, mass: 1), "coupler": Bar(from: "P", to: "Q", length: 2, mass: 1),
            "rocker": Bar(from: "B", to: "Q", length: 1, mass: 1), "pendulum": Bar(from: "Q", to: "R", length: 1, mass: 1),
        }},"#
    ))
}

/// A point between two bars over a ground of 2.
fn toggle(length: &str, guess: [f64; 2]) -> String {
    planar(&format!(
        r#"ground: {{ "A": [0, 0], "B": [2, 0] }}, points: {{ "P": (guess: {guess:?}, mass: 1) }},
        bodies: {{ "left": Bar(from: "A", to: "P", length: {length}, mass: 1), "right": Bar(from: "P", to: "B", length: 1, mass: 1) }},"#
    ))
}

fn assert_says(error: &Error, parts: &[&str]) {
    assert_eq!(error.kind(), ErrorKind::Assembly);
    for part in parts {
        assert!(error.message().contains(part), "no {part} in: {error}");
    }
    assert!(error.advice().is_some(), "{error}");
}

#[test]
fn where_a_linkage_branches_the_motions_are_named() {
    let error = refused(&four_bar(0.0));
    // 3 P.y^2 - 2 P.y Q.y - Q.y^2 = (3 P.y + Q.y) (P.y - Q.y): the height of the parallelogram or of the crossed linkage.
    let motions = ["P.y 1, Q.y 1", "P.y -0.3333, Q.y 1"];
    assert_says(
        &error,
        &["\"crank\"", "\"coupler\"", "\"rocker\"", motions[0], motions[1]],
    );
    assert!(!error.message().contains("pendulum"), "{error}");
}

#[test]
fn what_is_stretched_to_its_limit_is_named() {
    for guess in [[1.0, 0.0], [1.0, 0.001], [1.2, 0.5], [0.7, -2.0]] {
        let error = refused(&toggle("1", guess));
        assert_says(&error, &["\"left\"", "\"right\"", "limit", "P.y 1"]);
    }
}

#[test]
fn positions_near_a_singular_one_are_not_refused() {
    assembled(&toggle("1.0000000001", [1.0, 0.001]));
    assembled(&four_bar(1e-5));
}

#[test]
fn redundant_joints_are_not_singular() {
    // Three parallel links of a length carry a beam: one of them is redundant wherever the beam goes.
    assembled(&planar(
        r#"ground: { "A": [-1, 0], "B": [0, 0], "C": [1, 0] },
        bodies: { "beam": Rigid(mass: 1, inertia: 0.1, guess: [0.7, 0.6, 0.1], markers: { "a": [-1, 0], "b": [0, 0], "c": [1, 0] }) },
        joints: {
            "left": Link(from: "A", to: "beam.a", length: 1), "middle": Link(from: "B", to: "beam.b", length: 1),
            "right": Link(from: "C", to: "beam.c", length: 1),
        },"#,
    ));
}

#[test]
fn dead_centres_are_not_singular() {
    assembled(&planar(
        r#"ground: { "A": [0, 0], "E": [1, 0] }, points: { "P": (at: [1, 0], velocity: [0, 2], mass: 1), "S": (guess: [3, 0], mass: 1) },
        bodies: { "crank": Bar(from: "A", to: "P", length: 1, mass: 1), "rod": Bar(from: "P", to: "S", length: 2, mass: 1) },
        joints: { "guide": PointOnLine(point: "S", line: Through("A", "E")) },"#,
    ));
}
