//! Certificates of some of the objectives: every number is that of the objective in whose row it is.

use costate::run::{Certificate, Certified, Changes, Experiment, Method, Verdict};

use crate::certify;
use crate::support::{experiment, planar};

/// A ball thrown on a floor, with objectives of very different sizes, and a formula of some of them.
fn ball() -> Experiment {
    let text = planar(
        1.2,
        r#"parameters: { "h": 1.25, "e": 0.5, "v": 0.4 },
        gravity: [0, -10],
        points: { "ball": (at: [0, "h"], velocity: ["v", 0], mass: 1) },
        contacts: { "floor": Touch(point: "ball", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) },
        objectives: {
            "far": Final("1000 * ball.x"), "y": Final("ball.y"), "area": Integral("ball.y"), "both": Formula("y + 2 * area"),
        },"#,
    );
    experiment(&text, &Changes::default())
}

/// Two balls that a damper joins reach their floors at one instant: there are derivatives on both sides.
fn parting() -> Experiment {
    let text = planar(
        0.6,
        r#"gravity: [0, -9.81],
        parameters: { "h1": 1.0, "h2": 1.5, "e": 0.5 },
        points: { "P": (at: [0, "h1"], mass: 1), "Q": (at: [1, "h2"], mass: 3) },
        forces: { "d": Spring(from: "P", to: "Q", stiffness: 0, natural_length: 0, damping: 1.5) },
        contacts: {
            "p": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")),
            "q": Touch(point: "Q", surface: Plane(through: [0, 0.5], normal: [0, 1]), law: Restitution(0.5)),
        },
        objectives: { "P": Final("P.y"), "path": Integral("P.y*Q.y"), "twice": Formula("2 * path") },"#,
    );
    experiment(&text, &Changes::default())
}

fn of(certificate: &Certificate, objective: &str) -> Vec<(String, f64, Option<f64>, Verdict)> {
    let is_wanted = |quantity: &Certified| matches!(quantity, Certified::Objective(name) if name == objective);
    let entries = certificate.entries.iter().filter(|entry| is_wanted(&entry.quantity));
    let compared = entries.map(|entry| {
        let difference = entry.difference.map(|estimate| estimate.value);
        (entry.parameter.clone(), entry.forward, difference, entry.verdict)
    });
    compared.collect()
}

fn names(certificate: &Certificate) -> Vec<&str> {
    let mut names: Vec<&str> = (certificate.entries.iter())
        .filter_map(|entry| match &entry.quantity {
            Certified::Objective(name) => Some(name.as_str()),
            Certified::EventTime(..) => None,
        })
        .collect();
    names.dedup();
    names
}

fn wanting(mut experiment: Experiment, objective: &str) -> Experiment {
    experiment.want_objectives(|name| name == objective);
    experiment
}

#[test]
fn the_certificate_of_some_objectives_has_their_own_numbers() {
    let whole = certify(&ball());
    for objective in ["y", "area", "both"] {
        let some = certify(&wanting(ball(), objective));
        assert_eq!(names(&some), [objective]);
        assert_eq!(some.verdict, Verdict::Passed, "{objective}: {:?}", some.entries);
        let (own, all) = (of(&some, objective), of(&whole, objective));
        for (own, all) in own.iter().zip(&all) {
            assert_eq!((&own.0, own.3), (&all.0, all.3));
            assert!((own.1 - all.1).abs() <= 1e-7 * (1.0 + all.1.abs()), "{own:?} {all:?}");
        }
    }
}

#[test]
fn the_sizes_that_tolerances_are_over_stay_with_their_objectives() {
    let (whole, some) = (ball().mechanism, wanting(ball(), "area").mechanism);
    let place = whole
        .model
        .objectives
        .iter()
        .position(|objective| objective.name == "area");
    let size = whole.allowed_objectives()[place.unwrap()];
    assert!(whole.allowed_objectives()[0] != size);
    assert_eq!(some.allowed_objectives(), [size]);
}

#[test]
fn so_has_that_of_both_sides() {
    let whole = certify(&parting());
    for objective in ["path", "twice"] {
        let some = certify(&wanting(parting(), objective));
        assert_eq!(names(&some), [objective]);
        let (own, all) = (of(&some, objective), of(&whole, objective));
        assert_eq!(own.len(), all.len());
        for (own, all) in own.iter().zip(&all) {
            assert_eq!((&own.0, own.3), (&all.0, all.3), "{objective}");
        }
        assert!(some.verdict <= whole.verdict, "{:?}", some.entries);
    }
}

#[test]
fn difference_quotients_of_some_objectives_are_theirs() {
    let whole = ball().gradient(Method::FiniteDifference).unwrap();
    let some = wanting(ball(), "area").gradient(Method::FiniteDifference).unwrap();
    let known = whole.objectives.iter().find(|found| found.name == "area");
    assert_eq!(some.objectives, [known.unwrap().clone()]);
}

#[test]
fn derivatives_of_some_objectives_come_with_all_that_is_said_of_them_and_nothing_else() {
    let asked = ["both".to_string()];
    for method in [Method::Adjoint, Method::Forward, Method::FiniteDifference] {
        let found = ball()
            .derivatives(Some(&asked), method, (true, true), &|_, _| {})
            .unwrap();
        let objectives: Vec<&str> = found
            .report
            .objectives
            .iter()
            .map(|found| found.name.as_str())
            .collect();
        assert_eq!(objectives, ["both"], "{method}");
        assert_eq!(names(found.certificate.as_ref().unwrap()), ["both"], "{method}");
        let hessian = found.hessian.as_ref().unwrap();
        assert_eq!((hessian.objectives.len(), hessian.missing.len()), (1, 0), "{method}");
        assert!(
            found.no_influence.iter().all(|claim| claim.objective == "both"),
            "{method}"
        );
    }
    let (whole, some) = (
        parting()
            .derivatives(None, Method::Adjoint, (false, false), &|_, _| {})
            .unwrap(),
        parting()
            .derivatives(
                Some(&["twice".to_string()]),
                Method::Adjoint,
                (false, false),
                &|_, _| {},
            )
            .unwrap(),
    );
    for (all, own) in whole.report.sides.iter().zip(&some.report.sides) {
        assert_eq!(
            own.of(0).map(|slope| (1e6 * slope).round()),
            all.of(2).map(|slope| (1e6 * slope).round())
        );
    }
    let text = serde_json::to_value(&some).unwrap();
    assert_eq!(
        text["one_sided"]["parameters"]["h1"]["below"]
            .as_object()
            .map(|slopes| slopes.len()),
        Some(1)
    );
}
