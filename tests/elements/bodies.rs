//! Bodies: mass and inertia forces from the energies (Lagrange), and their derivatives along every argument.

use costate::model::body::Body;
use costate::model::{Matrix, Mode, Model, Terms};
use costate::scalar::{Dual64, Scalar};
use num_dual::{HyperDual, HyperDual64};

use super::calls::{Along, Comparisons, State, body_force, body_kind, kinetic, momentum, weight_energy, zoos};
use crate::element_support::{Random, distance, moved, size, slope};

fn each(seed: u64, mut visit: impl FnMut(String, &Model, &Body, &State, &mut Random)) {
    let mut random = Random::new(seed);
    for model in zoos() {
        for _ in 0..6 {
            let at = State::random(&model, &mut random);
            for body in &model.bodies {
                visit(
                    format!("{} {}", body_kind(&body.kind), model.dimension),
                    &model,
                    body,
                    &at,
                    &mut random,
                );
            }
        }
    }
}

/// M a - f of a body, over its local coordinates.
fn residual<S: Scalar>(model: &Model, body: &Body, q: &[S], v: &[S], a: &[S], numbers: &[S]) -> Vec<S> {
    let force = body_force(model, body, q, v, numbers);
    momentum(model, body, q, a, numbers)
        .into_iter()
        .zip(force)
        .map(|(p, f)| p - f)
        .collect()
}

/// The same from the energies: d/dt (dT/dv) - dT/dq + dV/dq.
fn lagrange<S: Scalar>(model: &Model, body: &Body, q: &[S], v: &[S], a: &[S], numbers: &[S]) -> Vec<S> {
    let (zero, one) = (S::from(0.0), S::from(1.0));
    let numbers: Vec<HyperDual<S>> = numbers.iter().map(|&x| HyperDual::from_re(x)).collect();
    let entry = |&j: &usize| {
        let unit = |i: usize| if i == j { one } else { zero };
        let parts = |x: &[S], first: &dyn Fn(usize) -> S, second: &dyn Fn(usize) -> S| -> Vec<HyperDual<S>> {
            let part = |(i, &x): (usize, &S)| HyperDual::new(x, first(i), second(i), zero);
            x.iter().enumerate().map(part).collect()
        };
        // First part: derivative by v_j; second part: along the motion.
        let along_q = parts(q, &|_| zero, &|i| v[i]);
        let along_v = parts(v, &unit, &|i| a[i]);
        let momentum_rate = kinetic(model, body, &along_q, &along_v, &numbers).eps1eps2;
        let by_q = parts(q, &unit, &|_| zero);
        let held_v = parts(v, &|_| zero, &|_| zero);
        let energy = kinetic(model, body, &by_q, &held_v, &numbers) - weight_energy(model, body, &by_q, &numbers);
        momentum_rate - energy.eps1
    };
    body.local.coordinates.iter().map(entry).collect()
}

#[test]
fn mass_weight_and_inertia_forces_are_lagranges() {
    each(31, |name, model, body, at, _| {
        let found = residual(model, body, &at.q, &at.v, &at.a, &at.numbers);
        let expected = lagrange(model, body, &at.q, &at.v, &at.a, &at.numbers);
        assert!(size(&found) > 0.1, "{name}");
        assert!(
            distance(&found, &expected) < 1e-13 * size(&found),
            "{name}: {found:?} and {expected:?}"
        );
    });
}

pub fn along(model: &Model, body: &Body, at: &State, d: &Along) -> Vec<f64> {
    let q = State::lift(&at.q, |i, x| Dual64::new(x, d.q[i]));
    let v = State::lift(&at.v, |i, x| Dual64::new(x, d.v[i]));
    let numbers = State::lift(&at.numbers, |i, x| Dual64::new(x, d.numbers[i]));
    let found = match model.dimension {
        2 => body.along::<2>(|i| q[i], |i| v[i], &at.a, |i| numbers[i]),
        _ => body.along::<3>(|i| q[i], |i| v[i], &at.a, |i| numbers[i]),
    };
    found[..body.local.width()].to_vec()
}

fn compare(seed: u64, directions: impl Fn(&Model, &Body, &mut Random) -> Vec<Along>) -> Comparisons {
    let mut comparisons = Comparisons::new();
    each(seed, |name, model, body, at, random| {
        for d in directions(model, body, random) {
            let found = along(model, body, at, &d);
            let part = |x: f64, slope: f64| Dual64::new(x, slope);
            let q = State::lift(&at.q, |i, x| part(x, d.q[i]));
            let v = State::lift(&at.v, |i, x| part(x, d.v[i]));
            let a = State::lift(&at.a, |_, x| part(x, 0.0));
            let numbers = State::lift(&at.numbers, |i, x| part(x, d.numbers[i]));
            let exact: Vec<f64> = lagrange(model, body, &q, &v, &a, &numbers)
                .iter()
                .map(|r| r.eps)
                .collect();
            let quotient = slope(0.01, |s| {
                let (q, v) = (moved(&at.q, s, &d.q), moved(&at.v, s, &d.v));
                residual(model, body, &q, &v, &at.a, &moved(&at.numbers, s, &d.numbers))
            });
            comparisons
                .entry(name.clone())
                .or_default()
                .add(&found, &exact, &quotient);
        }
    });
    comparisons
}

