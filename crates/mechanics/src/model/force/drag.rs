//! Viscous drag at a marker: -(linear + quadratic |v|) v.

use crate::model::marker::{Marker, dot, scaled};
use crate::scalar::Scalar;

/// Drag against the resting surroundings.
#[derive(Clone, Debug)]
pub struct Drag {
    /// Where it acts.
    pub at: Marker,
    /// Number: linear coefficient.
    pub linear: usize,
    /// Number: quadratic coefficient, when given.
    pub quadratic: Option<usize>,
}

impl Drag {
    /// The force in the ground frame.
    pub fn force<S: Scalar, const D: usize>(&self, q: &[S], v: &[S], numbers: &[S]) -> [S; D] {
        let velocity: [S; D] = self.at.velocity(q, v, numbers);
        let mut coefficient = numbers[self.linear];
        if let Some(quadratic) = self.quadratic {
            let square = dot(velocity, velocity);
            // |v| has no derivative at rest, |v| v has: zero.
            if square.re() > 0.0 {
                coefficient += numbers[quadratic] * square.sqrt();
            }
        }
        scaled(velocity, -coefficient)
    }

    /// Adds the generalized force.
    pub fn apply<S: Scalar, const D: usize>(&self, q: &[S], v: &[S], numbers: &[S], f: &mut [S]) {
        let force = self.force::<S, D>(q, v, numbers);
        self.at.apply(q, numbers, force, f);
    }
}
