//! Constant or prescribed distance: c = |b - a|^2 - length(t)^2.

use crate::model::function::Signal;
use crate::model::local::Local;
use crate::model::marker::{Base, Marker, difference, dot, scaled};
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

    /// The same distance with the model's indices instead of an element's, if it is constant and between points.
    pub fn between_points(&self, local: &Local, dimension: usize) -> Option<PointDistance> {
        match (self.a, self.b, &self.length) {
            (Marker::Base(a), Marker::Base(b), Signal::Number(length)) => Some(PointDistance {
                own: (a, b),
                a: a.global(local, dimension),
                b: b.global(local, dimension),
                length: local.numbers[*length],
            }),
            _ => None,
        }
    }
}

/// Constant distance of two points, with the model's indices: rows by hand for the hot path.
#[derive(Clone, Copy, Debug)]
pub struct PointDistance {
    /// The points with the element's indices.
    own: (Base, Base),
    a: Base,
    b: Base,
    length: usize,
}

impl PointDistance {
    /// The two points, with the model's indices.
    pub fn ends(&self) -> (Base, Base) {
        (self.a, self.b)
    }

    /// Number of the model: the distance.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Value, rate and acceleration term, c' = C v = 2 d.d', gamma = 2 d'.d'; adds the Jacobian row, one entry
    /// per coordinate of the element.
    #[inline]
    pub fn evaluate<const D: usize>(&self, q: &[f64], v: &[f64], numbers: &[f64], row: &mut [f64]) -> [f64; 3] {
        let d: [f64; D] = difference(self.a.position(q, numbers), self.b.position(q, numbers));
        let rate: [f64; D] = difference(self.a.velocity(v), self.b.velocity(v));
        self.own.0.apply(scaled(d, -2.0), row);
        self.own.1.apply(scaled(d, 2.0), row);
        let length = numbers[self.length];
        [dot(d, d) - length * length, 2.0 * dot(d, rate), 2.0 * dot(rate, rate)]
    }
}
