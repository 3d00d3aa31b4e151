//! Rigid body in space with coordinates x, y, z of its origin and a quaternion Q that turns body axes into those of the ground.
//!
//! With the centre of mass at s in body axes, the acceleration a of the origin and the angular acceleration alpha in body axes:
//! m (a + R (alpha x s) + R (omega x (omega x s))) = m g + F and I alpha + omega x I omega + s x R^T F_c = torque about the
//! origin, where F_c is the left side of the first less m g. Forces on the quaternion are 2 Q torque / |Q|^2, of which
//! [`Frame`](crate::model::Frame)s make the torque again; R s is the vector part of Q s conj(Q) / |Q|^2.

use crate::model::Matrix;
use crate::model::attitude::Attitude;
use crate::model::kinematic::TWIST;
use crate::model::local::Local;
use crate::model::marker::{Marker, Place, dot};
use crate::model::quaternion::{between, cross, product, pure, square, turned};
use crate::scalar::{Scalar, each};

/// Mass and inertia of a rigid body in space.
#[derive(Clone, Debug)]
pub struct Solid {
    /// Coordinates x, y, z.
    pub origin: Place,
    /// Coordinates of the quaternion, the scalar first.
    pub turn: [usize; 4],
    /// Velocity of the model: that of x; those of y and z and the angular ones follow.
    pub velocity: usize,
    /// Number: mass.
    pub mass: usize,
    /// Numbers: entries xx, yy, zz, xy, xz, yz of the inertia tensor about the centre of mass in body axes.
    pub inertia: [usize; 6],
    /// Numbers: centre of mass in the body frame.
    pub centre: [usize; 3],
    /// Numbers: gravity.
    pub gravity: Place,
}

/// Momentum of a body, or the rate of it.
struct Momentum<S> {
    linear: [S; 3],
    /// About the origin, in body axes.
    angular: [S; 3],
}

impl Solid {
    fn quaternion<S: Scalar>(&self, q: &[S]) -> [S; 4] {
        each(|k| q[self.turn[k]])
    }

    fn centre_arm<S: Scalar>(&self, numbers: &[S]) -> [S; 3] {
        each(|k| numbers[self.centre[k]])
    }

    /// Product of the inertia tensor about the centre of mass with a vector.
    fn inertia_times<S: Scalar>(&self, numbers: &[S], x: [S; 3]) -> [S; 3] {
        let [xx, yy, zz, xy, xz, yz]: [S; 6] = each(|k| numbers[self.inertia[k]]);
        [
            xx * x[0] + xy * x[1] + xz * x[2],
            xy * x[0] + yy * x[1] + yz * x[2],
            xz * x[0] + yz * x[1] + zz * x[2],
        ]
    }

    /// The rate of the origin, and the angular one in body axes, from the rates of the coordinates.
    fn twist<S: Scalar>(&self, q: &[S], rates: &[S]) -> [[S; 3]; 2] {
        let (turn, rate) = (self.quaternion(q), self.quaternion(rates));
        let scale = square(turn).recip() * 2.0;
        let spin = between(turn, rate);
        [each(|k| rates[self.origin[k]]), each(|k| spin[k] * scale)]
    }

    /// Adds forces at the origin and a torque in body axes.
    fn push<S: Scalar>(&self, q: &[S], momentum: Momentum<S>, f: &mut [S]) {
        let turn = self.quaternion(q);
        let scale = square(turn).recip() * 2.0;
        let of_turn = product(turn, pure(momentum.angular));
        for k in 0..3 {
            f[self.origin[k]] += momentum.linear[k];
        }
        for k in 0..4 {
            f[self.turn[k]] += of_turn[k] * scale;
        }
    }

    /// M times the rates of the origin and of the turning.
    fn mass_times<S: Scalar>(&self, q: &[S], numbers: &[S], [rate, spin]: [[S; 3]; 2]) -> Momentum<S> {
        let (turn, s, m) = (self.quaternion(q), self.centre_arm(numbers), numbers[self.mass]);
        let arm = turned(turn, cross(spin, s));
        let linear: [S; 3] = each(|k| (rate[k] + arm[k]) * m);
        let (own, moment) = (self.inertia_times(numbers, spin), cross(s, turned_back(turn, linear)));
        Momentum {
            linear,
            angular: each(|k| own[k] + moment[k]),
        }
    }

    /// Weight and inertia forces beyond M a.
    fn load<S: Scalar>(&self, q: &[S], numbers: &[S], spin: [S; 3]) -> Momentum<S> {
        let (turn, s, m) = (self.quaternion(q), self.centre_arm(numbers), numbers[self.mass]);
        let centripetal = turned(turn, cross(spin, cross(spin, s)));
        let linear: [S; 3] = each(|k| (numbers[self.gravity[k]] - centripetal[k]) * m);
        let gyroscopic = cross(spin, self.inertia_times(numbers, spin));
        let moment = cross(s, turned_back(turn, linear));
        Momentum {
            linear,
            angular: each(|k| moment[k] - gyroscopic[k]),
        }
    }

