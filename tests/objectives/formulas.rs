//! Formulas of other objectives: values, gradients, second derivatives, and what has none.

use costate::run::Experiment;

use super::{ball, certified, refused, without_gradient};
use crate::support::*;

const OBJECTIVES: &str = r#"
    "made": Formula("(reach - 0.3)^2 + s*late/(1 + work^2)"),
    "reach": Final("P.x"),
    "late": At(time: "T*sqrt(h)", of: "P.y + 0.1*P.vx*t"),
    "work": Integral("P.vx^2"),
    "lost": AtEvents(of: "P.vy^2", event: "floor"),
    "squares": SumOfSquares(["reach - 0.3", "s*(made - 2)", "lost/10"]),
    "both": Sum([("s", Formula("squares*made")), (2, Final("P.y"))]),"#;

#[test]
fn formulas_of_formulas_have_their_values_and_certified_gradients() {
    let report = certified(&ball(OBJECTIVES));
    let value = |name: &str| {
        report
            .objectives
            .iter()
            .find(|found| found.name == name)
            .expect("it")
            .value
    };
    let made = (value("reach") - 0.3).powi(2) + 3.0 * value("late") / (1.0 + value("work").powi(2));
    close("made", value("made"), made, 1e-14);
    let squares = (value("reach") - 0.3).powi(2) + (3.0 * (made - 2.0)).powi(2) + (value("lost") / 10.0).powi(2);
    close("squares", value("squares"), squares, 1e-13);
    let alone = certified(&ball(r#""y": Final("P.y"),"#)).objectives[0].value;
    close("both", value("both"), 3.0 * squares * made + 2.0 * alone, 1e-9);
}

/// The Hessian of a formula against the difference of exact gradients, extrapolated.
#[test]
fn formulas_have_second_derivatives() {
    let scene = experiment(&ball(OBJECTIVES), &tolerances(1e-11, 1e-13));
    let hessian = scene.hessian(&|_| {}).expect("second derivatives");
    let gradient = |by: f64| {
        let shifted = scene.with_parameter("e", 0.5 + by).expect("a scene");
        shifted.gradient(costate::run::Method::Adjoint).expect("a gradient")
    };
    let quotient = |h: f64, name: &str, row: usize| {
        let slope = |report: &costate::run::GradientReport| {
            report
                .objectives
                .iter()
                .find(|found| found.name == name)
                .expect("it")
                .gradient[row]
        };
        (slope(&gradient(h)) - slope(&gradient(-h))) / (2.0 * h)
    };
    for name in ["made", "late", "squares", "both"] {
        let rows = &hessian
            .objectives
            .iter()
            .find(|found| found.objective == name)
            .expect("it")
            .rows;
        let mut largest = 0.0_f64;
        for (row, entries) in rows.iter().enumerate() {
            let wanted = (4.0 * quotient(1e-3, name, row) - quotient(2e-3, name, row)) / 3.0;
            largest = largest.max(wanted.abs());
            close(&format!("{name} {row}"), entries[1], wanted, 1e-5 * largest.max(1.0));
        }
        assert!(largest > 1e-2, "{name}");
    }
}

#[test]
fn a_formula_of_an_extreme_value_has_a_gradient_but_no_second_derivatives() {
    let text = ball(r#""top": Max("P.vy"), "miss": Formula("(top - 0.3)^2"), "y": Final("P.y"),"#);
    certified(&text);
    let report = experiment(&text, &tight()).hessian(&|_| {}).expect("the others");
    let missing: Vec<&str> = report.missing.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(missing, ["miss", "top"]);
}

#[test]
fn kinks_of_formulas_have_values_and_no_gradient_at_the_kink_only() {
    let at = |formula: &str| {
        ball(&format!(
            r#""x": Final("P.x"), "y": Final("P.y"), "kinked": Formula("{formula}"),"#
        ))
    };
    for kinked in ["abs(x - x)*y + abs(y - 1*y)", "max(x, x + 0*y) + y"] {
        report(&experiment(&at(kinked), &tight()));
    }
    for kinked in [
        "abs(2*(x - y) - 2*x + 2*y + (x - X))",
        "max(x, X)",
        "min(y, y + x - X)",
        "step(x - X)*y",
    ] {
        let x = objective(&report(&experiment(&at("x"), &tight())), "x");
        without_gradient(&at(&kinked.replace('X', &format!("{x:?}"))), "kinked", "kink");
        certified(&at(&kinked.replace('X', "0.123")));
    }
}

#[test]
fn objectives_made_of_themselves_are_refused_by_name() {
    let error = refused(&ball(
        r#""a": Formula("b + x"), "x": Final("P.x"), "b": Formula("2*c"), "c": Formula("b^2"),"#,
    ));
    assert!(
        error
            .message()
            .contains("`b` is made of itself: `b` names `c` names `b`"),
        "{error}"
    );
    assert!(error.place().is_some());
    let error = refused(&ball(r#""a": SumOfSquares(["a - 1"]),"#));
    assert!(error.message().contains("`a` names `a`"), "{error}");
}

#[test]
fn formulas_refuse_what_is_no_objective() {
    let cases = [
        (r#""a": Formula("P.x - 1"),"#, "changes during the motion"),
        (r#""a": Formula("t"),"#, "changes during the motion"),
        (
            r#""a": Formula("reech"), "reach": Final("P.x"),"#,
            "no objective or parameter `reech`",
        ),
        (
            r#""h": Final("P.x"), "a": Formula("h"),"#,
            "both an objective and a parameter",
        ),
        (r#""a": SumOfSquares([]),"#, "no terms"),
    ];
    for (objectives, words) in cases {
        let error = refused(&ball(objectives));
        assert!(error.message().contains(words) && error.place().is_some(), "{error}");
        assert!(error.advice().is_some());
    }
}

#[test]
fn a_formula_without_a_value_or_a_derivative_is_named() {
    let text = ball(r#""x": Final("P.x"), "bad": Formula("1/(x - x)"),"#);
    let error = experiment(&text, &tight())
        .run(false, &mut |_| {})
        .expect_err("no value");
    assert_eq!(error.name(), Some("bad"));
    let root = ball(r#""zero": At(time: 0, of: "P.y - 1.1"), "root": Formula("sqrt(zero)"),"#);
    without_gradient(&root, "root", "a derivative of it");
}

/// Objectives that only formulas name cost no costate of their own in an optimization, and may be left out there.
#[test]
fn an_optimization_meets_the_formula_alone() {
    let mut scene: Experiment = experiment(&ball(OBJECTIVES), &tolerances(1e-11, 1e-13));
    let all = scene.gradient(costate::run::Method::Adjoint).expect("gradients");
    scene.want_objectives(|name| name == "squares");
    assert_eq!(scene.mechanism.model.objectives.len(), 6);
    let alone = scene.gradient(costate::run::Method::Adjoint).expect("a gradient");
    assert_eq!(alone.objectives.len(), 1);
    let known = all.objectives.iter().find(|found| found.name == "squares").expect("it");
    all_close("gradient", &alone.objectives[0].gradient, &known.gradient, 1e-8);
}
