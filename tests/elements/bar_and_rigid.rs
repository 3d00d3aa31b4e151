//! Bars and rigid bodies against the masses they consist of.

use costate::model::Model;
use costate::model::body::{Body, BodyKind};

use super::calls::{State, body_force, kinetic, momentum, weight_energy};
use crate::element_support::{Random, coordinate, distance, model, planar, size, spatial};

/// A point of a rigid body: mass and place in the body frame.
type MassPoint = (f64, [f64; 2]);

fn cloud(random: &mut Random) -> Vec<MassPoint> {
    (0..5)
        .map(|_| (random.between(0.2, 1.0), [random.unit(), random.unit()]))
        .collect()
}

/// A scene of the rigid body that the points make up.
fn rigid(points: &[MassPoint]) -> Model {
    let mass: f64 = points.iter().map(|(m, _)| m).sum();
    let centre = [0, 1].map(|k| points.iter().map(|(m, s)| m * s[k]).sum::<f64>() / mass);
    let from_centre = |s: &[f64; 2]| (s[0] - centre[0]).powi(2) + (s[1] - centre[1]).powi(2);
    let inertia: f64 = points.iter().map(|(m, s)| m * from_centre(s)).sum();
    model(&planar(&format!(
        "gravity: [0.4, -9.81], bodies: {{ \"body\": Rigid(mass: {mass:?}, inertia: {inertia:?}, centre: {centre:?}, \
         guess: [0.3, 0.2, 0.1]) }},"
    )))
}

fn one_body(model: &Model) -> &Body {
    let [body] = &model.bodies[..] else {
        panic!("{:?}", model.bodies)
    };
    body
}

#[test]
fn a_rigid_body_with_offset_centre_moves_like_the_points_it_consists_of() {
    let mut random = Random::new(41);
    for _ in 0..10 {
        let points = cloud(&mut random);
        let model = rigid(&points);
        let body = one_body(&model);
        assert!(matches!(body.kind, BodyKind::Rigid(_)));
        let at = State::random(&model, &mut random);
        let gravity = [0.4, -9.81];
        let ([x, y, angle], omega, alpha) = ([at.q[0], at.q[1], at.q[2]], at.v[2], at.a[2]);
        let (mut expected, mut energy, mut potential) = ([0.0; 3], 0.0, 0.0);
        for (m, s) in &points {
            let arm = [
                s[0] * angle.cos() - s[1] * angle.sin(),
                s[0] * angle.sin() + s[1] * angle.cos(),
            ];
            let velocity = [at.v[0] - omega * arm[1], at.v[1] + omega * arm[0]];
            let acceleration = [
                at.a[0] - alpha * arm[1] - omega * omega * arm[0],
                at.a[1] + alpha * arm[0] - omega * omega * arm[1],
            ];
            // d'Alembert: J^T m (acceleration - gravity) of each point.
            let lost = [0, 1].map(|k| m * (acceleration[k] - gravity[k]));
            expected[0] += lost[0];
            expected[1] += lost[1];
            expected[2] += arm[0] * lost[1] - arm[1] * lost[0];
            energy += 0.5 * m * (velocity[0].powi(2) + velocity[1].powi(2));
            potential -= m * (gravity[0] * (x + arm[0]) + gravity[1] * (y + arm[1]));
        }
        let inertia = momentum(&model, body, &at.q, &at.a, &at.numbers);
        let force = body_force(&model, body, &at.q, &at.v, &at.numbers);
        let found: Vec<f64> = inertia.iter().zip(&force).map(|(p, f)| p - f).collect();
        assert!(
            distance(&found, &expected) < 1e-13 * size(&expected),
            "{found:?} and {expected:?}"
        );
        assert!((kinetic(&model, body, &at.q, &at.v, &at.numbers) - energy).abs() < 1e-13 * (1.0 + energy));
        let weight = weight_energy(&model, body, &at.q, &at.numbers);
        assert!(
            (weight - potential).abs() < 1e-13 * (1.0 + potential.abs()),
            "{weight} and {potential}"
        );
    }
}

/// Integral over the bar of `f(s)` for s from 0 to 1, by Simpson's rule over many panels.
fn along_bar(f: impl Fn(f64) -> f64) -> f64 {
    let panels = 50;
    let h = 1.0 / f64::from(panels);
    let panel = |k: i32| {
        let s = h * f64::from(k);
        h / 6.0 * (f(s) + 4.0 * f(s + 0.5 * h) + f(s + h))
    };
    (0..panels).map(panel).sum()
}

