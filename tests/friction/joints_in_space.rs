//! Friction in joints in space: closed forms, the balance of energy, what must not matter, and gradients by every method.

use costate::error::Error;
use costate::run::{Changes, Experiment, Method};
use costate::scene::schema::FormulationKind::{Multipliers, Nullspace, Penalty};

use crate::support::{
    agreed, certified_within, close, experiment, failure, objective, planar, report, spatial, tight, under,
};

/// An overhung disc on a shaft that rubs in its bearing.
const ROTOR: &str = r#"
    gravity: [0, 0, "-g"], parameters: { "mu": 0.2, "ms": 0.25, "rho": 0.02, "L": 0.1, "d": 0.08, "m": 3.0, "w0": 4.0, "J": 0.01, "g": 9.81 },
    ground: { "O": [0, 0, 0] },
    bodies: { "disc": Solid(mass: "m", inertia: [0.02, "J", 0.02, 0, 0, 0], centre_of_mass: [0, "d", 0], guess: [0, 0, 0]) },
    joints: { "bearing": Revolute(between: ("O", "disc.origin"), axis: [0, 1, 0], angle: 0, angular_velocity: "w0", friction: Reaction(coefficient: "mu", static: "ms", radius: "rho", length: "L")) },
    outputs: { "T": "bearing.friction", "u": "bearing.slip", "w": "bearing.omega" },
    objectives: { "phi": Final("bearing.angle"), "W": Integral("bearing.heat") },"#;

/// A slider-crank in space, all of whose joints rub: a hinge with a bearing, a rod that gives way, and a shaft in a bush, pushed beside its axis.
const LINKAGE: &str = r#"
    gravity: [0, 0, -9.81], parameters: { "mu": 0.3, "ms": 0.35, "a": 0.3, "rho": 0.02, "L": 0.05, "m3": 2.0 },
    ground: { "A": [0, 0.1, 0.12], "guide": [0, 0, 0] },
    bodies: {
        "crank": Solid(mass: 0.4, inertia: [0.001, 0.001, 0.001, 0, 0, 0], centre_of_mass: [0, 0, 0.04], guess: [0, 0.1, 0.12], markers: { "pin": [0, 0, 0.08] }),
        "slider": Solid(mass: "m3", inertia: [0.004, 0.004, 0.004, 0, 0, 0], guess: [0.2, 0, 0], markers: { "pin": [0, 0.03, 0.02] }),
    },
    joints: {
        "bearing": Revolute(between: ("A", "crank.origin"), axis: [1, 0, 0], angle: 0.3, angular_velocity: 2, friction: Reaction(coefficient: "mu", static: "ms", radius: "rho", length: "L")),
        "bush": Cylindrical(between: ("guide", "slider.origin"), axis: [1, 0, 0], angle: 0, angular_velocity: 0, friction: Reaction(coefficient: "0.7*mu", radius: "2*rho", length: "2*L")),
    },
    forces: { "rod": Spring(from: "crank.pin", to: "slider.pin", stiffness: 300, natural_length: 0.25, damping: 2), "motor": Torque(on: "bearing", torque: "a*sin(5*t)") },
    outputs: { "T": "bearing.friction", "slip": "bush.slip" },
    objectives: { "x": Final("slider.x"), "phi": Final("bearing.angle"), "W": Integral("bearing.heat + bush.heat"), "T2": Integral("bearing.friction^2") },"#;

