//! Constraints and gaps: derivatives of C^T lambda, c, c' and C a + gamma along directions in every argument.

use std::collections::BTreeSet;

use costate::model::Model;
use costate::model::constraint::Constraint;
use costate::scalar::Dual64;
use num_dual::{HyperDual, HyperDual64};

use super::calls::{Along, Comparisons, State, along, constraint_kind, evaluate, value, zoos};
use crate::element_support::{Random, moved, size, slope};

/// d(C^T lambda), dc, d(c') and d(C a + gamma) one after the other.
type Parts = [Vec<f64>; 4];

const NAMES: [&str; 4] = ["force", "value", "rate", "acceleration"];

fn parts_by_code(model: &Model, constraint: &Constraint, at: &State, lambda: &[f64], d: &Along) -> Parts {
    let found = along(model, constraint, at, lambda, &d.direction());
    let (width, rows) = (constraint.local.width(), constraint.rows);
    assert_eq!(size(&found.force[width..]), 0.0);
    [
        &found.force[..width],
        &found.c[..rows],
        &found.rate[..rows],
        &found.acceleration[..rows],
    ]
    .map(<[f64]>::to_vec)
}

/// C^T lambda, c, c' and C a + gamma at the state moved along the direction.
fn residual_parts(model: &Model, constraint: &Constraint, at: &State, lambda: &[f64], d: &Along, s: f64) -> Parts {
    let (q, v) = (moved(&at.q, s, &d.q), moved(&at.v, s, &d.v));
    let numbers = moved(&at.numbers, s, &d.numbers);
    let (rows, jacobian) = evaluate(model, constraint, at.t + s * d.t, &q, &v, &numbers);
    let (width, count) = (constraint.local.width(), constraint.rows);
    let force = (0..width)
        .map(|k| (0..count).map(|row| jacobian[row * width + k] * lambda[row]).sum())
        .collect();
    let columns = |row: usize| constraint.local.coordinates.iter().zip(&jacobian[row * width..]);
    let acceleration = |row: usize| rows.gamma[row] + columns(row).map(|(&j, c)| c * at.a[j]).sum::<f64>();
    [
        force,
        rows.c[..count].to_vec(),
        rows.rate[..count].to_vec(),
        (0..count).map(acceleration).collect(),
    ]
}

fn parts_by_quotient(model: &Model, constraint: &Constraint, at: &State, lambda: &[f64], d: &Along) -> Parts {
    let all = slope(0.01, |s| residual_parts(model, constraint, at, lambda, d, s).concat());
    let (width, rows) = (constraint.local.width(), constraint.rows);
    let cut = |start: usize, count: usize| all[start..start + count].to_vec();
    [
        cut(0, width),
        cut(width, rows),
        cut(width + rows, rows),
        cut(width + 2 * rows, rows),
    ]
}

/// By hyper-dual numbers over dual numbers: another algebra than the nested duals of the code.
fn parts_by_hyper_dual(model: &Model, constraint: &Constraint, at: &State, lambda: &[f64], d: &Along) -> Parts {
    type Path = HyperDual<Dual64>;
    let fixed = |x: f64| Dual64::from(x);
    let numbers = State::lift(&at.numbers, |i, x| HyperDual64::new(x, 0.0, d.numbers[i], 0.0));
    let t = HyperDual64::new(at.t, 0.0, d.t, 0.0);
    let force = constraint.local.coordinates.iter().map(|&j| {
        let q = State::lift(&at.q, |i, x| {
            HyperDual64::new(x, f64::from(u8::from(i == j)), d.q[i], 0.0)
        });
        let c = value(model, constraint, t, &q, &numbers);
        c.iter().zip(lambda).map(|(c, lambda)| c.eps1eps2 * lambda).sum()
    });
    let q = State::lift(&at.q, |i, x| HyperDual64::new(x, at.v[i], d.q[i], d.v[i]));
    let c = value(model, constraint, HyperDual64::new(at.t, 1.0, d.t, 0.0), &q, &numbers);
    let path = State::lift(&at.q, |i, x| {
        let v = Dual64::new(at.v[i], d.v[i]);
        Path::new(Dual64::new(x, d.q[i]), v, v, fixed(at.a[i]))
    });
    let numbers = State::lift(&at.numbers, |i, x| Path::from_re(Dual64::new(x, d.numbers[i])));
    let t = Path::new(Dual64::new(at.t, d.t), fixed(1.0), fixed(1.0), fixed(0.0));
    let accelerated = value(model, constraint, t, &path, &numbers);
    [
        force.collect(),
        c.iter().map(|c| c.eps2).collect(),
        c.iter().map(|c| c.eps1eps2).collect(),
        accelerated.iter().map(|c| c.eps1eps2.eps).collect(),
    ]
}

/// Compares the three ways over random states of all constraints, in directions made by `directions`.
fn compare(seed: u64, directions: impl Fn(&Model, &Constraint, &mut Random) -> Vec<Along>) -> Comparisons {
    let mut random = Random::new(seed);
    let mut comparisons = Comparisons::new();
    for model in zoos() {
        for _ in 0..3 {
            let at = State::random(&model, &mut random);
            for constraint in &model.constraints {
                let lambda = random.vector(constraint.rows, 1.0);
                for direction in directions(&model, constraint, &mut random) {
                    let found = parts_by_code(&model, constraint, &at, &lambda, &direction);
                    let exact = parts_by_hyper_dual(&model, constraint, &at, &lambda, &direction);
                    let quotient = parts_by_quotient(&model, constraint, &at, &lambda, &direction);
                    for (k, part) in NAMES.iter().enumerate() {
                        let name = format!("{part} of {} {}", constraint_kind(&constraint.kind), model.dimension);
                        comparisons
                            .entry(name)
                            .or_default()
                            .add(&found[k], &exact[k], &quotient[k]);
                    }
                }
            }
        }
    }
    comparisons
}

