//! Markers: places fixed in the ground, in a point, on a bar or in a rigid body.
//!
//! Whatever attaches somewhere attaches to a marker, so that every element acts on every kind of body.

use std::ops::{AddAssign, Mul};

use super::local::{List, Local};
use super::quaternion::{conjugate, turned, turned_along, turned_gradient};
use crate::linear::Weight;
use crate::scalar::{Scalar, each};

/// Local indices of the D components of a place: coordinates of a point, or numbers of a ground point.
pub type Place = [usize; 3];

/// A marker that a bar may end at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// Fixed in the ground; local indices of its numbers.
    Ground(Place),
    /// A point; local indices of its coordinates.
    Point(Place),
}

/// A place at `along` from the start of a bar and `across` to its left (planar), in local indices of the element that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OnBar {
    /// Start of the bar.
    pub from: Base,
    /// End of the bar.
    pub to: Base,
    /// Number: length of the bar.
    pub length: usize,
    /// Number: distance from the start along the bar.
    pub along: usize,
    /// Number: distance to the left of the bar.
    pub across: Option<usize>,
}

/// A place fixed in a body, in local indices of the element that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Marker {
    /// A ground point or a point.
    Base(Base),
    /// A point plus a constant vector (numbers) of the ground frame.
    Offset {
        /// Coordinates of the point.
        point: Place,
        /// Numbers: the vector.
        offset: Place,
    },
    /// At a place of a bar.
    OnBar(OnBar),
    /// At a place (two numbers) of the frame of a planar rigid body with coordinates x, y, angle.
    OnBody {
        /// Coordinates x, y, angle.
        body: Place,
        /// Numbers: components in the body frame.
        place: [usize; 2],
    },
    /// At a place (three numbers) of the frame of a rigid body in space.
    OnSolid {
        /// Coordinates x, y, z of its origin.
        origin: Place,
        /// Coordinates of its quaternion, the scalar first.
        turn: [usize; 4],
        /// Numbers: components in the body frame.
        place: Place,
    },
}

impl Base {
    /// The same place with other indices; those beyond the dimension are not used, and zero.
    pub fn map(self, dimension: usize, index: &mut impl FnMut(List, usize) -> usize) -> Self {
        match self {
            Self::Ground(place) => Self::Ground(map_place(List::Numbers, place, dimension, index)),
            Self::Point(place) => Self::Point(map_place(List::Coordinates, place, dimension, index)),
        }
    }

    /// The same place with the model's indices instead of an element's.
    pub fn global(self, local: &Local, dimension: usize) -> Self {
        self.map(dimension, &mut |list, i| local.global(list, i))
    }

    /// Position in the ground frame, from local coordinates and numbers.
    #[inline]
    pub fn position<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> [S; D] {
        let (values, place) = match self {
            Self::Ground(place) => (numbers, place),
            Self::Point(place) => (q, place),
        };
        each(|k| values[place[k]])
    }

    /// Velocity in the ground frame.
    #[inline]
    pub fn velocity<S: Weight, const D: usize>(&self, v: &[S]) -> [S; D] {
        match self {
            Self::Ground(_) => [S::zero(); D],
            Self::Point(place) => each(|k| v[place[k]]),
        }
    }

    /// Adds the generalized force of a force at this place.
    #[inline]
    pub fn apply<S: Weight, const D: usize>(&self, force: [S; D], f: &mut [S]) {
        if let Self::Point(place) = self {
            for k in 0..D {
                f[place[k]] += force[k];
            }
        }
    }
}

fn map_place(list: List, place: Place, dimension: usize, index: &mut impl FnMut(List, usize) -> usize) -> Place {
    each(|k| if k < dimension { index(list, place[k]) } else { 0 })
}

impl OnBar {
    /// How far it is along and across the bar, over its length.
    #[inline]
    pub fn fractions<S: Scalar>(&self, numbers: &[S]) -> (S, Option<S>) {
        let over = |number: usize| numbers[number] / numbers[self.length];
        (over(self.along), self.across.map(over))
    }

