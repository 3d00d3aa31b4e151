//! Velocities beside coordinates, and what lies between them: q' = Z(q) v.
//!
//! Rigid bodies in space have a quaternion among their coordinates and an angular velocity among their velocities; for
//! everything else Z is the identity. Elements know rates of coordinates only.

use std::ops::Range;

use super::quaternion::{between, product, pure, square};
use super::{CoordinateKind, Model};
use crate::linear::{Lent, Weight, add_scaled};
use crate::scalar::{Scalar, each};

/// Coordinates of a rigid body in space: x, y, z of its origin, and its quaternion.
pub const POSE: usize = 7;

/// Velocities of a rigid body in space: of its origin in the ground frame, and angular ones in its own axes.
pub const TWIST: usize = 6;

/// What |Q|^2 may differ from one by: a few roundings.
const UNIT: f64 = 4.0 * f64::EPSILON;

/// A rigid body in space among the coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Coordinate: x of its origin; y, z and the quaternion follow, the scalar first.
    pub first: usize,
    /// Its angular velocity in its own axes.
    pub spin: [Spin; 3],
    /// Constraint: the length of its quaternion, which acts in the assembly only.
    pub unit: usize,
}

/// A component of an angular velocity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spin {
    /// Name such as `rotor.omega_x`.
    pub name: String,
    /// Number: the held initial value.
    pub held: Option<usize>,
}

/// A velocity v_j.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed<'a> {
    /// Name of the coordinate that it is the rate of, or its own.
    pub name: &'a str,
    /// Unit, per second.
    pub kind: CoordinateKind,
    /// Number: the held initial value.
    pub held: Option<usize>,
    /// Weight in the assembly.
    pub weight: f64,
}

/// The quaternion among coordinates, or what belongs to its components.
pub(super) fn quaternion<S: Scalar>(frame: &Frame, values: &[S]) -> [S; 4] {
    each(|k| values[frame.first + 3 + k])
}

/// The angular part of velocities, or of what belongs to them; `k` is the frame's place among the frames.
pub(super) fn spin<S: Scalar>(frame: &Frame, k: usize, values: &[S]) -> [S; 3] {
    each(|i| values[frame.first - k + 3 + i])
}

/// Coordinates that lie beside their rates, and the frame whose quaternion follows them.
#[derive(Clone, Debug)]
pub(super) struct Stretch<'a> {
    /// The coordinates.
    pub positions: Range<usize>,
    /// Their rates among the velocities; the angular ones of the frame follow.
    pub velocities: Range<usize>,
    /// The frame.
    pub frame: Option<&'a Frame>,
}

impl Stretch<'_> {
    /// The quaternion behind it, or what belongs to its components.
    pub fn quaternion<T: Copy>(&self, values: &[T]) -> [T; 4] {
        each(|k| values[self.positions.end + k])
    }

    /// The angular velocity behind it, or what belongs to its components.
    pub fn spin<T: Copy>(&self, values: &[T]) -> [T; 3] {
        each(|k| values[self.velocities.end + k])
    }
}

/// All nq coordinates, up to each quaternion and behind the last one.
pub(super) fn stretches(frames: &[Frame], nq: usize) -> impl Iterator<Item = Stretch<'_>> {
    (0..=frames.len()).map(move |k| {
        let from = k.checked_sub(1).map_or(0, |before| frames[before].first + POSE);
        let to = frames.get(k).map_or(nq, |frame| frame.first + 3);
        Stretch {
            positions: from..to,
            velocities: from - k..to - k,
            frame: frames.get(k),
        }
    })
}

/// What the index of a coordinate belongs to.
enum Place {
    /// The velocity that is its rate.
    Rate(usize),
    /// A component of the quaternion of a frame.
    Turn(usize, usize),
}

fn place(frames: &[Frame], i: usize) -> Place {
    let before = frames.partition_point(|frame| frame.first <= i);
    match before.checked_sub(1).map(|last| (last, i - frames[last].first)) {
        Some((last, k)) if k < 3 => Place::Rate(i - last),
        Some((last, k)) if k < POSE => Place::Turn(last, k - 3),
        _ => Place::Rate(i - before),
    }
}