/// Judges all comparisons; exactly the named ones are zero.
fn judge(comparisons: Comparisons, what: &str, zero: &[&str]) {
    let zero: BTreeSet<&str> = zero.iter().copied().collect();
    for (name, comparison) in &comparisons {
        if zero.contains(name.as_str()) {
            comparison.judge_zero(&format!("{name} along {what}"));
        } else {
            comparison.judge(&format!("{name} along {what}"), 1e-8);
        }
    }
    assert!(zero.iter().all(|name| comparisons.contains_key(*name)), "{zero:?}");
}

#[test]
fn derivatives_along_a_general_direction_are_exact() {
    let comparisons = compare(11, |model, _, random| vec![Along::random(model, random)]);
    let limits = [
        "force of CoordinateLimit 2",
        "acceleration of CoordinateLimit 2",
        "force of CoordinateLimit 3",
    ];
    let others = ["acceleration of CoordinateLimit 3", "force of RelativeAngle 2"];
    judge(comparisons, "everything", &[&limits[..], &others[..]].concat());
}

#[test]
fn derivatives_along_positions_are_exact() {
    let comparisons = compare(12, |model, _, random| {
        vec![Along {
            q: random.vector(model.nq(), 1.0),
            ..Along::zero(model)
        }]
    });
    let mut zero = Vec::new();
    for kind in ["CoordinateLimit 2", "Coupling 2", "RelativeAngle 2"] {
        zero.extend(["force", "rate", "acceleration"].map(|part| format!("{part} of {kind}")));
    }
    for kind in [
        "CoordinateLimit 3",
        "Coupling 3",
        "Coincidence 3",
        "Slide 3",
        "PlaneGap 3",
    ] {
        zero.extend(["force", "rate", "acceleration"].map(|part| format!("{part} of {kind}")));
    }
    judge(comparisons, "q", &zero.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn derivatives_along_velocities_are_exact() {
    let comparisons = compare(13, |model, _, random| {
        vec![Along {
            v: random.vector(model.nq(), 1.0),
            ..Along::zero(model)
        }]
    });
    let kinds: BTreeSet<String> = comparisons
        .keys()
        .filter_map(|name| name.split_once(" of ").map(|x| x.1.to_string()))
        .collect();
    let mut zero: Vec<String> = kinds
        .iter()
        .flat_map(|kind| [format!("force of {kind}"), format!("value of {kind}")])
        .collect();
    let linear = [
        "CoordinateLimit 2",
        "Coupling 2",
        "RelativeAngle 2",
        "CoordinateLimit 3",
        "Coupling 3",
        "Coincidence 3",
    ];
    zero.extend(
        linear
            .iter()
            .chain(&["Slide 3", "PlaneGap 3"])
            .map(|kind| format!("acceleration of {kind}")),
    );
    judge(comparisons, "v", &zero.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn derivatives_along_time_are_exact() {
    let comparisons = compare(14, |model, _, _| {
        vec![Along {
            t: 1.0,
            ..Along::zero(model)
        }]
    });
    let driven = [
        "Cable 2",
        "Cable 3",
        "RelativeAngle 2",
        "Coupling 2",
        "Distance 2",
        "Coupling 3",
        "Distance 3",
    ];
    let of_drivers =
        |name: &String| driven.iter().any(|kind| name.ends_with(&format!(" of {kind}"))) && !name.starts_with("force");
    let zero: Vec<String> = comparisons.keys().filter(|name| !of_drivers(name)).cloned().collect();
    judge(comparisons, "t", &zero.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn derivatives_along_each_number_are_exact() {
    let comparisons = compare(15, |model, constraint, _| {
        let unit = |&i: &usize| {
            let mut direction = Along::zero(model);
            direction.numbers[i] = 1.0;
            direction
        };
        constraint.local.numbers.iter().map(unit).collect()
    });
    let mut zero = Vec::new();
    for kind in ["CoordinateLimit 2", "CoordinateLimit 3"] {
        zero.extend(["force", "rate", "acceleration"].map(|part| format!("{part} of {kind}")));
    }
    zero.push("force of RelativeAngle 2".to_string());
    judge(
        comparisons,
        "numbers",
        &zero.iter().map(String::as_str).collect::<Vec<_>>(),
    );
}

#[test]
fn every_number_of_a_constraint_influences_its_value() {
    let mut random = Random::new(16);
    for model in zoos() {
        let at = State::random(&model, &mut random);
        for constraint in &model.constraints {
            for &number in &constraint.local.numbers {
                let mut direction = Along::zero(&model);
                direction.numbers[number] = 1.0;
                let [_, value, ..] = parts_by_code(&model, constraint, &at, &[1.0; 3], &direction);
                assert!(
                    size(&value) > 1e-6,
                    "{} does not feel {}",
                    constraint.name,
                    model.number_name(number)
                );
            }
        }
    }
}
