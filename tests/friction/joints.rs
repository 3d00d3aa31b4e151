//! Friction in joints: its law at every output, closed forms, derivatives, and what has no unique answer.

use costate::error::Error;
use costate::run::{Changes, Experiment, Method, Recording};
use costate::scene::schema::FormulationKind::{Multipliers, Nullspace, Penalty};

use crate::support::{certified_within, close, experiment, failure, objective, planar, report, tight, under};

/// A pendulum whose pin rubs at its radius.
const PENDULUM: &str = r#"
    gravity: [0, -9.81],
    parameters: { "mu": 0.3, "ms": 0.35, "rho": 0.05, "m": 1.2, "l": 0.8, "phi0": -0.9, "w0": 1.0 },
    ground: { "O": [0, 0] },
    bodies: { "rod": Rigid(mass: "m", inertia: "m*l^2/12", guess: [0.2, -0.3, "phi0"], hold: [Angle], velocity: ["free", "free", "w0"], markers: { "a": ["-l/2", 0] }) },
    joints: { "pin": Revolute(between: ("O", "rod.a"), friction: Reaction(coefficient: "mu", static: "ms", radius: "rho")) },
    outputs: { "T": "pin.friction", "R": "pin.force", "u": "pin.slip", "heat": "pin.heat" },
    objectives: { "phi": Final("rod.angle"), "W": Integral("pin.heat"), "T": Final("pin.friction"), "R2": Integral("pin.force^2") },"#;

/// A body on a rail, pulled beside it, so that the two ends of its sleeve press both ways.
const SLEEVE: &str = r#"
    gravity: [0, -9.81],
    parameters: { "mu": 0.15, "L": 0.1, "m": 1.0, "F": 12.0, "h": 0.08, "v0": 1.0, "k": 300.0 },
    ground: { "O": [0, 0] },
    bodies: { "block": Rigid(mass: "m", inertia: 0.01, at: [0, 0, 0], velocity: ["v0", 0, 0], markers: { "h": [0.03, "h"] }) },
    joints: { "guide": Prismatic(between: ("O", "block.origin"), direction: [1, 0], friction: Reaction(coefficient: "mu", static: "1.2*mu", length: "L")) },
    forces: { "pull": Load(at: "block.h", force: ["-k*block.x + F*sin(3*t)", 0]) },
    outputs: { "T": "guide.friction", "N": "guide.fy", "M": "guide.torque", "u": "guide.slip", "heat": "guide.heat" },
    objectives: { "x": Final("block.x"), "W": Integral("guide.heat"), "T2": Integral("guide.friction^2") },"#;

/// A bead on a rod that turns: the slot beside it pushes to either side, with all terms of the law.
const SLOT: &str = r#"
    gravity: [0, -9.81],
    parameters: { "mu": 0.15, "m": 1.0, "J": 0.05, "v0": 1.0, "off": 0.05, "w0": 1.5, "c": 0.1, "vs": 0.2 },
    ground: { "O": [0, 0] },
    bodies: { "rod": Rigid(mass: 2, inertia: "J", at: [0, 0, 0.3], velocity: ["free", "free", "w0"], markers: { "s": [-0.5, 0], "e": [0.5, 0] }) },
    points: { "bead": (guess: [0.2, 0.1], mass: "m", hold: [X], velocity: ["v0", "free"]) },
    joints: {
        "pin": Revolute(between: ("O", "rod.origin")),
        "slot": PointOnLine(point: "bead", line: Through("rod.s", "rod.e"), offset: "off", friction: Reaction(coefficient: "mu", static: "1.5*mu", viscous: "c", stribeck: "vs")),
    },
    outputs: { "T": "slot.friction", "N": "slot.force", "u": "slot.slip", "heat": "slot.heat" },
    objectives: { "x": Final("bead.x"), "phi": Final("rod.angle"), "W": Integral("slot.heat") },"#;

