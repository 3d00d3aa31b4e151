//! Angle of a joint in space as a coordinate: c = cos(angle) y.w - sin(angle) x.w.

use super::Direction;
use crate::model::marker::dot;
use crate::scalar::{Scalar, each};

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

    /// Adds C^T lambda; true.
    pub fn push<S: Scalar>(&self, q: &[S], numbers: &[S], lambda: f64, f: &mut [S]) -> bool {
        let (sin, cos) = q[self.angle].sin_cos();
        let (mark, [x, y]) = (
            self.mark.of::<S, 3>(q, numbers),
            self.across.map(|axis| axis.of::<S, 3>(q, numbers)),
        );
        let [of_x, of_y]: [[S; 3]; 2] = [mark.map(|w| -w * sin * lambda), mark.map(|w| w * cos * lambda)];
        self.across[0].pull(q, numbers, of_x, f);
        self.across[1].pull(q, numbers, of_y, f);
        self.mark
            .pull(q, numbers, each(|k| (y[k] * cos - x[k] * sin) * lambda), f);
        f[self.angle] -= (dot(x, mark) * cos + dot(y, mark) * sin) * lambda;
        true
    }

    /// Constraint value in radians, for small errors.
    pub fn value<S: Scalar>(&self, q: &[S], numbers: &[S], c: &mut [S]) {
        let [along, across] = self.components(q, numbers);
        let (sin, cos) = q[self.angle].sin_cos();
        c[0] = across * cos - along * sin;
    }
}
