//! Friction, and memory with a rate, under the formulations that integrate differential-algebraic equations: held to the null space where
//! multipliers, friction and memory depend on each other.

use costate::run::{GradientReport, Method};
use costate::scene::schema::FormulationKind::{self, Index3, Nullspace, Stabilized};

use crate::support::{certified, experiment, happenings, planar, report, spatial, under};

/// A crank that a controller with a lag turns, with a slide whose guide rubs by its law.
fn crank(duration: f64, law: &str) -> String {
    planar(
        duration,
        &format!(
            r#"gravity: [0, -1],
            parameters: {{ "mu": 0.5, "kp": 6.0, "lag": 0.1, "m": 1.3, "l": 0.9, "w": 3.0 }},
            ground: {{ "O": [0, 0] }},
            points: {{ "P": (guess: [0.2, 0.3], mass: 0.4), "Q": (guess: [1.0, 0], mass: "m") }},
            bodies: {{
                "crank": Bar(from: "O", to: "P", length: 0.35, mass: 0.3, angle: 1.0, angular_velocity: "w"),
                "rod": Bar(from: "P", to: "Q", length: "l", mass: 0.5),
            }},
            joints: {{ "guide": PointOnLine(point: "Q", line: Fixed(through: [0, 0], direction: [1, 0]), friction: {law}) }},
            memory: {{ "torque": (start: 0, rate: "(kp*sin(2*t) - crank.omega - torque + 0.05*guide.force)/lag") }},
            forces: {{ "motor": Torque(on: "crank", torque: "torque"), "load": Load(at: "Q", force: ["-6*cos(5*t)", 0]) }},
            objectives: {{ "angle": Final("crank.angle"), "x": Final("Q.x"), "torque": Final("torque"), "W": Integral("guide.heat"), "N": Integral("guide.force^2") }},"#
        ),
    )
}

/// A disc on a shaft in space, whose bearing rubs with its reaction, and a ball that rolls on a slope beside it.
fn in_space() -> String {
    spatial(
        0.3,
        r#"gravity: [1.5, 0, -9.81], parameters: { "mu": 0.2, "rho": 0.02, "d": 0.03, "w0": 4.0, "rough": 0.4 }, ground: { "O": [0, 0, 2] },
        bodies: {
            "disc": Solid(mass: 3, inertia: [0.02, 0.01, 0.02, 0, 0, 0], centre_of_mass: [0.02, "d", 0], guess: [0, 0, 2]),
            "ball": Solid(mass: 1, inertia: [0.004, 0.004, 0.004, 0, 0, 0], at: [0, 0, 0.1], velocity: [0, 0.6, 0]),
        },
        joints: { "bearing": Revolute(between: ("O", "disc.origin"), axis: [0, 1, 0], angle: 0, angular_velocity: "w0",
            friction: Reaction(coefficient: "mu", radius: "rho", length: 0.1)) },
        contacts: { "rolling": Touch(point: "ball.origin", radius: 0.1, surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: "rough")) },
        objectives: { "phi": Final("bearing.angle"), "W": Integral("bearing.heat + rolling.heat"), "x": Final("ball.x"), "y": Final("ball.y") },"#,
    )
}

/// Largest difference of values and of gradients, each over the largest of its row or one.
fn differences(a: &GradientReport, b: &GradientReport) -> [f64; 2] {
    let mut worst = [0.0_f64; 2];
    for (a, b) in a.objectives.iter().zip(&b.objectives) {
        worst[0] = worst[0].max((a.value - b.value).abs() / b.value.abs().max(1.0));
        let scale = b.gradient.iter().fold(1e-3, |most: f64, slope| most.max(slope.abs()));
        for (one, other) in a.gradient.iter().zip(&b.gradient) {
            worst[1] = worst[1].max((one - other).abs() / scale);
        }
    }
    worst
}

#[track_caller]
fn holds_to_the_null_space(text: &str, [value, slope]: [f64; 2]) {
    let of = |formulation: FormulationKind, method| experiment(text, &under(formulation)).gradient(method).unwrap();
    let reference = of(Nullspace, Method::Adjoint);
    for formulation in [Stabilized, Index3] {
        for method in [Method::Adjoint, Method::Forward] {
            let [values, slopes] = differences(&of(formulation, method), &reference);
            assert!(values < value, "{formulation:?} {method}: values {values:e}");
            assert!(slopes < slope, "{formulation:?} {method}: gradients {slopes:e}");
        }
    }
}

#[test]
fn a_guide_that_slips_both_ways_with_a_controller() {
    let text = crank(1.2, r#"Reaction(coefficient: "mu", static: "1.3*mu")"#);
    let kinds: Vec<String> = (report(&experiment(&text, &under(Stabilized))).events.iter())
        .map(|event| event.kind.clone())
        .collect();
    assert!(
        ["reverse", "side"]
            .iter()
            .all(|kind| kinds.iter().any(|found| found == kind)),
        "{kinds:?}"
    );
    holds_to_the_null_space(&text, [1e-9, 1e-7]);
    for formulation in [Stabilized, Index3] {
        certified(&text, formulation);
    }
}

#[test]
fn bristles_in_a_closed_loop() {
    let text = crank(
        0.5,
        r#"Reaction(coefficient: "mu", static: "1.3*mu", stribeck: 0.1, bristles: 300.0, bristle_damping: 3.0)"#,
    );
    holds_to_the_null_space(&text, [1e-9, 1e-7]);
    for formulation in [Stabilized, Index3] {
        certified(&text, formulation);
    }
}

#[test]
fn bearings_and_balls_in_space() {
    let text = in_space();
    let events = report(&experiment(&text, &under(Index3)));
    assert!(
        happenings(&events).contains(&("rolling", "stick")),
        "{:?}",
        happenings(&events)
    );
    holds_to_the_null_space(&text, [1e-9, 1e-7]);
    certified(&text, Stabilized);
}
