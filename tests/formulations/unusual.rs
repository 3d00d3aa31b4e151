//! The stabilized and the index-3 equations on combinations of elements that no scene of the project has: motions and
//! gradients are those of the null-space formulation, and what cannot be simulated is refused with a reason.

use costate::run::{Changes, Experiment, GradientReport, Method, Report};
use costate::scene::parse;
use costate::scene::schema::FormulationKind::{self, Index3, Nullspace, Stabilized};

use crate::support::{agree, close, experiment, output, planar, report, tolerances, under};

/// Both formulations against the null-space one; its report.
fn check(text: &str, tolerance: f64) -> Report {
    let want = report(&experiment(text, &under(Nullspace)));
    let slopes = experiment(text, &under(Nullspace)).gradient(Method::Adjoint).unwrap();
    for formulation in [Stabilized, Index3] {
        let changed = experiment(text, &under(formulation));
        agree(&format!("{formulation:?}"), &report(&changed), &want, tolerance);
        for method in [Method::Adjoint, Method::Forward] {
            check_gradient(&changed.gradient(method).unwrap(), &slopes, 1e2 * tolerance);
        }
    }
    want
}

fn check_gradient(got: &GradientReport, want: &GradientReport, tolerance: f64) {
    for (got, want) in got.objectives.iter().zip(&want.objectives) {
        let scale = want.gradient.iter().fold(1e-3, |most: f64, x| most.max(x.abs()));
        for (a, b) in got.gradient.iter().zip(&want.gradient) {
            assert!((a - b).abs() <= tolerance * scale, "{a} instead of {b}");
        }
    }
}

#[test]
fn a_gear_on_a_driver_turns_a_pendulum_into_an_end_stop() {
    let text = planar(
        2.0,
        r#"parameters: { "rate": 1.3, "k": 8, "m": 0.7 },
        gravity: [0, -9.81],
        ground: { "A": [0, 0], "B": [1, 0] },
        points: { "P": (guess: [0.3, 0.1]), "Q": (guess: [1.5, -0.2]), "W": (guess: [1.6, -0.9], mass: "m") },
        bodies: {
            "first": Bar(from: "A", to: "P", length: 0.3, mass: 0.5),
            "second": Bar(from: "B", to: "Q", length: 0.5, mass: 0.5),
            "third": Bar(from: "Q", to: "W", length: 0.6, mass: 0.2, angular_velocity: 0),
        },
        joints: { "motor": DriveAngle(body: "first", angle: "0.2 + rate*t + 0.3*sin(4*t)"),
                  "gear": Gear(between: ("first", "second"), ratio: -2, phase: 0.1) },
        forces: { "spring": TorsionSpring(between: ("second", "third"), stiffness: "k", natural_angle: -0.7, damping: 0.02) },
        contacts: { "limit": Limit(of: AngleBetween("second", "third"), at_least: -2.0, at_most: 0.5, law: Restitution(0.6)) },
        outputs: { "x": "W.x", "y": "W.y", "torque": "motor.torque", "gear torque": "gear.torque" },
        objectives: { "end": Final("x"), "load": Integral("torque^2") },"#,
    );
    let want = check(&text, 1e-8);
    assert!(!want.events.is_empty(), "the stop is never reached");
}

