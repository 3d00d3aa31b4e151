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
    /// Numbers: the force along the tangents of the surface, in the plane the first alone.
    pub force: [usize; 2],
}

impl Tangential {
    /// Adds the generalized force; `numbers` are as many as the element has.
    pub fn apply<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], count: usize, f: &mut [S]) {
        if self.force[..D - 1].iter().all(|&force| numbers[force].vanishes()) {
            return;
        }
        let Some(touch) = Touch::<S, D>::of(&self.gap, q, numbers) else {
            return;
        };
        let points = touch.points(q, each(|k| numbers[k]), count);
        for (tangent, &force) in points.tangents().iter().zip(&self.force) {
            points.apply(q, scaled(*tangent, numbers[force]), f);
        }
    }

    /// Velocity of the point along the surface, against a surface that moves with `moves` over its own material: by the tangents.
    pub fn velocity<S: Scalar, const D: usize>(
        &self,
        q: &[S; MAX_LOCAL],
        v: &[S; MAX_LOCAL],
        numbers: [S; MAX_LOCAL],
        (count, moves): (usize, SurfaceMotion<S>),
    ) -> [S; 2] {
        let Some(touch) = Touch::<S, D>::of(&self.gap, q, &numbers) else {
            return [S::from(f64::NAN); 2];
        };
        let points = touch.points(q, numbers, count);
        let relative = points.velocity(q, v);
        let own = self.carried::<S, D>(q, moves);
        let mut slip = [S::from(0.0); 2];
        for (k, (slip, tangent)) in slip.iter_mut().zip(points.tangents()).enumerate() {
            *slip = dot(*tangent, relative) - own.along(k, *tangent);
        }
        slip
    }

    /// A vector along the surface from its components by the tangents, in the ground frame.
    pub fn in_ground<S: Scalar, const D: usize>(
        &self,
        q: &[S; MAX_LOCAL],
        numbers: [S; MAX_LOCAL],
        (count, along): (usize, [S; 2]),
    ) -> [S; D] {
        let mut sum = [S::from(0.0); D];
        if let Some(touch) = Touch::<S, D>::of(&self.gap, q, &numbers) {
            let points = touch.points(q, numbers, count);
            for (tangent, size) in points.tangents().iter().zip(along) {
                sum = each(|k| sum[k] + tangent[k] * size);
            }
        }
        sum
    }

    /// The components of a vector of the ground frame along the tangents.
    pub fn by_tangents<S: Scalar, const D: usize>(
        &self,
        q: &[S; MAX_LOCAL],
        numbers: [S; MAX_LOCAL],
        (count, vector): (usize, [f64; 3]),
    ) -> [S; 2] {
        let mut found = [S::from(0.0); 2];
        if let Some(touch) = Touch::<S, D>::of(&self.gap, q, &numbers) {
            let points = touch.points(q, numbers, count);
            for (slot, tangent) in found.iter_mut().zip(points.tangents()) {
                *slot = dot(*tangent, fitted(vector.map(S::from)));
            }
        }
        found
    }

    /// The motion of the surface over its own material, with a velocity turned to the ground frame.
    fn carried<S: Scalar, const D: usize>(&self, q: &[S], moves: SurfaceMotion<S>) -> SurfaceMotion<S> {
        match (moves, &*self.gap) {
            (SurfaceMotion::Velocity(velocity), ConstraintKind::PlaneGap(gap)) => {
                let turned: [S; D] = gap.frame.turn(q, fitted(velocity));
                SurfaceMotion::Velocity(fitted(turned))
            }
            (moves, _) => moves,
        }
    }
}

/// How a surface moves over its own material, as a belt does.
#[derive(Clone, Copy, Debug)]
pub enum SurfaceMotion<S> {
    /// Not at all.
    Still,
    /// Along its tangent in the plane.
    Speed(S),
    /// With this velocity in space, in the frame of its normal.
    Velocity([S; 3]),
}

impl<S: Scalar> SurfaceMotion<S> {
    /// Its part along the tangent of an index.
    fn along<const D: usize>(&self, k: usize, tangent: [S; D]) -> S {
        match self {
            Self::Speed(speed) if k == 0 => *speed,
            Self::Velocity(velocity) => dot(tangent, fitted(*velocity)),
            _ => S::from(0.0),
        }
    }
}

fn fitted<S: Scalar, const A: usize, const B: usize>(x: [S; A]) -> [S; B] {
    each(|k| if k < A { x[k] } else { S::from(0.0) })
}
