//! Friction of screws and of cross joints: closed forms, an independent integration, the balance of energy, and gradients by every method.

use costate::scene::schema::FormulationKind::Nullspace;

use crate::support::{
    agreed, agreed_in_every_formulation, certified, certified_within, close, experiment, failure, objective, report,
    spatial, tight, under,
};

/// A nut that runs up its spindle, comes to rest and comes down.
const SCREW: &str = r#"
    gravity: [0, 0, "-g"], parameters: { "mu": 0.1, "r": 0.02, "lead": 0.05, "m": 3.0, "J": 0.002, "w0": 2.0, "g": 9.81 },
    ground: { "O": [0, 0, 0] },
    bodies: { "nut": Solid(mass: "m", inertia: [0.02, 0.02, "J", 0, 0, 0], guess: [0, 0, 0]) },
    joints: { "thread": Screw(between: ("O", "nut.origin"), axis: [0, 0, 1], lead: "lead", angle: 0, angular_velocity: "w0", friction: Reaction(coefficient: "mu", static: "1.2*mu", radius: "r")) },
    outputs: { "T": "thread.friction", "u": "thread.slip", "w": "thread.omega" },
    objectives: { "phi": Final("thread.angle"), "W": Integral("thread.heat"), "apart": Integral("(thread.slip - thread.omega)^2") },"#;

/// A body on a cross, about the first axis of which it is braked; about the second it rubs with its reaction.
const CROSS: &str = r#"
    gravity: [0, 0, -9.81], parameters: { "b": 0.3, "mu": 0.2, "m": 2.0, "rho": 0.02, "L": 0.06, "v1": 3.0, "v2": 2.0 },
    ground: { "O": [0, 0, 0] },
    bodies: { "arm": Solid(mass: "m", inertia: [0.02, 0.03, 0.01, 0, 0, 0], centre_of_mass: [0.02, 0.03, -0.2], guess: [0, 0, 0]) },
    joints: { "cross": Universal(between: ("O", "arm.origin"), axes: ([1, 0, 0], [0, 1, 0]), angles: (0.3, 0.2), angular_velocities: ("v1", "v2"),
        friction: (Preload(kinetic: "b", static: "1.2*b"), Reaction(coefficient: "mu", static: "1.3*mu", radius: "rho", length: "L"))) },
    forces: { "push": Torque(on: "cross.angle_2", torque: "0.8*sin(5*t)") },
    objectives: {
        "a1": Final("cross.angle_1"), "a2": Final("cross.angle_2"), "W": Integral("cross.heat_1 + cross.heat_2"), "T2": Integral("cross.friction_2^2"),
        "apart": Integral("(cross.slip_1 - cross.omega_1)^2 + (cross.slip_2 - cross.omega_2)^2"),
    },"#;

/// Two bodies on two crosses and a screw between, all of which rub and stick.
const CHAIN: &str = r#"
    gravity: [0, 0, -9.81], parameters: { "b": 0.5, "mu": 0.15, "F": 4.0, "lead": 0.02 },
    ground: { "O": [0, 0, 0] },
    bodies: {
        "one": Solid(mass: 1, inertia: [0.01, 0.02, 0.02, 0, 0, 0.001], centre_of_mass: [0.2, 0.02, 0], guess: [0, 0, 0], markers: { "end": [0.4, 0, 0] }),
        "nut": Solid(mass: 0.4, inertia: [0.004, 0.003, 0.003, 0, 0, 0], centre_of_mass: [0, 0.01, 0], guess: [0.4, 0, 0], markers: { "end": [0.1, 0, 0] }),
        "two": Solid(mass: 0.5, inertia: [0.004, 0.01, 0.01, 0, 0, 0], centre_of_mass: [0.15, 0, 0.01], guess: [0.5, 0, 0]),
    },
    joints: {
        "first": Universal(between: ("O", "one.origin"), axes: ([0, 0, 1], [0, 1, 0]), angles: (0, 0), angular_velocities: (1, -1),
            friction: (Reaction(coefficient: "mu", radius: 0.1, length: 0.2), Preload(kinetic: "2*b", static: "2.4*b"))),
        "thread": Screw(between: ("one.end", "nut.origin"), axis: [1, 0, 0], lead: "lead", angle: 0, angular_velocity: 6, friction: Preload(kinetic: "0.1*b", static: "0.15*b")),
        "second": Universal(between: ("nut.end", "two.origin"), axes: ([0, 0, 1], [0, 1, 0]), angles: (0, 0), angular_velocities: (0, 2),
            friction: (Preload(kinetic: "b", viscous: 0.02), Reaction(coefficient: "mu", stribeck: 0.5, static: "2*mu", radius: 0.1, length: 0.1))),
    },
    forces: {
        "shake": Torque(on: "first.angle_1", torque: "F*sin(6*t)"), "hold": TorsionSpring(between: ("ground", "first.angle_2"), stiffness: 20, natural_angle: 0),
        "hold too": TorsionSpring(between: ("ground", "second.angle_2"), stiffness: 6, natural_angle: 0),
    },
    objectives: {
        "a1": Final("first.angle_1"), "a2": Final("second.angle_2"), "s": Final("thread.position"),
        "W": Integral("first.heat_1 + first.heat_2 + thread.heat + second.heat_1 + second.heat_2"),
    },"#;

