//! Planar rigid body with coordinates x, y of its origin and angle.
//!
//! With the centre of mass at s in the ground frame relative to the origin, the kinetic energy is
//! m/2 |r' + angle' perp(s)|^2 + I/2 angle'^2; the inertia force beyond M a is m angle'^2 s.

use crate::model::Matrix;
use crate::model::local::Local;
use crate::model::marker::{Marker, Place, body_arm};
use crate::scalar::Scalar;

/// Weight and centrifugal force of a mass at s, and their torque about the origin.
fn loads<S: Scalar>(m: S, omega: S, s: [S; 2], gravity: [S; 2]) -> [S; 3] {
    let weight = gravity.map(|g| g * m);
    let centrifugal = m * omega * omega;
    [
        weight[0] + centrifugal * s[0],
        weight[1] + centrifugal * s[1],
        s[0] * weight[1] - s[1] * weight[0],
    ]
}

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
        let gravity = [numbers[self.gravity[0]], numbers[self.gravity[1]]];
        let loads = loads(numbers[self.mass], v[self.body[2]], self.arm(q, numbers), gravity);
        for (i, load) in self.body.into_iter().zip(loads) {
            f[i] += load;
        }
    }

    /// The same with the model's own arguments, where nothing need be gathered.
    pub fn add_force(&self, local: &Local, q: &[f64], v: &[f64], numbers: &[f64], f: &mut [f64]) {
        let number = |i: usize| numbers[local.numbers[i]];
        let at = self.body.map(|i| local.coordinates[i]);
        let s = body_arm(q[at[2]], number(self.centre[0]), number(self.centre[1]));
        let gravity = [number(self.gravity[0]), number(self.gravity[1])];
        for (i, load) in at.into_iter().zip(loads(number(self.mass), v[at[2]], s, gravity)) {
            f[i] += load;
        }
    }

    /// -m g.(r + s).
    pub fn potential<S: Scalar>(&self, q: &[S], numbers: &[S]) -> S {
        let s = self.arm(q, numbers);
        let [gx, gy] = [numbers[self.gravity[0]], numbers[self.gravity[1]]];
        -numbers[self.mass] * (gx * (q[self.body[0]] + s[0]) + gy * (q[self.body[1]] + s[1]))
    }
}
