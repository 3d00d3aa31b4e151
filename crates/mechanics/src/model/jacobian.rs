//! Jacobian of the residual r = [M a - f - C^T lambda; C a + gamma] and of c' by positions and velocities (theory,
//! section 2), element by element: each is differentiated by its own coordinates only.

use super::constraint::Direction;
use super::force::{PointSpring, Stretched};
use super::joint::PointDistance;
use super::marker::{Base, difference};
use super::residual::{Instant, ResidualAlong};
use super::{Mode, Model, Terms};
use crate::scalar::{Dual64, each};

/// Columns of the derivatives, those by positions before those by velocities. Empty until first used.
#[derive(Clone, Debug, Default)]
pub struct ResidualJacobian {
    nv: usize,
    rows: usize,
    /// Column j of d(M a - f - C^T lambda) at j * nv.
    pub force: Vec<f64>,
    /// Column j of d(C a + gamma) at j * rows.
    pub acceleration: Vec<f64>,
    /// Column j of d(c') at j * rows.
    pub rate: Vec<f64>,
    /// A direction with one entry at a time, and still numbers.
    unit: Vec<f64>,
    still: Vec<f64>,
    zero: Vec<f64>,
}

impl ResidualJacobian {
    /// Clears the columns; allocates only where they have never been as large.
    fn begin(&mut self, nv: usize, rows: usize, numbers: usize) {
        (self.nv, self.rows) = (nv, rows);
        let sizes = [2 * nv * nv, 2 * nv * rows, 2 * nv * rows, nv, numbers, nv];
        let buffers = [
            &mut self.force,
            &mut self.acceleration,
            &mut self.rate,
            &mut self.unit,
            &mut self.still,
            &mut self.zero,
        ];
        for (buffer, size) in buffers.into_iter().zip(sizes) {
            buffer.clear();
            buffer.resize(size, 0.0);
        }
    }

    /// Adds to the force derivatives by the coordinates of one point those of the force on another.
    fn add_block<const D: usize>(&mut self, by: usize, (of, at): (Base, Base), sign: f64, block: [[f64; D]; D]) {
        let (Base::Point(of), Base::Point(at)) = (of, at) else {
            return;
        };
        for k in 0..D {
            let column = &mut self.force[(by + at[k]) * self.nv..][..self.nv];
            for i in 0..D {
                column[of[i]] += sign * block[i][k];
            }
        }
    }
}

impl Model {
    /// Writes the Jacobian at a state; `terms` supplies the numbers, `along` is scratch.
    pub fn residual_jacobian(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        along: &mut ResidualAlong,
        out: &mut ResidualJacobian,
    ) {
        in_dimension!(self.dimension, D => self.residual_jacobian_in::<D>(at, mode, terms, along, out))
    }

    fn residual_jacobian_in<const D: usize>(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        along: &mut ResidualAlong,
        out: &mut ResidualJacobian,
    ) {
        let nv = self.nv();
        out.begin(nv, mode.rows, terms.numbers.len());
        let still = Direction {
            t: 0.0,
            q: &out.zero,
            v: &out.zero,
            numbers: &out.still,
        };
        along.seed((self, mode), at, &terms.numbers, &still);
        for body in self.bodies.iter().filter(|body| body.is_configuration_dependent()) {
            for (j, is_velocity) in columns(&body.local.coordinates) {
                along.tilt(j, is_velocity, 1.0);
                let local = body.along::<D>(|i| along.q[i], |i| along.v[i], at.a, |i| along.numbers[i]);
                along.tilt(j, is_velocity, 0.0);
                let column = j + if is_velocity { nv } else { 0 };
                body.local.scatter_add(&local, &mut out.force[column * nv..][..nv]);
            }
        }
        for index in (0..self.forces.len()).filter(|&index| mode.force_acts(index)) {
            match terms.lines[index].as_ref().and_then(PointSpring::of) {
                Some(spring) => spring.add_jacobian::<D>(at, &terms.numbers, out),
                None => self.add_force_columns::<D>(index, at, along, out),
            }
        }
        if !self.feedback.is_empty() {
            self.add_feedback_columns::<D>(at, mode, along, out);
        }
        self.add_constraint_jacobian::<D>(at, mode, terms, out);
    }

    /// Adds what the forces change by because their numbers follow the motion.
    fn add_feedback_columns<const D: usize>(
        &self,
        at: &Instant,
        mode: &Mode,
        along: &mut ResidualAlong,
        out: &mut ResidualJacobian,
    ) {
        let nv = self.nv();
        for (column, (j, is_velocity)) in (0..nv)
            .map(|j| (j, false))
            .chain((0..nv).map(|j| (j, true)))
            .enumerate()
        {
            along.tilt(j, is_velocity, 1.0);
            along.follow(self, mode);
            along.tilt(j, is_velocity, 0.0);
            for (index, force) in self.forces.iter().enumerate() {
                if mode.force_acts(index) && force.local.numbers.iter().any(|&i| along.numbers[i].eps != 0.0) {
                    let local = along.of_force::<D>(force, Dual64::from(at.t));
                    force
                        .local
                        .scatter_subtract(&local, &mut out.force[column * nv..][..nv]);
                }
            }
        }
    }

    /// Writes the part of the constraints alone.
    pub fn constraint_jacobian(&self, at: &Instant, mode: &Mode, terms: &Terms, out: &mut ResidualJacobian) {
        out.begin(self.nv(), mode.rows, terms.numbers.len());
        in_dimension!(self.dimension, D => self.add_constraint_jacobian::<D>(at, mode, terms, out))
    }

