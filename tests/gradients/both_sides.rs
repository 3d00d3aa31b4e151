//! Derivatives from both sides where events at one instant have none in common.

use costate::error::ErrorKind;
use costate::run::{Experiment, GradientReport, Method, Side, Verdict};
use costate::scene::parse;

use crate::changes;

fn experiment(text: &str) -> Experiment {
    Experiment::new(&parse("scene.ron", text).unwrap(), &changes(1e-11, 1e-13)).unwrap()
}

/// Two balls with a damper between them that reach their floors at one instant.
fn damped(second: &str) -> String {
    format!(
        r#"Scene(name: "damped", space: Planar, gravity: [0, -9.81],
        parameters: {{ "h1": 1.0, "h2": 1.5, "e": 0.5, "both": 0.0 }},
        points: {{ "P": (at: [0, "h1 + both"], mass: 1), "Q": (at: [1, "{second} + both"], mass: 3) }},
        forces: {{ "d": Spring(from: "P", to: "Q", stiffness: 0, natural_length: 0, damping: 1.5) }},
        contacts: {{
            "p": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")),
            "q": Touch(point: "Q", surface: Plane(through: [0, 0.5], normal: [0, 1]), law: Restitution(0.5)),
        }},
        objectives: {{ "P": Final("P.y"), "path": Integral("P.y*Q.y") }},
        simulation: (duration: 0.6))"#
    )
}

/// A ball that falls on the floor at the instant at which its weight is lessened.
fn switched() -> String {
    let touch = (2.0_f64 / 9.81).sqrt();
    format!(
        r#"Scene(name: "switched", space: Planar, gravity: [0, -9.81],
        parameters: {{ "h": 1.0, "on": {touch}, "e": 0.5 }},
        points: {{ "P": (at: [0, "h"], mass: 1) }},
        forces: {{ "lift": Load(at: "P", force: [0, 4], active: false) }},
        contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) }},
        events: {{ "begin": (when: At("on"), then: [Enable("lift")]) }},
        objectives: {{ "P": Final("P.y") }},
        simulation: (duration: 0.6))"#
    )
}

/// A bar that lands flat on two supports and stays there.
const BAR: &str = r#"Scene(name: "bar", space: Planar, gravity: [0, -9.81],
    parameters: { "l": 0.0, "r": 0.0, "m": 2.0, "h": 0.5 },
    bodies: { "bar": Rigid(at: [0, "h", 0], velocity: [0.2, 0, 0], mass: "m", inertia: 0.5, markers: { "a": [-1, 0], "b": [1.5, 0] }) },
    contacts: {
        "left": Touch(point: "bar.a", surface: Plane(through: [0, "l"], normal: [0, 1]), law: Restitution(0)),
        "right": Touch(point: "bar.b", surface: Plane(through: [0, "r"], normal: [0, 1]), law: Restitution(0)),
    },
    objectives: { "y": Final("bar.y"), "angle": Final("bar.angle"), "x": Final("bar.x") },
    simulation: (duration: 1))"#;

/// A ball in a corner whose walls are not perpendicular to each other.
const WEDGE: &str = r#"Scene(name: "wedge", space: Planar, gravity: [0, 0],
    parameters: { "x": 1.0, "y": 1.0, "m": 1.0 },
    points: { "P": (at: ["x", "y"], velocity: [-2, -2], mass: "m") },
    contacts: {
        "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)),
        "wall": Touch(point: "P", surface: Plane(through: [0, 0], normal: [1, 0.3]), law: Restitution(1)),
    },
    objectives: { "x": Final("P.x") },
    simulation: (duration: 1))"#;

fn sides(text: &str) -> GradientReport {
    experiment(text).gradient_or_sides(Method::Forward).unwrap()
}

fn side<'a>(report: &'a GradientReport, parameter: &str, side: usize) -> &'a Side {
    let found = report.sides.iter().find(|sides| sides.name == parameter).unwrap();
    found.sides[side].as_ref().unwrap()
}

