//! Values out of range are shown at their place with the value.

use crate::{compiled_with, planar, refused, spatial};

#[test]
fn values_out_of_range() {
    let cases = [
        (r#"mass: -1"#, "", "-1", "`P.mass` is -1, but must be at least zero"),
        ("", r#"length: 0"#, "0", "`bar.length` is 0, but must be positive"),
        ("", r#"length: "a - 2""#, "\"a - 2\"", "`bar.length` is -1"),
        ("", r#"length: 1, mass: "-a""#, "\"-a\"", "at least zero"),
    ];
    for (point, bar, place, words) in cases {
        let (point, bar) = (format!(", {point}"), if bar.is_empty() { "length: 1" } else { bar });
        let text = planar(&format!(
            r#"parameters: {{ "a": 1 }}, ground: {{ "A": [7, 7] }}, points: {{ "P": (at: [5, 5]{point}) }},
            bodies: {{ "bar": Bar(from: "A", to: "P", {bar}) }},"#
        ))
        .replace(", )", ")");
        refused(&text, place, &[words]);
    }
}

#[test]
fn rigid_bodies_need_mass_and_inertia() {
    let body = |fields: &str| planar(&format!("bodies: {{ \"b\": Rigid({fields}) }},"));
    refused(
        &body("mass: 0, inertia: 7, at: [1, 1, 1]"),
        "0",
        &["`b.mass` is 0, but must be positive"],
    );
    refused(&body("mass: 7, inertia: 0, at: [1, 1, 1]"), "0", &["`b.inertia` is 0"]);
    refused(
        &body("mass: 7, inertia: 7"),
        "Rigid(mass: 7, inertia: 7)",
        &["no initial position"],
    );
}

#[test]
fn positions_are_given_once() {
    let point = |fields: &str| planar(&format!("points: {{ \"P\": ({fields}) }},"));
    refused(&point("mass: 1"), "(mass: 1)", &["no initial position", "`at`"]);
    refused(
        &point("at: [1, 1], guess: [2, 2], mass: 1"),
        "[2, 2]",
        &["both `at` and `guess`"],
    );
    refused(
        &point("at: [1, 1], hold: [X], mass: 1"),
        "[X]",
        &["`at` holds every coordinate"],
    );
    refused(
        &point("guess: [1, 1], hold: [X, Z], mass: 1"),
        "Z",
        &["no coordinate `Z`", "x, y"],
    );
    refused(
        &point("guess: [1, 1], hold: [Angle], mass: 1"),
        "Angle",
        &["no coordinate `Angle`"],
    );
    refused(
        &point("guess: [1, 1]"),
        "(guess: [1, 1])",
        &["body without mass", "mass"],
    );
}

#[test]
fn vectors_have_one_component_per_axis() {
    let cases = [
        (
            planar("gravity: [0, 0, -9.81],"),
            "[0, 0, -9.81]",
            "`gravity` has 3 components, but needs 2",
        ),
        (
            spatial("gravity: [0, -9.81],"),
            "[0, -9.81]",
            "`gravity` has 2 components, but needs 3",
        ),
        (
            planar(r#"ground: { "A": [1] },"#),
            "[1]",
            "`A` has 1 component, but needs 2",
        ),
        (
            planar(r#"points: { "P": (at: [1, 2, 3], mass: 1) },"#),
            "[1, 2, 3]",
            "`P.at` has 3",
        ),
        (
            planar(r#"points: { "P": (at: [1, 2], velocity: [], mass: 1) },"#),
            "[]",
            "`P.velocity` has 0",
        ),
        (
            planar(r#"bodies: { "b": Rigid(mass: 1, inertia: 1, at: [1, 2]) },"#),
            "[1, 2]",
            "`b.at` has 2 components, but needs 3",
        ),
        (
            planar(r#"bodies: { "b": Rigid(mass: 1, inertia: 1, at: [1, 2, 3], markers: { "m": [4] }) },"#),
            "[4]",
            "`b.markers.m` has 1",
        ),
        (
            spatial(
                r#"points: { "P": (at: [0, 0, 0]), "Q": (at: [1, 0, 0]) }, bodies: { "b": Bar(from: "P", to: "Q", length: 1, markers: { "m": [4, 5] }) },"#,
            ),
            "[4, 5]",
            "`b.markers.m` has 2 components, but needs 1",
        ),
        (
            planar(r#"points: { "P": (at: [0, 0], mass: 1) }, forces: { "f": Load(at: "P", force: [1, 2, 3]) },"#),
            "[1, 2, 3]",
            "`f.force` has 3",
        ),
    ];
    for (text, place, words) in cases {
        refused(&text, place, &[words, "write ["]);
    }
}

#[test]
fn expressions_without_a_finite_value_or_derivative() {
    let text = |mass: &str| {
        planar(&format!(
            r#"parameters: {{ "zero": 0, "one": 1 }}, points: {{ "P": (at: [5, 5], mass: "{mass}") }},"#
        ))
    };
    refused(&text("1/zero"), "\"1/zero\"", &["no finite value", "zero = 0"]);
    refused(
        &text("log(zero - one)"),
        "\"log(zero - one)\"",
        &["no finite value", "zero = 0, one = 1"],
    );
    refused(
        &text("one + sqrt(zero)"),
        "\"one + sqrt(zero)\"",
        &["no finite derivative", "`zero`"],
    );
    refused(&text("1/0"), "1/0", &["divides by zero"]);
    refused(&text("2*(one"), "(", &["close"]);
    refused(
        &planar(r#"parameters: { "a": 0, "b": "1/a" },"#),
        "\"1/a\"",
        &["no finite value"],
    );
    let error = compiled_with(&text("1/zero"), &[]).expect_err("infinite");
    assert_eq!(error.value(), Some(f64::INFINITY));
}

#[test]
fn numbers_too_large_to_compute_with() {
    let text = spatial(
        r#"points: { "P": (at: [0, 0, 0], mass: 1) },
        joints: { "j": PointOnLine(point: "P", line: Fixed(through: [1.5e308, 0, 0], direction: [1.5e308, 0, 1])) },"#,
    );
    refused(&text, "[1.5e308, 0, 1]", &["too long", "no direction"]);
    let body = r#"Rigid(mass: 1, inertia: 1, at: [1.5e308, 0, 0], markers: { "m": [1.5e308, 0] })"#;
    let text = planar(&format!(
        r#"points: {{ "P": (at: [0, 0]) }},
        bodies: {{ "box": {body}, "bar": Bar(from: "box.m", to: "P", length: 1) }},"#
    ));
    refused(&text, "\"box.m\"", &["`bar.from.x` is inf", "finite"]);
}

#[test]
fn parameters_lie_in_their_bounds() {
    refused(
        &planar(r#"parameters: { "a": (value: 5, bounds: (1, 2)) },"#),
        "5",
        &["outside its bounds 1 to 2"],
    );
    refused(
        &planar(r#"parameters: { "a": (value: 5, bounds: (7, 2)) },"#),
        "(7, 2)",
        &["above the upper bound"],
    );
    refused(
        &planar(r#"parameters: { "b": 4, "a": (value: "b + 1", bounds: (1, 2)) },"#),
        "\"b + 1\"",
        &["`a` is 5"],
    );
}

#[test]
fn settings_out_of_range() {
    let cases = [
        ("duration: 0", "0", "`simulation.duration` is 0, but must be positive"),
        ("duration: \"-2\"", "\"-2\"", "positive"),
        ("duration: 1, rtol: 0", "0", "`rtol` is 0, but must be positive"),
        ("duration: 1, atol: -2", "-2", "positive"),
        ("duration: 1, max_step: 0", "0", "positive"),
        ("duration: 1, max_steps: 0", "0", "at least 1"),
        ("duration: 1, samples: 0", "0", "at least 1"),
        ("duration: 1, rest_speed: -2", "-2", "at least zero"),
        ("duration: 1, penalty: (factor: 0)", "0", "positive"),
        ("duration: 1, penalty: (frequency: -2)", "-2", "positive"),
        ("duration: 1, penalty: (damping: -2)", "-2", "at least zero"),
    ];
    for (fields, place, words) in cases {
        refused(&planar(&format!("simulation: ({fields}),")), place, &[words]);
    }
}
