//! Settings that would make a run endless.

use costate::error::ErrorKind;
use costate::run::{Changes, Experiment, Method};
use costate::scene::parse;

use crate::support::*;
use crate::{says, shown};

/// A mass on a spring, x = cos(t), whose moves through zero are events, with these settings.
fn oscillator(event: &str, simulation: &str) -> String {
    format!(
        r#"Scene(name: "test", space: Planar,
        ground: {{ "O": [0, 0] }},
        points: {{ "P": (at: [1, 0], mass: 1) }},
        forces: {{ "spring": Spring(from: "O", to: "P", stiffness: 1, natural_length: 0) }},
        events: {{ {event} }},
        simulation: ({simulation}))"#
    )
}

#[test]
fn a_longest_step_that_would_take_too_many_steps_is_refused_at_once() {
    let file = parse("test.ron", &oscillator("", "duration: 1, max_step: 1e-20")).expect("a scene");
    let error = Experiment::new(&file, &Changes::default()).expect_err("too many steps");
    assert_eq!(error.kind(), ErrorKind::Request);
    says(&error, &["1e-20", "1.0e20 steps", "10000000"]);
    assert_eq!(shown(&error), "max_step");
}

#[test]
fn velocities_whose_squares_are_no_numbers_are_refused_instead_of_a_motion_of_rounding() {
    let text = planar(
        1.0,
        r#"points: { "P": (at: [0, 0], velocity: [0.5, 1e300], mass: 2) }, outputs: { "x": "P.x" },"#,
    );
    let error = experiment(&text, &Changes::default())
        .run(false, &mut |_| {})
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFinite);
    says(&error, &["energy", "beyond all numbers"]);
}

#[test]
fn the_number_of_steps_counts_against_max_steps_and_the_duration_that_was_asked_for() {
    let settings = "duration: 1, max_step: 1e-3, max_steps: 1500";
    let open = |duration| {
        let file = parse("test.ron", &oscillator("", settings)).expect("a scene");
        Experiment::new(
            &file,
            &Changes {
                duration,
                ..Changes::default()
            },
        )
    };
    assert!(open(None).is_ok());
    assert!(open(Some(2.0)).is_err());
}

#[test]
fn a_pass_back_of_too_many_steps_is_given_up() {
    let text = r#"Scene(
        name: "stiff", space: Planar, parameters: { "k": 1e5 }, ground: { "O": [0, 0] },
        points: { "P": (at: [1, 0], mass: 1e-3) },
        forces: { "stiff": Spring(from: "O", to: "P", stiffness: "k", natural_length: 0.5, damping: 1e3) },
        objectives: { "x": Final("P.x") },
        simulation: (duration: 1, integrator: Radau, max_steps: 40),
    )"#;
    let file = parse("test.ron", text).expect("a scene");
    let stiff = Experiment::new(&file, &Changes::default()).expect("an experiment");
    assert!(stiff.run(false, &mut |_| ()).is_ok(), "the motion itself takes fewer");
    let error = stiff.gradient(Method::Adjoint).expect_err("too many steps");
    assert_eq!(error.kind(), ErrorKind::StepSize);
    says(&error, &["carried back", "40", "max_steps"]);
}

#[test]
fn a_run_of_too_many_steps_says_how_far_it_came_and_what_limits_the_steps() {
    let error = failure(&oscillator("", "duration: 1e4, max_steps: 200"));
    assert_eq!(error.kind(), ErrorKind::StepSize);
    says(&error, &["200", "10000 s", "limited by the tolerances"]);
    let reached = error.time().expect("a time");
    assert!(reached > 10.0 && reached < 1000.0, "{reached}");
    let error = failure(&oscillator("", "duration: 50, max_step: 0.2, max_steps: 250").replace("250", "251"));
    says(&error, &["limited by max_step"]);
    let event = r#""pass": (when: Crossing("sin(40*P.x)"), then: [])"#;
    says(
        &failure(&oscillator(event, "duration: 1e4, max_steps: 3000")),
        &["events", "\"pass\""],
    );
}

#[test]
fn a_run_without_hope_is_given_up_early() {
    let error = failure(&oscillator("", "duration: 1e300"));
    says(&error, &["10000000", "100000 steps"]);
}

#[test]
fn a_scene_without_anything_that_could_move_is_refused() {
    let text = r#"Scene(name: "empty", space: Planar, parameters: { "v": 1.5 }, objectives: { "y": Final("v*t") }, simulation: (duration: 1))"#;
    let file = parse("empty.ron", text).expect("a scene");
    let error = Experiment::new(&file, &Changes::default()).expect_err("nothing moves");
    says(&error, &["nothing that could move"]);
}

/// A lag whose own motion dies away in 1/rate s.
fn remarks_of_decay(rate: f64, integrator: &str) -> Vec<String> {
    let text = format!(
        r#"Scene(name: "decay", space: Planar, points: {{ "P": (at: [1, 0], mass: 1) }},
        memory: {{ "m": (start: 0, rate: "{rate}*(sin(t) - m)") }}, simulation: (duration: 2, {integrator}))"#
    );
    let experiment = Experiment::new(&parse("test.ron", &text).expect("a scene"), &Changes::default());
    let report = experiment.expect("an experiment").run(false, &mut |_| ());
    report.expect("a run").0.remarks
}

#[test]
fn steps_that_stability_keeps_short_are_remarked_and_others_are_not() {
    let stiff = remarks_of_decay(1e4, "");
    assert!(
        matches!(&stiff[..], [one] if one.contains("stiff") && one.contains("Radau")),
        "{stiff:?}"
    );
    assert_eq!(remarks_of_decay(1e4, "integrator: Radau"), [""; 0]);
    assert_eq!(remarks_of_decay(1.0, ""), [""; 0]);
    assert_eq!(remarks_of_decay(1e2, "rtol: 1e-12"), [""; 0]);
}