/// An arm with a brake in every joint, of every kind that gives its friction.
const ARM: &str = r#"
    gravity: [0, 0, -9.81], parameters: { "b": 1.0, "v": 0.1, "m": 1.0 },
    ground: { "O": [0, 0, 0] },
    bodies: {
        "upper": Solid(mass: 1, inertia: [0.01, 0.02, 0.02, 0, 0, 0.001], centre_of_mass: [0.2, 0.02, 0], guess: [0, 0, 0], markers: { "end": [0.4, 0, 0] }),
        "lower": Solid(mass: "m", inertia: [0.004, 0.01, 0.01, 0, 0, 0], centre_of_mass: [0.15, 0, 0.01], guess: [0.4, 0, 0], markers: { "end": [0.3, 0, 0] }),
        "hand": Solid(mass: 0.3, inertia: [0.001, 0.001, 0.002, 0, 0, 0], centre_of_mass: [0.05, 0.02, 0], guess: [0.7, 0, 0]),
    },
    points: { "ring": (guess: [0.5, 0, 0], mass: 0.2) },
    joints: {
        "shoulder": Revolute(between: ("O", "upper.origin"), axis: [0, 1, 0], angle: 0, angular_velocity: 1, friction: Preload(kinetic: "2*b", static: "2.4*b")),
        "elbow": Revolute(between: ("upper.end", "lower.origin"), axis: [0, 0.6, 0.8], angle: 0, angular_velocity: 3, friction: Preload(kinetic: "b", stribeck: 0.5, static: "1.3*b", viscous: "v")),
        "wrist": Cylindrical(between: ("lower.end", "hand.origin"), axis: [1, 0, 0], angle: 0, angular_velocity: 5, position: 0, velocity: 0.3, friction: Preload(kinetic: "5*b", static: "6*b", radius: 0.03)),
        "wire": PointOnLine(point: "ring", line: Along("lower.origin", [1, 0, 0]), friction: Preload(kinetic: "0.8*b")),
    },
    forces: { "shake": Torque(on: "shoulder", torque: "6*sin(4*t)"), "hold": TorsionSpring(between: ("ground", "shoulder"), stiffness: 10, natural_angle: 0) },
    objectives: { "phi": Final("elbow.angle"), "x": Final("hand.x"), "s": Final("wrist.position"), "W": Integral("shoulder.heat + elbow.heat + wrist.heat + wire.heat") },"#;

/// A sleeve with a force beside it and a torque about it, and a bead on a wire that turns.
const SLIDES: &str = r#"
    gravity: [0, 0, -9.81], parameters: { "mu": 0.15, "L": 0.1, "r": 0.03, "F": 12.0, "v0": 1.0, "w0": 2.0 },
    ground: { "O": [0, 0, 0] },
    bodies: {
        "block": Solid(mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0], centre_of_mass: [0, 0.02, 0], guess: [0, 0, 0], markers: { "h": [0.03, 0.02, 0.08] }),
        "wheel": Solid(mass: 2, inertia: [0.1, 0.05, 0.1, 0, 0, 0], guess: [0, 1, 0]),
    },
    points: { "bead": (guess: [0.1, 1, 0.2], mass: 0.5) },
    joints: {
        "guide": Prismatic(between: ("O", "block.origin"), direction: [1, 0.2, 0], position: 0, velocity: "v0", friction: Reaction(coefficient: "mu", static: "1.2*mu", length: "L", radius: "r")),
        "axle": Revolute(between: ("wheel at", "wheel.origin"), axis: [0, 1, 0], angle: 0, angular_velocity: "w0"),
        "wire": PointOnLine(point: "bead", line: Along("wheel.origin", [1, 0, 2]), friction: Reaction(coefficient: "mu", viscous: 0.1)),
    },
    forces: { "pull": Load(at: "block.h", force: ["-80*block.x + F*sin(3*t)", 0, 1]) },
    objectives: { "x": Final("block.x"), "z": Final("bead.z"), "W": Integral("guide.heat + wire.heat"), "T2": Integral("guide.friction^2") },"#;

fn slides() -> String {
    SLIDES.replace("\"O\": [0, 0, 0]", "\"O\": [0, 0, 0], \"wheel at\": [0, 1, 0]")
}

