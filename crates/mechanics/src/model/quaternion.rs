//! Quaternions, the scalar first, of which the unit ones turn body axes into those of the ground.

use crate::scalar::{Scalar, each};

/// Product of two quaternions.
#[inline]
pub fn product<S: Scalar>(a: [S; 4], b: [S; 4]) -> [S; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// The quaternion without scalar part.
#[inline]
pub fn pure<S: Scalar>(vector: [S; 3]) -> [S; 4] {
    [S::from(0.0), vector[0], vector[1], vector[2]]
}

/// The quaternion of the opposite turn.
#[inline]
pub fn conjugate<S: Scalar>(a: [S; 4]) -> [S; 4] {
    [a[0], -a[1], -a[2], -a[3]]
}

/// Vector part of conj(a) b.
#[inline]
pub fn between<S: Scalar>(a: [S; 4], b: [S; 4]) -> [S; 3] {
    let all = product(conjugate(a), b);
    [all[1], all[2], all[3]]
}

/// |a|^2.
#[inline]
pub fn square<S: Scalar>(a: [S; 4]) -> S {
    a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]
}

/// s turned: the vector part of a s conj(a) / |a|^2.
#[inline]
pub fn turned<S: Scalar>(a: [S; 4], s: [S; 3]) -> [S; 3] {
    let (found, over) = (between(conjugate(a), product(pure(s), conjugate(a))), square(a).recip());
    each(|k| found[k] * over)
}

/// Vector product.
#[inline]
pub fn cross<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Derivative of the turned s where the quaternion changes by `change`.
#[inline]
pub fn turned_along<S: Scalar>(a: [S; 4], change: [S; 4], s: [S; 3]) -> [S; 3] {
    // The body turns by the vector part of 2 conj(a) change / |a|^2 in its own axes.
    let (turn, twice) = (between(a, change), square(a).recip() * 2.0);
    turned(a, cross(each(|k| turn[k] * twice), s))
}

/// Gradient of force . (turned s) by the quaternion.
#[inline]
pub fn turned_gradient<S: Scalar>(a: [S; 4], s: [S; 3], force: [S; 3]) -> [S; 4] {
    let (own, twice) = (cross(s, turned(conjugate(a), force)), square(a).recip() * 2.0);
    let turning = product(a, pure(own));
    each(|k| turning[k] * twice)
}
