//! Every force acts as its kind says, at a motion given by hand.

use std::f64::consts::FRAC_PI_2;

use costate::model::force::ForceKind;
use costate::model::local::MAX_LOCAL;

use crate::{compiled, coordinate, planar, positions};

/// The generalized force on each named coordinate, a quarter second after the start; on all others it is zero.
fn assert_force(force: &str, expected: &[(&str, f64)]) {
    let fields = format!(
        r#"parameters: {{ "k": 3 }},
        ground: {{ "A": [0, 0] }},
        points: {{ "P": (guess: [0, 2]), "Q": (guess: [4, 0], mass: 1) }},
        bodies: {{
            "bar": Bar(from: "A", to: "P", length: 2, mass: 1, markers: {{ "m": [1, 0] }}),
            "box": Rigid(mass: 1, inertia: 1, guess: [1, 0, "pi/2"], markers: {{ "c": [2, 0] }}),
        }},
        forces: {{ "f": {force} }},
        outputs: {{ "angle": "bar.angle" }},"#
    );
    let model = compiled(&planar(&fields)).model;
    let by_name = |values: [f64; 8]| {
        let names = ["P.x", "P.y", "Q.x", "Q.y", "box.x", "box.y", "box.angle", "bar.angle"];
        positions(&model, &names.into_iter().zip(values).collect::<Vec<_>>())
    };
    let q = by_name([0.0, 2.0, 4.0, 0.0, 1.0, 0.0, FRAC_PI_2, FRAC_PI_2]);
    let v = by_name([0.0, 0.0, 3.0, -4.0, 0.0, 0.0, 2.0, 0.5]);
    let element = &model.forces[0];
    assert_eq!(element.name, "f");
    let (q, v) = (element.local.gather::<f64>(&q), element.local.gather::<f64>(&v));
    let numbers = element.local.gather_numbers::<f64>(&model.number_values());
    let mut local = [0.0; MAX_LOCAL];
    element.apply::<f64, 2>(0.25, &q, &v, &numbers, &mut local);
    let mut found = vec![0.0; model.nq()];
    element.local.scatter_add(&local, &mut found);
    let mut wanted = vec![0.0; model.nq()];
    for (name, value) in expected {
        wanted[coordinate(&model, name)] = *value;
    }
    let close = found.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(close, "{force}: {found:?}, expected {wanted:?}");
}

#[test]
fn springs_and_dampers_pull_their_ends_together() {
    let spring = r#"Spring(from: "A", to: "Q", stiffness: "k", natural_length: 1, damping: 2)"#;
    assert_force(spring, &[("Q.x", -15.0)]);
    assert_force(r#"Damper(from: "Q", to: "A", damping: 2)"#, &[("Q.x", -6.0)]);
    let rubber = r#"NonlinearSpring(from: "A", to: "Q", force: "k*length^2 + rate + 4*t", natural_length: 1)"#;
    assert_force(rubber, &[("Q.x", -52.0)]);
    // At the middle of the bar half of the force acts on its end; the marker of the box stands at (1, 2).
    assert_force(
        r#"Spring(from: "bar.m", to: "Q", stiffness: "17^0.5", natural_length: 0)"#,
        &[
            ("P.x", 2.0 * 17_f64.sqrt()),
            ("P.y", -0.5 * 17_f64.sqrt()),
            ("Q.x", -4.0 * 17_f64.sqrt()),
            ("Q.y", 17_f64.sqrt()),
        ],
    );
    let spring = r#"Spring(from: "P", to: "box.c", stiffness: 1, natural_length: 0)"#;
    assert_force(spring, &[("P.x", 1.0), ("box.x", -1.0), ("box.angle", 2.0)]);
}

#[test]
fn torsion_turns_the_second_body_back_and_the_first_the_other_way() {
    let spring = r#"TorsionSpring(between: ("bar", "box"), stiffness: "k", natural_angle: 1, damping: 2)"#;
    assert_force(
        spring,
        &[("box.angle", 3.0 - 2.0 * 1.5), ("bar.angle", -3.0 + 2.0 * 1.5)],
    );
    let spring = r#"TorsionSpring(between: ("ground", "box"), stiffness: "k")"#;
    assert_force(spring, &[("box.angle", -3.0 * FRAC_PI_2)]);
    assert_force(
        r#"TorsionDamper(between: ("bar", "ground"), damping: 2)"#,
        &[("bar.angle", -1.0)],
    );
}

#[test]
fn loads_and_torques_follow_time_and_their_frame() {
    assert_force(r#"Load(at: "Q", force: ["k", "8*t"])"#, &[("Q.x", 3.0), ("Q.y", 2.0)]);
    assert_force(
        r#"Load(at: "Q", force: ["k", "8*t"], frame: Body("bar"))"#,
        &[("Q.x", -2.0), ("Q.y", 3.0)],
    );
    let load = r#"Load(at: "box.c", force: [1, 0], frame: Ground)"#;
    assert_force(load, &[("box.x", 1.0), ("box.angle", -2.0)]);
    assert_force(r#"Torque(on: "box", torque: "k*t")"#, &[("box.angle", 0.75)]);
    assert_force(
        r#"Torque(on: "box", from: "bar", torque: 5)"#,
        &[("box.angle", 5.0), ("bar.angle", -5.0)],
    );
}

#[test]
fn drag_acts_against_the_velocity() {
    assert_force(r#"Drag(at: "Q", linear: 2)"#, &[("Q.x", -6.0), ("Q.y", 8.0)]);
    assert_force(r#"Drag(at: "Q", quadratic: "k")"#, &[("Q.x", -45.0), ("Q.y", 60.0)]);
}

#[test]
fn one_sided_springs_know_their_side_and_inactive_forces_are_off() {
    let side = |one_sided: &str| {
        let model = compiled(&planar(&format!(
            r#"points: {{ "P": (at: [0, 0], mass: 1), "Q": (at: [1, 0], mass: 1) }},
            forces: {{ "f": Spring(from: "P", to: "Q", stiffness: 1, natural_length: 1{one_sided}) }},"#
        )))
        .model;
        let ForceKind::Line(line) = &model.forces[0].kind else {
            panic!()
        };
        (line.side, model.force_active[0])
    };
    assert_eq!(side(""), (0.0, true));
    assert_eq!(side(", one_sided: Tension"), (1.0, true));
    assert_eq!(side(", one_sided: Compression, active: false"), (-1.0, false));
}
