//! Mechanisms that mix elements and kinds of events.

use costate::error::ErrorKind;

use super::support::{experiment, planar, report, spatial, tolerances, under};
use super::{agrees_with_quotients, entry, hessian};

/// Second derivatives that agree with quotients, of a motion with events of these kinds.
fn agrees(kinds: &[&str], text: &str) -> costate::run::HessianReport {
    let experiment = experiment(text, &tolerances(1e-12, 1e-14));
    let events = report(&experiment).events;
    for kind in kinds {
        let found = events.iter().any(|event| event.kind == *kind);
        assert!(found, "no {kind} among {events:?}");
    }
    agrees_with_quotients(&experiment, 1e-4, 1e-6)
}

#[test]
fn a_gear_on_a_driver_with_a_spring_and_a_limit() {
    agrees(
        &["impact"],
        &planar(
            1.2,
            r#"gravity: [0, "-g"],
        parameters: { "g": (value: 9.81), "w": (value: 3.0), "r": (value: -1.5), "k": (value: 10), "e": (value: 0.6),
            "low": (value: -1.1), "s": (value: 0.3) },
        ground: { "A": [0, 0], "B": [1, 0] },
        points: { "P": (at: [1.5, -1], velocity: [0, -1.5], mass: 0.5) },
        bodies: { "crank": Rigid(mass: 1, inertia: 0.02, guess: [0, 0, 0], markers: { "c": ["s", 0.1] }),
            "wheel": Rigid(mass: 2, inertia: "0.1*s*s + 0.02", guess: [1, 0, 0], markers: { "c": [0.2, 0] }) },
        joints: { "a": Revolute(between: ("A", "crank.origin")), "b": Revolute(between: ("B", "wheel.origin")),
            "motor": DriveAngle(body: "crank", angle: "w*t + 0.2*sin(w*t)"),
            "gear": Gear(between: ("crank", "wheel"), ratio: "r") },
        forces: { "spring": Spring(from: "wheel.c", to: "P", stiffness: "k", natural_length: "0.5 + s^2", damping: 0.7) },
        contacts: { "floor": Limit(of: Coordinate("P.y"), at_least: "low", law: Restitution("e")) },
        objectives: { "x": Final("P.x"), "y": Final("P.y"), "work": Integral("motor.torque*crank.omega"),
            "speed": AtEvents(of: "P.vy^2", event: "floor", side: After) },"#,
        ),
    );
}

#[test]
fn sticking_and_letting_go_a_duration_of_parameters_and_memory() {
    agrees(
        &["stick", "release", "switch"],
        r#"Scene(name: "hook", space: Planar, gravity: [0, -9.81],
        parameters: { "v": (value: 3.0), "F": (value: 12.0), "k": (value: 30.0), "T": (value: 0.8), "h": (value: 0.4) },
        ground: { "O": [0, 1] },
        memory: { "top": 0.0 },
        points: { "P": (at: [0, "h"], velocity: ["0.2*v", "-v"], mass: "0.5 + h") },
        forces: { "spring": Spring(from: "O", to: "P", stiffness: "k", natural_length: 0.3, damping: 0.1),
            "pull": Load(at: "P", force: [0, "40*t^2"]) },
        contacts: { "glue": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: StickUntil("F")) },
        events: { "up": (when: Rising("P.y - 0.25"), then: [Set("top", "P.vy*v")]) },
        objectives: { "y": Final("P.y"), "noted": Final("top^2"), "path": Sum([("v^2", Integral("P.y")), (2, Final("P.vx"))]) },
        simulation: (duration: "T*1.5"))"#,
    );
}

#[test]
fn a_foot_that_lets_go_when_another_one_lands() {
    let report = agrees(
        &["stick", "release"],
        &planar(
            0.6,
            r#"gravity: ["g*sin(s)", "-g*cos(s)"],
        parameters: { "l": (value: 1.0), "m": (value: 1.5), "J": (value: 0.25), "s": (value: 0.15), "w": (value: 1.2), "g": (value: 9.81) },
        bodies: { "hub": Rigid(mass: "m", inertia: "J", at: [0, "l", 0], velocity: ["l*w", 0, "-w"],
            markers: { "a": [0, "-l"], "b": ["l*sin(pi/3)", "-l*cos(pi/3)"] }) },
        contacts: { "a": Touch(point: "hub.a", surface: Plane(through: [0, 0], normal: [0, 1]), law: Stick),
            "b": Touch(point: "hub.b", surface: Plane(through: [0, 0], normal: [0, 1]), law: Stick) },
        objectives: { "spin": Final("hub.omega"), "landing": AtEvents(of: "hub.omega^2", event: "b", side: After) },"#,
        ),
    );
    // The square of the speed after landing is w^2 (...)^2 + ...: its second derivative by w is twice the share of the speed kept.
    let kept: f64 = (0.25 + 1.5 * 0.5) / (0.25 + 1.5);
    assert!((entry(&report, "landing", ["w", "w"]) - 2.0 * kept * kept).abs() < 1e-9);
}

