//! What is not possible with rigid bodies in space yet is refused by name, with advice.

use costate::error::Error;

use crate::support::{failure, spatial};

const STONE: &str = r#"
    ground: { "O": [0, 0, 0], "A": [1, 0, 0] },
    points: { "P": (at: [2, 0, 0], mass: 1) },
    bodies: { "stone": Solid(mass: 1, inertia: [0.1, 0.2, 0.25, 0, 0, 0], at: [0, 0, 1], angular_velocity: [1, 2, 3], markers: { "m": [0.1, 0, 0], "n": [0, 0.1, 0] }) },
"#;

fn scene(fields: &str) -> String {
    spatial(0.5, &format!("{STONE} {fields}"))
}

#[track_caller]
fn assert_refused(error: &Error, words: &[&str]) {
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "{text}");
    }
    assert!(error.advice().is_some_and(|advice| advice.len() > 10), "{text}");
}

#[test]
fn what_reads_angles_is_refused_where_it_is_written() {
    for (fields, word) in [
        (
            r#"forces: { "t": TorsionSpring(between: ("stone", "ground"), stiffness: 1, natural_angle: 0) },"#,
            "no angle",
        ),
        (r#"outputs: { "a": "stone.angle" },"#, "angle"),
    ] {
        assert_refused(&failure(&scene(fields)), &[word]);
    }
}

#[test]
fn torques_take_two_angles_or_two_positions() {
    let tube = r#"joints: { "tube": Cylindrical(between: ("O", "stone.m"), axis: [1, 0, 0]) },"#;
    for (forces, words) in [
        (
            r#"forces: { "t": Torque(on: "tube.position", from: "tube.angle", torque: 1) },"#,
            ["tube.position", "tube.angle"],
        ),
        (
            r#"forces: { "t": Torque(on: "stone.q1", torque: 1) },"#,
            ["stone.q1", "neither"],
        ),
    ] {
        assert_refused(&failure(&scene(&format!("{tube}{forces}"))), &words);
    }
}

/// A shaft that swings about the end of another, in a plane.
#[test]
fn shafts_of_constant_velocity_that_fold_back_are_named() {
    let text = spatial(
        2.0,
        r#"
        ground: { "O": [0, 0, 0] },
        bodies: { "shaft": Solid(mass: 1, inertia: [0.1, 0.1, 0.05, 0, 0, 0], guess: [0, 0, 0], angular_velocity: [2, "free", 0], markers: { "m": [0, 0, 1] }) },
        joints: { "knuckle": ConstantVelocity(between: ("O", "shaft.origin"), axis: [0, 0, 1]) },
        objectives: { "y": Final("shaft.m.y") },
        "#,
    );
    let error = failure(&text);
    assert_refused(&error, &["knuckle", "170 degrees"]);
    let folded = 170.0_f64.to_radians() / 2.0;
    assert!((error.time().unwrap() - folded).abs() < 1e-8, "{error}");
}
