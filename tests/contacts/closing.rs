//! Where a gap closes: grazes, starts on zero, starts below zero.

use costate::error::ErrorKind;

use crate::support::*;

/// A ball thrown down against an upward acceleration of 1 m/s^2: its lowest place is at time 1.3 s, at `depth` below the plane.
fn skimming(depth: f64) -> String {
    let height = 1.3 * 1.3 / 2.0 - depth;
    let fields = format!(
        r#"gravity: [0, 1],
        points: {{ "ball": (at: [0, {height}], velocity: [0.3, -1.3], mass: 2) }},
        contacts: {{ "floor": Touch(point: "ball", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(1)) }},
        outputs: {{ "y": "ball.y" }},"#
    );
    planar(3.0, &fields)
}

#[test]
fn a_gap_that_touches_zero_twice_within_a_step_is_seen() {
    for depth in [1e-3, 1e-6, 1e-9, 1e-12] {
        let report = run(&skimming(depth));
        assert!(report.statistics.accepted < 30, "the steps are too short for this test");
        assert_eq!(happenings(&report), [("floor", "impact")], "depth {depth}");
        let speed = (2.0 * depth).sqrt();
        close("time", report.events[0].t, 1.3 - speed, 1e-14 / speed);
        let s = 1.7 + speed;
        close("height", output(&report, "y"), speed * s + s * s / 2.0, 1e-13 / speed);
    }
}

#[test]
fn a_gap_that_stays_open_by_a_billionth_is_not_an_impact() {
    for height in [1e-3, 1e-6, 1e-9, 1e-12] {
        let report = run(&skimming(-height));
        assert_eq!(happenings(&report), [], "height {height}");
        close("height", output(&report, "y"), height + 1.7 * 1.7 / 2.0, 1e-12);
    }
}

/// A mass on an ellipse, x = cos(t + phase), about a spring of natural length zero, with an end stop for x.
fn orbit(phase: f64, stop: f64) -> String {
    let (sin, cos) = phase.sin_cos();
    let fields = format!(
        r#"ground: {{ "O": [0, 0] }},
        points: {{ "P": (at: [{cos}, {}], velocity: [{}, {}], mass: 1) }},
        forces: {{ "spring": Spring(from: "O", to: "P", stiffness: 1, natural_length: 0) }},
        contacts: {{ "stop": Limit(of: Coordinate("P.x"), at_least: {stop}, law: Restitution(1)) }},"#,
        0.5 * sin,
        -sin,
        0.5 * cos
    );
    planar(std::f64::consts::TAU, &fields)
}

#[test]
fn a_graze_is_told_from_a_miss_wherever_it_falls_within_a_step() {
    for k in 0..40 {
        let phase = -3.0 + 0.15 * f64::from(k);
        let report = run(&orbit(phase, -(1.0 - 1e-9)));
        assert_eq!(happenings(&report), [("stop", "impact")], "phase {phase}");
        let early = f64::acos(1.0 - 1e-9);
        close("time", report.events[0].t, std::f64::consts::PI - early - phase, 1e-7);
        let report = run(&orbit(phase, -(1.0 + 1e-9)));
        assert_eq!(happenings(&report), [], "phase {phase}");
    }
}

/// A ball that starts on the floor with a vertical velocity.
fn from_floor(velocity: f64) -> String {
    let fields = format!(
        r#"gravity: [0, -{G}],
        points: {{ "ball": (at: [0, 0], velocity: [0, {velocity}], mass: 2) }},
        contacts: {{ "floor": Touch(point: "ball", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)) }},
        outputs: {{ "v": "ball.vy" }},"#
    );
    planar(0.5, &fields)
}

#[test]
fn a_contact_that_starts_on_zero_and_separates_strikes_when_it_returns() {
    let report = run(&from_floor(2.0));
    all_close("times", &times(&report), &[4.0 / G], 1e-13);
    close("velocity", output(&report, "v"), 1.0 - G * (0.5 - 4.0 / G), 1e-12);
}

#[test]
fn a_contact_that_starts_on_zero_and_approaches_strikes_at_once() {
    let report = run(&from_floor(-2.0));
    assert_eq!(happenings(&report)[..3], [("floor", "impact"); 3]);
    all_close("times", &times(&report)[..3], &[0.0, 2.0 / G, 3.0 / G], 1e-13);
}

#[test]
fn penetration_at_the_start_is_an_error_that_names_the_contact() {
    let error = failure(&planar(
        1.0,
        r#"points: { "ball": (at: [0, 0.1], mass: 1) },
        contacts: { "deep floor": Touch(point: "ball", radius: 0.2, surface: Plane(through: [0, 0], normal: [0, 1]), law: Stick) },"#,
    ));
    assert_eq!(error.kind(), ErrorKind::Assembly);
    assert_eq!(error.name(), Some("deep floor"));
    assert!(error.advice().is_some());
    close("value", error.value().unwrap(), -0.1, 1e-15);
}

#[test]
fn a_touch_within_rounding_of_an_assembled_place_is_no_penetration() {
    // The bar ends on the wall only up to the rounding of its assembly.
    let report = run(&planar(
        0.1,
        r#"ground: { "A": [0, 0] },
        points: { "P": (guess: [0.8, 0.6]) },
        bodies: { "bar": Bar(from: "A", to: "P", length: "1/3", mass: 1, angle: 0.7, angular_velocity: 1) },
        contacts: { "wall": Touch(point: "P", surface: Plane(through: ["cos(0.7)/3", 0], normal: [-1, 0]), law: Restitution(1)) },"#,
    ));
    assert_eq!(happenings(&report), []);
}

#[test]
fn at_the_instant_of_an_impact_the_gap_is_zero_to_rounding_even_with_loose_tolerances() {
    let experiment = shipped("double_pendulum_wall", &tolerances(1e-5, 1e-6));
    let (report, recording) = experiment.run(true, &mut |_| {}).unwrap();
    let recording = recording.unwrap();
    assert!(report.events.len() >= 2, "{:?}", report.events);
    let x = &recording
        .outputs
        .iter()
        .find(|series| series.name == "x")
        .unwrap()
        .values;
    for event in &report.events {
        let k = recording.times.iter().position(|t| *t == event.t).unwrap();
        close("place of the tip", x[k], -0.1, 1e-14);
    }
}
