//! Constraints and gaps: Jacobian, rates and acceleration terms against differences and against other dual numbers.

use num_dual::HyperDual64;

use super::calls::{Comparisons, State, constraint_kind, evaluate, value, zoos};
use crate::element_support::{Random, distance, model, moved, planar, second_slope, size, slope, spatial};
use costate::model::constraint::{Constraint, ConstraintKind};
use costate::model::marker::{Base, Marker};
use costate::model::{Mode, Model, Terms};

const STATES: usize = 6;

/// Kinds whose value is linear in time and coordinates wherever they occur in that space.
fn is_linear(name: &str) -> bool {
    [
        "CoordinateLimit 2",
        "CoordinateLimit 3",
        "Coincidence 3",
        "Slide 3",
        "PlaneGap 3",
    ]
    .contains(&name)
}

fn each(mut visit: impl FnMut(String, &Model, &Constraint, &State)) {
    let mut random = Random::new(1);
    for model in zoos() {
        for _ in 0..STATES {
            let state = State::random(&model, &mut random);
            for constraint in &model.constraints {
                let name = format!("{} {}", constraint_kind(&constraint.kind), model.dimension);
                visit(name, &model, constraint, &state);
            }
        }
    }
}

#[test]
fn jacobian_rows_are_the_derivatives_of_the_values() {
    let mut comparisons = Comparisons::new();
    each(|name, model, constraint, at| {
        let (_, jacobian) = evaluate(model, constraint, at.t, &at.q, &at.v, &at.numbers);
        for (column, &j) in constraint.local.coordinates.iter().enumerate() {
            let width = constraint.local.width();
            let found: Vec<f64> = (0..constraint.rows).map(|row| jacobian[row * width + column]).collect();
            let quotient = slope(0.01, |s| {
                let mut q = at.q.clone();
                q[j] += s;
                value(model, constraint, at.t, &q, &at.numbers)
            });
            let q = State::lift(&at.q, |i, x| HyperDual64::new(x, f64::from(u8::from(i == j)), 0.0, 0.0));
            let numbers = State::lift(&at.numbers, |_, x| HyperDual64::from_re(x));
            let exact = value(model, constraint, HyperDual64::from_re(at.t), &q, &numbers);
            let exact: Vec<f64> = exact.iter().map(|c| c.eps1).collect();
            comparisons
                .entry(name.clone())
                .or_default()
                .add(&found, &exact, &quotient);
        }
    });
    for (name, comparison) in comparisons {
        comparison.judge(&format!("Jacobian of {name}"), 1e-9);
    }
}

#[test]
fn rates_and_gamma_are_first_and_second_derivatives_along_the_motion() {
    let (mut rates, mut gammas) = (Comparisons::new(), Comparisons::new());
    each(|name, model, constraint, at| {
        let (rows, _) = evaluate(model, constraint, at.t, &at.q, &at.v, &at.numbers);
        let motion = |s: f64| value(model, constraint, at.t + s, &moved(&at.q, s, &at.v), &at.numbers);
        let here = motion(0.0);
        assert!(
            distance(&rows.c[..constraint.rows], &here) <= 1e-15 * (1.0 + size(&here)),
            "{name}: {here:?}"
        );
        let q = State::lift(&at.q, |i, x| HyperDual64::new(x, at.v[i], at.v[i], 0.0));
        let numbers = State::lift(&at.numbers, |_, x| HyperDual64::from_re(x));
        let exact = value(model, constraint, HyperDual64::new(at.t, 1.0, 1.0, 0.0), &q, &numbers);
        let part = |part: fn(&HyperDual64) -> f64| exact.iter().map(part).collect::<Vec<f64>>();
        let rate = rates.entry(name.clone()).or_default();
        rate.add(&rows.rate[..constraint.rows], &part(|c| c.eps1), &slope(0.01, motion));
        let gamma = gammas.entry(name).or_default();
        gamma.add(
            &rows.gamma[..constraint.rows],
            &part(|c| c.eps1eps2),
            &second_slope(0.02, motion),
        );
    });
    for (name, comparison) in rates {
        comparison.judge(&format!("rate of {name}"), 1e-9);
    }
    for (name, comparison) in gammas {
        if is_linear(&name) {
            comparison.judge_zero(&format!("gamma of {name}"));
        } else {
            comparison.judge(&format!("gamma of {name}"), 1e-8);
        }
    }
}

#[test]
fn acceleration_of_the_value_along_an_accelerated_motion_is_c_a_plus_gamma() {
    let mut comparisons = Comparisons::new();
    each(|name, model, constraint, at| {
        let (rows, jacobian) = evaluate(model, constraint, at.t, &at.q, &at.v, &at.numbers);
        let width = constraint.local.width();
        let along = |row: usize| -> f64 {
            let columns = constraint.local.coordinates.iter().enumerate();
            columns.map(|(k, &j)| jacobian[row * width + k] * at.a[j]).sum::<f64>() + rows.gamma[row]
        };
        let found: Vec<f64> = (0..constraint.rows).map(along).collect();
        let quotient = second_slope(0.02, |s| {
            let q = moved(&moved(&at.q, s, &at.v), 0.5 * s * s, &at.a);
            value(model, constraint, at.t + s, &q, &at.numbers)
        });
        let q = State::lift(&at.q, |i, x| HyperDual64::new(x, at.v[i], at.v[i], at.a[i]));
        let numbers = State::lift(&at.numbers, |_, x| HyperDual64::from_re(x));
        let exact = value(model, constraint, HyperDual64::new(at.t, 1.0, 1.0, 0.0), &q, &numbers);
        let exact: Vec<f64> = exact.iter().map(|c| c.eps1eps2).collect();
        comparisons.entry(name).or_default().add(&found, &exact, &quotient);
    });
    for (name, comparison) in comparisons {
        comparison.judge(&format!("acceleration of {name}"), 1e-8);
    }
}

