//! Terms and residual where there are rigid bodies in space: elements are evaluated with rates of coordinates, and their rows
//! and forces carried over to velocities (theory, 7.1).
//!
//! With q' = Z v and q'' = Z a + Z' v: C = C_q Z, f = Z^T f_q, gamma = c'' for a = 0, and the residual is Z^T r_q.

use super::attitude::add_tangent_gradient;
use super::body::BodyKind;
use super::by_hand::RowTerms;
use super::constraint::Direction;
use super::gradient::{Gradient, RowWeights, Weights};
use super::lift::Lift;
use super::local::{Local, MAX_LOCAL};
use super::residual::{Instant, ResidualAlong};
use super::{Mode, Model, Terms};
use crate::linear::{Weight, pairs};
use crate::scalar::{Dual2, Dual64, Scalar, each};

impl Model {
    /// As [`Model::assemble`].
    pub(super) fn assemble_lifted<const D: usize>(&self, t: f64, q: &[f64], v: &[f64], mode: &Mode, terms: &mut Terms) {
        self.follow(mode, t, q, v, &mut terms.numbers);
        let Some(mut lift) = terms.lift.take() else { return };
        let lift_ref = &mut *lift;
        lift_ref.attitudes.load(&self.frames, [q, v, &terms.still]);
        lift_ref.force.copy_from_slice(&lift_ref.constant_force);
        if !lift_ref.by_hand {
            self.write_rates(q, v, &mut lift_ref.rates);
            let acting =
                (0..self.forces.len()).filter(|&index| mode.force_acts(index) && terms.springs[index].is_none());
            for force in acting.map(|index| &self.forces[index]) {
                force.add::<D>(
                    t,
                    q,
                    &lift_ref.rates,
                    &terms.numbers,
                    &mut lift_ref.force,
                    &mut terms.scratch,
                );
            }
        }
        self.write_transposed(q, &lift_ref.force, &mut terms.force);
        terms.begin_mass();
        for body in &self.bodies {
            if let BodyKind::Solid(solid) = &body.kind {
                let attitude = lift_ref.attitudes.at(solid.velocity + 3);
                solid.add_mass(&body.local, attitude, &terms.numbers, &mut terms.mass);
                solid.add_force(&body.local, attitude, &terms.numbers, &mut terms.force);
            }
        }
        let at = Instant {
            t,
            q: &lift_ref.attitudes.q,
            v,
            a: &terms.still,
            lambda: &[],
            attitudes: Some(&lift_ref.attitudes),
        };
        for (index, spring) in terms.springs.iter().enumerate() {
            if let Some(spring) = spring.as_ref().filter(|_| mode.force_acts(index)) {
                spring.apply::<D>(&at, &terms.numbers, &mut terms.force);
            }
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
        lift.attitudes.load(&self.frames, [q, v, &terms.still]);
        if !lift.by_hand {
            self.write_rates(q, v, &mut lift.rates);
            self.write_accelerations(q, v, &terms.still, &mut lift.drift);
        }
        terms.rows = mode.rows;
        terms.jacobian.clear();
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            match &terms.by_hand[index] {
                Some(by_hand) => {
                    let at = Instant {
                        t,
                        q: &lift.attitudes.q,
                        v,
                        a: &terms.still,
                        lambda: &[],
                        attitudes: Some(&lift.attitudes),
                    };
                    let mut rows = RowTerms {
                        jacobian: &mut terms.jacobian,
                        c: &mut terms.c,
                        rate: &mut terms.rate,
                        c_t: &mut terms.c_t,
                        gamma: &mut terms.gamma,
                    };
                    by_hand.assemble::<D>(&at, &terms.numbers, &lift.columns[index], first, &mut rows);
                }
                None => self.add_rows_lifted::<D>(index, first, (t, q), &mut lift, terms),
            }
        }
        terms.lift = Some(lift);
    }

