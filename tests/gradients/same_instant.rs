//! Gradients where several events happen at one instant, each in its own time.

use std::f64::consts::PI;

use costate::error::ErrorKind;
use costate::run::{Changes, Experiment, GradientReport, Method, Verdict};
use costate::scene::parse;

use crate::{changes, of, worst_difference};

fn experiment(text: &str) -> Experiment {
    Experiment::new(&parse("scene.ron", text).unwrap(), &changes(1e-12, 1e-14)).unwrap()
}

fn forward_and_adjoint(text: &str) -> GradientReport {
    let experiment = experiment(text);
    let forward = experiment.gradient(Method::Forward).unwrap();
    let error = worst_difference(&forward, &experiment.gradient(Method::Adjoint).unwrap());
    assert!(error < 1e-11, "adjoint against forward: {error:e}");
    forward
}

/// Height at a time of a ball that falls from a height and bounces once, by the height and by the coefficient.
fn bounce_slopes(h: f64, e: f64, g: f64, end: f64) -> (f64, f64) {
    let (t, v) = ((2.0 * h / g).sqrt(), (2.0 * g * h).sqrt());
    let (dt, dv) = (1.0 / v, g / v);
    let left = end - t;
    (e * dv * left - (e * v - g * left) * dt, v * left)
}

fn two_balls(force: &str, second: &str) -> String {
    format!(
        r#"Scene(name: "two balls", space: Planar, gravity: [0, -9.81],
        parameters: {{ "h1": 1.0, "h2": {second}, "e1": 0.5, "e2": 0.5 }},
        points: {{ "P": (at: [0, "h1"], mass: 1), "Q": (at: [1, "h2"], mass: 3) }},
        forces: {{ {force} }},
        contacts: {{
            "p": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e1")),
            "q": Touch(point: "Q", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e2")),
        }},
        objectives: {{ "P": Final("P.y"), "Q": Final("Q.y") }},
        simulation: (duration: 0.6))"#
    )
}

#[test]
fn balls_that_do_not_act_on_each_other_keep_their_own_derivatives_and_event_times() {
    let report = forward_and_adjoint(&two_balls("", "1.0"));
    let (by_h, by_e) = bounce_slopes(1.0, 0.5, 9.81, 0.6);
    for (objective, height, coefficient, want) in [
        ("P", "h1", "e1", [by_h, by_e]),
        ("Q", "h2", "e2", [by_h, by_e]),
        ("P", "h2", "e2", [0.0, 0.0]),
        ("Q", "h1", "e1", [0.0, 0.0]),
    ] {
        let got = [of(&report, objective, height), of(&report, objective, coefficient)];
        for (got, want) in got.into_iter().zip(want) {
            assert!(
                (got - want).abs() < 1e-10,
                "{objective} by {height}: {got} instead of {want}"
            );
        }
    }
    let rate = 1.0 / (2.0 * 9.81_f64).sqrt();
    let times: Vec<&Vec<f64>> = report.events.iter().map(|(_, times)| times.as_ref().unwrap()).collect();
    for (times, want) in times.into_iter().zip([[rate, 0.0], [0.0, rate]]) {
        assert!(
            (times[0] - want[0]).abs() + (times[1] - want[1]).abs() < 1e-11,
            "{times:?}"
        );
    }
}

#[test]
fn one_parameter_moves_both_balls() {
    let report = forward_and_adjoint(&two_balls("", "\"h1\""));
    let (by_h, _) = bounce_slopes(1.0, 0.5, 9.81, 0.6);
    assert!((of(&report, "P", "h1") - by_h).abs() < 1e-10);
    assert!((of(&report, "Q", "h1") - by_h).abs() < 1e-10);
}

#[test]
fn the_certificate_follows_events_that_change_places() {
    let (_, certificate) = experiment(&two_balls("", "1.0"))
        .certify(Method::Adjoint, &|_| {})
        .unwrap();
    assert_eq!(certificate.verdict, Verdict::Passed);
}

