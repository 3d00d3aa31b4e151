//! Gap functions of contacts and end stops: positive when open.

use crate::model::joint::Direction;
use crate::model::marker::{Marker, Orientation, difference, divided, dot, norm, scaled};
use crate::scalar::{Scalar, each};

/// Square of the sine of the tilt below which the rim of a disc counts as flat on a plane: it touches all round, and has no derivative.
const FLAT: f64 = 1e-8;

/// Circle or sphere about a point, or in space the rim of a disc about it, against a half-space: gap = n.(p - through) / |n| - reach
/// with the reach r, of a rim across z |n - (n.z) z| r.
#[derive(Clone, Debug)]
pub struct PlaneGap {
    /// The point.
    pub point: Marker,
    /// Number: radius about the point.
    pub radius: usize,
    /// Axis of the disc of which the rim touches (spatial).
    pub rim: Option<Direction>,
    /// Place on the plane.
    pub through: Marker,
    /// Frame of the normal.
    pub frame: Orientation,
    /// Numbers: the normal, of any length.
    pub normal: [usize; 3],
}

impl PlaneGap {
    /// Unit normal in the ground frame.
    pub fn unit_normal<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> [S; D] {
        let normal: [S; D] = each(|k| numbers[self.normal[k]]);
        let length = norm(normal);
        self.frame.turn(q, divided(normal, length))
    }

    /// Gap in metres.
    pub fn value<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], c: &mut [S]) {
        let arm: [S; D] = difference(self.through.position(q, numbers), self.point.position(q, numbers));
        c[0] = dot(self.unit_normal(q, numbers), arm) - self.reach::<S, D>(q, numbers);
    }

    /// How far it reaches from the point towards the plane.
    fn reach<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> S {
        let radius = numbers[self.radius];
        match self.steepest::<S, D>(q, numbers) {
            // An open gap is read where the disc lies flat too; a closed one is not.
            Some(up) if dot(up, up).re() == 0.0 => S::from(0.0),
            Some(up) => norm(up) * radius,
            None => radius,
        }
    }

    /// Of a rim, the part of the normal in the plane of the disc: of the length of the sine of its tilt.
    fn steepest<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> Option<[S; D]> {
        let axis: [S; D] = self.rim?.of(q, numbers);
        let normal: [S; D] = self.unit_normal(q, numbers);
        Some(difference(scaled(axis, dot(normal, axis)), normal))
    }

    /// The place that is nearest to the plane.
    pub fn lowest<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> [S; D] {
        let towards: [S; D] = match self.steepest(q, numbers) {
            Some(up) => divided(up, norm(up)),
            None => self.unit_normal(q, numbers),
        };
        let centre: [S; D] = self.point.position(q, numbers);
        difference(scaled(towards, numbers[self.radius]), centre)
    }

    /// Of a rim, how far it is from lying flat: positive where it has one lowest place.
    pub fn margin<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> Option<S> {
        let up: [S; D] = self.steepest(q, numbers)?;
        Some(dot(up, up) - FLAT)
    }
}

/// Two circles: gap = |b - a| - (r_a + r_b), or r_a - r_b - |b - a| when the second lies inside the first.
#[derive(Clone, Debug)]
pub struct CircleGap {
    /// Centre of the first circle.
    pub a: Marker,
    /// Centre of the second circle.
    pub b: Marker,
    /// Numbers: the radii.
    pub radii: [usize; 2],
    /// The second circle lies inside the first.
    pub inside: bool,
}

impl CircleGap {
    /// Gap in metres.
    pub fn value<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], c: &mut [S]) {
        let d: [S; D] = difference(self.a.position(q, numbers), self.b.position(q, numbers));
        let [ra, rb] = each(|i| numbers[self.radii[i]]);
        c[0] = if self.inside {
            ra - rb - norm(d)
        } else {
            norm(d) - ra - rb
        };
    }
}

/// Limit of a distance: gap = sign (|b - a| - limit).
#[derive(Clone, Debug)]
pub struct DistanceLimit {
    /// First marker.
    pub a: Marker,
    /// Second marker.
    pub b: Marker,
    /// Number: the limit.
    pub limit: usize,
    /// +1 for a lower limit, -1 for an upper one.
    pub sign: f64,
}

impl DistanceLimit {
    /// Gap in metres.
    pub fn value<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], c: &mut [S]) {
        let d: [S; D] = difference(self.a.position(q, numbers), self.b.position(q, numbers));
        c[0] = (norm(d) - numbers[self.limit]) * self.sign;
    }
}

/// Limit of a coordinate or of the difference of two: gap = sign (q_b - q_a - limit).
#[derive(Clone, Debug)]
pub struct CoordinateLimit {
    /// Local coordinate that is subtracted.
    pub a: Option<usize>,
    /// Local coordinate.
    pub b: usize,
    /// Number: the limit.
    pub limit: usize,
    /// +1 for a lower limit, -1 for an upper one.
    pub sign: f64,
}

impl CoordinateLimit {
    /// Gap in metres or radians.
    pub fn value<S: Scalar>(&self, q: &[S], numbers: &[S], c: &mut [S]) {
        let from = self.a.map_or(S::from(0.0), |a| q[a]);
        c[0] = (q[self.b] - from - numbers[self.limit]) * self.sign;
    }
}
