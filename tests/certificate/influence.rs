//! Parameters without influence, and the reasons.

use std::collections::BTreeMap;

use costate::run::{Changes, Method, Verdict};

use crate::support::{experiment, planar};

/// Reasons by objective and parameter.
fn reasons(text: &str) -> BTreeMap<(String, String), String> {
    let experiment = experiment(text, &Changes::default());
    let report = experiment.gradient(Method::Adjoint).unwrap();
    let claims = experiment.no_influence(&report).unwrap();
    let key = |claim: &costate::run::NoInfluence| (claim.objective.clone(), claim.parameter.clone());
    claims.iter().map(|claim| (key(claim), claim.reason.clone())).collect()
}

/// A report by the adjoint has those objectives alone that are wanted, in whatever places the others are.
#[test]
fn reasons_are_those_of_the_objective_that_a_report_names() {
    let scene = experiment(
        &planar(
            0.5,
            r#"parameters: { "v": 1.0, "w": 2.0 },
            points: { "P": (at: [0, 0], velocity: ["v", 0], mass: 1), "Q": (at: [1, 0], velocity: ["w", 0], mass: 1) },
            objectives: { "P": Final("P.x"), "Q": Final("Q.x") },"#,
        ),
        &Changes::default(),
    );
    let mut some = scene.clone();
    some.want_objectives(|name| name == "Q");
    let report = some.gradient(Method::Adjoint).unwrap();
    let claims = scene.no_influence(&report).unwrap();
    let named = claims
        .iter()
        .map(|claim| (claim.objective.as_str(), claim.parameter.as_str()));
    assert_eq!(named.collect::<Vec<_>>(), [("Q", "v")]);
}

fn reason(found: &BTreeMap<(String, String), String>, objective: &str, parameter: &str) -> Option<String> {
    found.get(&(objective.to_string(), parameter.to_string())).cloned()
}

#[test]
fn each_zero_with_a_structural_reason_has_it_and_no_other_has() {
    let found = reasons(&planar(
        1.0,
        r#"parameters: {
            "m": 1.0, "other mass": 2.0, "weight": 3.0, "e": 0.5, "k": 10.0, "rope": 5.0, "guess": -0.5, "late": 7.0,
            "L": 1.0, "load": 1.0, "even": 0.0,
        },
        gravity: [0, -9.81],
        ground: { "O": [0, 0], "far": [10, 0] },
        points: {
            "P": (guess: [0.8, "guess"], hold: [X], velocity: [0, 0], mass: "m"),
            "Q": (at: [5, 0], mass: "'other mass'"),
        },
        bodies: { "rod": Bar(from: "O", to: "P", length: "L", mass: 0.1) },
        forces: {
            "idle": Load(at: "P", force: ["load", 0], active: false),
            "slack": Spring(from: "O", to: "P", stiffness: "rope", natural_length: 3, one_sided: Tension),
            "spring": Spring(from: "far", to: "Q", stiffness: "k", natural_length: 4),
        },
        contacts: { "roof": Touch(point: "P", surface: Plane(through: [0, 3], normal: [0, -1]), law: Restitution("e")) },
        events: { "switch": (when: At("late"), then: [Enable("idle")]) },
        outputs: { "weighted": "weight*P.y" },
        objectives: { "x": Final("P.x"), "Q": Final("Q.x"), "even": Final("P.x*(1 + even^2)") },"#,
    ));
    for (parameter, words) in [
        ("other mass", "connected"),
        ("k", "connected"),
        ("e", "`roof` was never touched"),
        ("load", "`idle` did not act"),
        ("rope", "`slack` did not act"),
        ("late", "`switch` never fired"),
        ("guess", "branch"),
        ("weight", "only `weighted`"),
    ] {
        let reason = reason(&found, "x", parameter).unwrap_or_else(|| panic!("nothing about {parameter}"));
        assert!(reason.contains(words), "{parameter}: {reason}");
    }
    // A mass of a free pendulum with a massive rod matters; a derivative that happens to be zero is no reason.
    for (objective, parameter) in [
        ("x", "m"),
        ("x", "L"),
        ("Q", "k"),
        ("even", "even"),
        ("Q", "other mass"),
    ] {
        assert_eq!(reason(&found, objective, parameter), None, "{objective} by {parameter}");
    }
}

#[test]
fn a_guess_that_leaves_freedom_may_matter() {
    let text = |hold: &str| {
        planar(
            0.5,
            &format!(
                r#"parameters: {{ "x": 0.6, "y": -0.7 }},
                ground: {{ "O": [0, 0] }},
                points: {{ "P": (guess: ["x", "y"]{hold}, mass: 1) }},
                bodies: {{ "rod": Bar(from: "O", to: "P", length: 1, mass: 0) }},
                objectives: {{ "end": Final("P.y") }},"#
            ),
        )
    };
    assert_eq!(reason(&reasons(&text("")), "end", "y"), None);
    assert!(reason(&reasons(&text(", hold: [X]")), "end", "y").is_some());
}

#[test]
fn the_claims_hold_the_difference_quotients() {
    // What is claimed to have no influence has none when it is changed by a tenth.
    let text = |late: f64, e: f64| {
        planar(
            0.5,
            &format!(
                r#"parameters: {{ "late": {late}, "e": {e} }},
                points: {{ "P": (at: [0, 1], velocity: [1, 0], mass: 1) }},
                forces: {{ "push": Load(at: "P", force: [1, 0], active: false) }},
                contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) }},
                events: {{ "switch": (when: At("late"), then: [Enable("push")]) }},
                objectives: {{ "x": Final("P.x") }},"#
            ),
        )
    };
    let value = |late: f64, e: f64| {
        let (report, _) = experiment(&text(late, e), &Changes::default())
            .run(false, &mut |_| {})
            .unwrap();
        report.objectives[0].1
    };
    assert_eq!(reasons(&text(1.0, 0.5)).len(), 2);
    assert_eq!(value(1.0, 0.5), value(1.1, 0.55));
}

#[test]
fn a_parameter_that_nothing_uses_has_the_derivative_zero_with_that_reason() {
    let text = r#"Scene(name: "s", space: Planar, parameters: { "m": 1.0, "spare": 2 },
        points: { "P": (at: [0, 1], velocity: [1, 0], mass: "m") }, objectives: { "x": Final("P.x") }, simulation: (duration: 1))"#;
    let experiment = experiment(text, &Changes::default());
    let (report, certificate) = experiment.certify(Method::Adjoint, &|_| {}).unwrap();
    assert_eq!(
        (report.objectives[0].gradient[1], certificate.verdict),
        (0.0, Verdict::Passed)
    );
    let reasons = experiment.no_influence(&report).unwrap();
    let spare = reasons
        .iter()
        .find(|found| found.parameter == "spare")
        .expect("a reason");
    assert_eq!(spare.reason, "no expression uses it");
}
