//! What sticks: kinks of its speed, and velocities that parameters give it at the start.

use costate::run::{Changes, Method};

use crate::support::{
    agreed, close, experiment, happenings, objective as objective_of, planar, report, tight, tolerances,
};

/// Two bars in a row whose pins rub, and stick for a while.
const PENDULUM: &str = r#"gravity: [0, -9.81], ground: { "O": [0, 0] },
    parameters: { "F": 0.67, "w": 4.47, "c": 0.127, "m": 1.32, "a": -0.84 },
    bodies: { "s": Rigid(mass: "m", inertia: 0.05, at: [0, 0, "a"], markers: { "c": [0.3, 0] }),
              "b": Rigid(mass: 0.3, inertia: 0.02, guess: ["0.3*cos(a)", "0.3*sin(a)", -1]) },
    joints: { "j": Revolute(between: ("O", "s.origin"), friction: Preload(kinetic: 0.85)),
              "k": Revolute(between: ("s.c", "b.origin"), friction: Preload(kinetic: "c")) },
    forces: { "f": Torque(on: "s", torque: "F*sin(w*t)"), "g": Load(at: "s.c", force: [0, "-m*3"]) },
    objectives: { "way": Integral("abs(k.slip)"), "heat": Integral("k.heat") },"#;

/// A sleeve on a guide, pulled to and fro, that sticks wherever it turns round.
const SLEEVE: &str = r#"ground: { "O": [0, 0] }, parameters: { "F": 6.0, "w": 5.0, "c": 3.0, "m": 1.3 },
    bodies: { "s": Rigid(mass: "m", inertia: 0.1, guess: [0, 0, 0]) },
    joints: { "j": Prismatic(between: ("O", "s.origin"), direction: [1, 0.1], friction: Preload(kinetic: "c")) },
    forces: { "f": Load(at: "s.origin", force: ["F*sin(w*t)", 0]) },
    objectives: { "way": Integral("abs(SPEED)"), "heat": Integral("j.heat") },"#;

/// The heat of a constant friction is that over the way, and so are its derivatives, at any tolerance; the way has no kinks but where
/// friction changes.
fn check_heat(text: &str, friction: usize, over_way: f64, changes: &Changes) {
    let experiment = experiment(text, changes);
    let run = report(&experiment);
    let of_friction = |t: f64| run.events.iter().any(|event| event.kind != "kink" && event.t == t);
    let lone = run
        .events
        .iter()
        .filter(|event| event.kind == "kink" && !of_friction(event.t));
    assert_eq!(lone.count(), 0, "{:?}", run.events);
    assert!(happenings(&run).iter().any(|(_, kind)| *kind == "kink"));
    for method in [Method::Forward, Method::Adjoint] {
        let found = experiment.gradient(method).unwrap_or_else(|error| panic!("{error}"));
        let [way, heat] = [0, 1].map(|k| &found.objectives[k]);
        close("heat", heat.value, over_way * way.value, 1e-5);
        for (k, (heat, slope)) in heat.gradient.iter().zip(&way.gradient).enumerate() {
            let own = if k == friction { way.value } else { 0.0 };
            close(&found.parameters[k], *heat, over_way * slope + own, 1e-4);
        }
    }
}

#[test]
fn the_way_of_what_sticks_for_a_while_has_derivatives() {
    for rtol in [1e-7, 1e-9, 1e-10, 1e-11] {
        let changes = tolerances(rtol, 0.1 * rtol);
        check_heat(&planar(2.0, PENDULUM), 2, 0.127, &changes);
        for speed in ["j.slip", "s.vx*sqrt(1.01)"] {
            check_heat(&planar(3.0, &SLEEVE.replace("SPEED", speed)), 2, 3.0, &changes);
        }
    }
}

/// A cart that its friction holds, with a bob on a rod, and a velocity that is zero.
const CART: &str = r#"gravity: [0, -9.81], parameters: { "v0": 0.0, "c": 8.0, "l": 0.7 },
    points: { "P": (at: [0, 0], velocity: ["v0", 0], mass: 2), "Q": (guess: [0.3, -0.6], mass: 1) },
    bodies: { "rod": Bar(from: "P", to: "Q", length: "l", mass: 0.2, angle: -1.1, angular_velocity: 0) },
    joints: { "rail": PointOnLine(point: "P", line: Fixed(through: [0, 0], direction: [1, 0]), friction: Preload(kinetic: "c")) },
    objectives: { "P": Final("P.x"), "Q": Final("Q.x"), "way": Integral("abs(rail.slip)") },"#;

