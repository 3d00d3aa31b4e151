//! Bushing between two frames in space: springs and dampers along three axes, and on the rotation vector.

use crate::expression::atan2;
use crate::model::local::Local;
use crate::model::marker::{Marker, Orientation, difference, dot};
use crate::model::quaternion::{between, conjugate, cross, product, pure, square, turned};
use crate::scalar::{Scalar, each};

/// Square of the tangent of half an angle below which series stand for formulas that divide by the angle. With the terms taken
/// they are exact to rounding there.
const SMALL: f64 = 0.01;

/// In the frame of the first marker: the force -(K d + C d') on the second body at its marker, d between the markers; and the torque of
/// the potential phi.(K phi)/2 of the rotation vector phi, with the damping -C omega of the relative angular velocity.
#[derive(Clone, Debug)]
pub struct Bushing {
    /// The markers.
    pub ends: [Marker; 2],
    /// What they turn with.
    pub frames: [Orientation; 2],
    /// Numbers: quaternions of the frames of the markers there.
    pub turns: [Option<[usize; 4]>; 2],
    /// Numbers: force per distance, along each axis.
    pub stiffness: [usize; 3],
    /// Numbers: force per velocity.
    pub damping: [usize; 3],
    /// Numbers: torque per angle.
    pub torsional_stiffness: [usize; 3],
    /// Numbers: torque per angular velocity.
    pub torsional_damping: [usize; 3],
}

/// What a bushing sees, and what it does to the second body; vectors in the frame of the first marker.
#[derive(Clone, Copy, Debug)]
pub struct Bushed<S> {
    /// From the first marker to the second.
    pub span: [S; 3],
    /// Rotation vector of the second frame relative to the first, shorter than pi.
    pub phi: [S; 3],
    /// Its length.
    pub angle: S,
    /// Force at the second marker.
    pub force: [S; 3],
    /// Torque.
    pub torque: [S; 3],
    /// Stored energy.
    pub energy: S,
}

/// Rotation vector of a quaternion and its length, and (1 - h cot h)/(4 h^2) for half of that length.
fn logarithm<S: Scalar>(turn: [S; 4]) -> ([S; 3], S, S) {
    let sign = if turn[0].re() < 0.0 { -1.0 } else { 1.0 };
    let [w, u @ ..] = turn.map(|x| x * sign);
    let sine = dot(u, u);
    let x = sine / (w * w);
    // h/sin h over the length of the quaternion, h^2, and the last of the results.
    let (over_sine, factor) = if x.re() < SMALL {
        let series = |terms: &[f64], x: S| terms.iter().rev().fold(S::from(0.0), |sum, term| sum * x + *term);
        let arc: [f64; 10] = each(|n| if n % 2 == 0 { 1.0 } else { -1.0 } / (2 * n + 1) as f64);
        let arc = series(&arc, x);
        let terms = [12.0, 180.0, 1890.0, 18900.0, 187_110.0, 1_277_025_750.0 / 691.0].map(|over| 1.0 / over);
        (arc / w, series(&terms, x * arc * arc))
    } else {
        let sine = sine.sqrt();
        let half = atan2(sine, w);
        (half / sine, (-half * w / sine + 1.0) / (half * half * 4.0))
    };
    let phi: [S; 3] = each(|k| u[k] * over_sine * 2.0);
    let length = dot(phi, phi);
    (phi, if length.re() == 0.0 { length } else { length.sqrt() }, factor)
}

impl Bushing {
    /// Whether it has a torque that turns round where its ends are turned by pi: one of stiffness, not one of damping alone.
    pub fn turns_round(&self, numbers: &[f64]) -> bool {
        self.torsional_stiffness.iter().any(|&k| numbers[k] != 0.0)
    }

    /// Quaternion of the frame of an end.
    fn frame<S: Scalar>(&self, end: usize, q: &[S], numbers: &[S]) -> [S; 4] {
        let own = self.turns[end].map(|turn| turn.map(|number| numbers[number]));
        match (self.frames[end], own) {
            (Orientation::Turn(turn), Some(own)) => product(turn.map(|i| q[i]), own),
            (Orientation::Turn(turn), None) => turn.map(|i| q[i]),
            (_, Some(own)) => own,
            _ => each(|k| S::from(if k == 0 { 1.0 } else { 0.0 })),
        }
    }

