//! Point mass: M = m I.

use crate::model::marker::Place;
use crate::scalar::Scalar;

/// Mass of a point.
#[derive(Clone, Debug)]
pub struct Particle {
    /// Coordinates.
    pub point: Place,
    /// Number: mass.
    pub mass: usize,
    /// Numbers: gravity.
    pub gravity: Place,
}

impl Particle {
    /// M a.
    pub fn momentum<S: Scalar, const D: usize>(&self, a: &[S], numbers: &[S], out: &mut [S]) {
        for &i in &self.point[..D] {
            out[i] = a[i] * numbers[self.mass];
        }
    }

    /// Adds the weight.
    pub fn weight<S: Scalar, const D: usize>(&self, numbers: &[S], f: &mut [S]) {
        for k in 0..D {
            f[self.point[k]] += numbers[self.mass] * numbers[self.gravity[k]];
        }
    }

    /// -m g.r.
    pub fn potential<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> S {
        let mut sum = S::from(0.0);
        for k in 0..D {
            sum -= numbers[self.gravity[k]] * q[self.point[k]];
        }
        sum * numbers[self.mass]
    }
}
