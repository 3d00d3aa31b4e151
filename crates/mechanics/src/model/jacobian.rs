//! Jacobian of the residual r = [M a - f - C^T lambda; C a + gamma] and of c' by positions and velocities (theory,
//! section 2), element by element: each is differentiated by its own coordinates only.

use super::by_hand::ByHand;
use super::force::{LinearSpring, Stretched};
use super::joint::{PointAngle, PointDistance};
use super::local::Local;
use super::marker::{Base, difference};
use super::residual::{Instant, ResidualAlong};
use super::{Mode, Model, Terms};
use crate::scalar::{Dual64, each};

/// Takes the entries of the derivatives, which are added up: columns of the positions, then of the velocities.
pub trait ResidualEntries {
    /// An entry of d(M a - f - C^T lambda).
    fn add_force(&mut self, coordinate: usize, column: usize, value: f64);
    /// An entry of d(C a + gamma).
    fn add_acceleration(&mut self, row: usize, column: usize, value: f64);
    /// An entry of d(c').
    fn add_rate(&mut self, row: usize, column: usize, value: f64);
}

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
}

impl ResidualJacobian {
    /// Clears the columns; allocates only where they have never been as large.
    pub fn begin(&mut self, nv: usize, rows: usize) {
        (self.nv, self.rows) = (nv, rows);
        let sizes = [2 * nv * nv, 2 * nv * rows, 2 * nv * rows];
        let buffers = [&mut self.force, &mut self.acceleration, &mut self.rate];
        for (buffer, size) in buffers.into_iter().zip(sizes) {
            buffer.clear();
            buffer.resize(size, 0.0);
        }
    }
}

impl ResidualEntries for ResidualJacobian {
    #[inline]
    fn add_force(&mut self, coordinate: usize, column: usize, value: f64) {
        self.force[column * self.nv + coordinate] += value;
    }

    #[inline]
    fn add_acceleration(&mut self, row: usize, column: usize, value: f64) {
        self.acceleration[column * self.rows + row] += value;
    }

    #[inline]
    fn add_rate(&mut self, row: usize, column: usize, value: f64) {
        self.rate[column * self.rows + row] += value;
    }
}

