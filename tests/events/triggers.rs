//! When events fire.

use std::f64::consts::PI;

use costate::error::ErrorKind;
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Stabilized};

use crate::support::*;

/// A mass on an ellipse, x = cos(t), y = sin(t)/2, with one event that switches a load which is off anyway.
fn orbit(when: &str, once: bool, duration: f64) -> String {
    let fields = format!(
        r#"ground: {{ "O": [0, 0] }},
        points: {{ "P": (at: [1, 0], velocity: [0, 0.5], mass: 1) }},
        forces: {{
            "spring": Spring(from: "O", to: "P", stiffness: 1, natural_length: 0),
            "idle": Load(at: "P", force: [0, 0], active: false),
        }},
        events: {{ "crossed": (when: {when}, then: [Disable("idle")], once: {once}) }},
        outputs: {{ "x": "P.x" }},"#
    );
    planar(duration, &fields)
}

fn fired(when: &str, once: bool) -> Vec<f64> {
    fired_until(3.0 * PI, when, once)
}

fn fired_until(end: f64, when: &str, once: bool) -> Vec<f64> {
    let report = run(&orbit(when, once, end));
    assert!(
        happenings(&report)
            .iter()
            .all(|happening| *happening == ("crossed", "switch"))
    );
    times(&report)
}

