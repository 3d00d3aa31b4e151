//! Gradients where there are rigid bodies in space: by hand over body axes, the rest by rates of coordinates (theory, 7.1 and 7.5).

use super::{Gradient, RowWeights, Weights};
use crate::linear::{Lent, Weight, pairs};
use crate::model::attitude::add_tangent_gradient;
use crate::model::lift::Lift;
use crate::model::moved::Moved;
use crate::model::residual::Instant;
use crate::model::{Mode, Model, Terms};

/// What the gradient of a weighted residual consists of by coordinates.
struct Pulled {
    /// By the rates.
    v: Lent<f64>,
    /// By the second derivatives: M alpha_q + C_q^T beta.
    a: Lent<f64>,
    /// r_q, which multiplies alpha_q = Z alpha.
    residual: Lent<f64>,
}

impl Pulled {
    fn new(nq: usize) -> Self {
        let zeros = Lent::new(nq, 0.0);
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
            let pick = |values: &[T]| Lent::of(values.iter().map(|value| value.lane(lane)));
            let [alpha, beta, rate, value] = [weights.alpha, weights.beta, weights.rate, weights.value].map(pick);
            let own = Weights {
                alpha: &alpha,
                beta: &beta,
                rate: &rate,
                value: &value,
            };
            let [mut q, mut v, mut numbers] = [out.q.len(), out.v.len(), out.numbers.len()].map(|n| Lent::new(n, 0.0));
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
        let mut tangent = Lent::new(self.nv(), T::zero());
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
        moved.subtract_forces::<D>(mode, |index| self.is_mapped(index, terms), &mut pulled.residual);
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
        let mapped = |&index: &usize| mode.force_acts(index) && self.is_mapped(index, terms);
        for index in (0..self.forces.len()).filter(mapped) {
            self.gradient_of_force::<f64, D>(&self.forces[index], &instant, terms, &alpha, &mut by_coordinates);
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
        let (mut ignored, still) = (Lent::new(self.nq(), 0.0), Lent::new(self.nq(), 0.0));
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
        let mut v = Lent::new(self.nv(), 0.0);
        self.write_transposed(at.q, &pulled.v, &mut v);
        pairs(out.v, &v, |slot, value| *slot += value);
        self.add_rates_gradient(&pulled.v, at.v, out.q);
        self.add_rates_gradient(&pulled.residual, alpha, out.q);
        self.add_accelerations_gradient(&pulled.a, [at.q, at.v, at.a], out.q, out.v);
    }
}