fn judge(comparisons: Comparisons, what: &str, zero: &[&str]) {
    for (name, comparison) in comparisons {
        let what = format!("{name} along {what}");
        if zero.contains(&name.as_str()) {
            comparison.judge_zero(&what);
        } else {
            comparison.judge(&what, 1e-9);
        }
    }
}

/// Bodies in natural coordinates: constant mass and weight.
const CONSTANT: [&str; 4] = ["Particle 2", "Bar 2", "Particle 3", "Bar 3"];

#[test]
fn derivatives_along_positions_are_those_of_the_energies() {
    let directions = |model: &Model, _: &Body, random: &mut Random| {
        vec![Along {
            q: random.vector(model.nq(), 1.0),
            ..Along::zero(model)
        }]
    };
    judge(compare(32, directions), "q", &CONSTANT);
}

#[test]
fn derivatives_along_velocities_are_those_of_the_energies() {
    let directions = |model: &Model, _: &Body, random: &mut Random| {
        vec![Along {
            v: random.vector(model.nq(), 1.0),
            ..Along::zero(model)
        }]
    };
    judge(compare(33, directions), "v", &CONSTANT);
}

#[test]
fn derivatives_along_each_number_are_those_of_the_energies() {
    let directions = |model: &Model, body: &Body, _: &mut Random| {
        let unit = |&i: &usize| {
            let mut direction = Along::zero(model);
            direction.numbers[i] = 1.0;
            direction
        };
        body.local.numbers.iter().map(unit).collect()
    };
    judge(compare(34, directions), "numbers", &[]);
}

#[test]
fn the_mass_matrix_is_the_second_derivative_of_the_kinetic_energy() {
    each(35, |name, model, body, at, _| {
        let nv = model.nq();
        let mut mass = Matrix::of_bodies(model);
        match model.dimension {
            2 => body.add_mass::<2>(&at.q, &at.numbers, &body.local.coordinates, &mut mass),
            _ => body.add_mass::<3>(&at.q, &at.numbers, &body.local.coordinates, &mut mass),
        }
        let q = State::lift(&at.q, |_, x| HyperDual64::from_re(x));
        let numbers = State::lift(&at.numbers, |_, x| HyperDual64::from_re(x));
        let unit = |i: usize, j: usize| f64::from(u8::from(i == j));
        for i in 0..nv {
            for j in 0..nv {
                let v = State::lift(&at.v, |k, x| HyperDual64::new(x, unit(k, i), unit(k, j), 0.0));
                let expected = kinetic(model, body, &q, &v, &numbers).eps1eps2;
                assert!(
                    (mass.row(i).entry(j) - expected).abs() < 1e-14 * (1.0 + mass.max_abs()),
                    "{name} ({i}, {j})"
                );
            }
        }
        let energy = kinetic(model, body, &at.q, &at.v, &at.numbers);
        assert!(energy > 0.0, "{name}: {energy}");
    });
}

#[test]
fn the_assembled_mass_and_force_are_the_sums_over_bodies_and_forces() {
    let mut random = Random::new(36);
    for model in zoos() {
        let at = State::random(&model, &mut random);
        let nv = model.nq();
        let mode = Mode::initial(&model);
        let mut terms = Terms::new(&model);
        // Twice: what an earlier assembly left must not count.
        let elsewhere = State::random(&model, &mut random);
        model.assemble(elsewhere.t, &elsewhere.q, &elsewhere.v, &mode, &mut terms);
        let numbers = terms.numbers.clone();
        model.assemble(at.t, &at.q, &at.v, &mode, &mut terms);
        let (mut mass, mut force) = (Matrix::of_bodies(&model), vec![0.0; nv]);
        for body in &model.bodies {
            match model.dimension {
                2 => body.add_mass::<2>(&at.q, &numbers, &body.local.coordinates, &mut mass),
                _ => body.add_mass::<3>(&at.q, &numbers, &body.local.coordinates, &mut mass),
            }
            body.local
                .scatter_add(&body_force(&model, body, &at.q, &at.v, &numbers), &mut force);
        }
        for element in &model.forces {
            element.local.scatter_add(
                &super::calls::applied(&model, element, at.t, &at.q, &at.v, &numbers),
                &mut force,
            );
        }
        for (expected, row) in mass.dense(nv).chunks(nv).zip(terms.mass.dense(nv).chunks(nv)) {
            assert!(distance(expected, row) < 1e-14, "mass");
        }
        assert!(distance(&force, &terms.force) < 1e-13 * size(&force), "force");
    }
}