/// A four-bar all of whose pins have preload: it stops, holds and is driven on again.
const FOUR_BAR: &str = r#"
    gravity: [0, -9.81], parameters: { "T": 1.0, "a": 3.0 },
    ground: { "O": [0, 0], "B": [1, 0] },
    bodies: {
        "crank": Rigid(mass: 1, inertia: 0.02, at: [0, 0, 1.0], velocity: [0, 0, 1.0], markers: { "p": [0.3, 0] }),
        "rod": Rigid(mass: 0.1, inertia: 0.01, guess: [0.6, 0.4, 0.2], markers: { "a": [-0.5, 0], "b": [0.5, 0] }),
        "rocker": Rigid(mass: 0.1, inertia: 0.01, guess: [0.95, 0.3, 1.4], markers: { "a": [-0.3, 0], "b": [0.3, 0] }),
    },
    joints: {
        "j1": Revolute(between: ("O", "crank.origin"), friction: Preload(kinetic: "0.6*T", static: "0.8*T")),
        "j2": Revolute(between: ("crank.p", "rod.a"), friction: Preload(kinetic: "0.3*T")),
        "j3": Revolute(between: ("rod.b", "rocker.b"), friction: Preload(kinetic: "0.3*T")),
        "j4": Revolute(between: ("B", "rocker.a"), friction: Preload(kinetic: "0.6*T", static: "0.7*T")),
    },
    forces: { "motor": Torque(on: "crank", torque: "a*sin(1.5*t)") },
    outputs: { "T1": "j1.friction", "T4": "j4.friction", "u1": "j1.slip" },
    objectives: { "phi": Final("crank.angle"), "W": Integral("j1.heat + j2.heat + j3.heat + j4.heat") },"#;

fn recorded(text: &str) -> (Recording, Vec<String>) {
    let (report, recording) = experiment(text, &tight()).run(true, &mut |_| {}).unwrap();
    let kinds = report.events.iter().map(|event| event.kind.clone()).collect();
    (recording.unwrap(), kinds)
}

/// The values of outputs at every time.
fn rows<const N: usize>(recording: &Recording, names: [&str; N]) -> Vec<[f64; N]> {
    let of = |name: &str| {
        &recording
            .outputs
            .iter()
            .find(|series| series.name == name)
            .unwrap()
            .values
    };
    (0..recording.times.len())
        .map(|k| names.map(|name| of(name)[k]))
        .collect()
}

/// The law with what presses, its coefficients, and the viscous term.
#[track_caller]
fn follows([t, load, u, heat]: [f64; 4], [at_rest, slipping]: [f64; 2], viscous: f64) -> bool {
    if u.abs() < 1e-11 {
        assert!(t.abs() <= at_rest * load * (1.0 + 1e-10), "sticks: {t} {load}");
        assert!(heat.abs() < 1e-9);
        return true;
    }
    let wanted = -slipping * load * u.signum() - viscous * u;
    assert!((t - wanted).abs() < 1e-9 * (1.0 + load), "slips: {t} {wanted} {u}");
    assert!((heat + t * u).abs() < 1e-9 * (1.0 + heat.abs()));
    false
}

#[test]
fn a_pin_rubs_with_its_reaction_at_its_radius() {
    let (recording, kinds) = recorded(&planar(9.0, PENDULUM));
    let rows = rows(&recording, ["T", "R", "u", "heat"]);
    let stuck = rows
        .iter()
        .filter(|[t, r, u, heat]| follows([*t, 0.05 * r, *u, *heat], [0.35, 0.3], 0.0))
        .count();
    assert!(stuck > 5 && rows.len() - stuck > 100, "{stuck}");
    assert!(kinds.iter().filter(|kind| *kind == "reverse").count() > 5);
    assert_eq!(kinds.last().unwrap(), "stick");
}

#[test]
fn a_sleeve_rubs_at_both_of_its_ends() {
    let (recording, kinds) = recorded(&planar(3.0, SLEEVE));
    let rows = rows(&recording, ["T", "N", "M", "u", "heat"]);
    let load = |n: f64, m: f64| (0.5 * n + m / 0.1).abs() + (0.5 * n - m / 0.1).abs();
    let stuck = rows
        .iter()
        .filter(|[t, n, m, u, heat]| follows([*t, load(*n, *m), *u, *heat], [0.18, 0.15], 0.0))
        .count();
    assert!(stuck > 20 && rows.len() - stuck > 50, "{stuck}");
    for kind in ["slip", "stick", "reverse", "side"] {
        assert!(kinds.iter().any(|other| other == kind), "{kind} {kinds:?}");
    }
}

#[test]
fn a_slot_rubs_on_both_sides() {
    let (recording, kinds) = recorded(&planar(0.6, SLOT));
    for [t, n, u, heat] in rows(&recording, ["T", "N", "u", "heat"]) {
        let coefficient = 0.15 + 0.075 * (-u.abs() / 0.2).exp();
        follows([t, n, u, heat], [0.225, coefficient], 0.1);
    }
    assert!(kinds.iter().any(|kind| kind == "side"), "{kinds:?}");
}