#[test]
fn bars_that_close_a_loop_start_at_a_guess_and_strike() {
    agrees(
        &["impact"],
        &planar(
            0.9,
            r#"gravity: [0, -9.81],
        parameters: { "a": (value: 0.4), "b": (value: 1.1), "c": (value: 0.8), "e": (value: 0.5), "m": (value: 1.5), "y0": (value: 0.35) },
        ground: { "A": [0, 0], "D": ["1 + a^2", 0] },
        points: { "P": (guess: [0.1, "y0"]), "Q": (guess: ["b", "y0 + 0.4"], mass: "m") },
        bodies: { "crank": Bar(from: "A", to: "P", length: "a", mass: 1, angular_velocity: 2),
            "rod": Bar(from: "P", to: "Q", length: "b", mass: "m*b"), "rocker": Bar(from: "D", to: "Q", length: "c", mass: 1) },
        contacts: { "stop": Limit(of: Angle("crank"), at_most: 2.2, law: Restitution("e")),
            "wall": Touch(point: "Q", surface: Plane(through: [1.9, 0], normal: [-1, 0]), law: Restitution("e")) },
        objectives: { "x": Final("Q.x"), "force": Integral("rod.force"), "energy": Final("energy.kinetic") },"#,
        ),
    );
}

#[test]
fn a_ball_thrown_at_the_floor_from_the_floor() {
    let report = agrees(
        &["impact"],
        &planar(
            0.5,
            r#"gravity: [0, "-g"],
        parameters: { "h": (value: 0.3), "v": (value: 4), "e": (value: 0.8), "g": (value: 9.81) },
        points: { "P": (at: [0, "h"], velocity: [1, "-v"], mass: 2) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, "h"], normal: [0, 1]), law: Restitution("e")) },
        objectives: { "y": Final("P.y"), "path": Integral("P.y") },"#,
        ),
    );
    // y = h + e v t - g t^2/2.
    assert!((entry(&report, "y", ["e", "v"]) - 0.5).abs() < 1e-11);
    assert!((entry(&report, "path", ["v", "e"]) - 0.125).abs() < 1e-11);
    assert!(entry(&report, "y", ["v", "v"]).abs() < 1e-11);
}

#[test]
fn a_chain_in_space_that_falls_on_a_sphere() {
    agrees(
        &["impact", "switch"],
        &spatial(
            1.1,
            r#"gravity: [0, 0, -9.81],
        parameters: { "L": (value: 0.7), "x": (value: 0.5), "e": (value: 0.4), "k": (value: 15) },
        ground: { "O": [0, 0, 0], "C": [0.1, 0.4, -1.6], "S": [1, 1, 0] },
        points: { "P": (guess: ["x", 0.1, -0.4], mass: 1), "Q": (guess: ["x + L", 0.3, -0.5], mass: 0.5) },
        bodies: { "first": Bar(from: "O", to: "P", length: "L", mass: 0.4), "second": Bar(from: "P", to: "Q", length: "L^2 + 0.2", mass: 0.3) },
        forces: { "string": Spring(from: "Q", to: "S", stiffness: "k", natural_length: 1.2, one_sided: Tension) },
        contacts: { "ball": Touch(point: "Q", surface: Circle(centre: "C", radius: 0.9), law: Restitution("e")) },
        objectives: { "z": Final("Q.z"), "height": Integral("P.z") },"#,
        ),
    );
}