    /// What is linear along the bar, by what it is at its ends: (1 - s) a + s b + h perp(b - a).
    #[inline]
    fn between<S: Scalar, const D: usize>(&self, numbers: &[S], a: [S; D], b: [S; D]) -> [S; D] {
        let (s, h) = self.fractions(numbers);
        let mut r: [S; D] = each(|k| a[k] + (b[k] - a[k]) * s);
        if let Some(h) = h {
            r[0] -= (b[1] - a[1]) * h;
            r[1] += (b[0] - a[0]) * h;
        }
        r
    }
}

impl Marker {
    /// The same marker with other indices; those beyond the dimension are not used, and zero.
    pub fn map(self, dimension: usize, index: &mut impl FnMut(List, usize) -> usize) -> Self {
        match self {
            Self::Base(base) => Self::Base(base.map(dimension, index)),
            Self::Offset { point, offset } => Self::Offset {
                point: map_place(List::Coordinates, point, dimension, index),
                offset: map_place(List::Numbers, offset, dimension, index),
            },
            Self::OnBar(bar) => Self::OnBar(OnBar {
                from: bar.from.map(dimension, index),
                to: bar.to.map(dimension, index),
                length: index(List::Numbers, bar.length),
                along: index(List::Numbers, bar.along),
                across: bar.across.map(|across| index(List::Numbers, across)),
            }),
            Self::OnBody { body, place } => Self::OnBody {
                body: body.map(|i| index(List::Coordinates, i)),
                place: place.map(|i| index(List::Numbers, i)),
            },
            Self::OnSolid { origin, turn, place } => Self::OnSolid {
                origin: origin.map(|i| index(List::Coordinates, i)),
                turn: turn.map(|i| index(List::Coordinates, i)),
                place: place.map(|i| index(List::Numbers, i)),
            },
        }
    }

    /// The same marker with the model's indices instead of an element's.
    pub fn global(self, local: &Local, dimension: usize) -> Self {
        self.map(dimension, &mut |list, i| local.global(list, i))
    }

    /// A marker of the same body whose place, as [`Marker::locate`] gives it, stands in other numbers.
    pub fn placed_by(self, numbers: Place, dimension: usize) -> Self {
        match self {
            Self::Base(Base::Ground(_)) => Self::Base(Base::Ground(numbers)),
            Self::Base(Base::Point(point)) | Self::Offset { point, .. } => Self::Offset { point, offset: numbers },
            Self::OnBar(bar) => Self::OnBar(OnBar {
                along: numbers[0],
                across: (dimension == 2).then_some(numbers[1]),
                ..bar
            }),
            Self::OnBody { body, .. } => Self::OnBody {
                body,
                place: [numbers[0], numbers[1]],
            },
            Self::OnSolid { origin, turn, .. } => Self::OnSolid {
                origin,
                turn,
                place: numbers,
            },
        }
    }

    /// Position in the ground frame, from local coordinates and numbers.
    #[inline]
    pub fn position<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> [S; D] {
        match self {
            Self::Base(base) => base.position(q, numbers),
            _ => self.position_on_body(q, numbers),
        }
    }

    #[inline(never)]
    fn position_on_body<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> [S; D] {
        match *self {
            Self::Base(base) => base.position(q, numbers),
            Self::Offset { point, offset } => each(|k| q[point[k]] + numbers[offset[k]]),
            Self::OnBar(bar) => bar.between(numbers, bar.from.position(q, numbers), bar.to.position(q, numbers)),
            Self::OnBody { body, place } => {
                let arm = body_arm(q[body[2]], numbers[place[0]], numbers[place[1]]);
                each(|k| if k < 2 { q[body[k]] + arm[k] } else { S::from(0.0) })
            }
            Self::OnSolid { origin, turn, place } => {
                let arm = turned(turn.map(|i| q[i]), place.map(|i| numbers[i]));
                each(|k| q[origin[k]] + arm[k])
            }
        }
    }

    /// Velocity in the ground frame.
    #[inline]
    pub fn velocity<S: Scalar, const D: usize>(&self, q: &[S], v: &[S], numbers: &[S]) -> [S; D] {
        match self {
            Self::Base(base) => base.velocity(v),
            _ => self.velocity_on_body(q, v, numbers),
        }
    }

