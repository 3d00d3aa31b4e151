//! Friction of a joint along the freedom that it leaves, of a size that follows from the motion.

use crate::model::joint::{PointOnLine, Slide};
use crate::model::local::MAX_LOCAL;
use crate::model::marker::{Orientation, difference, divided, dot, norm, scaled};
use crate::scalar::{Scalar, each};

/// The freedom of a joint that rubs.
#[derive(Clone, Debug)]
pub enum Freedom {
    /// The second marker slides along the direction of the first.
    Slide(Slide),
    /// The point slides along the line through two markers, which the first of them carries along.
    Line(PointOnLine),
    /// The second body turns against the first.
    Turn([Orientation; 2]),
}

/// Acts on the second body of a joint along its freedom, and with the opposite on the first.
#[derive(Clone, Debug)]
pub struct Sliding {
    /// The freedom.
    pub freedom: Freedom,
    /// Number: the force, or the torque.
    pub force: usize,
}

impl Sliding {
    /// Adds the generalized force: what the freedom changes with the coordinates, times the force.
    pub fn apply<S: Scalar>(&self, q: &[S], numbers: &[S], f: &mut [S]) {
        let force = numbers[self.force];
        if force.vanishes() {
            return;
        }
        match &self.freedom {
            Freedom::Turn([a, b]) => {
                b.apply(force, f);
                a.apply(-force, f);
            }
            Freedom::Slide(slide) => {
                let (along, beside) = of_slide(slide, q, numbers);
                slide.b.apply(q, numbers, scaled(along, force), f);
                slide.a.apply(q, numbers, scaled(along, -force), f);
                slide.frame.apply(force * beside, f);
            }
            Freedom::Line(line) => {
                let (along, per_length) = of_line(line, q, numbers);
                let turning = scaled(left_of(along), force * per_length);
                line.point.apply(q, numbers, scaled(along, force), f);
                line.a
                    .apply::<S, 2>(q, numbers, each(|k| -along[k] * force - turning[k]), f);
                line.b.apply(q, numbers, turning, f);
            }
        }
    }

    /// Velocity along the freedom.
    pub fn velocity<S: Scalar>(&self, q: &[S; MAX_LOCAL], v: &[S; MAX_LOCAL], numbers: &[S; MAX_LOCAL]) -> S {
        match &self.freedom {
            Freedom::Turn([a, b]) => b.of(v) - a.of(v),
            Freedom::Slide(slide) => {
                let (along, beside) = of_slide(slide, q, numbers);
                let relative = difference(slide.a.velocity(q, v, numbers), slide.b.velocity(q, v, numbers));
                dot(along, relative) + slide.frame.of(v) * beside
            }
            Freedom::Line(line) => {
                let (along, per_length) = of_line(line, q, numbers);
                let [a, b] = [line.a, line.b].map(|marker| marker.velocity::<S, 2>(q, v, numbers));
                let relative = difference(a, line.point.velocity(q, v, numbers));
                dot(along, relative) + dot(left_of(along), difference(a, b)) * per_length
            }
        }
    }
}

fn left_of<S: Scalar>(along: [S; 2]) -> [S; 2] {
    [-along[1], along[0]]
}

/// Unit vector along a slide, and how far to the left of the first marker the second one is.
fn of_slide<S: Scalar>(slide: &Slide, q: &[S], numbers: &[S]) -> ([S; 2], S) {
    let normal = slide.normal::<S, 2>(q, numbers);
    let arm = difference(slide.a.position(q, numbers), slide.b.position(q, numbers));
    ([normal[1], -normal[0]], dot(normal, arm))
}

/// Unit vector along a line, and how far to its left the point is, over the distance of the markers that it passes through.
fn of_line<S: Scalar>(line: &PointOnLine, q: &[S], numbers: &[S]) -> ([S; 2], S) {
    let a: [S; 2] = line.a.position(q, numbers);
    let span = difference(a, line.b.position(q, numbers));
    let length = norm(span);
    let along = divided(span, length);
    let arm = difference(a, line.point.position(q, numbers));
    (along, dot(left_of(along), arm) / length)
}
