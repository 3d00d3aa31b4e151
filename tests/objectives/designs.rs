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

const CASES: &str = r#"cases: [
    (name: "here"),
    (name: "moon", set: { "g": "g/6" }, weight: 0.5),
    (name: "quick", set: { "a": "1.5*a + 0.1*g", "b": "b + a" }),
],"#;

/// The derivative of a sum over load cases is that of its parts, each a scene of its own with the values of the case.
#[test]
fn load_cases_add_up_with_their_derivatives() {
    let objectives = r#""miss": Formula("(top - 0.8)^2 + (width - 1)^2"),"#;
    let limited =
        format!(r#"minimize: [(3, "miss")], over: ["a", "b"], subject_to: {{ "top": (at_most: 5) }}, {CASES}"#);
    let scene = experiment(&throw(objectives, &limited), &tight());
    let task = scene.optimization.clone().expect("an optimization");
    let design = SceneDesign::new(&scene, &task);
    let value = |a: f64, b: f64, g: f64| {
        let top = if b / g < 0.7 {
            b * b / (2.0 * g)
        } else {
            0.7 * b - 0.5 * g * 0.49
        };
        (top, (top - 0.8).powi(2) + (0.7 * a - 1.0).powi(2))
    };
    let all = |a: f64, b: f64| {
        let quick = 1.5 * a + 0.981;
        [
            value(a, b, 9.81),
            value(a, b, 9.81 / 6.0),
            value(quick, b + quick, 9.81),
        ]
    };
    let goal = |a: f64, b: f64| 3.0 * (all(a, b)[0].1 + 0.5 * all(a, b)[1].1 + all(a, b)[2].1);
    let (a, b, h) = (1.3, 2.2, 1e-4);
    let found = design.evaluate(&[a, b], true).expect("a value");
    close("goal", found.values[0], goal(a, b), 1e-9);
    let tops: Vec<f64> = all(a, b).iter().map(|case| case.0).collect();
    all_close("limits", &found.values[1..], &tops, 1e-10);
    close(
        "by a",
        found.gradients[0][0],
        (goal(a + h, b) - goal(a - h, b)) / (2.0 * h),
        1e-5,
    );
    close(
        "by b",
        found.gradients[0][1],
        (goal(a, b + h) - goal(a, b - h)) / (2.0 * h),
        1e-5,
    );
    let cases = design.goals_by_case(&[a, b]).expect("values");
    let names: Vec<&str> = cases.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["here", "moon", "quick"]);
    for ((_, found), wanted) in cases.iter().zip(all(a, b)) {
        close("case", *found, 3.0 * wanted.1, 1e-9);
    }
    assert_eq!(design.evaluate(&[a, b], false).expect("a value").values, found.values);
}

/// Residuals of all load cases, with their weights, make the goal; and its least value is found.
#[test]
fn load_cases_of_a_sum_of_squares_are_solved_together() {
    let text = throw(SQUARES, &format!(r#"minimize: "miss", over: ["a", "b"], {CASES}"#));
    let scene = experiment(&text, &tight());
    let task = scene.optimization.clone().expect("an optimization");
    let found = SceneDesign::new(&scene, &task)
        .evaluate(&[1.2, 2.5], true)
        .expect("a value");
    let residuals = found.residuals.as_ref().expect("residuals");
    assert_eq!(residuals.values.len(), 6);
    close(
        "value",
        residuals.values.iter().map(|r| r * r).sum(),
        found.values[0],
        1e-10,
    );
    let best = solved(&scene);
    let mut other = task.clone();
    other.solver = Solver::LbfgsB;
    let adjoint = SceneDesign::new(&scene, &other)
        .evaluate(&best.best.parameters, true)
        .expect("a value");
    for slope in &adjoint.gradients[0] {
        close("slope at the best point", *slope, 0.0, 1e-4 * best.initial.value);
    }
}

#[test]
fn wrong_load_cases_are_refused_by_name() {
    let cases = [
        (r#"(name: "x", set: { "mass": 2 })"#, "no parameter or constant `mass`"),
        (r#"(name: "x"), (name: "x")"#, "\"x\" of this case is empty or taken"),
        (r#"(name: "x", weight: 0)"#, "must be positive"),
    ];
    for (written, words) in cases {
        let error = refused(&throw(
            "",
            &format!(r#"minimize: "top", over: ["a"], cases: [{written}]"#),
        ));
        assert!(error.message().contains(words) && error.place().is_some(), "{error}");
    }
    let text = throw(
        "",
        r#"minimize: "top", over: ["b"], cases: [(name: "odd", set: { "a": "b" })]"#,
    );
    let scene = experiment(&text, &tight());
    let task = scene.optimization.clone().expect("an optimization");
    let error = SceneDesign::new(&scene, &task)
        .evaluate(&[1.0], true)
        .expect_err("a case");
    assert!(error.message().contains("`b` is defined only further down"), "{error}");
}
