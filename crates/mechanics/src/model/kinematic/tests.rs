use super::*;
use crate::model::{Coordinate, Start};
use crate::scalar::Dual64;

/// Two plain coordinates, a body, one plain coordinate, a body, one plain coordinate.
fn model() -> Model {
    let mut model = Model {
        dimension: 3,
        ..Model::default()
    };
    let coordinate = |name: String| Coordinate {
        name,
        kind: CoordinateKind::Length,
        start: Start::Number(0),
        held: false,
        velocity: None,
        weight: 1.0,
        measured: None,
    };
    for i in 0..18 {
        model.coordinates.push(coordinate(format!("c{i}")));
    }
    for (k, first) in [2, 10].into_iter().enumerate() {
        let spin = [0, 1, 2].map(|axis| Spin {
            name: format!("w{k}{axis}"),
            held: None,
        });
        model.frames.push(Frame { first, spin, unit: 0 });
    }
    model
}

fn anything(n: usize, seed: f64) -> Vec<f64> {
    (0..n)
        .map(|k| (seed * (1.0 + k as f64) * (k as f64 + 0.3)).sin())
        .collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn velocities_are_listed_in_the_order_of_the_coordinates() {
    let model = model();
    assert_eq!((model.nq(), model.nv()), (18, 16));
    let names: Vec<&str> = model.speeds().map(|speed| speed.name).collect();
    let want = "c0 c1 c2 c3 c4 w00 w01 w02 c9 c10 c11 c12 w10 w11 w12 c17";
    assert_eq!(names.join(" "), want);
    let behind: Vec<_> = (0..18).map(|i| model.velocities_behind(i)).collect();
    for (i, range) in behind.iter().enumerate() {
        let turns = (5..9).contains(&i) || (13..17).contains(&i);
        assert_eq!(model.is_turning(&[i]), turns, "{i}");
        if turns {
            assert_eq!(model.speed(range.start).name, if i < 9 { "w00" } else { "w10" });
            assert_eq!(range.len(), 3);
        } else {
            assert_eq!(model.speed(range.start).name, format!("c{i}"));
            assert_eq!(range.len(), 1);
        }
    }
    assert_eq!(model.velocities_of(&[4, 5, 6, 9]), [4, 5, 6, 7, 8]);
}

#[test]
fn the_transpose_and_the_entries_are_those_of_the_kinematic_matrix() {
    let model = model();
    let (q, v, f) = (anything(18, 1.3), anything(16, 0.7), anything(18, 2.1));
    let rates = model.coordinate_rates(&q, &v);
    let mut transposed = vec![0.0; 16];
    model.write_transposed(&q, &f, &mut transposed);
    assert!((dot(&f, &rates) - dot(&transposed, &v)).abs() < 1e-14);
    for (i, rate) in rates.iter().enumerate() {
        let mut sum = 0.0;
        model.each_rate_factor(i, &q, |j, factor| sum += factor * v[j]);
        assert!((sum - rate).abs() < 1e-15, "{i}");
    }
    // Quaternions keep their length.
    for first in [5, 13] {
        assert!(dot(&q[first..first + 4], &rates[first..first + 4]).abs() < 1e-15);
    }
}

#[test]
fn the_twist_of_a_change_is_what_it_changes_by() {
    let model = model();
    let (q, v) = (anything(18, 1.3), anything(16, 0.7));
    let mut change = model.coordinate_rates(&q, &v);
    for first in [5, 13] {
        // Quaternions of any length, and what lengthens them.
        (0..4).for_each(|i| change[first + i] += 0.3 * q[first + i]);
    }
    let mut twist = vec![0.0; 16];
    model.write_twist(&q, &change, &mut twist);
    for (got, want) in twist.iter().zip(&v) {
        assert!((got - want).abs() < 1e-14, "{got} {want}");
    }
}

#[test]
fn accelerations_are_the_derivatives_of_rates_along_the_motion() {
    let model = model();
    let (q, v, a) = (anything(18, 1.3), anything(16, 0.7), anything(16, 1.9));
    let rates = model.coordinate_rates(&q, &v);
    let moving = |values: &[f64], rates: &[f64]| -> Vec<Dual64> {
        let pairs = values.iter().zip(rates);
        pairs.map(|(&x, &rate)| Dual64::new(x, rate)).collect()
    };
    let along = model.coordinate_rates(&moving(&q, &rates), &moving(&v, &a));
    let mut accelerations = vec![0.0; 18];
    model.write_accelerations(&q, &v, &a, &mut accelerations);
    for (i, (rate, acceleration)) in along.iter().zip(&accelerations).enumerate() {
        assert!((rate.eps - acceleration).abs() < 1e-14, "{i}");
    }
}

#[test]
fn gradients_and_changes_by_hand_are_those_of_dual_numbers() {
    let model = model();
    let (q, v, a, weights) = (
        anything(18, 1.3),
        anything(16, 0.7),
        anything(16, 1.9),
        anything(18, 2.7),
    );
    let (mut by_q, mut by_q_of_a, mut by_v) = (vec![0.0; 18], vec![0.0; 18], vec![0.0; 16]);
    model.add_rates_gradient(&weights, &v, &mut by_q);
    model.add_accelerations_gradient(&weights, [&q, &v, &a], &mut by_q_of_a, &mut by_v);
    let steady = |values: &[f64]| -> Vec<Dual64> { values.iter().map(|&x| Dual64::from(x)).collect() };
    let (mut moved, mut fast, constant) = (steady(&q), steady(&v), steady(&a));
    let weighed = |values: &[Dual64]| -> f64 { values.iter().zip(&weights).map(|(x, w)| x.eps * w).sum() };
    for i in 0..18 {
        moved[i].eps = 1.0;
        let rates = weighed(&model.coordinate_rates(&moved, &fast));
        let mut second = vec![Dual64::from(0.0); 18];
        model.write_accelerations(&moved, &fast, &constant, &mut second);
        moved[i].eps = 0.0;
        assert!((rates - by_q[i]).abs() < 1e-14, "{i}");
        assert!((weighed(&second) - by_q_of_a[i]).abs() < 1e-14, "{i}");
    }
    for j in 0..16 {
        fast[j].eps = 1.0;
        let mut second = vec![Dual64::from(0.0); 18];
        model.write_accelerations(&moved, &fast, &constant, &mut second);
        fast[j].eps = 0.0;
        assert!((weighed(&second) - by_v[j]).abs() < 1e-14, "{j}");
    }
    let (change, mut turned) = (anything(18, 0.4), vec![0.0; 18]);
    model.add_turned_rates(&change, &v, &mut turned);
    assert!((dot(&weights, &turned) - dot(&by_q, &change)).abs() < 1e-14);
}

#[test]
fn lengths_are_restored_and_changes_of_them_removed() {
    let model = model();
    let mut q = anything(18, 1.3);
    assert!(model.normalize(&mut q));
    assert!(!model.normalize(&mut q));
    let mut change = anything(18, 0.9);
    let before = change.clone();
    model.remove_lengthening(&q, &mut change);
    for first in [5, 13] {
        assert!((dot(&q[first..first + 4], &q[first..first + 4]) - 1.0).abs() < 1e-15);
        assert!(dot(&q[first..first + 4], &change[first..first + 4]).abs() < 1e-15);
        assert!(dot(&q[first..first + 4], &before[first..first + 4]).abs() > 1e-3);
    }
    assert_eq!(change[..5], before[..5]);
}
