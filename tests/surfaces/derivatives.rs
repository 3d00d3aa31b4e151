//! Derivatives through edges, corners and curves.

use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::support::*;
use crate::{CAM, table};

const CORNER: &str = r#"
    parameters: { "x": 1.06, "r": 0.1, "e": 0.7, "a": 1.0, "b": 0.1 }, gravity: [0, -1],
    points: { "P": (at: ["x", 1], velocity: [0, -1], mass: 1) },
    contacts: { "table": Touch(point: "P", radius: "r", surface: Polyline(points: [[-1, 0], ["a", "b"], [1.5, -1]]), law: Restitution("e")) },
    objectives: { "end": Final("P.x + P.y + P.vy"), "way": Integral("P.y^2 + P.x") },"#;

#[test]
fn certificates_pass_in_every_formulation() {
    for formulation in [Nullspace, Multipliers, Stabilized, Index3, Penalty] {
        certified(&planar(0.9, CAM), formulation);
        certified(&planar(3.4, &table(0.1, "Restitution(0)", 0.5)), formulation);
    }
}

#[test]
fn certificates_pass_at_ends_and_corners() {
    certified(&planar(2.0, &table(0.0, "Restitution(0)", 1.0)), Nullspace);
    certified(&planar(2.0, &table(0.1, "Restitution(0)", 1.0)), Nullspace);
    certified(&planar(1.5, CORNER), Nullspace);
}

#[test]
fn second_derivatives_are_quotients_of_the_gradients() {
    for (duration, fields) in [
        (0.9, CAM.to_string()),
        (3.4, table(0.1, "Restitution(0)", 0.5)),
        (1.5, CORNER.to_string()),
    ] {
        let experiment = experiment(&planar(duration, &fields), &tolerances(1e-12, 1e-14));
        check_hessian(&experiment, 1e-5);
    }
}

#[test]
fn what_keeps_its_tangential_velocity_follows_the_turn_of_the_surface() {
    // The tangent turns with the place on the circle, and with its centre.
    for law in ["Flip", "FlipKeeping([\"P.x\"])"] {
        let fields = format!(
            r#"parameters: {{ "x": 0.4, "c": 0.1, "r": 0.1, "R": 0.8 }}, gravity: [0, -3],
            points: {{ "P": (at: ["x", 2], velocity: [0.2, -1], mass: 1), "C": (at: ["c", 0], velocity: [0.3, 0.1], mass: 2) }},
            contacts: {{ "ball": Touch(point: "P", radius: "r", surface: Circle(centre: "C", radius: "R"), law: {law}) }},
            objectives: {{ "end": Final("P.x + P.y + C.vx"), "way": Integral("P.y^2 + P.x") }},"#
        );
        certified(&planar(1.2, &fields), Nullspace);
    }
}
