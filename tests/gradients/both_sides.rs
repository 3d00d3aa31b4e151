//! Derivatives from both sides where events at one instant have none in common.

use costate::error::ErrorKind;
use costate::run::{Experiment, GradientReport, Method, Side, Towards, Verdict};
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
}

#[test]
fn several_parameters_at_once_select_the_order_of_their_common_direction() {
    let experiment = experiment(&damped("h2"));
    let prediction = experiment.prediction(&[], 400, &mut |_| {}).unwrap();
    let names: Vec<&str> = prediction.parameters().iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["h1", "h2", "e", "both"]);
    for (dp, first) in [
        ([2e-3, 1e-3, 1e-3, 0.0], "q"),
        ([1e-3, 2e-3, -1e-3, 1e-3], "p"),
        ([-2e-3, -1e-3, 0.0, 2e-3], "p"),
    ] {
        let error = |part: f64| {
            let dp = dp.map(|change| part * change);
            let (_, predicted) = prediction.frame(0.6, &dp).unwrap();
            let (report, _) = prediction.changed(&dp).unwrap().run(false, &mut |_| {}).unwrap();
            (predicted[1] - report.objectives[0].1).abs()
        };
        let (whole, half) = (error(1.0), error(0.5));
        assert!(
            whole < 1e-5 && (3.0..5.0).contains(&(whole / half)),
            "{dp:?}: {whole:e} and {half:e}"
        );
        assert_eq!(prediction.events(&dp).unwrap()[0].name, first);
    }
}

#[test]
fn sensitivities_over_time_are_those_of_each_side() {
    let experiment = experiment(&damped("h2").replace("objectives", r#"outputs: { "y": "P.y" }, objectives"#));
    let report = experiment.gradient_or_sides(Method::Adjoint).unwrap();
    let found = experiment.sensitivities().unwrap();
    assert_eq!(found.len(), 8);
    for sampled in &found {
        let of_side = usize::from(sampled.side == Some(Towards::Above));
        let exact = side(&report, &sampled.parameters[0], of_side);
        let last = *sampled.slopes[0][0].last().unwrap();
        assert!((last - exact.slopes[0]).abs() < 1e-9, "{last} and {:?}", exact.slopes);
        let times: Vec<f64> = exact.events.iter().map(|(_, slope)| *slope).collect();
        assert_eq!(sampled.event_slopes.concat(), times);
    }
    let folder = tempfile::tempdir().unwrap();
    costate::output::write_sensitivities(&found, &[], &[], folder.path()).unwrap();
    for file in ["sensitivities-below-h1.csv", "event_times-above-both.csv"] {
        assert!(folder.path().join(file).is_file(), "{file}");
    }
}

#[test]
fn the_gradient_in_common_is_refused_by_names_where_the_sides_differ() {
    let of_both = |asked: &str| experiment(&damped("h2")).gradient_in_common(Method::Adjoint, |name| name == asked);
    assert!(of_both("both").is_ok() && of_both("e").is_ok());
    let error = of_both("h1").unwrap_err();
    assert_eq!((error.kind(), error.name()), (ErrorKind::Event, Some("h1")));
    let said = error.to_string();
    for part in ["\"p\" and \"q\"", "\"P\" by `h1`", "below", "at t = 0.45"] {
        assert!(said.contains(part), "{said}");
    }
    // The bar that stays: both orders have one derivative.
    let report = experiment(BAR).gradient_in_common(Method::Adjoint, |_| true).unwrap();
    assert!((report.objectives[0].gradient[0] - 0.6).abs() < 1e-9);
}

/// Two pairs of balls with dampers that reach their floors at one instant, the second pair moved otherwise than the first.
fn two_pairs() -> String {
    let pair = |k: usize, first: &str, second: &str| {
        (
            format!(r#""P{k}": (at: [0, "{first}"], mass: 1), "Q{k}": (at: [1, "{second}"], mass: 1),"#),
            format!(r#""d{k}": Spring(from: "P{k}", to: "Q{k}", stiffness: 0, natural_length: 0, damping: 1.5),"#),
            format!(
                r#""p{k}": Touch(point: "P{k}", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)),
                "q{k}": Touch(point: "Q{k}", surface: Plane(through: [0, 0.5], normal: [0, 1]), law: Restitution(0.5)),"#
            ),
        )
    };
    let (a, b) = (pair(1, "1 + a + b", "1.5"), pair(2, "1 + a - b", "1.5"));
    format!(
        r#"Scene(name: "two pairs", space: Planar, gravity: [0, -9.81],
        parameters: {{ "a": 0.0, "b": 0.0 }},
        points: {{ {} {} }}, forces: {{ {} {} }}, contacts: {{ {} {} }},
        objectives: {{ "rest": Final("P1.y + Q1.y - P2.y - Q2.y") }},
        simulation: (duration: 0.6))"#,
        a.0, b.0, a.1, b.1, a.2, b.2
    )
}

#[test]
fn sides_that_agree_along_each_parameter_but_not_between_them_are_no_gradient() {
    let report = experiment(&two_pairs()).gradient_or_sides(Method::Adjoint).unwrap();
    assert!(!report.sides.is_empty() && report.objectives[0].gradient[0].is_finite());
    // By a both pairs part alike, and the difference of both does not change; by b it does.
    let in_common =
        |asked: &[&str]| experiment(&two_pairs()).gradient_in_common(Method::Adjoint, |name| asked.contains(&name));
    assert!(in_common(&["a"]).is_ok());
    let error = in_common(&["a", "b"]).unwrap_err();
    assert!(error.to_string().contains("several parameters"), "{error}");
}

#[test]
fn a_box_that_chatters_to_rest_on_its_corners_ends_on_every_side() {
    // Along a change, corners that strike at one instant turn each other back before their turn.
    let text = r#"Scene(name: "box", space: Spatial, gravity: [0, 0, -9.81], parameters: { "e": 0.3, "m": 2.0 },
        bodies: { "box": Solid(
            mass: "m", inertia: ["m*(0.3^2 + 0.2^2)/12", "m*(0.4^2 + 0.2^2)/12", "m*(0.4^2 + 0.3^2)/12", 0, 0, 0],
            at: [0, 0, 1], orientation: Rotations([X(0.1), Y(0.2)]),
            markers: { "c[1]": [-0.2, -0.15, -0.1], "c[2]": [0.2, -0.15, -0.1], "c[3]": [-0.2, 0.15, -0.1], "c[4]": [0.2, 0.15, -0.1] },
        ) },
        contacts: { "floor[i = 1..4]": Touch(point: "box.c[i]", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Restitution("e")) },
        objectives: { "height": Final("box.z") },
        simulation: (duration: 2, max_steps: 5000))"#;
    match experiment(text).gradient_or_sides(Method::Forward) {
        // What comes to rest on its corners lies there whatever changes.
        Ok(report) if report.sides.is_empty() => {
            let gradient = &report.objectives[0].gradient;
            assert!(gradient.iter().all(|slope| slope.abs() < 1e-12), "{gradient:?}");
        }
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::Event, "{error}"),
    }
}