#[test]
fn what_has_no_second_derivatives_is_said() {
    let ball = |fields: &str, simulation: &str| {
        format!(
            r#"Scene(name: "ball", space: Planar, gravity: [0, "-g"], parameters: {{ "g": (value: 9.81) }},
            points: {{ "P": (at: [0, 1], velocity: [1, 2], mass: 1) }}, objectives: {{ {fields} }}, simulation: ({simulation}))"#
        )
    };
    let peak = experiment(
        &ball(r#""top": Max("P.y"), "y": Final("P.y")"#, "duration: 1"),
        &tolerances(1e-9, 1e-11),
    );
    let found = hessian(&peak);
    assert_eq!(found.objectives.len(), 1);
    assert_eq!(found.missing[0].0, "top");
    let late = experiment(
        &ball(r#""y": Final("P.y")"#, r#"start: "g/9.81", duration: 1"#),
        &tolerances(1e-9, 1e-11),
    );
    let error = late.hessian(&|_| {}).expect_err("the start follows a parameter");
    assert_eq!(error.kind(), ErrorKind::Request);
    assert!(error.to_string().contains("start time"), "{error}");
    let penalty = experiment(
        &ball(r#""y": Final("P.y")"#, "duration: 1"),
        &under(costate::scene::schema::FormulationKind::Penalty),
    );
    let error = penalty.hessian(&|_| {}).expect_err("a penalty");
    assert!(error.to_string().contains("penalty"), "{error}");
    let error = peak.hessian_times(&[1.0, 2.0]).expect_err("a direction too long");
    assert!(error.to_string().contains("2 entries for 1"), "{error}");
}

/// A scene with a table of measured values beside it.
fn fitted(table: &str) -> costate::run::Experiment {
    let folder = tempfile::tempdir().expect("a folder");
    let text = r#"Scene(name: "fitted", space: Planar, gravity: [0, "-g"],
        parameters: { "g": (value: 9.81), "v": (value: 3), "e": (value: 0.7), "h": (value: 0.5), "w": (value: 2) },
        points: { "P": (at: [0, "h^2"], velocity: [1, "v"], mass: 2) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) },
        objectives: { "misfit": Sum([("w^2", Fit(data: "table.csv", columns: { "y": "P.y" }, sigma: 0.1)),
            (1, Fit(data: "bounces.csv", events: { "t": "floor" }))]) },
        simulation: (duration: 1.5))"#;
    for (name, text) in [
        ("table.csv", table),
        ("bounces.csv", "t\n0.7\n1.2\n"),
        ("scene.ron", text),
    ] {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let opened = costate::run::Experiment::open(&folder.path().join("scene.ron"), &tolerances(1e-12, 1e-14));
    opened.unwrap_or_else(|error| panic!("{error}\n{:?}", error.advice()))
}

#[test]
fn values_and_event_times_that_were_measured_at_the_start_on_the_way_and_at_the_end() {
    let experiment = fitted("t,y\n0,0.2\n0.3,0.8\n0.9,0.4\n1.5,0.1\n");
    assert_eq!(agrees_with_quotients(&experiment, 1e-4, 1e-6).objectives.len(), 1);
}

#[test]
fn an_event_at_the_very_end_and_events_close_to_each_other() {
    let at_end = agrees(
        &["switch"],
        &planar(
            1.0,
            r#"parameters: { "c": (value: 1.0), "v": (value: 1.0) },
            points: { "P": (at: [0, 0], velocity: ["v", 0], mass: 1) },
            forces: { "push": Load(at: "P", force: [1, 0], active: false) },
            events: { "late": (when: At(1), then: [Enable("push")]) },
            objectives: { "distance": Final("(P.x - c)^2") },"#,
        ),
    );
    assert!((entry(&at_end, "distance", ["c", "c"]) - 2.0).abs() < 1e-9);
    let pair = experiment(
        &planar(
            0.8,
            r#"gravity: [0, -9.81], parameters: { "h": (value: 1.0), "e": (value: 0.6) },
            points: { "P": (at: [0, "h"], mass: 1), "Q": (at: [1, "h^2 - h + 1.00000002"], mass: 1) },
            contacts: { "a": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")),
                "b": Touch(point: "Q", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) },
            objectives: { "P": Final("P.y"), "Q": Final("Q.y") },"#,
        ),
        &tolerances(1e-12, 1e-14),
    );
    assert_eq!(report(&pair).events.len(), 2);
    let found = hessian(&pair);
    // y = e v (t - t1) - g (t - t1)^2/2 with v = g t1 and t1 = sqrt(2 H/g), H = h and H = h^2 - h + 1.
    let (g, t, e, h) = (9.81_f64, 0.8, 0.6, 1.0_f64);
    let first = |height: f64| (e + 1.0) * t * (g / (2.0 * height)).sqrt() - (2.0 * e + 1.0);
    let second = |height: f64| -0.5 * (e + 1.0) * t * (g / 2.0).sqrt() * height.powf(-1.5);
    let height: f64 = h * h - h + 1.00000002;
    let of_p = second(h);
    let of_q = second(height) * (2.0 * h - 1.0).powi(2) + first(height) * 2.0;
    for (objective, want) in [("P", of_p), ("Q", of_q)] {
        let got = entry(&found, objective, ["h", "h"]);
        assert!((got - want).abs() < 1e-8 * want.abs(), "{objective}: {got} for {want}");
    }
}

#[test]
fn kinks_that_the_motion_passes_add_to_second_derivatives() {
    let scene = |load: &str, objective: &str| {
        experiment(
            &planar(
                1.0,
                &format!(
                    r#"parameters: {{ "x": (value: -0.3), "a": (value: 0.4) }}, points: {{ "P": (at: ["x", 0], velocity: [1, 0], mass: 1) }},
                    forces: {{ "push": Load(at: "P", force: ["{load}", 0]) }},
                    objectives: {{ "path": Integral("{objective}"), "x": Final("P.x") }},"#
                ),
            ),
            &tolerances(1e-11, 1e-13),
        )
    };
    // The integral of |x + t| from 0 to 1 is x^2/2 + (1 + x)^2/2.
    let found = hessian(&scene("0*a*t", "abs(P.x)"));
    assert!((entry(&found, "path", ["x", "x"]) - 2.0).abs() < 1e-9);
    // A pull that sets in at a leads to (1 - a)^3/6, one that turns round there to -a^2/2 - a (1 - a) + (1 - a)^2/2.
    let found = hessian(&scene("max(0, t - a)", "P.x"));
    assert!((entry(&found, "x", ["a", "a"]) - 0.6).abs() < 1e-9);
    let found = hessian(&scene("sign(t - a)", "P.x"));
    assert!((entry(&found, "x", ["a", "a"]) - 2.0).abs() < 1e-9);
}
