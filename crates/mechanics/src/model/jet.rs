//! Vectors along a motion, with their first and second derivatives by time.

use super::marker::difference;
use crate::linear::Weight;
use crate::scalar::each;

/// A vector along a motion; or its changes along several directions, or what weighs each of these.
#[derive(Clone, Copy, Debug)]
pub struct Jet<const D: usize, T = f64> {
    /// Itself.
    pub x: [T; D],
    /// Its first derivative by time.
    pub v: [T; D],
    /// Its second derivative by time.
    pub a: [T; D],
}

impl<T: Weight, const D: usize> Jet<D, T> {
    /// A vector that stays.
    pub fn fixed(x: [T; D]) -> Self {
        let zero = [T::zero(); D];
        Self { x, v: zero, a: zero }
    }

    /// Each of them changed in a way.
    #[inline]
    pub fn map<const N: usize>(&self, change: impl Fn([T; D]) -> [T; N]) -> Jet<N, T> {
        Jet {
            x: change(self.x),
            v: change(self.v),
            a: change(self.a),
        }
    }

    /// What another vector is beyond this one.
    #[inline]
    pub fn to(&self, other: &Self) -> Self {
        Self {
            x: difference(self.x, other.x),
            v: difference(self.v, other.v),
            a: difference(self.a, other.a),
        }
    }

    /// The sum with another vector.
    #[inline]
    pub fn plus(&self, other: &Self) -> Self {
        let sum = |a: [T; D], b: [T; D]| each(|k| a[k] + b[k]);
        Self {
            x: sum(self.x, other.x),
            v: sum(self.v, other.v),
            a: sum(self.a, other.a),
        }
    }

    /// x.y, its rate and its second derivative.
    #[inline]
    pub fn dot(&self, y: &Jet<D>) -> [T; 3] {
        let mut sums = [T::zero(); 3];
        for k in 0..D {
            sums[0] += self.x[k] * y.x[k];
            sums[1] += self.v[k] * y.x[k] + self.x[k] * y.v[k];
            sums[2] += self.a[k] * y.x[k] + self.v[k] * (2.0 * y.v[k]) + self.x[k] * y.a[k];
        }
        sums
    }
}
