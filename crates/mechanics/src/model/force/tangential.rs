//! Friction force along the surface of a contact, of a size that follows from the motion.

use crate::model::constraint::ConstraintKind;
use crate::model::local::MAX_LOCAL;
use crate::model::marker::{dot, scaled};
use crate::model::touch::Touch;
use crate::scalar::{Scalar, each};

/// Acts on the point of a contact along the surface, and with the opposite on the surface, where they touch.
#[derive(Clone, Debug)]
pub struct Tangential {
    /// The gap of the contact, in local indices.
    pub gap: Box<ConstraintKind>,
    /// Number: the force.
    pub force: usize,
}

impl Tangential {
    /// Adds the generalized force; `numbers` are as many as the element has.
    pub fn apply<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], count: usize, f: &mut [S]) {
        if numbers[self.force].vanishes() {
            return;
        }
        let Some(touch) = Touch::<S, D>::of(&self.gap, q, numbers) else {
            return;
        };
        let points = touch.points(q, each(|k| numbers[k]), count);
        points.apply(q, scaled(points.tangents()[0], numbers[self.force]), f);
    }

    /// Velocity of the point along the surface, against the material point of the surface.
    pub fn velocity<S: Scalar, const D: usize>(
        &self,
        q: &[S; MAX_LOCAL],
        v: &[S; MAX_LOCAL],
        numbers: [S; MAX_LOCAL],
        count: usize,
    ) -> S {
        match Touch::<S, D>::of(&self.gap, q, &numbers) {
            Some(touch) => {
                let points = touch.points(q, numbers, count);
                dot(points.tangents()[0], points.velocity(q, v))
            }
            None => S::from(f64::NAN),
        }
    }
}
