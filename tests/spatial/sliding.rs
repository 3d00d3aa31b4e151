//! Motions of rigid bodies in space along guards that both of their sides lead back to: friction that holds a shaft, a brake that
//! stops one component of a velocity, a relay. Against closed forms, in all formulations, with certified gradients.

use costate::run::Method;
use costate::scene::schema::FormulationKind::{self, Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::support::{agree, certified, close, experiment, happenings, objective, report, spatial, tight, under};

/// A shaft askew that a torque turns to and fro against dry friction.
#[test]
fn a_shaft_with_dry_friction_sticks_and_lets_go() {
    let text = spatial(
        1.2,
        r#"parameters: { "T": 5.0, "w": 2.0, "c": 3.0, "J": 1.3 },
        ground: { "O": (at: [0, 0, 0], orientation: Rotations([X(0.4), Y(-0.7)])) },
        bodies: { "b": Solid(mass: 1, inertia: [0.7, 0.8, "J", 0, 0, 0], guess: [0, 0, 0], orientation: Rotations([X(0.4), Y(-0.7)])) },
        joints: { "bearing": Revolute(between: ("O", "b.origin"), axis: [0, 0, 1], angle: 0, angular_velocity: 0) },
        forces: { "t": Torque(on: "b", torque: [0, 0, "T*sin(w*t) - c*sign(b.omega_z)"], frame: Body("b")) },
        objectives: { "angle": Final("bearing.angle") },"#,
    );
    let (torque, w, c, inertia, t) = (5.0_f64, 2.0_f64, 3.0, 1.3, 1.2);
    let leaves = (c / torque).asin() / w;
    let pushed = (w * leaves).cos() * (t - leaves) - ((w * t).sin() - (w * leaves).sin()) / w;
    let angle = (torque / w * pushed - 0.5 * c * (t - leaves).powi(2)) / inertia;
    let found = report(&experiment(&text, &tight()));
    assert_eq!(happenings(&found), [("t", "leave")]);
    close("time", found.events[0].t, leaves, 1e-11);
    close("angle", objective(&found, "angle"), angle, 1e-11);
    let gradient = certified(&text, Nullspace);
    let of = |name: &str| {
        let k = gradient.parameters.iter().position(|other| other == name).unwrap();
        gradient.objectives[0].gradient[k]
    };
    close("by T", of("T"), pushed / w / inertia, 1e-10);
    close("by c", of("c"), -0.5 * (t - leaves).powi(2) / inertia, 1e-10);
    close("by J", of("J"), -angle / inertia, 1e-10);
}

/// A top with a brake on one component of the velocity of its tip, and a relay that reads an orientation and a velocity beside.
const BRAKED: &str = r#"
    gravity: [0, 0, "-g"], parameters: { "g": 9.81, "m": 1.3, "J": 0.05, "w": 3.0, "k": 30.0, "h": 0.9, "r": 0.4, "s": 0.3 },
    ground: { "O": [0, 0, 0] }, memory: { "u": "-r" },
    bodies: {
        "b": Solid(mass: "m", inertia: ["J", 0.06, 0.07, 0.002, 0.001, -0.003], centre_of_mass: [0.1, 0.02, 0.2], guess: [0, 0, 0],
            orientation: Rotations([X(1.2)]), angular_velocity: [0.3, "w", 0.5], markers: { "tip": [0.1, 0.2, "h"] }),
        "c": Solid(mass: 0.5, inertia: [0.01, 0.02, 0.015, 0, 0, 0], at: [3, 0, 0], orientation: Rotations([Y("s")]), angular_velocity: [0.2, 1.5, 0.3]),
    },
    joints: { "ball": Spherical(between: ("O", "b.origin")) },
    forces: {
        "brake": Load(at: "b.tip", force: ["-k*sign(b.tip.vx)", 0, 0]),
        "relay": Torque(on: "c", torque: [0, "u", 0], frame: Body("c")),
    },
    events: {
        "up": (when: Rising("2*c.q2 + c.omega_y - 1.2"), then: [Set("u", "-r")]),
        "down": (when: Falling("2*c.q2 + c.omega_y - 1.2"), then: [Set("u", "r")]),
    },
    outputs: { "relay": "u" },
    objectives: { "y": Final("b.tip.y"), "vz": Final("b.tip.vz"), "spin": Final("b.omega_z"), "q": Final("c.q2"), "turn": Final("c.omega_y"),
        "reaction": Final("ball.fz"), "work": Integral("brake.power"), "mixed": Integral("u") },
"#;

#[test]
fn a_brake_and_a_relay_are_slid_along_in_every_formulation() {
    let text = spatial(0.7, BRAKED);
    let of = |formulation: FormulationKind| report(&experiment(&text, &under(formulation)));
    let want = of(Nullspace);
    let slides = happenings(&want).into_iter().filter(|(_, kind)| *kind == "slide");
    assert_eq!(slides.count(), 2, "{:?}", happenings(&want));
    for formulation in [Multipliers, Stabilized, Index3] {
        agree(&format!("{formulation:?}"), &of(formulation), &want, 1e-8);
    }
    agree("penalty", &of(Penalty), &want, 1e-5);
}

#[test]
fn gradients_along_guards_are_certified_and_agree() {
    let text = spatial(0.7, BRAKED);
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
