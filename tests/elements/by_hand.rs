//! Rows and derivatives that are written by hand, of every constraint at once, gaps and limits among them: held to those that
//! dual numbers make of the value alone.

use costate::linear::{LANES, Lane, lanes};
use costate::model::gradient::{Gradient, Weights};
use costate::model::lanes::{Directions, ResidualLanes};
use costate::model::residual::Instant;
use costate::model::{Mode, Model, Terms};

use super::calls::{Along, State, along, evaluate, zoos};
use crate::element_support::{Random, distance, size};

/// The zoos with a parameter behind every number, in the mode in which every constraint acts.
fn all_acting() -> [(Model, Mode); 2] {
    zoos().map(|mut model| {
        for number in &mut model.numbers {
            number.gradient = vec![(0, 1.0)];
        }
        let mut mode = Mode::initial(&model);
        mode.constraints = (0..model.constraints.len()).collect();
        mode.offsets.clear();
        mode.rows = 0;
        for constraint in &model.constraints {
            mode.offsets.push(mode.rows);
            mode.rows += constraint.rows;
        }
        (model, mode)
    })
}

/// A direction with time and memory held.
fn direction(model: &Model, random: &mut Random) -> Along {
    let mut along = Along::random(model, random);
    along.t = 0.0;
    along.numbers[model.memory_start()..].fill(0.0);
    along
}

/// Derivatives of M a - f - C^T lambda, C a + gamma, c and c' along a direction, element by element.
fn expected(model: &Model, mode: &Mode, at: &State, lambda: &[f64], d: &Along) -> [Vec<f64>; 4] {
    let mut force = vec![0.0; model.nv()];
    let [mut acceleration, mut c, mut rate] = [(); 3].map(|()| vec![0.0; mode.rows]);
    for body in &model.bodies {
        let parts = super::bodies::along(model, body, at, d);
        body.local.scatter_add(&parts, &mut force);
    }
    for (_, element) in model.forces.iter().enumerate().filter(|(i, _)| mode.force_acts(*i)) {
        let parts = super::forces::along(model, element, at, d);
        element.local.scatter_subtract(&parts, &mut force);
    }
    for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
        let (constraint, rows) = (&model.constraints[index], first..first + model.constraints[index].rows);
        let parts = along(model, constraint, at, &lambda[rows.clone()], &d.direction());
        constraint.local.scatter_subtract(&parts.force, &mut force);
        for (k, row) in rows.enumerate() {
            (acceleration[row], c[row], rate[row]) = (parts.acceleration[k], parts.c[k], parts.rate[k]);
        }
    }
    [force, acceleration, c, rate]
}

fn instant<'a>(at: &'a State, lambda: &'a [f64]) -> Instant<'a> {
    Instant {
        t: at.t,
        q: &at.q,
        v: &at.v,
        a: &at.a,
        lambda,
        attitudes: None,
    }
}

#[test]
fn rows_are_those_of_the_value() {
    let mut random = Random::new(31);
    for (model, mode) in all_acting() {
        let at = State::random(&model, &mut random);
        let mut terms = Terms::new(&model);
        terms.numbers.copy_from_slice(&at.numbers);
        model.assemble_constraints(at.t, &at.q, &at.v, &mode, &mut terms);
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            let constraint = &model.constraints[index];
            let (rows, jacobian) = evaluate(&model, constraint, at.t, &at.q, &at.v, &at.numbers);
            let width = constraint.local.width();
            for k in 0..constraint.rows {
                let row = &jacobian[k * width..][..width];
                let along_motion = constraint.local.coordinates.iter().zip(row);
                let along_motion: f64 = along_motion.map(|(&j, entry)| entry * at.v[j]).sum();
                let [mut found, mut wanted] = [(); 2].map(|()| vec![0.0; model.nq()]);
                terms.jacobian.row(first + k).add_to(1.0, &mut found);
                constraint.local.scatter_add(row, &mut wanted);
                let row = first + k;
                found.extend([terms.c[row], terms.rate[row], terms.c_t[row], terms.gamma[row]]);
                wanted.extend([rows.c[k], rows.rate[k], rows.rate[k] - along_motion, rows.gamma[k]]);
                let apart = distance(&found, &wanted);
                assert!(apart <= 1e-13 * size(&wanted), "{}: {apart:e}", constraint.name);
            }
        }
    }
}

