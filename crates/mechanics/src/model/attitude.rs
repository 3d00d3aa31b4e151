//! Rigid bodies in space by hand: their axes along a motion, and vectors fixed in these (theory, 7.1).
//!
//! What is written by hand has the indices of velocities: the place of a point is read at those of its velocities, and a body is known by
//! its first angular velocity.

use super::jet::Jet;
use super::kinematic::{POSE, quaternion, spin};
use super::quaternion::{cross, product, pure, square, turned};
use super::{Frame, Model};
use crate::linear::Weight;
use crate::scalar::each;

/// Axes of a body along a motion.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attitude {
    /// Entry i of row k: component k in the ground frame of the body axis i.
    pub rotation: [[f64; 3]; 3],
    /// Angular velocity in body axes.
    pub omega: [f64; 3],
    /// Angular acceleration in body axes.
    pub alpha: [f64; 3],
}

/// The bodies of a model, by the velocities.
#[derive(Clone, Debug, Default)]
pub struct Attitudes {
    /// In the order of the frames.
    list: Vec<Attitude>,
    /// By the index of a velocity: the body whose first angular velocity it is.
    of: Vec<usize>,
    /// Positions at the indices of their rates.
    pub q: Vec<f64>,
}

impl Attitude {
    pub(super) fn new(turn: [f64; 4], omega: [f64; 3], alpha: [f64; 3]) -> Self {
        let axes: [[f64; 3]; 3] = each(|i| turned(turn, each(|k| if k == i { 1.0 } else { 0.0 })));
        Self {
            rotation: each(|k| each(|i| axes[i][k])),
            omega,
            alpha,
        }
    }

    /// A vector of the body in the ground frame.
    #[inline]
    pub fn to_ground<T: Weight>(&self, x: [T; 3]) -> [T; 3] {
        let row = |r: [f64; 3]| x[0] * r[0] + x[1] * r[1] + x[2] * r[2];
        self.rotation.map(row)
    }

    /// A vector of the ground frame in body axes.
    #[inline]
    pub fn to_body<T: Weight>(&self, x: [T; 3]) -> [T; 3] {
        let r = &self.rotation;
        each(|i| x[0] * r[0][i] + x[1] * r[1][i] + x[2] * r[2][i])
    }

    /// A vector fixed in the body, its rate and its second rate, in body axes.
    #[inline]
    pub fn own_jet(&self, s: [f64; 3]) -> Jet<3> {
        let rate = cross(self.omega, s);
        let (by_alpha, centripetal) = (cross(self.alpha, s), cross(self.omega, rate));
        Jet {
            x: s,
            v: rate,
            a: each(|k| by_alpha[k] + centripetal[k]),
        }
    }

    /// The same in the ground frame.
    #[inline]
    pub fn jet<const D: usize>(&self, s: [f64; 3]) -> Jet<D> {
        self.own_jet(s).map(|x| fit(self.to_ground(x)))
    }
}

impl Attitudes {
    pub(super) fn new(model: &Model) -> Self {
        let mut of = vec![usize::MAX; model.nv()];
        for (k, frame) in model.frames.iter().enumerate() {
            of[first_spin(frame, k)] = k;
        }
        Self {
            list: vec![Attitude::default(); model.frames.len()],
            of,
            q: vec![0.0; model.nv()],
        }
    }

    /// Follows a motion.
    pub(super) fn load(&mut self, frames: &[Frame], [q, v, a]: [&[f64]; 3]) {
        let (mut from, mut to) = (0, 0);
        for (k, frame) in frames.iter().enumerate() {
            // All before the quaternion lie beside their rates.
            let count = frame.first + 3 - from;
            self.q[to..to + count].copy_from_slice(&q[from..from + count]);
            (from, to) = (frame.first + POSE, to + count + 3);
            self.list[k] = Attitude::new(quaternion(frame, q), spin(frame, k, v), spin(frame, k, a));
        }
        self.q[to..].copy_from_slice(&q[from..]);
    }

    /// The body with this first angular velocity.
    #[inline]
    pub fn at(&self, spin: usize) -> &Attitude {
        &self.list[self.of[spin]]
    }
}

