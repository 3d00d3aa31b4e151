//! Derivatives where there are rigid bodies in space, by rates of coordinates: along a direction of everything, along several of what is
//! not written by hand (theory, 7.1).

use super::constraint::Direction;
use super::lanes::{Directions, ResidualLanes};
use super::local::{Local, MAX_LOCAL};
use super::residual::{Instant, ResidualAlong};
use super::{Mode, Model, Terms};
use crate::linear::{LANES, Lane, Lent, pairs};
use crate::scalar::{Dual2, Dual64, Scalar, each};

/// A motion by coordinates.
pub(super) struct Moved<'a, S: Scalar> {
    model: &'a Model,
    t: S,
    numbers: &'a [S],
    q: &'a [S],
    pub(super) rates: Lent<S>,
    pub(super) accelerations: Lent<S>,
}

impl<'a> Moved<'a, Dual64> {
    /// Along the loaded direction.
    fn along(model: &'a Model, loaded: &'a ResidualAlong) -> Self {
        let ResidualAlong {
            t, q, v, a, numbers, ..
        } = loaded;
        Self::new(model, *t, [q, v, a], numbers)
    }
}

impl<'a, S: Scalar> Moved<'a, S> {
    pub(super) fn new(model: &'a Model, t: S, [q, v, a]: [&'a [S]; 3], numbers: &'a [S]) -> Self {
        Self {
            model,
            t,
            numbers,
            q,
            rates: model.coordinate_rates(q, v),
            accelerations: model.coordinate_accelerations(q, v, a),
        }
    }

    /// M q'' - f by coordinates.
    fn unconstrained<const D: usize>(&self, mode: &Mode) -> Lent<S> {
        let mut residual = Lent::new(self.model.nq(), S::from(0.0));
        let seen = |local: &Local| {
            (
                local.pick(self.q),
                local.pick(&self.rates),
                local.pick_numbers(self.numbers),
            )
        };
        for body in &self.model.bodies {
            let (local, (q, rates, numbers)) = (&body.local, seen(&body.local));
            let mut force = [S::from(0.0); MAX_LOCAL];
            let mut momentum = [S::from(0.0); MAX_LOCAL];
            body.momentum::<S, D>(&q, &local.pick(&self.accelerations), &numbers, &mut momentum);
            body.force::<S, D>(&q, &rates, &numbers, &mut force);
            for (k, &i) in local.coordinates.iter().enumerate() {
                residual[i] += momentum[k] - force[k];
            }
        }
        self.subtract_forces::<D>(mode, |_| true, &mut residual);
        residual
    }

    /// Subtracts the acting forces that are wanted, by coordinates.
    pub(super) fn subtract_forces<const D: usize>(
        &self,
        mode: &Mode,
        wanted: impl Fn(usize) -> bool,
        residual: &mut [S],
    ) {
        let acting = (0..self.model.forces.len()).filter(|&index| mode.force_acts(index) && wanted(index));
        for force in acting.map(|index| &self.model.forces[index]) {
            let local = &force.local;
            let (q, rates, numbers) = (
                local.pick(self.q),
                local.pick(&self.rates),
                local.pick_numbers(self.numbers),
            );
            let mut own = [S::from(0.0); MAX_LOCAL];
            force.apply::<S, D>(self.t, &q, &rates, &numbers, &mut own);
            for (k, &i) in local.coordinates.iter().enumerate() {
                residual[i] -= own[k];
            }
        }
    }

    /// c, c' and c'' of the acting rows.
    fn rows<const D: usize>(&self, mode: &Mode) -> Lent<[S; 3]> {
        Lent::of(mode.constraints.iter().flat_map(|&index| self.rows_of::<D>(index)))
    }

    /// The same of one constraint.
    fn rows_of<const D: usize>(&self, index: usize) -> impl Iterator<Item = [S; 3]> {
        let motion = |i: usize| Dual2::new(self.q[i], self.rates[i], self.accelerations[i]);
        let constraint = &self.model.constraints[index];
        let along = constraint.rates::<S, D>(self.t, motion, |i| self.numbers[i]);
        let rows = along.into_iter().take(constraint.rows);
        rows.map(|row| [row.re, row.v1, row.v2])
    }

    /// Adds the product of C_q^T with values by the rows of the mode.
    fn push_acting<const D: usize>(&self, mode: &Mode, values: impl Fn(usize) -> f64, out: &mut [S]) {
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            self.push::<D>(index, |row| values(first + row), out);
        }
    }

    /// The same for the rows of a constraint.
    pub(super) fn push<const D: usize>(&self, index: usize, values: impl Fn(usize) -> f64, out: &mut [S]) {
        let constraint = &self.model.constraints[index];
        let lambda = each(|row| if row < constraint.rows { values(row) } else { 0.0 });
        let (q, numbers) = (|i: usize| self.q[i], |i: usize| self.numbers[i]);
        constraint.push::<S, D>(self.t, q, numbers, lambda, |local, value| {
            out[constraint.local.coordinates[local]] += value;
        });
    }
}

