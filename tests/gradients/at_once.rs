//! Gradients through what happens at the very start, and through events that set each other off.

use costate::error::ErrorKind;
use costate::run::{Experiment, GradientReport, Method};
use costate::scene::parse;

use crate::{changes, of, worst_difference};

fn experiment(text: &str) -> Experiment {
    Experiment::new(&parse("scene.ron", text).unwrap(), &changes(1e-12, 1e-14)).unwrap()
}

/// The gradient by the adjoint, after it has been held to the forward method.
fn gradient(text: &str) -> GradientReport {
    let experiment = experiment(text);
    let adjoint = experiment.gradient(Method::Adjoint).unwrap();
    let error = worst_difference(&adjoint, &experiment.gradient(Method::Forward).unwrap());
    assert!(error < 1e-11, "adjoint against forward: {error:e}");
    adjoint
}

fn close(report: &GradientReport, objective: &str, parameter: &str, want: f64) {
    let got = of(report, objective, parameter);
    assert!(
        (got - want).abs() < 1e-10 * want.abs().max(1.0),
        "d {objective}/d {parameter}: {got} instead of {want}"
    );
}

#[test]
fn a_ball_thrown_at_the_floor_from_the_floor() {
    let report = gradient(
        r#"Scene(name: "thrown", space: Planar, gravity: [0, "-g"],
        parameters: { "h": (value: 0.3), "v": (value: 4), "e": (value: 0.8), "g": (value: 9.81), "t0": (value: 0.2) },
        points: { "P": (at: [0, "h"], velocity: [1, "-v"], mass: 2) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, "h"], normal: [0, 1]), law: Restitution("e")) },
        objectives: { "y": Final("P.y"), "path": Integral("P.y") },
        simulation: (start: "t0", duration: 0.5))"#,
    );
    let (v, e, g, t) = (4.0, 0.8, 9.81, 0.5);
    close(&report, "y", "h", 1.0);
    close(&report, "y", "v", e * t);
    close(&report, "y", "e", v * t);
    close(&report, "y", "g", -0.5 * t * t);
    close(&report, "y", "t0", 0.0);
    close(&report, "path", "v", e * t * t / 2.0);
    close(&report, "path", "g", -t.powi(3) / 6.0);
    assert!((report.objectives[0].value - (0.3 + e * v * t - 0.5 * g * t * t)).abs() < 1e-12);
}

#[test]
fn a_mass_that_sticks_from_the_start() {
    let report = gradient(
        r#"Scene(name: "stuck", space: Planar, gravity: [0, 0],
        parameters: { "v": (value: 1.5), "d": (value: 0.4), "J": (value: 3) },
        ground: { "O": [0, 0] },
        points: { "P": (at: ["d", 0.1], velocity: [0, "-v"], mass: 1) },
        bodies: { "disc": Rigid(at: [0, 0, 0], velocity: [0, 0, 0], mass: 2, inertia: "J", markers: { "c": [0, 0] }) },
        joints: { "hinge": Revolute(between: ("O", "disc.c")) },
        contacts: { "glue": Touch(point: "P", surface: Plane(through: [0, 0.1], normal: [0, 1], on: "disc"), law: Stick) },
        objectives: { "spin": Final("disc.omega"), "angle": Final("disc.angle") },
        simulation: (duration: 0.5))"#,
    );
    // The angular momentum is kept: omega (J + d^2 + 0.01) = -v d.
    let (v, d, j) = (1.5, 0.4, 3.0);
    let whole = j + d * d + 0.01;
    close(&report, "spin", "v", -d / whole);
    close(&report, "spin", "d", -v / whole + 2.0 * v * d * d / (whole * whole));
    close(&report, "spin", "J", v * d / (whole * whole));
    close(&report, "angle", "J", 0.5 * v * d / (whole * whole));
}

#[test]
fn a_force_that_parts_two_carts_at_a_switching_time() {
    let report = gradient(
        r#"Scene(name: "carts", space: Planar, gravity: [0, 0],
        parameters: { "ts": (value: 2), "F": (value: 3), "v": (value: 1) },
        points: { "a": (at: [0, 0], velocity: ["v", 0], mass: 1), "b": (at: [1, 0], mass: 2) },
        joints: { "rail a": Coupling(terms: [("a.y", 1)], equals: 0), "rail b": Coupling(terms: [("b.y", 1)], equals: 0) },
        forces: { "pull": Load(at: "b", force: ["F*t", 0], active: false) },
        contacts: { "bump": Touch(point: "a", radius: 0.1, surface: Circle(centre: "b", radius: 0.1), law: Restitution(0)) },
        events: { "go": (when: At("ts"), then: [Enable("pull")]) },
        objectives: { "a": Final("a.x"), "b": Final("b.x"), "work": Integral("b.vx^2") },
        simulation: (duration: 3))"#,
    );
    assert_eq!(report.events.len(), 3, "{:?}", report.events);
    // b: 2 x'' = F t from ts on; before, both carts move at v/3.
    let (ts, f, end) = (2.0_f64, 3.0, 3.0_f64);
    close(&report, "a", "ts", 0.0);
    close(&report, "b", "ts", -f * ts / 2.0 * (end - ts));
    close(
        &report,
        "b",
        "F",
        (end.powi(3) / 6.0 - ts * ts * end / 2.0 + ts.powi(3) / 3.0) / 2.0,
    );
    close(&report, "a", "v", 0.8 + (end - 0.8) / 3.0 - 0.8 * (1.0 - 1.0 / 3.0));
}

