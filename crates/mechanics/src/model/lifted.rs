//! Terms and residual where there are rigid bodies in space: elements are evaluated with rates of coordinates, and their rows
//! and forces carried over to velocities (theory, 7.1).
//!
//! With q' = Z v and q'' = Z a + Z' v: C = C_q Z, f = Z^T f_q, gamma = c'' for a = 0, and the residual is Z^T r_q.

use super::constraint::{Direction, MAX_ROWS};
use super::gradient::{Gradient, Weights};
use super::local::MAX_LOCAL;
use super::residual::{Instant, ResidualAlong};
use super::{Mode, Model, Terms};
use crate::linear::{Weight, pairs};
use crate::scalar::{Dual2, Dual64, Scalar, negated};

impl Model {
    /// As [`Model::assemble`].
    pub(super) fn assemble_lifted<const D: usize>(&self, t: f64, q: &[f64], v: &[f64], mode: &Mode, terms: &mut Terms) {
        self.follow(mode, t, q, v, &mut terms.numbers);
        let Some(mut lift) = terms.lift.take() else { return };
        self.write_rates(q, v, &mut lift.rates);
        lift.force.copy_from_slice(&lift.constant_force);
        let acting = (0..self.forces.len()).filter(|&index| mode.force_acts(index));
        for force in acting.map(|index| &self.forces[index]) {
            force.add::<D>(t, q, &lift.rates, &terms.numbers, &mut lift.force, &mut terms.scratch);
        }
        self.write_transposed(q, &lift.force, &mut terms.force);
        terms.begin_mass();
        for body in self.bodies.iter().filter(|body| body.is_configuration_dependent()) {
            body.add_mass::<D>(q, &terms.numbers, &[], &mut terms.mass);
            body.add_force::<D>(q, v, &terms.numbers, &mut terms.force);
        }
        terms.lift = Some(lift);
        self.assemble_constraints_lifted::<D>(t, q, v, mode, terms);
    }

    /// As [`Model::assemble_constraints`].
    pub(super) fn assemble_constraints_lifted<const D: usize>(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        mode: &Mode,
        terms: &mut Terms,
    ) {
        let Some(mut lift) = terms.lift.take() else { return };
        self.write_rates(q, v, &mut lift.rates);
        self.write_accelerations(q, v, &terms.still, &mut lift.drift);
        std::mem::swap(&mut terms.jacobian, &mut lift.jacobian);
        self.assemble_rows::<D>(t, q, &lift.rates, mode, terms);
        std::mem::swap(&mut terms.jacobian, &mut lift.jacobian);
        terms.jacobian.clear();
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            for row in first..first + self.constraints[index].rows {
                let by_coordinates = lift.jacobian.row(row);
                terms.gamma[row] += by_coordinates.dot(&lift.drift);
                let columns = &lift.columns[index];
                let slots = terms.jacobian.push(columns);
                for (i, value) in by_coordinates.entries() {
                    self.each_rate_factor(i, q, |j, factor| {
                        if let Some(place) = columns.iter().position(|&column| column == j) {
                            slots[place] += value * factor;
                        }
                    });
                }
            }
        }
        terms.lift = Some(lift);
    }

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
        let ResidualAlong {
            t, q, v, a, numbers, ..
        } = &*out;
        let moved = Moved::new(self, q, v, a);
        let mut residual = moved.unconstrained::<D>(self, *t, mode, numbers);
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            let lambda = self.constraints[index].own_rows(first, at.lambda).map(Dual64::from);
            moved.push::<D>((self, index), *t, numbers, negated(lambda), &mut residual);
        }
        let mut force = vec![Dual64::from(0.0); self.nv()];
        self.write_transposed(q, &residual, &mut force);
        let rows = moved.rows::<D>(self, *t, mode, numbers);
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
        let ResidualAlong {
            t, q, v, a, numbers, ..
        } = &*out;
        let moved = Moved::new(self, q, v, a);
        let rows = in_dimension!(self.dimension, D => moved.rows::<D>(self, *t, mode, numbers));
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
    ) -> Vec<f64> {
        out.seed((self, mode), at, &terms.numbers, direction);
        let ResidualAlong {
            t, q, v, a, numbers, ..
        } = &*out;
        let moved = Moved::new(self, q, v, a);
        let mut pushed = vec![Dual64::from(0.0); self.nq()];
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            let lambda = self.constraints[index].own_rows(first, at.lambda).map(Dual64::from);
            in_dimension!(self.dimension, D => moved.push::<D>((self, index), *t, numbers, lambda, &mut pushed));
        }
        let mut force = vec![Dual64::from(0.0); self.nv()];
        self.write_transposed(q, &pushed, &mut force);
        force.iter().map(|value| value.eps).collect()
    }
}

