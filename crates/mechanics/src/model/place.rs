//! Places and directions along a motion: position, velocity and acceleration by hand (theory, 2.4).

use super::attitude::{Attitude, cross_weight, fit};
use super::instant::Instant;
pub use super::jet::Jet;
use super::marker::{Base, Marker, Orientation, difference, scaled};
use crate::linear::Weight;
use crate::scalar::{each, negated};

/// A vector fixed in a frame that turns: u, with w = perp(u).
#[derive(Clone, Copy, Debug, Default)]
pub struct Turn {
    /// Cosine and sine of the angle.
    pub axis: [f64; 2],
    /// Angular velocity.
    pub rate: f64,
    /// Angular acceleration.
    pub spin: f64,
    /// The vector in the ground frame.
    pub u: [f64; 2],
}

/// A place with what carries it.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a, const D: usize> {
    /// Along the motion, in the ground frame.
    pub jet: Jet<D>,
    /// On a body: the place in its frame.
    pub turn: Turn,
    /// On a bar: how far along and across, over the length.
    pub fractions: [f64; 2],
    /// On a body in space: its axes.
    pub attitude: Option<&'a Attitude>,
    /// On a body in space: the place or direction in these.
    pub own: [f64; D],
}

/// What belongs to the first and to the second of two, written where it is used: `map` of an array copies large things several times.
#[inline(always)]
pub fn of_both<T>(mut make: impl FnMut(usize) -> T) -> [T; 2] {
    [make(0), make(1)]
}

/// The vector turned by a quarter to the left.
#[inline]
pub fn perp<T: Copy + std::ops::Neg<Output = T>>(u: [T; 2]) -> [T; 2] {
    [-u[1], u[0]]
}

impl Turn {
    /// A vector of a frame at an angle of the model.
    #[inline]
    pub fn new(at: &Instant, angle: usize, vector: [f64; 2]) -> Self {
        let (sin, cos) = at.q[angle].sin_cos();
        Self {
            axis: [cos, sin],
            rate: at.v[angle],
            spin: at.a[angle],
            u: [vector[0] * cos - vector[1] * sin, vector[0] * sin + vector[1] * cos],
        }
    }

    /// Along the motion.
    #[inline]
    pub fn jet(&self) -> Jet<2> {
        let (u, w, centrifugal) = (self.u, perp(self.u), self.rate * self.rate);
        Jet {
            x: u,
            v: each(|k| self.rate * w[k]),
            a: each(|k| self.spin * w[k] - centrifugal * u[k]),
        }
    }
}

impl<const D: usize> Placed<'_, D> {
    /// What a turn of the body in space by a small vector in its axes moves the place or direction by.
    #[inline]
    pub fn turned<T: Weight>(&self, turn: [T; 3]) -> [T; D] {
        match self.attitude {
            Some(attitude) => fit(attitude.to_ground(negated(cross_weight(fit(self.own), turn)))),
            None => [T::by_lane(|_| f64::NAN); D],
        }
    }

    /// The torque of a force there, or of what weighs the direction, in the axes of the body in space.
    #[inline]
    pub fn torque<T: Weight>(&self, force: [T; D]) -> [T; 3] {
        match self.attitude {
            Some(attitude) => cross_weight(fit(self.own), attitude.to_body(fit(force))),
            None => [T::by_lane(|_| f64::NAN); 3],
        }
    }
}

impl Placed<'_, 2> {
    /// Takes the part of the acceleration that does not follow from those of the coordinates away.
    pub fn leave_out_centrifugal(&mut self) {
        let square = self.turn.rate * self.turn.rate;
        self.jet.a = each(|k| self.jet.a[k] + square * self.turn.u[k]);
        self.turn.rate = 0.0;
    }
}

impl Base {
    /// Along a motion; the indices are the model's.
    #[inline]
    pub fn jet<const D: usize>(&self, at: &Instant, numbers: &[f64]) -> Jet<D> {
        match self {
            Self::Ground(place) => Jet::fixed(each(|k| numbers[place[k]])),
            Self::Point(place) => Jet {
                x: each(|k| at.q[place[k]]),
                v: each(|k| at.v[place[k]]),
                a: each(|k| at.a[place[k]]),
            },
        }
    }
}

