//! Uniform bar between two points in natural coordinates: M = m/6 [[2I, I], [I, 2I]].

use crate::model::marker::{Base, Place};
use crate::scalar::{Scalar, each};

/// Mass of a bar; an end on the ground keeps only the other end's block.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Start.
    pub from: Base,
    /// End.
    pub to: Base,
    /// Number: mass.
    pub mass: usize,
    /// Numbers: gravity.
    pub gravity: Place,
}

impl Bar {
    /// M a.
    pub fn momentum<S: Scalar, const D: usize>(&self, a: &[S], numbers: &[S], out: &mut [S]) {
        let sixth = numbers[self.mass] / 6.0;
        let start: [S; D] = self.from.velocity(a);
        let end: [S; D] = self.to.velocity(a);
        self.from
            .apply(each::<S, D>(|k| (start[k] * 2.0 + end[k]) * sixth), out);
        self.to.apply(each::<S, D>(|k| (start[k] + end[k] * 2.0) * sixth), out);
    }

    /// Adds the weight, half at each end.
    pub fn weight<S: Scalar, const D: usize>(&self, numbers: &[S], f: &mut [S]) {
        let half: [S; D] = each(|k| numbers[self.gravity[k]] * numbers[self.mass] * 0.5);
        self.from.apply(half, f);
        self.to.apply(half, f);
    }

    /// -m g.(r_from + r_to) / 2.
    pub fn potential<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> S {
        let start: [S; D] = self.from.position(q, numbers);
        let end: [S; D] = self.to.position(q, numbers);
        let mut sum = S::from(0.0);
        for k in 0..D {
            sum -= numbers[self.gravity[k]] * (start[k] + end[k]);
        }
        sum * numbers[self.mass] * 0.5
    }
}
