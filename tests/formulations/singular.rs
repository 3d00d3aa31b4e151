//! Where accelerations are not determined, and where the constraints lose rank.

use costate::error::ErrorKind;
use costate::formulation::PenaltyFactors;
use costate::hybrid::{At, HybridSystem};
use costate::mechanism::FormulationChoice::{Multipliers, Nullspace, Penalty};
use costate::model::{Mode, Model, Terms};

use super::systems::{PENALTY, mechanism};
use crate::element_support::{coordinate, distance, model, planar};

fn initial(model: &Model, q: &[f64]) -> Mode {
    let mut mode = Mode::initial(model);
    let mut terms = Terms::new(model);
    model.assemble_constraints(0.0, q, &vec![0.0; q.len()], &mode, &mut terms);
    costate::formulation::select_rows(&mut mode, &terms);
    mode
}

#[test]
fn a_point_without_mass_that_can_move_freely_is_an_error_that_names_its_coordinate() {
    let model = model(&planar(
        r#"gravity: [0, -9.81], ground: { "A": [0, 0] }, points: { "P": (guess: [1, 0]), "Q": (guess: [3, 1], mass: 1) },
        joints: { "link": Link(from: "A", to: "P", length: 1) },"#,
    ));
    let mut x = vec![0.0; 2 * model.nq()];
    for (name, value) in [("P.x", 1.0), ("Q.x", 3.0), ("Q.y", 1.0)] {
        x[coordinate(&model, name)] = value;
    }
    let mode = initial(&model, &x[..model.nq()]);
    for formulation in [Nullspace, Multipliers, Penalty(PENALTY)] {
        let mechanism = mechanism(&model, formulation);
        let mut dx = vec![0.0; x.len()];
        let error = mechanism
            .flow(At::new(0.0, &mode, &x), &mut mechanism.workspace(), &mut dx)
            .expect_err("undetermined");
        assert_eq!(error.kind(), ErrorKind::Singular, "{formulation:?}");
        assert_eq!(error.name(), Some("P.y"), "{formulation:?}: {error}");
        assert!(
            error.message().contains("P.y") && error.advice().is_some_and(|advice| advice.contains("mass")),
            "{error}"
        );
    }
}

#[test]
fn a_point_without_mass_that_links_hold_is_no_error() {
    let model = model(&planar(
        r#"gravity: [0, -9.81], ground: { "A": [0, 0], "B": [2, 0] }, points: { "P": (guess: [1, -1]), "Q": (guess: [1, -2], mass: 1) },
        joints: { "left": Link(from: "A", to: "P", length: "sqrt(2)"), "right": Link(from: "B", to: "P", length: "sqrt(2)"),
                  "down": Link(from: "P", to: "Q", length: 1) },"#,
    ));
    let mut x = vec![0.0; 2 * model.nq()];
    for (name, value) in [("P.x", 1.0), ("P.y", -1.0), ("Q.x", 1.0), ("Q.y", -2.0)] {
        x[coordinate(&model, name)] = value;
    }
    x[model.nq() + coordinate(&model, "Q.x")] = 2.0;
    let mode = initial(&model, &x[..model.nq()]);
    for formulation in [Nullspace, Multipliers] {
        let mechanism = mechanism(&model, formulation);
        let mut dx = vec![0.0; x.len()];
        mechanism
            .flow(At::new(0.0, &mode, &x), &mut mechanism.workspace(), &mut dx)
            .expect("it moves");
        // A pendulum of length 1 at its lowest place: the acceleration is speed^2 / length upwards.
        let a = |name: &str| dx[model.nq() + coordinate(&model, name)];
        let found = [a("P.x"), a("P.y"), a("Q.x"), a("Q.y")];
        assert!(
            distance(&found, &[0.0, 0.0, 0.0, 4.0]) < 1e-12,
            "{formulation:?}: {found:?}"
        );
    }
}

/// A parallelogram lying flat: its three bars are on one line.
const FLAT: &str = r#"
gravity: [0, -9.81],
ground: { "A": [0, 0], "B": [2, 0] },
points: { "P": (guess: [1, 0]), "Q": (guess: [3, 0]) },
bodies: {
  "left": Bar(from: "A", to: "P", length: 1, mass: 1),
  "rod": Bar(from: "P", to: "Q", length: 2, mass: 1),
  "right": Bar(from: "B", to: "Q", length: 1, mass: 1),
},
"#;

#[test]
fn in_a_singular_position_the_flow_is_finite() {
    let model = model(&planar(FLAT));
    let mut x = vec![0.0; 2 * model.nq()];
    for (name, value) in [("P.x", 1.0), ("Q.x", 3.0)] {
        x[coordinate(&model, name)] = value;
    }
    for name in ["P.y", "Q.y"] {
        x[model.nq() + coordinate(&model, name)] = 1.5;
    }
    let selected = initial(&model, &x[..model.nq()]);
    assert_eq!((selected.rows, selected.independent.len()), (3, 2));
    let everywhere_else = Mode::initial(&model);
    assert_eq!(everywhere_else.independent.len(), 3);
    let penalty = Penalty(PenaltyFactors { alpha: 1e7, ..PENALTY });
    for (mode, formulations) in [
        (&selected, vec![Nullspace, Multipliers, penalty]),
        (&everywhere_else, vec![Nullspace, penalty]),
    ] {
        for formulation in formulations {
            let mechanism = mechanism(&model, formulation);
            let mut dx = vec![f64::NAN; x.len()];
            mechanism
                .flow(At::new(0.0, mode, &x), &mut mechanism.workspace(), &mut dx)
                .expect("it flows");
            assert!(dx.iter().all(|dx| dx.is_finite()), "{formulation:?}: {dx:?}");
            // The bars turn about their ends: centripetal acceleration along x.
            let inward = [
                dx[model.nq() + coordinate(&model, "P.x")],
                dx[model.nq() + coordinate(&model, "Q.x")],
            ];
            assert!(distance(&inward, &[-2.25, -2.25]) < 1e-4, "{formulation:?}: {inward:?}");
            let velocities = [dx[coordinate(&model, "P.y")], dx[coordinate(&model, "Q.y")]];
            assert_eq!(velocities, [1.5, 1.5], "{formulation:?}");
        }
    }
    // Multipliers with a row too many say so instead of dividing by nearly nothing.
    let mechanism = mechanism(&model, Multipliers);
    let mut dx = vec![f64::NAN; x.len()];
    let result = mechanism.flow(At::new(0.0, &everywhere_else, &x), &mut mechanism.workspace(), &mut dx);
    assert_eq!(result.expect_err("singular").kind(), ErrorKind::Singular);
}
