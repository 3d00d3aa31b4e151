//! Derivatives of the residual r = [M a - f - C^T lambda; C a + gamma] along a direction (theory, section 2).

use super::constraint::{Direction, MAX_ROWS};
use super::force::Force;
pub use super::instant::Instant;
use super::local::{Local, MAX_LOCAL};
use super::{Mode, Model, Terms};
use crate::linear::pairs_within;
use crate::scalar::Dual64;

/// Derivative of the residual along a direction with a and lambda held, and scratch.
#[derive(Clone, Debug)]
pub struct ResidualAlong {
    /// d(M a - f - C^T lambda), nv.
    pub force: Vec<f64>,
    /// d(C a + gamma), one per row.
    pub acceleration: Vec<f64>,
    /// dc, one per row.
    pub c: Vec<f64>,
    /// d(c'), one per row.
    pub rate: Vec<f64>,
    /// Time, positions, velocities, accelerations (held) and numbers with their derivatives; written by
    /// [`ResidualAlong::seed`].
    pub(super) t: Dual64,
    pub(crate) q: Vec<Dual64>,
    pub(crate) v: Vec<Dual64>,
    pub(super) a: Vec<Dual64>,
    pub(crate) numbers: Vec<Dual64>,
}

impl ResidualAlong {
    /// Workspace for a model.
    pub fn new(model: &Model) -> Self {
        let most_rows: usize = model.constraints.iter().map(|constraint| constraint.rows).sum();
        let (nq, nv, count) = (model.nq(), model.nv(), model.numbers.len() + model.memory.len());
        let zero = Dual64::from(0.0);
        Self {
            force: vec![0.0; nv],
            acceleration: vec![0.0; most_rows],
            c: vec![0.0; most_rows],
            rate: vec![0.0; most_rows],
            t: zero,
            q: vec![zero; nq],
            v: vec![zero; nv],
            a: vec![zero; nv],
            numbers: vec![zero; count],
        }
    }

    /// Sets the derivative of one loaded position or velocity.
    pub(crate) fn tilt(&mut self, coordinate: usize, is_velocity: bool, slope: f64) {
        let values = if is_velocity { &mut self.v } else { &mut self.q };
        values[coordinate].eps = slope;
    }

    /// Loads a state with a direction.
    pub(crate) fn seed(
        &mut self,
        (model, mode): (&Model, &Mode),
        at: &Instant,
        numbers: &[f64],
        direction: &Direction,
    ) {
        self.t = Dual64::new(at.t, direction.t);
        join(&mut self.q, at.q, direction.q);
        join(&mut self.v, at.v, direction.v);
        for (slot, &a) in self.a.iter_mut().zip(at.a) {
            *slot = Dual64::from(a);
        }
        join(&mut self.numbers, numbers, direction.numbers);
        self.follow(model, mode);
    }

    /// Derivative of a force along the loaded direction, local.
    pub(super) fn of_force<const D: usize>(&self, force: &Force, t: Dual64) -> [f64; MAX_LOCAL] {
        force.along::<D>(t, |i| self.q[i], |i| self.v[i], |i| self.numbers[i])
    }

    /// Writes the derivatives of forces and of c, c' and c''.
    pub(super) fn write(&mut self, force: &[Dual64], rows: &[[Dual64; 3]]) {
        self.force.fill(0.0);
        pairs_within(&mut self.force, force, |slot, value| *slot = value.eps);
        for (row, values) in rows.iter().enumerate() {
            [self.c[row], self.rate[row], self.acceleration[row]] = values.map(|value| value.eps);
        }
    }

    /// Loads a state without a direction.
    pub(super) fn load(&mut self, (model, mode): (&Model, &Mode), at: &Instant, numbers: &[f64]) {
        self.t = Dual64::from(at.t);
        let parts = [
            (&mut self.q, at.q),
            (&mut self.v, at.v),
            (&mut self.a, at.a),
            (&mut self.numbers, numbers),
        ];
        for (slots, values) in parts {
            pairs_within(slots, values, |slot, &value| *slot = Dual64::from(value));
        }
        self.follow(model, mode);
    }