impl Marker {
    /// Where it is along a motion; the indices are the model's.
    #[inline]
    pub fn placed<'a, const D: usize>(&self, at: &Instant<'a>, numbers: &[f64]) -> Placed<'a, D> {
        let (mut turn, mut fractions) = (Turn::default(), [0.0; 2]);
        let (mut attitude, mut own) = (None, [0.0; D]);
        let jet = match *self {
            Self::Base(base) => base.jet(at, numbers),
            Self::Offset { point, offset } => {
                let mut jet: Jet<D> = Base::Point(point).jet(at, numbers);
                for k in 0..D {
                    jet.x[k] += numbers[offset[k]];
                }
                jet
            }
            Self::OnBar(bar) => {
                let (along, across) = bar.fractions(numbers);
                fractions = [along, across.unwrap_or(0.0)];
                let (start, end) = (bar.from.jet::<D>(at, numbers), bar.to.jet(at, numbers));
                Jet {
                    x: between(start.x, end.x, fractions),
                    v: between(start.v, end.v, fractions),
                    a: between(start.a, end.a, fractions),
                }
            }
            Self::OnBody { body, place } => {
                turn = Turn::new(at, body[2], [numbers[place[0]], numbers[place[1]]]);
                let arm = turn.jet();
                let sum = |values: &[f64], arm: [f64; 2]| each(|k| if k < 2 { values[body[k]] + arm[k] } else { 0.0 });
                Jet {
                    x: sum(at.q, arm.x),
                    v: sum(at.v, arm.v),
                    a: sum(at.a, arm.a),
                }
            }
            Self::OnSolid { origin, turn, place } => {
                attitude = at.attitudes.map(|all| all.at(turn[0]));
                own = each(|k| numbers[place[k]]);
                let base: Jet<D> = Base::Point(origin).jet(at, numbers);
                match attitude {
                    Some(attitude) => base.plus(&attitude.jet(fit(own))),
                    None => Jet::fixed([f64::NAN; D]),
                }
            }
        };
        Placed {
            jet,
            turn,
            fractions,
            attitude,
            own,
        }
    }

    /// Its change where the coordinates change by `alpha`.
    #[inline]
    pub fn moved<T: Weight, const D: usize>(&self, placed: &Placed<D>, alpha: &[T]) -> [T; D] {
        match *self {
            Self::Base(base) => base.velocity(alpha),
            Self::Offset { point, .. } => Base::Point(point).velocity(alpha),
            Self::OnBar(bar) => between(bar.from.velocity(alpha), bar.to.velocity(alpha), placed.fractions),
            Self::OnBody { body, .. } => {
                let w = perp(placed.turn.u);
                each(|k| {
                    if k < 2 {
                        alpha[body[k]] + alpha[body[2]] * w[k]
                    } else {
                        T::zero()
                    }
                })
            }
            Self::OnSolid { origin, turn, .. } => {
                let moved: [T; D] = Base::Point(origin).velocity(alpha);
                let arm = placed.turned(each(|k| alpha[turn[0] + k]));
                each(|k| moved[k] + arm[k])
            }
        }
    }

    /// Adds the generalized force of a force there; the indices of the marker are those of `f`.
    #[inline]
    pub fn push<const D: usize>(&self, placed: &Placed<D>, force: [f64; D], f: &mut [f64]) {
        match *self {
            Self::Base(base) => base.apply(force, f),
            Self::Offset { point, .. } => Base::Point(point).apply(force, f),
            Self::OnBar(bar) => {
                let [start, end] = shares(force, placed.fractions);
                bar.from.apply(start, f);
                bar.to.apply(end, f);
            }
            Self::OnBody { body, .. } => {
                let w = perp(placed.turn.u);
                f[body[0]] += force[0];
                f[body[1]] += force[1];
                f[body[2]] += w[0] * force[0] + w[1] * force[1];
            }
            Self::OnSolid { origin, turn, .. } => {
                Base::Point(origin).apply(force, f);
                add_torque(placed.torque(force), turn[0], f);
            }
        }
    }

    /// The same of a force along axis k of the ground.
    #[inline]
    pub fn push_component<const D: usize>(&self, placed: &Placed<D>, k: usize, force: f64, f: &mut [f64]) {
        match (*self, placed.attitude) {
            (Self::OnSolid { origin, turn, .. }, Some(attitude)) => {
                f[origin[k]] += force;
                let torque = cross_weight(fit(placed.own), attitude.rotation[k]);
                add_torque(scaled(torque, force), turn[0], f);
            }
            _ => self.push(placed, each(|i| if i == k { force } else { 0.0 }), f),
        }
    }
}

