//! Planar rigid body with coordinates x, y of its origin and angle.
//!
//! With the centre of mass at s in the ground frame relative to the origin, the kinetic energy is
//! m/2 |r' + angle' perp(s)|^2 + I/2 angle'^2; the inertia force beyond M a is m angle'^2 s.

use crate::model::Matrix;
use crate::model::local::Local;
use crate::model::marker::{Marker, Place, body_arm};
use crate::scalar::Scalar;

/// Mass and inertia of a planar rigid body.
#[derive(Clone, Debug)]
pub struct Rigid {
    /// Coordinates x, y, angle.
    pub body: Place,
    /// Number: mass.
    pub mass: usize,
    /// Number: moment of inertia about the centre of mass.
    pub inertia: usize,
    /// Numbers: centre of mass in the body frame.
    pub centre: [usize; 2],
    /// Numbers: gravity.
    pub gravity: Place,
}

impl Rigid {
    /// The centre of mass.
    pub fn centre(&self) -> Marker {
        Marker::OnBody {
            body: self.body,
            place: self.centre,
        }
    }

    /// Adds M at a configuration.
    pub fn add_mass(&self, local: &Local, q: &[f64], numbers: &[f64], mass: &mut Matrix) {
        let number = |i: usize| numbers[local.numbers[i]];
        let [x, y, angle] = self.body.map(|i| local.coordinates[i]);
        let s = body_arm(q[angle], number(self.centre[0]), number(self.centre[1]));
        let m = number(self.mass);
        mass.add(x, x, m);
        mass.add(y, y, m);
        mass.add(angle, angle, m * (s[0] * s[0] + s[1] * s[1]) + number(self.inertia));
        for (i, value) in [(x, -m * s[1]), (y, m * s[0])] {
            mass.add(i, angle, value);
            mass.add(angle, i, value);
        }
    }

    fn arm<S: Scalar>(&self, q: &[S], numbers: &[S]) -> [S; 2] {
        body_arm(q[self.body[2]], numbers[self.centre[0]], numbers[self.centre[1]])
    }

    /// M(q) a.
    pub fn momentum<S: Scalar>(&self, q: &[S], a: &[S], numbers: &[S], out: &mut [S]) {
        let [x, y, angle] = self.body;
        let s = self.arm(q, numbers);
        let m = numbers[self.mass];
        let linear = [(a[x] - s[1] * a[angle]) * m, (a[y] + s[0] * a[angle]) * m];
        out[x] = linear[0];
        out[y] = linear[1];
        out[angle] = s[0] * linear[1] - s[1] * linear[0] + numbers[self.inertia] * a[angle];
    }

    /// Adds the weight and the centrifugal force m angle'^2 s at the origin.
    pub fn force<S: Scalar>(&self, q: &[S], v: &[S], numbers: &[S], f: &mut [S]) {
        let [x, y, angle] = self.body;
        let s = self.arm(q, numbers);
        let m = numbers[self.mass];
        let weight = [numbers[self.gravity[0]] * m, numbers[self.gravity[1]] * m];
        let centrifugal = m * v[angle] * v[angle];
        f[x] += weight[0] + centrifugal * s[0];
        f[y] += weight[1] + centrifugal * s[1];
        f[angle] += s[0] * weight[1] - s[1] * weight[0];
    }

    /// -m g.(r + s).
    pub fn potential<S: Scalar>(&self, q: &[S], numbers: &[S]) -> S {
        let s = self.arm(q, numbers);
        let [gx, gy] = [numbers[self.gravity[0]], numbers[self.gravity[1]]];
        -numbers[self.mass] * (gx * (q[self.body[0]] + s[0]) + gy * (q[self.body[1]] + s[1]))
    }
}
