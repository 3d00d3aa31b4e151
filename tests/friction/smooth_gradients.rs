//! Slider-cranks with friction that is smooth and stiff: derivatives by the explicit method, whose coefficients pulse where the slip
//! turns round, and whose first steps leave bristles as bent as they stay.

use costate::run::Changes;

use crate::support::{agreed, experiment, planar};

/// Adjoint and forward derivatives agree for a crank that a torque drives, and a slider with this friction in its guide.
fn slider_crank_agrees([speed, torque, duration]: [f64; 3], friction: &str) {
    let text = planar(
        duration,
        &format!(
            r#"gravity: [0, -9.81], parameters: {{ "r": 0.217, "l": 0.899, "m": 1.0, "torque": {torque}, "w0": {speed} }},
            ground: {{ "O": [0, 0] }}, points: {{ "A": (guess: [0.21, -0.05], mass: 0.5), "S": (guess: [1.1, 0], mass: "m") }},
            bodies: {{ "crank": Rigid(mass: 1, inertia: 0.01, at: [0, 0, -0.2452], velocity: [0, 0, "w0"], markers: {{ "pin": ["r", 0] }}) }},
            joints: {{
                "bearing": Revolute(between: ("O", "crank.origin")),
                "pin": Revolute(between: ("crank.pin", "A")),
                "rod": Link(from: "A", to: "S", length: "l"),
                "guide": PointOnLine(point: "S", line: Fixed(through: [0, 0], direction: [1, 0]), friction: {friction}),
            }},
            forces: {{ "motor": Torque(on: "crank", torque: "torque") }},
            objectives: {{ "W": Integral("guide.friction*guide.fy"), "x": Final("S.x") }},"#
        ),
    );
    let changes = Changes {
        rtol: Some(1e-11),
        ..Changes::default()
    };
    agreed(&experiment(&text, &changes), 1e-7);
}

#[test]
fn costates_see_where_regularized_friction_turns_round() {
    let friction = "Preload(kinetic: 1.8, regularized: 0.01)";
    slider_crank_agrees([1.4376, 5.0, 1.34], friction);
}

#[test]
fn first_steps_show_how_stiff_bristles_are_that_are_bent_as_they_stay() {
    // The reaction passes zero at 0.2159 s, where the bristles are bent as they stay.
    let friction = "Reaction(coefficient: 0.0594724, bristles: 754.006, bristle_damping: 1.88749)";
    slider_crank_agrees([7.99789, 5.44997, 0.2179], friction);
}