/// The place on a bar, for its ends or anything linear in them.
#[inline]
fn between<T: Weight, const D: usize>(from: [T; D], to: [T; D], [along, across]: [f64; 2]) -> [T; D] {
    let d = difference(from, to);
    let mut place: [T; D] = each(|k| from[k] + d[k] * along);
    if across != 0.0 {
        place[0] -= d[1] * across;
        place[1] += d[0] * across;
    }
    place
}

/// What of a force on a bar acts at its start and at its end.
#[inline]
pub fn shares<T: Weight, const D: usize>(force: [T; D], [along, across]: [f64; 2]) -> [[T; D]; 2] {
    let mut end: [T; D] = each(|k| force[k] * along);
    if across != 0.0 {
        end[0] += force[1] * across;
        end[1] -= force[0] * across;
    }
    [each(|k| force[k] - end[k]), end]
}

/// A unit vector of a body's frame, given by numbers of any length.
#[derive(Clone, Copy, Debug)]
pub struct Normal {
    /// The frame.
    pub frame: Orientation,
    /// Numbers: the vector.
    pub given: [usize; 3],
    /// Whether it is the vector turned by a quarter to the left (planar).
    pub is_perp: bool,
}

impl Normal {
    /// In its own frame, and the length of what is given.
    #[inline]
    pub fn own<const D: usize>(&self, numbers: &[f64]) -> ([f64; D], f64) {
        let given: [f64; D] = each(|k| numbers[self.given[k]]);
        let square: f64 = given.iter().map(|x| x * x).sum();
        // Mostly axes, for which no root is worth its time.
        let length = if square == 1.0 { 1.0 } else { square.sqrt() };
        let mut unit: [f64; D] = if length == 1.0 {
            given
        } else {
            each(|k| given[k] / length)
        };
        if self.is_perp {
            (unit[0], unit[1]) = (-unit[1], unit[0]);
        }
        (unit, length)
    }

    /// Along a motion; the indices are the model's.
    #[inline]
    pub fn placed<'a, const D: usize>(&self, at: &Instant<'a>, numbers: &[f64]) -> Placed<'a, D> {
        let (own, _) = self.own::<D>(numbers);
        let (mut turn, mut attitude) = (Turn::default(), None);
        let jet = match self.frame {
            Orientation::Ground => Jet::fixed(own),
            Orientation::Turn(turn) => {
                attitude = at.attitudes.map(|all| all.at(turn[0]));
                attitude.map_or_else(|| Jet::fixed([f64::NAN; D]), |attitude| attitude.jet(fit(own)))
            }
            Orientation::Angle(angle) => {
                turn = Turn::new(at, angle, [own[0], own[1]]);
                let plane = turn.jet();
                let join = |turned: [f64; 2], rest: f64| each(|k| if k < 2 { turned[k] } else { rest * own[k] });
                Jet {
                    x: join(plane.x, 1.0),
                    v: join(plane.v, 0.0),
                    a: join(plane.a, 0.0),
                }
            }
        };
        Placed {
            jet,
            turn,
            fractions: [0.0; 2],
            attitude,
            own,
        }
    }

    /// Its change where the coordinates change by `alpha`.
    #[inline]
    pub fn moved<T: Weight, const D: usize>(&self, placed: &Placed<D>, alpha: &[T]) -> [T; D] {
        if let Orientation::Turn(turn) = self.frame {
            return placed.turned(each(|k| alpha[turn[0] + k]));
        }
        let (turned, w) = (self.frame.of(alpha), perp(placed.turn.u));
        each(|k| if k < 2 { turned * w[k] } else { T::zero() })
    }

    /// Adds the torque of what weighs the direction; the indices are those of `f`.
    pub fn push<const D: usize>(&self, placed: &Placed<D>, weight: [f64; D], f: &mut [f64]) {
        if let Orientation::Turn(turn) = self.frame {
            return add_torque(placed.torque(weight), turn[0], f);
        }
        let w = perp(placed.turn.u);
        self.frame.apply(w[0] * weight[0] + w[1] * weight[1], f);
    }
}

/// Adds a torque in body axes at the first of three angular velocities.
#[inline]
pub fn add_torque<T: Weight>(torque: [T; 3], spin: usize, f: &mut [T]) {
    for (slot, value) in f[spin..spin + 3].iter_mut().zip(torque) {
        *slot += value;
    }
}
