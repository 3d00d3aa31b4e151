//! Differences that cross a change of the events, and events that are grazed.

use costate::error::ErrorKind;
use costate::run::{Certified, Changes, End, Method, Verdict};

use crate::support::{experiment, planar, tolerances};
use crate::{ball, certify, shipped};

#[test]
fn an_event_within_every_step_of_the_difference_is_a_crossing_and_no_failure() {
    // The impact at sqrt(2 h/g) comes 1e-9 s before the end: the smallest step of any parameter but e removes it.
    let impact = (0.2_f64).sqrt();
    let certificate = certify(&experiment(&ball(impact + 1e-9, 0.5), &tolerances(1e-9, 1e-11)));
    assert_eq!(certificate.verdict, Verdict::CrossesEventChange);
    let of = |parameter: &str| {
        let mut entries = certificate.entries.iter();
        entries.find(|entry| entry.parameter == parameter).unwrap().verdict
    };
    assert_eq!(
        [of("h"), of("g"), of("e")],
        [
            Verdict::CrossesEventChange,
            Verdict::CrossesEventChange,
            Verdict::Passed
        ]
    );
    let study = &certificate.differences.studies[0];
    assert!(
        study
            .steps
            .iter()
            .all(|step| step.above == End::Changed(Vec::new()) && step.below == End::Same)
    );
}

#[test]
fn steps_that_cross_are_left_out_where_smaller_ones_do_not() {
    let impact = (0.2_f64).sqrt();
    let certificate = certify(&experiment(&ball(impact + 5e-4, 0.5), &tolerances(1e-9, 1e-11)));
    assert_eq!(certificate.verdict, Verdict::Passed);
    let steps = &certificate.differences.studies[0].steps;
    assert!(matches!(steps[0].above, End::Changed(_)) && steps[0].quotients.is_empty());
    assert!(steps.iter().any(|step| !step.quotients.is_empty()));
    assert!(certificate.differences.studies[0].usable_steps().len() < steps.len());
}

#[test]
fn kinks_of_one_load_that_a_parameter_moves_across_each_other_are_told_apart() {
    let text = planar(
        2.0,
        r#"parameters: { "w": 1.0, "F": 3.0 },
        points: { "P": (at: [0, 0], velocity: [1, 1], mass: 1) },
        forces: { "push": Load(at: "P", force: ["F*abs(cos(t)) + sign(sin(2*w*t))", 0]) },
        objectives: { "x": Final("P.x") },"#,
    );
    let certificate = certify(&experiment(&text, &tolerances(1e-9, 1e-11)));
    assert_eq!(certificate.verdict, Verdict::Passed);
    // Both happen at pi/2; w moves the second.
    let mut moved: Vec<f64> = (certificate.entries.iter())
        .filter(|entry| matches!(entry.quantity, Certified::EventTime(..)) && entry.parameter == "w")
        .map(|entry| entry.forward)
        .collect();
    moved.sort_by(f64::total_cmp);
    assert!(
        (moved[0] + std::f64::consts::FRAC_PI_2).abs() < 1e-9 && moved[1].abs() < 1e-12,
        "{moved:?}"
    );
}

#[test]
fn an_event_that_is_only_grazed_has_no_gradient_and_is_named_with_its_time() {
    // The cube of a condition vanishes with its rate: its time has no derivative that the guard could tell.
    let text = planar(
        1.0,
        r#"parameters: { "p": 0.5, "F": 1.0 },
        points: { "P": (at: [0, 0], velocity: [1, 0], mass: 1) },
        forces: { "push": Load(at: "P", force: [0, "F"]) },
        events: { "cut": (when: Rising("(P.x - p)^3"), then: [Disable("push")]) },
        objectives: { "y": Final("P.y") },"#,
    );
    let experiment = experiment(&text, &tolerances(1e-9, 1e-11));
    for method in [Method::Adjoint, Method::Forward] {
        let error = experiment.gradient(method).unwrap_err();
        assert_eq!((error.kind(), error.name()), (ErrorKind::Event, Some("cut")), "{error}");
        assert!((error.time().unwrap() - 0.5).abs() < 1e-6 && error.advice().is_some());
    }
}

