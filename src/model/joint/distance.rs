//! Constant or prescribed distance: c = |b - a|^2 - length(t)^2.

use crate::model::function::Signal;
use crate::model::marker::{Marker, difference, dot};
use crate::scalar::Scalar;

/// Distance of two markers (rigid link, bar, distance driver).
#[derive(Clone, Debug)]
pub struct Distance {
    /// First marker.
    pub a: Marker,
    /// Second marker.
    pub b: Marker,
    /// The distance.
    pub length: Signal,
}

impl Distance {
    /// Constraint value in square metres.
    pub fn value<S: Scalar, const D: usize>(&self, t: S, q: &[S], numbers: &[S], c: &mut [S]) {
        let d: [S; D] = difference(self.a.position(q, numbers), self.b.position(q, numbers));
        let length = self.length.evaluate(t, numbers);
        c[0] = dot(d, d) - length * length;
    }

    /// Jacobian row, rate and acceleration term by hand, for constant length and markers that are points:
    /// C v = 2 d.d', gamma = 2 d'.d'.
    pub fn rows_of_points<const D: usize>(
        &self,
        q: &[f64],
        v: &[f64],
        numbers: &[f64],
        row: &mut [f64],
    ) -> (f64, f64, f64) {
        let (Marker::Base(a), Marker::Base(b)) = (self.a, self.b) else {
            return (f64::NAN, f64::NAN, f64::NAN);
        };
        let d: [f64; D] = difference(a.position(q, numbers), b.position(q, numbers));
        let rate: [f64; D] = difference(a.velocity(v), b.velocity(v));
        row.fill(0.0);
        let twice = d.map(|x| 2.0 * x);
        a.apply(twice.map(|x| -x), row);
        b.apply(twice, row);
        let length = self.length.evaluate(0.0, numbers);
        (dot(d, d) - length * length, 2.0 * dot(d, rate), 2.0 * dot(rate, rate))
    }
}
