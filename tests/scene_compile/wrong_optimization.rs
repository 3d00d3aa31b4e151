//! Mistakes in the part `optimization`.

use crate::{compiled, planar, refused};
use costate::scene::compiled::LimitSide;
use costate::scene::schema::Solver;

fn scene(optimization: &str) -> String {
    planar(&format!(
        r#"parameters: {{ "a": 2, "b": (value: 0, bounds: (-1, 3)), "c": "3*a" }},
        points: {{ "P": (at: ["a", "b"], velocity: ["c", 7], mass: 7) }},
        objectives: {{ "x": Final("P.x"), "y": Final("P.y") }},
        optimization: ({optimization}),"#
    ))
}

#[test]
fn names_limits_and_numbers_without_a_meaning() {
    let cases = [
        (r#"minimize: "z", over: ["a"]"#, r#""z""#, "no objective `z`"),
        (
            r#"minimize: [(1, "x"), (4, "q")], over: ["a"]"#,
            r#""q""#,
            "no objective `q`",
        ),
        (r#"minimize: [], over: ["a"]"#, "[]", "no terms"),
        (r#"minimize: "x", over: []"#, "[]", "no parameter is varied"),
        (r#"minimize: "x", over: ["aa"]"#, r#""aa""#, "no parameter `aa`"),
        (
            r#"minimize: "x", over: ["c", "a", (parameter: "c")]"#,
            r#"(parameter: "c")"#,
            "listed twice",
        ),
        (
            r#"minimize: "x", over: [(parameter: "a", bounds: (3, 5))]"#,
            r#"(parameter: "a", bounds: (3, 5))"#,
            "starts at 2, which is not between 3 and 5",
        ),
        (
            r#"minimize: "x", over: [(parameter: "a", scale: -5)]"#,
            "-5",
            "`scale` is -5, but must be positive",
        ),
        (
            r#"minimize: "x", over: ["a"], subject_to: { "y": () }"#,
            "()",
            "has no limit",
        ),
        (
            r#"minimize: "x", over: ["a"], subject_to: { "y": (equals: 1, at_most: 5) }"#,
            "(equals: 1, at_most: 5)",
            "leaves nothing",
        ),
        (
            r#"minimize: "x", over: ["a"], subject_to: { "y": (at_least: 5, at_most: 4) }"#,
            "(at_least: 5, at_most: 4)",
            "no value of `y` keeps both limits",
        ),
        (
            r#"minimize: "x", over: ["a"], subject_to: { "y": (at_most: 4) }, solver: Bfgs"#,
            "Bfgs",
            "cannot keep the limits",
        ),
        (r#"minimize: "x", over: ["a"], options: (memory: 0)"#, "0", "at least 1"),
        (
            r#"minimize: "x", over: ["a"], stopping: (gradient: -8)"#,
            "-8",
            "at least zero",
        ),
    ];
    for (optimization, place, words) in cases {
        refused(&scene(optimization), place, &[words]);
    }
}

#[test]
fn what_is_left_out_suits_bounds_limits_and_sizes() {
    let found = |text: &str| compiled(&scene(text)).optimization.unwrap();
    let free = found(r#"minimize: "x", over: ["a", "c"]"#);
    assert_eq!(free.solver, Solver::Lbfgs);
    let scales: Vec<f64> = free.variables.iter().map(|variable| variable.scale).collect();
    assert_eq!(scales, [2.0, 6.0]);
    let bounded = found(r#"minimize: [(2, "x"), (-1, "y")], over: ["b"]"#);
    let variable = &bounded.variables[0];
    assert_eq!((bounded.solver, bounded.goal.len()), (Solver::LbfgsB, 2));
    assert_eq!((variable.lower, variable.upper, variable.scale), (-1.0, 3.0, 2.0));
    let limited = found(r#"minimize: "x", over: ["b"], subject_to: { "y": (at_least: 0, at_most: 5) }"#);
    let sides: Vec<LimitSide> = limited.limits.iter().map(|limit| limit.side).collect();
    assert_eq!(
        (limited.solver, sides),
        (Solver::Slsqp, vec![LimitSide::AtLeast, LimitSide::AtMost])
    );
}
