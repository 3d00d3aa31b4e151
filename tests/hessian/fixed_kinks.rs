//! Kinks at the values of parameters alone: second derivatives are there where both sides have the same.

use super::support::{experiment, tolerances};
use super::{Method, entry, hessian};
use costate::run::Experiment;

/// A unit mass that a constant force pushes for a second, to half of the force.
fn pushed(more: &str, force: &str) -> Experiment {
    let text = format!(
        r#"Scene(name: "pushed", space: Planar, gravity: [0, 0], parameters: {{ "z": 0.0, "w": 0.0, "a": 0.1, "b": 0.2, "c": 0.3{more} }},
        points: {{ "P": (at: [0, 0], mass: "1 + 0*(z + w + a + b + c)") }}, forces: {{ "push": Load(at: "P", force: ["{force} + z*a + b^2", 0]) }},
        objectives: {{ "x": Final("P.x") }}, simulation: (duration: 1))"#
    );
    experiment(&text, &tolerances(1e-10, 1e-12))
}

#[test]
fn where_the_sides_differ_there_are_none_by_the_parameter() {
    for (more, force, kink, of) in [
        ("", "z*abs(z)", "z*abs(z)", &["z"][..]),
        ("", "3 - max(0, z)^2", "max(0, z)^2", &["z"]),
        ("", "z^2*sign(sin(z)) + a*w", "sign(sin(z))", &["z"]),
        // An expression of a parameter that is one of another.
        (r#", "y": "z*abs(z)""#, "y + w^2", "z*abs(z)", &["z"]),
        (r#", "y": "2*z + w""#, "y*abs(y)", "y*abs(y)", &["z", "w", "y"]),
        ("", "(a + b - c)*abs(a + b - c)*1e3", "a + b - c", &["a", "b", "c"]),
        // Along one of them alone there is no kink.
        ("", "abs(z*w)", "abs(z*w)", &["z", "w"]),
        // On both sides as z^2, but not at the kink.
        ("", "max(0, z^2)", "max(0, z^2)", &["z"]),
    ] {
        let experiment = pushed(more, force);
        let gradient = experiment.gradient(Method::Forward).expect("a gradient");
        assert!(gradient.undetermined.is_empty(), "{force}: {:?}", gradient.undetermined);
        let report = hessian(&experiment);
        let found: Vec<&str> = report.undetermined.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(found, of, "{force}");
        for found in &report.undetermined {
            assert!(found.reason().contains(kink), "{force}: {}", found.reason());
        }
        for one in &report.parameters {
            for other in &report.parameters {
                let known = entry(&report, "x", [one, other]).is_finite();
                assert_eq!(
                    known,
                    !of.contains(&one.as_str()) && !of.contains(&other.as_str()),
                    "{force}"
                );
            }
        }
        let error = experiment
            .hessian_times(&vec![1.0; report.parameters.len()])
            .expect_err(force);
        assert!(
            error.to_string().contains("second derivative by \"") && error.to_string().contains(kink),
            "{error}"
        );
        assert!(error.advice().is_some_and(|advice| advice.contains("another value")));
    }
}

#[test]
fn where_the_sides_are_alike_they_are_those_of_both() {
    for (force, by_z, by_z_and_w) in [
        ("z^2*abs(z)", 0.0, 0.0),
        ("max(z, 0)^3 - 2*z^2", -4.0, 0.0),
        ("abs(z)*abs(z)", 2.0, 0.0),
        ("max(z^2, 0) + 3*z*w", 2.0, 3.0),
        ("abs(z - w)^2", 2.0, -2.0),
        ("(z + 1)*abs(z + 1)", 2.0, 0.0),
    ] {
        let experiment = pushed("", force);
        let report = hessian(&experiment);
        assert!(report.undetermined.is_empty(), "{force}: {:?}", report.undetermined);
        for (with, wanted) in [("z", by_z), ("w", by_z_and_w), ("a", 1.0)] {
            let found = entry(&report, "x", ["z", with]);
            assert!((2.0 * found - wanted).abs() < 1e-9, "{force}: {found} by z and {with}");
        }
    }
}