/// Every scene with the time that it runs.
fn all() -> [(&'static str, String); 4] {
    [
        ("rotor", spatial(0.3, ROTOR)),
        ("linkage", spatial(0.8, LINKAGE)),
        ("arm", spatial(0.7, ARM)),
        ("slides", spatial(0.5, &slides())),
    ]
}

/// The bearing carries m g at d before its middle: with d > L/2 its ends press with 2 m g d/L together.
#[test]
fn a_bearing_carries_force_and_moment_at_its_two_ends() {
    let press = |d: f64| 0.02 * (3.0 * 9.81) * (2.0 * d / 0.1_f64).max(1.0);
    for d in [0.08, 0.03] {
        let text = spatial(0.4, &ROTOR.replace("\"d\": 0.08", &format!("\"d\": {d}")));
        let found = report(&experiment(&text, &tight()));
        // The torque of gravity about the axis is zero: the disc is centred on it.
        let alpha = 0.2 * press(d) / 0.01;
        let stop = 4.0 / alpha;
        let angle = if stop < 0.4 {
            0.5 * 4.0 * stop
        } else {
            4.0 * 0.4 - 0.5 * alpha * 0.16
        };
        close("angle", objective(&found, "phi"), angle, 1e-10);
    }
    // Along a vertical axis it is the weight alone.
    let text = spatial(
        0.1,
        &ROTOR
            .replace("axis: [0, 1, 0]", "axis: [0, 0, 1]")
            .replace("\"d\": 0.08", "\"d\": 0.0"),
    );
    let alpha = 0.2 * 0.02 * 3.0 * 9.81 / 0.02;
    close(
        "thrust",
        objective(&report(&experiment(&text, &tight())), "phi"),
        0.4 - 0.5 * alpha * 0.01,
        1e-11,
    );
}

#[test]
fn a_sleeve_and_a_wire_rub_as_they_are_pressed() {
    // A torque about its direction is carried at the radius.
    let fields = r#"
        parameters: { "mu": 0.2, "M": 0.3, "r": 0.05 }, ground: { "O": [0, 0, 0] },
        bodies: { "block": Solid(mass: 2, inertia: [0.01, 0.01, 0.01, 0, 0, 0], guess: [0, 0, 0]) },
        joints: { "guide": Prismatic(between: ("O", "block.origin"), direction: [0, 0, 1], position: 0, velocity: 1, friction: Reaction(coefficient: "mu", length: 0.1, radius: "r")) },
        forces: { "twist": Torque(on: "block", torque: [0, 0, "M"]) },
        objectives: { "x": Final("guide.position") },"#;
    let found = experiment(&spatial(1.0, fields), &tight())
        .gradient(Method::Adjoint)
        .unwrap();
    let alpha: f64 = 0.2 * 0.3 / 0.05 / 2.0;
    close("sleeve", found.objectives[0].value, 1.0 - 0.5 * alpha, 1e-11);
    for (slope, value) in found.objectives[0].gradient.iter().zip([0.2, 0.3, -0.05]) {
        close("slope", *slope, -0.5 * alpha / value, 1e-9);
    }
    // A bead on a wire at an angle of 0.9 rad to the vertical, not in a plane of the axes.
    let (s, c) = (f64::sin(0.9), f64::cos(0.9));
    let fields = format!(
        r#"gravity: [0, 0, -9.81], points: {{ "bead": (at: [0, 0, 0], mass: 0.7) }},
        joints: {{ "wire": PointOnLine(point: "bead", line: Fixed(through: [0, 0, 0], direction: [{}, {}, {}]), friction: Reaction(coefficient: 0.3)) }},
        objectives: {{ "z": Final("bead.z") }},"#,
        0.6 * s,
        0.8 * s,
        -c
    );
    let found = report(&experiment(&spatial(1.0, &fields), &tight()));
    close("bead", objective(&found, "z"), -0.5 * 9.81 * (c - 0.3 * s) * c, 1e-10);
}

/// A shaft whose inertia along and about its axis is the same at its surface slips in one direction, as a point on a plane does.
#[test]
fn a_shaft_rubs_against_its_slip_along_and_about_its_axis() {
    let scene = |inertia: f64| {
        format!(
            r#"parameters: {{ "B": 3.0 }}, ground: {{ "O": [0, 0, 0] }},
            bodies: {{ "shaft": Solid(mass: 2, inertia: [0.01, 0.01, {inertia}, 0, 0, 0], guess: [0, 0, 0]) }},
            joints: {{ "bush": Cylindrical(between: ("O", "shaft.origin"), axis: [0, 0, 1], angle: 0, angular_velocity: 8, position: 0, velocity: 0.3, friction: Preload(kinetic: "B", radius: 0.05)) }},
            outputs: {{ "u": "bush.slip", "T": "bush.friction" }},
            objectives: {{ "s": Final("bush.position"), "phi": Final("bush.angle"), "W": Integral("bush.heat") }},"#
        )
    };
    // J = m r^2: the speed sqrt(0.3^2 + 0.4^2) falls by B/m.
    let found = agreed(&experiment(&spatial(1.0, &scene(0.005)), &tight()), 1e-8);
    let way = 0.25 / (2.0 * 1.5);
    for (own, wanted) in found.objectives.iter().zip([0.6 * way, 0.8 * way / 0.05, 0.25]) {
        close(&own.name, own.value, wanted, 1e-9);
    }
    for (own, wanted) in found.objectives.iter().zip([-0.2 * way, -0.8 * way / 0.15, 0.0]) {
        close(&own.name, own.gradient[0], wanted, 1e-8);
    }
    assert_eq!(found.events.len(), 1);
    // With another inertia its direction turns, and all energy becomes heat.
    let found = agreed(&experiment(&spatial(2.0, &scene(0.02)), &tight()), 1e-6);
    close(
        "heat",
        found.objectives[2].value,
        0.5 * 2.0 * 0.09 + 0.5 * 0.02 * 64.0,
        1e-9,
    );
}

/// Four bodies that fly, joined by a hinge, a bush and a sleeve that rub.
const FLYING: &str = r#"
    parameters: { "b": 0.02 },
    bodies: {
        "one": Solid(mass: 1, inertia: [0.01, 0.02, 0.025, 0, 0, 0.001], at: [0, 0, 0], velocity: [0.1, 0, 0], angular_velocity: [1, 2, 0.5], markers: { "end": [0.2, 0, 0.1] }),
        "two": Solid(mass: 0.7, inertia: [0.004, 0.01, 0.012, 0, 0, 0], centre_of_mass: [0.15, 0, 0.01], guess: [0.4, 0, 0], markers: { "end": [0.3, 0, 0] }),
        "three": Solid(mass: 0.4, inertia: [0.002, 0.002, 0.003, 0, 0, 0], centre_of_mass: [0.05, 0.02, 0], guess: [0.7, 0, 0], markers: { "end": [0.1, 0.02, 0] }),
        "four": Solid(mass: 0.3, inertia: [0.001, 0.002, 0.002, 0, 0, 0], centre_of_mass: [0.02, 0, 0.03], guess: [0.8, 0, 0]),
    },
    joints: {
        "hinge": Revolute(between: ("one.end", "two.origin"), axis: [0, 1, 0], angle: 0.2, angular_velocity: 5, friction: Preload(kinetic: "b")),
        "bush": Cylindrical(between: ("two.end", "three.origin"), axis: [1, 0, 0.2], angle: 0, angular_velocity: 4, position: 0, velocity: 0.3, friction: Reaction(coefficient: "5*b", radius: 0.02, length: 0.1)),
        "sleeve": Prismatic(between: ("three.end", "four.origin"), direction: [0, 0, 1], position: 0, velocity: 0.4, friction: Reaction(coefficient: "2*b", radius: 0.02, length: 0.1)),
    },
    objectives: {
        "lx": Final("one.l_x + two.l_x + three.l_x + four.l_x"), "ly": Final("one.l_y + two.l_y + three.l_y + four.l_y"), "lz": Final("one.l_z + two.l_z + three.l_z + four.l_z"),
        "W": Integral("hinge.heat + bush.heat + sleeve.heat"), "apart": Integral("(hinge.slip - hinge.omega)^2 + (sleeve.slip - sleeve.velocity)^2"),
    },"#;

#[test]
fn what_a_joint_rubs_one_body_with_acts_on_the_other_one_too() {
    let [start, end] = [1e-9, 0.3].map(|t| report(&experiment(&spatial(t, FLYING), &tight())));
    for name in ["lx", "ly", "lz"] {
        close(name, objective(&end, name), objective(&start, name), 1e-10);
    }
    assert!(objective(&end, "W") > 0.05, "they rub");
    assert!(objective(&end, "apart") < 1e-12, "slip is the rate of the joint");
}

#[test]
fn the_energy_balances() {
    for (name, text) in all() {
        let (report, _) = experiment(&text, &tight()).run_balanced(false, &mut |_| {}).unwrap();
        let balance = report.balance.as_ref().unwrap();
        assert!(balance.missing.abs() < 1e-8, "{name}: {:e}", balance.missing);
        let rubs = |name: &str| ["bearing", "bush", "shoulder", "elbow", "wrist", "guide", "wire"].contains(&name);
        let own = balance.work.iter().filter(|(name, _)| rubs(name));
        let work: f64 = own.map(|(_, work)| work).sum();
        close(name, work, -objective(&report, "W"), 1e-8);
        let kinds: Vec<&str> = report.events.iter().map(|event| &event.kind[..]).collect();
        assert!(kinds.contains(&"stick"), "{name} {kinds:?}");
        assert!(
            name == "rotor" || kinds.contains(&"slip") || kinds.contains(&"reverse"),
            "{name} {kinds:?}"
        );
    }
}

#[test]
fn the_methods_agree_in_every_formulation() {
    for (name, text) in all() {
        for formulation in [Nullspace, Multipliers, Penalty] {
            println!("{name} {formulation:?}");
            agreed(
                &experiment(&text, &under(formulation)),
                if formulation == Penalty { 1e-7 } else { 2e-8 },
            );
        }
    }
}

#[test]
fn certificates_pass() {
    for (name, text) in all() {
        certified_within(name, &text, [1e-9, 1e-11]);
    }
}

/// A pendulum in a plane of space is that of the plane, whose pin is a bearing without moment.
#[test]
fn a_plane_motion_in_space_is_that_of_the_plane() {
    let numbers = r#"parameters: { "mu": 0.3, "ms": 0.35, "rho": 0.05, "m": 1.2, "l": 0.8, "phi0": -0.9, "w0": 1.0, "J": "m*l^2/12" },"#;
    let objectives =
        r#"objectives: { "W": Integral("pin.heat"), "T": Final("pin.friction"), "R2": Integral("pin.force^2") },"#;
    let plane = planar(
        3.0,
        &format!(
            r#"gravity: [0, -9.81], {numbers} ground: {{ "O": [0, 0] }},
        bodies: {{ "rod": Rigid(mass: "m", inertia: "J", guess: [0.2, -0.3, "phi0"], hold: [Angle], velocity: ["free", "free", "w0"], markers: {{ "a": ["-l/2", 0] }}) }},
        joints: {{ "pin": Revolute(between: ("O", "rod.a"), friction: Reaction(coefficient: "mu", static: "ms", radius: "rho")) }}, {objectives}"#
        ),
    );
    let space = spatial(
        3.0,
        &format!(
            r#"gravity: [0, -9.81, 0], {numbers} ground: {{ "O": [0, 0, 0] }},
        bodies: {{ "rod": Solid(mass: "m", inertia: ["J", "J", "J", 0, 0, 0], guess: [0, 0, 0], markers: {{ "a": ["-l/2", 0, 0] }}) }},
        joints: {{ "pin": Revolute(between: ("O", "rod.a"), axis: [0, 0, 1], angle: "phi0", angular_velocity: "w0", friction: Reaction(coefficient: "mu", static: "ms", radius: "rho", length: 0.07)) }}, {objectives}"#
        ),
    );
    let [plane, space] = [plane, space].map(|text| experiment(&text, &tight()).gradient(Method::Adjoint).unwrap());
    assert_eq!(plane.events.len(), space.events.len());
    for (a, b) in plane.objectives.iter().zip(&space.objectives) {
        close(&a.name, b.value, a.value, 1e-9);
        for (one, other) in a.gradient.iter().zip(&b.gradient) {
            close(&a.name, *other, *one, 1e-7);
        }
    }
}

/// Regularized, all of it is smooth, and in space there is a contact of that kind too.
#[test]
fn it_can_be_regularized() {
    let point = r#"
        gravity: [0, 0, -10], parameters: { "mu": 0.3, "over": 0.2 },
        points: { "P": (at: [0, 0, 0], mass: 2, velocity: [0.6, 0.8, 0]) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: "mu", regularized: "over")) },
        objectives: { "x": Final("P.x"), "speed": Final("floor.slip"), "W": Integral("floor.heat") },"#;
    let found = agreed(&experiment(&spatial(1.0, point), &tight()), 1e-9);
    assert!(found.events.is_empty());
    // sinh(u/v) falls as exp(-mu g t/v).
    let speed = 0.2 * (5.0_f64.sinh() * (-0.3 * 10.0 / 0.2_f64).exp()).asinh();
    close("speed", found.objectives[1].value, speed, 1e-10);
    close("heat", found.objectives[2].value, 1.0 - speed * speed, 1e-10);
    let smooth = LINKAGE
        .replace(", static: \"ms\"", ", regularized: 0.2")
        .replace("\"0.7*mu\"", "\"0.7*mu\", regularized: 0.01");
    let experiment = experiment(&spatial(0.5, &smooth), &tight());
    assert!(agreed(&experiment, 1e-8).events.is_empty());
    let (report, _) = experiment.run_balanced(false, &mut |_| {}).unwrap();
    assert!(report.balance.as_ref().unwrap().missing.abs() < 1e-9);
}

