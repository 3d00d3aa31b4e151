//! Redundant joints change nothing but the share of the load, and are called by their name.

use costate::analysis::structure;
use costate::mechanism::FormulationChoice::{Multipliers, Nullspace, Penalty};
use costate::model::Model;

use super::systems::{PENALTY, THREE_CRANKS, simulated};
use crate::element_support::{distance, model, planar, spatial};

/// Final positions and velocities.
fn end(model: &Model, formulation: costate::mechanism::FormulationChoice, duration: f64) -> Vec<f64> {
    simulated(model, formulation, duration).x[..2 * model.nq()].to_vec()
}

/// Demands that both models move alike and that the first has one row too many, of one of the named joints.
fn check_same_motion(redundant: &Model, plain: &Model, names: &[&str], dof: usize) {
    let found = structure(redundant, 0.0).expect("it closes");
    let [(name, 1)] = &found.redundant[..] else {
        panic!("{:?}", found.redundant)
    };
    assert!(names.contains(&name.as_str()), "{name} is called redundant");
    let without = structure(plain, 0.0).expect("it closes");
    assert_eq!(
        (without.redundant, without.degrees_of_freedom, found.degrees_of_freedom),
        (vec![], dof, dof)
    );
    let reference = end(plain, Multipliers, 1.3);
    for formulation in [Nullspace, Multipliers] {
        let apart = distance(&end(redundant, formulation, 1.3), &reference);
        assert!(apart < 1e-8, "{formulation:?}: {apart:e}");
    }
    let factors = costate::formulation::PenaltyFactors {
        alpha: 1e6,
        augmented: 3,
        ..PENALTY
    };
    let apart = distance(&end(redundant, Penalty(factors), 1.3), &reference);
    assert!(apart < 1e-5, "penalty: {apart:e}");
    let start = structure(plain, 0.0).expect("it closes").initial;
    assert!(
        start
            .iter()
            .zip(&reference)
            .any(|((_, q, _), end)| (q - end).abs() > 0.1),
        "it did not move"
    );
}

#[test]
fn a_third_crank_of_a_parallelogram_is_redundant_and_changes_nothing() {
    let plain = THREE_CRANKS.replace(r#""third crank": Link(from: "C", to: "plate.c", length: 1),"#, "");
    check_same_motion(
        &model(&planar(THREE_CRANKS)),
        &model(&planar(&plain)),
        &["third crank"],
        1,
    );
}

const PENDULUM: &str = r#"
gravity: [0, -9.81],
ground: { "A": [0, 0], "B": [1, 2] },
points: { "P": (at: [1, 0], mass: 1), "Q": (at: [2, 0], mass: 2) },
joints: { "first": Link(from: "A", to: "P", length: 1), "second": Link(from: "P", to: "Q", length: 1), TWIN },
"#;

#[test]
fn a_link_written_twice_changes_nothing() {
    let plain = planar(&PENDULUM.replace(", TWIN", ""));
    let twice = planar(&PENDULUM.replace("TWIN", r#""twin": Link(from: "Q", to: "P", length: 1)"#));
    check_same_motion(&model(&twice), &model(&plain), &["twin"], 2);
}

#[test]
fn a_ball_joint_on_a_point_that_links_hold_already_is_redundant_in_part() {
    let scene = r#"
    gravity: [3, -9.81, 2],
    ground: { "A": [0, 0, 0], "B": [1, 0, 0] },
    points: { "P": (at: [0, -1, 0], mass: 1), "Q": (guess: [1, -1, 0], mass: 1), "R": (at: [0, -1, 0]) },
    joints: { "left": Link(from: "A", to: "P", length: 1), "right": Link(from: "B", to: "Q", length: 1),
              "rod": Link(from: "P", to: "Q", length: 1), "ball": Spherical(between: ("P", "R")), TWIN },
    "#;
    let plain = spatial(&scene.replace(", TWIN", ""));
    let twice = spatial(&scene.replace("TWIN", r#""twin": Link(from: "A", to: "R", length: 1)"#));
    check_same_motion(&model(&twice), &model(&plain), &["left", "twin", "ball"], 3);
}