/// It takes it away in a time in proportion to its size, so that second derivatives by it are others on either side; those by others are
/// those without it.
#[test]
fn second_derivatives_by_a_velocity_that_is_taken_away_are_none() {
    let text = planar(0.5, CART).replace(r#", "way": Integral("abs(rail.slip)")"#, "");
    let found = experiment(&text, &tight()).hessian(&|_| ()).unwrap();
    assert_eq!(found.undetermined.len(), 1);
    assert_eq!(found.undetermined[0].name, "v0");
    let held = text.replace(r#""v0": 0.0, "#, "").replace(r#"["v0", 0]"#, "[0, 0]");
    let wanted = experiment(&held, &tight()).hessian(&|_| ()).unwrap();
    for (one, other) in found.objectives.iter().zip(&wanted.objectives) {
        for (i, row) in other.rows.iter().enumerate() {
            assert!(one.rows[i + 1][0].is_nan());
            for (j, wanted) in row.iter().enumerate() {
                close("second", one.rows[i + 1][j + 1], *wanted, 1e-9);
            }
        }
    }
}

#[test]
fn what_sticks_at_the_start_takes_a_velocity_away_at_once() {
    let text = planar(0.5, CART);
    let at = |v0: f64| {
        report(&experiment(
            &text.replace("\"v0\": 0.0", &format!("\"v0\": {v0:?}")),
            &tight(),
        ))
    };
    let (low, high) = (at(-1e-5), at(1e-5));
    for method in [Method::Forward, Method::Adjoint] {
        let found = experiment(&text, &tight()).gradient(method).unwrap();
        for (objective, wanted) in found.objectives.iter().zip([0.0, f64::NAN, 0.0]) {
            let of = |run| objective_of(run, &objective.name);
            let quotient = (of(&high) - of(&low)) / 2e-5;
            close(&objective.name, objective.gradient[0], quotient, 1e-5);
            assert!(wanted.is_nan() || (objective.gradient[0] - wanted).abs() < 1e-12);
        }
        assert!(found.objectives[1].gradient[0].abs() > 1e-2);
    }
}

#[test]
fn a_velocity_of_what_is_about_to_slip_at_the_start_decides_whether_it_does() {
    let held = r#"joints: { "j": PointOnLine(point: "P", line: Fixed(through: [0, 0], direction: [1, 0]), friction: Preload(kinetic: 1)) },"#;
    let lying = r#"contacts: { "j": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: 0.1)) },"#;
    for what in [held, lying] {
        for load in ["F*(1 + t)", "-F*(1 + t)"] {
            let text = planar(
                0.3,
                &format!(
                    r#"parameters: {{ "v0": 0.0, "F": 1.0 }}, points: {{ "P": (at: [0, 0], velocity: ["v0", 0], mass: 1) }}, {what}
                    forces: {{ "f": Load(at: "P", force: ["{load}", -10]) }},
                    objectives: {{ "way": Integral("abs(j.slip)"), "x": Final("P.x") }},"#
                ),
            );
            for method in [Method::Forward, Method::Adjoint] {
                let found = experiment(&text, &tight()).gradient(method).unwrap();
                assert!(
                    found
                        .objectives
                        .iter()
                        .all(|own| own.gradient[0].is_nan() && own.gradient[1].is_finite())
                );
                assert_eq!(found.undetermined[0].from_rest.as_deref(), Some("j"));
            }
        }
    }
}

/// At its dead centre a slider rests whatever the lengths are: these have derivatives, though its friction waits for a direction.
#[test]
fn lengths_that_leave_a_slider_at_rest_have_derivatives() {
    let text = planar(
        0.5,
        r#"parameters: { "r": 0.1, "l": 0.3, "mu": 0.1, "w": 5.0 }, ground: { "O": [0, 0] },
        points: { "C": (guess: ["r", 0], mass: 0.3), "S": (guess: ["r + l", 0], mass: 0.5) },
        bodies: {
            "crank": Bar(from: "O", to: "C", length: "r", mass: 0.5, angle: 0, angular_velocity: "w"),
            "rod": Bar(from: "C", to: "S", length: "l", mass: 0.3),
        },
        joints: { "guide": PointOnLine(point: "S", line: Fixed(through: [0, 0], direction: [1, 0]), friction: Reaction(coefficient: "mu")) },
        objectives: { "x": Final("S.x"), "angle": Final("crank.angle") },"#,
    );
    let experiment = experiment(&text, &tight());
    let found = agreed(&experiment, 1e-7);
    let quotient = experiment.gradient(Method::FiniteDifference).unwrap();
    for (one, other) in found.objectives.iter().zip(&quotient.objectives) {
        for (one, other) in one.gradient.iter().zip(&other.gradient) {
            close("slope", *one, *other, 1e-5);
        }
    }
}

/// The impulse that takes the velocity is no part of derivatives: -m for 0 of what integrates the friction.
#[test]
fn integrals_of_forces_have_no_derivative_by_a_velocity_that_is_taken_away_at_the_start() {
    let scene = |integrand: &str| {
        planar(
            1.2,
            &format!(
                r#"gravity: [0, -10], parameters: {{ "w": 0.0, "mu": 0.5 }},
                points: {{ "P": (at: [0, 0], velocity: ["w", 0], mass: 1) }},
                contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu")) }},
                objectives: {{ "x": Final("P.x"), "I": Integral("{integrand}") }},"#
            ),
        )
    };
    for method in [Method::Adjoint, Method::Forward] {
        for integrand in ["floor.friction", "P.ax", "floor.friction^2"] {
            let found = experiment(&scene(integrand), &tight()).gradient(method).unwrap();
            assert_eq!(found.undetermined.len(), 1, "{integrand}");
            let reason = found.undetermined[0].reason();
            assert!(
                reason.contains("\"floor\" sticks at the start") && reason.contains("\"I\""),
                "{reason}"
            );
            assert!(found.objectives[1].gradient[1].abs() < 1e-12);
        }
        let heat = experiment(&scene("floor.heat"), &tight()).gradient(method).unwrap();
        assert!(heat.undetermined.is_empty() && heat.objectives[1].gradient[0].abs() < 1e-12);
    }
}
