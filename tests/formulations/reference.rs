//! The flow of a mechanism written once more, plainly, generic over the scalar: the exact reference for values and
//! derivatives. Matrices are full, systems are solved by elimination.

#![allow(clippy::needless_range_loop, reason = "indices as in the equations")]

use costate::mechanism::{FormulationChoice, Mechanism};
use costate::model::constraint::MAX_ROWS;
use costate::model::local::MAX_LOCAL;
use costate::model::quantity::{Motion, Readable};
use costate::model::{Mode, Terms};
use costate::scalar::{Dual, Dual2, Scalar};

/// M, f, C, c, c' and gamma at a state.
pub struct FullTerms<S> {
    pub mass: Vec<Vec<S>>,
    pub force: Vec<S>,
    pub jacobian: Vec<Vec<S>>,
    pub c: Vec<S>,
    pub rate: Vec<S>,
    pub gamma: Vec<S>,
}

/// Terms over all rows of the mode.
pub fn terms<S: Scalar>(mechanism: &Mechanism, t: S, mode: &Mode, q: &[S], v: &[S], numbers: &[S]) -> FullTerms<S> {
    let mut numbers = numbers.to_vec();
    mechanism.model.follow(mode, t, q, v, &mut numbers);
    match mechanism.model.dimension {
        2 => terms_in::<S, 2>(mechanism, t, mode, q, v, &numbers),
        _ => terms_in::<S, 3>(mechanism, t, mode, q, v, &numbers),
    }
}

fn terms_in<S: Scalar, const D: usize>(
    m: &Mechanism,
    t: S,
    mode: &Mode,
    q: &[S],
    v: &[S],
    numbers: &[S],
) -> FullTerms<S> {
    let (zero, one, nv) = (S::from(0.0), S::from(1.0), m.model.nq());
    let mut full = FullTerms {
        mass: vec![vec![zero; nv]; nv],
        force: vec![zero; nv],
        jacobian: Vec::new(),
        c: Vec::new(),
        rate: Vec::new(),
        gamma: Vec::new(),
    };
    for body in &m.model.bodies {
        let (bq, bv, bn) = (body.local.pick(q), body.local.pick(v), body.local.pick_numbers(numbers));
        for (column, &j) in body.local.coordinates.iter().enumerate() {
            let mut unit = [zero; MAX_LOCAL];
            unit[column] = one;
            let mut block = [zero; MAX_LOCAL];
            body.momentum::<S, D>(&bq, &unit, &bn, &mut block);
            for (&i, entry) in body.local.coordinates.iter().zip(block) {
                full.mass[i][j] += entry;
            }
        }
        let mut f = [zero; MAX_LOCAL];
        body.force::<S, D>(&bq, &bv, &bn, &mut f);
        for (&i, entry) in body.local.coordinates.iter().zip(f) {
            full.force[i] += entry;
        }
    }
    for (_, force) in m
        .model
        .forces
        .iter()
        .enumerate()
        .filter(|(index, _)| mode.force_acts(*index))
    {
        let (fq, fv, numbers) = (
            force.local.pick(q),
            force.local.pick(v),
            force.local.pick_numbers(numbers),
        );
        let mut f = [zero; MAX_LOCAL];
        force.apply::<S, D>(t, &fq, &fv, &numbers, &mut f);
        for (&i, entry) in force.local.coordinates.iter().zip(f) {
            full.force[i] += entry;
        }
    }
    for &index in &mode.constraints {
        let constraint = &m.model.constraints[index];
        let local = &constraint.local;
        let mut rows = vec![vec![zero; nv]; constraint.rows];
        for &j in &local.coordinates {
            let path: Vec<Dual<S>> = (0..nv)
                .map(|i| Dual::new(q[i], if i == j { one } else { zero }))
                .collect();
            let numbers = local.pick_numbers(numbers).map(Dual::from_re);
            let mut c = [Dual::from_re(zero); MAX_ROWS];
            constraint.value::<Dual<S>, D>(Dual::from_re(t), &local.pick(&path), &numbers, &mut c);
            for (row, value) in rows.iter_mut().zip(c) {
                row[j] = value.eps;
            }
        }
        full.jacobian.extend(rows);
        let path: Vec<Dual2<S>> = (0..nv).map(|i| Dual2::new(q[i], v[i], zero)).collect();
        let numbers = local.pick_numbers(numbers).map(Dual2::from_re);
        let mut c = [Dual2::from_re(zero); MAX_ROWS];
        constraint.value::<Dual2<S>, D>(Dual2::new(t, one, zero), &local.pick(&path), &numbers, &mut c);
        for value in &c[..constraint.rows] {
            full.c.push(value.re);
            full.rate.push(value.v1);
            full.gamma.push(value.v2);
        }
    }
    full
}

