//! The end of slip in space: its time while the direction turns, and readings that follow from that direction.

use costate::run::Method;

use crate::refused::assert_refused;
use crate::standing::near;
use crate::support::{experiment, objective, report, spatial, tight, tolerances};

/// A plate with its mass off the place that rubs, on a plane that is tilted: the inertia that meets its slip differs by direction.
const PLATE: &str = r#"gravity: [0, 0, -9.81],
    parameters: { "mu": 0.25, "r": 0.06, "vx": 1.0, "w": 6.0, "m": 0.7, "cx": 0.05, "tilt": 0.15 },
    ground: { "A": (at: [0, 0, 0], orientation: Rotations([X("tilt")])) },
    bodies: { "s": Solid(mass: "m", inertia: [0.02, 0.03, 0.015, 0, 0, 0], centre_of_mass: ["cx", 0, 0], at: [0, 0, 0],
        orientation: Rotations([X("tilt")]), velocity: ["vx", 0, 0], angular_velocity: [0, 0, "w"]) },
    joints: { "u": Planar(between: ("A", "s.origin"), normal: [0, 0, 1], friction: Reaction(coefficient: "mu", static: "1.3*mu", radius: "r")) },
    objectives: { "T": AtEvents(of: "t", event: "u", kind: Stick), "x": Final("s.x"), "z": Final("s.z") },"#;

/// The derivatives of the time are those of difference quotients, and the same at any tolerance: the speed from which the direction is held
/// differs by three powers of ten between these.
#[test]
fn the_time_at_which_turning_slip_ends_has_its_derivatives_at_any_tolerance() {
    let text = spatial(2.0, PLATE);
    let precise = experiment(&text, &tight());
    let quotient = |name: &str, value: f64| {
        let end = |times: f64| {
            let moved = precise.with_parameter(name, value * (1.0 + 1e-4 * times)).unwrap();
            objective(&report(&moved), "T")
        };
        (8.0 * (end(1.0) - end(-1.0)) - (end(2.0) - end(-2.0))) / (12.0 * 1e-4 * value)
    };
    let wanted = [("mu", 0.25), ("vx", 1.0), ("cx", 0.05)].map(|(name, value)| quotient(name, value));
    // Found apart, by quotients at two tolerances.
    near("mu", wanted[0], -4.311_221_1, 1e-6);
    for rtol in [1e-8, 1e-10, 1e-12] {
        for method in [Method::Adjoint, Method::Forward] {
            let found = experiment(&text, &tolerances(rtol, 1e-2 * rtol))
                .gradient(method)
                .unwrap();
            for (k, wanted) in [0, 2, 5].into_iter().zip(wanted) {
                near(&format!("{rtol} {k}"), found.objectives[0].gradient[k], wanted, 1e-6);
            }
        }
    }
}

/// What is read just before has the derivative of a direction that is held, which is none; a moment earlier it has its own.
#[test]
fn readings_of_the_direction_of_slip_have_no_derivative_where_it_ends() {
    let point = |objective: &str| {
        spatial(
            0.6,
            &format!(
                r#"gravity: [0, 0, -10], parameters: {{ "phi": 0.5, "v": 1.0, "mu": 0.3 }},
                points: {{ "P": (at: [0, 0, 0], velocity: ["v*cos(phi)", "v*sin(phi)", 0], mass: 1) }},
                contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: "mu")) }},
                objectives: {{ "J": {objective} }},"#
            ),
        )
    };
    let gradient = |objective: &str, method| experiment(&point(objective), &tight()).gradient(method);
    for method in [Method::Adjoint, Method::Forward] {
        for of in ["floor.friction_x", "P.ax"] {
            let refused = gradient(
                &format!("AtEvents(of: \"{of}\", event: \"floor\", kind: Stick)"),
                method,
            )
            .unwrap_err();
            assert_refused(
                &refused,
                &[of, "direction of the slip of \"floor\"", "a moment earlier"],
            );
        }
        // The size follows from no direction, and the force earlier has its derivatives.
        let size = gradient(
            "AtEvents(of: \"floor.friction\", event: \"floor\", kind: Stick)",
            method,
        )
        .unwrap();
        near("size", size.objectives[0].gradient[2], 10.0, 1e-8);
        let earlier = gradient("At(of: \"floor.friction_x\", time: 0.3)", method).unwrap();
        near("earlier", earlier.objectives[0].gradient[0], 3.0 * 0.5_f64.sin(), 1e-8);
    }
}
