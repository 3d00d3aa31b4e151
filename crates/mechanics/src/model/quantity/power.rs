//! What forces and driven joints do to the energy.

use super::Motion;
use crate::model::{Mode, Model};
use crate::scalar::{Dual2, Scalar};

impl Model {
    /// Power that a force gives to the mechanism, its generalized force along the velocities (W); zero while it does not act.
    pub(super) fn force_power<S: Scalar, const D: usize>(&self, force: usize, mode: &Mode, motion: &Motion<S>) -> S {
        let zero = S::from(0.0);
        if !mode.force_acts(force) {
            return zero;
        }
        let element = &self.forces[force];
        let (q, v) = (element.local.pick(motion.q), motion.rates(&element.local));
        let mut pull = element.local.coordinates_by(|_| zero);
        element.apply::<S, D>(motion.t, &q, &v, &element.local.pick_numbers(motion.numbers), &mut pull);
        let pairs = pull.into_iter().zip(v);
        pairs.take(element.local.width()).fold(zero, |sum, (f, v)| sum + f * v)
    }

    /// Power that a group of constraints gives to the mechanism, lambda^T C v (W): zero unless it is driven.
    pub(super) fn reaction_power<S: Scalar, const D: usize>(&self, group: usize, mode: &Mode, motion: &Motion<S>) -> S {
        let mut sum = S::from(0.0);
        for &index in &self.groups[group].constraints {
            let Some(row) = mode.row_of(index) else { continue };
            let constraint = &self.constraints[index];
            let path = |i: usize| Dual2::new(motion.q[i], motion.rate(i), S::from(0.0));
            let c = constraint
                .value_at::<Dual2<S>, D>(Dual2::from_re(motion.t), path, |i| Dual2::from_re(motion.numbers[i]));
            for (k, c) in c.iter().enumerate().take(constraint.rows) {
                sum += motion.lambda[row + k] * c.v1;
            }
        }
        sum
    }

    /// Energy that a force stores (J); none while it does not act.
    pub fn stored(&self, force: usize, mode: &Mode, motion: &Motion<f64>) -> f64 {
        if !mode.force_acts(force) || !self.stores_energy(force) {
            return 0.0;
        }
        let element = &self.forces[force];
        let (q, numbers) = (element.local.pick(motion.q), element.local.pick_numbers(motion.numbers));
        in_dimension!(self.dimension, D => element.potential::<f64, D>(&q, &numbers))
    }

    /// Whether a group follows a function of time.
    pub fn is_driven(&self, group: usize) -> bool {
        let mut constraints = self.groups[group].constraints.iter();
        constraints.any(|&index| self.constraints[index].rheonomic)
    }
}
