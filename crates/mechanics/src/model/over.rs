//! The terms of the equations of motion over any scalar (theory, section 1): what second derivatives are computed from. The
//! flow itself uses [`Model::assemble`](super::Model::assemble), which knows special cases and allocates nothing.

use super::constraint::Constraint;
use super::kinematic::{drift, rate};
use super::local::MAX_LOCAL;
use super::quantity::Motion;
use super::{Mode, Model};
use crate::linear::{Entries, Lent};
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
    fn rows_over<S: Scalar, const D: usize>(
        &self,
        t: S,
        motion: impl Fn(usize) -> Dual2<S>,
        numbers: &[S],
    ) -> Vec<RowOver<S>> {
        let zero = S::from(0.0);
        let along = self.rates::<S, D>(t, &motion, |i| numbers[i]);
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
            |i| motion(i).re,
            |i| numbers[i],
            |local, column| {
                for (row, entry) in rows.iter_mut().zip(column) {
                    row.row.push(self.local.coordinates[local], entry);
                }
            },
        );
        for row in rows.iter_mut().filter(|_| self.rheonomic) {
            row.c_t = row.rate - row.row.dot_by(|i| motion(i).v1);
        }
        rows
    }
}

impl Model {
    fn rows_by_coordinates<S: Scalar>(
        &self,
        constraint: usize,
        t: S,
        motion: impl Fn(usize) -> Dual2<S>,
        numbers: &[S],
    ) -> Vec<RowOver<S>> {
        in_dimension!(self.dimension, D => self.constraints[constraint].rows_over::<S, D>(t, motion, numbers))
    }

    /// The rows of a constraint over the coordinates, which are at rest.
    pub fn rows_at_rest<S: Scalar>(&self, constraint: usize, t: S, q: &[S], numbers: &[S]) -> Vec<RowOver<S>> {
        self.rows_by_coordinates(constraint, t, |i| Dual2::from_re(q[i]), numbers)
    }

    /// The same of all acting constraints, in the order of the mode.
    pub fn acting_rows_at_rest<S: Scalar>(&self, mode: &Mode, t: S, q: &[S], numbers: &[S]) -> Vec<RowOver<S>> {
        let rows = |&constraint: &usize| self.rows_at_rest(constraint, t, q, numbers);
        mode.constraints.iter().flat_map(rows).collect()
    }

    /// The rows of a constraint over the velocities, whether or not it acts.
    pub fn rows_over<S: Scalar>(&self, constraint: usize, t: S, q: &[S], v: &[S], numbers: &[S]) -> Vec<RowOver<S>> {
        let frames = &self.frames;
        let motion = |i: usize| Dual2::new(q[i], rate(frames, i, q, v), drift(frames, i, q, v));
        let mut rows = self.rows_by_coordinates(constraint, t, motion, numbers);
        if !frames.is_empty() {
            rows.iter_mut()
                .for_each(|row| row.row = self.over_velocities(&row.row, q));
        }
        rows
    }

    /// Rows of all acting constraints over the velocities, in the order of the mode.
    pub fn acting_rows_over<S: Scalar>(&self, mode: &Mode, t: S, q: &[S], v: &[S], numbers: &[S]) -> Vec<RowOver<S>> {
        let rows = |&constraint: &usize| self.rows_over(constraint, t, q, v, numbers);
        mode.constraints.iter().flat_map(rows).collect()
    }

    /// A row over the coordinates carried over to the velocities: n Z.
    pub fn over_velocities<S: Scalar>(&self, row: &Entries<S>, q: &[S]) -> Entries<S> {
        let mut found = Entries::with_capacity(row.iter().len());
        for (i, value) in row.iter() {
            self.each_rate_factor(i, q, |j, factor| found.add(j, value * factor));
        }
        found
    }

    /// Product M_q(q) a of second derivatives of the coordinates, by these.
    pub fn momentum_over<S: Scalar>(&self, q: &[S], a: &[S], numbers: &[S]) -> Lent<S> {
        let mut sum = Lent::new(q.len(), S::from(0.0));
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

    /// Product M(q) a, by velocities: Z^T M_q Z a.
    pub fn momentum_by_velocities<S: Scalar>(&self, q: &[S], a: &[S], numbers: &[S]) -> Lent<S> {
        if self.frames.is_empty() {
            return self.momentum_over(q, a, numbers);
        }
        let by_coordinates = self.momentum_over(q, &self.coordinate_rates(q, a), numbers);
        let mut found = Lent::new(self.nv(), S::from(0.0));
        self.write_transposed(q, &by_coordinates, &mut found);
        found
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