    /// M(q) a, by coordinates.
    pub fn momentum<S: Scalar>(&self, q: &[S], a: &[S], numbers: &[S], out: &mut [S]) {
        for &i in self.origin.iter().chain(&self.turn) {
            out[i] = S::from(0.0);
        }
        self.push(q, self.mass_times(q, numbers, self.twist(q, a)), out);
    }

    /// Adds the weight and the inertia forces of the velocity, by coordinates.
    pub fn force<S: Scalar>(&self, q: &[S], v: &[S], numbers: &[S], f: &mut [S]) {
        let [_, spin] = self.twist(q, v);
        self.push(q, self.load(q, numbers, spin), f);
    }

    /// -m g.(r + R s).
    pub fn potential<S: Scalar>(&self, q: &[S], numbers: &[S]) -> S {
        let gravity: [S; 3] = each(|k| numbers[self.gravity[k]]);
        -dot(gravity, self.centre_place(q, numbers)) * numbers[self.mass]
    }

    fn centre_place<S: Scalar>(&self, q: &[S], numbers: &[S]) -> [S; 3] {
        let arm = turned(self.quaternion(q), self.centre_arm(numbers));
        each(|k| q[self.origin[k]] + arm[k])
    }

    /// Linear momentum, and angular momentum about the origin of the ground frame, from rates of the coordinates.
    pub fn momenta<S: Scalar>(&self, q: &[S], rates: &[S], numbers: &[S]) -> [[S; 3]; 2] {
        let twist = self.twist(q, rates);
        let Momentum { linear, .. } = self.mass_times(q, numbers, twist);
        let own = turned(self.quaternion(q), self.inertia_times(numbers, twist[1]));
        let orbital = cross(self.centre_place(q, numbers), linear);
        [linear, each(|k| own[k] + orbital[k])]
    }

