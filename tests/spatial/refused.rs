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