/// A motion by coordinates.
struct Moved<'a, S> {
    q: &'a [S],
    rates: Vec<S>,
    accelerations: Vec<S>,
}

impl<'a, S: Scalar> Moved<'a, S> {
    fn new(model: &Model, q: &'a [S], v: &[S], a: &[S]) -> Self {
        let mut accelerations = vec![S::from(0.0); model.nq()];
        model.write_accelerations(q, v, a, &mut accelerations);
        Self {
            q,
            rates: model.coordinate_rates(q, v),
            accelerations,
        }
    }

    /// M q'' - f by coordinates.
    fn unconstrained<const D: usize>(&self, model: &Model, t: S, mode: &Mode, numbers: &[S]) -> Vec<S> {
        let mut residual = vec![S::from(0.0); model.nq()];
        for body in &model.bodies {
            let local = &body.local;
            let (q, rates, numbers) = (local.pick(self.q), local.pick(&self.rates), local.pick_numbers(numbers));
            let mut force = [S::from(0.0); MAX_LOCAL];
            let mut momentum = [S::from(0.0); MAX_LOCAL];
            body.momentum::<S, D>(&q, &local.pick(&self.accelerations), &numbers, &mut momentum);
            body.force::<S, D>(&q, &rates, &numbers, &mut force);
            for (k, &i) in local.coordinates.iter().enumerate() {
                residual[i] += momentum[k] - force[k];
            }
        }
        for (index, force) in model.forces.iter().enumerate() {
            if mode.force_acts(index) {
                let local = &force.local;
                let (q, rates, numbers) = (local.pick(self.q), local.pick(&self.rates), local.pick_numbers(numbers));
                let mut own = [S::from(0.0); MAX_LOCAL];
                force.apply::<S, D>(t, &q, &rates, &numbers, &mut own);
                for (k, &i) in local.coordinates.iter().enumerate() {
                    residual[i] -= own[k];
                }
            }
        }
        residual
    }

    /// c, c' and c'' of the acting rows.
    fn rows<const D: usize>(&self, model: &Model, t: S, mode: &Mode, numbers: &[S]) -> Vec<[S; 3]> {
        let motion = |i: usize| Dual2::new(self.q[i], self.rates[i], self.accelerations[i]);
        let rows = mode.constraints.iter().flat_map(|&index| {
            let constraint = &model.constraints[index];
            let along = constraint.rates::<S, D>(t, motion, |i| numbers[i]);
            along.into_iter().take(constraint.rows)
        });
        rows.map(|row| [row.re, row.v1, row.v2]).collect()
    }

    /// Adds C_q^T lambda of a constraint.
    fn push<const D: usize>(
        &self,
        (model, index): (&Model, usize),
        t: S,
        numbers: &[S],
        lambda: [S; MAX_ROWS],
        out: &mut [S],
    ) {
        let constraint = &model.constraints[index];
        constraint.columns::<S, D>(
            t,
            |i| self.q[i],
            |i| numbers[i],
            |local, column| {
                for k in 0..constraint.rows {
                    out[constraint.local.coordinates[local]] += column[k] * lambda[k];
                }
            },
        );
    }
}

/// What the gradient of a weighted residual consists of by coordinates.
pub(super) struct Pulled {
    /// By the rates.
    v: Vec<f64>,
    /// By the second derivatives: M alpha_q + C_q^T beta.
    a: Vec<f64>,
    /// r_q, which multiplies alpha_q = Z alpha.
    residual: Vec<f64>,
}