    /// The inertia tensor about the centre of mass, by the model's indices.
    pub fn tensor(&self, local: &Local, numbers: &[f64]) -> [[f64; 3]; 3] {
        let [xx, yy, zz, xy, xz, yz]: [f64; 6] = each(|k| numbers[local.numbers[self.inertia[k]]]);
        [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    }

    /// Axes of the body at positions.
    pub fn attitude(&self, local: &Local, q: &[f64]) -> Attitude {
        Attitude::new(self.turn.map(|k| q[local.coordinates[k]]), [0.0; 3], [0.0; 3])
    }

    /// Adds M by velocities; all by the model's indices.
    pub fn add_mass(&self, local: &Local, attitude: &Attitude, numbers: &[f64], mass: &mut Matrix) {
        let number = |i: usize| numbers[local.numbers[i]];
        let (m, s): (f64, [f64; 3]) = (number(self.mass), each(|k| number(self.centre[k])));
        let (first, square, tensor) = (self.velocity, dot(s, s), self.tensor(local, numbers));
        let mut block = [[0.0; TWIST]; TWIST];
        for k in 0..3 {
            block[k][k] = m;
            // An angular velocity about axis k moves the centre of mass by its vector product with s.
            let arm = attitude.to_ground(cross(each(|i| if i == k { m } else { 0.0 }), s));
            for i in 0..3 {
                (block[i][3 + k], block[3 + k][i]) = (arm[i], arm[i]);
                let about_centre = if i == k { square } else { 0.0 } - s[i] * s[k];
                block[3 + i][3 + k] = tensor[i][k] + m * about_centre;
            }
        }
        mass.write_block(first, &block);
    }

    /// Adds the weight and the inertia forces by velocities; all by the model's indices.
    pub fn add_force(&self, local: &Local, attitude: &Attitude, numbers: &[f64], f: &mut [f64]) {
        let number = |i: usize| numbers[local.numbers[i]];
        let (m, s): (f64, [f64; 3]) = (number(self.mass), each(|k| number(self.centre[k])));
        let (first, tensor, omega) = (self.velocity, self.tensor(local, numbers), attitude.omega);
        let centripetal = attitude.to_ground(cross(omega, cross(omega, s)));
        let linear: [f64; 3] = each(|k| (number(self.gravity[k]) - centripetal[k]) * m);
        let gyroscopic = cross(omega, each(|k| dot(tensor[k], omega)));
        let moment = cross(s, attitude.to_body(linear));
        for k in 0..3 {
            f[first + k] += linear[k];
            f[first + 3 + k] += moment[k] - gyroscopic[k];
        }
    }

    /// The centre of mass by the model's indices of velocities.
    pub fn centre(&self, local: &Local) -> Marker {
        Marker::OnSolid {
            origin: each(|k| self.velocity + k),
            turn: [self.velocity + 3; 4],
            place: self.centre.map(|i| local.numbers[i]),
        }
    }
}

/// The transpose of [`turned`]: a vector of the ground in body axes.
fn turned_back<S: Scalar>(turn: [S; 4], x: [S; 3]) -> [S; 3] {
    turned([turn[0], -turn[1], -turn[2], -turn[3]], x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Dual, Dual64};

    fn solid() -> Solid {
        Solid {
            origin: [0, 1, 2],
            turn: [3, 4, 5, 6],
            velocity: 0,
            mass: 0,
            inertia: [1, 2, 3, 4, 5, 6],
            centre: [7, 8, 9],
            gravity: [10, 11, 12],
        }
    }

    const NUMBERS: [f64; 13] = [2.0, 0.3, 0.4, 0.5, 0.02, -0.03, 0.01, 0.1, -0.2, 0.3, 0.4, 0.5, -9.0];

    /// Half of rates.(M rates) less the potential energy.
    fn lagrangian<S: Scalar>(q: &[S], rates: &[S]) -> S {
        let (solid, numbers) = (solid(), NUMBERS.map(S::from));
        let mut momentum = [S::from(0.0); 7];
        solid.momentum(q, rates, &numbers, &mut momentum);
        let twice = rates
            .iter()
            .zip(momentum)
            .fold(S::from(0.0), |sum, (v, p)| sum + *v * p);
        twice * 0.5 - solid.potential(q, &numbers)
    }

    #[test]
    fn the_equations_of_newton_and_euler_are_those_of_lagrange() {
        // A motion that keeps the length of the quaternion: q'' from (7.1).
        let (turn, spin, alpha) = ([0.5, -0.5, 0.7, 0.1], [1.1, -0.7, 0.9], [0.4, 2.0, -1.5]);
        let rate = product(turn, pure(spin)).map(|x| 0.5 * x);
        let bent = product(rate, pure(spin)).map(|x| 0.5 * x);
        let second = product(turn, pure(alpha));
        let q = [0.1, 0.2, 0.3, turn[0], turn[1], turn[2], turn[3]];
        let v = [0.4, -0.5, 0.6, rate[0], rate[1], rate[2], rate[3]];
        let turning: [f64; 4] = each(|k| bent[k] + 0.5 * second[k]);
        let a = [1.0, 2.0, -3.0, turning[0], turning[1], turning[2], turning[3]];
        let mut residual = [0.0; 7];
        let (mut momentum, mut force) = ([0.0; 7], [0.0; 7]);
        solid().momentum(&q, &a, &NUMBERS, &mut momentum);
        solid().force(&q, &v, &NUMBERS, &mut force);
        for i in 0..7 {
            let along = |values: &[f64; 7], slopes: &[f64; 7]| -> [Dual<Dual64>; 7] {
                each(|k| Dual::from_re(Dual64::new(values[k], slopes[k])))
            };
            let (moving, mut rates) = (along(&q, &v), along(&v, &a));
            rates[i].eps = Dual64::from(1.0);
            let by_rate = lagrangian(&moving, &rates).eps.eps;
            let (mut seeded, steady) = (q.map(Dual64::from), v.map(Dual64::from));
            seeded[i].eps = 1.0;
            residual[i] = by_rate - lagrangian(&seeded, &steady).eps - (momentum[i] - force[i]);
        }
        // Forces along the quaternion do no work.
        let torque = between(turn, [residual[3], residual[4], residual[5], residual[6]]);
        for rest in residual[..3].iter().chain(&torque) {
            assert!(rest.abs() < 1e-13, "{residual:?} {torque:?}");
        }
    }

    #[test]
    fn mass_by_velocities_is_that_by_coordinates_between_the_kinematic_matrices() {
        let (solid, numbers) = (solid(), NUMBERS);
        let q = [0.1, 0.2, 0.3, 0.7, -0.4, 0.5, 0.31];
        let (rate, spin) = ([0.4, -0.5, 0.6], [1.1, -0.7, 0.9]);
        let of_turn = product([q[3], q[4], q[5], q[6]], pure(spin));
        let mut rates = [0.0; 7];
        rates[..3].copy_from_slice(&rate);
        (0..4).for_each(|k| rates[3 + k] = 0.5 * of_turn[k]);
        let found = solid.twist(&q, &rates);
        for k in 0..3 {
            assert!((found[1][k] - spin[k]).abs() < 1e-15, "{found:?}");
        }
        let mut by_coordinates = [0.0; 7];
        solid.momentum(&q, &rates, &numbers, &mut by_coordinates);
        let by_velocities = solid.mass_times(&q, &numbers, [rate, spin]);
        let torque = between(
            [q[3], q[4], q[5], q[6]],
            [
                by_coordinates[3],
                by_coordinates[4],
                by_coordinates[5],
                by_coordinates[6],
            ],
        );
        for k in 0..3 {
            assert!((by_coordinates[k] - by_velocities.linear[k]).abs() < 1e-15);
            assert!((0.5 * torque[k] - by_velocities.angular[k]).abs() < 1e-14);
        }
    }
}
