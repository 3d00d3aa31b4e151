//! Accelerations and multipliers over any scalar, and states moved back onto the constraints.

use super::KnownEvents;
use crate::formulation::{Blocks, Corrections, Elimination, saddle_mut};
use crate::linear::{Entries, Frozen, Lu, Sparse};
use crate::model::over::RowOver;
use crate::model::quantity::Motion;
use crate::model::{Frame, Matrix, Mode};
use crate::scalar::Scalar;

/// A motion with values of its own.
pub(super) struct Moved<'a, S> {
    pub frames: &'a [Frame],
    pub t: S,
    pub q: Vec<S>,
    pub v: Vec<S>,
    pub a: Vec<S>,
    pub lambda: Vec<S>,
    pub numbers: Vec<S>,
}

impl<S: Scalar> Moved<'_, S> {
    pub fn motion(&self) -> Motion<'_, S> {
        Motion {
            t: self.t,
            q: &self.q,
            v: &self.v,
            a: &self.a,
            lambda: &self.lambda,
            numbers: &self.numbers,
            frames: self.frames,
        }
    }
}

/// Corrections by the values of [[M, C^T], [C, 0]]; none where they are singular.
fn saddle<S: Scalar>(mass: &Matrix, rows: &[&RowOver<S>], by: Elimination) -> Option<Corrections> {
    let values: Vec<Entries<f64>> = rows.iter().map(|row| row.row.re()).collect();
    if by.is_by_blocks(mass.width())
        && let Some(corrections) = by_blocks(mass, &values)
    {
        return Some(corrections);
    }
    let n = mass.width() + rows.len();
    let mut lu = Lu::new(n);
    saddle_mut(&mut lu, mass, values.iter().map(Entries::iter));
    lu.factor().ok()?;
    Some(Corrections::Dense(Frozen::new(&lu, n)))
}

fn by_blocks(mass: &Matrix, rows: &[Entries<f64>]) -> Option<Corrections> {
    let mut jacobian = Sparse::default();
    for row in rows {
        let (columns, values): (Vec<usize>, Vec<f64>) = row.iter().unzip();
        jacobian.push(&columns).copy_from_slice(&values);
    }
    let (all, mut blocks): (Vec<usize>, _) = ((0..rows.len()).collect(), Box::<Blocks>::default());
    blocks.factor((&[], &all), (mass, 0), &jacobian).ok()?;
    Some(Corrections::Blocks(blocks, jacobian))
}

impl KnownEvents<'_> {
    /// The motion at a state; accelerations and multipliers are zeros unless asked for, and not numbers where undetermined.
    pub(super) fn moved<S: Scalar>(&self, mode: &Mode, t: S, x: &[S], p: &[S], dynamic: bool) -> Moved<'_, S> {
        let (q, v, memory) = self.parts(x);
        let mut moved = Moved {
            frames: &self.model().frames,
            t,
            q: q.to_vec(),
            v: v.to_vec(),
            a: vec![S::from(0.0); v.len()],
            lambda: vec![S::from(0.0); mode.rows],
            numbers: self.numbers(p, memory),
        };
        let Moved { q, v, numbers, .. } = &mut moved;
        self.model().follow(mode, t, q, v, numbers);
        if dynamic {
            match mode.grips.is_empty() {
                true => self.accelerate(mode, &mut moved),
                false => self.accelerate_rubbing(mode, &mut moved),
            }
        }
        moved
    }

    /// Solves M a - C^T lambda = f, C a = -gamma, the former by Z^T (M_q (Z a + Z' v) - f_q).
    fn accelerate<S: Scalar>(&self, mode: &Mode, moved: &mut Moved<S>) {
        let model = self.model();
        let (q, v, numbers) = (&moved.q, &moved.v, &moved.numbers);
        let rows = model.acting_rows_over(mode, moved.t, q, v, numbers);
        let rows: Vec<&RowOver<S>> = mode.independent.iter().map(|&row| &rows[row]).collect();
        let force = model.force_over(mode, &moved.motion());
        let nv = v.len();
        let mut unknowns = vec![S::from(0.0); nv + rows.len()];
        match saddle(&self.mass(q, numbers), &rows, self.mechanism.choices.by) {
            Some(corrections) => corrections.solve(&mut unknowns, |unknowns| {
                let (a, minus_lambda) = unknowns.split_at(nv);
                let second = model.coordinate_accelerations(q, v, a);
                let mut balance = model.momentum_over(q, &second, numbers);
                for (slot, force) in balance.iter_mut().zip(&force) {
                    *slot -= *force;
                }
                let mut residual = vec![S::from(0.0); nv];
                model.write_transposed(q, &balance, &mut residual);
                for (row, minus_lambda) in rows.iter().zip(minus_lambda) {
                    row.row.add_to(*minus_lambda, &mut residual);
                }
                residual.extend(rows.iter().map(|row| row.row.dot(a) + row.gamma));
                residual
            }),
            None => unknowns.fill(S::from(f64::NAN)),
        }
        let minus_lambda = unknowns.split_off(nv);
        moved.a = unknowns;
        for (&row, minus_lambda) in mode.independent.iter().zip(minus_lambda) {
            moved.lambda[row] = -minus_lambda;
        }
    }

    /// Values of the mass matrix, row-major.
    pub(super) fn mass<S: Scalar>(&self, q: &[S], numbers: &[S]) -> Matrix {
        let real = |values: &[S]| values.iter().map(|value| value.re()).collect::<Vec<f64>>();
        self.model().mass(&real(q), &real(numbers))
    }

    /// Moves positions and velocities onto the constraints of a phase by the shortest way, with all derivatives.
    pub fn project<S: Scalar>(&self, phase: usize, t: S, x: &mut [S], p: &[S]) {
        let Some(mode) = self.phases.get(phase).map(|phase| &phase.mode) else {
            return;
        };
        let nv = self.nv();
        let (q, v, memory) = self.parts(x);
        let (numbers, mut v) = (self.numbers(p, memory), v.to_vec());
        let at = |q: &[S], v: &[S]| self.model().acting_rows_over(mode, t, q, v, &numbers);
        let rows = at(q, &v);
        let independent: Vec<&RowOver<S>> = mode.independent.iter().map(|&row| &rows[row]).collect();
        let Some(corrections) = saddle(&self.metric, &independent, self.mechanism.choices.by) else {
            return;
        };
        let residual = |of: &dyn Fn(&RowOver<S>) -> S, rows: &[RowOver<S>]| -> Vec<S> {
            let still = vec![S::from(0.0); nv];
            still
                .into_iter()
                .chain(mode.independent.iter().map(|&row| of(&rows[row])))
                .collect()
        };
        let place = |change: &[S]| -> Vec<S> {
            let moved = self.model().coordinate_rates(q, change);
            q.iter().zip(moved.iter()).map(|(q, change)| *q + change).collect()
        };
        let mut change = vec![S::from(0.0); nv + independent.len()];
        corrections.solve(&mut change, |change| {
            residual(&|row| row.c, &at(&place(&change[..nv]), &v))
        });
        let mut q = place(&change[..nv]);
        self.model().normalize_over(&mut q);
        v.resize(nv + independent.len(), S::from(0.0));
        corrections.solve(&mut v, |v| residual(&|row| row.rate, &at(&q, &v[..nv])));
        x[..q.len()].copy_from_slice(&q);
        x[q.len()..][..nv].copy_from_slice(&v[..nv]);
    }
}