#[test]
fn stiff_springs_and_dampers_across_links_are_integrated_in_few_steps_at_any_tolerance() {
    let text = planar(
        2.0,
        r#"parameters: { "c": 1e6, "k": 1e6 },
        gravity: [0, -9.81],
        ground: { "A": [0, 0], "B": [2, 0.5] },
        points: { "P": (guess: [0.8, -0.6], mass: 1), "Q": (guess: [1.6, -1.3], mass: 2) },
        joints: { "first": Link(from: "A", to: "P", length: 1), "second": Link(from: "P", to: "Q", length: 1.1) },
        forces: { "damper": Damper(from: "B", to: "P", damping: "c"),
                  "spring": Spring(from: "A", to: "Q", stiffness: "k", natural_length: 2.06, damping: 1e4) },
        outputs: { "px": "P.x", "qx": "Q.x", "qy": "Q.y" },"#,
    );
    let by = |formulation, [rtol, atol]: [f64; 2]| {
        let changes = Changes {
            formulation: Some(formulation),
            ..tolerances(rtol, atol)
        };
        report(&experiment(&text, &changes))
    };
    let want = by(Stabilized, [1e-13, 1e-14]);
    for formulation in [Stabilized, Index3] {
        for (rtol, atol, most) in [(1e-6, 1e-8, 1e-6), (1e-9, 1e-11, 1e-9), (1e-12, 1e-13, 1e-11)] {
            let got = by(formulation, [rtol, atol]);
            for name in ["px", "qx", "qy"] {
                close(
                    &format!("{formulation:?} {rtol:e} {name}"),
                    output(&got, name),
                    output(&want, name),
                    most,
                );
            }
            assert!(
                got.statistics.accepted < 1000,
                "{formulation:?} {rtol:e}: {:?}",
                got.statistics
            );
        }
    }
}

/// Three links, one of them a bar, and a spring, without losses.
const LOSSLESS: &str = r#"
gravity: [0, -9.81],
ground: { "A": [0, 0] },
points: { "P": (guess: [1, 0], mass: 1), "Q": (guess: [1.8, 0.5], mass: 0.5), "R": (guess: [2.5, 0.2], mass: 2) },
bodies: { "bar": Bar(from: "P", to: "Q", length: 0.9, mass: 1.5) },
joints: { "first": Link(from: "A", to: "P", length: 1), "last": Link(from: "Q", to: "R", length: 0.8) },
forces: { "spring": Spring(from: "A", to: "R", stiffness: 30, natural_length: 1.5) },
outputs: { "x": "R.x" },
"#;

#[test]
fn the_energy_of_a_chain_is_kept_over_long_motions() {
    let text = planar(30.0, LOSSLESS);
    for formulation in [Stabilized, Index3] {
        let report = report(&experiment(&text, &under(formulation)));
        close(
            &format!("{formulation:?}"),
            report.energy.1,
            report.energy.0,
            1e-10 * 30.0,
        );
    }
}

#[test]
fn a_weight_on_links_sticks_to_a_wall_and_is_pulled_off_again() {
    let text = planar(
        4.0,
        r#"parameters: { "pull": 6, "glue": 2.5 },
        gravity: [0, -9.81],
        ground: { "A": [0, 0], "B": [0.5, 0.2] },
        points: { "P": (guess: [0.9, -0.3], velocity: [0, 0], mass: 1), "Q": (guess: [0.5, -0.4], velocity: [0, 0], mass: 0.5) },
        joints: { "upper": Link(from: "A", to: "Q", length: 0.6), "lower": Link(from: "Q", to: "P", length: 0.5) },
        forces: { "wind": Load(at: "P", force: ["-pull*sin(2*t)", 0]), "spring": Spring(from: "B", to: "P", stiffness: 5, natural_length: 0.5, damping: 0.3) },
        contacts: { "wall": Touch(point: "P", surface: Plane(through: [-0.3, 0], normal: [1, 0]), law: StickUntil("glue")) },
        outputs: { "x": "P.x", "y": "P.y", "wall": "wall.force" },
        objectives: { "end": Final("x"), "path": Integral("y^2") },"#,
    );
    let want = check(&text, 1e-8);
    let kinds: Vec<&str> = want.events.iter().map(|event| event.kind.as_str()).collect();
    assert!(kinds.contains(&"stick") && kinds.contains(&"release"), "{kinds:?}");
}