    #[inline(never)]
    fn velocity_on_body<S: Scalar, const D: usize>(&self, q: &[S], v: &[S], numbers: &[S]) -> [S; D] {
        match *self {
            Self::Base(base) => base.velocity(v),
            Self::Offset { point, .. } => Base::Point(point).velocity(v),
            Self::OnBar(bar) => bar.between(numbers, bar.from.velocity(v), bar.to.velocity(v)),
            Self::OnBody { body, place } => {
                let arm = body_arm(q[body[2]], numbers[place[0]], numbers[place[1]]);
                let omega = v[body[2]];
                let turn = [-arm[1] * omega, arm[0] * omega];
                each(|k| if k < 2 { v[body[k]] + turn[k] } else { S::from(0.0) })
            }
            Self::OnSolid { origin, turn, place } => {
                let place = place.map(|i| numbers[i]);
                let arm = turned_along(turn.map(|i| q[i]), turn.map(|i| v[i]), place);
                each(|k| v[origin[k]] + arm[k])
            }
        }
    }

    /// Adds the generalized force of a force at this marker: f += J^T force.
    #[inline]
    pub fn apply<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], force: [S; D], f: &mut [S]) {
        match self {
            Self::Base(base) => base.apply(force, f),
            _ => self.apply_on_body(q, numbers, force, f),
        }
    }

    #[inline(never)]
    fn apply_on_body<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], force: [S; D], f: &mut [S]) {
        match *self {
            Self::Base(base) => base.apply(force, f),
            Self::Offset { point, .. } => Base::Point(point).apply(force, f),
            Self::OnBar(bar) => {
                let (s, h) = bar.fractions(numbers);
                let mut at_end: [S; D] = each(|k| force[k] * s);
                if let Some(h) = h {
                    at_end[0] += force[1] * h;
                    at_end[1] -= force[0] * h;
                }
                let at_start: [S; D] = each(|k| force[k] - at_end[k]);
                bar.from.apply(at_start, f);
                bar.to.apply(at_end, f);
            }
            Self::OnBody { body, place } => {
                let arm = body_arm(q[body[2]], numbers[place[0]], numbers[place[1]]);
                f[body[0]] += force[0];
                f[body[1]] += force[1];
                f[body[2]] += arm[0] * force[1] - arm[1] * force[0];
            }
            Self::OnSolid { origin, turn, place } => {
                let at_origin: [S; 3] = each(|k| if k < D { force[k] } else { S::from(0.0) });
                let place = place.map(|i| numbers[i]);
                let of_turn = turned_gradient(turn.map(|i| q[i]), place, at_origin);
                for (&i, value) in origin.iter().chain(&turn).zip(at_origin.iter().chain(&of_turn)) {
                    f[i] += *value;
                }
            }
        }
    }

    /// The numbers with which this kind of marker stands at a given place: components for a ground marker,
    /// an offset for a point, `[along, across]` on a bar, components in the body frame on a body.
    pub fn locate<S: Scalar, const D: usize>(&self, place: [S; D], q: &[S], numbers: &[S]) -> [S; D] {
        match *self {
            Self::Base(Base::Ground(_)) => place,
            Self::Base(Base::Point(point)) | Self::Offset { point, .. } => each(|k| place[k] - q[point[k]]),
            Self::OnBar(bar) => {
                let start: [S; D] = bar.from.position(q, numbers);
                let arm = difference(start, place);
                let axis = divided(difference(start, bar.to.position(q, numbers)), numbers[bar.length]);
                let mut found = [S::from(0.0); D];
                found[0] = dot(axis, arm);
                if D == 2 {
                    found[1] = axis[0] * arm[1] - axis[1] * arm[0];
                }
                found
            }
            Self::OnBody { body, .. } => {
                let arm: [S; 2] = each(|k| place[k] - q[body[k]]);
                let found = body_arm(-q[body[2]], arm[0], arm[1]);
                each(|k| if k < 2 { found[k] } else { S::from(0.0) })
            }
            Self::OnSolid { origin, turn, .. } => {
                let turn = turn.map(|i| q[i]);
                let arm: [S; 3] = each(|k| if k < D { place[k] - q[origin[k]] } else { S::from(0.0) });
                let found = turned(conjugate(turn), arm);
                each(|k| found[k])
            }
        }
    }

    /// Whether the marker cannot move.
    pub fn is_ground(&self) -> bool {
        matches!(self, Self::Base(Base::Ground(_)))
    }
}

