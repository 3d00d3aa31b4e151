//! Events, kinks and penalties with rigid bodies in space.

use costate::scene::schema::FormulationKind::{Nullspace, Penalty};

use crate::MIXTURE;
use crate::support::{agree, certified, close, experiment, happenings, objective, report, spatial, tight, under};

/// A body, another after it and a point, with what else there is.
fn scene(start: &str, rest: &str) -> String {
    let fields = format!(
        r#"gravity: [0, 0, "-g"], parameters: {{ "g": 9.81, "m": 1.3, "J": 0.05, "w": 3.0, "t1": 0.3, "v": 0.4, "F": 2.0 }},
        ground: {{ "O": [0, 0, 0], "C": [0.3, 0.2, 1.2] }}, points: {{ "P": (at: [1, 1, 1], mass: 0.2, velocity: [0.1, 0, 0]) }},
        bodies: {{
            "b": Solid(mass: "m", inertia: ["J", 0.06, 0.07, 0.002, 0.001, -0.003], centre_of_mass: [0.1, 0.02, 0.2], {start},
                orientation: Rotations([X(1.2)]), angular_velocity: [0.3, "w", 0.5], markers: {{ "tip": [0.1, 0.2, 0.9], "k": [0.2, 0, 0.1] }}),
            "c": Solid(mass: 0.5, inertia: [0.01, 0.02, 0.015, 0, 0, 0], at: [3, 0, 0], angular_velocity: [1, 2, 0.5], markers: {{ "k": [0.1, 0, 0.2] }}),
        }}, {rest}"#
    );
    spatial(0.8, &fields)
}

const PINNED: &str = r#"joints: { "ball": Spherical(between: ("O", "b.origin")) },"#;

/// A joint that lets go and a link that holds from its length on.
fn switched() -> String {
    scene(
        "at: [0, 0, 0]",
        r#"joints: { "ball": Spherical(between: ("O", "b.origin")), "thread": Link(from: "C", to: "b.tip", length: 2.0, active: false) },
        events: {
            "go": (when: At("t1"), then: [Disable("ball")]),
            "catch": (when: Rising("(b.tip.x - 0.3)^2 + (b.tip.y - 0.2)^2 + (b.tip.z - 1.2)^2 - 4"), then: [Enable("thread")]),
        },
        objectives: { "x": Final("b.tip.x"), "w": Final("b.omega_y"), "q": Final("b.q2"), "E": Integral("energy.kinetic") },"#,
    )
}

/// Velocities that are set, of a body on a link and of others.
fn set() -> String {
    scene(
        "guess: [-0.2, 0, 0], hold: [Orientation]",
        r#"joints: { "link": Link(from: "O", to: "b.k", length: 0.3) },
        events: {
            "kick": (when: At("t1"), then: [Reset("b.vx", "v + b.vx"), Reset("P.vx", "v")]),
            "later": (when: Falling("c.omega_z - 0.4"), then: [Reset("c.vy", "2*v + c.k.vx")]),
        },
        objectives: { "x": Final("b.tip.x"), "w": Final("b.omega_y"), "P": Final("P.x"), "c": Final("c.y"), "cx": Final("c.x"), "E": Integral("energy.kinetic") },"#,
    )
}

/// Memory that is set again and again, and integrands with kinks.
fn remembered() -> String {
    let rest = format!(
        r#"{PINNED} memory: {{ "u": 1.0, "z": 0 }}, forces: {{ "push": Load(at: "b.tip", force: ["F*u", 0, "z"]) }},
        events: {{
            "up": (when: Rising("b.tip.vx - 0.1"), then: [Set("u", -1)]), "down": (when: Falling("b.tip.vx + 0.1"), then: [Set("u", 1)]),
            "read": (when: Rising("b.omega_x"), then: [Set("z", "b.tip.z")]),
        }},
        objectives: {{ "way": Integral("abs(b.tip.vx)"), "turn": Integral("max(b.omega_x, 0.2)"), "q": Integral("abs(b.q1 - 0.3)"), "w": Final("b.omega_y") }},"#
    );
    scene("at: [0, 0, 0]", &rest)
}

#[test]
fn gradients_through_switches_set_velocities_and_kinks_are_certified() {
    for (text, events) in [(switched(), 2), (set(), 2), (remembered(), 4)] {
        assert!(
            happenings(&report(&experiment(&text, &tight()))).len() >= events,
            "{text}"
        );
        certified(&text, Nullspace);
    }
    certified(&set(), Penalty);
}

#[test]
fn velocities_become_what_they_are_set_to() {
    let text = set().replace(
        "objectives: {",
        r#"objectives: { "P after": AtEvents(of: "P.vx", event: "kick", side: After), "c after": AtEvents(of: "c.vy - c.k.vx", event: "later", side: After),
            "b before": AtEvents(of: "b.vx", event: "kick"), "b after": AtEvents(of: "b.vx", event: "kick", side: After),"#,
    );
    let found = report(&experiment(&text, &tight()));
    let of = |name: &str| objective(&found, name);
    close("P", of("P after"), 0.4, 1e-12);
    close("b", of("b after") - of("b before"), 0.4, 1e-12);
    // What is read there stays: the centre of mass is the origin.
    close("c", of("c after"), 0.8, 1e-12);
    close("x of c", of("cx"), 3.0, 1e-12);
}

#[test]
fn penalties_agree_with_constraints() {
    let mixture = spatial(0.25, MIXTURE);
    for text in [&mixture, &switched(), &set(), &remembered()] {
        let [exact, penalty] = [Nullspace, Penalty].map(|formulation| report(&experiment(text, &under(formulation))));
        agree("penalty", &penalty, &exact, 1e-5);
    }
    certified(&mixture, Penalty);
}