#[test]
fn four_directions_at_once_are_four_directions() {
    let mut random = Random::new(32);
    for (model, mode) in all_acting() {
        let (at, lambda) = (State::random(&model, &mut random), random.vector(mode.rows, 1.0));
        let mut terms = Terms::new(&model);
        terms.numbers.copy_from_slice(&at.numbers);
        model.assemble(at.t, &at.q, &at.v, &mode, &mut terms);
        let along: Vec<Along> = (0..LANES).map(|_| direction(&model, &mut random)).collect();
        let of = |list: &dyn Fn(&Along) -> Vec<f64>| -> Vec<Lane> {
            lanes(&along.iter().map(list).collect::<Vec<_>>()).remove(0)
        };
        let (q, v) = (of(&|d| d.q.clone()), of(&|d| d.v.clone()));
        let numbers = of(&|d| d.numbers.clone());
        let (numbers, memory) = numbers.split_at(model.memory_start());
        let directions = Directions {
            q: &q,
            v: &v,
            numbers,
            memory,
        };
        let mut found = ResidualLanes::default();
        model.residual_lanes(&instant(&at, &lambda), &mode, &terms, &directions, &mut found);
        for (lane, d) in along.iter().enumerate() {
            let parts = [&found.force, &found.acceleration, &found.c, &found.rate];
            for (part, wanted) in parts.into_iter().zip(expected(&model, &mode, &at, &lambda, d)) {
                let found: Vec<f64> = part.iter().map(|lanes| lanes[lane]).collect();
                for (i, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
                    let apart = (found - wanted).abs();
                    assert!(
                        apart <= 1e-11 * (1.0 + wanted.abs()),
                        "{i}: {found} instead of {wanted}"
                    );
                }
            }
        }
    }
}

#[test]
fn weighted_gradients_are_the_transpose_of_the_derivatives() {
    let mut random = Random::new(33);
    for (model, mode) in all_acting() {
        let (at, lambda) = (State::random(&model, &mut random), random.vector(mode.rows, 1.0));
        let mut terms = Terms::new(&model);
        terms.numbers.copy_from_slice(&at.numbers);
        model.assemble(at.t, &at.q, &at.v, &mode, &mut terms);
        let alpha = random.vector(model.nv(), 1.0);
        // Each constraint is weighed alone too, that nothing wrong is lost among the others.
        for only in std::iter::once(None).chain((0..mode.constraints.len()).map(Some)) {
            let mut weigh = || -> Vec<f64> {
                let mut weights = random.vector(mode.rows, 1.0);
                if let Some(only) = only {
                    let kept = mode.offsets[only]..mode.offsets[only] + model.constraints[only].rows;
                    (0..mode.rows)
                        .filter(|row| !kept.contains(row))
                        .for_each(|row| weights[row] = 0.0);
                }
                weights
            };
            let weights = [weigh(), weigh(), weigh(), weigh()];
            let lambda: Vec<f64> = weights[0].iter().zip(&lambda).map(|(w, l)| w * l).collect();
            let [mut q, mut v] = [(); 2].map(|()| vec![0.0; model.nv()]);
            let mut numbers = vec![0.0; at.numbers.len()];
            let mut gradient = Gradient {
                q: &mut q,
                v: &mut v,
                numbers: &mut numbers,
            };
            let given = Weights {
                alpha: &alpha,
                beta: &weights[1],
                rate: &weights[2],
                value: &weights[3],
            };
            model.residual_gradient(&instant(&at, &lambda), &mode, &terms, &given, &mut gradient);
            let d = direction(&model, &mut random);
            let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
            let found = dot(&q, &d.q) + dot(&v, &d.v) + dot(&numbers, &d.numbers);
            let [force, acceleration, c, rate] = expected(&model, &mode, &at, &lambda, &d);
            let parts = [
                dot(&alpha, &force),
                dot(&weights[1], &acceleration),
                dot(&weights[3], &c),
                dot(&weights[2], &rate),
            ];
            let (wanted, scale) = (parts.iter().sum::<f64>(), parts.iter().map(|x| x.abs()).sum::<f64>());
            let name = only.map_or("all", |only| &model.constraints[only].name);
            let apart = (found - wanted).abs();
            assert!(apart <= 1e-12 * scale.max(1.0), "{name}: {found} instead of {wanted}");
        }
    }
}
