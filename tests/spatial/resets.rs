//! Positions that events set with rigid bodies in space: the nearest place in the metric of the masses, with the joints closed.

use costate::run::Method;
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::support::{agree, certified, close, experiment, failure, objective, report, spatial, tight, under};

#[test]
fn a_body_that_is_moved_turns_as_little_as_its_masses_ask_for() {
    let text = spatial(
        0.3,
        r#"bodies: { "b": Solid(mass: 2, inertia: [0.1, 0.2, 0.25, 0, 0, 0], centre_of_mass: [0, 0, 0.3], at: [0.1, 0, 1]) },
        events: { "kick": (when: At(0.2), then: [Reset("b.x", "b.x + 0.5")]) },
        objectives: { "x": Final("b.x"), "y": Final("b.y"), "z": Final("b.z"), "q0": Final("b.q0"), "q1": Final("b.q1"), "q2": Final("b.q2") },"#,
    );
    // With phi the chord of the turn about y, m (d + phi h)^2 + I phi^2 is least.
    let (m, h, inertia, d): (f64, f64, f64, f64) = (2.0, 0.3, 0.2, 0.5);
    let chord = -m * h * d / (inertia + m * h * h);
    let found = report(&experiment(&text, &tight()));
    for (name, value) in [
        ("x", 0.6),
        ("y", 0.0),
        ("z", 1.0),
        ("q1", 0.0),
        ("q2", 0.5 * chord),
        ("q0", (1.0 - 0.25 * chord * chord).sqrt()),
    ] {
        close(name, objective(&found, name), value, 1e-12);
    }
}

#[test]
fn an_angle_that_is_set_turns_the_body_on_its_hinge() {
    let text = spatial(
        0.5,
        r#"ground: { "O": (at: [0.2, 0.1, 0], orientation: Rotations([X(0.7)])) },
        bodies: { "b": Solid(mass: 2, inertia: [0.1, 0.2, 0.25, 0, 0.01, 0], centre_of_mass: [0.3, 0, 0.1], guess: [0.2, 0.1, 0],
            orientation: Rotations([X(0.7)]), markers: { "tip": [0.5, 0, 0] }) },
        joints: { "hinge": Revolute(between: ("O", "b.origin"), axis: [0, 0, 1], angle: 0.1, angular_velocity: 1.5) },
        events: { "turn": (when: At(0.2), then: [Reset("hinge.angle", "hinge.angle + 4")]) },
        objectives: { "angle": Final("hinge.angle"), "omega": Final("hinge.omega"), "x": Final("b.tip.x"), "E": Final("energy.kinetic") },"#,
    );
    let found = report(&experiment(&text, &tight()));
    let angle = 0.1 + 4.0 + 0.5 * 1.5;
    close("angle", objective(&found, "angle"), angle, 1e-11);
    close("omega", objective(&found, "omega"), 1.5, 1e-11);
    close("x", objective(&found, "x"), 0.2 + 0.5 * angle.cos(), 1e-11);
}

/// Two bodies on joints, a point and a bar on a link, moved twice: a marker's coordinate cannot be set, places of bodies and points can.
const MOVED: &str = r#"
    gravity: [0.2, 0, "-g"], parameters: { "g": 9.81, "m": 1.3, "J": 0.05, "w": 2.0, "h": 0.3, "L": 0.6, "c": 0.2, "d": 0.25, "mp": 0.4 },
    ground: { "O": [0, 0, 0], "W": [2, 0.5, 0.1] }, points: { "P": (guess: [0.5, 0.9, 0.3], mass: "mp") },
    bodies: {
        "one": Solid(mass: "m", inertia: ["J", 0.06, 0.07, 0.002, 0.001, -0.003], centre_of_mass: [0.1, 0.02, "c"], guess: [0, 0, 0],
            hold: [Orientation], orientation: Rotations([X(0.6)]), angular_velocity: [0.3, "w", 0.5], markers: { "tip": [0.1, 0.2, 0.5] }),
        "two": Solid(mass: 0.8, inertia: [0.02, 0.03, 0.025, 0.001, 0, 0.002], centre_of_mass: [0.05, 0.1, 0], guess: [0.1, 0, 0.6],
            markers: { "a": [-0.1, 0.05, 0.02], "b": [0.3, 0, -0.1] }),
    },
    joints: {
        "ball": Spherical(between: ("O", "one.origin")),
        "knee": Spherical(between: ("one.tip", "two.a")),
        "link": Link(from: "two.b", to: "P", length: "L"),
        "string": Link(from: "W", to: "P", length: 1.6),
    },
    events: {
        "first": (when: At(0.15), then: [Reset("two.x", "two.x + 0.2*h*w*P.z"), Reset("P.vy", "0.1")]),
        "second": (when: Falling("P.z - d"), then: [Reset("P.x", "P.x + 0.2*h")], once: true),
    },
    objectives: { "x": Final("two.b.x"), "w": Final("two.omega_y"), "q": Final("one.q2"), "P": Final("P.z"), "knee": Final("knee.fx"),
        "after": AtEvents(of: "one.q1 + two.y", event: "first", side: After), "E": Integral("energy.kinetic") },
"#;

#[test]
fn motions_after_displacements_agree_in_every_formulation() {
    let text = spatial(0.5, MOVED);
    let want = report(&experiment(&text, &under(Nullspace)));
    assert_eq!(want.events.len(), 2, "{:?}", want.events);
    for formulation in [Multipliers, Stabilized, Index3] {
        agree(
            &format!("{formulation:?}"),
            &report(&experiment(&text, &under(formulation))),
            &want,
            1e-8,
        );
    }
    agree("penalty", &report(&experiment(&text, &under(Penalty))), &want, 1e-5);
}

#[test]
fn gradients_through_displacements_are_certified_and_agree() {
    let text = spatial(0.5, MOVED);
    let want = certified(&text, Nullspace);
    for (k, name) in want.parameters.iter().enumerate() {
        assert!(want.objectives.iter().any(|row| row.gradient[k].abs() > 1e-4), "{name}");
    }
    for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
        for method in [Method::Adjoint, Method::Forward] {
            let found = experiment(&text, &under(formulation)).gradient(method).unwrap();
            for (found, want) in found.objectives.iter().zip(&want.objectives) {
                let scale = want.gradient.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
                for (a, b) in found.gradient.iter().zip(&want.gradient) {
                    assert!(
                        (a - b).abs() < 1e-9 * scale,
                        "{formulation:?} {method} {}: {a} {b}",
                        want.name
                    );
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_set_is_refused() {
    let with = |then: &str| {
        spatial(
            0.3,
            &format!(
                r#"ground: {{ "O": [0, 0, 0] }},
                bodies: {{ "b": Solid(mass: 2, inertia: [0.1, 0.2, 0.25, 0, 0, 0], guess: [0, 0, 0], markers: {{ "k": [0, 0, 0.5] }}) }},
                joints: {{ "ball": Spherical(between: ("O", "b.k")) }}, events: {{ "kick": (when: At(0.2), then: [{then}]) }},"#
            ),
        )
    };
    for (then, word) in [
        (r#"Reset("b.q1", "0.1")"#, "orientation"),
        (r#"Reset("b.x", "0.7")"#, "do not close"),
    ] {
        let error = failure(&with(then));
        assert!(error.to_string().contains(word), "{error}");
        assert!(error.advice().is_some(), "{error}");
    }
}
