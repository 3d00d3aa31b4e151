//! A marker slides along a direction fixed in another marker's body: c = n.(b - a).

use crate::model::marker::{Marker, Orientation, difference, divided, dot};
use crate::scalar::{Scalar, each};

/// Translation part of a prismatic joint, and points on fixed lines and planes.
#[derive(Clone, Debug)]
pub struct Slide {
    /// Marker that the direction belongs to.
    pub a: Marker,
    /// Marker that slides.
    pub b: Marker,
    /// Frame of the direction.
    pub frame: Orientation,
    /// Numbers: the direction of sliding (planar) or the normal of the plane (spatial).
    pub direction: [usize; 3],
    /// Number: distance to the left of the line, or along the normal.
    pub offset: Option<usize>,
    /// Local coordinate: the same, where it is a coordinate.
    pub position: Option<usize>,
}

impl Slide {
    /// Unit normal of the line or plane in the ground frame.
    pub fn normal<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> [S; D] {
        let given: [S; D] = each(|k| numbers[self.direction[k]]);
        let normal = if D == 2 {
            each(|k| if k == 0 { -given[1] } else { given[0] })
        } else {
            given
        };
        let length = dot(normal, normal).sqrt();
        self.frame.turn(q, divided(normal, length))
    }

    /// Adds C^T lambda, in space; whether it has.
    pub fn push<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], lambda: f64, f: &mut [S]) -> bool {
        if D == 2 {
            return false;
        }
        let (a, b): ([S; D], [S; D]) = (self.a.position(q, numbers), self.b.position(q, numbers));
        let given: [S; D] = each(|k| numbers[self.direction[k]]);
        let own = divided(given, dot(given, given).sqrt());
        let force: [S; D] = self.frame.turn(q, own).map(|x| x * lambda);
        self.b.apply(q, numbers, force, f);
        self.a.apply(q, numbers, force.map(|x| -x), f);
        self.frame.pull(q, own, difference(a, b).map(|x| x * lambda), f);
        if let Some(position) = self.position {
            f[position] -= S::from(lambda);
        }
        true
    }

    /// Constraint value in metres.
    pub fn value<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], c: &mut [S]) {
        let d = difference(self.a.position(q, numbers), self.b.position(q, numbers));
        c[0] = dot(self.normal::<S, D>(q, numbers), d);
        if let Some(offset) = self.offset {
            c[0] -= numbers[offset];
        }
        if let Some(position) = self.position {
            c[0] -= q[position];
        }
    }
}