/// Rate of a coordinate, (Z v)_i.
#[inline]
pub fn rate<S: Scalar>(frames: &[Frame], i: usize, q: &[S], v: &[S]) -> S {
    if frames.is_empty() {
        return v[i];
    }
    match place(frames, i) {
        Place::Rate(j) => v[j],
        Place::Turn(k, component) => {
            let frame = &frames[k];
            product(quaternion(frame, q), pure(spin(frame, k, v)))[component] * 0.5
        }
    }
}

/// Second derivative of a coordinate by time, (Z a + Z' v)_i: of a quaternion Q, (Q alpha - |omega|^2 Q / 2) / 2.
#[inline]
pub fn acceleration<S: Scalar>(frames: &[Frame], i: usize, q: &[S], v: &[S], a: &[S]) -> S {
    if frames.is_empty() {
        return a[i];
    }
    match place(frames, i) {
        Place::Rate(j) => a[j],
        Place::Turn(..) => rate(frames, i, q, a) + drift(frames, i, q, v),
    }
}

/// The same without acceleration, (Z' v)_i.
#[inline]
pub fn drift<S: Scalar>(frames: &[Frame], i: usize, q: &[S], v: &[S]) -> S {
    if frames.is_empty() {
        return S::from(0.0);
    }
    match place(frames, i) {
        Place::Rate(_) => S::from(0.0),
        Place::Turn(k, component) => {
            let omega = spin(&frames[k], k, v);
            let square = omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2];
            q[frames[k].first + 3 + component] * square * -0.25
        }
    }
}

impl Model {
    /// Z v.
    pub fn coordinate_rates<S: Scalar>(&self, q: &[S], v: &[S]) -> Lent<S> {
        let mut rates = Lent::new(self.nq(), S::from(0.0));
        self.write_rates(q, v, &mut rates);
        rates
    }

    /// Z' v.
    pub fn coordinate_drift<S: Scalar>(&self, q: &[S], v: &[S]) -> Lent<S> {
        Lent::of((0..self.nq()).map(|i| drift(&self.frames, i, q, v)))
    }

    /// Writes Z v.
    pub fn write_rates<S: Scalar>(&self, q: &[S], v: &[S], out: &mut [S]) {
        for stretch in stretches(&self.frames, self.nq()) {
            out[stretch.positions.clone()].copy_from_slice(&v[stretch.velocities.clone()]);
            if stretch.frame.is_some() {
                let turning = product(stretch.quaternion(q), pure(stretch.spin(v)));
                for (slot, value) in out[stretch.positions.end..].iter_mut().zip(turning) {
                    *slot = value * 0.5;
                }
            }
        }
    }

    /// Z a + Z' v.
    pub fn coordinate_accelerations<S: Scalar>(&self, q: &[S], v: &[S], a: &[S]) -> Lent<S> {
        let mut accelerations = Lent::new(self.nq(), S::from(0.0));
        self.write_accelerations(q, v, a, &mut accelerations);
        accelerations
    }

