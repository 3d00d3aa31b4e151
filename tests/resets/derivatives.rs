//! Derivatives through positions and velocities that are set.

use costate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Tangent};
use costate::run::Method;
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::support::*;
use crate::{DOUBLE_PENDULUM, FOUR_BAR};

const BALL: &str = r#"
    parameters: { "e": 0.8, "h": 1.0, "g": 0.3, "f": 0.0 }, gravity: [0, -9.81],
    points: { "P": (at: [0, "h"], velocity: [1, 0], mass: 2) },
    events: {
        "bounce": (when: Falling("P.y - f"), then: [Reset("P.vy", "-e*P.vy + 0.1*t")]),
        "back": (when: Rising("P.x - g*h"), then: [Reset("P.x", "P.x - g*e"), Reset("P.y", "P.y + 0.1*h*t"), Reset("P.vx", "1.1*P.vx")]),
    },
    objectives: { "end": Final("P.y*P.x + P.vy"), "way": Integral("P.x*P.y") },"#;

#[test]
fn certificates_pass_in_every_formulation() {
    for formulation in [Nullspace, Multipliers, Stabilized, Index3, Penalty] {
        for (duration, fields) in [(1.2, BALL), (0.8, DOUBLE_PENDULUM), (0.9, FOUR_BAR)] {
            certified(&planar(duration, fields), formulation);
        }
    }
}

#[test]
fn angular_velocities_that_are_set_have_derivatives() {
    // A top whose spin is raised and whose tilt is stopped in part, with its centre of mass off its axis.
    let fields = r#"parameters: { "e": 0.6, "w": 4.0, "m": 2.0, "h": 0.3 }, gravity: [0, 0, -9.81], ground: { "O": [0, 0, 0] },
        bodies: { "a": Solid(mass: "m", inertia: [0.3, 0.4, 0.5, 0, 0, 0], centre_of_mass: [0.05, 0, "h"], guess: [0, 0, 0], hold: [Orientation],
            angular_velocity: [0.2, 0.5, 2]) },
        joints: { "pin": Spherical(between: ("O", "a.origin")) },
        events: { "spin": (when: Rising("t - 0.1*m"), then: [Reset("a.omega_z", "a.omega_z + w"), Reset("a.omega_y", "-e*a.omega_y")]) },
        objectives: { "end": Final("a.omega_x + 2*a.omega_y"), "way": Integral("a.q1*a.omega_z") },"#;
    for formulation in [Nullspace, Multipliers, Stabilized] {
        certified(&spatial(0.5, fields), formulation);
    }
    check_hessian(&experiment(&spatial(0.5, fields), &tolerances(1e-12, 1e-14)), 1e-6);
}

#[test]
fn a_contact_that_goes_on_after_a_reset_has_derivatives() {
    for then in [
        r#"Reset("P.x", "P.x + h")"#,
        r#"Reset("P.y", "h + P.x")"#,
        r#"Reset("P.vy", "3*h")"#,
    ] {
        let fields = format!(
            r#"parameters: {{ "h": 1.0, "f": 0.0, "s": 0.2 }}, gravity: [0, -9.81],
            points: {{ "P": (at: [0, 0.2], velocity: [0.3, 0], mass: 1) }},
            contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, "f"], normal: ["s", 1]), law: Restitution(0)) }},
            events: {{ "set": (when: At(0.7), then: [{then}]) }},
            objectives: {{ "end": Final("P.x + P.y") }},"#
        );
        certified(&planar(0.9, &fields), Nullspace);
    }
}

