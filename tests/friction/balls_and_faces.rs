//! Friction with three components, of ball joints and of faces: closed forms, hinges and an independent integration to compare with, the
//! balance of energy, and gradients by every method.

use costate::run::{Changes, Experiment, Method};

use crate::support::{
    agreed, agreed_in_every_formulation, certified_within, close, experiment, failure, objective, report, spatial,
    tight, tolerances,
};

/// A body whose tensor is round spins down about a fixed axis.
const ROUND: &str = r#"
    parameters: { "B": 0.3, "J": 0.02, "wx": 3.0, "wy": -2.0, "wz": 1.0 }, ground: { "O": [0, 0, 0] },
    bodies: { "arm": Solid(mass: 1, inertia: ["J", "J", "J", 0, 0, 0], at: [0, 0, 0], angular_velocity: ["wx", "wy", "wz"]) },
    joints: { "ball": Spherical(between: ("O", "arm.origin"), friction: Preload(kinetic: "B", static: "1.2*B")) },
    objectives: { "angle": Integral("ball.slip"), "x": Integral("arm.omega_x"), "W": Integral("ball.heat") },"#;

/// An arm whose ball is pressed by its reaction.
const ARM: &str = r#"
    gravity: [0, 0, -9.81], parameters: { "mu": 0.3, "rho": 0.05, "m": 2.0, "J": 0.01 }, ground: { "O": [0, 0, 0] },
    bodies: { "arm": Solid(mass: "m", inertia: ["J", 0.02, 0.03, 0, 0, 0], centre_of_mass: [0.01, 0.02, -0.2], at: [0, 0, 0], angular_velocity: [4, -2, 3]) },
    joints: { "ball": Spherical(between: ("O", "arm.origin"), friction: Reaction(coefficient: "mu", static: "1.2*mu", radius: "rho")) },
    objectives: { "x": Final("arm.centre.x"), "y": Final("arm.centre.y"), "u": Final("ball.slip"), "W": Integral("ball.heat") },"#;

/// A ball that sticks until a load that turns begins to move it.
const PULLED: &str = r#"
    parameters: { "B": 0.3, "F": 0.6, "J": 0.03 }, ground: { "O": [0, 0, 0] },
    bodies: { "arm": Solid(mass: 1, inertia: ["J", 0.02, 0.04, 0, 0, 0], at: [0, 0, 0]) },
    joints: { "ball": Spherical(between: ("O", "arm.origin"), friction: Preload(kinetic: "B", static: "1.1*B", viscous: 0.002)) },
    forces: { "pull": Torque(on: "arm", torque: ["F*t", "F*(1 - cos(4*t))", "F*sin(3*t)"]) },
    objectives: { "angle": Integral("ball.slip"), "z": Integral("arm.omega_z"), "W": Integral("ball.heat"), "slips": AtEvents(of: "t", event: "ball", kind: Slip) },"#;

/// A body on a face that slides and turns, pushed down and then pulled up through its weight.
const FACE: &str = r#"
    gravity: [0, 0, -9.81], parameters: { "mu": 0.3, "r": 0.05, "J": 0.02, "F": 40.0 }, ground: { "O": (at: [0, 0, 0], orientation: Rotations([X(0.2), Y(0.1)])) },
    bodies: { "sled": Solid(mass: 2, inertia: [0.02, 0.02, "J", 0, 0, 0], centre_of_mass: [0.02, 0, 0.01], guess: [0, 0, 0], velocity: ["free", 0.6, "free"], angular_velocity: ["free", "free", 9]) },
    joints: { "face": Planar(between: ("O", "sled.origin"), normal: [0, 0, 1], friction: Reaction(coefficient: "mu", static: "1.3*mu", radius: "r")) },
    forces: { "lift": Load(at: "sled.centre", force: [0, 0, "F*t"]) },
    objectives: { "x": Final("sled.x"), "phi": Final("face.angle"), "W": Integral("face.heat") },"#;