/// Solution of a square system by elimination with row pivoting on the values.
pub fn eliminate<S: Scalar>(mut matrix: Vec<Vec<S>>, mut right: Vec<S>) -> Vec<S> {
    let n = right.len();
    for k in 0..n {
        let pivot = (k..n)
            .max_by(|&i, &j| matrix[i][k].re().abs().total_cmp(&matrix[j][k].re().abs()))
            .expect("a row");
        matrix.swap(k, pivot);
        right.swap(k, pivot);
        for i in k + 1..n {
            let factor = matrix[i][k] / matrix[k][k];
            for j in k..n {
                let above = matrix[k][j];
                matrix[i][j] -= factor * above;
            }
            let above = right[k];
            right[i] -= factor * above;
        }
    }
    for i in (0..n).rev() {
        for j in i + 1..n {
            let known = right[j];
            right[i] -= matrix[i][j] * known;
        }
        right[i] /= matrix[i][i];
    }
    right
}

/// Accelerations and multipliers (theory, 1.3 and 1.8) from [[M, C^T], [C, -1/alpha]].
pub fn dynamics<S: Scalar>(mechanism: &Mechanism, mode: &Mode, full: &FullTerms<S>) -> (Vec<S>, Vec<S>) {
    let zero = S::from(0.0);
    let nv = full.force.len();
    let (rows, penalty) = match mechanism.choices.formulation {
        FormulationChoice::Penalty(factors) => ((0..mode.rows).collect(), Some(factors)),
        _ => (mode.independent.clone(), None),
    };
    let n = nv + rows.len();
    let mut matrix = vec![vec![zero; n]; n];
    let mut right = full.force.clone();
    for (row, mass) in matrix.iter_mut().zip(&full.mass) {
        row[..nv].copy_from_slice(mass);
    }
    for (k, &row) in rows.iter().enumerate() {
        for j in 0..nv {
            matrix[nv + k][j] = full.jacobian[row][j];
            matrix[j][nv + k] = full.jacobian[row][j];
        }
        let mut target = full.gamma[row];
        if let Some(factors) = penalty {
            target += full.rate[row] * (2.0 * factors.xi * factors.omega) + full.c[row] * factors.omega.powi(2);
            matrix[nv + k][nv + k] = S::from(-1.0 / factors.alpha);
        }
        right.push(-target);
    }
    let solution = eliminate(matrix, right);
    let mut lambda = vec![zero; mode.rows];
    for (k, &row) in rows.iter().enumerate() {
        lambda[row] = -solution[nv + k];
    }
    (solution[..nv].to_vec(), lambda)
}

/// q' = v, or for the null space v - u with the least u over the sizes Sigma that has C u = c': [[Sigma^-2, C^T], [C, 0]] [u; w] = [0; c'].
fn velocities<S: Scalar>(mechanism: &Mechanism, mode: &Mode, full: &FullTerms<S>, v: &[S]) -> Vec<S> {
    let rows = &mode.independent;
    if mechanism.choices.formulation != FormulationChoice::Nullspace || rows.is_empty() {
        return v.to_vec();
    }
    let (nv, zero) = (v.len(), S::from(0.0));
    let n = nv + rows.len();
    let mut matrix = vec![vec![zero; n]; n];
    let mut right = vec![zero; n];
    let units = mechanism.model.leverage(&mut Terms::new(&mechanism.model));
    for (i, unit) in units.iter().enumerate() {
        matrix[i][i] = S::from(unit.powi(-2));
    }
    for (k, &row) in rows.iter().enumerate() {
        for j in 0..nv {
            matrix[nv + k][j] = full.jacobian[row][j];
            matrix[j][nv + k] = full.jacobian[row][j];
        }
        right[nv + k] = full.rate[row];
    }
    let least = eliminate(matrix, right);
    v.iter().zip(least).map(|(v, u)| *v - u).collect()
}

/// x' of a mechanism in a mode.
pub fn flow<S: Readable>(mechanism: &Mechanism, t: S, mode: &Mode, x: &[S]) -> Vec<S> {
    let model = &mechanism.model;
    let (q, v) = (&x[mechanism.positions()], &x[mechanism.velocities()]);
    let memory = &x[mechanism.quadratures().end..];
    let mut numbers: Vec<S> = model
        .numbers
        .iter()
        .map(|n| S::from(n.value))
        .chain(memory.iter().copied())
        .collect();
    model.follow(mode, t, q, v, &mut numbers);
    let full = terms(mechanism, t, mode, q, v, &numbers);
    let (a, lambda) = dynamics(mechanism, mode, &full);
    let mut dx = velocities(mechanism, mode, &full, v);
    dx.extend(&a);
    let motion = Motion {
        t,
        q,
        v,
        a: &a,
        lambda: &lambda,
        numbers: &numbers,
        frames: &model.frames,
    };
    dx.extend(
        model
            .integrands
            .iter()
            .map(|integrand| integrand.evaluate(model, mode, &motion)),
    );
    dx.resize(x.len(), S::from(0.0));
    dx
}
