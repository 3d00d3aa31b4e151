//! Events that follow each other without end, although the scene has none: the element is named, and the advice is one that helps.

use costate::error::{Error, ErrorKind};
use costate::run::{Changes, Experiment};
use costate::scene::parse;

use crate::says;

/// The error of a scene with the tolerances that stand in it.
fn failure_of(text: &str) -> Error {
    let file = parse("test.ron", text).unwrap();
    let experiment = Experiment::new(&file, &Changes::default()).unwrap();
    experiment.run(false, &mut |_| {}).expect_err("the scene runs")
}

/// A bead on a driven rod, whose friction changes its side.
fn bead(choices: &str) -> Error {
    failure_of(&format!(
        r#"Scene(name: "bead", space: Planar, gravity: [0, -9.81],
        ground: {{ "O": [0, 0] }},
        points: {{ "P": (guess: [0.6, 0], hold: [X], velocity: [0, "free"], mass: 0.7) }},
        bodies: {{ "arm": Rigid(mass: 1, inertia: 0.1, guess: [0, 0, 0], markers: {{ "tip": [1.0, 0] }}) }},
        joints: {{ "axle": Revolute(between: ("O", "arm.origin")),
            "drive": DriveAngle(body: "arm", angle: "1.2*sin(2.5*t)"),
            "guide": PointOnLine(point: "P", line: Through("arm.origin", "arm.tip"), friction: Reaction(coefficient: 0.3, static: 0.39, stribeck: 0.2)) }},
        forces: {{ "spring": Spring(from: "O", to: "P", stiffness: 30, natural_length: 0.6) }},
        simulation: (duration: 3, {choices}))"#
    ))
}

#[track_caller]
fn check(error: &Error, name: &str, help: &str) {
    assert_eq!((error.kind(), error.name()), (ErrorKind::Event, Some(name)), "{error}");
    says(error, &[&format!("\"{name}\"")]);
    assert!(!error.message().contains("\"an event\""), "{error}");
    let advice = error.advice().unwrap_or_default();
    assert!(advice.contains(help) && !advice.contains("Rising"), "{advice}");
}

#[test]
fn a_side_of_friction_that_is_rounding_is_named_by_its_joint() {
    check(&bead("rtol: 1e-4"), "guide", "set `rtol` to 1e-6 or below");
}

#[test]
fn a_magnet_that_lets_go_is_no_bounce() {
    let text = r#"Scene(name: "magnet", space: Planar, gravity: [0, -9.81],
        ground: { "buffer": [0, 1.6] },
        points: { "P": (at: [0, 0.5], velocity: [0, -1], mass: 1), "Q": (at: [0.5, 0.2], velocity: [0, 0], mass: 0.7) },
        joints: {
            "guide": PointOnLine(point: "P", line: Fixed(through: [0, 0], direction: [0, 1]), friction: Preload(kinetic: 0.5, static: 0.8)),
            "other": PointOnLine(point: "Q", line: Fixed(through: [0.5, 0], direction: [0, 1])) },
        forces: {
            "load": Load(at: "P", force: [0, "9.81 + 14*sin(3*t)"]),
            "end": Spring(from: "P", to: "buffer", stiffness: 400, natural_length: 0.5, damping: 6, one_sided: Compression),
            "link": Spring(from: "P", to: "Q", stiffness: 40, natural_length: 0.55, damping: 0.3) },
        contacts: {
            "magnet": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: StickUntil(9)),
            "floor": Touch(point: "Q", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.3)) },
        simulation: (duration: 3, rtol: 1e-4))"#;
    check(&failure_of(text), "magnet", "set `rtol` to 1e-6 or below");
}
