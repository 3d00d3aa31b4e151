//! Friction of a joint along the freedoms that it leaves, of a size that follows from the motion.

use crate::model::joint::{Direction, Slide};
use crate::model::local::MAX_LOCAL;
use crate::model::marker::{Marker, Orientation, difference, divided, dot, norm, scaled};
use crate::model::tangential::Parts;
use crate::scalar::{Scalar, each};

/// The freedom of a joint that rubs.
#[derive(Clone, Debug)]
pub enum Freedom {
    /// The second marker slides along a direction of the first: in space too that of the slide.
    Slide(Slide),
    /// The first marker slides along the line through the others, which the second of them carries along.
    Line([Marker; 3]),
    /// The second body turns against the first, in space about an axis of the first.
    Turn([Orientation; 2], Option<Direction>),
    /// In space: it slides and turns, where it rubs at the radius (number).
    Shaft(Slide, [Orientation; 2], usize),
    /// In space: it slides along two directions and turns about the one across them, where it rubs at the radius (number).
    Plane(Box<[Slide; 2]>, [Orientation; 2], Direction, usize),
    /// In space: it turns in any way.
    Ball([Orientation; 2]),
    /// In space: it slides as it turns, along a thread, with these shares (numbers) of the rates of its position (1/m) and of its angle in that
    /// of the angle.
    Helix(Slide, [Orientation; 2], [usize; 2]),
}

/// Acts on the second body of a joint along its freedom, and with the opposite on the first.
#[derive(Clone, Debug)]
pub struct Sliding {
    /// The freedom.
    pub freedom: Freedom,
    /// Numbers: the force or the torque; of a shaft the forces along and about its axis, of a plane those along and about its normal, of a ball
    /// the torques about the axes of the ground.
    pub force: Vec<usize>,
}

impl Sliding {
    /// Adds the generalized force: what the freedom changes with the coordinates, times the force.
    pub fn apply<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], f: &mut [S]) {
        for (k, &force) in self.force.iter().enumerate() {
            if !numbers[force].vanishes() {
                self.freedom.push::<S, D>(k, numbers[force], q, numbers, f);
            }
        }
    }

    /// Velocities along the freedoms.
    pub fn velocity<S: Scalar, const D: usize>(
        &self,
        q: &[S; MAX_LOCAL],
        v: &[S; MAX_LOCAL],
        numbers: &[S; MAX_LOCAL],
    ) -> Parts<S> {
        each(|k| match self.force.get(k) {
            Some(_) => dot(self.slopes::<S, D>(k, q, numbers), *v),
            None => S::from(0.0),
        })
    }

    /// What the freedom of an index changes with the coordinates.
    pub fn slopes<S: Scalar, const D: usize>(&self, k: usize, q: &[S], numbers: &[S]) -> [S; MAX_LOCAL] {
        let mut slopes = [S::from(0.0); MAX_LOCAL];
        self.freedom.push::<S, D>(k, S::from(1.0), q, numbers, &mut slopes);
        slopes
    }
}

impl Freedom {
    /// How many parts its force has.
    pub fn count(&self) -> usize {
        match self {
            Self::Slide(_) | Self::Line(_) | Self::Turn(..) | Self::Helix(..) => 1,
            Self::Shaft(..) => 2,
            Self::Plane(..) | Self::Ball(_) => 3,
        }
    }

    /// Whether its force is a torque against an angular velocity.
    pub fn turns(&self) -> bool {
        matches!(self, Self::Turn(..) | Self::Helix(..) | Self::Ball(_))
    }

    /// Adds what the freedom of an index changes with the coordinates, times the force.
    fn push<S: Scalar, const D: usize>(&self, k: usize, force: S, q: &[S], numbers: &[S], f: &mut [S]) {
        match self {
            Self::Turn([a, b], None) => {
                b.apply(force, f);
                a.apply(-force, f);
            }
            Self::Turn(frames, Some(axis)) => twist(frames, axis.of(q, numbers), force, q, f),
            Self::Slide(slide) => push_slide::<S, D>(slide, force, q, numbers, f),
            Self::Shaft(slide, ..) if k == 0 => push_slide::<S, D>(slide, force, q, numbers, f),
            Self::Shaft(slide, frames, radius) => {
                twist(frames, axis_of(slide, q, numbers), force * numbers[*radius], q, f)
            }
            Self::Plane(slides, frames, normal, radius) => match slides.get(k) {
                Some(slide) => push_slide::<S, D>(slide, force, q, numbers, f),
                None => twist(frames, normal.of(q, numbers), force * numbers[*radius], q, f),
            },
            Self::Ball(frames) => twist(frames, each(|i| S::from(f64::from(u8::from(i == k)))), force, q, f),
            Self::Helix(slide, frames, [along, about]) => {
                push_slide::<S, D>(slide, force * numbers[*along], q, numbers, f);
                twist(frames, axis_of(slide, q, numbers), force * numbers[*about], q, f);
            }
            Self::Line([point, a, b]) => {
                let (along, beside) = of_line::<S, D>([point, a, b], q, numbers);
                let turning = scaled(beside, force);
                point.apply(q, numbers, scaled(along, force), f);
                a.apply::<S, D>(q, numbers, each(|k| -along[k] * force - turning[k]), f);
                b.apply(q, numbers, turning, f);
            }
        }
    }
}

/// The axis along which a joint slides and about which it turns.
fn axis_of<S: Scalar>(slide: &Slide, q: &[S], numbers: &[S]) -> [S; 3] {
    slide.frame.turn(q, slide.direction.map(|number| numbers[number]))
}

/// Adds a torque about an axis on the second frame, and the opposite on the first.
fn twist<S: Scalar>([a, b]: &[Orientation; 2], axis: [S; 3], torque: S, q: &[S], f: &mut [S]) {
    b.twist(axis.map(|x| x * torque), q, f);
    a.twist(axis.map(|x| -x * torque), q, f);
}

/// Adds the gradient of the way along a direction, times a force.
fn push_slide<S: Scalar, const D: usize>(slide: &Slide, force: S, q: &[S], numbers: &[S], f: &mut [S]) {
    let given: [S; D] = each(|k| numbers[slide.direction[k]]);
    let own = divided(given, norm(given));
    let along: [S; D] = scaled(slide.frame.turn(q, own), force);
    let arm = difference(slide.a.position(q, numbers), slide.b.position(q, numbers));
    slide.b.apply(q, numbers, along, f);
    slide.a.apply(q, numbers, along.map(|x| -x), f);
    slide.frame.pull(q, own, scaled(arm, force), f);
}

/// Unit vector along a line, and how far beside it the point is, over the distance of the markers that it passes through.
fn of_line<S: Scalar, const D: usize>([point, a, b]: [&Marker; 3], q: &[S], numbers: &[S]) -> ([S; D], [S; D]) {
    let start: [S; D] = a.position(q, numbers);
    let span = difference(start, b.position(q, numbers));
    let length = norm(span);
    let along = divided(span, length);
    let arm: [S; D] = difference(start, point.position(q, numbers));
    let way = dot(along, arm);
    (along, each(|k| (arm[k] - along[k] * way) / length))
}
