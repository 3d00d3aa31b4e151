//! End stops, ropes, and contacts that events switch.

use costate::error::ErrorKind;

use crate::support::*;

#[test]
fn a_slider_runs_between_two_end_stops() {
    let report = run(&planar(
        4.0,
        r#"points: { "P": (at: [0.5, 0], velocity: [1, 0], mass: 2) },
        contacts: { "rail": Limit(of: Coordinate("P.x"), at_least: 0, at_most: 1, law: Restitution(0.8)) },
        outputs: { "x": "P.x" },"#,
    ));
    let (at_most, at_least) = (("rail (at most)", "impact"), ("rail (at least)", "impact"));
    assert_eq!(happenings(&report), [at_most, at_least, at_most]);
    let want = [0.5, 0.5 + 1.0 / 0.8, 0.5 + 1.0 / 0.8 + 1.0 / 0.64];
    all_close("times", &times(&report), &want, 1e-12);
    close("x", output(&report, "x"), 1.0 - 0.512 * (4.0 - want[2]), 1e-12);
}

#[test]
fn a_body_turns_between_two_stops_of_its_angle() {
    let report = run(&planar(
        3.0,
        r#"bodies: { "wheel": Rigid(mass: 2, inertia: 0.5, at: [0, 0, 0], velocity: [0, 0, 2]) },
        contacts: { "stops": Limit(of: Angle("wheel"), at_least: -1, at_most: 1.5, law: Restitution(0.5)) },
        outputs: { "omega": "wheel.omega" },"#,
    ));
    assert_eq!(happenings(&report), [("stops (at most)", "impact")]);
    all_close("times", &times(&report), &[0.75], 1e-13);
    close("omega", output(&report, "omega"), -1.0, 1e-13);
}

#[test]
fn a_stop_between_two_free_bodies_keeps_their_angular_momentum() {
    let report = run(&planar(
        2.0,
        r#"bodies: {
            "A": Rigid(mass: 1, inertia: 0.5, at: [0, 0, 0], velocity: [0, 0, 0]),
            "B": Rigid(mass: 1, inertia: 0.2, at: [0, 0, 0], velocity: [0, 0, 3]),
        },
        contacts: { "stop": Limit(of: AngleBetween("A", "B"), at_most: 1.5, law: Restitution(0.6)) },
        outputs: { "wA": "A.omega", "wB": "B.omega" },"#,
    ));
    all_close("time", &times(&report), &[0.5], 1e-13);
    let (a, b) = (output(&report, "wA"), output(&report, "wB"));
    close("momentum", 0.5 * a + 0.2 * b, 0.6, 1e-13);
    close("relative", b - a, -0.6 * 3.0, 1e-13);
}

#[test]
fn a_rope_jerks_two_masses_back_and_a_buffer_keeps_them_apart() {
    // Relative velocity 2, then -1 after the rope (e = 0.5) at distance 3, then 0.5 after the buffer at distance 1.
    let report = run(&planar(
        4.0,
        r#"points: {
            "P": (at: [0, 0], velocity: [-1.5, 0], mass: 1),
            "Q": (at: [2, 0], velocity: [0.5, 0], mass: 3),
        },
        contacts: { "rope": Limit(of: Distance("P", "Q"), at_least: 1, at_most: 3, law: Restitution(0.5)) },
        outputs: { "momentum": "P.vx + 3*Q.vx", "relative": "Q.vx - P.vx", "distance": "Q.x - P.x" },"#,
    ));
    assert_eq!(
        happenings(&report),
        [("rope (at most)", "impact"), ("rope (at least)", "impact")]
    );
    all_close("times", &times(&report), &[0.5, 2.5], 1e-12);
    close("momentum", output(&report, "momentum"), 0.0, 1e-13);
    close("relative", output(&report, "relative"), 0.5, 1e-13);
    close("distance", output(&report, "distance"), 1.0 + 0.5 * 1.5, 1e-12);
}

#[test]
fn a_plumb_on_a_slack_rope_falls_and_swings_once_the_rope_is_tight() {
    // e = 0: the plumb keeps its tangential velocity and stays on the circle as long as the rope is tight.
    let fields = format!(
        r#"gravity: [0, -{G}],
        ground: {{ "O": [0, 0] }},
        points: {{ "P": (at: [0.6, 0], velocity: [0, 0], mass: 2) }},
        contacts: {{ "rope": Limit(of: Distance("O", "P"), at_most: 1, law: Restitution(0)) }},
        outputs: {{ "length": "hypot(P.x, P.y)", "half square of speed": "(P.vx^2 + P.vy^2)/2", "y": "P.y" }},"#
    );
    let report = run(&planar(0.6, &fields));
    assert_eq!(happenings(&report), [("rope", "rest")]);
    close("time", report.events[0].t, (1.6 / G).sqrt(), 1e-13);
    close("length", output(&report, "length"), 1.0, 1e-13);
    // Speed (2 g 0.8) before; its tangential part is the share 0.6.
    let kept = 0.5 * 0.36 * 2.0 * G * 0.8;
    let gained = G * (-0.8 - output(&report, "y"));
    close("speed", output(&report, "half square of speed"), kept + gained, 1e-11);
}

/// A ball dropped from 1 m with e = 1 on a floor that is away from `off` to `on`.
fn trapdoor(height: f64, off: f64, on: f64) -> String {
    let fields = format!(
        r#"gravity: [0, -{G}],
        points: {{ "P": (at: [0, {height}], velocity: [0, 0], mass: 2) }},
        contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(1)) }},
        events: {{ "open": (when: At({off}), then: [Disable("floor")]), "shut": (when: At({on}), then: [Enable("floor")]) }},
        outputs: {{ "y": "P.y" }},"#
    );
    planar(1.0, &fields)
}

#[test]
fn a_contact_that_is_off_lets_through_and_works_again_when_on() {
    let fall = (2.0 / G).sqrt();
    let report = run(&trapdoor(1.0, 0.1, 2.0));
    assert_eq!(happenings(&report), [("open", "switch")]);
    close("through", output(&report, "y"), 1.0 - G / 2.0, 1e-13);
    let report = run(&trapdoor(1.0, 0.1, 0.2));
    assert_eq!(
        happenings(&report),
        [("open", "switch"), ("shut", "switch"), ("floor", "impact")]
    );
    close("impact", report.events[2].t, fall, 1e-13);
}

#[test]
fn a_support_that_is_switched_off_lets_its_load_fall() {
    let report = run(&trapdoor(0.0, 0.3, 2.0));
    assert_eq!(happenings(&report), [("open", "switch")]);
    close("fallen", output(&report, "y"), -G * 0.49 / 2.0, 1e-13);
}

#[test]
fn a_contact_switched_on_while_it_penetrates_is_an_error_that_names_it() {
    let error = failure(&trapdoor(1.0, 0.1, 0.8));
    assert_eq!(error.kind(), ErrorKind::Event);
    assert_eq!(error.name(), Some("floor"));
    close("time", error.time().unwrap(), 0.8, 1e-15);
}

#[test]
fn a_contact_switched_on_at_the_instant_of_touching_strikes_at_once() {
    let text = trapdoor(1.0, 0.1, 0.9).replace("(when: At(0.9)", "(when: Falling(\"P.y\")");
    let report = run(&text);
    let fall = (2.0 / G).sqrt();
    assert_eq!(
        happenings(&report),
        [("open", "switch"), ("shut", "switch"), ("floor", "impact")]
    );
    all_close("times", &times(&report), &[0.1, fall, fall], 1e-13);
}
