//! Directions of two bodies in space that stay perpendicular: c = u.w, or the difference of two such products.

use crate::model::local::List;
use crate::model::marker::{Orientation, dot};
use crate::scalar::{Scalar, each};

/// 1 + cos(bend) of the shafts of a joint of constant velocity that bends by 170 degrees: there its row is a tenth as long as where they are in line.
const LEAST: f64 = 0.015_192_246_987_791_98;

/// A unit vector fixed in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Direction {
    /// The frame.
    pub frame: Orientation,
    /// Numbers: its components there.
    pub given: [usize; 3],
}

impl Direction {
    /// The same with other indices.
    pub fn map(self, index: &mut impl FnMut(List, usize) -> usize) -> Self {
        Self {
            frame: self.frame.map(index),
            given: self.given.map(|number| index(List::Numbers, number)),
        }
    }

    /// Adds the gradient of weight . (the direction) by the coordinates.
    pub fn pull<S: Scalar>(&self, q: &[S], numbers: &[S], weight: [S; 3], f: &mut [S]) {
        self.frame.pull(q, each(|k| numbers[self.given[k]]), weight, f);
    }

    /// In the ground frame.
    pub fn of<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> [S; D] {
        self.frame.turn(q, each(|k| numbers[self.given[k]]))
    }
}

/// A row of the joints that hold the orientation of one body to another.
#[derive(Clone, Debug)]
pub struct Across {
    /// A direction of the first body and one of the second.
    pub pair: [Direction; 2],
    /// The pair whose product is subtracted.
    pub less: Option<[Direction; 2]>,
}

impl Across {
    /// Constraint value without unit, for small errors in radians.
    pub fn value<S: Scalar>(&self, q: &[S], numbers: &[S], c: &mut [S]) {
        let product = |[u, w]: [Direction; 2]| dot(u.of::<S, 3>(q, numbers), w.of::<S, 3>(q, numbers));
        c[0] = product(self.pair);
        if let Some(less) = self.less {
            c[0] -= product(less);
        }
    }

    /// Of the difference x.y' - y.x' of a joint of constant velocity, which holds any twist as well where its shafts are folded back onto each
    /// other: x.x' + y.y' = 1 + cos(bend), less what it is at the largest bend.
    pub fn margin<S: Scalar>(&self, q: &[S], numbers: &[S]) -> Option<S> {
        let ([x, second_y], [y, second_x]) = (self.pair, self.less?);
        let product = |u: Direction, w: Direction| dot(u.of::<S, 3>(q, numbers), w.of::<S, 3>(q, numbers));
        Some(product(x, second_x) + product(y, second_y) - LEAST)
    }

    /// Adds C^T lambda; true.
    pub fn push<S: Scalar>(&self, q: &[S], numbers: &[S], lambda: f64, f: &mut [S]) -> bool {
        for (pair, sign) in [(Some(self.pair), lambda), (self.less, -lambda)] {
            if let Some([u, w]) = pair {
                let weights = [w, u].map(|other| other.of::<S, 3>(q, numbers).map(|x| x * sign));
                u.pull(q, numbers, weights[0], f);
                w.pull(q, numbers, weights[1], f);
            }
        }
        true
    }

    /// Torque on the second body for the multiplier one, in the ground frame: w x u.
    pub fn torque<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> [S; D] {
        let of = |[u, w]: [Direction; 2]| {
            let (u, w): ([S; 3], [S; 3]) = (u.of(q, numbers), w.of(q, numbers));
            crate::model::quaternion::cross(w, u)
        };
        let torque = of(self.pair);
        let less = self.less.map_or([S::from(0.0); 3], of);
        each(|k| torque[k] - less[k])
    }
}