impl Model {
    /// As [`Model::residual_gradient`], one functional after another.
    pub(super) fn residual_gradient_lifted<T: Weight, const D: usize>(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        weights: &Weights<T>,
        out: &mut Gradient<T>,
    ) {
        for lane in 0..T::COUNT {
            let pick = |values: &[T]| -> Vec<f64> { values.iter().map(|value| value.lane(lane)).collect() };
            let [alpha, beta, rate, value] = [weights.alpha, weights.beta, weights.rate, weights.value].map(pick);
            let own = Weights {
                alpha: &alpha,
                beta: &beta,
                rate: &rate,
                value: &value,
            };
            let [mut q, mut v, mut numbers] = [out.q.len(), out.v.len(), out.numbers.len()].map(|n| vec![0.0; n]);
            let mut gradient = Gradient {
                q: &mut q,
                v: &mut v,
                numbers: &mut numbers,
            };
            self.gradient_lifted::<D>(at, mode, terms, &own, &mut gradient);
            for (all, own) in [(&mut *out.q, q), (&mut *out.v, v), (&mut *out.numbers, numbers)] {
                pairs(all, &own, |slot, &value| {
                    *slot += T::by_lane(|k| if k == lane { value } else { 0.0 });
                });
            }
        }
    }

    fn gradient_lifted<const D: usize>(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        weights: &Weights,
        out: &mut Gradient,
    ) {
        let (moved, alpha) = (
            Moved::new(self, at.q, at.v, at.a),
            self.coordinate_rates(at.q, weights.alpha),
        );
        let mut pulled = Pulled {
            v: vec![0.0; self.nq()],
            a: self.momentum_over(at.q, &alpha, &terms.numbers),
            residual: moved.unconstrained::<D>(self, at.t, mode, &terms.numbers),
        };
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            let constraint = &self.constraints[index];
            let [lambda, beta] = [at.lambda, weights.beta].map(|values| constraint.own_rows(first, values));
            moved.push::<D>(
                (self, index),
                at.t,
                &terms.numbers,
                negated(lambda),
                &mut pulled.residual,
            );
            moved.push::<D>((self, index), at.t, &terms.numbers, beta, &mut pulled.a);
        }
        let instant = Instant {
            v: &moved.rates,
            a: &moved.accelerations,
            ..*at
        };
        let own = Weights {
            alpha: &alpha,
            ..*weights
        };
        let mut by_coordinates = Gradient {
            q: &mut *out.q,
            v: &mut pulled.v,
            numbers: &mut *out.numbers,
        };
        self.elements_gradient::<f64, D>(&instant, mode, terms, &own, &mut by_coordinates);
        self.pull(at, weights.alpha, &pulled, out);
    }

    /// As [`Model::constraint_gradient`].
    pub(super) fn constraint_gradient_lifted<const D: usize>(
        &self,
        index: usize,
        at: &Instant,
        terms: &Terms,
        alpha: &[f64],
        rows: &super::gradient::RowWeights,
        out: &mut Gradient,
    ) {
        let (moved, lifted) = (Moved::new(self, at.q, at.v, at.a), self.coordinate_rates(at.q, alpha));
        let mut pulled = Pulled {
            v: vec![0.0; self.nq()],
            a: vec![0.0; self.nq()],
            residual: vec![0.0; self.nq()],
        };
        let (numbers, forces) = (&terms.numbers, negated(rows.lambda));
        moved.push::<D>((self, index), at.t, numbers, forces, &mut pulled.residual);
        moved.push::<D>((self, index), at.t, numbers, rows.beta, &mut pulled.a);
        let instant = Instant {
            v: &moved.rates,
            a: &moved.accelerations,
            ..*at
        };
        let mut by_coordinates = Gradient {
            q: &mut *out.q,
            v: &mut pulled.v,
            numbers: &mut *out.numbers,
        };
        self.constraint_gradient_in::<f64, D>(index, &instant, terms, &lifted, rows, &mut by_coordinates);
        self.pull(at, alpha, &pulled, out);
    }

    /// Carries the gradient by rates, second derivatives and alpha_q on to positions and velocities.
    fn pull(&self, at: &Instant, alpha: &[f64], pulled: &Pulled, out: &mut Gradient) {
        let mut v = vec![0.0; self.nv()];
        self.write_transposed(at.q, &pulled.v, &mut v);
        for (slot, value) in out.v.iter_mut().zip(&v) {
            *slot += value;
        }
        self.add_rates_gradient(&pulled.v, at.v, out.q);
        self.add_rates_gradient(&pulled.residual, alpha, out.q);
        self.add_accelerations_gradient(&pulled.a, [at.q, at.v, at.a], out.q, out.v);
    }
}
