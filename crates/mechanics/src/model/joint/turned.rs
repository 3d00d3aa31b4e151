//! Angle of a joint in space as a coordinate: c = cos(angle) y.w - sin(angle) x.w.

use super::Direction;
use crate::model::marker::dot;
use crate::scalar::Scalar;

/// Angle by which a direction of the second body has turned from x towards y, both across the axis in the first body.
///
/// The coordinate has no mass; it makes the angle continuous over any number of turns.
#[derive(Clone, Debug)]
pub struct Turned {
    /// x and y, fixed in the first body.
    pub across: [Direction; 2],
    /// w, fixed in the second body.
    pub mark: Direction,
    /// Local coordinate: the angle.
    pub angle: usize,
}

impl Turned {
    /// x.w and y.w.
    pub fn components<S: Scalar>(&self, q: &[S], numbers: &[S]) -> [S; 2] {
        let mark: [S; 3] = self.mark.of(q, numbers);
        self.across.map(|axis| dot(axis.of::<S, 3>(q, numbers), mark))
    }

    /// Constraint value in radians, for small errors.
    pub fn value<S: Scalar>(&self, q: &[S], numbers: &[S], c: &mut [S]) {
        let [along, across] = self.components(q, numbers);
        let (sin, cos) = q[self.angle].sin_cos();
        c[0] = across * cos - along * sin;
    }
}