/// Every scene with the time that it runs.
fn all() -> [(&'static str, String); 4] {
    [
        ("pendulum", planar(9.0, PENDULUM)),
        ("sleeve", planar(3.0, SLEEVE)),
        ("slot", planar(0.6, SLOT)),
        ("four-bar", planar(4.0, FOUR_BAR)),
    ]
}

#[test]
fn the_energy_balances() {
    for (name, text) in all() {
        let (report, _) = experiment(&text, &tight()).run_balanced(false, &mut |_| {}).unwrap();
        let balance = report.balance.as_ref().unwrap();
        assert!(balance.missing.abs() < 1e-8, "{name}: {:e}", balance.missing);
        let rubs = |name: &str| ["pin", "guide", "slot", "j1", "j2", "j3", "j4"].contains(&name);
        let work: f64 = balance
            .work
            .iter()
            .filter(|(name, _)| rubs(name))
            .map(|(_, work)| work)
            .sum();
        close(name, work, -objective(&report, "W"), 1e-8);
    }
}

#[test]
fn the_methods_agree_in_every_formulation() {
    for (name, text) in all() {
        for formulation in [Nullspace, Multipliers, Penalty] {
            let experiment = experiment(&text, &under(formulation));
            let [adjoint, forward] =
                [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method).unwrap());
            for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
                let scale = b.gradient.iter().fold(1e-3, |most: f64, slope| most.max(slope.abs()));
                for (a, b) in a.gradient.iter().zip(&b.gradient) {
                    // Under a penalty the two methods move a little apart.
                    let most = if formulation == Penalty { 1e-8 } else { 1e-9 };
                    assert!((a - b).abs() < most * scale, "{name} {formulation:?}: {a} {b}");
                }
            }
        }
    }
}

#[test]
fn certificates_pass() {
    for (name, text) in all() {
        certified_within(name, &text, [1e-10, 1e-12]);
    }
}

#[test]
fn a_mechanism_with_preload_in_every_pin_stops_and_goes_on() {
    let found = report(&experiment(&planar(4.0, FOUR_BAR), &tight()));
    for joint in ["j1", "j2", "j3", "j4"] {
        for kind in ["stick", "slip"] {
            assert!(
                found
                    .events
                    .iter()
                    .any(|event| event.name == joint && event.kind == kind),
                "{joint} {kind}: {:?}",
                found.events
            );
        }
    }
}