#[track_caller]
fn assert_refused(error: &Error, words: &[&str]) {
    let text = format!("{error} {}", error.advice().unwrap_or_default());
    for word in words {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(error.advice().is_some_and(|advice| advice.len() > 10), "{text}");
}

#[test]
fn what_is_missing_or_not_unique_is_refused() {
    let unread = |text: String| {
        let compiled =
            costate::scene::parse("test.ron", &text).and_then(|file| Experiment::new(&file, &Changes::default()));
        compiled.map(|_| ()).unwrap_err()
    };
    assert_refused(
        &unread(spatial(1.0, &ROTOR.replace(", length: \"L\"", ""))),
        &["length", "Revolute"],
    );
    assert_refused(
        &unread(spatial(1.0, &slides().replace(", radius: \"r\"", ""))),
        &["radius", "Prismatic"],
    );
    assert_refused(
        &unread(spatial(1.0, &ARM.replace(", radius: 0.03", ""))),
        &["radius", "Cylindrical"],
    );
    assert_refused(
        &unread(spatial(1.0, &ARM.replace("\"2*b\",", "\"2*b\", radius: 1,"))),
        &["radius"],
    );
    // A second bearing carries the same.
    let two = ROTOR.replace(
        "joints: {",
        r#"joints: { "other": Revolute(between: ("O2", "disc.far"), axis: [0, 1, 0]),"#,
    );
    let two = two.replace("\"O\": [0, 0, 0]", "\"O\": [0, 0, 0], \"O2\": [0, 0.2, 0]");
    let two = two.replace(
        "guess: [0, 0, 0]",
        r#"guess: [0, 0, 0], markers: { "far": [0, 0.2, 0] }"#,
    );
    assert_refused(&failure(&spatial(0.1, &two)), &["bearing", "redundant", "Preload"]);
    // Friction that presses as much as it rubs.
    let locked = ROTOR
        .replace("\"d\": 0.08", "\"d\": 0.01")
        .replace("centre_of_mass: [0, \"d\", 0]", "centre_of_mass: [\"rho\", 0, 0]")
        .replace("\"mu\": 0.2, \"ms\": 0.25", "\"mu\": 40, \"ms\": 90");
    assert_refused(&failure(&spatial(0.1, &locked)), &["bearing", "locks itself"]);
}
