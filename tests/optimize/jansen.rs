//! Jansen's leg beside its closed form.

use std::f64::consts::{PI, TAU};

use costate::run::Changes;

use crate::{open, solved};

/// Lengths b to k and m as published.
const PUBLISHED: [f64; 11] = [41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49.0, 50.0, 61.9, 15.0];

/// Phase and level with which the published leg is flattest.
const FLATTEST: [f64; 2] = [4.803628871, -91.480106055];

type Point = [f64; 2];

/// The point to the left of the way from `p` to `q`, or to its right, with these distances from both.
fn meet(p: Point, from_p: f64, q: Point, from_q: f64, left: bool) -> Option<Point> {
    let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
    let distance = dx.hypot(dy);
    let along = (from_p * from_p - from_q * from_q + distance * distance) / (2.0 * distance);
    let across = from_p * from_p - along * along;
    let across = if left { across.sqrt() } else { -across.sqrt() };
    let (ux, uy) = (dx / distance, dy / distance);
    across
        .is_finite()
        .then(|| [p[0] + ux * along - uy * across, p[1] + uy * along + ux * across])
}

/// The foot at an angle of the crank; none where the leg does not close.
fn foot(lengths: &[f64], angle: f64) -> Option<Point> {
    let &[b, c, d, e, f, g, h, i, j, k, m] = lengths else {
        panic!("{lengths:?}")
    };
    let (pin, fixed) = ([m * angle.cos(), m * angle.sin()], [-38.0, -7.8]);
    let shoulder = meet(fixed, b, pin, j, true)?;
    let knee = meet(fixed, c, pin, k, false)?;
    let hip = meet(fixed, d, shoulder, e, true)?;
    let ankle = meet(hip, f, knee, g, false)?;
    meet(ankle, h, knee, i, false)
}

/// Spread, stride and lift by the trapezoidal rule.
fn closed_form(design: &[f64]) -> [f64; 3] {
    let (lengths, phase, level) = (&design[..11], design[11], design[12]);
    let intervals = 2000;
    let at = |k: i32| foot(lengths, phase + PI * f64::from(k) / f64::from(intervals)).unwrap();
    let mean = |value: &dyn Fn(i32) -> f64| {
        let inner: f64 = (1..intervals).map(value).sum();
        (inner + (value(0) + value(intervals)) / 2.0) / f64::from(intervals)
    };
    [
        mean(&|k| (at(k)[1] - level).powi(2)),
        at(intervals)[0] - at(0)[0],
        mean(&|k| at(k + intervals)[1] - level),
    ]
}

fn near(values: &[(String, f64)], expected: [f64; 3]) {
    for ((name, value), expected) in values.iter().zip(expected) {
        assert!((value - expected).abs() < 3e-5, "{name} {value} {expected}");
    }
}

#[test]
fn the_leg_of_the_published_lengths_walks_as_its_closed_form() {
    let names = "bcdefghijkm".chars().map(|name| name.to_string());
    let names = names.chain(["phase".to_string(), "level".to_string()]);
    let design = [&PUBLISHED[..], &FLATTEST].concat();
    let values: Vec<_> = names.zip(design.iter().copied()).collect();
    let published = open("jansen_leg").with_parameters(&values).unwrap();
    let (report, _) = published.run(false, &mut |_| {}).unwrap();
    near(&report.objectives, closed_form(&design));
    near(&report.objectives, [0.223134, 63.545115, 8.550024]);
}

#[test]
fn the_optimized_leg_is_flatter_than_the_published_one_and_closes_all_round() {
    let experiment = open("jansen_leg");
    let found = solved(&experiment, None);
    assert!(found.best.value < 4e-4, "{}", found.best.value);
    assert!(found.initial.value > 5.0, "{}", found.initial.value);
    assert!(
        found.best.value < closed_form(&[&PUBLISHED[..], &FLATTEST].concat())[0] / 500.0,
        "{}",
        found.best.value
    );
    let task = experiment.optimization.as_ref().unwrap();
    for (value, variable) in found.best.parameters.iter().zip(&task.variables) {
        assert!(
            (variable.lower..=variable.upper).contains(value),
            "{variable:?} {value}"
        );
    }
    for (limit, value) in &found.limits {
        assert!(limit.violation(*value) <= task.stopping.violation, "{limit:?} {value}");
    }
    for k in 0..360 {
        let angle = TAU * f64::from(k) / 360.0;
        assert!(foot(&found.best.parameters[..11], angle).is_some(), "open at {angle}");
    }
    // The turn that the scene goes through with two legs, with one.
    let values: Vec<_> = found
        .variables
        .iter()
        .cloned()
        .zip(found.best.parameters.clone())
        .collect();
    let whole = Changes {
        parameters: values,
        duration: Some(TAU),
        ..Changes::default()
    };
    let path = crate::support::scenes().join("jansen_leg.ron");
    let (report, _) = costate::run::Experiment::open(&path, &whole)
        .unwrap()
        .run(false, &mut |_| {})
        .unwrap();
    assert!(report.objectives[1].1.abs() < 1e-6, "{:?}", report.objectives);
    let [spread, stride, lift] = closed_form(&found.best.parameters);
    assert!((spread - found.best.value).abs() < 3e-5, "{spread}");
    assert!(
        (stride - 63.55).abs() < 3e-5 && (lift - 8.55).abs() < 3e-5,
        "{stride} {lift}"
    );
}