    /// Writes Z a + Z' v.
    pub(super) fn write_accelerations<S: Scalar>(&self, q: &[S], v: &[S], a: &[S], out: &mut [S]) {
        self.write_rates(q, a, out);
        for (k, frame) in self.frames.iter().enumerate() {
            let omega = spin(frame, k, v);
            let square = omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2];
            for i in frame.first + 3..frame.first + POSE {
                out[i] += q[i] * square * -0.25;
            }
        }
    }

    /// Writes Z^T f.
    pub fn write_transposed<S: Scalar>(&self, q: &[S], f: &[S], out: &mut [S]) {
        for stretch in stretches(&self.frames, self.nq()) {
            out[stretch.velocities.clone()].copy_from_slice(&f[stretch.positions.clone()]);
            if stretch.frame.is_some() {
                let torque = between(stretch.quaternion(q), stretch.quaternion(f));
                for (slot, value) in out[stretch.velocities.end..].iter_mut().zip(torque) {
                    *slot = value * 0.5;
                }
            }
        }
    }

    /// Writes the velocities that a change of the positions is Z times, leaving out what changes the length of quaternions.
    pub fn write_twist(&self, q: &[f64], change: &[f64], out: &mut [f64]) {
        self.write_transposed(q, change, out);
        for (k, frame) in self.frames.iter().enumerate() {
            // Z^T Z is |Q|^2 / 4 there.
            let factor = 4.0 / square(quaternion(frame, q));
            out[frame.first - k + 3..][..3].iter_mut().for_each(|x| *x *= factor);
        }
    }

    /// Visits the velocities behind the rate of a coordinate with their entries of Z.
    pub(super) fn each_rate_factor<S: Scalar>(&self, i: usize, q: &[S], mut visit: impl FnMut(usize, S)) {
        match place(&self.frames, i) {
            Place::Rate(j) => visit(j, S::from(1.0)),
            Place::Turn(k, component) => {
                let (frame, turn) = (&self.frames[k], quaternion(&self.frames[k], q));
                for axis in 0..3 {
                    let unit = each(|i| S::from(if i == axis { 1.0 } else { 0.0 }));
                    visit(frame.first - k + 3 + axis, product(turn, pure(unit))[component] * 0.5);
                }
            }
        }
    }

    /// Adds (dZ) v along a change of the positions, or several.
    pub fn add_turned_rates<T: Weight>(&self, change: &[T], v: &[f64], out: &mut [T]) {
        for (k, frame) in self.frames.iter().enumerate() {
            let [w, x, y, z]: [T; 4] = each(|i| change[frame.first + 3 + i]);
            let [a, b, c] = spin(frame, k, v).map(|rate| 0.5 * rate);
            let turned = [
                -(x * a) - y * b - z * c,
                w * a + y * c - z * b,
                w * b + z * a - x * c,
                w * c + x * b - y * a,
            ];
            for i in 0..4 {
                out[frame.first + 3 + i] += turned[i];
            }
        }
    }

    /// q <- q + factor Z u.
    pub fn displace(&self, q: &mut [f64], factor: f64, u: &[f64]) {
        for stretch in stretches(&self.frames, q.len()) {
            if stretch.frame.is_some() {
                let turning = product(stretch.quaternion(q), pure(stretch.spin(u)));
                add_scaled(&mut q[stretch.positions.end..][..4], 0.5 * factor, &turning);
            }
            add_scaled(&mut q[stretch.positions], factor, &u[stretch.velocities]);
        }
    }

    /// Adds the gradient of weights.(Z v) by the quaternions, the velocities held.
    pub fn add_rates_gradient(&self, weights: &[f64], v: &[f64], q_bar: &mut [f64]) {
        for (k, frame) in self.frames.iter().enumerate() {
            let pulled = product(quaternion(frame, weights), pure(spin(frame, k, v)));
            for i in 0..4 {
                q_bar[frame.first + 3 + i] -= 0.5 * pulled[i];
            }
        }
    }

    /// Adds the gradient of weights.(Z a + Z' v) by the quaternions and angular velocities, the accelerations held.
    pub(super) fn add_accelerations_gradient(
        &self,
        weights: &[f64],
        [q, v, a]: [&[f64]; 3],
        q_bar: &mut [f64],
        v_bar: &mut [f64],
    ) {
        self.add_rates_gradient(weights, a, q_bar);
        for (k, frame) in self.frames.iter().enumerate() {
            let (weight, omega, turn) = (quaternion(frame, weights), spin(frame, k, v), quaternion(frame, q));
            let square: f64 = omega.iter().map(|x| x * x).sum();
            let along: f64 = weight.iter().zip(turn).map(|(w, x)| w * x).sum();
            for i in 0..4 {
                q_bar[frame.first + 3 + i] -= 0.25 * square * weight[i];
            }
            for i in 0..3 {
                v_bar[frame.first - k + 3 + i] -= 0.5 * along * omega[i];
            }
        }
    }

    /// Gives quaternions the length one; true if any of them lacked more than rounding.
    pub fn normalize(&self, q: &mut [f64]) -> bool {
        let mut moved = false;
        for frame in &self.frames {
            let lack = square(quaternion(frame, q)) - 1.0;
            if lack.abs() > UNIT {
                moved = true;
                let length = (1.0 + lack).sqrt();
                q[frame.first + 3..][..4].iter_mut().for_each(|x| *x /= length);
            }
        }
        moved
    }

    /// Gives quaternions the length one, with all derivatives.
    pub fn normalize_over<S: Scalar>(&self, q: &mut [S]) {
        for frame in &self.frames {
            let over = square(quaternion(frame, q)).sqrt().recip();
            q[frame.first + 3..][..4].iter_mut().for_each(|x| *x *= over);
        }
    }

    /// Takes from a change of the positions what changes the length of quaternions, or the same from a costate of them.
    pub fn remove_lengthening(&self, q: &[f64], change: &mut [f64]) {
        for frame in &self.frames {
            let turn = quaternion(frame, q);
            let along: f64 = (0..4).map(|i| turn[i] * change[frame.first + 3 + i]).sum();
            for i in 0..4 {
                change[frame.first + 3 + i] -= along * turn[i];
            }
        }
    }

    /// Number of coordinates nq.
    pub fn nq(&self) -> usize {
        self.coordinates.len()
    }

    /// Number of velocities nv: one less than coordinates for every quaternion.
    pub fn nv(&self) -> usize {
        self.coordinates.len() - self.frames.len()
    }

    /// The velocities in their order.
    pub fn speeds(&self) -> impl Iterator<Item = Speed<'_>> {
        (0..self.nv()).map(|j| self.speed(j))
    }

    /// The velocity of an index.
    pub fn speed(&self, j: usize) -> Speed<'_> {
        let of_coordinate = |i: usize| {
            let coordinate = &self.coordinates[i];
            Speed {
                name: &coordinate.name,
                kind: coordinate.kind,
                held: coordinate.velocity,
                weight: coordinate.weight,
            }
        };
        // Frames that begin at or before this velocity.
        let before = partition(self.frames.len(), |k| self.frames[k].first - k <= j);
        let Some(last) = before.checked_sub(1) else {
            return of_coordinate(j);
        };
        match j - (self.frames[last].first - last) {
            k @ 3..TWIST => {
                let spin = &self.frames[last].spin[k - 3];
                Speed {
                    name: &spin.name,
                    kind: CoordinateKind::Angle,
                    held: spin.held,
                    weight: 1.0,
                }
            }
            k if k < 3 => of_coordinate(j + last),
            _ => of_coordinate(j + before),
        }
    }

    /// Kinds of the coordinates.
    pub fn position_kinds(&self) -> impl Iterator<Item = CoordinateKind> {
        self.coordinates.iter().map(|coordinate| coordinate.kind)
    }

    /// Kinds of what the velocities are rates of.
    pub fn velocity_kinds(&self) -> impl Iterator<Item = CoordinateKind> {
        self.speeds().map(|speed| speed.kind)
    }

    /// The velocities that the rates of these coordinates are made of, without repetition.
    pub fn velocities_of(&self, coordinates: &[usize]) -> Vec<usize> {
        let mut found = Vec::with_capacity(coordinates.len());
        for &i in coordinates {
            for j in self.velocities_behind(i) {
                if !found.contains(&j) {
                    found.push(j);
                }
            }
        }
        found
    }

    /// The velocities that the rate of a coordinate is made of.
    pub fn velocities_behind(&self, i: usize) -> std::ops::Range<usize> {
        match place(&self.frames, i) {
            Place::Rate(j) => j..j + 1,
            Place::Turn(k, _) => {
                let first = self.frames[k].first - k;
                first + 3..first + TWIST
            }
        }
    }

    /// Whether any of these coordinates belongs to a quaternion.
    pub fn is_turning(&self, coordinates: &[usize]) -> bool {
        !self.frames.is_empty() && (coordinates.iter()).any(|&i| matches!(place(&self.frames, i), Place::Turn(..)))
    }
}

/// The number of leading indices that a condition holds for.
fn partition(count: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests;