#[test]
fn explicit_time_derivative_is_c_t_and_only_drivers_have_one() {
    let mut random = Random::new(2);
    for model in zoos() {
        let mode = Mode::initial(&model);
        let mut terms = Terms::new(&model);
        let state = State::random(&model, &mut random);
        terms.numbers.copy_from_slice(&state.numbers);
        model.assemble(state.t, &state.q, &state.v, &mode, &mut terms);
        let mut driven = 0;
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            let constraint = &model.constraints[index];
            let q = State::lift(&state.q, |_, x| HyperDual64::from_re(x));
            let numbers = State::lift(&state.numbers, |_, x| HyperDual64::from_re(x));
            let exact = value(
                &model,
                constraint,
                HyperDual64::new(state.t, 1.0, 0.0, 0.0),
                &q,
                &numbers,
            );
            for (k, exact) in exact.iter().enumerate() {
                let found = terms.c_t[first + k];
                assert!(
                    (found - exact.eps1).abs() < 1e-13 * size_of_motion(&state),
                    "{}: {found}",
                    constraint.name
                );
                assert_eq!(constraint.rheonomic, exact.eps1 != 0.0, "{}", constraint.name);
                driven += usize::from(exact.eps1 != 0.0);
            }
        }
        assert!(driven >= 3, "{driven} drivers");
    }
}

fn size_of_motion(state: &State) -> f64 {
    state.v.iter().map(|v| v.abs()).sum()
}

#[test]
fn the_assembled_jacobian_holds_the_rows_of_every_constraint_in_their_place() {
    let mut random = Random::new(3);
    for model in zoos() {
        let mode = Mode::initial(&model);
        let mut terms = Terms::new(&model);
        let at = State::random(&model, &mut random);
        terms.numbers.copy_from_slice(&at.numbers);
        // What rows in other places left must not count.
        let mut shifted = mode.clone();
        shifted.groups[0] = false;
        shifted.refresh(&model);
        model.assemble(at.t, &at.q, &at.v, &shifted, &mut terms);
        model.assemble(at.t, &at.q, &at.v, &mode, &mut terms);
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            let constraint = &model.constraints[index];
            let (rows, jacobian) = evaluate(&model, constraint, at.t, &at.q, &at.v, &at.numbers);
            for k in 0..constraint.rows {
                let mut row = vec![0.0; model.nq()];
                constraint
                    .local
                    .scatter_add(&jacobian[k * constraint.local.width()..], &mut row);
                let mut found = vec![0.0; model.nq()];
                terms.jacobian.row(first + k).add_to(1.0, &mut found);
                // What is written by hand rounds in another order.
                let apart = distance(&found, &row);
                assert!(
                    apart <= 4.0 * f64::EPSILON * size(&row),
                    "{}: {apart:e}",
                    constraint.name
                );
                let found = [terms.c[first + k], terms.rate[first + k], terms.gamma[first + k]];
                let expected = [rows.c[k], rows.rate[k], rows.gamma[k]];
                let apart = distance(&found, &expected);
                assert!(
                    apart <= 8.0 * f64::EPSILON * size(&expected).max(1.0),
                    "{}: {apart:e}",
                    constraint.name
                );
            }
        }
    }
}

#[test]
fn hand_written_rows_of_a_distance_equal_the_generic_ones() {
    let plane = r#"ground: { "A": [0.1, -0.2] }, points: { "P": (guess: [1, 1], mass: 1), "Q": (guess: [2, -1], mass: 1) },
        joints: { "of points": Link(from: "P", to: "Q", length: 1.3), "of the ground": Link(from: "A", to: "Q", length: 1.3) },"#;
    let space = r#"ground: { "A": [0.1, -0.2, 0.3] },
        points: { "P": (guess: [1, 1, 0], mass: 1), "Q": (guess: [2, -1, 1], mass: 1) },
        joints: { "of points": Link(from: "P", to: "Q", length: 1.3), "of the ground": Link(from: "A", to: "Q", length: 1.3) },"#;
    let mut random = Random::new(4);
    for model in [model(&planar(plane)), model(&spatial(space))] {
        for constraint in &model.constraints {
            let ConstraintKind::Distance(kind) = &constraint.kind else {
                panic!("{constraint:?}")
            };
            assert!(matches!(
                (kind.a, kind.b),
                (Marker::Base(_), Marker::Base(Base::Point(_)))
            ));
            for _ in 0..20 {
                let at = State::random(&model, &mut random);
                let (rows, jacobian) = evaluate(&model, constraint, at.t, &at.q, &at.v, &at.numbers);
                let q = State::lift(&at.q, |i, x| HyperDual64::new(x, at.v[i], at.v[i], 0.0));
                let numbers = State::lift(&at.numbers, |_, x| HyperDual64::from_re(x));
                let generic = value(&model, constraint, HyperDual64::from_re(at.t), &q, &numbers)[0];
                let along: f64 = constraint
                    .local
                    .coordinates
                    .iter()
                    .zip(&jacobian)
                    .map(|(&j, c)| c * at.v[j])
                    .sum();
                for (hand, generic) in [
                    (rows.c[0], generic.re),
                    (rows.rate[0], generic.eps1),
                    (along, generic.eps1),
                    (rows.gamma[0], generic.eps1eps2),
                ] {
                    assert!(
                        (hand - generic).abs() <= 1e-14 * (1.0 + generic.abs()),
                        "{hand} and {generic}"
                    );
                }
            }
        }
    }
}
