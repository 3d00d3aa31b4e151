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

#[test]
fn a_gyroscope_in_gimbals_precesses_steadily() {
    let found = report(&shipped("gyroscope_in_gimbals", &tight()));
    close("x", objective(&found, "x of the weight"), -0.1, 1e-10);
    close("y", objective(&found, "y of the weight"), 0.0, 1e-10);
    close("nutation", objective(&found, "nutation"), 0.0, 1e-10);
    close(
        "precession",
        objective(&found, "precession"),
        std::f64::consts::FRAC_PI_2,
        1e-10,
    );
}

#[test]
fn a_cross_joint_drives_the_second_shaft_unevenly() {
    let found = report(&shipped("universal_shaft", &tight()));
    let (omega, bend) = (std::f64::consts::FRAC_PI_2, std::f64::consts::FRAC_PI_6);
    close(
        "angle",
        objective(&found, "angle after a quarter of a turn"),
        omega,
        1e-9,
    );
    close(
        "slow",
        objective(&found, "rate after half a turn"),
        omega * bend.cos(),
        1e-9,
    );
    close(
        "fast",
        objective(&found, "rate after a quarter of a turn"),
        omega / bend.cos(),
        1e-9,
    );
}

#[test]
fn the_legs_of_a_platform_carry_its_weight_and_inertia() {
    let found = report(&shipped("stewart_platform", &tight()));
    let (m, g, h, a): (f64, f64, f64, f64) = (20.0, 9.81, 0.5, 0.05);
    let way = 0.36 + 0.16 - 0.48 * (std::f64::consts::FRAC_PI_3 - 0.35).cos();
    let tension = |z: f64, lift: f64| -m * (g + lift) * (way + z * z).sqrt() / (6.0 * z);
    close(
        "start",
        objective(&found, "tension at the start"),
        tension(h, 0.0),
        1e-8,
    );
    let lift = -4.0 * std::f64::consts::PI.powi(2) * a;
    close(
        "top",
        objective(&found, "tension at the top"),
        tension(h + a, lift),
        1e-8,
    );
    close(
        "other",
        objective(&found, "tension of another leg"),
        tension(h + a, lift),
        1e-8,
    );
    close("height", objective(&found, "height at the top"), h + a, 1e-10);
}

#[test]
fn linkages_in_space_have_their_published_motion() {
    let found = report(&shipped("bricard", &tight()));
    for (name, want) in [
        ("x at 1 s", 0.274_481_319_264_623),
        ("y at 1 s", -0.886_707_938_734_672),
        ("z at 1 s", -0.462_330_002_687_376),
        ("angle at 1 s", 1.035_028_459_518_062),
        ("energy", -29.43),
    ] {
        close(name, objective(&found, name), want, 1e-9);
    }
    let found = report(&shipped("bennett", &tight()));
    close(
        "ratio",
        objective(&found, "ratio"),
        objective(&found, "wanted ratio"),
        1e-10,
    );
    close("opposite", objective(&found, "third angle"), -4.6, 1e-9);
    close("torque", objective(&found, "torque"), 0.651_948_498_942_503_4, 1e-9);
    let found = report(&shipped("slider_crank_3d", &tight()));
    for (axis, want) in [("x", 1.92), ("y", -0.96), ("z", 0.48)] {
        let name = format!("w{axis} at the start");
        close(&name, objective(&found, &name), want, 1e-12);
    }
    close("speed", objective(&found, "speed at the start"), 0.24, 1e-12);
}

#[test]
fn a_tilted_cross_axis_gives_the_published_velocities() {
    let scene =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/spatial/slider_crank_3d_tilted_axis.ron");
    let mut changes = tight();
    changes.duration = Some(1e-9);
    let found = report(&costate::run::Experiment::open(&scene, &changes).unwrap());
    for (name, want) in [("w2x", 1.6941), ("w2y", -0.8471), ("w2z", 0.7059)] {
        close(name, objective(&found, name), want, 5e-5);
    }
}

#[test]
fn the_governor_settles_where_its_moments_balance() {
    let found = report(&shipped("flyball_governor", &tight()));
    let (g, a, length, height, b, link): (f64, f64, f64, f64, f64, f64) = (9.81, 0.05, 1.0, 1.0, 0.5, 0.5);
    let (rod, ball, of_sleeve) = (0.3, 1.0, 2.0);
    let m: f64 = rod + ball;
    let c = (rod * length / 2.0 + ball * length) / m;
    let across = rod * length * length / 12.0 + rod * (c - length / 2.0).powi(2) + ball * (length - c).powi(2);
    for (when, load, tolerance) in [("before", 2.0, 1e-8), ("after", 5.0, 1e-7)] {
        let sleeve = 0.55 - load / 60.0;
        let d = height - sleeve;
        let sine: f64 = (b * b + d * d - link * link) / (2.0 * b * d);
        let cosine = (1.0 - sine * sine).sqrt();
        let force = of_sleeve * g / (2.0 * (d - b * sine));
        let moment = (m * g * c + force * b * d) * cosine;
        let speed = (moment / ((m * c * c + across - 5e-6) * sine * cosine + m * a * c * sine)).sqrt();
        close(when, objective(&found, &format!("speed {when}")), speed, tolerance);
        close(when, objective(&found, &format!("sleeve {when}")), sleeve, tolerance);
    }
}