    /// Writes the rows of a constraint that is not written by hand.
    fn add_rows_lifted<const D: usize>(
        &self,
        index: usize,
        first: usize,
        (t, q): (f64, &[f64]),
        lift: &mut Lift,
        terms: &mut Terms,
    ) {
        lift.jacobian.clear();
        std::mem::swap(&mut terms.jacobian, &mut lift.jacobian);
        terms.add_rows::<D>(&self.constraints[index], first, t, q, &lift.rates);
        std::mem::swap(&mut terms.jacobian, &mut lift.jacobian);
        for k in 0..self.constraints[index].rows {
            let by_coordinates = lift.jacobian.row(k);
            terms.gamma[first + k] += by_coordinates.dot(&lift.drift);
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
        let mut force = vec![Dual64::from(0.0); self.nv()];
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
    ) -> Vec<f64> {
        out.seed((self, mode), at, &terms.numbers, direction);
        let moved = Moved::along(self, out);
        let mut pushed = vec![Dual64::from(0.0); self.nq()];
        in_dimension!(self.dimension, D => moved.push_acting::<D>(mode, |row| at.lambda[row], &mut pushed));
        let mut force = vec![Dual64::from(0.0); self.nv()];
        self.write_transposed(moved.q, &pushed, &mut force);
        force.iter().map(|value| value.eps).collect()
    }
}

/// A motion by coordinates.
struct Moved<'a, S> {
    model: &'a Model,
    t: S,
    numbers: &'a [S],
    q: &'a [S],
    rates: Vec<S>,
    accelerations: Vec<S>,
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
    fn new(model: &'a Model, t: S, [q, v, a]: [&'a [S]; 3], numbers: &'a [S]) -> Self {
        let mut accelerations = vec![S::from(0.0); model.nq()];
        model.write_accelerations(q, v, a, &mut accelerations);
        Self {
            model,
            t,
            numbers,
            q,
            rates: model.coordinate_rates(q, v),
            accelerations,
        }
    }

    /// M q'' - f by coordinates.
    fn unconstrained<const D: usize>(&self, mode: &Mode) -> Vec<S> {
        let mut residual = vec![S::from(0.0); self.model.nq()];
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
    fn subtract_forces<const D: usize>(&self, mode: &Mode, wanted: impl Fn(usize) -> bool, residual: &mut [S]) {
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
    fn rows<const D: usize>(&self, mode: &Mode) -> Vec<[S; 3]> {
        let motion = |i: usize| Dual2::new(self.q[i], self.rates[i], self.accelerations[i]);
        let rows = mode.constraints.iter().flat_map(|&index| {
            let constraint = &self.model.constraints[index];
            let along = constraint.rates::<S, D>(self.t, motion, |i| self.numbers[i]);
            along.into_iter().take(constraint.rows)
        });
        rows.map(|row| [row.re, row.v1, row.v2]).collect()
    }

    /// Adds the product of C_q^T with values by the rows of the mode.
    fn push_acting<const D: usize>(&self, mode: &Mode, values: impl Fn(usize) -> f64, out: &mut [S]) {
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            self.push::<D>(index, |row| values(first + row), out);
        }
    }

    /// The same for the rows of a constraint.
    fn push<const D: usize>(&self, index: usize, values: impl Fn(usize) -> f64, out: &mut [S]) {
        let constraint = &self.model.constraints[index];
        let lambda = each(|row| if row < constraint.rows { values(row) } else { 0.0 });
        let (q, numbers) = (|i: usize| self.q[i], |i: usize| self.numbers[i]);
        constraint.push::<S, D>(self.t, q, numbers, lambda, |local, value| {
            out[constraint.local.coordinates[local]] += value;
        });
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

impl Pulled {
    fn new(nq: usize) -> Self {
        let zeros = vec![0.0; nq];
        Self {
            v: zeros.clone(),
            a: zeros.clone(),
            residual: zeros,
        }
    }
}

impl Model {
    /// As [`Model::residual_gradient`]: what is written by hand for all functionals at once, the rest one after another.
    pub(super) fn residual_gradient_lifted<T: Weight, const D: usize>(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        weights: &Weights<T>,
        out: &mut Gradient<T>,
    ) {
        let Some(lift) = &terms.lift else { return };
        self.with_tangent(lift, at, out, |at, out| {
            self.elements_gradient::<T, D>(at, mode, terms, weights, out);
        });
        if lift.by_hand {
            return;
        }
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
            self.rest_gradient_lifted::<D>(at, mode, terms, &own, &mut gradient);
            for (all, own) in [(&mut *out.q, q), (&mut *out.v, v), (&mut *out.numbers, numbers)] {
                pairs(all, &own, |slot, &value| {
                    *slot += T::by_lane(|k| if k == lane { value } else { 0.0 });
                });
            }
        }
    }

    /// Adds a gradient by what is written by hand, by turning and by velocities, to one by the positions.
    fn with_tangent<T: Weight>(
        &self,
        lift: &Lift,
        at: &Instant,
        out: &mut Gradient<T>,
        add: impl FnOnce(&Instant, &mut Gradient<T>),
    ) {
        let mut attitudes = lift.attitudes.clone();
        attitudes.load(&self.frames, [at.q, at.v, at.a]);
        let instant = Instant {
            q: &attitudes.q,
            attitudes: Some(&attitudes),
            ..*at
        };
        let mut tangent = vec![T::zero(); self.nv()];
        let mut by_velocities = Gradient {
            q: &mut tangent,
            v: &mut *out.v,
            numbers: &mut *out.numbers,
        };
        add(&instant, &mut by_velocities);
        add_tangent_gradient(&self.frames, at.q, &tangent, out.q);
    }

    /// The gradient of what is not written by hand.
    fn rest_gradient_lifted<const D: usize>(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        weights: &Weights,
        out: &mut Gradient,
    ) {
        let moved = Moved::new(self, at.t, [at.q, at.v, at.a], &terms.numbers);
        let alpha = self.coordinate_rates(at.q, weights.alpha);
        let mut pulled = Pulled::new(self.nq());
        moved.subtract_forces::<D>(mode, |index| terms.springs[index].is_none(), &mut pulled.residual);
        let rest = || {
            mode.constraints
                .iter()
                .zip(&mode.offsets)
                .filter(|(index, _)| terms.by_hand[**index].is_none())
        };
        for (&index, &first) in rest() {
            moved.push::<D>(index, |row| -at.lambda[first + row], &mut pulled.residual);
            moved.push::<D>(index, |row| weights.beta[first + row], &mut pulled.a);
        }
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
        let acting = (0..self.forces.len()).filter(|&index| mode.force_acts(index) && terms.springs[index].is_none());
        for index in acting {
            self.force_gradient::<f64, D>(index, &instant, terms, &alpha, &mut by_coordinates);
        }
        for (&index, &first) in rest() {
            let rows = RowWeights::new(&self.constraints[index], first, at.lambda, weights);
            self.constraint_gradient_by_passes::<f64, D>(index, &instant, terms, &alpha, &rows, &mut by_coordinates);
        }
        self.pull(at, weights.alpha, &pulled, out);
    }

    /// As [`Model::momentum_gradient`]: of (Z alpha).(M_q Z a).
    pub(super) fn momentum_gradient_lifted<const D: usize>(
        &self,
        at: &Instant,
        terms: &Terms,
        alpha: &[f64],
        out: &mut Gradient,
    ) {
        let [a, lifted] = [at.a, alpha].map(|values| self.coordinate_rates(at.q, values));
        let (mut ignored, still) = (vec![0.0; self.nq()], vec![0.0; self.nq()]);
        let instant = Instant {
            v: &still,
            a: &a,
            ..*at
        };
        let mut by_coordinates = Gradient {
            q: &mut *out.q,
            v: &mut ignored,
            numbers: &mut *out.numbers,
        };
        self.momentum_gradient_in::<D>(&instant, terms, &lifted, &mut by_coordinates);
        let momentum = |a: &[f64]| self.momentum_over(at.q, a, &terms.numbers);
        self.add_rates_gradient(&momentum(&a), alpha, out.q);
        self.add_rates_gradient(&momentum(&lifted), at.a, out.q);
    }

    /// As [`Model::constraint_gradient`].
    pub(super) fn constraint_gradient_lifted<const D: usize>(
        &self,
        index: usize,
        at: &Instant,
        terms: &Terms,
        alpha: &[f64],
        rows: &RowWeights,
        out: &mut Gradient,
    ) {
        if let (Some(lift), Some(_)) = (&terms.lift, &terms.by_hand[index]) {
            return self.with_tangent(lift, at, out, |at, out| {
                self.constraint_gradient_in::<f64, D>(index, at, terms, alpha, rows, out);
            });
        }
        let moved = Moved::new(self, at.t, [at.q, at.v, at.a], &terms.numbers);
        let lifted = self.coordinate_rates(at.q, alpha);
        let mut pulled = Pulled::new(self.nq());
        moved.push::<D>(index, |row| -rows.lambda[row], &mut pulled.residual);
        moved.push::<D>(index, |row| rows.beta[row], &mut pulled.a);
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
        self.constraint_gradient_by_passes::<f64, D>(index, &instant, terms, &lifted, rows, &mut by_coordinates);
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