/// Two bodies that fly, joined by a ball, and a third on a face of the second.
const FLYING: &str = r#"
    parameters: { "b": 0.05 },
    bodies: {
        "one": Solid(mass: 1, inertia: [0.01, 0.02, 0.025, 0, 0, 0.001], at: [0, 0, 0], velocity: [0.1, 0, 0], angular_velocity: [1, 2, 0.5], markers: { "end": [0.2, 0, 0.1] }),
        "two": Solid(mass: 0.7, inertia: [0.004, 0.01, 0.012, 0, 0, 0], centre_of_mass: [0.15, 0, 0.01], guess: [0.2, 0, 0.1], velocity: ["free", "free", "free"], angular_velocity: [-3, 1, 2], markers: { "end": [0.3, 0, 0] }),
        "three": Solid(mass: 0.4, inertia: [0.002, 0.002, 0.003, 0, 0, 0], centre_of_mass: [0.05, 0.02, 0], guess: [0.5, 0, 0.1], velocity: ["free", 0.5, "free"], angular_velocity: ["free", "free", 6]),
    },
    joints: {
        "ball": Spherical(between: ("one.end", "two.origin"), friction: Preload(kinetic: "b", static: "1.2*b")),
        "face": Planar(between: ("two.end", "three.origin"), normal: [0, 0.1, 1], friction: Preload(kinetic: "20*b", radius: 0.04)),
    },
    objectives: { "x": Final("three.x"), "W": Integral("ball.heat + face.heat") },"#;

