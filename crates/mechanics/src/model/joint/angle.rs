//! Constraints on angles and on linear combinations of coordinates.

use crate::model::function::Signal;
use crate::model::marker::{Base, Orientation, difference};
use crate::scalar::Scalar;

/// Relative angle of two bodies: c = angle(b) - angle(a) - value(t).
#[derive(Clone, Debug)]
pub struct RelativeAngle {
    /// First body.
    pub a: Orientation,
    /// Second body.
    pub b: Orientation,
    /// The angle.
    pub value: Signal,
}

impl RelativeAngle {
    /// Constraint value in radians.
    pub fn value<S: Scalar>(&self, t: S, q: &[S], numbers: &[S], c: &mut [S]) {
        c[0] = self.b.of(q) - self.a.of(q) - self.value.evaluate(t, numbers);
    }
}

/// Angle coordinate of a bar given by its ends: c = e_perp(angle).(to - from) / length.
///
/// The coordinate has no mass; it makes the bar's angle continuous over any number of turns.
#[derive(Clone, Debug)]
pub struct BarAngle {
    /// Start of the bar.
    pub from: Base,
    /// End of the bar.
    pub to: Base,
    /// Local coordinate: the angle.
    pub angle: usize,
    /// Number: length of the bar.
    pub length: usize,
}

impl BarAngle {
    /// Constraint value in radians, for small errors.
    pub fn value<S: Scalar>(&self, q: &[S], numbers: &[S], c: &mut [S]) {
        let d: [S; 2] = difference(self.from.position(q, numbers), self.to.position(q, numbers));
        let (sin, cos) = q[self.angle].sin_cos();
        c[0] = (d[1] * cos - d[0] * sin) / numbers[self.length];
    }
}

/// Linear combination of coordinates: c = sum factor_k q_k - value(t).
#[derive(Clone, Debug)]
pub struct Coupling {
    /// Pairs of a local coordinate and the local number that is its factor.
    pub terms: Vec<(usize, usize)>,
    /// The value.
    pub value: Signal,
}

impl Coupling {
    /// Constraint value in the unit of the combination.
    pub fn value<S: Scalar>(&self, t: S, q: &[S], numbers: &[S], c: &mut [S]) {
        let mut sum = -self.value.evaluate(t, numbers);
        for &(coordinate, factor) in &self.terms {
            sum += q[coordinate] * numbers[factor];
        }
        c[0] = sum;
    }
}
