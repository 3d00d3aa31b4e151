//! A point on a straight line through two markers.

use crate::model::marker::{Marker, difference};
use crate::scalar::Scalar;

/// Slot in the plane: c = perp(b - a).(p - a) / |b - a| - offset.
#[derive(Clone, Debug)]
pub struct PointOnLine {
    /// The point.
    pub point: Marker,
    /// Start of the line.
    pub a: Marker,
    /// End of the line.
    pub b: Marker,
    /// Number: distance to the left of the line.
    pub offset: usize,
}

impl PointOnLine {
    /// Constraint value in metres.
    pub fn value<S: Scalar>(&self, q: &[S], numbers: &[S], c: &mut [S]) {
        let a: [S; 2] = self.a.position(q, numbers);
        let direction = difference(a, self.b.position(q, numbers));
        let arm = difference(a, self.point.position(q, numbers));
        let length = (direction[0] * direction[0] + direction[1] * direction[1]).sqrt();
        c[0] = (direction[0] * arm[1] - direction[1] * arm[0]) / length - numbers[self.offset];
    }
}

/// Slot in space, with the position along the line as a massless coordinate: c = a + s (b - a) - p.
#[derive(Clone, Debug)]
pub struct PointAlongLine {
    /// The point.
    pub point: Marker,
    /// Start of the line.
    pub a: Marker,
    /// End of the line.
    pub b: Marker,
    /// Local coordinate: position s along the line as a fraction of |b - a|.
    pub fraction: usize,
}

impl PointAlongLine {
    /// D constraint values in metres.
    pub fn value<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], c: &mut [S]) {
        let a: [S; D] = self.a.position(q, numbers);
        let b: [S; D] = self.b.position(q, numbers);
        let p: [S; D] = self.point.position(q, numbers);
        for k in 0..D {
            c[k] = a[k] + (b[k] - a[k]) * q[self.fraction] - p[k];
        }
    }
}
