//! Rigid bodies in space by hand: their axes along a motion, and vectors fixed in these (theory, 7.1).
//!
//! What is written by hand has the indices of velocities: the place of a point is read at those of its velocities, and a body is known by
//! its first angular velocity.

use super::jet::Jet;
use super::kinematic::stretches;
use super::quaternion::{cross, product, pure, square};
use super::{Frame, Model};
use crate::linear::{Lent, Weight};
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
#[derive(Clone, Debug)]
pub struct Attitudes {
    /// In the order of the frames.
    list: Lent<Attitude>,
    /// By the index of a velocity: the body whose first angular velocity it is.
    of: Lent<usize>,
    /// Positions at the indices of their rates.
    pub q: Lent<f64>,
}

impl Attitude {
    pub(super) fn new(turn: [f64; 4], omega: [f64; 3], alpha: [f64; 3]) -> Self {
        let [w, x, y, z] = turn;
        let twice = 2.0 / square(turn);
        let [xx, yy, zz] = [twice * x * x, twice * y * y, twice * z * z];
        let [xy, xz, yz] = [twice * x * y, twice * x * z, twice * y * z];
        let [wx, wy, wz] = [twice * w * x, twice * w * y, twice * w * z];
        Self {
            rotation: [
                [1.0 - (yy + zz), xy - wz, xz + wy],
                [xy + wz, 1.0 - (xx + zz), yz - wx],
                [xz - wy, yz + wx, 1.0 - (xx + yy)],
            ],
            omega,
            alpha,
        }
    }

    /// A vector of the body in the ground frame.
    #[inline]
    pub fn to_ground<T: Weight>(&self, x: [T; 3]) -> [T; 3] {
        let r = &self.rotation;
        each(|k| x[0] * r[k][0] + x[1] * r[k][1] + x[2] * r[k][2])
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
        let mut of = Lent::new(model.nv(), usize::MAX);
        for (k, frame) in model.frames.iter().enumerate() {
            of[first_spin(frame, k)] = k;
        }
        Self {
            list: Lent::new(model.frames.len(), Attitude::default()),
            of,
            q: Lent::new(model.nv(), 0.0),
        }
    }

    /// Follows a motion.
    pub(super) fn load(&mut self, frames: &[Frame], [q, v, a]: [&[f64]; 3]) {
        for (k, stretch) in stretches(frames, q.len()).enumerate() {
            self.q[stretch.velocities.clone()].copy_from_slice(&q[stretch.positions.clone()]);
            if stretch.frame.is_some() {
                self.list[k] = Attitude::new(stretch.quaternion(q), stretch.spin(v), stretch.spin(a));
            }
        }
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
    for stretch in stretches(frames, q.len()) {
        for (i, j) in stretch.positions.clone().zip(stretch.velocities.clone()) {
            out[i] += tangent[j];
        }
        if stretch.frame.is_some() {
            let turn = stretch.quaternion(q);
            let twice = 2.0 / square(turn);
            for (axis, weight) in stretch.spin(tangent).into_iter().enumerate() {
                let by_turn = product(turn, pure(each(|k| if k == axis { twice } else { 0.0 })));
                for k in 0..4 {
                    out[stretch.positions.end + k] += weight * by_turn[k];
                }
            }
        }
    }
}

impl Model {
    /// Writes how bodies turn about their axes where quaternions change, and all else at the indices of its rates: the reverse of
    /// [`Model::write_turning`], and zero for a change of the length.
    pub fn write_tangent<T: Weight>(&self, q: &[f64], change: &[T], out: &mut [T]) {
        for stretch in stretches(&self.frames, q.len()) {
            out[stretch.velocities.clone()].copy_from_slice(&change[stretch.positions.clone()]);
            if stretch.frame.is_some() {
                let (turn, change) = (stretch.quaternion(q), stretch.quaternion(change));
                let twice = 2.0 / square(turn);
                let across = cross_weight([turn[1], turn[2], turn[3]], [change[1], change[2], change[3]]);
                for k in 0..3 {
                    out[stretch.velocities.end + k] =
                        (change[1 + k] * turn[0] - change[0] * turn[1 + k] - across[k]) * twice;
                }
            }
        }
    }

    /// Writes Z times such turns.
    pub fn write_turning<T: Weight>(&self, q: &[f64], tangent: &[T], out: &mut [T]) {
        for stretch in stretches(&self.frames, q.len()) {
            out[stretch.positions.clone()].copy_from_slice(&tangent[stretch.velocities.clone()]);
            if stretch.frame.is_some() {
                let turn = stretch.quaternion(q);
                let (own, by): ([f64; 3], [T; 3]) = (each(|k| 0.5 * turn[1 + k]), stretch.spin(tangent));
                let (across, end) = (cross_weight(own, by), stretch.positions.end);
                out[end] = -(by[0] * own[0]) - by[1] * own[1] - by[2] * own[2];
                for k in 0..3 {
                    out[end + 1 + k] = by[k] * (0.5 * turn[0]) + across[k];
                }
            }
        }
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
