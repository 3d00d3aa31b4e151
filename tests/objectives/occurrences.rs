//! Expressions at one of several events, and at those of a kind.

use costate::run::Method;

use super::{ball, certified, refused};
use crate::support::*;

/// A ball that bounces three times and is caught by a switch on the way; from h, with restitution e.
fn bouncing(objectives: &str) -> String {
    planar(
        1.45,
        &format!(
            r#"gravity: [0, "-g"],
        parameters: {{ "h": 1.1, "e": 0.6, "g": 9.81 }},
        points: {{ "P": (at: [0, "h"], velocity: [1, 0], mass: 2) }},
        contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) }},
        events: {{ "half way": (when: Crossing("P.y - h/4"), then: []) }},
        memory: {{ "n": 0 }},
        objectives: {{ {objectives} }},"#
        ),
    )
}

#[test]
fn single_events_have_the_times_and_derivatives_of_their_closed_forms() {
    let text = bouncing(
        r#""first": AtEvents(of: "t", event: "floor", which: First),
           "second": AtEvents(of: "t", event: "floor", kind: Impact, which: Number(2)),
           "last": AtEvents(of: "t", event: "floor", which: Last),
           "fastest": AtEvents(of: "P.vy", event: "floor", side: After, which: Number(2)),
           "impacts": AtEvents(of: "t", event: "floor", kind: Impact),
           "up": AtEvents(of: "t + P.vy", event: "half way", kind: Switch, which: Number(2)),"#,
    );
    let (h, e, g) = (1.1, 0.6_f64, 9.81_f64);
    let fall = (2.0 * h / g).sqrt();
    let bounce = |n: i32| fall * (1.0 + 2.0 * (1..n).map(|k| e.powi(k)).sum::<f64>());
    let by_e = |n: i32| 2.0 * fall * (1..n).map(|k| f64::from(k) * e.powi(k - 1)).sum::<f64>();
    let row = |t: f64, by_e: f64| [0.5 * t / h, by_e, -0.5 * t / g];
    let speed = e * e * g * fall;
    let rows = [
        ("first", bounce(1), row(bounce(1), 0.0)),
        ("second", bounce(2), row(bounce(2), by_e(2))),
        ("last", bounce(3), row(bounce(3), by_e(3))),
        ("fastest", speed, [0.5 * speed / h, 2.0 * e * g * fall, 0.5 * speed / g]),
    ];
    let report = certified(&text);
    for (found, (name, value, slopes)) in report.objectives.iter().zip(&rows) {
        close(name, found.value, *value, 1e-9);
        all_close(name, &found.gradient, slopes, 1e-8);
    }
    let all = (1..4).map(bounce).sum::<f64>();
    close("all impacts", report.objectives[4].value, all, 1e-9);
}

/// Every derivative of a sum over three impacts is that of its parts.
#[test]
fn single_events_add_up_to_the_sum_with_all_derivatives() {
    let one = |which: &str| format!(r#""{which}": AtEvents(of: "P.vy^2*P.x", event: "floor", which: {which}),"#);
    let all = ["Number(1)", "Number(2)", "Last", "All"].map(one).concat();
    let scene = experiment(&bouncing(&all), &tight());
    for method in [Method::Adjoint, Method::Forward] {
        let found = scene.gradient(method).expect("a gradient").objectives;
        for k in 0..3 {
            let sum: f64 = found[..3].iter().map(|objective| objective.gradient[k]).sum();
            close("sum", sum, found[3].gradient[k], 1e-9);
            assert!(found[1..].iter().all(|objective| objective.gradient[k].abs() > 1e-3));
        }
    }
    let second = scene.hessian(&|_| {}).expect("second derivatives").objectives;
    for (row, column) in [(0, 0), (0, 1), (1, 1), (2, 1)] {
        let parts: Vec<f64> = second[..3].iter().map(|hessian| hessian.rows[row][column]).collect();
        close("second", parts.iter().sum(), second[3].rows[row][column], 1e-7);
        assert!(parts[2].abs() > 1e-3, "{parts:?}");
    }
}

#[test]
fn an_event_that_does_not_happen_is_an_error_that_says_how_many_did() {
    let cases = [
        (
            r#"event: "floor", which: Number(4)"#,
            "event 4 of \"floor\", of which 3 happened",
        ),
        (
            r#"event: "floor", kind: Rest, which: Last"#,
            "of the kind \"rest\", of which 0 happened",
        ),
    ];
    for (event, words) in cases {
        let error = failure(&bouncing(&format!(r#""missing": AtEvents(of: "t", {event}),"#)));
        assert!(error.message().contains(words), "{error}");
        assert_eq!(error.name(), Some("missing"));
        assert!(error.time().is_some() && error.advice().is_some());
    }
}

#[test]
fn kinds_that_cannot_happen_and_events_without_a_number_are_refused() {
    for (written, words) in [
        (r#"event: "floor", kind: Switch"#, "no events of the kind Switch"),
        (r#"event: "floor", which: Number(0)"#, "counted from 1"),
    ] {
        let error = refused(&ball(&format!(r#""wrong": AtEvents(of: "t", {written}),"#)));
        assert!(error.message().contains(words) && error.place().is_some(), "{error}");
    }
    let error = refused(&bouncing(
        r#""wrong": AtEvents(of: "t", event: "half way", kind: Impact),"#,
    ));
    assert!(error.message().contains("no events of the kind Impact"), "{error}");
}
