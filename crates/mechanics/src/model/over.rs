//! The terms of the equations of motion over any scalar (theory, section 1): what second derivatives are computed from. The
//! flow itself uses [`Model::assemble`](super::Model::assemble), which knows special cases and allocates nothing.

use super::constraint::Constraint;
use super::local::MAX_LOCAL;
use super::quantity::Motion;
use super::{Mode, Model};
use crate::linear::Entries;
use crate::scalar::{Dual2, Scalar};

/// One row of a constraint.
#[derive(Clone, Debug)]
pub struct RowOver<S> {
    /// Jacobian row.
    pub row: Entries<S>,
    /// c.
    pub c: S,
    /// Total rate c'.
    pub rate: S,
    /// Partial time derivative c_t.
    pub c_t: S,
    /// gamma with c'' = C a + gamma.
    pub gamma: S,
}

impl Constraint {
    fn rows_over<S: Scalar, const D: usize>(&self, t: S, q: &[S], v: &[S], numbers: &[S]) -> Vec<RowOver<S>> {
        let zero = S::from(0.0);
        let along = self.rates::<S, D>(t, |i| Dual2::new(q[i], v[i], zero), |i| numbers[i]);
        let row = |values: Dual2<S>| RowOver {
            row: Entries::with_capacity(self.local.width()),
            c: values.re,
            rate: values.v1,
            c_t: zero,
            gamma: values.v2,
        };
        let mut rows: Vec<RowOver<S>> = along.into_iter().take(self.rows).map(row).collect();
        self.columns::<S, D>(
            t,
            |i| q[i],
            |i| numbers[i],
            |local, column| {
                for (row, entry) in rows.iter_mut().zip(column) {
                    row.row.push(self.local.coordinates[local], entry);
                }
            },
        );
        for row in rows.iter_mut().filter(|_| self.rheonomic) {
            row.c_t = row.rate - row.row.dot(v);
        }
        rows
    }
}

impl Model {
    /// The rows of a constraint, whether or not it acts.
    pub fn rows_over<S: Scalar>(&self, constraint: usize, t: S, q: &[S], v: &[S], numbers: &[S]) -> Vec<RowOver<S>> {
        in_dimension!(self.dimension, D => self.constraints[constraint].rows_over::<S, D>(t, q, v, numbers))
    }

    /// Rows of all acting constraints, in the order of the mode.
    pub fn acting_rows_over<S: Scalar>(&self, mode: &Mode, t: S, q: &[S], v: &[S], numbers: &[S]) -> Vec<RowOver<S>> {
        let rows = |&constraint: &usize| self.rows_over(constraint, t, q, v, numbers);
        mode.constraints.iter().flat_map(rows).collect()
    }

    /// Product M(q) a, by coordinates.
    pub fn momentum_over<S: Scalar>(&self, q: &[S], a: &[S], numbers: &[S]) -> Vec<S> {
        let mut sum = vec![S::from(0.0); q.len()];
        for body in &self.bodies {
            let mut part = [S::from(0.0); MAX_LOCAL];
            let (q, a, numbers) = (body.local.pick(q), body.local.pick(a), body.local.pick_numbers(numbers));
            in_dimension!(self.dimension, D => body.momentum::<S, D>(&q, &a, &numbers, &mut part));
            for (&i, part) in body.local.coordinates.iter().zip(part) {
                sum[i] += part;
            }
        }
        sum
    }

    /// Applied forces f with those of inertia beyond M a, by coordinates; of the motion, time, positions, velocities and numbers are read,
    /// those that follow the motion too.
    pub fn force_over<S: Scalar>(&self, mode: &Mode, motion: &Motion<S>) -> Vec<S> {
        in_dimension!(self.dimension, D => self.force_over_in::<S, D>(mode, motion))
    }

    fn force_over_in<S: Scalar, const D: usize>(&self, mode: &Mode, motion: &Motion<S>) -> Vec<S> {
        let mut sum = vec![S::from(0.0); self.nq()];
        let bodies = self.bodies.iter().map(|body| &body.local);
        let forces = self.forces.iter().map(|force| &force.local);
        for (index, local) in bodies.chain(forces).enumerate() {
            let mut part = [S::from(0.0); MAX_LOCAL];
            let (q, v) = (local.pick(motion.q), motion.rates(local));
            let numbers = local.pick_numbers(motion.numbers);
            match index.checked_sub(self.bodies.len()) {
                None => self.bodies[index].force::<S, D>(&q, &v, &numbers, &mut part),
                Some(force) if mode.force_acts(force) => {
                    self.forces[force].apply::<S, D>(motion.t, &q, &v, &numbers, &mut part);
                }
                Some(_) => continue,
            }
            for (&i, part) in local.coordinates.iter().zip(part) {
                sum[i] += part;
            }
        }
        sum
    }
}
