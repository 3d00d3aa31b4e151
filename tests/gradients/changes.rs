//! Gradients through memory and changes of the equations of motion: adjoint against forward, both against differences.

use costate::run::{Changes, Experiment, GradientReport, Method, Verdict};
use costate::scene::parse;

use crate::{changes, of, shipped, worst_difference};

fn experiment(duration: f64, formulation: &str, fields: &str) -> Experiment {
    let text = format!(
        "Scene(name: \"changes\", space: Planar, {fields} simulation: (duration: {duration}, formulation: {formulation}))"
    );
    let file = parse("changes.ron", &text).unwrap_or_else(|error| panic!("{error}"));
    Experiment::new(&file, &changes(1e-11, 1e-12)).unwrap_or_else(|error| panic!("{error}"))
}

/// Certifies every derivative in every formulation, and returns the gradient under the first.
#[track_caller]
fn certified(duration: f64, fields: &str) -> GradientReport {
    let mut reports = ["Nullspace", "Multipliers", "Penalty"].map(|formulation| {
        let experiment = experiment(duration, formulation, fields);
        let certificate = experiment
            .certify(Method::Adjoint, &|_| {})
            .unwrap_or_else(|error| panic!("{formulation}: {error}"))
            .1;
        let contradicted = certificate
            .entries
            .iter()
            .filter(|entry| entry.verdict != Verdict::Passed);
        let contradicted: Vec<_> = contradicted.map(|entry| format!("{entry:?}")).collect();
        assert!(contradicted.is_empty(), "{formulation}: {contradicted:#?}");
        let adjoint = experiment.gradient(Method::Adjoint).unwrap();
        let forward = experiment.gradient(Method::Forward).unwrap();
        let difference = worst_difference(&adjoint, &forward);
        assert!(difference < 1e-9, "{formulation}: {difference:e}");
        Some(adjoint)
    });
    reports[0].take().unwrap()
}

/// Fails unless every objective has derivatives other than zero by these parameters.
#[track_caller]
fn felt(report: &GradientReport, objectives: &[&str], parameters: &[&str]) {
    for objective in objectives {
        for parameter in parameters {
            let slope = of(report, objective, parameter);
            assert!(slope.abs() > 1e-6, "{objective} by {parameter}: {slope:e}");
        }
    }
}

#[test]
fn a_ratchet_without_teeth_holds_a_place_that_depends_on_everything_before() {
    let report = certified(
        1.4,
        r#"parameters: { "v0": 2.0, "m": 1.5, "F": 6.0, "k": 30.0, "L": 0.7, "on": 0.8, "x0": 0.1 },
        ground: { "A": [0, 0.6] },
        points: { "P": (at: ["x0", 0], velocity: ["v0", 0.4], mass: "m") },
        forces: {
            "back": Load(at: "P", force: ["-F", 0]),
            "spring": Spring(from: "A", to: "P", stiffness: "k", natural_length: "L"),
            "push": Load(at: "P", force: ["3*F + 8*F*(t - on)", 0], active: false),
        },
        contacts: { "pawl": Ratchet(of: Distance("A", "P"), moves: Up) },
        events: { "on": (when: At("on"), then: [Enable("push")]) },
        objectives: { "x": Final("P.x"), "y": Final("P.y"), "position": Final("pawl.position"), "force": Integral("pawl.force") },"#,
    );
    assert!(report.events.iter().filter(|(event, _)| event.name == "pawl").count() >= 2);
    felt(
        &report,
        &["x", "y", "position", "force"],
        &["v0", "m", "F", "k", "L", "on", "x0"],
    );
}

#[test]
fn a_ratchet_with_teeth_bounces_on_a_place_that_depends_on_pitch_and_tooth() {
    let report = certified(
        1.1,
        r#"parameters: { "v0": 2.0, "F": 8.0, "pitch": 0.12, "tooth": 0.05, "e": 0.1, "off": 0.95 },
        points: { "P": (at: [0, 0], velocity: ["v0", 0], mass: 2) },
        forces: { "back": Load(at: "P", force: ["-F", 0]) },
        contacts: { "pawl": Ratchet(of: Coordinate("P.x"), moves: Up, pitch: "pitch", tooth: "tooth", restitution: "e") },
        events: { "off": (when: At("off"), then: [Disable("pawl")]) },
        objectives: { "x": Final("P.x"), "mean": Integral("P.x"), "tooth": Integral("pawl.position") },"#,
    );
    // Let go at rest on its tooth, it has forgotten how it came there.
    felt(&report, &["x"], &["F", "pitch", "tooth", "off"]);
    felt(&report, &["mean"], &["v0", "F", "pitch", "tooth", "e", "off"]);
    felt(&report, &["tooth"], &["v0", "F", "pitch", "tooth"]);
}

#[test]
fn memory_that_starts_at_a_parameter_and_takes_up_reactions_carries_derivatives() {
    // The load follows a memory that is set to a force of the link at the event; the driver follows one that starts at x0.
    let report = certified(
        1.2,
        r#"parameters: { "m": 1.3, "L": 0.9, "a0": 0.8, "limit": 0.35, "x0": 1.2, "c": 0.3, "gain": 0.4 },
        gravity: [0, -9.81],
        ground: { "O": [0, 0] },
        points: {
            "P": (guess: ["L*sin(a0)", "-L*cos(a0)"], mass: "m"),
            "Q": (guess: ["x0", 0], mass: 1),
        },
        bodies: { "rod": Bar(from: "O", to: "P", length: "L", angle: "a0 - pi/2") },
        memory: { "pull": "c", "place": "x0", "rate": 0 },
        joints: { "slide": DriveCoordinate(coordinate: "Q.x", value: "place + rate*(t - 0.5)*t") },
        forces: { "load": Load(at: "Q", force: [0, "pull + c*t"]) },
        events: {
            "low": (when: Falling("rod.angle + pi/2 - limit"), then: [
                Set("pull", "gain*rod.force + pull + P.ay"), Set("rate", "c"), Set("place", "Q.x - c*(t - 0.5)*t"),
            ], once: true),
        },
        objectives: { "y": Final("Q.y"), "x": Final("Q.x"), "pull": Final("pull"), "x held": Integral("Q.x*place") },"#,
    );
    felt(&report, &["y"], &["m", "L", "a0", "limit", "c", "gain"]);
    // The tension of a pendulum at an angle depends on no length.
    felt(&report, &["pull"], &["m", "a0", "limit", "c", "gain"]);
    felt(&report, &["x"], &["L", "a0", "limit", "x0", "c"]);
    felt(&report, &["x held"], &["x0", "limit", "c"]);
}