#[test]
fn the_nearest_place_follows_the_directions_of_the_joints() {
    // What is left free moves across the coupling, whose direction is a parameter.
    let fields = r#"parameters: { "s": 0.7, "k": 0.2, "h": 0.4, "m": 1.5 }, gravity: [0, -1],
        points: { "P": (guess: [0.1, 0.3], mass: "m"), "Q": (at: [0.2, 0], velocity: [0.5, 0], mass: 1) },
        joints: { "link": Coupling(terms: [("P.x", "s"), ("P.y", 1), ("Q.x", "s^2")], equals: "k") },
        events: { "set": (when: At(0.3), then: [Reset("Q.x", "Q.x + h")]) },
        objectives: { "end": Final("P.x + 2*P.y"), "way": Integral("P.x*P.y") },"#;
    for formulation in [Nullspace, Multipliers] {
        certified(&planar(0.6, fields), formulation);
    }
}

#[test]
fn a_contact_that_touches_by_chance_after_a_reset_has_no_derivative() {
    let scene = |to: &str| {
        let fields = format!(
            r#"parameters: {{ "h": 1.0, "f": 0.0 }}, gravity: [0, -9.81],
            points: {{ "P": (at: [0, "h"], mass: 1) }},
            contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, "f"], normal: [0, 1]), law: Restitution(0.5)) }},
            events: {{ "set": (when: At(0.1), then: [Reset("P.y", "{to}")]) }},
            objectives: {{ "end": Final("P.vy") }},"#
        );
        experiment(&planar(0.4, &fields), &tight()).gradient(Method::Forward)
    };
    let error = scene("h - 1").expect_err("no derivative");
    assert_eq!(error.name(), Some("floor"));
    assert!(error.message().contains("has no derivative"), "{error}");
    // With the floor it is put there for every value of the parameter.
    assert!(scene("f").is_ok());
}

#[test]
fn second_derivatives_are_quotients_of_the_gradients() {
    for (duration, fields) in [(1.2, BALL), (0.8, DOUBLE_PENDULUM), (0.9, FOUR_BAR)] {
        let experiment = experiment(&planar(duration, fields), &tolerances(1e-12, 1e-14));
        check_hessian(&experiment, 1e-6);
    }
}

#[test]
fn the_derivative_of_a_reset_is_its_transpose() {
    let experiment = experiment(&planar(0.9, FOUR_BAR), &tight());
    let mechanism = &experiment.mechanism;
    let mut workspace = mechanism.workspace();
    let started = mechanism.start(0.0, &mut workspace).expect("it starts");
    let (n, m) = (started.x.len(), mechanism.model.numbers.len());
    let fired: Vec<usize> = (0..mechanism.guards())
        .filter(|&guard| mechanism.watch(guard) == costate::mechanism::Watch::Event(0))
        .collect();
    let at = At::new(0.0, &started.mode, &started.x);
    let jump = mechanism.linearize_jump(at, &fired, &mut workspace).expect("a jump");
    let wave = |i: usize| ((3 * i + 1) as f64).sin();
    let mu: Vec<f64> = (0..n).map(|i| wave(i + 5)).collect();
    let (mut x_bar, mut numbers_bar) = (vec![0.0; n], vec![0.0; m]);
    mechanism.jump_vjp(
        &jump,
        &mu,
        &mut workspace,
        Cotangents::new(&mut x_bar, &mut numbers_bar),
    );
    let fed = |i: &usize| !mechanism.model.numbers[*i].gradient.is_empty();
    let (mut dx, mut dn) = (vec![0.0; n], vec![0.0; m]);
    let mut out = vec![0.0; n];
    for j in (0..n).chain((0..m).filter(fed).map(|i| n + i)) {
        dx.fill(0.0);
        dn.fill(0.0);
        *dx.iter_mut().chain(&mut dn).nth(j).expect("an entry") = 1.0;
        mechanism.jump_jvp(&jump, &Tangent::new(0.0, &dx, &dn), &mut workspace, &mut out);
        let forward: f64 = out.iter().zip(&mu).map(|(a, b)| a * b).sum();
        let transposed = if j < n { x_bar[j] } else { numbers_bar[j - n] };
        assert!(
            (forward - transposed).abs() < 1e-9 * (1.0 + forward.abs()),
            "{j}: {forward} {transposed}"
        );
    }
}
