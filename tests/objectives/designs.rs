//! Designs made better by objectives that are made of objectives.

use std::ops::ControlFlow;

use costate::optimize::{Design, Report, SceneDesign, Status, optimize};
use costate::run::Experiment;
use costate::scene::schema::Solver;

use super::refused;
use crate::support::*;

/// A throw with speeds (a, b), and what is to be made of it.
pub fn throw(objectives: &str, optimization: &str) -> String {
    let fields = format!(
        r#"gravity: [0, "-g"],
        constants: {{ "g": 9.81 }},
        parameters: {{ "a": (value: 1.2, bounds: (0.1, 9)), "b": (value: 2.5, bounds: (0.1, 9)) }},
        points: {{ "P": (at: [0, 0], velocity: ["a", "b"], mass: 1) }},
        objectives: {{ "top": Max("P.y"), "width": Final("P.x"), "speed": At(time: 0, of: "P.vx^2 + P.vy^2"), {objectives} }},
        optimization: ({optimization}),"#
    );
    planar(0.7, &fields)
}

fn solved(scene: &Experiment) -> Report {
    let task = scene.optimization.as_ref().expect("an optimization");
    optimize(&SceneDesign::new(scene, task), task, &mut |_| ControlFlow::Continue(())).expect("a result")
}

const SQUARES: &str = r#""miss": SumOfSquares(["(top - 0.8)/0.1", "3*(width - b/2)"]),"#;

/// Speeds that throw to 0.8 m, as wide as half of the upward speed.
#[test]
fn a_sum_of_squares_is_minimized_by_gauss_newton_steps() {
    let text = throw(SQUARES, r#"minimize: "miss", over: ["a", "b"]"#);
    let scene = experiment(&text, &tight());
    let found = solved(&scene);
    assert_eq!(found.solver, Solver::GaussNewton);
    assert!(
        matches!(found.status, Status::Minimum | Status::SmallDecrease),
        "{:?}",
        found.status
    );
    assert!(found.simulations <= 12, "{}", found.simulations);
    let b = (2.0 * 9.81 * 0.8_f64).sqrt();
    all_close("speeds", &found.best.parameters, &[0.5 * b / 0.7, b], 1e-8);
}

/// Residuals make the value and the gradient that the adjoint has, r r and 2 J r.
#[test]
fn residuals_make_the_objective_and_its_gradient() {
    let text = throw(SQUARES, r#"minimize: [(2, "miss")], over: ["a", "b"]"#);
    let scene = experiment(&text, &tight());
    let task = scene.optimization.clone().expect("an optimization");
    let found = SceneDesign::new(&scene, &task)
        .evaluate(&[1.2, 2.5], true)
        .expect("a value");
    let residuals = found.residuals.expect("residuals");
    close(
        "value",
        residuals.values.iter().map(|r| r * r).sum(),
        found.values[0],
        1e-11,
    );
    let mut other = task;
    other.solver = Solver::LbfgsB;
    let adjoint = SceneDesign::new(&scene, &other)
        .evaluate(&[1.2, 2.5], true)
        .expect("a value");
    for k in 0..2 {
        let rows = residuals.values.iter().zip(&residuals.jacobian);
        let slope: f64 = rows.map(|(r, row)| 2.0 * r * row[k]).sum();
        close(
            "slope",
            slope,
            adjoint.gradients[0][k],
            1e-8 * adjoint.gradients[0][k].abs(),
        );
        assert!(slope.abs() > 1.0);
    }
}

/// The highest throw for its speed: formulas in goals and limits of any method.
#[test]
fn formulas_are_goals_and_limits() {
    let formulas = r#""flatness": Formula("width/(1 + top)"), "energy": Formula("speed/2 - 8"),"#;
    let optimization = r#"minimize: [(-1, "flatness")], over: ["a", "b"], subject_to: { "energy": (at_most: 0), "top": (at_least: 0.2) }"#;
    let scene = experiment(&throw(formulas, optimization), &tight());
    let found = solved(&scene);
    assert!(
        found
            .limits
            .iter()
            .all(|(limit, value)| limit.violation(*value) <= 1e-8),
        "{found:?}"
    );
    let b = (2.0 * 9.81 * 0.2_f64).sqrt();
    all_close("speeds", &found.best.parameters, &[(16.0 - b * b).sqrt(), b], 1e-6);
}

#[test]
fn gauss_newton_steps_for_other_goals_are_refused() {
    let text = throw(
        r#""f": Formula("top^2"),"#,
        r#"minimize: "f", over: ["a"], solver: GaussNewton"#,
    );
    let error = refused(&text);
    assert!(error.message().contains("`SumOfSquares` objectives only"), "{error}");
}