/// Adds to the force derivatives by the coordinates of one point those of the force on another.
#[inline]
fn add_block<const D: usize>(
    out: &mut impl ResidualEntries,
    by: usize,
    (of, at): (Base, Base),
    sign: f64,
    block: [[f64; D]; D],
) {
    let (Base::Point(of), Base::Point(at)) = (of, at) else {
        return;
    };
    for k in 0..D {
        for i in 0..D {
            out.add_force(of[i], by + at[k], sign * block[i][k]);
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
        out.begin(self.nv(), mode.rows);
        self.add_residual_jacobian(at, mode, terms, along, out);
    }

    /// Adds the Jacobian at a state to anything that takes its entries.
    pub fn add_residual_jacobian(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        along: &mut ResidualAlong,
        out: &mut impl ResidualEntries,
    ) {
        in_dimension!(self.dimension, D => self.add_residual_jacobian_in::<D>(at, mode, terms, along, out))
    }

    fn add_residual_jacobian_in<const D: usize>(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        along: &mut ResidualAlong,
        out: &mut impl ResidualEntries,
    ) {
        along.load((self, mode), at, &terms.numbers);
        for body in self.bodies.iter().filter(|body| body.is_configuration_dependent()) {
            for (j, is_velocity) in columns(&body.local.coordinates) {
                along.tilt(j, is_velocity, 1.0);
                let local = body.along::<D>(|i| along.q[i], |i| along.v[i], at.a, |i| along.numbers[i]);
                along.tilt(j, is_velocity, 0.0);
                self.add_column(&body.local, 1.0, &local, (j, is_velocity), out);
            }
        }
        for index in (0..self.forces.len()).filter(|&index| mode.force_acts(index)) {
            let spring = terms.springs[index].as_ref();
            match spring.and_then(|spring| Some((spring, spring.points()?))) {
                Some((spring, ends)) => spring.add_jacobian::<D>(ends, at, &terms.numbers, out),
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
        out: &mut impl ResidualEntries,
    ) {
        let nv = self.nv();
        for (j, is_velocity) in (0..nv).map(|j| (j, false)).chain((0..nv).map(|j| (j, true))) {
            along.tilt(j, is_velocity, 1.0);
            along.follow(self, mode);
            along.tilt(j, is_velocity, 0.0);
            for (index, force) in self.forces.iter().enumerate() {
                if mode.force_acts(index) && force.local.numbers.iter().any(|&i| along.numbers[i].eps != 0.0) {
                    let local = along.of_force::<D>(force, Dual64::from(at.t));
                    self.add_column(&force.local, -1.0, &local, (j, is_velocity), out);
                }
            }
        }
    }

    /// Adds the derivative of an element's forces by a position or velocity.
    #[inline]
    fn add_column(
        &self,
        local: &Local,
        sign: f64,
        values: &[f64],
        (j, is_velocity): (usize, bool),
        out: &mut impl ResidualEntries,
    ) {
        let column = j + if is_velocity { self.nv() } else { 0 };
        for (&i, value) in local.coordinates.iter().zip(values) {
            out.add_force(i, column, sign * value);
        }
    }

    /// Writes the part of the constraints alone.
    pub fn constraint_jacobian(&self, at: &Instant, mode: &Mode, terms: &Terms, out: &mut ResidualJacobian) {
        out.begin(self.nv(), mode.rows);
        in_dimension!(self.dimension, D => self.add_constraint_jacobian::<D>(at, mode, terms, out))
    }

    fn add_constraint_jacobian<const D: usize>(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        out: &mut impl ResidualEntries,
    ) {
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            match &terms.by_hand[index] {
                Some(ByHand::Distance(distance)) => distance.add_jacobian::<D>(at, &terms.numbers, first, out),
                Some(ByHand::Angle(angle)) => angle.add_jacobian(at, &terms.numbers, first, out),
                _ => self.add_constraint_columns::<D>(index, first, at, terms, out),
            }
        }
    }

    fn add_force_columns<const D: usize>(
        &self,
        index: usize,
        at: &Instant,
        along: &mut ResidualAlong,
        out: &mut impl ResidualEntries,
    ) {
        let force = &self.forces[index];
        for (j, is_velocity) in columns(&force.local.coordinates) {
            along.tilt(j, is_velocity, 1.0);
            let time = Dual64::from(at.t);
            let local = along.of_force::<D>(force, time);
            along.tilt(j, is_velocity, 0.0);
            self.add_column(&force.local, -1.0, &local, (j, is_velocity), out);
        }
    }

    fn add_constraint_columns<const D: usize>(
        &self,
        index: usize,
        first: usize,
        at: &Instant,
        terms: &Terms,
        out: &mut impl ResidualEntries,
    ) {
        let (constraint, nv) = (&self.constraints[index], self.nv());
        let lambda = &at.lambda[first..first + constraint.rows];
        for (j, is_velocity) in columns(&constraint.local.coordinates) {
            let slope = |i: usize, of_velocities: bool| f64::from(u8::from(i == j && is_velocity == of_velocities));
            let q = |i: usize| Dual64::new(at.q[i], slope(i, false));
            let v = |i: usize| Dual64::new(at.v[i], slope(i, true));
            let numbers = |i: usize| Dual64::from(terms.numbers[i]);
            let along = constraint.along_by::<D>(Dual64::from(at.t), q, v, (at.a, lambda), numbers);
            self.add_column(&constraint.local, -1.0, &along.force, (j, is_velocity), out);
            let column = j + if is_velocity { nv } else { 0 };
            for k in 0..constraint.rows {
                out.add_acceleration(first + k, column, along.acceleration[k]);
                out.add_rate(first + k, column, along.rate[k]);
            }
        }
    }
}

/// Each coordinate with its velocity after it.
fn columns(coordinates: &[usize]) -> impl Iterator<Item = (usize, bool)> {
    coordinates.iter().flat_map(|&j| [(j, false), (j, true)])
}

impl LinearSpring {
    /// By hand, between points.
    fn add_jacobian<const D: usize>(
        &self,
        (a, b): (Base, Base),
        at: &Instant,
        numbers: &[f64],
        out: &mut impl ResidualEntries,
    ) {
        let stretched = self.between::<D>((a, b), at, numbers);
        let Stretched {
            velocity,
            length,
            u,
            rate,
            k,
            c,
            ..
        } = stretched;
        let share = stretched.tension() / length;
        let by_position: [[f64; D]; D] = each(|i| {
            each(|j| {
                let tension = k * u[j] + c * (velocity[j] - rate * u[j]) / length;
                let turning = if i == j { 1.0 - u[i] * u[i] } else { -u[i] * u[j] };
                tension * u[i] + share * turning
            })
        });
        let by_velocity: [[f64; D]; D] = each(|i| each(|j| c * u[i] * u[j]));
        for (of, by, sign) in pairs(a, b) {
            add_block(out, 0, (of, by), sign, by_position);
            if c != 0.0 {
                add_block(out, at.v.len(), (of, by), sign, by_velocity);
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
    fn add_jacobian<const D: usize>(&self, at: &Instant, numbers: &[f64], row: usize, out: &mut impl ResidualEntries) {
        let (a, b) = self.ends();
        let d: [f64; D] = difference(a.position(at.q, numbers), b.position(at.q, numbers));
        let rate: [f64; D] = difference(a.velocity(at.v), b.velocity(at.v));
        let acceleration: [f64; D] = difference(a.velocity(at.a), b.velocity(at.a));
        for (end, sign) in [(a, -2.0), (b, 2.0)] {
            let Base::Point(place) = end else { continue };
            for k in 0..D {
                let (by_position, by_velocity) = (place[k], at.v.len() + place[k]);
                out.add_acceleration(row, by_position, sign * acceleration[k]);
                out.add_rate(row, by_position, sign * rate[k]);
                out.add_acceleration(row, by_velocity, 2.0 * sign * rate[k]);
                out.add_rate(row, by_velocity, sign * d[k]);
            }
        }
        let twice = -2.0 * at.lambda[row];
        let block: [[f64; D]; D] = each(|i| each(|k| if i == k { twice } else { 0.0 }));
        for (of, by, sign) in pairs(a, b) {
            add_block(out, 0, (of, by), sign, block);
        }
    }
}

impl PointAngle {
    /// By hand, over the coordinates that z consists of.
    fn add_jacobian(&self, at: &Instant, numbers: &[f64], row: usize, out: &mut impl ResidualEntries) {
        let jet = self.jet(at.q, numbers, self.change(at.v), self.change(at.a));
        let (nv, lambda) = (at.v.len(), at.lambda[row]);
        let parts = || {
            let ends = [(self.from, -1.0), (self.to, 1.0)];
            let places = ends.into_iter().filter_map(|(end, sign)| match end {
                Base::Point(place) => Some([(place[0], 0, sign), (place[1], 1, sign)]),
                Base::Ground(_) => None,
            });
            places.flatten().chain([(self.angle, 2, 1.0)])
        };
        for (j, k, sign) in parts() {
            out.add_acceleration(row, j, sign * jet.of_acceleration[k]);
            out.add_rate(row, j, sign * jet.of_rate[k]);
            out.add_acceleration(row, nv + j, 2.0 * sign * jet.of_rate[k]);
            out.add_rate(row, nv + j, sign * jet.slope[k]);
            for (i, l, other) in parts() {
                out.add_force(i, j, -lambda * sign * other * jet.curvature[l][k]);
            }
        }
    }
}