fn all() -> [(&'static str, String); 3] {
    [
        ("screw", spatial(0.5, SCREW)),
        ("cross", spatial(0.7, CROSS)),
        ("chain", spatial(0.4, CHAIN)),
    ]
}

/// With p the travel per radian, m p a = N - s mu p/r N - m g and J a = -p N - s mu r N, for a load N along the axis.
fn acceleration(s: f64, [mu, r, lead, m, j, g]: [f64; 6]) -> f64 {
    let p = lead / std::f64::consts::TAU;
    -m * g / (m * p + j * (1.0 - s * mu * p / r) / (p + s * mu * r))
}

#[test]
fn a_nut_runs_up_and_comes_down_a_thread_that_rubs() {
    let given = [0.1, 0.02, 0.05, 3.0, 0.002, 9.81];
    let angle = |given: [f64; 6], w0: f64| {
        let [up, down] = [1.0, -1.0].map(|s| acceleration(s, given));
        let top = -w0 / up;
        0.5 * w0 * top + 0.5 * down * (0.5 - top) * (0.5 - top)
    };
    let found = agreed(&experiment(&spatial(0.5, SCREW), &tight()), 1e-9);
    close("angle", found.objectives[0].value, angle(given, 2.0), 1e-10);
    assert!(found.objectives[2].value < 1e-20, "slip is the rate of the angle");
    assert_eq!(found.events.len(), 1);
    close("top", found.events[0].0.t, -2.0 / acceleration(1.0, given), 1e-11);
    for (k, slope) in found.objectives[0].gradient[..5].iter().enumerate() {
        let changed = |by: f64| {
            let mut given = given;
            given[k] *= 1.0 + by;
            angle(given, 2.0)
        };
        let quotient = (8.0 * (changed(1e-3) - changed(-1e-3)) - (changed(2e-3) - changed(-2e-3))) / (12e-3 * given[k]);
        close("slope", *slope, quotient, 1e-7);
    }
}

/// The torque that raises a load F with a square thread is F r (tan(a) + mu)/(1 - mu tan(a)).
#[test]
fn a_thread_holds_what_the_formula_of_power_screws_says() {
    let raised = SCREW.replace("\"w0\": 2.0", "\"w0\": 0.0").replace(
        "objectives:",
        "forces: { \"motor\": Torque(on: \"thread\", torque: \"t\") }, objectives:",
    );
    let found = report(&experiment(
        &spatial(0.9, &raised.replace("\"1.2*mu\"", "0.5")),
        &tight(),
    ));
    let (slope, mu) = (0.05 / std::f64::consts::TAU / 0.02, 0.5);
    let torque = 3.0 * 9.81 * 0.02 * (slope + mu) / (1.0 - mu * slope);
    assert_eq!(
        found.events.iter().map(|event| &event.kind[..]).collect::<Vec<_>>(),
        ["slip"]
    );
    close("raising", found.events[0].t, torque, 1e-9);
}

#[test]
fn a_thread_that_locks_stops_and_stays_or_is_refused() {
    let steep = SCREW.replace("\"mu\": 0.1", "\"mu\": 0.5");
    let found = report(&experiment(&spatial(0.5, &steep), &tight()));
    assert_eq!(
        found.events.iter().map(|event| &event.kind[..]).collect::<Vec<_>>(),
        ["stick"]
    );
    let top = -2.0 / acceleration(1.0, [0.5, 0.02, 0.05, 3.0, 0.002, 9.81]);
    close("angle", objective(&found, "phi"), top, 1e-10);
    // Friction that no inertia about the axis stands against.
    let light = steep.replace("\"J\": 0.002", "\"J\": 0.00001");
    let error = failure(&spatial(0.5, &light));
    assert!(error.to_string().contains("locks itself"), "{error}");
}

/// A friction that is given is a torque about the axis.
#[test]
fn a_tight_nut_takes_a_torque() {
    let law = r#"friction: Reaction(coefficient: "mu", static: "1.2*mu", radius: "r")"#;
    for (given, holds) in [(0.1, false), (0.3, true)] {
        let text = SCREW.replace(law, &format!("friction: Preload(kinetic: {given})"));
        let found = report(&experiment(&spatial(0.5, &text), &tight()));
        let p = 0.05 / std::f64::consts::TAU;
        let inertia = 0.002 + 3.0 * p * p;
        let up = (3.0 * 9.81 * p + given) / inertia;
        let down = if holds { 0.0 } else { (3.0 * 9.81 * p - given) / inertia };
        let top = 2.0 / up;
        close(
            "angle",
            objective(&found, "phi"),
            top - 0.5 * down * (0.5 - top).powi(2),
            1e-10,
        );
    }
}

/// A disc that spins about an axis of a cross is pressed as by a bearing, F/2 plus and minus M/L at its two ends; a weight along the axis
/// presses with all of it.
#[test]
fn the_pins_of_a_cross_carry_force_and_moment_at_their_ends() {
    let scene = |axes: &str, at: &str, spin: &str, of: usize| {
        let text = format!(
            r#"gravity: [0, 0, -9.81], ground: {{ "O": [0, 0, 0] }},
            bodies: {{ "disc": Solid(mass: 3, inertia: [0.02, 0.01, 0.02, 0, 0, 0], centre_of_mass: [{at}], guess: [0, 0, 0]) }},
            joints: {{ "cross": Universal(between: ("O", "disc.origin"), axes: ({axes}), angles: (0, 0), angular_velocities: ({spin}),
                friction: (Reaction(coefficient: 0.2, radius: 0.02, length: 0.1), Reaction(coefficient: 0.2, radius: 0.02, length: 0.1))) }},
            objectives: {{ "phi": Final("cross.angle_{of}") }},"#
        );
        objective(&report(&experiment(&spatial(0.2, &text), &tight())), "phi")
    };
    let turned = |alpha: f64| 0.2 * 4.0 - 0.5 * alpha * 0.04;
    for d in [0.08_f64, 0.03] {
        let press = 0.02 * (3.0 * 9.81) * (2.0 * d / 0.1).max(1.0);
        let found = scene("[0, 0, 1], [0, 1, 0]", &format!("0, {d}, 0"), "0, 4", 2);
        close("overhung", found, turned(0.2 * press / 0.01), 1e-10);
    }
    let found = scene("[0, 0, 1], [0, 1, 0]", "0, 0, -0.1", "4, 0", 1);
    close("thrust", found, turned(0.2 * 0.02 * 3.0 * 9.81 / 0.02), 1e-10);
}

/// Values of equations of motion that were derived by hand, integrated by another program with steps of 0.2 ms of order 4.
#[test]
fn a_body_on_a_cross_that_rubs_moves_as_an_independent_integration_says() {
    let found = report(&experiment(&spatial(2.0, CROSS), &tight()));
    for (name, value) in [
        ("a1", -0.180_241_619_746_6),
        ("a2", 0.116_488_138_174_4),
        ("W", 1.014_043_424_695_1),
    ] {
        close(name, objective(&found, name), value, 1e-10);
    }
    assert!(objective(&found, "apart") < 1e-12, "slip is the rate of the angle");
    let names: Vec<&str> = found.events.iter().map(|event| &event.name[..]).collect();
    assert_eq!(names[..3], ["cross (axis 1)", "cross (axis 2)", "cross (axis 1)"]);
    close("reversal", found.events[1].t, 0.298_886_455_101_5, 1e-10);
}

#[test]
fn a_cross_slips_where_its_pin_no_longer_holds() {
    let text = r#"ground: { "O": [0, 0, 0] }, parameters: { "b": 0.3 },
        bodies: { "arm": Solid(mass: 1, inertia: [0.02, 0.02, 0.02, 0, 0, 0], guess: [0, 0, 0]) },
        joints: { "cross": Universal(between: ("O", "arm.origin"), axes: ([1, 0, 0], [0, 1, 0]), angles: (0, 0), angular_velocities: (0, 0),
            friction: (Preload(kinetic: "b"), Preload(kinetic: "2*b"))) },
        forces: { "pull": Torque(on: "arm", torque: ["t", "t", 0]) },
        objectives: { "slips": AtEvents(of: "t", event: "cross (axis 1)", kind: Slip), "both": AtEvents(of: "t", event: "cross", kind: Slip) },"#;
    let found = agreed(&experiment(&spatial(0.8, text), &tight()), 1e-9);
    close("first axis", found.objectives[0].value, 0.3, 1e-11);
    close("its slope", found.objectives[0].gradient[0], 1.0, 1e-9);
    assert!(found.objectives[1].value > 0.85, "the second axis slips, too");
}

#[test]
fn the_energy_balances() {
    for (name, text) in all() {
        let (report, _) = experiment(&text, &tight()).run_balanced(false, &mut |_| {}).unwrap();
        let balance = report.balance.as_ref().unwrap();
        assert!(balance.missing.abs() < 1e-8, "{name}: {:e}", balance.missing);
        let rubs = |name: &str| {
            ["thread", "cross", "first", "second"]
                .iter()
                .any(|own| name.starts_with(own))
        };
        let own: Vec<&(String, f64)> = balance.work.iter().filter(|(name, _)| rubs(name)).collect();
        let work: f64 = own.iter().map(|(_, work)| work).sum();
        close(name, work, -objective(&report, "W"), 1e-8);
        let kinds: Vec<&str> = report.events.iter().map(|event| &event.kind[..]).collect();
        assert!(
            kinds.contains(&"reverse") || kinds.contains(&"stick"),
            "{name} {kinds:?}"
        );
    }
}

#[test]
fn the_methods_agree_in_every_formulation() {
    for (name, text) in all() {
        println!("{name}");
        agreed_in_every_formulation(&text, under, 1e-6);
    }
}

#[test]
fn certificates_pass() {
    for (name, text) in all() {
        certified_within(name, &text, [1e-9, 1e-11]);
    }
}

/// A nut that turns down by its weight strikes a floor: compression and expansion each with the friction of the thread, by hand (Poisson's
/// law with the impulse of the thread n: m dv = I + n cos(l) + f sin(l), J dv/p = r (f cos(l) - n sin(l)), f = ±mu |n|).
#[test]
fn a_nut_strikes_with_the_friction_of_its_thread() {
    let text = spatial(
        0.45,
        r#"gravity: [0, 0, -9.81],
        parameters: { "m": 1.0, "J": 0.0004, "mu": 0.1, "r": 0.02, "lead": 0.12, "e": 0.6 },
        ground: { "O": [0, 0, 0.2] },
        bodies: { "nut": Solid(mass: "m", inertia: ["J", "J", "J", 0, 0, 0], at: [0, 0, 0.2]) },
        joints: { "thread": Screw(between: ("O", "nut.origin"), axis: [0, 0, 1], lead: "lead", friction: Reaction(coefficient: "mu", radius: "r")) },
        contacts: { "floor": Touch(point: "nut.origin", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Restitution("e")) },
        objectives: { "z": Final("nut.z"), "v": Final("nut.vz") },"#,
    );
    let found = report(&experiment(&text, &tight()));
    close("z", objective(&found, "z"), 0.037_548_942_866_294, 1e-10);
    close("v", objective(&found, "v"), -0.080_500_373_055_366, 1e-9);
    certified(&text, Nullspace);
}
