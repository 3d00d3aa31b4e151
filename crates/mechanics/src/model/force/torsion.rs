//! Torsion spring and damper on a relative angle.

use crate::model::local::Local;
use crate::model::marker::Orientation;
use crate::scalar::Scalar;

/// Torque on the second body: -(stiffness (angle - natural) + damping rate); the opposite on the first.
#[derive(Clone, Debug)]
pub struct Torsion {
    /// First body.
    pub a: Orientation,
    /// Second body.
    pub b: Orientation,
    /// Number: stiffness.
    pub stiffness: usize,
    /// Number: angle at rest.
    pub natural: usize,
    /// Number: damping.
    pub damping: usize,
}

impl Torsion {
    /// Both bodies with the model's indices.
    pub fn bodies(&self, local: &Local) -> [Orientation; 2] {
        [self.a, self.b].map(|body| body.map(&mut |list, i| local.global(list, i)))
    }

    /// Angle of the second body relative to the first.
    pub fn angle<S: Scalar>(&self, q: &[S]) -> S {
        self.b.of(q) - self.a.of(q)
    }

    /// Torque on the second body.
    pub fn torque<S: Scalar>(&self, q: &[S], v: &[S], numbers: &[S]) -> S {
        -(numbers[self.stiffness] * (self.angle(q) - numbers[self.natural]) + numbers[self.damping] * self.angle(v))
    }

    /// Adds the generalized force.
    pub fn apply<S: Scalar>(&self, q: &[S], v: &[S], numbers: &[S], f: &mut [S]) {
        let torque = self.torque(q, v, numbers);
        self.b.apply(torque, f);
        self.a.apply(-torque, f);
    }

    /// Stored energy.
    pub fn potential<S: Scalar>(&self, q: &[S], numbers: &[S]) -> S {
        let twist = self.angle(q) - numbers[self.natural];
        twist * twist * numbers[self.stiffness] * 0.5
    }
}