fn all() -> [(&'static str, String); 5] {
    [
        ("round", spatial(0.4, ROUND)),
        ("arm", spatial(0.4, ARM)),
        ("pulled", spatial(0.8, PULLED)),
        ("face", spatial(0.7, FACE)),
        ("flying", spatial(0.3, FLYING)),
    ]
}

#[test]
fn a_round_body_spins_down_about_a_fixed_axis() {
    let found = agreed(&experiment(&spatial(0.5, ROUND), &tight()), 1e-9);
    let speed = 14.0_f64.sqrt();
    let (stop, angle) = (0.02 * speed / 0.3, 0.5 * 0.02 * 14.0 / 0.3);
    for (own, wanted) in found
        .objectives
        .iter()
        .zip([angle, angle * 3.0 / speed, 0.5 * 0.02 * 14.0])
    {
        close(&own.name, own.value, wanted, 1e-10);
    }
    let wanted = [-angle / 0.3, angle / 0.02, 2.0 * angle * 3.0 / 14.0];
    for (slope, wanted) in found.objectives[0].gradient.iter().zip(wanted) {
        close("slope", *slope, wanted, 1e-8);
    }
    let (event, _) = &found.events[0];
    assert_eq!((&event.kind[..], found.events.len()), ("stick", 1));
    close("stop", event.t, stop, 1e-9);
}

/// With J = m r^2 a face slides and turns in one direction.
#[test]
fn a_round_face_slides_and_turns_to_rest() {
    let text = r#"gravity: [0, 0, -9.81], ground: { "O": [0, 0, 0] },
        bodies: { "sled": Solid(mass: 2, inertia: [0.02, 0.02, 0.005, 0, 0, 0], at: [0, 0, 0], velocity: [0.6, 0.2, 0], angular_velocity: [0, 0, 9]) },
        joints: { "face": Planar(between: ("O", "sled.origin"), normal: [0, 0, 1], friction: Reaction(coefficient: 0.3, radius: 0.05)) },
        objectives: { "x": Final("sled.x"), "y": Final("sled.y"), "phi": Final("face.angle") },"#;
    let found = report(&experiment(&spatial(0.5, text), &tight()));
    let speed = (0.36_f64 + 0.04 + 0.2025).sqrt();
    let way = speed / (2.0 * 0.3 * 9.81);
    for (name, part) in [("x", 0.6), ("y", 0.2), ("phi", 9.0)] {
        close(name, objective(&found, name), part * way, 1e-9);
    }
}

/// A load that passes zero presses the other side of the face: m v' = -mu |N|.
#[test]
fn a_face_is_pressed_from_both_sides() {
    let text = r#"ground: { "O": [0, 0, 0] }, parameters: { "mu": 0.3 },
        bodies: { "sled": Solid(mass: 2, inertia: [0.02, 0.02, 0.005, 0, 0, 0], at: [0, 0, 0], velocity: [0.6, 0.8, 0]) },
        joints: { "face": Planar(between: ("O", "sled.origin"), normal: [0, 0, 1], friction: Reaction(coefficient: "mu", radius: 0.05)) },
        forces: { "load": Load(at: "sled.origin", force: [0, 0, "10*t - 5"]) },
        objectives: { "x": Final("sled.vx"), "y": Final("sled.vy"), "side": AtEvents(of: "t", event: "face", kind: Side) },"#;
    let found = agreed(&experiment(&spatial(0.8, text), &tight()), 1e-9);
    let lost = 0.3 / 2.0 * (1.25 + 5.0 * 0.09);
    for (own, (value, slope)) in found.objectives.iter().zip([(0.6, 0.6), (0.8, 0.8)]) {
        close(&own.name, own.value, value * (1.0 - lost), 1e-11);
        close("slope", own.gradient[0], -slope * lost / 0.3, 1e-9);
    }
    close("side", found.objectives[2].value, 0.5, 1e-11);
}

/// Values of Euler's equations for a body about a fixed point, integrated by another program with 4000 steps of order 4.
#[test]
fn an_arm_on_a_ball_that_rubs_moves_as_an_independent_integration_says() {
    let found = report(&experiment(&spatial(0.4, ARM), &tight()));
    let wanted = [
        ("x", 0.018_447_504_357_7),
        ("y", 0.054_509_057_886_2),
        ("u", 3.417_416_093_638_0),
        ("W", 0.381_082_042_266_4),
    ];
    for (name, value) in wanted {
        close(name, objective(&found, name), value, 1e-10);
    }
}

/// What turns about one axis only rubs as a hinge, by every law.
#[test]
fn a_ball_that_turns_about_one_axis_rubs_as_a_hinge() {
    let laws = [
        r#"Preload(kinetic: "B", static: "1.2*B", stribeck: 0.7, viscous: 0.01)"#,
        r#"Preload(kinetic: "B", regularized: 0.3)"#,
        r#"Preload(kinetic: "B", static: "1.2*B", stribeck: 0.5, bristles: 50, bristle_damping: 0.3)"#,
        r#"Preload(kinetic: "B*(1 + t)", static: "2*B + t")"#,
    ];
    for law in laws {
        let motion = |joint: &str| {
            let text = format!(
                r#"parameters: {{ "B": 0.3 }}, ground: {{ "O": [0, 0, 0] }},
                bodies: {{ "arm": Solid(mass: 1, inertia: [0.03, 0.03, 0.02, 0, 0, 0], at: [0, 0, 0], angular_velocity: [0, 0, 2]) }},
                joints: {{ "j": {joint}, friction: {law}) }}, forces: {{ "pull": Torque(on: "arm", torque: [0, 0, "0.9*sin(6*t)"]) }},
                objectives: {{ "w": Final("arm.omega_z"), "angle": Integral("arm.omega_z"), "W": Integral("j.heat") }},"#
            );
            agreed(&experiment(&spatial(1.1, &text), &tight()), 1e-7)
        };
        let ball = motion(r#"Spherical(between: ("O", "arm.origin")"#);
        let hinge = motion(r#"Revolute(between: ("O", "arm.origin"), axis: [0, 0, 1]"#);
        for (one, other) in ball.objectives.iter().zip(&hinge.objectives) {
            close(law, one.value, other.value, 1e-7);
            close(law, one.gradient[0], other.gradient[0], 1e-5);
        }
    }
}

/// The torque t (1, 2, 2)/3 is held until it is the most that sticks, and turns the body from there.
#[test]
fn a_ball_slips_where_its_torque_is_the_most_that_sticks() {
    let text = r#"parameters: { "B": 0.3 }, ground: { "O": [0, 0, 0] },
        bodies: { "arm": Solid(mass: 1, inertia: [0.02, 0.02, 0.02, 0, 0, 0], at: [0, 0, 0]) },
        joints: { "ball": Spherical(between: ("O", "arm.origin"), friction: Preload(kinetic: "B", static: "2*B")) },
        forces: { "pull": Torque(on: "arm", torque: ["t/3", "2*t/3", "2*t/3"]) },
        objectives: { "w": Final("arm.omega_x"), "slips": AtEvents(of: "t", event: "ball", kind: Slip) },"#;
    let found = agreed(&experiment(&spatial(0.9, text), &tight()), 1e-6);
    close("slip", found.objectives[1].value, 0.6, 1e-11);
    close("its slope", found.objectives[1].gradient[0], 2.0, 1e-8);
    let speed = (0.5 * (0.81 - 0.36) - 0.3 * 0.3) / 0.02;
    close("speed", found.objectives[0].value, speed / 3.0, 1e-8);
}

#[test]
fn what_a_joint_rubs_one_body_with_acts_on_the_other_one_too() {
    let momentum = |axis: &str| format!(r#""l{axis}": Final("one.l_{axis} + two.l_{axis} + three.l_{axis}")"#);
    let all = ["x", "y", "z"].map(momentum).join(", ");
    let text = FLYING.replace("objectives: {", &format!("objectives: {{ {all},"));
    let [start, end] = [1e-9, 0.3].map(|t| report(&experiment(&spatial(t, &text), &tight())));
    for name in ["lx", "ly", "lz"] {
        close(name, objective(&end, name), objective(&start, name), 1e-10);
    }
    assert!(objective(&end, "W") > 0.05, "they rub");
}

#[test]
fn the_energy_balances() {
    for (name, text) in all() {
        let (report, _) = experiment(&text, &tight()).run_balanced(false, &mut |_| {}).unwrap();
        let balance = report.balance.as_ref().unwrap();
        assert!(balance.missing.abs() < 1e-8, "{name}: {:e}", balance.missing);
        let own = balance
            .work
            .iter()
            .filter(|(name, _)| ["ball", "face"].contains(&&name[..]));
        let work: f64 = own.map(|(_, work)| work).sum();
        close(name, work, -objective(&report, "W"), 1e-8);
        let kinds: Vec<&str> = report.events.iter().map(|event| &event.kind[..]).collect();
        let expected: &[&str] = match name {
            "round" | "flying" => &["stick"],
            "pulled" => &["slip"],
            "face" => &["side"],
            _ => &[],
        };
        assert_eq!(kinds, expected, "{name}");
    }
}

#[test]
fn the_methods_agree_in_every_formulation() {
    for (name, text) in all() {
        println!("{name}");
        agreed_in_every_formulation(
            &text,
            |formulation| Changes {
                formulation: Some(formulation),
                ..tolerances(1e-11, 1e-12)
            },
            1e-5,
        );
    }
}

#[test]
fn certificates_pass() {
    for (name, text) in all() {
        certified_within(name, &text, [1e-9, 1e-11]);
    }
}

#[test]
fn what_is_missing_or_not_unique_is_refused() {
    let unread = |text: &str| {
        let compiled = costate::scene::parse("test.ron", &spatial(0.1, text))
            .and_then(|file| Experiment::new(&file, &Changes::default()));
        let error = compiled.map(|_| ()).unwrap_err();
        format!("{error} {}", error.advice().unwrap_or_default())
    };
    let has = |text: &str, words: &[&str]| {
        words
            .iter()
            .for_each(|word| assert!(text.contains(word), "{word}: {text}"))
    };
    has(&unread(&ARM.replace(", radius: \"rho\"", "")), &["radius", "Spherical"]);
    has(
        &unread(&ARM.replace("radius: \"rho\"", "radius: \"rho\", length: 1")),
        &["length", "leave it out"],
    );
    has(&unread(&FACE.replace(", radius: \"r\"", "")), &["radius", "Planar"]);
    let point = r#"ground: { "O": [0, 0, 0] }, points: { "P": (at: [0, 0, 0], mass: 1) },
        joints: { "ball": Spherical(between: ("O", "P"), friction: Preload(kinetic: 1)) },"#;
    has(&unread(point), &["no orientation"]);
    // A hinge leaves one of the three directions.
    let hinged = ROUND.replace(
        "joints: {",
        r#"joints: { "hinge": Revolute(between: ("O", "arm.origin"), axis: [0, 0, 1]),"#,
    );
    let hinged = hinged.replace(r#"["wx", "wy", "wz"]"#, r#"["free", "free", "wz"]"#);
    let error = failure(&spatial(0.1, &hinged));
    has(&error.to_string(), &["ball", "1 of the 3 directions"]);
}

/// A body at rest on a ball that sticks, under a torque that grows with the square of the time: what moves it is time alone.
#[test]
fn a_load_that_grows_lets_what_rests_slip() {
    let text = spatial(
        1.0,
        r#"gravity: [0, 0, -9.81], parameters: { "k": 4.0, "mu": 0.3 }, ground: { "O": [0, 0, 0] },
        bodies: { "box": Solid(mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0], at: [0, 0, 0.1], markers: { "foot": [0, 0, -0.1] }) },
        joints: { "ball": Spherical(between: ("O", "box.foot"), friction: Preload(kinetic: "mu")) },
        forces: { "pull": Torque(on: "box", torque: ["k*t*t", 0, 0]), "up": Load(at: "box.origin", force: [0, 0, 9.81]) },
        objectives: { "w": Final("box.omega_x") },"#,
    );
    let gradient = experiment(&text, &tight()).gradient(Method::Forward).unwrap();
    // k t^2 = mu, and from then on (J + m l^2) w' = k t^2 - mu.
    let (k, mu, inertia): (f64, f64, f64) = (4.0, 0.3, 0.01 + 0.01);
    let begin = (mu / k).sqrt();
    close("time", gradient.events[0].0.t, begin, 1e-9);
    close(
        "time by mu",
        gradient.events[0].1.as_ref().unwrap()[1],
        0.5 * begin / mu,
        1e-8,
    );
    let speed = (k * (1.0 - begin.powi(3)) / 3.0 - mu * (1.0 - begin)) / inertia;
    close("w", gradient.objectives[0].value, speed, 1e-7);
}