#[test]
fn a_link_that_breaks_and_a_mass_that_is_dropped_have_differentiable_thresholds() {
    let report = certified(
        1.6,
        r#"parameters: { "L": 1.1, "m": 0.8, "w0": 4.5, "limit": 27.0, "k": 9.0, "M": 0.5 },
        gravity: [0, -9.81],
        ground: { "O": [0, 0] },
        points: { "P": (guess: [0.5, 0.9], mass: "m"), "Q": (guess: [0.5, 0.9], mass: "M") },
        bodies: { "rod": Bar(from: "O", to: "P", length: "L", mass: 0.4, angle: 1.2, angular_velocity: "-w0") },
        joints: { "hook": Revolute(between: ("P", "Q")) },
        forces: { "spring": Spring(from: "O", to: "Q", stiffness: "k", natural_length: 0.6) },
        events: { "breaks": (when: Rising("hook.force - limit"), then: [Disable("hook")], once: true) },
        objectives: { "x": Final("Q.x"), "y": Final("Q.y"), "swing": Final("rod.angle"), "energy": Final("energy.total") },"#,
    );
    assert_eq!(report.events.len(), 1, "{:?}", report.events);
    felt(&report, &["x", "y", "swing"], &["L", "m", "w0", "limit", "k", "M"]);
}

#[test]
fn a_hysteretic_hinge_on_a_geared_driver_with_a_stop_has_a_gradient() {
    let report = certified(
        1.3,
        r#"parameters: { "ka": 60.0, "kb": 14.0, "alpha": 6.0, "beta": 0.3, "ratio": -0.7, "amplitude": 0.5, "stop": 0.31, "e": 0.6 },
        ground: { "A": [0, 0], "B": [2, 0], "C": [0.4, 1.6] },
        bodies: {
            "crank": Rigid(mass: 1, inertia: 0.3, at: [0, 0, 0]),
            "wheel": Rigid(mass: 1, inertia: 0.2, guess: [2, 0, 0]),
            "arm": Rigid(mass: 0.5, inertia: 0.15, centre: [0.2, 0], guess: [2, 0, 0], velocity: [0, 0, 0.2], markers: { "end": [0.5, 0] }),
        },
        joints: {
            "first": Revolute(between: ("A", "crank.origin")),
            "second": Revolute(between: ("B", "wheel.origin")),
            "third": Revolute(between: ("B", "arm.origin")),
            "motor": DriveAngle(body: "crank", angle: "amplitude*sin(5*t)"),
            "gear": Gear(between: ("crank", "wheel"), ratio: "ratio"),
        },
        forces: {
            "hinge": HystereticSpring(of: AngleBetween("wheel", "arm"), ka: "ka", kb: "kb", alpha: "alpha", beta: "beta"),
            "strut": HystereticSpring(of: Distance("C", "arm.end"), natural: 2.6, ka: "ka/9", kb: "kb/9", alpha: "2*alpha"),
        },
        contacts: { "stop": Limit(of: Angle("arm"), at_most: "stop", law: Restitution("e")) },
        objectives: { "angle": Final("arm.angle"), "work": Final("hinge.work + strut.work"), "torque": Integral("motor.torque^2") },"#,
    );
    assert!(report.events.iter().any(|(event, _)| event.name == "stop"));
    assert!(report.events.iter().any(|(event, _)| event.name == "hinge"));
    felt(
        &report,
        &["angle", "work", "torque"],
        &["ka", "kb", "alpha", "beta", "ratio", "amplitude", "stop", "e"],
    );
}

#[test]
fn radau_gives_the_same_motion_and_gradient_of_a_hysteretic_spring() {
    let fields = r#"parameters: { "ka": 90.0, "kb": 10.0, "alpha": 20.0 },
        points: { "P": (at: [0, 0], velocity: [0.5, 0], mass: 1) },
        forces: { "spring": HystereticSpring(of: Coordinate("P.x"), ka: "ka", kb: "kb", alpha: "alpha") },
        objectives: { "x": Final("P.x"), "work": Final("spring.work") },"#;
    let explicit = experiment(1.5, "Nullspace", fields).gradient(Method::Adjoint).unwrap();
    let implicit = experiment(1.5, "Nullspace, integrator: Radau", fields)
        .gradient(Method::Forward)
        .unwrap();
    assert_eq!(explicit.events.len(), implicit.events.len());
    let difference = worst_difference(&explicit, &implicit);
    assert!(difference < 1e-7, "{difference:e}");
}

#[test]
fn the_shipped_scenes_with_memory_and_changes_of_motion_are_certified() {
    for scene in ["clutch", "hysteretic_oscillator", "ratchet_hoist", "taut_string"] {
        let certificate = shipped(scene, &Changes::default())
            .certify(Method::Adjoint, &|_| {})
            .unwrap()
            .1;
        assert_eq!(certificate.verdict, Verdict::Passed, "{scene}");
    }
}
