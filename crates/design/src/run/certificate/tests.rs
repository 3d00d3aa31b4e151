//! What the certificate catches: derivatives that are wrong in an element, a jump, a guard, or in one method alone.

use super::{Certificate, Certified, Evidence, Verdict};
use crate::run::{Changes, Experiment, Margins, Method};
use crate::scene::parse;

/// A mass on a nonlinear spring falls on a floor, and a brake is switched on at a height; marks stand for what a test
/// may spoil.
const SCENE: &str = r#"Scene(
    name: "spoilt",
    space: Planar,
    parameters: { "h": 1.5, "k": 4.0, "e": 0.7, "c": 0.4, "g": 9.81, "level": 0.9 },
    gravity: [0, "-g"],
    ground: { "top": [0, 2] },
    points: { "P": (at: [0.1, "h"], velocity: [0.3, 0], mass: 1) },
    forces: {
        "spring": NonlinearSpring(from: "top", to: "P", force: "k*(SPRING(length) - 0.5)", natural_length: 0.5),
        "brake": Drag(at: "P", linear: "c", active: false),
    },
    contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0.7], normal: [0, 1]), law: Restitution("JUMP(e)")) },
    events: { "slow": (when: Falling("GUARD(P.y) - level"), then: [Enable("brake")], once: true) },
    objectives: { "end": Final("P.y"), "path": Integral("P.x^2 + P.y") },
    simulation: (duration: 0.7, rtol: 1e-10, atol: 1e-12),
)"#;

/// The scene with one of the marks spoilt, or none.
fn experiment(spoilt: &str) -> Experiment {
    let text = ["SPRING", "JUMP", "GUARD"]
        .iter()
        .fold(SCENE.to_string(), |text, mark| {
            text.replace(mark, if *mark == spoilt { "flawed" } else { "" })
        });
    Experiment::new(&parse("spoilt.ron", &text).unwrap(), &Changes::default()).unwrap()
}

fn certify(spoilt: &str) -> Certificate {
    experiment(spoilt).certify(Method::Adjoint, &|_| {}).unwrap().1
}

fn verdict_of(certificate: &Certificate, objective: &str, parameter: &str) -> Verdict {
    let entries = certificate.entries.iter();
    let is_wanted = |quantity: &Certified| matches!(quantity, Certified::Objective(name) if name == objective);
    entries
        .filter(|entry| is_wanted(&entry.quantity) && entry.parameter == parameter)
        .map(|entry| entry.verdict)
        .next()
        .unwrap()
}

#[test]
fn correct_derivatives_pass_and_the_motion_meets_all_that_is_spoilt_below() {
    let certificate = certify("");
    assert_eq!(certificate.verdict, Verdict::Passed);
    let names: Vec<&str> = certificate
        .differences
        .events
        .iter()
        .map(|event| event.name.as_str())
        .collect();
    assert!(names.contains(&"floor") && names.contains(&"slow"), "{names:?}");
}

#[test]
fn a_wrong_derivative_of_the_flow_fails() {
    assert_eq!(certify("SPRING").verdict, Verdict::Failed);
}

#[test]
fn a_wrong_derivative_of_a_jump_fails_where_it_matters_and_nowhere_else() {
    let certificate = certify("JUMP");
    assert_eq!(verdict_of(&certificate, "end", "e"), Verdict::Failed);
    for parameter in ["h", "k", "c", "g", "level"] {
        assert_eq!(
            verdict_of(&certificate, "end", parameter),
            Verdict::Passed,
            "{parameter}"
        );
    }
}

#[test]
fn a_wrong_derivative_of_a_guard_fails() {
    let certificate = certify("GUARD");
    assert_eq!(certificate.verdict, Verdict::Failed);
    let event_time = |entry: &&super::Entry| matches!(&entry.quantity, Certified::EventTime(_, e) if e.name == "slow");
    let of_level = certificate
        .entries
        .iter()
        .filter(event_time)
        .find(|entry| entry.parameter == "level");
    assert_eq!(of_level.unwrap().verdict, Verdict::Failed);
}

fn evidence(experiment: &Experiment) -> Evidence {
    Evidence {
        adjoint: experiment.gradient(Method::Adjoint).unwrap(),
        adjoint_looser: experiment.looser().unwrap().gradient(Method::Adjoint).unwrap(),
        forward: experiment.gradient(Method::Forward).unwrap(),
        forward_looser: experiment.looser().unwrap().gradient(Method::Forward).unwrap(),
        differences: experiment.differences(&|_| {}).unwrap(),
    }
}

#[test]
fn an_error_of_the_adjoint_alone_fails_that_entry_alone() {
    let experiment = experiment("");
    let mut evidence = evidence(&experiment);
    for report in [&mut evidence.adjoint, &mut evidence.adjoint_looser] {
        report.objectives[1].gradient[2] *= 1.0 + 1e-5;
    }
    let certificate = experiment.judge(evidence, Margins::default());
    let failed = certificate
        .entries
        .iter()
        .filter(|entry| entry.verdict == Verdict::Failed);
    let failed: Vec<&str> = failed.map(|entry| entry.parameter.as_str()).collect();
    assert_eq!(failed, ["e"]);
    assert_eq!(verdict_of(&certificate, "path", "e"), Verdict::Failed);
}

#[test]
fn differences_that_cannot_tell_are_inconclusive_and_never_pass() {
    let experiment = experiment("");
    let mut evidence = evidence(&experiment);
    for study in &mut evidence.differences.studies {
        for estimate in study.estimates.iter_mut().flatten() {
            estimate.error = 0.1 * (1.0 + estimate.value.abs());
        }
    }
    let certificate = experiment.judge(evidence, Margins::default());
    assert_eq!(verdict_of(&certificate, "end", "h"), Verdict::Inconclusive);
    assert_eq!(certificate.verdict, Verdict::Inconclusive);
}
