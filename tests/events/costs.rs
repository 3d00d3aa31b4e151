//! Objectives that sum an expression over events.

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
fn sums_over_events_have_the_gradients_of_their_closed_forms() {
    let fields = r#"gravity: [0, "-g"],
        parameters: { "factor": 3, "h": 1.1, "e": 0.5, "g": 9.81 },
        points: { "P": (at: [0, "h"], mass: 2) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) },
        events: { "passing": (when: Crossing("P.y - 0.2"), then: []) },
        objectives: {
            "approach": Sum([("factor", AtEvents(of: "P.vy", event: "floor"))]),
            "leave": AtEvents(of: "P.vy^2", event: "floor", side: After),
            "times": AtEvents(of: "t", event: "floor"),
            "passed": Sum([("g", AtEvents(of: "P.vy^2", event: "passing")), (1, Final("P.vy"))]),
        },"#;
    let scene = experiment(&planar(1.15, fields), &tight());
    let (factor, h, e, g, end) = (3.0, 1.1, 0.5, 9.81_f64, 1.15);
    let v = (2.0 * g * h).sqrt();
    let first = v / g;
    // By factor, h, e and g; v changes by v/2h with h and by v/2g with g, the time v/g of the fall by -v/2g^2 with g.
    let rows = [
        (
            "approach",
            [
                -v * (1.0 + e),
                -factor * (1.0 + e) * v / (2.0 * h),
                -factor * v,
                -factor * (1.0 + e) * v / (2.0 * g),
            ],
        ),
        (
            "leave",
            [
                0.0,
                2.0 * g * (e * e + e.powi(4)),
                2.0 * g * h * (2.0 * e + 4.0 * e.powi(3)),
                2.0 * h * (e * e + e.powi(4)),
            ],
        ),
        (
            "times",
            [
                0.0,
                (2.0 + 2.0 * e) * first / (2.0 * h),
                2.0 * first,
                -(2.0 + 2.0 * e) * first / (2.0 * g),
            ],
        ),
    ];
    for method in [Method::Adjoint, Method::Forward] {
        let report = scene.gradient(method).expect("a gradient");
        for (name, want) in &rows {
            let found = report
                .objectives
                .iter()
                .find(|found| found.name == *name)
                .expect("it is there");
            all_close(name, &found.gradient, want, 1e-10);
        }
        // Falling at 2 g (h - 0.2), then up and down at 2 g (e^2 h - 0.2); the end is in the flight after the second bounce.
        let passed = &report.objectives[3];
        let energy = (h - 0.2) + 2.0 * (e * e * h - 0.2);
        let start = first * (1.0 + 2.0 * e);
        assert!(start < end);
        let by_h = 2.0 * g * g * (1.0 + 2.0 * e * e) + e * e * v / (2.0 * h) + g * (1.0 + 2.0 * e) * first / (2.0 * h);
        let by_g = 4.0 * g * energy + e * e * v / (2.0 * g) - (end - start) - g * (1.0 + 2.0 * e) * first / (2.0 * g);
        close("passed by h", passed.gradient[1], by_h, 1e-9 * by_h);
        close("passed by g", passed.gradient[3], by_g, 1e-9 * by_g);
    }
}

#[test]
fn a_sum_over_the_events_of_something_unknown_is_an_error_at_its_place() {
    let error = failure(&bouncing(r#""cost": AtEvents(of: "P.vy", event: "flor"),"#));
    assert!(error.message().contains("`flor`"), "{error}");
    assert!(error.advice().is_some_and(|advice| advice.contains("`floor`")));
    assert!(error.line().is_some());
}