    /// Angular velocity of an end in the ground frame.
    fn spin<S: Scalar>(&self, end: usize, q: &[S], v: &[S]) -> [S; 3] {
        match self.frames[end] {
            // 2 q' conj(q).
            Orientation::Turn(turn) => {
                between(conjugate(turn.map(|i| v[i])), conjugate(turn.map(|i| q[i]))).map(|x| x * 2.0)
            }
            _ => [S::from(0.0); 3],
        }
    }

    /// Quaternion of the second frame relative to the first, from global positions and numbers.
    pub fn relative(&self, local: &Local, q: &[f64], numbers: &[f64]) -> [f64; 4] {
        let (q, numbers) = (local.gather::<f64>(q), local.gather_numbers::<f64>(numbers));
        let [a, b] = [0, 1].map(|end| self.frame(end, &q, &numbers));
        product(conjugate(a), b)
    }

    /// What it sees and does.
    pub fn bushed<S: Scalar>(&self, q: &[S], v: &[S], numbers: &[S]) -> Bushed<S> {
        let [first, second] = [0, 1].map(|end| self.frame(end, q, numbers));
        let back = |vector: [S; 3]| -> [S; 3] { turned(conjugate(first), vector).map(|x| x / square(first)) };
        let [a, b]: [[S; 3]; 2] = self.ends.map(|end| end.position(q, numbers));
        let [va, vb]: [[S; 3]; 2] = self.ends.map(|end| end.velocity(q, v, numbers));
        let [spin, other] = [0, 1].map(|end| self.spin(end, q, v));
        let apart = difference(a, b);
        let carried = cross(spin, apart);
        let span = back(apart);
        let rate = back(each(|k| vb[k] - va[k] - carried[k]));
        let relative = back(difference(spin, other));
        let (phi, angle, factor) = logarithm(product(conjugate(first), second));
        let by = |indices: [usize; 3], vector: [S; 3]| -> [S; 3] { each(|k| numbers[indices[k]] * vector[k]) };
        let (pull, drag) = (by(self.stiffness, span), by(self.damping, rate));
        let (twist, brake) = (by(self.torsional_stiffness, phi), by(self.torsional_damping, relative));
        // The rotation vector does not change as the body turns, unless about itself: phi' = (1 - phi x/2 + factor phi x phi x) omega.
        let across = cross(phi, twist);
        let twice = cross(phi, across);
        Bushed {
            span,
            phi,
            angle,
            force: each(|k| -(pull[k] + drag[k])),
            torque: each(|k| -(twist[k] + across[k] * 0.5 + twice[k] * factor + brake[k])),
            energy: (dot(pull, span) + dot(twist, phi)) * 0.5,
        }
    }

    /// Adds the generalized force.
    pub fn apply<S: Scalar, const D: usize>(&self, q: &[S], v: &[S], numbers: &[S], f: &mut [S]) {
        let first = self.frame(0, q, numbers);
        let forth = |vector: [S; 3]| -> [S; 3] { turned(first, vector).map(|x| x / square(first)) };
        let Bushed {
            span, force, torque, ..
        } = self.bushed(q, v, numbers);
        let [force, torque, span] = [force, torque, span].map(forth);
        self.ends[1].apply::<S, D>(q, numbers, each(|k| force[k]), f);
        self.ends[0].apply::<S, D>(q, numbers, each(|k| -force[k]), f);
        self.frames[1].twist(torque, q, f);
        // On the first body the force acts where the second marker is.
        let moment = cross(span, force);
        self.frames[0].twist(each(|k| -torque[k] - moment[k]), q, f);
    }
}

impl Orientation {
    /// Adds a torque, given in the ground frame, on what turns in space.
    pub fn twist<S: Scalar>(&self, torque: [S; 3], q: &[S], f: &mut [S]) {
        if let Self::Turn(turn) = *self {
            // For a quaternion of any length (theory, 7.2).
            let quaternion = turn.map(|i| q[i]);
            let force = product(pure(torque), quaternion);
            let factor = square(quaternion).recip() * 2.0;
            for (&i, force) in turn.iter().zip(force) {
                f[i] += force * factor;
            }
        }
    }
}