impl Model {
    /// As [`Model::residual_along`].
    pub(super) fn residual_along_lifted<const D: usize>(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        direction: &Direction,
        out: &mut ResidualAlong,
    ) {
        out.seed((self, mode), at, &terms.numbers, direction);
        let moved = Moved::along(self, out);
        let mut residual = moved.unconstrained::<D>(mode);
        moved.push_acting::<D>(mode, |row| -at.lambda[row], &mut residual);
        let mut force = Lent::new(self.nv(), Dual64::from(0.0));
        self.write_transposed(moved.q, &residual, &mut force);
        let rows = moved.rows::<D>(mode);
        out.write(&force, &rows);
    }

    /// Writes the derivatives of c, c' and c'' along a direction, where there are rigid bodies in space; those of forces are zero.
    pub fn constraints_along(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        direction: &Direction,
        out: &mut ResidualAlong,
    ) {
        out.seed((self, mode), at, &terms.numbers, direction);
        let rows = in_dimension!(self.dimension, D => Moved::along(self, out).rows::<D>(mode));
        out.write(&[], &rows);
    }

    /// Derivative of Z^T C_q^T lambda along a direction, the rows those of `mode`.
    pub fn push_along(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        direction: &Direction,
        out: &mut ResidualAlong,
    ) -> Lent<f64> {
        out.seed((self, mode), at, &terms.numbers, direction);
        let moved = Moved::along(self, out);
        let mut pushed = Lent::new(self.nq(), Dual64::from(0.0));
        in_dimension!(self.dimension, D => moved.push_acting::<D>(mode, |row| at.lambda[row], &mut pushed));
        let mut force = Lent::new(self.nv(), Dual64::from(0.0));
        self.write_transposed(moved.q, &pushed, &mut force);
        Lent::of(force.iter().map(|value| value.eps))
    }

    /// Adds the derivatives along several directions of what is not written by hand: of constraints, and of forces if wanted.
    pub(super) fn add_mapped_lanes(
        &self,
        at: &Instant,
        (mode, terms): (&Mode, &Terms),
        directions: &Directions,
        with_forces: bool,
        out: &mut ResidualLanes,
    ) {
        if terms.lift.as_ref().is_none_or(|lift| lift.by_hand) {
            return;
        }
        for lane in 0..LANES {
            in_dimension!(self.dimension, D => {
                self.add_mapped_lane::<D>(at, (mode, terms), (directions, lane), with_forces, out);
            });
        }
    }

    fn add_mapped_lane<const D: usize>(
        &self,
        at: &Instant,
        (mode, terms): (&Mode, &Terms),
        (directions, lane): (&Directions, usize),
        with_forces: bool,
        out: &mut ResidualLanes,
    ) {
        let of = |lanes: &[Lane]| Lent::of(lanes.iter().map(|value| value[lane]));
        let along = |values: &[f64], slopes: &[f64]| {
            let both = values.iter().zip(slopes);
            Lent::of(both.map(|(&x, &slope)| Dual64::new(x, slope)))
        };
        let q = along(at.q, &self.coordinate_rates(at.q, &of(directions.q)));
        let (v, a) = (along(at.v, &of(directions.v)), along(at.a, &terms.still));
        let slopes = directions.numbers.iter().chain(directions.memory);
        let numbers = along(&terms.numbers, &Lent::of(slopes.map(|value| value[lane])));
        let moved = Moved::new(self, Dual64::from(at.t), [&q, &v, &a], &numbers);
        let mut residual = Lent::new(self.nq(), Dual64::from(0.0));
        if with_forces {
            moved.subtract_forces::<D>(mode, |index| self.is_mapped(index, terms), &mut residual);
        }
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            if terms.by_hand[index].is_some() {
                continue;
            }
            moved.push::<D>(index, |row| -at.lambda[first + row], &mut residual);
            for (k, [c, rate, acceleration]) in moved.rows_of::<D>(index).enumerate() {
                let row = first + k;
                (out.c[row][lane], out.rate[row][lane]) = (c.eps, rate.eps);
                out.acceleration[row][lane] = acceleration.eps;
            }
        }
        let mut force = Lent::new(self.nv(), Dual64::from(0.0));
        self.write_transposed(&q, &residual, &mut force);
        pairs(&mut out.force, &force, |slot, value| slot[lane] += value.eps);
    }
}