    fn add_constraint_jacobian<const D: usize>(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        out: &mut ResidualJacobian,
    ) {
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            match &terms.distances[index] {
                Some(distance) => distance.add_jacobian::<D>(at, &terms.numbers, first, out),
                None => self.add_constraint_columns::<D>(index, first, at, terms, out),
            }
        }
    }

    fn add_force_columns<const D: usize>(
        &self,
        index: usize,
        at: &Instant,
        along: &mut ResidualAlong,
        out: &mut ResidualJacobian,
    ) {
        let (force, nv) = (&self.forces[index], self.nv());
        for (j, is_velocity) in columns(&force.local.coordinates) {
            along.tilt(j, is_velocity, 1.0);
            let time = Dual64::from(at.t);
            let local = along.of_force::<D>(force, time);
            along.tilt(j, is_velocity, 0.0);
            let column = j + if is_velocity { nv } else { 0 };
            force
                .local
                .scatter_subtract(&local, &mut out.force[column * nv..][..nv]);
        }
    }

    fn add_constraint_columns<const D: usize>(
        &self,
        index: usize,
        first: usize,
        at: &Instant,
        terms: &Terms,
        out: &mut ResidualJacobian,
    ) {
        let (constraint, nv, all_rows) = (&self.constraints[index], self.nv(), out.rows);
        let lambda = &at.lambda[first..first + constraint.rows];
        for (j, is_velocity) in columns(&constraint.local.coordinates) {
            out.unit[j] = 1.0;
            let (q, v) = if is_velocity {
                (&out.zero, &out.unit)
            } else {
                (&out.unit, &out.zero)
            };
            let direction = Direction {
                t: 0.0,
                q,
                v,
                numbers: &out.still,
            };
            let along = constraint.along::<D>(at.t, at.q, at.v, at.a, lambda, &terms.numbers, &direction);
            out.unit[j] = 0.0;
            let column = j + if is_velocity { nv } else { 0 };
            constraint
                .local
                .scatter_subtract(&along.force, &mut out.force[column * nv..][..nv]);
            let place = column * all_rows + first;
            out.acceleration[place..place + constraint.rows].copy_from_slice(&along.acceleration[..constraint.rows]);
            out.rate[place..place + constraint.rows].copy_from_slice(&along.rate[..constraint.rows]);
        }
    }
}

/// Each coordinate with its velocity after it.
fn columns(coordinates: &[usize]) -> impl Iterator<Item = (usize, bool)> {
    coordinates.iter().flat_map(|&j| [(j, false), (j, true)])
}

impl PointSpring {
    /// By hand.
    fn add_jacobian<const D: usize>(&self, at: &Instant, numbers: &[f64], out: &mut ResidualJacobian) {
        let Stretched {
            relative,
            length,
            u,
            rate,
            stretch,
            k,
            c,
        } = self.stretched::<D>(at.q, at.v, numbers);
        let share = (k * stretch + c * rate) / length;
        let by_position: [[f64; D]; D] = each(|i| {
            each(|j| {
                let tension = k * u[j] + c * (relative[j] - rate * u[j]) / length;
                let turning = if i == j { 1.0 - u[i] * u[i] } else { -u[i] * u[j] };
                tension * u[i] + share * turning
            })
        });
        let by_velocity: [[f64; D]; D] = each(|i| each(|j| c * u[i] * u[j]));
        for (of, at, sign) in pairs(self.a, self.b) {
            out.add_block(0, (of, at), sign, by_position);
            if c != 0.0 {
                out.add_block(out.nv, (of, at), sign, by_velocity);
            }
        }
    }
}

/// Pairs of ends with the product of their signs in b - a.
fn pairs(a: Base, b: Base) -> [(Base, Base, f64); 4] {
    [(a, a, 1.0), (a, b, -1.0), (b, a, -1.0), (b, b, 1.0)]
}

impl PointDistance {
    /// By hand for c = |d|^2 - L^2: C^T lambda = 2 lambda d at b, C a + gamma = 2 d.d'' + 2 d'.d', c' = 2 d.d'.
    fn add_jacobian<const D: usize>(&self, at: &Instant, numbers: &[f64], row: usize, out: &mut ResidualJacobian) {
        let (a, b) = self.ends();
        let d: [f64; D] = difference(a.position(at.q, numbers), b.position(at.q, numbers));
        let rate: [f64; D] = difference(a.velocity(at.v), b.velocity(at.v));
        let acceleration: [f64; D] = difference(a.velocity(at.a), b.velocity(at.a));
        for (end, sign) in [(a, -2.0), (b, 2.0)] {
            let Base::Point(place) = end else { continue };
            for k in 0..D {
                let (by_position, by_velocity) = (place[k] * out.rows + row, (out.nv + place[k]) * out.rows + row);
                out.acceleration[by_position] += sign * acceleration[k];
                out.rate[by_position] += sign * rate[k];
                out.acceleration[by_velocity] += 2.0 * sign * rate[k];
                out.rate[by_velocity] += sign * d[k];
            }
        }
        let twice = -2.0 * at.lambda[row];
        let block: [[f64; D]; D] = each(|i| each(|k| if i == k { twice } else { 0.0 }));
        for (of, by, sign) in pairs(a, b) {
            out.add_block(0, (of, by), sign, block);
        }
    }
}
