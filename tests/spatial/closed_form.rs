//! Motions of tops in closed form.

use crate::support::{close, experiment, objective, report, shipped, spatial, tight};

#[test]
fn the_shipped_top_precesses_steadily() {
    let found = report(&shipped("heavy_top", &tight()));
    close("x", objective(&found, "x at the end"), 0.0, 1e-10);
    close("y", objective(&found, "y at the end"), 0.5, 1e-10);
    close("height", objective(&found, "height at the end"), 0.75_f64.sqrt(), 1e-11);
    let spin = ((3e-4 + 0.5 * 0.04 * 0.04) * std::f64::consts::PI.powi(2) * 0.75_f64.sqrt() + 0.5 * 9.81 * 0.04)
        / (6e-4 * std::f64::consts::PI);
    close("spin", objective(&found, "spin at the end"), spin, 1e-9);
    // The centre of mass goes round at a constant height.
    close("load", objective(&found, "load"), 0.5 * 9.81, 1e-9);
}

#[test]
fn a_free_symmetric_body_goes_round_its_angular_momentum() {
    // Body rates turn at (C - A)/A w3 about the axis of the body, the axis at |L|/A about the angular momentum.
    let (a, c, w1, w3, t): (f64, f64, f64, f64, f64) = (0.02, 0.035, 3.0, 8.0, 1.7);
    let fields = format!(
        r#"bodies: {{ "top": Solid(mass: 2, inertia: [{a}, {a}, {c}, 0, 0, 0], at: [1, 2, 3], velocity: [0.1, 0, 0],
            angular_velocity: [{w1}, 0, {w3}], markers: {{ "tip": [0, 0, 1] }}) }},
        objectives: {{ "wx": Final("top.omega_x"), "wy": Final("top.omega_y"), "wz": Final("top.omega_z"),
            "x": Final("top.tip.x - top.x"), "y": Final("top.tip.y - top.y"), "z": Final("top.tip.z - top.z"), "way": Final("top.x") }},"#
    );
    let found = report(&experiment(&spatial(t, &fields), &tight()));
    let turn = (c - a) / a * w3 * t;
    close("wx", objective(&found, "wx"), w1 * turn.cos(), 1e-10);
    close("wy", objective(&found, "wy"), w1 * turn.sin(), 1e-10);
    close("wz", objective(&found, "wz"), w3, 1e-11);
    close("way", objective(&found, "way"), 1.0 + 0.1 * t, 1e-12);
    let momentum = [a * w1, 0.0, c * w3];
    let size = momentum[0].hypot(momentum[2]);
    let unit = momentum.map(|x| x / size);
    // The axis, first along z, turned about the angular momentum.
    let (sin, cos) = (size / a * t).sin_cos();
    let axis = [
        unit[2] * unit[0] * (1.0 - cos) + unit[1] * sin,
        unit[2] * unit[1] * (1.0 - cos) - unit[0] * sin,
        cos + unit[2] * unit[2] * (1.0 - cos),
    ];
    for (name, want) in ["x", "y", "z"].into_iter().zip(axis) {
        close(name, objective(&found, name), want, 1e-10);
    }
}
