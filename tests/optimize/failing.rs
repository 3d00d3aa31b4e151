//! Designs that cannot be built.

use costate::error::ErrorKind;
use costate::optimize::{SceneDesign, optimize};
use costate::run::Changes;
use costate::scene::schema::Solver;
use std::ops::ControlFlow;

use crate::by;
use crate::support::{experiment, planar};

/// Two bars on two pivots 2 m apart; they meet at a height that falls with the length `a` and do not close below 0.5 m.
fn roof(start: f64) -> costate::run::Experiment {
    let fields = format!(
        r#"parameters: {{ "a": {start} }},
        ground: {{ "A": [0, 0], "B": [2, 0] }},
        points: {{ "P": (guess: [0.8, 0.5]) }},
        bodies: {{
            "left": Bar(from: "A", to: "P", length: "a", mass: 1),
            "right": Bar(from: "P", to: "B", length: 1.5, mass: 1),
        }},
        objectives: {{ "miss": Final("(P.y - 0.15)^2") }},
        optimization: (minimize: "miss", over: ["a"], options: (first_step: 0.9)),"#
    );
    experiment(&planar(0.01, &fields), &Changes::default())
}

#[test]
fn every_method_backs_off_from_lengths_that_do_not_close() {
    let experiment = roof(1.2);
    // With the height 0.15 of P, the right bar spans sqrt(1.5^2 - 0.15^2) of the base.
    let left = 2.0 - (1.5_f64 * 1.5 - 0.15 * 0.15).sqrt();
    let expected = left.hypot(0.15);
    for solver in [
        Solver::Lbfgs,
        Solver::Bfgs,
        Solver::LbfgsB,
        Solver::Slsqp,
        Solver::NelderMead,
    ] {
        let mut task = experiment.optimization.clone().unwrap();
        task.solver = solver;
        let found = by(&SceneDesign::new(&experiment, &task), &task);
        assert!(
            (found.best.parameters[0] - expected).abs() < 1e-5,
            "{solver:?} {:?} {expected}",
            found.best
        );
        let reasons = found.reasons();
        let first = &reasons.first().unwrap_or_else(|| panic!("{solver:?} never failed")).0;
        assert_eq!(first.error.kind(), ErrorKind::Assembly, "{solver:?} {first:?}");
        assert!(first.parameters[0] < 0.5, "{solver:?} {first:?}");
    }
}

#[test]
fn a_start_that_does_not_close_is_the_error_of_its_simulation() {
    let experiment = roof(0.3);
    let task = experiment.optimization.clone().unwrap();
    let design = SceneDesign::new(&experiment, &task);
    let error = optimize(&design, &task, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Assembly);
}

/// Balls with a damper between them: from the height 1 on the other one is first to reach its floor.
fn two_balls(start: f64) -> costate::run::Experiment {
    let fields = format!(
        r#"gravity: [0, -9.81], parameters: {{ "h": {start} }},
        points: {{ "P": (at: [0, "h"], mass: 1), "Q": (at: [1, 1.5], mass: 3) }},
        forces: {{ "d": Spring(from: "P", to: "Q", stiffness: 0, natural_length: 0, damping: 1.5) }},
        contacts: {{
            "p": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)),
            "q": Touch(point: "Q", surface: Plane(through: [0, 0.5], normal: [0, 1]), law: Restitution(0.5)),
        }},
        objectives: {{ "depth": Final("-P.y") }},
        optimization: (minimize: "depth", over: [(parameter: "h", bounds: (0.5, 1.5), scale: 1)], options: (first_step: 0.125)),"#
    );
    experiment(&planar(0.6, &fields), &Changes::default())
}

#[test]
fn a_point_where_two_events_have_no_derivative_in_common_is_backed_off_from() {
    let experiment = two_balls(1.125);
    for solver in [Solver::Lbfgs, Solver::Bfgs, Solver::LbfgsB] {
        let mut task = experiment.optimization.clone().unwrap();
        task.solver = solver;
        let found = by(&SceneDesign::new(&experiment, &task), &task);
        // The minimum is the kink itself.
        assert!(
            (found.best.parameters[0] - 1.0).abs() < 1e-4,
            "{solver:?} {:?}",
            found.best
        );
        let reasons = found.reasons();
        let (failure, _) = reasons.first().unwrap_or_else(|| panic!("{solver:?} never failed"));
        let said = failure.error.to_string();
        assert!(
            said.contains("\"p\" and \"q\"") && failure.error.kind() == ErrorKind::Event,
            "{said}"
        );
    }
}

#[test]
fn a_start_and_a_minimum_where_two_events_part_are_passed_where_both_sides_agree() {
    // A bar that lands flat and stays: whichever foot is first.
    let fields = r#"gravity: [0, -9.81], parameters: { "l": 0.0, "r": 0.0 },
        bodies: { "bar": Rigid(at: [0, 0.5, 0], mass: 2, inertia: 0.5, markers: { "a": [-1, 0], "b": [1.5, 0] }) },
        contacts: {
            "left": Touch(point: "bar.a", surface: Plane(through: [0, "l"], normal: [0, 1]), law: Restitution(0)),
            "right": Touch(point: "bar.b", surface: Plane(through: [0, "r"], normal: [0, 1]), law: Restitution(0)),
        },
        objectives: { "miss": Final("(bar.y - 0.1)^2 + bar.angle^2") },
        optimization: (minimize: "miss", over: ["l", "r"]),"#;
    let experiment = experiment(&planar(1.0, fields), &Changes::default());
    let task = experiment.optimization.clone().unwrap();
    let found = by(&SceneDesign::new(&experiment, &task), &task);
    for height in &found.best.parameters {
        assert!((height - 0.1).abs() < 1e-3, "{:?}", found.best);
    }
}