#[test]
fn a_ball_in_a_corner_strikes_both_walls_at_once() {
    let report = forward_and_adjoint(
        r#"Scene(name: "corner", space: Planar, gravity: [0, 0],
        parameters: { "x": 1.0, "y": 1.0, "e": 0.5 },
        points: { "P": (at: ["x", "y"], velocity: [-2, -2], mass: 1) },
        contacts: {
            "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")),
            "wall": Touch(point: "P", surface: Plane(through: [0, 0], normal: [1, 0]), law: Restitution(1)),
        },
        objectives: { "x": Final("P.x"), "y": Final("P.y") },
        simulation: (duration: 1))"#,
    );
    // y = e (v end - h), and likewise x.
    for (objective, parameter, want) in [("x", "x", -1.0), ("x", "y", 0.0), ("y", "x", 0.0), ("y", "y", -0.5)] {
        let got = of(&report, objective, parameter);
        assert!((got - want).abs() < 1e-10, "{objective} by {parameter}: {got}");
    }
    assert!((of(&report, "y", "e") - 1.0).abs() < 1e-10);
}

#[test]
fn a_spring_between_the_balls_leaves_the_order_without_effect_and_a_damper_does_not() {
    let spring = r#""s": Spring(from: "P", to: "Q", stiffness: 20, natural_length: 0.8)"#;
    let report = forward_and_adjoint(&two_balls(spring, "1.0"));
    assert!(of(&report, "P", "h2").abs() > 1e-3);
    // What a damper does to one ball jumps when the other one bounces.
    let skew = r#"Scene(name: "skew", space: Planar, gravity: [0, -9.81],
        parameters: { "h1": 1.0, "h2": 1.5 },
        points: { "P": (at: [0, "h1"], mass: 1), "Q": (at: [1, "h2"], mass: 3) },
        forces: { "d": Spring(from: "P", to: "Q", stiffness: 0, natural_length: 0, damping: 1.5) },
        contacts: {
            "p": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)),
            "q": Touch(point: "Q", surface: Plane(through: [0, 0.5], normal: [0, 1]), law: Restitution(0.5)),
        },
        objectives: { "P": Final("P.y") },
        simulation: (duration: 0.6))"#;
    for method in [Method::Adjoint, Method::Forward] {
        let error = experiment(skew).gradient(method).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Event);
        let said = error.to_string();
        assert!(said.contains("\"p\" and \"q\"") && said.contains("first"), "{said}");
    }
}

/// A ball that falls on the floor at the instant at which a load on a cart is switched on, and another is switched off.
fn at_one_instant(more: &str) -> String {
    let touch = (2.0_f64 / 9.81).sqrt();
    format!(
        r#"Scene(name: "one instant", space: Planar, gravity: [0, -9.81],
        parameters: {{ "h": 1.0, "on": {touch}, "off": {touch}, "e": 0.5 }},
        points: {{ "P": (at: [0, "h"], mass: 1), "Q": (at: [1, 0], velocity: [0.3, 0], mass: 2) }},
        joints: {{ "rail": PointOnLine(point: "Q", line: Fixed(through: [0, 0], direction: [1, 0])) }},
        forces: {{
            "push": Load(at: "Q", force: [6, 0], active: false), "pull": Load(at: "Q", force: [-2, 0]),
            "lift": Load(at: "P", force: [0, 4], active: false),
        }},
        contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) }},
        events: {{
            "begin": (when: At("on"), then: [Enable("push")]), "end": (when: At("off"), then: [Disable("pull")]), {more}
        }},
        objectives: {{ "P": Final("P.y"), "Q": Final("Q.x"), "work": Integral("Q.vx^2") }},
        simulation: (duration: 0.6))"#
    )
}

#[test]
fn switches_and_an_impact_that_do_not_act_on_each_other_keep_their_own_derivatives_and_times() {
    let text = at_one_instant("");
    let report = forward_and_adjoint(&text);
    let touch = (2.0_f64 / 9.81).sqrt();
    let left = 0.6 - touch;
    let (by_h, by_e) = bounce_slopes(1.0, 0.5, 9.81, 0.6);
    for (objective, parameter, want) in [
        ("P", "h", by_h),
        ("P", "e", by_e),
        ("P", "on", 0.0),
        ("P", "off", 0.0),
        ("Q", "h", 0.0),
        ("Q", "on", -3.0 * left),
        ("Q", "off", -left),
    ] {
        let got = of(&report, objective, parameter);
        assert!(
            (got - want).abs() < 1e-10,
            "{objective} by {parameter}: {got} instead of {want}"
        );
    }
    assert_eq!(report.events.len(), 3);
    for (event, times) in &report.events {
        let own = match event.name.as_str() {
            "floor" => [1.0 / (2.0 * 9.81_f64).sqrt(), 0.0, 0.0],
            "begin" => [0.0, 1.0, 0.0],
            _ => [0.0, 0.0, 1.0],
        };
        let times = times.as_ref().unwrap();
        let off = own.iter().zip(times).map(|(want, got)| (want - got).abs()).sum::<f64>();
        assert!(off < 1e-11, "{}: {times:?}", event.name);
    }
    let (_, certificate) = experiment(&text).certify(Method::Adjoint, &|_| {}).unwrap();
    assert_eq!(certificate.verdict, Verdict::Passed);
}

