//! Slider-cranks with friction that is smooth and stiff: derivatives by the explicit method, whose coefficients pulse where the slip
//! turns round, and whose first steps leave bristles as bent as they stay.

use costate::run::{Changes, Experiment, Method};

use crate::support::{experiment, planar};

/// A crank that a torque drives, and a slider with this friction in its guide.
fn slider_crank([speed, torque, duration]: [f64; 3], friction: &str) -> String {
    planar(
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
    )
}

/// Costates by the explicit method agree with those by Radau, within this part of the largest derivative.
fn explicit_costates_agree_with_implicit(text: &str, most: f64) {
    let gradient = |text: &str| {
        let changes = Changes {
            rtol: Some(1e-11),
            ..Changes::default()
        };
        let experiment: Experiment = experiment(text, &changes);
        experiment.gradient(Method::Adjoint).unwrap()
    };
    let implicit = text.replace("simulation: (", "simulation: (integrator: Radau, ");
    for (one, other) in gradient(text).objectives.iter().zip(&gradient(&implicit).objectives) {
        let size = other.gradient.iter().fold(0.0_f64, |size, slope| size.max(slope.abs()));
        for (a, b) in one.gradient.iter().zip(&other.gradient) {
            let off = (a - b).abs() / size;
            assert!(off < most, "{}: {a} instead of {b}, {off:.1e} of the largest", one.name);
        }
    }
}

#[test]
fn costates_see_where_regularized_friction_turns_round() {
    let friction = "Preload(kinetic: 1.8, regularized: 0.01)";
    explicit_costates_agree_with_implicit(&slider_crank([1.4376, 5.0, 1.34], friction), 1e-7);
}

#[test]
fn first_steps_show_how_stiff_bristles_are_that_are_bent_as_they_stay() {
    // The reaction passes zero at 0.2159 s, where the bristles are bent as they stay.
    let friction = "Reaction(coefficient: 0.0594724, bristles: 754.006, bristle_damping: 1.88749)";
    explicit_costates_agree_with_implicit(&slider_crank([7.99789, 5.44997, 0.2179], friction), 1e-7);
}
