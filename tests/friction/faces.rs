//! Several contacts of one body on one face: only the sum of their friction is determined while they stick.

use costate::run::Method;

use crate::support::{close, experiment, happenings, objective, planar, report, tight, times};

/// A block on two corners on an incline.
fn block(fields: &str, duration: f64) -> String {
    planar(
        duration,
        &format!(
            r#"gravity: ["g*sin(theta)", "-g*cos(theta)"],
            parameters: {{ "m": 2.0, "b": 0.4, "h": 0.25, "theta": 0.3, "mu": 0.35, "ms": 0.4, "F": 0.0, "g": 9.81 }},
            bodies: {{ "block": Rigid(mass: "m", inertia: "m*(b^2 + h^2)/3", at: [0, "h", 0],
                markers: {{ "rear": ["-b", "-h"], "front": ["b", "-h"] }}) }},
            forces: {{ "pull": Load(at: "block.centre", force: ["F*t", 0]) }},
            contacts: {{
                "rear": Touch(point: "block.rear", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu", static: "ms")),
                "front": Touch(point: "block.front", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu", static: "ms")),
            }},
            {fields}"#
        ),
    )
}

const READ: &str = r#"objectives: { "x": Final("block.x"), "rear": Final("rear.friction"), "front": Final("front.friction"), "N": Final("rear.force"),
    "W": Integral("rear.heat + front.heat"), "a": Integral("block.angle") },"#;

#[test]
fn corners_that_stick_share_the_friction_as_they_are_pressed() {
    let found = report(&experiment(&block(READ, 1.0), &tight()));
    assert!(found.events.is_empty(), "{:?}", found.events);
    let weight = 2.0 * 9.81;
    let [rear, front, n] = ["rear", "front", "N"].map(|name| objective(&found, name));
    close("sum", rear + front, -weight * 0.3_f64.sin(), 1e-11);
    // Moments about the front corner.
    let own = weight * (0.3_f64.cos() - 0.3_f64.sin() * 0.25 / 0.4) / 2.0;
    close("normal force", n, own, 1e-11);
    close("share", rear / front, n / (weight * 0.3_f64.cos() - n), 1e-11);
    close("place", objective(&found, "x"), 0.0, 1e-15);
}

#[test]
fn a_block_breaks_away_slides_and_is_differentiated() {
    let text = block(READ, 1.2).replace("\"F\": 0.0", "\"F\": 4.0");
    let experiment = experiment(&text, &tight());
    let found = report(&experiment);
    assert_eq!(happenings(&found), [("rear", "slip")]);
    let (m, g, theta) = (2.0, 9.81, 0.3_f64);
    let start = m * g * (0.4 * theta.cos() - theta.sin()) / 4.0;
    close("time", times(&found)[0], start, 1e-12);
    let (left, rest) = (1.2 - start, g * (theta.sin() - 0.35 * theta.cos()) + 4.0 * start / m);
    close(
        "place",
        objective(&found, "x"),
        rest * left * left / 2.0 + 4.0 / m * left.powi(3) / 6.0,
        1e-11,
    );
    let [adjoint, forward] = [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method).unwrap());
    for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
        for (a, b) in a.gradient.iter().zip(&b.gradient) {
            assert!((a - b).abs() < 1e-10 * (1.0 + b.abs()), "{a} {b}");
        }
    }
}

/// With more friction it tips over its front corner instead: where the pull acts high enough, before it slides.
#[test]
fn a_block_that_sticks_tips_over_its_front_corner() {
    let text = block(READ, 1.2)
        .replace("\"F\": 0.0", "\"F\": 30.0")
        .replace("\"mu\": 0.35, \"ms\": 0.4", "\"mu\": 3.0, \"ms\": 3.0");
    let found = report(&experiment(&text, &tight()));
    assert_eq!(happenings(&found), [("rear", "release")]);
    // The normal force of the rear corner vanishes: m g cos b = (m g sin + F t) h.
    let time = 2.0 * 9.81 * (0.3_f64.cos() * 0.4 / 0.25 - 0.3_f64.sin()) / 30.0;
    close("time", times(&found)[0], time, 1e-12);
}