    /// Gives the numbers that follow the motion their values and derivatives.
    pub(super) fn follow(&mut self, model: &Model, mode: &Mode) {
        model.follow_along(mode, self.t, [&self.q, &self.v, &self.a], &mut self.numbers);
    }
}

/// Values with their derivatives.
#[inline]
pub(crate) fn join(out: &mut [Dual64], values: &[f64], slopes: &[f64]) {
    let n = out.len().min(values.len()).min(slopes.len());
    let (out, values, slopes) = (&mut out[..n], &values[..n], &slopes[..n]);
    for i in 0..n {
        out[i] = Dual64::new(values[i], slopes[i]);
    }
}

impl Model {
    /// Writes the derivative of the residual along a direction; `terms` supplies the numbers.
    pub fn residual_along(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        direction: &Direction,
        out: &mut ResidualAlong,
    ) {
        in_dimension!(self.dimension, D => match self.frames.is_empty() {
            true => self.residual_along_in::<D>(at, mode, terms, direction, out),
            false => self.residual_along_lifted::<D>(at, mode, terms, direction, out),
        })
    }

    fn residual_along_in<const D: usize>(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        direction: &Direction,
        out: &mut ResidualAlong,
    ) {
        out.seed((self, mode), at, &terms.numbers, direction);
        out.force.fill(0.0);
        // An element that the direction does not touch contributes nothing.
        let touches = |local: &Local| {
            direction.t != 0.0
                || local
                    .coordinates
                    .iter()
                    .any(|&i| direction.q[i] != 0.0 || direction.v[i] != 0.0)
                || local.numbers.iter().any(|&i| out.numbers[i].eps != 0.0)
        };
        for body in self.bodies.iter().filter(|body| touches(&body.local)) {
            let local = body.along::<D>(|i| out.q[i], |i| out.v[i], at.a, |i| out.numbers[i]);
            body.local.scatter_add(&local, &mut out.force);
        }
        let t = out.t;
        for (index, force) in self.forces.iter().enumerate() {
            if mode.force_acts(index) && touches(&force.local) {
                let local = out.of_force::<D>(force, t);
                force.local.scatter_subtract(&local, &mut out.force);
            }
        }
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            let constraint = &self.constraints[index];
            if !touches(&constraint.local) {
                for part in [&mut out.acceleration, &mut out.c, &mut out.rate] {
                    part[first..first + constraint.rows].fill(0.0);
                }
                continue;
            }
            let lambda = &at.lambda[first..first + constraint.rows];
            let along = constraint.along::<D>(at.t, at.q, at.v, at.a, lambda, &terms.numbers, direction);
            constraint.local.scatter_subtract(&along.force, &mut out.force);
            for k in 0..constraint.rows {
                out.acceleration[first + k] = along.acceleration[k];
                out.c[first + k] = along.c[k];
                out.rate[first + k] = along.rate[k];
            }
        }
    }

    /// Writes dC along a direction, row-major rows x nv.
    pub fn jacobian_along(&self, at: &Instant, mode: &Mode, terms: &Terms, direction: &Direction, out: &mut [f64]) {
        let nv = self.nv();
        out.fill(0.0);
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            let constraint = &self.constraints[index];
            for row in 0..constraint.rows {
                let mut lambda = [0.0; MAX_ROWS];
                lambda[row] = 1.0;
                let (t, q, v, a, numbers) = (at.t, at.q, at.v, at.a, &terms.numbers);
                let along =
                    in_dimension!(self.dimension, D => constraint.along::<D>(t, q, v, a, &lambda, numbers, direction));
                constraint
                    .local
                    .scatter_add(&along.force, &mut out[(first + row) * nv..][..nv]);
            }
        }
    }
}