#[track_caller]
fn assert_refused(error: &Error, words: &[&str]) {
    let text = format!("{error} {}", error.advice().unwrap_or_default());
    for word in words {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(error.advice().is_some_and(|advice| advice.len() > 10), "{text}");
}

fn unread(text: &str) -> Error {
    let compiled = costate::scene::parse("test.ron", text).and_then(|file| Experiment::new(&file, &Changes::default()));
    compiled.map(|_| ()).unwrap_err()
}

/// The rod of Painlevé on a guide that holds both ways: with N the same at T = 0, its friction adds to what presses it as soon as
/// mu is 1/|dN/dT| = (1 + 3 sin^2)/(3 sin cos), whichever way it slips.
#[test]
fn a_joint_that_locks_itself_is_refused_with_the_limit() {
    let moved = |mu: f64, speed: f64| {
        let fields = format!(
            r#"gravity: [0, -9.81], constants: {{ "phi": 0.5 }},
            bodies: {{ "rod": Rigid(mass: 1, inertia: "1/12", at: ["-sin(phi)/2", "cos(phi)/2", "phi - pi/2"], velocity: [{speed}, 0, 0], markers: {{ "foot": [0.5, 0] }}) }},
            joints: {{ "rail": PointOnLine(point: "rod.foot", line: Fixed(through: [0, 0], direction: [1, 0]), friction: Reaction(coefficient: {mu})) }},"#
        );
        experiment(&planar(0.01, &fields), &tight())
            .run(false, &mut |_| {})
            .map(|_| ())
    };
    for speed in [-3.0, 3.0] {
        moved(1.3, speed).unwrap();
        assert_refused(
            &moved(1.4, speed).unwrap_err(),
            &["rail", "locks itself", "1.338", "not unique"],
        );
    }
    // A pin of a light rod with a large radius: mu rho |dR/dT| = 1.
    let pin = |mu: f64| {
        PENDULUM.replace(
            "\"mu\": 0.3, \"ms\": 0.35, \"rho\": 0.05",
            &format!("\"mu\": {mu}, \"ms\": 9, \"rho\": 0.2"),
        )
    };
    // R of a unit torque on a rod about its end is m (l/2)/(m l^2/3) = 3/(2 l).
    assert_refused(&failure(&planar(1.0, &pin(2.7))), &["pin", "locks itself", "2.666667"]);
    report(&experiment(&planar(1.0, &pin(2.6)), &tight()));
}

#[test]
fn reactions_that_are_not_determined_are_refused() {
    let text = SLEEVE.replace("forces:", r#"unused: "#);
    assert!(text.contains("unused"));
    let two = SLEEVE.replace(
        "joints: {",
        r#"joints: { "other": PointOnLine(point: "block.h", line: Fixed(through: [0, "h"], direction: [1, 0])), "#,
    );
    assert_refused(&failure(&planar(1.0, &two)), &["guide", "redundant", "Preload"]);
}

/// A four-bar all of whose pins rub with their reactions comes to rest, and stays: how they share what they hold does not matter to the motion.
#[test]
fn joints_that_rub_with_their_reactions_stick_together() {
    let law = "Reaction(coefficient: \"0.3*T\", static: \"0.4*T\", radius: 0.3)";
    let pins = FOUR_BAR
        .replace(r#"Preload(kinetic: "0.6*T", static: "0.8*T")"#, law)
        .replace(r#"Preload(kinetic: "0.6*T", static: "0.7*T")"#, law)
        .replace(r#"Preload(kinetic: "0.3*T")"#, law)
        .replace("a*sin(1.5*t)", "4*a*max(t - 2, 0)");
    let text = planar(3.0, &pins);
    let experiment = experiment(&text, &tight());
    let (report, recording) = experiment.run(true, &mut |_| {}).unwrap();
    let happened = |kind: &str| report.events.iter().any(|event| event.kind == kind);
    assert!(happened("stick") && happened("slip"), "{:?}", report.events);
    let recording = recording.unwrap();
    for [t1, u] in rows(&recording, ["T1", "u1"]) {
        assert!(t1.is_finite() && u.is_finite());
    }
    let (balanced, _) = experiment.run_balanced(false, &mut |_| {}).unwrap();
    assert!(balanced.balance.as_ref().unwrap().missing.abs() < 1e-8);
    let [adjoint, forward] = [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method).unwrap());
    for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
        let scale = b.gradient.iter().fold(1e-3, |most: f64, slope| most.max(slope.abs()));
        for (a, b) in a.gradient.iter().zip(&b.gradient) {
            assert!((a - b).abs() < 1e-8 * scale, "{a} {b}");
        }
    }
}

#[test]
fn impacts_that_stick_on_joints_that_rub_with_their_reaction_are_refused() {
    let wall = r#"contacts: { "wall": Touch(point: "rod.b", surface: Plane(through: [0.1, 0], normal: [-1, 0]), law: Stick) },"#;
    let with_wall = PENDULUM.replace("\"a\": [\"-l/2\", 0]", "\"a\": [\"-l/2\", 0], \"b\": [\"0.6*l\", 0]");
    let text = planar(
        2.0,
        &format!(
            "{}{wall}",
            with_wall.replace("\"phi0\": -0.9", "\"phi0\": -1.57079632679")
        ),
    );
    assert_refused(&failure(&text), &["pin", "impact", "Preload"]);
    let given = text.replace(
        r#"Reaction(coefficient: "mu", static: "ms", radius: "rho")"#,
        r#"Preload(kinetic: "mu", static: "ms")"#,
    );
    assert!(given != text);
    let found = report(&experiment(&given, &tight()));
    assert!(
        found.events.iter().any(|event| event.name == "wall"),
        "{:?}",
        found.events
    );
}

#[test]
fn what_has_no_meaning_is_refused_where_it_is_written() {
    let pin = |law: &str| {
        planar(
            1.0,
            &PENDULUM.replace(r#"Reaction(coefficient: "mu", static: "ms", radius: "rho")"#, law),
        )
    };
    assert_refused(&unread(&pin("Reaction(coefficient: 0.3)")), &["radius", "Revolute"]);
    assert_refused(
        &unread(&pin("Reaction(coefficient: 0.3, radius: 0.1, length: 1)")),
        &["length", "Prismatic"],
    );
    assert_refused(
        &unread(&pin("Reaction(coefficient: 0.3, radius: 0)")),
        &["radius", "positive"],
    );
    assert_refused(
        &unread(&pin("Reaction(coefficient: 0.3, static: 0.2, radius: 0.1)")),
        &["static", "below"],
    );
    assert_refused(
        &unread(&pin("Preload(kinetic: 0.3, static: 0.2)")),
        &["static", "below", "kinetic"],
    );
    assert_refused(&unread(&pin("Preload(kinetic: -0.3)")), &["kinetic", "at least zero"]);
    assert_refused(
        &failure(&pin("Preload(kinetic: \"0.1 - t\")")),
        &["pin", "slips", "at least zero"],
    );
    let sleeve = planar(1.0, &SLEEVE.replace(", length: \"L\"", ""));
    assert_refused(&unread(&sleeve), &["length", "sleeve"]);
}
