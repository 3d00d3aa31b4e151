//! Spatial joints vanish at a configuration closed by hand; kinds of the plane are refused there.

use costate::model::{CoordinateKind, Model, Start};

use crate::{assert_rows, compiled, compiled_with, coordinate, number, positions, refused, spatial};

const PARTS: &str = r#"
  parameters: { "h": 2 },
  ground: { "A": [0, 0, 0], "B": [0, 0, "h"] },
  points: { "P": (guess: [1, 2, 2]), "Q": (guess: [0, 0, 1], mass: 1) },
  bodies: { "bar": Bar(from: "A", to: "P", length: 3, mass: 1, markers: { "m": [1.5] }) },
"#;

fn with_joint(joint: &str) -> Model {
    compiled(&spatial(&format!("{PARTS} joints: {{ \"j\": {joint} }},"))).model
}

const Q: [(&str, f64); 6] = [
    ("P.x", 1.0),
    ("P.y", 2.0),
    ("P.z", 2.0),
    ("Q.x", 0.0),
    ("Q.y", 0.0),
    ("Q.z", 1.0),
];

#[test]
fn spatial_joints_are_closed() {
    let closed = [
        (r#"Link(from: "P", to: "A", length: 3)"#, 1),
        (
            r#"PointOnPlane(point: "P", through: [9, 9, "h"], normal: [0, 0, -4])"#,
            1,
        ),
        (r#"DriveDistance(between: ("Q", "A"), distance: "1 + t")"#, 1),
        (r#"DriveCoordinate(coordinate: "P.z", value: "h")"#, 1),
        (r#"Coupling(terms: [("P.x", 2), ("P.y", -1)])"#, 1),
    ];
    for (joint, rows) in closed {
        let model = with_joint(joint);
        assert_rows(&model, "j", 0.0, &positions(&model, &Q), &vec![0.0; rows]);
    }
    let model = with_joint(r#"Spherical(between: ("Q", "bar.m"))"#);
    assert_rows(&model, "j", 0.0, &positions(&model, &Q), &[0.5, 1.0, 0.0]);
    let model = with_joint(r#"PointOnPlane(point: "P", through: [0, 0, 0], normal: [0, 0, -4])"#);
    assert_rows(&model, "j", 0.0, &positions(&model, &Q), &[-2.0]);
    assert_rows(&model, "bar", 0.0, &positions(&model, &Q), &[0.0]);
}

#[test]
fn a_point_on_a_line_in_space_has_its_place_along_the_line_as_a_coordinate() {
    for line in [
        r#"Through("A", "B")"#,
        r#"Fixed(through: [0, 0, 0], direction: [0, 0, "h"])"#,
    ] {
        let model = with_joint(&format!(r#"PointOnLine(point: "Q", line: {line})"#));
        let fraction = &model.coordinates[coordinate(&model, "j.fraction")];
        assert_eq!(
            (fraction.kind, fraction.weight, fraction.held),
            (CoordinateKind::Fraction, 0.0, false)
        );
        assert!(matches!(fraction.start, Start::LineFraction(index) if model.constraints[index].name == "j"));
        let mut q = Q.to_vec();
        q.push(("j.fraction", 0.5));
        assert_rows(&model, "j", 0.0, &positions(&model, &q), &[0.0; 3]);
        q[6].1 = 0.75;
        assert_rows(&model, "j", 0.0, &positions(&model, &q), &[0.0, 0.0, 0.5]);
    }
    let model = with_joint(r#"PointOnLine(point: "Q", line: Fixed(through: [0, 0, "h"], direction: [0, 0, "h"]))"#);
    let ahead = &model.numbers[number(&model, "j.line.through + direction.z")];
    assert_eq!((ahead.value, ahead.gradient.as_slice()), (4.0, &[(0, 2.0)][..]));
}

#[test]
fn bars_in_space_have_markers_and_lengths_but_no_angles() {
    let model = compiled(&spatial(&format!(
        "{PARTS} outputs: {{ \"a\": \"bar.m.vz + bar.length + bar.force\" }},"
    )))
    .model;
    assert_eq!(model.nq(), 6);
    let fields = |rest: &str| spatial(&format!("{PARTS} {rest}"));
    refused(
        &fields(r#"outputs: { "a": "bar.angle" },"#),
        "bar.angle",
        &["no quantity `angle`", "`force`"],
    );
    refused(
        &fields(r#"joints: { "j": DriveAngle(body: "bar", angle: 1) },"#),
        r#""bar""#,
        &["only in planar scenes", "a joint with an angle"],
    );
}

#[test]
fn kinds_of_the_plane_are_refused_in_space_with_advice() {
    let joints = [
        (r#"Revolute(between: ("P", "Q"))"#, "Spherical"),
        (
            r#"Revolute(between: ("P", "Q"), axis: [0, 0, 1])"#,
            "has no orientation",
        ),
        (
            r#"Prismatic(between: ("A", "bar.m"), direction: [1, 0, 0])"#,
            "PointOnPlane",
        ),
        (r#"Weld(between: ("A", "bar.m"))"#, "Spherical"),
        (r#"Gear(between: ("bar", "bar"), ratio: 1)"#, "a joint with an angle"),
    ];
    let forces = [
        (
            r#"TorsionSpring(between: ("ground", "bar"), stiffness: 1)"#,
            "a joint with an angle",
        ),
        (
            r#"TorsionDamper(between: ("ground", "bar"), damping: 1)"#,
            "a joint with an angle",
        ),
        (r#"Torque(on: "bar", torque: 1)"#, "a joint with an angle"),
    ];
    let joints = joints.map(|(joint, advice)| (format!(r#"joints: {{ "j": {joint} }},"#), advice));
    let forces = forces.map(|(force, advice)| (format!(r#"forces: {{ "f": {force} }},"#), advice));
    for (fields, advice) in joints.into_iter().chain(forces) {
        let Err(error) = compiled_with(&spatial(&format!("{PARTS} {fields}")), &[]) else {
            panic!("compiled although wrong: {fields}");
        };
        let said = format!("{error} | {}", error.advice().unwrap_or_default());
        assert!(said.contains(advice) && error.place().is_some(), "{said}");
    }
    let body = r#"Rigid(mass: 1, inertia: 1, at: [0, 0, 0])"#;
    refused(
        &spatial(&format!("bodies: {{ \"b\": {body} }},")),
        body,
        &["only in planar scenes", "bars and points"],
    );
    refused(
        &spatial(r#"points: { "P": (guess: [0, 0, 0], hold: [Angle], mass: 1) },"#),
        "Angle",
        &["no coordinate `Angle`"],
    );
    let stuck = r#"Touch(point: "bar.m", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Stick)"#;
    refused(
        &spatial(&format!("{PARTS} contacts: {{ \"c\": {stuck} }},")),
        stuck,
        &["stick", "point"],
    );
    let switched = r#"PointOnLine(point: "Q", line: Through("A", "B"), active: false)"#;
    refused(
        &spatial(&format!("{PARTS} joints: {{ \"j\": {switched} }},")),
        "false",
        &["cannot be switched"],
    );
}