/// A mass on a spring whose oscillation x = 3 - cos(t) ends beyond the wall by this depth.
fn grazing(depth: f64) -> String {
    planar(
        4.0,
        &format!(
            r#"parameters: {{ "k": 1.0 }},
            ground: {{ "O": [0, 0] }},
            points: {{ "P": (at: [2, 0], velocity: [0, 0], mass: 1) }},
            forces: {{ "spring": Spring(from: "O", to: "P", stiffness: "k", natural_length: 3) }},
            contacts: {{ "wall": Touch(point: "P", surface: Plane(through: [{}, 0], normal: [-1, 0]), law: Restitution(0.5)) }},
            objectives: {{ "x": Final("P.x") }},"#,
            4.0 - depth
        ),
    )
}

#[test]
fn near_grazing_the_margins_shrink_on_either_side() {
    let margins = |depth: f64| {
        experiment(&grazing(depth), &tolerances(1e-12, 1e-13))
            .margins()
            .unwrap()
    };
    for depth in [1e-3, 1e-5, 1e-7] {
        let (touched, missed) = (margins(depth), margins(-depth));
        let (grazing, miss) = (touched.grazing.unwrap(), &missed.near_misses[0]);
        assert_eq!((grazing.name.as_str(), miss.name.as_str()), ("wall", "wall"));
        assert!((grazing.speed / (2.0 * depth).sqrt() - 1.0).abs() < 1e-2, "{grazing:?}");
        assert!(
            (miss.clearance / depth - 1.0).abs() < 1e-2 && missed.grazing.is_none(),
            "{miss:?}"
        );
        assert!((miss.t - std::f64::consts::PI).abs() < 1e-3);
    }
}

#[test]
fn a_parameter_that_no_expression_uses_has_the_derivative_zero_by_every_method() {
    let text = planar(
        1.0,
        r#"parameters: { "m": 1.0, "spare": 2.0 },
        points: { "P": (at: [0, 0], mass: "m") },
        objectives: { "x": Final("P.x") },"#,
    );
    let experiment = experiment(&text, &Changes::default());
    assert!(experiment.run(false, &mut |_| {}).is_ok());
    for method in [Method::Adjoint, Method::Forward, Method::FiniteDifference] {
        assert_eq!(experiment.gradient(method).unwrap().objectives[0].gradient[1], 0.0);
    }
}

#[test]
fn an_objective_that_is_not_finite_is_an_error_that_names_it() {
    let text = planar(
        1.0,
        r#"parameters: { "m": 1.0 },
        points: { "P": (at: [0, 0], mass: "m") },
        objectives: { "x": Final("P.x"), "pole": Final("m/P.x") },"#,
    );
    for method in [Method::Adjoint, Method::Forward, Method::FiniteDifference] {
        let error = experiment(&text, &Changes::default()).gradient(method).unwrap_err();
        assert_eq!((error.kind(), error.name()), (ErrorKind::NotFinite, Some("pole")));
    }
}

#[test]
fn steps_beyond_a_change_of_events_are_left_out_even_where_the_names_agree() {
    // Larger changes of L02 lose one impact on the ground and gain another one.
    let study = certify(&shipped("five_bar", &Changes::default()));
    let study = study
        .differences
        .studies
        .iter()
        .find(|study| study.parameter == "L02")
        .unwrap();
    let smallest_changed = study
        .steps
        .iter()
        .filter(|step| step.quotients.is_empty())
        .map(|step| step.size);
    let smallest_changed = smallest_changed.fold(f64::INFINITY, f64::min);
    assert!(
        study
            .steps
            .iter()
            .any(|step| !step.quotients.is_empty() && step.size > smallest_changed)
    );
    assert!(study.usable_steps().iter().all(|step| step.size < smallest_changed));
}

#[test]
fn the_scene_of_the_documentation_has_the_verdicts_that_it_shows() {
    let text = include_str!("../../docs/gradients.md");
    let scene = text
        .split("```ron")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .unwrap();
    let verdict = |wall: f64| {
        let changes = Changes {
            parameters: vec![("wall".to_string(), wall)],
            ..Changes::default()
        };
        certify(&experiment(scene, &changes)).verdict
    };
    assert_eq!([3.9, 3.99, 4.000001].map(verdict), [Verdict::Passed; 3]);
    assert_eq!(verdict(3.99999999), Verdict::Inconclusive);
}
