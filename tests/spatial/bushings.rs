//! Bushings and torques in space: energy and momenta, gradients, reference values by hand, and what is refused.

use costate::run::Method;
use costate::scene::schema::FormulationKind::Nullspace;

use crate::support::{certified, close, experiment, failure, objective, report, spatial, tight, under};

/// Two free bodies on a bushing between turned frames, with different constants along every axis.
const PAIR: &str = r#"
    parameters: { "kx": 40, "kr": 2, "ks": 0.9, "c": 0, "cr": 0, "m": 1.5, "J": 0.05, "px": 0.2, "tilt": 0.5, "w": 1.2, "T": 0.0 },
    bodies: {
        "one": Solid(mass: "m", inertia: ["J", 0.07, 0.06, 0.01, -0.004, 0.003], at: [0, 0, 0], velocity: [0.1, 0, 0.2], angular_velocity: ["w", 0.3, -0.6],
            markers: { "seat": (at: ["px", 0.1, -0.05], orientation: Rotations([Z("tilt"), X(0.3)])) }),
        "two": Solid(mass: 0.8, inertia: [0.03, 0.02, 0.04, 0, 0.002, 0], at: [0.3, 0.2, 0.1], orientation: Rotations([Y(0.4)]), velocity: [-0.2, 0.1, 0],
            angular_velocity: [-1.5, 0.5, 1], markers: { "stud": (at: [-0.1, 0, 0.02], orientation: Rotations([X(-0.2), Z(0.7)])) }),
    },
    forces: {
        "bushing": Bushing(from: "one.seat", to: "two.stud", stiffness: ["kx", 60, 25], damping: ["c", "c", 0], torsional_stiffness: ["kr", 1.4, "ks"], torsional_damping: ["cr", 0, "cr"]),
        "motor": Torque(on: "two", from: "one", torque: ["T*cos(3*t)", 0, "0.5*T"], frame: Body("one")),
    },
    objectives: {
        "E": Final("energy.total"), "p": Final("one.p_x + two.p_x"), "lx": Final("one.l_x + two.l_x"), "ly": Final("one.l_y + two.l_y"), "lz": Final("one.l_z + two.l_z"),
        "angle": Final("bushing.angle"), "fx": Final("bushing.fx"), "tz": Final("bushing.tz"), "stored": Final("bushing.energy"), "power": Integral("bushing.power"),
        "x": Final("two.x"), "q2": Final("two.q2"), "omega": Final("one.omega_y"),
    },
"#;

fn damped() -> String {
    PAIR.replace("\"c\": 0, \"cr\": 0", "\"c\": 0.4, \"cr\": 0.03")
        .replace("\"T\": 0.0", "\"T\": 0.2")
}

