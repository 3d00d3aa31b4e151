//! Objectives made of other objectives, and values at given times.

#[path = "objectives/constants.rs"]
mod constants;
#[path = "objectives/designs.rs"]
mod designs;
#[path = "objectives/formulas.rs"]
mod formulas;
#[path = "objectives/occurrences.rs"]
mod occurrences;
#[path = "objectives/readings.rs"]
mod readings;
mod support;

use costate::error::Error;
use costate::run::{Experiment, GradientReport, Method, Verdict};
use costate::scene::parse;
use support::*;

/// A ball on a spring that bounces twice, with these objectives.
fn ball(objectives: &str) -> String {
    planar(
        1.1,
        &format!(
            r#"gravity: [0, "-g"],
        parameters: {{ "h": 1.1, "e": 0.5, "g": 9.81, "k": 40.0, "T": 0.7, "s": 3.0 }},
        points: {{ "P": (at: [0.2, "h"], velocity: [0.3, 0], mass: 2) }},
        ground: {{ "O": [0, 0.5] }},
        forces: {{ "spring": Spring(from: "O", to: "P", stiffness: "k", natural_length: 0.3) }},
        contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) }},
        objectives: {{ {objectives} }},"#
        ),
    )
}

/// All derivatives by adjoint, forward method and difference quotients agree; none may be zero throughout.
fn certified(text: &str) -> GradientReport {
    let scene = experiment(text, &tolerances(1e-11, 1e-13));
    let (report, certificate) = scene.certify(Method::Adjoint, &|_| {}).expect("a certificate");
    for entry in &certificate.entries {
        let shown = format!("{:?} by {}: {}", entry.quantity, entry.parameter, entry.reason);
        assert_eq!(entry.verdict, Verdict::Passed, "{shown}");
    }
    for objective in &report.objectives {
        assert!(
            objective.gradient.iter().any(|slope| slope.abs() > 1e-6),
            "{objective:?}"
        );
    }
    report
}

/// The error of a scene that is not compiled.
fn refused(text: &str) -> Error {
    let outcome = parse("test.ron", text).and_then(|file| Experiment::new(&file, &tight()));
    outcome.expect_err("it is refused")
}

/// The error of a scene that has values but no gradient, by each of the exact methods.
fn without_gradient(text: &str, name: &str, words: &str) {
    let scene = experiment(text, &tight());
    report(&scene);
    for method in [Method::Adjoint, Method::Forward] {
        let error = scene.gradient(method).expect_err("no gradient");
        assert_eq!(error.name(), Some(name), "{method}: {error}");
        assert!(error.message().contains(words), "{method}: {error}");
        assert!(error.advice().is_some());
    }
}