/// The change of every objective over a small change of a parameter to one side, extrapolated.
fn one_sided_quotients(text: &str, parameter: &str, sign: f64) -> Vec<f64> {
    let experiment = experiment(text);
    let at = |experiment: &Experiment| -> Vec<f64> {
        let (report, _) = experiment.run(false, &mut |_| {}).unwrap();
        report.objectives.into_iter().map(|(_, value)| value).collect()
    };
    let found = experiment
        .mechanism
        .model
        .parameters
        .iter()
        .find(|found| found.name == parameter);
    let (value, middle) = (found.unwrap().value, at(&experiment));
    let quotients = |h: f64| -> Vec<f64> {
        let moved = at(&experiment.with_parameter(parameter, value + sign * h).unwrap());
        moved
            .iter()
            .zip(&middle)
            .map(|(moved, middle)| sign * (moved - middle) / h)
            .collect()
    };
    let rows = [4e-4, 2e-4, 1e-4].map(quotients);
    let better = |a: &[f64], b: &[f64], factor: f64| -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| b + (b - a) / (factor - 1.0)).collect()
    };
    better(&better(&rows[0], &rows[1], 2.0), &better(&rows[1], &rows[2], 2.0), 4.0)
}

#[test]
fn each_side_has_the_derivative_of_its_own_order() {
    for (text, parameters) in [
        (damped("h2"), &["h1", "h2"][..]),
        (switched(), &["h", "on"]),
        (BAR.to_string(), &["l", "r"]),
    ] {
        let report = sides(&text);
        for parameter in parameters {
            for (k, sign) in [(0, -1.0), (1, 1.0)] {
                let exact = side(&report, parameter, k);
                let quotients = one_sided_quotients(&text, parameter, sign);
                for (exact, quotient) in exact.slopes.iter().zip(quotients) {
                    assert!(
                        (exact - quotient).abs() < 2e-8,
                        "{}, {parameter} to {sign}: {exact} against {quotient}",
                        report.scene
                    );
                }
            }
        }
    }
}

#[test]
fn the_sides_of_a_damper_differ_and_the_order_is_that_of_the_side() {
    let report = sides(&damped("h2"));
    let names = |side: &Side| -> Vec<String> { side.events.iter().map(|(event, _)| event.name.clone()).collect() };
    let [below, above] = [0, 1].map(|k| side(&report, "h1", k));
    assert!((below.slopes[0] - above.slopes[0]).abs() > 1e-2);
    assert_eq!(
        (names(below), names(above)),
        (vec!["p".to_string(), "q".into()], vec!["q".into(), "p".into()])
    );
    let gradient = &report.objectives[0].gradient;
    assert!(gradient[0].is_nan() && gradient[1].is_nan(), "{gradient:?}");
    let said = report.no_derivative(0, 0).unwrap();
    assert!(said.contains("below") && said.contains("above"), "{said}");
    assert!(report.refused.unwrap().to_string().contains("\"p\" and \"q\""));
    // What moves both together, and what moves neither, has a derivative.
    assert!(gradient[2].is_finite() && gradient[3].is_finite(), "{gradient:?}");
}

#[test]
fn a_bar_that_lands_flat_and_stays_has_the_same_derivatives_in_both_orders() {
    let report = sides(BAR);
    let of = |objective: usize, parameter: usize| report.objectives[objective].gradient[parameter];
    // y and angle of the bar between supports at -1 and 1.5.
    for (got, want) in [(of(0, 0), 0.6), (of(0, 1), 0.4), (of(1, 0), -0.4), (of(1, 1), 0.4)] {
        assert!((got - want).abs() < 1e-9, "{got} instead of {want}");
    }
}