#[test]
fn a_blow_that_travels_through_a_row_of_balls() {
    let report = gradient(
        r#"Scene(name: "row", space: Planar, gravity: [0, 0],
        parameters: { "v": (value: 1), "e": (value: 0.9), "r": (value: 0.1), "m": (value: 1.5) },
        points: {
            "a": (at: [0, 0], velocity: ["v", 0], mass: 1),
            "b": (at: [1, 0], mass: "m"),
            "c": (at: ["1 + 2*r", 0], mass: 1),
        },
        joints: {
            "rail a": Coupling(terms: [("a.y", 1)], equals: 0),
            "rail b": Coupling(terms: [("b.y", 1)], equals: 0),
            "rail c": Coupling(terms: [("c.y", 1)], equals: 0),
        },
        contacts: {
            "ab": Touch(point: "a", radius: "r", surface: Circle(centre: "b", radius: "r"), law: Restitution("e")),
            "bc": Touch(point: "b", radius: "r", surface: Circle(centre: "c", radius: "r"), law: Restitution("e")),
        },
        objectives: { "c": Final("c.x"), "vc": Final("c.vx") },
        simulation: (duration: 2))"#,
    );
    let (v, e, m, r, end) = (1.0, 0.9, 1.5, 0.1, 2.0);
    let vb = |v: f64, e: f64, m: f64| (1.0 + e) * v / (1.0 + m);
    let vc = |v: f64, e: f64, m: f64| (1.0 + e) * m * vb(v, e, m) / (1.0 + m);
    let strike = (1.0 - 2.0 * r) / v;
    close(&report, "vc", "v", vc(1.0, e, m));
    close(&report, "vc", "e", 2.0 * vc(v, e, m) / (1.0 + e));
    close(&report, "vc", "m", vc(v, e, m) * (1.0 / m - 2.0 / (1.0 + m)));
    close(&report, "c", "r", 2.0 + vc(v, e, m) * 2.0 / v);
    close(
        &report,
        "c",
        "v",
        vc(1.0, e, m) * (end - strike) + vc(v, e, m) * strike / v,
    );
}

#[test]
fn a_blow_from_the_start_on_a_row_that_touches() {
    let text = r#"Scene(name: "row", space: Planar, gravity: [0, 0],
        parameters: { "v": (value: 1), "e": (value: 0.9), "r": (value: 0.1), "m": (value: 1.5), "t0": (value: 0.25) },
        points: {
            "a": (at: [0, 0], velocity: ["v", 0], mass: 1),
            "b": (at: ["2*r", 0], mass: "m"),
            "c": (at: ["4*r", 0], mass: 1),
        },
        contacts: {
            "ab": Touch(point: "a", radius: "r", surface: Circle(centre: "b", radius: "r"), law: Restitution("e")),
            "bc": Touch(point: "b", radius: "r", surface: Circle(centre: "c", radius: "r"), law: Restitution("e")),
        },
        objectives: { "c": Final("c.x"), "vc": Final("c.vx"), "b": Integral("b.x") },
        simulation: (start: "t0", duration: 2))"#;
    let report = gradient(text);
    let (v, e, m, end) = (1.0, 0.9, 1.5, 2.0);
    let vc = (1.0 + e) * (1.0 + e) * m * v / ((1.0 + m) * (1.0 + m));
    close(&report, "vc", "v", vc / v);
    close(&report, "vc", "e", 2.0 * vc / (1.0 + e));
    close(&report, "vc", "m", vc * (1.0 / m - 2.0 / (1.0 + m)));
    close(&report, "vc", "t0", 0.0);
    close(&report, "c", "r", 4.0);
    close(&report, "c", "v", vc / v * end);
    close(&report, "c", "t0", 0.0);
    // Balls that touch for one value of the parameter only have no derivative by it.
    for method in [Method::Adjoint, Method::Forward] {
        let error = experiment(&text.replace("\"4*r\"", "0.4"))
            .gradient(method)
            .unwrap_err();
        assert_eq!((error.kind(), error.name()), (ErrorKind::Event, Some("bc")));
        assert!(error.to_string().contains("\"r\""), "{error}");
    }
}

