//! Expressions without a value.

use costate::error::ErrorKind;

use crate::support::*;
use crate::{says, shown};

/// A point that moves with x = 1 - t.
fn moving(fields: &str) -> String {
    let points = r#"ground: { "O": [0, 0] }, points: { "P": (at: [1, 0], velocity: [-1, 0], mass: 1) },"#;
    planar(2.0, &format!("{points}\n{fields}"))
}

#[track_caller]
fn check_without_value(fields: &str, name: &str, words: &[&str], time: f64) {
    let error = failure(&moving(fields));
    assert_eq!(
        (error.kind(), error.name()),
        (ErrorKind::NotFinite, Some(name)),
        "{error}"
    );
    says(&error, words);
    assert_eq!(shown(&error), format!("\"{name}\""));
    assert!(error.value().is_some_and(|value| !value.is_finite()), "{error}");
    close("time", error.time().expect("a time"), time, 1e-6);
}

#[test]
fn an_expression_without_a_value_is_named_with_its_owner_its_text_and_the_time() {
    check_without_value(
        r#"events: { "seen": (when: Rising("sqrt(P.x) - 2"), then: []) },"#,
        "seen",
        &["the event \"seen\"", "`sqrt(P.x) - 2`", "NaN"],
        1.0,
    );
    check_without_value(
        r#"forces: { "push": Load(at: "P", force: [0, "log(0.5 - t)"]) },"#,
        "push",
        &["the force \"push\"", "`log(0.5 - t)`", "NaN"],
        0.5,
    );
    check_without_value(
        r#"joints: { "motor": DriveCoordinate(coordinate: "P.y", value: "0*(1.5 - t)^2.5") },"#,
        "motor",
        &["the joint \"motor\"", "`0*(1.5 - t)^2.5`", "NaN"],
        1.5,
    );
    check_without_value(
        r#"objectives: { "cost": Integral("sqrt(P.x)") },"#,
        "cost",
        &["the objective \"cost\"", "`sqrt(P.x)`", "NaN"],
        1.0,
    );
    check_without_value(
        r#"outputs: { "root": "log(P.x)", "twice": "2*root" },"#,
        "root",
        &["the output \"root\"", "`log(P.x)`", "NaN"],
        2.0,
    );
}

#[test]
fn a_step_size_that_collapses_at_a_pole_names_its_expression() {
    for (fields, name, text) in [
        (
            r#"forces: { "push": Load(at: "P", force: ["1/(1.23 - t)^2", 0]) },"#,
            "push",
            "1/(1.23 - t)^2",
        ),
        (r#"objectives: { "cost": Integral("1/P.x") },"#, "cost", "1/P.x"),
        (
            r#"forces: { "rubber": NonlinearSpring(from: "O", to: "P", force: "1/(length - 0.5)", natural_length: 1) },"#,
            "rubber",
            "1/(length - 0.5)",
        ),
    ] {
        // A second expression that changes fast, but has no pole.
        let error = failure(&moving(&format!(r#"{fields} outputs: {{ "fast": "sin(1e6*t)" }},"#)));
        assert_eq!(
            (error.kind(), error.name()),
            (ErrorKind::StepSize, Some(name)),
            "{error}"
        );
        says(&error, &[&format!("`{text}`")]);
        assert!(error.value().is_some_and(|value| value.abs() > 1e6), "{error}");
        assert_eq!(shown(&error), format!("\"{name}\""));
    }
}

#[test]
fn a_long_chain_of_outputs_is_evaluated_once_each() {
    // Evaluated anew at every mention, the last one would take 2^50 evaluations.
    let chain: Vec<String> = (1..=50)
        .map(|k| format!(r#""o{k}": "o{} + o{}""#, k - 1, k - 1))
        .collect();
    let text = planar(
        2.0,
        &format!(
            r#"points: {{ "P": (at: [1, 0], velocity: [-1, 0], mass: 1) }},
            outputs: {{ "o0": "P.x", {} }},
            objectives: {{ "end": Final("o50"), "area": Integral("o50*P.x") }},
            events: {{ "seen": (when: Falling("o50"), then: []) }},"#,
            chain.join(", ")
        ),
    );
    let report = report(&experiment(&text, &tight()));
    let most = 2.0_f64.powi(50);
    close("last output", output(&report, "o50") / most, -1.0, 1e-12);
    close("final value", objective(&report, "end") / most, -1.0, 1e-12);
    close("integral", objective(&report, "area") / most, 2.0 / 3.0, 1e-11);
    all_close("event", &times(&report), &[1.0], 1e-12);
}
