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