#[test]
fn the_certificate_holds_each_side_against_its_own_quotients() {
    for text in [damped("h2"), switched(), BAR.to_string()] {
        let (_, certificate) = experiment(&text).certify(Method::Adjoint, &|_| {}).unwrap();
        assert_eq!(certificate.verdict, Verdict::Passed);
        assert!(certificate.entries.iter().all(|entry| entry.side.is_some()));
    }
}

#[test]
fn coupled_contacts_that_lead_elsewhere_one_by_one_have_no_derivative_and_the_names_say_so() {
    let report = sides(WEDGE);
    assert!(report.objectives[0].gradient[0].is_nan());
    let said = report.no_derivative(0, 0).unwrap();
    assert!(said.contains("jumps"), "{said}");
    let refused = report.refused.as_ref().unwrap().to_string();
    assert!(
        refused.contains("\"floor\"") && refused.contains("\"wall\""),
        "{refused}"
    );
    let (_, certificate) = experiment(WEDGE).certify(Method::Adjoint, &|_| {}).unwrap();
    assert_eq!(certificate.verdict, Verdict::Inconclusive);
}

#[test]
fn an_event_that_another_turns_back_does_not_happen_on_that_side() {
    // Below the floor the mark is never reached: the ball bounces first.
    let text = r#"Scene(name: "turned", space: Planar, gravity: [0, -9.81],
        parameters: { "h": 1.0, "f": 0.0, "e": 0.5 },
        points: { "P": (at: [0, "h"], mass: 1) }, memory: { "u": 1 },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) },
        events: { "mark": (when: Falling("P.y - f"), then: [Set("u", 1)]) },
        objectives: { "P": Final("P.y*u") },
        simulation: (duration: 0.6))"#;
    let report = sides(text);
    let names = |k: usize| -> Vec<String> {
        let events = side(&report, "f", k).events.iter();
        events.map(|(event, _)| event.name.clone()).collect()
    };
    assert_eq!(names(0), ["floor"]);
    assert_eq!(names(1), ["mark", "floor"]);
    let (_, certificate) = experiment(text).certify(Method::Adjoint, &|_| {}).unwrap();
    assert_eq!(certificate.verdict, Verdict::Passed);
}

#[test]
fn differences_do_not_give_the_mean_of_both_sides() {
    let report = experiment(&damped("h2")).gradient(Method::FiniteDifference).unwrap();
    let gradient = &report.objectives[0].gradient;
    assert!(
        gradient[0].is_nan() && gradient[1].is_nan() && gradient[3].is_finite(),
        "{gradient:?}"
    );
    assert_eq!(report.differences.unwrap().studies[0].kinks, [0, 1]);
}

#[test]
fn events_that_commute_have_one_derivative_and_no_sides() {
    let text = damped("h2").replace("damping: 1.5", "damping: 0");
    assert!(sides(&text).sides.is_empty());
}

#[test]
fn predictions_follow_the_order_of_their_side() {
    let experiment = experiment(&damped("h2"));
    let names = ["h1".to_string(), "h2".to_string()];
    let prediction = experiment.prediction(&names, 400, &mut |_| {}).unwrap();
    let error = |change: f64| {
        let dp = [change, 0.0];
        let (_, predicted) = prediction.frame(0.6, &dp).unwrap();
        let (report, _) = prediction.changed(&dp).unwrap().run(false, &mut |_| {}).unwrap();
        (predicted[1] - report.objectives[0].1).abs()
    };
    for sign in [-1.0, 1.0] {
        let (whole, half) = (error(sign * 2e-3), error(sign * 1e-3));
        assert!(
            whole < 1e-5 && (3.0..5.0).contains(&(whole / half)),
            "{sign}: {whole:e} and {half:e}"
        );
    }
    let first = |change: f64| prediction.events(&[0.0, change]).unwrap()[0].name.clone();
    assert_eq!((first(-1e-3), first(1e-3)), ("q".to_string(), "p".to_string()));
    let refused = prediction.frame(0.6, &[1e-3, 1e-3]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Request);
}