/// M a - f of a uniform bar by integration of its mass elements; `ends` are the coordinates of start and end, none on the
/// ground.
fn integrated(nq: usize, mass: f64, gravity: &[f64], ends: [Option<Vec<usize>>; 2], a: &[f64]) -> Vec<f64> {
    let mut residual = vec![0.0; nq];
    let at_end = |end: usize, k: usize| ends[end].as_ref().map_or(0.0, |indices| a[indices[k]]);
    for (k, g) in gravity.iter().enumerate() {
        let lost = |s: f64| mass * ((1.0 - s) * at_end(0, k) + s * at_end(1, k) - g);
        if let Some(start) = &ends[0] {
            residual[start[k]] += along_bar(|s| (1.0 - s) * lost(s));
        }
        if let Some(end) = &ends[1] {
            residual[end[k]] += along_bar(|s| s * lost(s));
        }
    }
    residual
}

fn check_bar(model: &Model, gravity: &[f64], ends: [Option<&str>; 2], random: &mut Random) {
    let axes = ["x", "y", "z"];
    let indices = |name: &str| {
        (0..gravity.len())
            .map(|k| coordinate(model, &format!("{name}.{}", axes[k])))
            .collect()
    };
    let ends = ends.map(|end| end.map(indices));
    let body = one_body(model);
    assert!(matches!(body.kind, BodyKind::Bar(_)));
    let at = State::random(model, random);
    let mut found = vec![0.0; model.nq()];
    body.local
        .scatter_add(&momentum(model, body, &at.q, &at.a, &at.numbers), &mut found);
    let weight = body_force(model, body, &at.q, &at.v, &at.numbers);
    body.local
        .scatter_add(&weight.iter().map(|f| -f).collect::<Vec<_>>(), &mut found);
    let expected = integrated(model.nq(), 1.7, gravity, ends, &at.a);
    assert!(
        distance(&found, &expected) < 1e-13 * size(&expected),
        "{found:?} and {expected:?}"
    );
}

#[test]
fn the_mass_matrix_and_weight_of_a_bar_are_integrals_over_its_length() {
    let mut random = Random::new(42);
    let points = r#""P": (guess: [1, 1]), "Q": (guess: [2, 0.3])"#;
    let bar = |from: &str, to: &str| format!("\"bar\": Bar(from: \"{from}\", to: \"{to}\", length: 1.2, mass: 1.7)");
    let plane = |from: &str, to: &str, points: &str| {
        let text = format!(
            "gravity: [0.4, -9.81], ground: {{ \"A\": [0, 0] }}, points: {{ {points} }}, bodies: {{ {} }},",
            bar(from, to)
        );
        model(&planar(&text))
    };
    check_bar(
        &plane("P", "Q", points),
        &[0.4, -9.81],
        [Some("P"), Some("Q")],
        &mut random,
    );
    let one = r#""P": (guess: [1, 1])"#;
    check_bar(&plane("A", "P", one), &[0.4, -9.81], [None, Some("P")], &mut random);
    check_bar(&plane("P", "A", one), &[0.4, -9.81], [Some("P"), None], &mut random);
    let space = model(&spatial(&format!(
        r#"gravity: [0.4, 1, -9.81], points: {{ "P": (guess: [1, 1, 0]), "Q": (guess: [2, 0, 1]) }}, bodies: {{ {} }},"#,
        bar("P", "Q")
    )));
    check_bar(&space, &[0.4, 1.0, -9.81], [Some("P"), Some("Q")], &mut random);
}

#[test]
fn a_bar_turning_about_its_end_has_a_third_of_its_mass_there() {
    let model = model(&planar(
        r#"ground: { "A": [0, 0] }, points: { "P": (guess: [2, 0]) }, bodies: { "bar": Bar(from: "A", to: "P", length: 2, mass: 3) },"#,
    ));
    let (omega, length, mass) = (1.5, 2.0, 3.0);
    let energy = kinetic(
        &model,
        one_body(&model),
        &[2.0, 0.0],
        &[0.0, omega * length],
        &model.number_values(),
    );
    let expected = 0.5 * (mass * length * length / 3.0) * omega * omega;
    assert!((energy - expected).abs() < 1e-14 * expected, "{energy} and {expected}");
}