#[test]
fn an_event_at_a_time_fires_once_at_that_time() {
    all_close("at", &fired("At(1.25)", false), &[1.25], 1e-15);
    all_close(
        "at an expression",
        &fired(r#"At("sqrt(2)")"#, false),
        &[2.0_f64.sqrt()],
        1e-15,
    );
    all_close("later than the end", &fired("At(100)", false), &[], 0.0);
}

#[test]
fn conditions_that_jump_where_a_force_has_a_kink_fire_once() {
    let counted = |when: &str| {
        let fields = format!(
            r#"parameters: {{ "F": 0.3 }},
            ground: {{ "A": [0, 0] }},
            points: {{ "P": (at: [1, 0], velocity: [0, 0], mass: 1) }},
            joints: {{ "rail": PointOnLine(point: "P", line: Fixed(through: [0, 0], direction: [1, 0])) }},
            forces: {{
                "spring": Spring(from: "A", to: "P", stiffness: 40, natural_length: 1),
                "brake": Load(at: "P", force: ["5*cos(7*t) - F*sign(P.vx)", 0]),
            }},
            memory: {{ "n": (start: 0) }},
            events: {{ "turn": (when: {when}, then: [Set("n", "n + 1")]) }},
            outputs: {{ "x": "P.x", "turns": "n" }},"#
        );
        let report = run(&planar(2.0, &fields));
        (output(&report, "turns"), output(&report, "x"))
    };
    for direction in ["Rising", "Falling", "Crossing"] {
        let (smooth, want) = counted(&format!(r#"{direction}("P.vx")"#));
        let (jumping, got) = counted(&format!(r#"{direction}("sign(P.vx)")"#));
        assert_eq!(jumping, smooth, "{direction}");
        close(direction, got, want, 1e-9);
    }
}

#[test]
fn events_fire_in_the_direction_that_they_name() {
    // x = cos(t) is 0.5 at pi/3, 5 pi/3, 7 pi/3.
    let (first, second, third) = (PI / 3.0, 5.0 * PI / 3.0, 7.0 * PI / 3.0);
    all_close(
        "falling",
        &fired(r#"Falling("P.x - 0.5")"#, false),
        &[first, third],
        1e-11,
    );
    all_close("rising", &fired(r#"Rising("P.x - 0.5")"#, false), &[second], 1e-11);
    all_close(
        "crossing",
        &fired(r#"Crossing("P.x - 0.5")"#, false),
        &[first, second, third],
        1e-11,
    );
}

#[test]
fn an_event_that_fires_once_sleeps_afterwards() {
    all_close("falling", &fired(r#"Falling("P.x - 0.5")"#, true), &[PI / 3.0], 1e-11);
    all_close("crossing", &fired(r#"Crossing("P.x - 0.5")"#, true), &[PI / 3.0], 1e-11);
}

#[test]
fn an_expression_that_starts_on_zero_fires_only_when_it_returns() {
    // At 3 pi, where y vanishes again, rounding would decide.
    let fired = |when: &str| fired_until(2.9 * PI, when, false);
    all_close("rising", &fired(r#"Rising("P.y")"#), &[2.0 * PI], 1e-11);
    all_close("crossing", &fired(r#"Crossing("P.y")"#), &[PI, 2.0 * PI], 1e-11);
}

#[test]
fn triggers_may_use_time_velocities_accelerations_and_outputs() {
    // vx = -sin(t), ax = -cos(t).
    all_close("velocity", &fired(r#"Falling("P.vx + 0.5")"#, true), &[PI / 6.0], 1e-11);
    all_close(
        "acceleration",
        &fired(r#"Rising("P.ax + 0.5")"#, true),
        &[PI / 3.0],
        1e-11,
    );
    // The tension is the distance from O: its square is 1 - 0.75 sin(t)^2.
    all_close(
        "spring force",
        &fired(r#"Falling("spring.force - 0.8")"#, true),
        &[0.48_f64.sqrt().asin()],
        1e-11,
    );
    all_close("time", &fired(r#"Rising("t^2 - 2")"#, false), &[2.0_f64.sqrt()], 1e-12);
}

#[test]
fn a_trigger_that_touches_zero_twice_within_a_step_fires_twice() {
    let top = 1.0 - 1e-9;
    let early = f64::acos(top);
    let got = fired(&format!(r#"Crossing("P.x + {top}")"#), false);
    all_close("crossings", &got, &[PI - early, PI + early, 3.0 * PI - early], 1e-7);
}

#[test]
fn events_at_the_same_instant_all_act_and_in_their_order() {
    let report = run(&planar(
        3.0,
        r#"points: { "P": (at: [0, 0], velocity: [0, 0], mass: 2) },
        forces: {
            "right": Load(at: "P", force: [4, 0], active: false),
            "up": Load(at: "P", force: [0, 6], active: false),
        },
        events: {
            "a": (when: At(1), then: [Enable("right"), Enable("up")]),
            "b": (when: At("3/3"), then: [Disable("right")]),
            "c": (when: Rising("t^2 - 1"), then: [Disable("up"), Enable("up")]),
        },
        outputs: { "x": "P.x", "y": "P.y" },"#,
    ));
    assert_eq!(happenings(&report), [("a", "switch"), ("b", "switch"), ("c", "switch")]);
    all_close("times", &times(&report), &[1.0; 3], 1e-13);
    close("x", output(&report, "x"), 0.0, 1e-15);
    close("y", output(&report, "y"), 3.0 / 2.0 * 4.0, 1e-12);
}

#[test]
fn an_event_at_the_instant_of_an_impact_takes_nothing_from_it() {
    // The ball dropped from g/2 strikes at 1 s with speed g; then a load lifts it with twice its weight.
    let fields = format!(
        r#"gravity: [0, -{G}],
        points: {{ "P": (at: [0, "{G}/2"], velocity: [0, 0], mass: 1) }},
        forces: {{ "lift": Load(at: "P", force: [0, "2*{G}"], active: false) }},
        contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)) }},
        events: {{ "lift on": (when: At(1), then: [Enable("lift")]) }},
        outputs: {{ "y": "P.y" }},"#
    );
    let report = run(&planar(2.0, &fields));
    let mut what = happenings(&report);
    what.sort_unstable();
    assert_eq!(what, [("floor", "impact"), ("lift on", "switch")]);
    all_close("times", &times(&report), &[1.0; 2], 1e-14);
    close("y", output(&report, "y"), G / 2.0 + G / 2.0, 1e-11);
}

#[test]
fn an_event_in_the_past_of_the_start_does_not_fire() {
    let text = orbit("At(-1)", false, 1.0);
    assert_eq!(happenings(&run(&text)), []);
}

#[test]
fn what_is_switched_at_the_start_time_is_switched_from_the_start() {
    let report = run(&planar(
        2.0,
        r#"gravity: [0, -9.81],
        points: { "P": (at: [0, 0], mass: 2) },
        forces: { "hold": Load(at: "P", force: [0, "2*9.81"], active: false), "off": Load(at: "P", force: [5, 0]) },
        events: { "begin": (when: At(0), then: [Enable("hold"), Disable("off")]) },
        outputs: { "x": "P.x", "y": "P.y" },"#,
    ));
    assert_eq!(happenings(&report), [("begin", "switch")]);
    close("x", output(&report, "x"), 0.0, 0.0);
    close("y", output(&report, "y"), 0.0, 1e-14);
}

#[test]
fn an_expression_that_its_own_action_holds_at_zero_fires_once() {
    let fields = format!(
        r#"gravity: [0, -{G}],
        points: {{ "P": (at: [0, 0], velocity: [0, 3], mass: 1) }},
        joints: {{ "catch": Coupling(terms: [("P.y", 1)], equals: "4.5/{G}", active: false) }},
        events: {{ "top": (when: Crossing("P.vy"), then: [Enable("catch")]) }},
        outputs: {{ "y": "P.y" }},"#
    );
    for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
        let report = report(&experiment(&planar(3.0, &fields), &under(formulation)));
        assert_eq!(happenings(&report), [("top", "switch")]);
        close("y", output(&report, "y"), 4.5 / G, 1e-13);
    }
}

#[test]
fn a_change_of_sign_through_infinity_is_no_event() {
    let fields = |when: &str| {
        planar(
            2.0,
            &format!(
                r#"points: {{ "P": (at: [0, 0], velocity: [1, 0], mass: 1) }}, memory: {{ "m": 0 }},
                events: {{ "pass": (when: {when}, then: [Set("m", 1)]) }}, outputs: {{ "x": "P.x" }},"#
            ),
        )
    };
    for when in [
        r#"Rising("1/(P.x - 0.5)")"#,
        r#"Crossing("tan(pi*P.x)")"#,
        r#"Falling("1/(0.5 - P.x)^3")"#,
    ] {
        let refused = experiment(&fields(when), &tolerances(1e-9, 1e-12)).run(false, &mut |_| {});
        let error = refused.expect_err(when);
        assert_eq!(
            (error.name(), error.kind()),
            (Some("pass"), ErrorKind::Event),
            "{error}"
        );
        close("time", error.time().unwrap(), 0.5, 1e-12);
        assert!(
            error.to_string().contains("infinity") && error.advice().is_some(),
            "{error}"
        );
    }
    // The zero behind the pole is one, and steep zeros are as well.
    let report = run(&fields(r#"Falling("1/(P.x - 0.5) - 2")"#));
    all_close("times", &times(&report), &[1.0], 1e-12);
    let report = run(&fields(r#"Rising("1e9*(P.x - 0.3)^5")"#));
    all_close("times", &times(&report), &[0.3], 1e-3);
}

#[test]
fn conditions_that_turn_more_often_than_steps_are_seen() {
    let (w, end) = (4e4, 0.05);
    let fields = format!(
        r#"ground: {{ "O": [0, 0] }}, points: {{ "P": (at: [1, 0], velocity: [0, 0], mass: 1) }},
        forces: {{
            "push": Load(at: "P", force: ["sign(sin({w}*t))", 0]),
            "spring": Spring(from: "O", to: "P", stiffness: 10, natural_length: 0.5),
        }},
        outputs: {{ "x": "P.x" }},"#
    );
    let found = report(&experiment(&planar(end, &fields), &tolerances(1e-4, 1e-4)));
    // The push is over before it moves the mass, but for the mean speed that its first half leaves.
    let w0 = 10.0_f64.sqrt();
    let (sin, cos) = (w0 * end).sin_cos();
    let x = 0.5 + 0.5 * cos + std::f64::consts::FRAC_PI_2 / w * sin / w0;
    close("x", output(&found, "x"), x, 1e-8);
    assert_eq!(found.events.len(), (w * end / std::f64::consts::PI) as usize);
    let fields = r#"points: { "P": (at: [0, 0], velocity: [1, 0], mass: 1) }, memory: { "count": 0 },
        events: { "pass": (when: Rising("sin(3e4*P.x) - 0.3"), then: [Set("count", "count + 1")]) },
        outputs: { "passes": "count" },"#;
    let found = report(&experiment(&planar(1.0, fields), &tolerances(1e-9, 1e-12)));
    close("passes", output(&found, "passes"), 4775.0, 0.0);
}
