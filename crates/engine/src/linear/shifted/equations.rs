//! Steps of the differential-algebraic equations of a mechanism, sigma E + J (theory, 8.2 and 8.3).
//!
//! With p = sigma dq - r_q for dq, index 3 asks for what the flow with q' = v does, sigma^2 C dq = .. in the place of accelerations;
//! stabilized, p = dv + C^T dmu is an unknown beside dv, as where q' = v is corrected.

use nalgebra::ComplexField;

use super::{Shifted, product};
use crate::linear::{Descriptor, Form};

impl<T: ComplexField<RealField = f64> + Copy> Shifted<T> {
    /// b <- (sigma E + J)^-1 b with the matrix that was factored: from what q', v', c and, stabilized, c' leave to dq, dv, dlambda
    /// and dmu.
    pub fn solve_equations(&mut self, of: &Descriptor, b: &mut [T]) {
        let (nv, m, width) = (of.coordinates(), of.rows.len(), of.width());
        let (own, bottom, sigma) = (width - 1, width * nv, self.sigma);
        let (motion, constraints) = b.split_at_mut(2 * nv);
        let (q, v) = motion.split_at_mut(nv);
        q.iter_mut().for_each(|value| *value *= sigma.recip());
        self.x.fill(T::zero());
        for (i, value) in v.iter().enumerate() {
            self.x[width * i + own] = *value - product(of.force[0].row(i), q);
        }
        for k in 0..m {
            let position = sigma * (constraints[k] - product(of.rows.row(k), q));
            if of.form == Form::Stabilized {
                self.x[bottom + width * k] = position;
                self.x[bottom + width * k + own] = sigma * (constraints[m + k] - product(of.rate.row(k), q));
            } else {
                self.x[bottom + k] = sigma * position;
            }
        }
        self.carry_touching(of, false);
        if let Some(lu) = &mut self.lu {
            lu.solve(&mut self.x);
        }
        for (i, (q, v)) in q.iter_mut().zip(v).enumerate() {
            *q += self.x[width * i] * sigma.recip();
            *v = self.x[width * i + own];
        }
        for k in 0..m {
            constraints[k] = -self.x[bottom + width * k + own];
            if of.form == Form::Stabilized {
                constraints[m + k] = self.x[bottom + width * k];
            }
        }
    }
}