#[test]
fn events_at_the_start_change_the_constraints_before_the_first_step() {
    let text = planar(
        1.0,
        r#"parameters: { "m": 1, "k": 20 },
        gravity: [0, -9.81],
        ground: { "A": [0, 0], "B": [3, 0] },
        points: { "P": (at: [1, 0], velocity: [0, 0], mass: "m"), "Q": (at: [2, -0.5], velocity: [0, 0], mass: 2) },
        joints: {
            "first": Link(from: "A", to: "P", length: 1),
            "second": Link(from: "P", to: "Q", length: "hypot(1, 0.5)"),
            "third": Link(from: "Q", to: "B", length: "hypot(1, 0.5)", active: false),
            "brace": Link(from: "A", to: "Q", length: "hypot(2, 0.5)"),
        },
        forces: { "spring": Spring(from: "A", to: "Q", stiffness: "k", natural_length: 1, active: false) },
        events: {
            "open": (when: At(0), then: [Disable("brace")]),
            "close": (when: At(0), then: [Enable("third"), Enable("spring")]),
        },
        outputs: { "x": "Q.x", "y": "Q.y", "load": "third.force" },
        objectives: { "end": Final("x"), "work": Integral("load^2") },"#,
    );
    let want = report(&experiment(&text, &under(Nullspace)));
    for formulation in [Stabilized, Index3] {
        let got = report(&experiment(&text, &under(formulation)));
        agree(&format!("{formulation:?}"), &got, &want, 1e-8);
    }
    assert_eq!(want.events.len(), 2, "{:?}", want.events);
    assert!((output(&want, "y") + 0.5).abs() > 0.01, "it does not move");
}

#[test]
fn a_hysteretic_spring_on_a_linkage_reverses_as_often_as_it_turns_round() {
    let text = planar(
        6.0,
        r#"parameters: { "ka": 200, "kb": 10, "alpha": 150 },
        gravity: [0, -9.81],
        ground: { "A": [0, 0], "B": [0.5, -2] },
        points: { "P": (at: [0, -1], velocity: [0, 0], mass: 1), "Q": (guess: [0.2, -1.9], mass: 0.4) },
        joints: { "rod": Link(from: "A", to: "P", length: 1), "cord": Link(from: "P", to: "Q", length: 0.9) },
        forces: { "rubber": HystereticSpring(of: Distance("B", "P"), natural: "hypot(0.5, 1)", ka: "ka", kb: "kb", alpha: "alpha"),
                  "shaker": Load(at: "P", force: ["3*sin(5*t)", 0]) },
        outputs: { "x": "P.x", "work": "rubber.work" },
        objectives: { "loss": Final("work"), "sway": Integral("x^2") },"#,
    );
    let want = check(&text, 1e-8);
    assert!(want.events.len() >= 8, "{} reversals", want.events.len());
}

#[test]
fn constraints_that_contradict_each_other_are_refused_by_name() {
    let fields = r#"gravity: [0, -9.81],
        ground: { "A": [0, 0], "B": [3, 0] },
        points: { "P": (guess: [1, 0], mass: 1) },
        joints: { "first": Link(from: "A", to: "P", length: 1), "second": Link(from: "B", to: "P", length: 1) },"#;
    let text = planar(1.0, fields);
    let messages = [Nullspace, Stabilized, Index3].map(|formulation| failure(&text, formulation));
    assert!(
        messages[0].contains("first") || messages[0].contains("second"),
        "{messages:?}"
    );
    assert!(messages.iter().all(|message| *message == messages[0]), "{messages:?}");
}

fn failure(text: &str, formulation: FormulationKind) -> String {
    let outcome = parse("test.ron", text)
        .and_then(|file| Experiment::new(&file, &under(formulation)))
        .and_then(|experiment| experiment.run(false, &mut |_| {}));
    outcome.map(|_| ()).expect_err("it is contradictory").to_string()
}

#[test]
fn a_remainder_of_a_run_may_be_as_short_as_time_resolves() {
    // A thousand and more steps of 1 ms leave some 1e-14 s. Angles of bars have no mass.
    let text = include_str!("../../scenes/slider_crank.ron");
    let text = text.replace("simulation: (", "simulation: (max_step: 0.001, ");
    for formulation in [Stabilized, Index3] {
        for (rtol, atol) in [(1e-9, 1e-9), (1e-12, 1e-13)] {
            let changes = Changes {
                formulation: Some(formulation),
                duration: Some(1.2),
                ..tolerances(rtol, atol)
            };
            assert!(report(&experiment(&text, &changes)).statistics.accepted > 1200);
        }
    }
}