#[test]
fn a_block_that_lies_on_the_floor_by_chance_has_no_gradient() {
    let scene = |floor: &str| {
        format!(
            r#"Scene(name: "block", space: Planar, gravity: [0, -9.81],
            parameters: {{ "h": (value: 0.5), "v": (value: 1) }},
            points: {{ "P": (at: [0, "h"], velocity: ["v", 0], mass: 2) }},
            contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, {floor}], normal: [0, 1]), law: Restitution(0.3)) }},
            objectives: {{ "x": Final("P.x"), "y": Final("P.y") }},
            simulation: (duration: 1))"#
        )
    };
    let report = gradient(&scene(r#""h""#));
    close(&report, "y", "h", 1.0);
    close(&report, "x", "v", 1.0);
    for method in [Method::Adjoint, Method::Forward] {
        let error = experiment(&scene("0.5")).gradient(method).unwrap_err();
        assert_eq!((error.kind(), error.name()), (ErrorKind::Event, Some("floor")));
        assert!(error.to_string().contains("\"h\""), "{error}");
    }
}

/// Two damped springs that pull from a length on, which both reach at one instant unless their lengths differ.
fn two_ropes(lengths: [&str; 2]) -> String {
    let [a, b] = lengths;
    format!(
        r#"Scene(name: "ropes", space: Planar, gravity: [0, 0], parameters: {{ "a": 1.0, "b": 1.0, "m": 2.0 }}, ground: {{ "O": [0, 0] }},
        points: {{ "P": (at: [0.5, 0], velocity: [1, 0.25], mass: "m") }},
        forces: {{ "rope": Spring(from: "O", to: "P", stiffness: 20, damping: 3, natural_length: "{a}", one_sided: Tension),
                   "cord": Spring(from: "O", to: "P", stiffness: 30, damping: 2, natural_length: "{b}", one_sided: Tension) }},
        objectives: {{ "x": Final("P.x"), "by": Final("0*a*b + P.y") }}, simulation: (duration: 0.8))"#
    )
}

#[test]
fn springs_that_begin_to_pull_at_one_instant_have_times_of_their_own() {
    for lengths in [["a", "b"], ["a", "a + 0*b"]] {
        let text = two_ropes(lengths);
        let experiment = Experiment::new(&parse("ropes.ron", &text).unwrap(), &changes(1e-12, 1e-13)).unwrap();
        let report = gradient(&text);
        let differences = experiment.gradient(Method::FiniteDifference).unwrap();
        // One-sided: beside the motion the springs change places.
        let reference = if lengths[1] == "b" { one_by_one() } else { differences };
        let error = worst_difference(&report, &reference);
        assert!(
            error < 1e-7,
            "{lengths:?}: {error:e} {:?} {:?}",
            report.objectives,
            reference.objectives
        );
    }
}

/// The gradient of [`two_ropes`] where the lengths differ by little.
fn one_by_one() -> GradientReport {
    gradient(&two_ropes(["a", "b"]).replace("\"b\": 1.0", "\"b\": 1.00000001"))
}

/// A load and another one that are switched on at one instant by conditions of their own.
fn two_switches(conditions: [&str; 2]) -> String {
    let [a, b] = conditions;
    format!(
        r#"Scene(name: "switches", space: Planar, gravity: [0, 0], parameters: {{ "a": 1.0, "b": 1.0 }},
        points: {{ "P": (at: [0, 0], velocity: [1, 1], mass: 1) }},
        forces: {{ "push": Load(at: "P", force: [3, 0], active: false), "lift": Load(at: "P", force: [0, 2], active: false) }},
        events: {{ "first": (when: Rising("{a}"), then: [Enable("push")]), "second": (when: Rising("{b}"), then: [Enable("lift")]) }},
        objectives: {{ "x": Final("P.x"), "y": Final("P.y + 0*a*b") }}, simulation: (duration: 2))"#
    )
}

#[test]
fn switches_of_one_instant_that_do_not_act_on_each_other_keep_times_of_their_own() {
    for conditions in [["P.x - a", "P.y - b"], ["P.x - a", "P.y - a"]] {
        let report = gradient(&two_switches(conditions));
        // The way under a load from the time a on is (2 - a)^2/2.
        close(&report, "x", "a", -3.0);
        close(&report, "y", if conditions[1] == "P.y - a" { "a" } else { "b" }, -2.0);
        close(&report, "x", "b", 0.0);
    }
}

#[test]
fn what_happens_as_one_by_its_values_alone_has_no_derivative() {
    // The load that the one switches on is the product of what both set.
    let switches = |conditions: [&str; 2]| {
        let text = two_switches(conditions).replace("force: [3, 0], active: false", "force: [\"u*w\", 0]");
        let text = text
            .replace("[Enable(\"push\")]", "[Set(\"u\", 3)]")
            .replace("[Enable(\"lift\")]", "[Set(\"w\", 2)]");
        text.replace("events:", "memory: { \"u\": 1, \"w\": 1 }, events:")
    };
    for method in [Method::Adjoint, Method::Forward] {
        let apart = experiment(&switches(["P.y - a", "P.y - b"])).gradient(method);
        let error = apart.expect_err("each has a time of its own");
        assert_eq!(error.kind(), ErrorKind::Event);
        let text = error.to_string();
        assert!(text.contains("\"first\" and \"second\""), "{text}");
        // Moved by one parameter, they stay one.
        let together = experiment(&switches(["P.y - a", "P.y - a"])).gradient(method).unwrap();
        // The load rises from 1 to 6.
        close(&together, "x", "a", -5.0);
    }
}
