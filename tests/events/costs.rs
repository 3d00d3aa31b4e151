//! Objectives that sum an expression over events.

use costate::error::ErrorKind;
use costate::run::Method;

use crate::support::*;

/// A ball of 2 kg that falls from a height of 1 m and bounces twice within a second, and an event as it passes 0.2 m.
fn bouncing(objectives: &str) -> String {
    let fields = format!(
        r#"gravity: [0, -{G}],
        parameters: {{ "factor": 3 }},
        points: {{ "P": (at: [0, 1], mass: 2) }},
        contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)) }},
        events: {{ "passing": (when: Crossing("P.y - 0.2"), then: []) }},
        objectives: {{ {objectives} }},"#
    );
    planar(1.0, &fields)
}

#[test]
fn a_sum_over_events_takes_each_event_once_on_its_side() {
    let report = run(&bouncing(
        r#""count": AtEvents(of: "1", event: "floor"),
        "approach": AtEvents(of: "P.vy", event: "floor"),
        "lost": Sum([
            ("factor", AtEvents(of: "energy.total", event: "floor")),
            ("-factor", AtEvents(of: "energy.total", event: "floor", side: After)),
        ]),
        "passed": AtEvents(of: "P.vy^2", event: "passing", side: After),
        "mixed": Sum([(1, AtEvents(of: "t", event: "floor")), (2, Final("t"))]),"#,
    ));
    // It falls for sqrt(2/g) = 0.45 s with the speed v at the end, flies for v/g with v/2, and strikes again at 0.90 s.
    let v = (2.0 * G).sqrt();
    let first = v / G;
    let of = |name: &str| objective(&report, name);
    assert_eq!(report.events.len(), 5, "{:?}", report.events);
    close("count", of("count"), 2.0, 0.0);
    close("approach", of("approach"), -1.5 * v, 1e-10);
    close("lost", of("lost"), 3.0 * (0.75 * v * v + 0.75 * v * v / 4.0), 1e-9);
    let passing = v * v - 2.0 * G * 0.2;
    close(
        "passed",
        of("passed"),
        passing + 2.0 * (v * v / 4.0 - 2.0 * G * 0.2),
        1e-9,
    );
    close("mixed", of("mixed"), first + 2.0 * first + 2.0, 1e-10);
}

#[test]
fn the_gradient_of_a_sum_over_events_is_refused_by_name() {
    let scene = experiment(
        &bouncing(r#""cost": Sum([("factor", AtEvents(of: "P.vy", event: "floor"))]),"#),
        &tight(),
    );
    for method in [Method::Adjoint, Method::Forward] {
        let error = scene.gradient(method).expect_err("no derivative");
        assert_eq!(
            (error.kind(), error.name()),
            (ErrorKind::Request, Some("cost")),
            "{error}"
        );
        assert!(error.advice().is_some());
    }
}

#[test]
fn a_sum_over_the_events_of_something_unknown_is_an_error_at_its_place() {
    let error = failure(&bouncing(r#""cost": AtEvents(of: "P.vy", event: "flor"),"#));
    assert!(error.message().contains("`flor`"), "{error}");
    assert!(error.advice().is_some_and(|advice| advice.contains("`floor`")));
    assert!(error.line().is_some());
}