/// Adds a gradient by turning about the body axes, and by all else at the indices of its rates, to one by the positions: a change of the
/// quaternion by dQ turns the body by the vector part of 2 conj(Q) dQ / |Q|^2.
pub(super) fn add_tangent_gradient<T: Weight>(frames: &[Frame], q: &[f64], tangent: &[T], out: &mut [T]) {
    let (mut from, mut to) = (0, 0);
    let add = |slots: &mut [T], values: &[T]| slots.iter_mut().zip(values).for_each(|(slot, value)| *slot += *value);
    for frame in frames {
        let count = frame.first + 3 - to;
        add(&mut out[to..to + count], &tangent[from..from + count]);
        let turn = quaternion(frame, q);
        let twice = 2.0 / square(turn);
        for axis in 0..3 {
            let by_turn = product(turn, pure(each(|k| if k == axis { twice } else { 0.0 })));
            let weight = tangent[from + count + axis];
            for k in 0..4 {
                out[frame.first + 3 + k] += weight * by_turn[k];
            }
        }
        (from, to) = (from + count + 3, frame.first + POSE);
    }
    add(&mut out[to..], &tangent[from..]);
}

impl Model {
    /// Writes how bodies turn about their axes where quaternions change, and all else at the indices of its rates: the reverse of
    /// [`Model::write_turning`], and zero for a change of the length.
    pub fn write_tangent<T: Weight>(&self, q: &[f64], change: &[T], out: &mut [T]) {
        let (mut from, mut to) = (0, 0);
        for frame in &self.frames {
            let count = frame.first + 3 - from;
            out[to..to + count].copy_from_slice(&change[from..from + count]);
            let (turn, scale) = (quaternion(frame, q), 2.0 / square(quaternion(frame, q)));
            let [w, v]: [[T; 3]; 2] = [
                each(|k| change[frame.first + 4 + k] * turn[0] - change[frame.first + 3] * turn[1 + k]),
                cross_weight([turn[1], turn[2], turn[3]], each(|k| change[frame.first + 4 + k])),
            ];
            for k in 0..3 {
                out[to + count + k] = (w[k] - v[k]) * scale;
            }
            (from, to) = (frame.first + POSE, to + count + 3);
        }
        out[to..].copy_from_slice(&change[from..]);
    }

    /// Writes Z times such turns.
    pub fn write_turning<T: Weight>(&self, q: &[f64], tangent: &[T], out: &mut [T]) {
        let (mut from, mut to) = (0, 0);
        for frame in &self.frames {
            let count = frame.first + 3 - to;
            out[to..to + count].copy_from_slice(&tangent[from..from + count]);
            let turn = quaternion(frame, q).map(|x| 0.5 * x);
            let (own, by): ([f64; 3], [T; 3]) = (each(|k| turn[1 + k]), each(|k| tangent[from + count + k]));
            let across = cross_weight(own, by);
            out[frame.first + 3] = -(by[0] * own[0]) - by[1] * own[1] - by[2] * own[2];
            for k in 0..3 {
                out[frame.first + 4 + k] = by[k] * turn[0] + across[k];
            }
            (from, to) = (from + count + 3, frame.first + POSE);
        }
        out[to..].copy_from_slice(&tangent[from..]);
    }
}

/// The index of the first angular velocity of a frame.
pub(super) fn first_spin(frame: &Frame, k: usize) -> usize {
    frame.first - k + 3
}

/// a x b.
#[inline]
pub fn cross_weight<T: Weight>(a: [f64; 3], b: [T; 3]) -> [T; 3] {
    [
        b[2] * a[1] - b[1] * a[2],
        b[0] * a[2] - b[2] * a[0],
        b[1] * a[0] - b[0] * a[1],
    ]
}

/// A vector with as many components as asked for: left out, or zero.
#[inline]
pub fn fit<T: Weight, const A: usize, const B: usize>(x: [T; A]) -> [T; B] {
    each(|k| if k < A { x[k] } else { T::zero() })
}