#[test]
fn a_switch_that_acts_on_what_bounces_at_the_same_instant_is_refused_where_a_parameter_parts_them() {
    let text = at_one_instant("").replace("Enable(\"push\")", "Enable(\"lift\")");
    for method in [Method::Adjoint, Method::Forward] {
        let error = experiment(&text).gradient(method).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Event);
        let said = error.to_string();
        assert!(said.contains("\"floor\"") && said.contains("\"begin\""), "{said}");
    }
}

#[test]
fn switches_whose_loads_multiply_do_not_commute() {
    // Feedback: the force is the product of what the two switches set.
    let text = r#"Scene(name: "product", space: Planar, gravity: [0, 0],
        parameters: { "a": 0.4, "b": 0.4 },
        points: { "Q": (at: [1, 0], velocity: [0.3, 0], mass: 2) },
        memory: { "u": 1, "w": 2 },
        forces: { "push": Load(at: "Q", force: ["u*w", 0]) },
        events: { "first": (when: At("a"), then: [Set("u", 3)]), "second": (when: At("b"), then: [Set("w", 5)]) },
        objectives: { "Q": Final("Q.x") },
        simulation: (duration: 1))"#;
    for method in [Method::Adjoint, Method::Forward] {
        let said = experiment(text).gradient(method).unwrap_err().to_string();
        assert!(said.contains("\"first\" and \"second\""), "{said}");
    }
    // Added, they commute.
    let report = forward_and_adjoint(&text.replace("u*w", "u + w"));
    // x = .. + (F+ - F-) (end - t)^2/2 / m.
    for (parameter, change) in [("a", 2.0), ("b", 3.0)] {
        let got = of(&report, "Q", parameter);
        assert!((got + change * 0.6 / 2.0).abs() < 1e-11, "{parameter}: {got}");
    }
}

/// Friction reverses, and the way that is gone has a kink, at one instant, and neither changes the state.
#[test]
fn what_is_read_at_one_of_two_events_of_an_instant_counts_once() {
    let text = r#"Scene(name: "slider", space: Planar,
        parameters: { "a": 0.33, "F": 0.3, "k": 20 },
        ground: { "O": [0, 0] },
        points: { "P": (at: ["a", 0], velocity: [0, 0], mass: 1) },
        joints: { "guide": PointOnLine(point: "P", line: Fixed(through: [0, 0], direction: [1, 0]), friction: Preload(kinetic: "F")) },
        forces: { "s": Spring(from: "O", to: "P", stiffness: "k", natural_length: 0) },
        objectives: {
            "way": Integral("abs(P.vx)"), "least": Min("P.x"), "turn": AtEvents(of: "P.x", event: "guide", which: First),
            "time": AtEvents(of: "t", event: "guide", which: Last), "miss": Fit(data: "turns.csv", events: { "turn": "guide" }),
        },
        simulation: (duration: 1.2, rtol: 1e-9))"#;
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("scene.ron");
    std::fs::write(&scene, text).unwrap();
    std::fs::write(folder.path().join("turns.csv"), "turn\n0.7\n").unwrap();
    let experiment = Experiment::open(&scene, &Changes::default()).unwrap();
    let (f, k) = (0.3, 20.0_f64);
    // It turns at half a period, where x = -(a - 2 F/k).
    let (time, by_k) = (PI / k.sqrt(), -PI / 2.0 * k.powf(-1.5));
    let turn = [-1.0, 2.0 / k, -2.0 * f / (k * k)];
    let wanted = [
        ("least", turn),
        ("turn", turn),
        ("time", [0.0, 0.0, by_k]),
        ("miss", [0.0, 0.0, 2.0 * (time - 0.7) * by_k]),
    ];
    for method in [Method::Adjoint, Method::Forward] {
        let report = experiment.gradient(method).unwrap();
        assert!(report.events.len() > 1);
        for (objective, slopes) in &wanted {
            for (parameter, wanted) in ["a", "F", "k"].iter().zip(slopes) {
                let got = of(&report, objective, parameter);
                assert!(
                    (got - wanted).abs() < 1e-7,
                    "d {objective} / d {parameter} by {method:?}: {got} instead of {wanted}"
                );
            }
        }
    }
}
