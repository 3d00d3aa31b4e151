//! Two markers coincide: c = b - a.

use crate::model::marker::Marker;
use crate::scalar::{Scalar, each};

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

    /// Adds C^T lambda; true.
    pub fn push<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], lambda: &[f64], f: &mut [S]) -> bool {
        let force: [S; D] = each(|k| S::from(lambda[k]));
        self.b.apply(q, numbers, force, f);
        self.a.apply(q, numbers, force.map(|x| -x), f);
        true
    }
}
