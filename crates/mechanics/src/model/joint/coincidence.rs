//! Two markers coincide: c = b - a.

use crate::model::marker::Marker;
use crate::scalar::Scalar;

/// Pin (planar) or ball joint (spatial).
#[derive(Clone, Debug)]
pub struct Coincidence {
    /// First marker.
    pub a: Marker,
    /// Second marker.
    pub b: Marker,
}

impl Coincidence {
    /// D constraint values in metres.
    pub fn value<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], c: &mut [S]) {
        let a: [S; D] = self.a.position(q, numbers);
        let b: [S; D] = self.b.position(q, numbers);
        for k in 0..D {
            c[k] = b[k] - a[k];
        }
    }
}
