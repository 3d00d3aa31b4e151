//! Reactions in the frames of attachments.

use costate::scene::schema::FormulationKind::{Multipliers, Nullspace};

use crate::support::{certified, close, experiment, objective, report, spatial, tight};

/// A compound pendulum about a tilted axis, on a turned seat, with all of what its joints do.
const PENDULUM: &str = r#"gravity: [0.5, 0, "-g"],
    parameters: { "g": 9.81, "m": 1.3, "l": 0.4, "seat": 0.3, "tilt": 0.5, "w": 2.0 },
    ground: { "O": (at: [0, 0, 0], orientation: Rotations([Z("seat"), X(0.4)])) },
    bodies: {
        "arm": Solid(mass: "m", inertia: [0.05, 0.06, 0.02, 0.004, 0.003, 0.002], centre_of_mass: [0, 0, "-l"], guess: [0, 0, 0],
            markers: { "eye": (at: [0, 0, 0], orientation: Rotations([Y("tilt")])), "tip": [0.1, 0, -0.8] }),
        "bob": Solid(mass: 0.6, inertia: [0.01, 0.02, 0.015, 0, 0, 0], centre_of_mass: [0, 0.05, -0.2], guess: [0.1, 0, -0.8],
            angular_velocity: ["w", 0.3, 0.2]),
    },
    joints: {
        "hinge": Revolute(between: ("O", "arm.eye"), axis: [0, 1, 0], angle: 0.3, angular_velocity: 1),
        "ball": Spherical(between: ("arm.tip", "bob.origin")),
    },
    objectives: {
        "fx": Final("hinge.fx"), "fy": Final("hinge.fy"), "fz": Final("hinge.fz"), "tx": Final("hinge.tx"), "ty": Final("hinge.ty"), "tz": Final("hinge.tz"),
        "fx1": Final("hinge.fx_first"), "fy1": Final("hinge.fy_first"), "fz1": Final("hinge.fz_first"),
        "tx1": Final("hinge.tx_first"), "ty1": Final("hinge.ty_first"), "tz1": Final("hinge.tz_first"),
        "fx2": Final("hinge.fx_second"), "fy2": Final("hinge.fy_second"), "fz2": Final("hinge.fz_second"),
        "tx2": Final("hinge.tx_second"), "ty2": Final("hinge.ty_second"), "tz2": Final("hinge.tz_second"),
        "bx": Final("ball.fx_first"), "by": Final("ball.fy_second"), "mean": Integral("hinge.tx_second*hinge.fz_first + ball.fz_second^2"),
        "angle": Final("hinge.angle"),
    },"#;

/// A vector turned about the axis of an index.
fn turned(vector: [f64; 3], axis: usize, angle: f64) -> [f64; 3] {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let (sin, cos) = angle.sin_cos();
    let mut found = vector;
    found[i] = cos * vector[i] - sin * vector[j];
    found[j] = sin * vector[i] + cos * vector[j];
    found
}

#[test]
fn components_along_the_axes_of_both_attachments_are_those_of_the_ground_turned_back() {
    let found = report(&experiment(&spatial(0.6, PENDULUM), &tight()));
    let of = |names: [&str; 3]| names.map(|name| objective(&found, name));
    let angle = objective(&found, "angle");
    for [ground, first, second] in [
        [["fx", "fy", "fz"], ["fx1", "fy1", "fz1"], ["fx2", "fy2", "fz2"]],
        [["tx", "ty", "tz"], ["tx1", "ty1", "tz1"], ["tx2", "ty2", "tz2"]],
    ] {
        let on_seat = turned(turned(of(ground), 2, -0.3), 0, -0.4);
        // The second frame is the first, turned about the axis of the hinge.
        let on_eye = turned(on_seat, 1, -angle);
        for k in 0..3 {
            close(first[k], of(first)[k], on_seat[k], 1e-10);
            close(second[k], of(second)[k], on_eye[k], 1e-10);
        }
        assert!((of(first)[0] - of(second)[0]).abs() > 1e-2, "the frames differ");
    }
    close("no torque about the axis", objective(&found, "ty1"), 0.0, 1e-11);
}

#[test]
fn gradients_of_reactions_in_frames_are_certified() {
    let found = certified(&spatial(0.4, PENDULUM), Nullspace);
    certified(&spatial(0.4, PENDULUM), Multipliers);
    for name in ["tilt", "seat"] {
        let k = found
            .parameters
            .iter()
            .position(|parameter| parameter == name)
            .expect("a parameter");
        let own = found
            .objectives
            .iter()
            .find(|own| own.name == "fx2")
            .expect("an objective");
        assert!(own.gradient[k].abs() > 1e-3, "{name}");
    }
}