/// The same with twelve different constants.
fn twelve() -> String {
    let changed = damped()
        .replace(r#"damping: ["c", "c", 0]"#, r#"damping: ["c", 0.3, 0.2]"#)
        .replace(r#"["cr", 0, "cr"]"#, r#"["cr", 0.01, 0.02]"#);
    assert!(changed.contains("0.3, 0.2]") && changed.contains("0.01, 0.02]"));
    changed
}

#[test]
fn energy_and_momenta_of_two_bodies_on_a_bushing_stay() {
    let start = report(&experiment(&spatial(1e-9, PAIR), &tight()));
    let end = report(&experiment(&spatial(2.0, PAIR), &tight()));
    for name in ["E", "p", "lx", "ly", "lz"] {
        close(name, objective(&end, name), objective(&start, name), 1e-8);
    }
    assert!(
        (objective(&end, "angle") - objective(&start, "angle")).abs() > 0.1,
        "it turns"
    );
    // The first report is a nanosecond late.
    let lost = objective(&start, "stored") - objective(&end, "stored");
    close(
        "the power is that of what is stored",
        objective(&end, "power"),
        lost,
        1e-8,
    );
}

#[test]
fn what_dampers_take_and_motors_give_is_balanced_and_momenta_stay() {
    for text in [damped(), twelve()] {
        let start = report(&experiment(&spatial(1e-9, &text), &tight()));
        let (found, _) = experiment(&spatial(2.0, &text), &tight())
            .run_balanced(false, &mut |_| {})
            .unwrap();
        for name in ["p", "lx", "ly", "lz"] {
            close(name, objective(&found, name), objective(&start, name), 1e-8);
        }
        let balance = found.balance.unwrap();
        let takes = |(name, work): &(String, f64)| name == "bushing" && *work < -0.01;
        assert!(balance.work.iter().any(takes), "{:?}", balance.work);
        close("missing", balance.missing, 0.0, 1e-8);
    }
}

#[test]
fn gradients_through_bushings_and_torques_are_certified_and_agree() {
    certified(&spatial(0.4, &twelve()), Nullspace);
    let adjoint = certified(&spatial(0.4, &damped()), Nullspace);
    let forward = experiment(&spatial(0.4, &damped()), &under(Nullspace))
        .gradient(Method::Forward)
        .unwrap();
    for (a, f) in adjoint.objectives.iter().zip(&forward.objectives) {
        let scale = a.gradient.iter().fold(1e-9, |most: f64, x| most.max(x.abs()));
        for (x, y) in a.gradient.iter().zip(&f.gradient) {
            assert!((x - y).abs() < 1e-9 * scale.max(1.0), "{}: {x} {y}", a.name);
        }
    }
    for (k, parameter) in adjoint.parameters.iter().enumerate() {
        let moves = adjoint
            .objectives
            .iter()
            .any(|objective| objective.gradient[k].abs() > 1e-5);
        assert!(moves, "{parameter}");
    }
}

#[test]
fn torsion_about_one_axis_is_a_torsional_pendulum() {
    // J phi'' = -k phi - c phi'; started at rest at 2.5 rad, beyond a right angle.
    let fields = r#"
        ground: { "O": [0, 0, 0] },
        bodies: { "disc": Solid(mass: 1, inertia: [0.2, 0.3, 0.5, 0, 0, 0], at: [0, 0, 0], orientation: Rotations([Z(2.5)]), velocity: [0, 0, 0], angular_velocity: [0, 0, 0]) },
        forces: { "b": Bushing(from: "O", to: "disc.origin", stiffness: [1, 1, 1], torsional_stiffness: [9, 9, 2], torsional_damping: [1, 1, 0.1]) },
        objectives: { "angle": Final("b.angle"), "rate": Final("disc.omega_z"), "torque": Final("b.tz") },"#;
    let found = report(&experiment(&spatial(1.0, fields), &tight()));
    let (decay, rate) = (0.1_f64, (4.0_f64 - 0.01).sqrt());
    let (sin, cos) = rate.sin_cos();
    let angle = 2.5 * (-decay).exp() * (cos + decay / rate * sin);
    let speed = -2.5 * (-decay).exp() * sin * (rate + decay * decay / rate);
    close("angle", objective(&found, "angle"), angle.abs(), 1e-9);
    close("rate", objective(&found, "rate"), speed, 1e-9);
    close("torque", objective(&found, "torque"), -2.0 * angle - 0.1 * speed, 1e-9);
}

#[test]
fn a_torque_in_body_axes_spins_a_body_up() {
    // About a principal axis: omega = T t/J in body axes; in ground axes that is the same only where the axes are.
    let of = |frame: &str| {
        let fields = format!(
            r#"bodies: {{ "stone": Solid(mass: 1, inertia: [0.1, 0.2, 0.5, 0, 0, 0], at: [0, 0, 0], orientation: Rotations([X(1.1)]), velocity: [0, 0, 0], angular_velocity: [0, 0, 0]) }},
            forces: {{ "motor": Torque(on: "stone", torque: [0, 0, "2*t"]{frame}) }},
            objectives: {{ "w": Final("stone.omega_z"), "lz": Final("stone.l_z"), "work": Integral("motor.power"), "E": Final("energy.kinetic") }},"#
        );
        report(&experiment(&spatial(0.5, &fields), &tight()))
    };
    let body = of(", frame: Body(\"stone\")");
    close("omega", objective(&body, "w"), 0.25 / 0.5, 1e-10);
    let ground = of("");
    close("momentum", objective(&ground, "lz"), 0.25, 1e-10);
    for found in [&body, &ground] {
        close("work", objective(found, "work"), objective(found, "E"), 1e-10);
    }
}

#[test]
fn a_bushing_that_turns_by_pi_is_said_and_has_no_gradient() {
    let fields = r#"
        parameters: { "k": 0.1 },
        ground: { "O": [0, 0, 0] },
        bodies: { "disc": Solid(mass: 1, inertia: [0.2, 0.3, 0.5, 0, 0, 0], at: [0, 0, 0], velocity: [0, 0, 0], angular_velocity: [0.1, 0, 4]) },
        forces: { "b": Bushing(from: "O", to: "disc.origin", stiffness: [1, 1, 1], torsional_stiffness: ["k", "k", "k"]) },
        objectives: { "w": Final("disc.omega_z") },"#;
    let through = experiment(&spatial(1.5, fields), &tight());
    let remarks = report(&through).remarks.join("\n");
    assert!(remarks.contains("turns by pi"), "{remarks}");
    let error = through.gradient(Method::Adjoint).expect_err("refused");
    assert!(error.to_string().contains("turns by pi"), "{error}");
    let before = report(&experiment(&spatial(0.5, fields), &tight()));
    assert!(!before.remarks.join("\n").contains("pi"), "{:?}", before.remarks);
}

#[test]
fn a_rotor_on_a_mount_without_torsional_stiffness_turns_on() {
    let rotor = |u: f64| {
        let fields = format!(
            r#"parameters: {{ "u": {u} }},
            ground: {{ "O": [0, 0, 0] }},
            bodies: {{ "r": Solid(mass: 1, inertia: [0.01, 0.01, 0.02, 0, 0, 0], centre_of_mass: ["u", 0, 0], at: [0, 0, 0], velocity: [0, 0, 0], angular_velocity: [0, 0, 10]) }},
            forces: {{ "b": Bushing(from: "O", to: "r.origin", stiffness: [500, 500, 500], damping: [1, 1, 1], torsional_damping: [0, 0, 0.01]) }},
            objectives: {{ "x": Final("r.x"), "y": Final("r.y") }},"#
        );
        experiment(&spatial(1.0, &fields), &tight())
    };
    let found = report(&rotor(0.002));
    assert!(found.remarks.is_empty(), "{:?}", found.remarks);
    let [low, high] = [0.002 - 1e-4, 0.002 + 1e-4].map(|u| report(&rotor(u)));
    for method in [Method::Adjoint, Method::Forward] {
        let gradient = rotor(0.002).gradient(method).expect("a gradient");
        for (k, name) in ["x", "y"].into_iter().enumerate() {
            let quotient = (objective(&high, name) - objective(&low, name)) / 2e-4;
            close(name, gradient.objectives[k].gradient[0], quotient, 1e-6);
        }
    }
}

#[test]
fn wrong_bushings_and_torques_are_refused_where_they_are_written() {
    let body = r#"ground: { "O": [0, 0, 0] }, points: { "P": (at: [1, 0, 0], mass: 1) },
        bodies: { "a": Solid(mass: 1, inertia: [1, 1, 1, 0, 0, 0], at: [0, 0, 0], markers: { "m": [1, 0, 0] }) },"#;
    for (force, words) in [
        (r#"Bushing(from: "O", to: "P", stiffness: [1, 1, 1])"#, "no orientation"),
        (
            r#"Bushing(from: "a.m", to: "a.origin", stiffness: [1, 1, 1])"#,
            "same body",
        ),
        (r#"Bushing(from: "O", to: "a.m", stiffness: [1, 1])"#, "2 components"),
        (
            r#"Bushing(from: "O", to: "a.m", stiffness: [1, -1, 1])"#,
            "at least zero",
        ),
        (r#"Torque(on: "P", torque: [0, 0, 1])"#, "no rigid body in space"),
        (r#"Torque(on: "a", torque: [0, 1])"#, "2 components"),
        (r#"Torque(on: "a", from: "a", torque: [0, 0, 1])"#, "no effect"),
        (r#"Torque(on: "a", torque: 1, frame: Ground)"#, "no frame"),
        (r#"Torque(on: "a", torque: 1)"#, "no angle"),
    ] {
        let error = failure(&spatial(0.1, &format!("{body} forces: {{ \"f\": {force} }},")));
        assert!(error.to_string().contains(words), "{force}: {error}");
        assert!(error.advice().is_some() && error.line().is_some(), "{force}: {error}");
    }
}
