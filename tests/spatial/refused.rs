//! What is not possible with rigid bodies in space yet is refused by name, with advice.

use costate::error::Error;
use costate::run::{Changes, Method};
use costate::scene::schema::FormulationKind::{self, Index3, Stabilized};

use crate::support::{experiment, failure, spatial, under};

const STONE: &str = r#"
    ground: { "O": [0, 0, 0], "A": [1, 0, 0] },
    points: { "P": (at: [2, 0, 0], mass: 1) },
    bodies: { "stone": Solid(mass: 1, inertia: [0.1, 0.2, 0.25, 0, 0, 0], at: [0, 0, 1], angular_velocity: [1, 2, 3], markers: { "m": [0.1, 0, 0], "n": [0, 0.1, 0] }) },
"#;

fn scene(fields: &str) -> String {
    spatial(0.5, &format!("{STONE} {fields}"))
}

#[track_caller]
fn assert_refused(error: &Error, words: &[&str]) {
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "{text}");
    }
    assert!(error.advice().is_some_and(|advice| advice.len() > 10), "{text}");
}

#[test]
fn formulations_that_are_missing_are_refused() {
    for (formulation, name) in [(Stabilized, "Stabilized"), (Index3, "Index3")] {
        let of = |formulation: FormulationKind| experiment(&scene(""), &under(formulation));
        let error = of(formulation).run(false, &mut |_| {}).unwrap_err();
        assert_refused(&error, &[name, "rigid bodies in space"]);
        let error = of(formulation).gradient(Method::Adjoint).unwrap_err();
        assert_refused(&error, &[name]);
    }
}

#[test]
fn positions_that_events_set_are_refused() {
    let error = failure(&scene(
        r#"events: { "kick": (when: At(0.1), then: [Reset("P.x", "1")]) },"#,
    ));
    assert_refused(&error, &["kick", "rigid bodies in space"]);
}

#[test]
fn second_derivatives_and_predictions_are_refused() {
    let fields = r#"parameters: { "m": 1.5 }, forces: { "s": Spring(from: "O", to: "stone.m", stiffness: "m", natural_length: 0.2) },
        objectives: { "z": Final("stone.m.z") },"#;
    let experiment = experiment(&scene(fields), &Changes::default());
    assert_refused(&experiment.hessian(&|_| {}).unwrap_err(), &["second derivatives"]);
    let prediction = experiment.prediction(&["m".to_string()], 10, &mut |_| {});
    assert_refused(&prediction.map(|_| ()).unwrap_err(), &["predictions"]);
}

#[test]
fn what_reads_angles_is_refused_where_it_is_written() {
    for (fields, word) in [
        (
            r#"forces: { "t": TorsionSpring(between: ("stone", "ground"), stiffness: 1, natural_angle: 0) },"#,
            "no angle",
        ),
        (r#"outputs: { "a": "stone.angle" },"#, "angle"),
    ] {
        assert_refused(&failure(&scene(fields)), &[word]);
    }
}
