//! Numbers with names by which nothing is differentiated.

use costate::run::{Changes, Method};

use super::refused;
use crate::support::*;

/// A throw from a height under gravity, both of them constants and parameters mixed.
fn throw(constants: &str, parameters: &str) -> String {
    let fields = r#"gravity: [0, "-g"],
        points: { "P": (at: [0, "h"], velocity: [1, "v"], mass: "m") },
        outputs: { "weight": "m*g" },
        objectives: { "y": Final("P.y + 0*weight"), "scaled": Formula("y*g^2") },"#;
    planar(
        0.5,
        &format!("constants: {{ {constants} }}, parameters: {{ {parameters} }}, {fields}"),
    )
}

#[test]
fn constants_have_values_and_no_derivatives() {
    let mixed = throw(
        r#""g": 9.81, "twice g": "2*g""#,
        r#""h": "twice g/10", "v": 3, "m": "h*v^2""#,
    );
    let plain = throw(
        "",
        r#""g": 9.81, "twice g": "2*g", "h": "twice g/10", "v": 3, "m": "h*v^2""#,
    );
    let (mixed, plain) = (experiment(&mixed, &tight()), experiment(&plain, &tight()));
    for method in [Method::Adjoint, Method::Forward] {
        let (found, known) = (mixed.gradient(method).expect("it"), plain.gradient(method).expect("it"));
        assert_eq!(found.parameters, ["h", "v", "m"]);
        for (found, known) in found.objectives.iter().zip(&known.objectives) {
            close(&found.name, found.value, known.value, 1e-13);
            all_close(&found.name, &found.gradient, &known.gradient[2..], 1e-10);
            assert!(found.gradient[1].abs() > 1e-2);
        }
    }
    let hessian = |experiment: &costate::run::Experiment| experiment.hessian(&|_| {}).expect("it").objectives;
    for (found, known) in hessian(&mixed).iter().zip(&hessian(&plain)) {
        for (row, wanted) in found.rows.iter().zip(&known.rows[2..]) {
            all_close("second", row, &wanted[2..], 1e-9);
        }
    }
}

#[test]
fn constants_are_set_as_parameters_are() {
    let text = throw(r#""g": 9.81, "half": "g/2""#, r#""h": "half", "v": 3, "m": 1"#);
    let changes = Changes {
        parameters: vec![("g".to_string(), 4.0)],
        ..tight()
    };
    let y = objective(&report(&experiment(&text, &changes)), "y");
    close("y", y, 2.0 + 3.0 * 0.5 - 0.5 * 4.0 * 0.25, 1e-12);
}

#[test]
fn what_a_constant_cannot_do_is_refused_by_name() {
    let fields = r#""v": 3, "m": 1"#;
    let cases = [
        (
            throw(r#""g": 9.81, "c": "2*h""#, &format!(r#""h": 1, {fields}"#)),
            "the constant `c` uses the parameter `h`",
        ),
        (
            throw(r#""g": 9.81, "h": 1"#, &format!(r#""h": 1, {fields}"#)),
            "already a constant named `h`",
        ),
        (
            throw(r#""a": "b", "b": 1, "g": 9.81"#, &format!(r#""h": 1, {fields}"#)),
            "`b` is defined only further down",
        ),
        (
            throw(r#""g": 9.81"#, &format!(r#""h": 1, {fields}"#)).replace(
                "simulation:",
                r#"optimization: (minimize: "y", over: ["g"]), simulation:"#,
            ),
            "`g` is a constant",
        ),
    ];
    for (text, words) in cases {
        let error = refused(&text);
        assert!(error.message().contains(words) && error.place().is_some(), "{error}");
        assert!(error.advice().is_some());
    }
}