/// A place of the body frame turned into the ground frame.
#[inline]
pub fn body_arm<S: Scalar>(angle: S, x: S, y: S) -> [S; 2] {
    let (sin, cos) = angle.sin_cos();
    [x * cos - y * sin, x * sin + y * cos]
}

/// Difference b - a.
#[inline(always)]
pub fn difference<S: Weight, const D: usize>(a: [S; D], b: [S; D]) -> [S; D] {
    each(|k| b[k] - a[k])
}

/// A vector times a scalar.
#[inline(always)]
pub fn scaled<S: Copy + Mul<F, Output = S>, F: Copy, const D: usize>(a: [S; D], factor: F) -> [S; D] {
    each(|k| a[k] * factor)
}

/// A vector divided by a scalar.
#[inline(always)]
pub fn divided<S: Scalar, const D: usize>(a: [S; D], divisor: S) -> [S; D] {
    each(|k| a[k] / divisor)
}

/// Scalar product.
#[inline]
pub fn dot<S: Copy + AddAssign + Mul<F, Output = S>, F: Copy, const D: usize>(a: [S; D], b: [F; D]) -> S {
    let mut sum = a[0] * b[0];
    for k in 1..D {
        sum += a[k] * b[k];
    }
    sum
}

/// Euclidean length.
#[inline]
pub fn norm<S: Scalar, const D: usize>(a: [S; D]) -> S {
    let square = dot(a, a);
    if square.vanishes() && a.iter().all(S::vanishes) {
        return S::constant(0.0);
    }
    square.sqrt()
}

/// What turns with a body: its angle, or in space its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orientation {
    /// The ground frame: angle zero.
    Ground,
    /// Local index of an angle coordinate.
    Angle(usize),
    /// Coordinates of a quaternion, the scalar first: a frame in space, which has no angle.
    Turn([usize; 4]),
}

impl Orientation {
    /// The same orientation with other indices.
    pub fn map(self, index: &mut impl FnMut(List, usize) -> usize) -> Self {
        match self {
            Self::Ground => Self::Ground,
            Self::Angle(i) => Self::Angle(index(List::Coordinates, i)),
            Self::Turn(turn) => Self::Turn(turn.map(|i| index(List::Coordinates, i))),
        }
    }

    /// Angle (or angular velocity) from the local coordinates (or velocities).
    #[inline]
    pub fn of<S: Weight>(&self, values: &[S]) -> S {
        match *self {
            Self::Ground => S::zero(),
            Self::Angle(i) => values[i],
            Self::Turn(_) => S::by_lane(|_| f64::NAN),
        }
    }

    /// Adds a torque.
    #[inline]
    pub fn apply<S: Weight>(&self, torque: S, f: &mut [S]) {
        match *self {
            Self::Ground => {}
            Self::Angle(i) => f[i] += torque,
            Self::Turn(turn) => f[turn[0]] = S::by_lane(|_| f64::NAN),
        }
    }

    /// Adds the gradient of weight . (vector turned) by the coordinates.
    pub fn pull<S: Scalar, const D: usize>(&self, q: &[S], vector: [S; D], weight: [S; D], f: &mut [S]) {
        match *self {
            Self::Ground => {}
            Self::Angle(i) => {
                let turned = self.turn(q, vector);
                f[i] += turned[0] * weight[1] - turned[1] * weight[0];
            }
            Self::Turn(turn) => {
                let of = |x: [S; D]| -> [S; 3] { each(|k| if k < D { x[k] } else { S::from(0.0) }) };
                let slopes = turned_gradient(turn.map(|i| q[i]), of(vector), of(weight));
                turn.iter().zip(slopes).for_each(|(&i, slope)| f[i] += slope);
            }
        }
    }

    /// Components of a vector of this frame in the ground frame (of an angle the plane's first two; a third is kept).
    pub fn turn<S: Scalar, const D: usize>(&self, q: &[S], vector: [S; D]) -> [S; D] {
        match *self {
            Self::Ground => vector,
            Self::Angle(i) => {
                let turned = body_arm(q[i], vector[0], vector[1]);
                each(|k| if k < 2 { turned[k] } else { vector[k] })
            }
            Self::Turn(turn) => {
                let own: [S; 3] = each(|k| if k < D { vector[k] } else { S::from(0.0) });
                let found = turned(turn.map(|i| q[i]), own);
                each(|k| found[k])
            }
        }
    }
}
