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

/// With a third corner the normal forces are not unique, the motion is: it slides as with two.
#[test]
fn a_third_corner_changes_nothing() {
    let text = |corners: &[(&str, f64)]| {
        let marker = |(name, x): &(&str, f64)| format!("\"{name}\": [{x}, -0.2], ");
        let contact = |(name, _): &(&str, f64)| {
            format!(
                r#""{name}": Touch(point: "p.{name}", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu")), "#
            )
        };
        planar(
            1.0,
            &format!(
                r#"gravity: [0, -9.81], parameters: {{ "mu": 0.3, "v": 2.0 }},
                bodies: {{ "p": Rigid(mass: 1, inertia: 0.1, at: [0, 0.2, 0], velocity: ["v", 0, 0], markers: {{ {} }}) }},
                contacts: {{ {} }},
                objectives: {{ "x": Final("p.x") }},"#,
                corners.iter().map(marker).collect::<String>(),
                corners.iter().map(contact).collect::<String>(),
            ),
        )
    };
    let two = [("a", -0.3), ("c", 0.3)];
    let three = [("a", -0.3), ("b", 0.1), ("c", 0.3)];
    let [two, three] = [&two[..], &three[..]].map(|corners| {
        let experiment = experiment(&text(corners), &tight());
        experiment.gradient(Method::Adjoint).unwrap().objectives.remove(0)
    });
    close("x", two.value, 4.0 / (2.0 * 0.3 * 9.81), 1e-12);
    close("x", three.value, two.value, 1e-12);
    for (a, b) in three.gradient.iter().zip(&two.gradient) {
        assert!((a - b).abs() < 1e-11, "{a} {b}");
    }
}

/// Balls that roll against each other on a rough floor: what sticks at their rims, the floor prevents from moving already.
#[test]
fn balls_on_a_floor_push_each_other() {
    let floor = |ball: &str| {
        format!(
            r#""floor {ball}": Touch(point: "{ball}", radius: 0.1, surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: 0.05)),"#
        )
    };
    let text = planar(
        2.0,
        &format!(
            r#"gravity: [0, -9.81], parameters: {{ "mu": 0.3, "v": 1.0 }},
            points: {{ "A": (at: [0, 0.1], velocity: ["v", 0], mass: 1), "B": (at: [0.5, 0.1], mass: 1), "C": (at: [0.75, 0.1], mass: 2) }},
            contacts: {{
                "balls": Among(circles: [("A", 0.1), ("B", 0.1), ("C", 0.1)], law: Friction(coefficient: "mu", restitution: 0.5)),
                {}{}{}
            }},
            objectives: {{ "x": Final("C.x"), "a": Final("A.x") }},"#,
            floor("A"),
            floor("B"),
            floor("C"),
        ),
    );
    let experiment = experiment(&text, &tight());
    let [adjoint, forward] = [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method).unwrap());
    for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
        assert!(b.gradient[1].abs() > 0.1);
        for (a, b) in a.gradient.iter().zip(&b.gradient) {
            assert!((a - b).abs() < 1e-10 * (1.0 + b.abs()), "{a} {b}");
        }
    }
}
