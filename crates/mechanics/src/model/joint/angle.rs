//! Constraints on angles and on linear combinations of coordinates.

use crate::linear::Weight;
use crate::model::function::Signal;
use crate::model::local::Local;
use crate::model::marker::{Base, Orientation, difference};
use crate::scalar::Scalar;

/// Relative angle of two bodies: c = angle(b) - angle(a) - value(t).
#[derive(Clone, Debug)]
pub struct RelativeAngle {
    /// First body.
    pub a: Orientation,
    /// Second body.
    pub b: Orientation,
    /// The angle.
    pub value: Signal,
}

impl RelativeAngle {
    /// Constraint value in radians.
    pub fn value<S: Scalar>(&self, t: S, q: &[S], numbers: &[S], c: &mut [S]) {
        c[0] = self.b.of(q) - self.a.of(q) - self.value.evaluate(t, numbers);
    }
}

/// Angle coordinate of a bar given by its ends: c = e_perp(angle).(to - from) / length.
///
/// The coordinate has no mass; it makes the bar's angle continuous over any number of turns.
#[derive(Clone, Debug)]
pub struct BarAngle {
    /// Start of the bar.
    pub from: Base,
    /// End of the bar.
    pub to: Base,
    /// Local coordinate: the angle.
    pub angle: usize,
    /// Number: length of the bar.
    pub length: usize,
}

impl BarAngle {
    /// Constraint value in radians, for small errors.
    pub fn value<S: Scalar>(&self, q: &[S], numbers: &[S], c: &mut [S]) {
        let d: [S; 2] = difference(self.from.position(q, numbers), self.to.position(q, numbers));
        let (sin, cos) = q[self.angle].sin_cos();
        c[0] = (d[1] * cos - d[0] * sin) / numbers[self.length];
    }
}

impl BarAngle {
    /// The same with the model's indices instead of an element's.
    pub fn between_points(&self, local: &Local) -> PointAngle {
        PointAngle {
            own: self.clone(),
            from: self.from.global(local, 2),
            to: self.to.global(local, 2),
            angle: local.coordinates[self.angle],
            length: local.numbers[self.length],
        }
    }
}

/// A [`BarAngle`] with the model's indices: rows by hand for the hot path.
///
/// With z = (d, angle), d = to - from and e, n along and across the angle, c = n.d / L.
#[derive(Clone, Debug)]
pub struct PointAngle {
    /// The same with the element's indices.
    own: BarAngle,
    /// Start of the bar.
    pub from: Base,
    /// End of the bar.
    pub to: Base,
    /// Coordinate: the angle.
    pub angle: usize,
    /// Number: length of the bar.
    pub length: usize,
}

/// Derivatives of c by z along a motion z(t).
#[derive(Clone, Copy, Debug)]
pub struct AngleJet {
    /// c, c' and c''.
    pub c: [f64; 3],
    /// c_z; also what c' changes with z', and half of what c'' does is the next.
    pub slope: [f64; 3],
    /// Derivative of c' by z.
    pub of_rate: [f64; 3],
    /// Derivative of c'' by z.
    pub of_acceleration: [f64; 3],
    /// c_zz.
    pub curvature: [[f64; 3]; 3],
}

impl PointAngle {
    /// z, or a change of z, from the values of places and the angle.
    fn relative<T: Weight>(&self, values: &[T], ends: [[T; 2]; 2]) -> [T; 3] {
        let [from, to] = ends;
        [to[0] - from[0], to[1] - from[1], values[self.angle]]
    }

    /// Change of z with velocities, or with anything else by the coordinate.
    pub fn change<T: Weight>(&self, v: &[T]) -> [T; 3] {
        self.relative(v, [self.from.velocity(v), self.to.velocity(v)])
    }

    /// Derivatives at positions, velocities and accelerations.
    #[inline]
    pub fn jet(&self, q: &[f64], numbers: &[f64], v: [f64; 3], a: [f64; 3]) -> AngleJet {
        let z = self.relative(q, [self.from.position(q, numbers), self.to.position(q, numbers)]);
        let ((sin, cos), over) = (z[2].sin_cos(), 1.0 / numbers[self.length]);
        let along = |x: [f64; 3]| (cos * x[0] + sin * x[1]) * over;
        let across = |x: [f64; 3]| (cos * x[1] - sin * x[0]) * over;
        let (e, n) = ([cos * over, sin * over], [-sin * over, cos * over]);
        let (p, s, [turn, spin]) = (along(z), across(z), [v[2], a[2]]);
        let curvature = [[0.0, 0.0, -e[0]], [0.0, 0.0, -e[1]], [-e[0], -e[1], -s]];
        let centrifugal = turn * turn;
        AngleJet {
            c: [
                s,
                across(v) - p * turn,
                across(a) - p * spin - 2.0 * turn * along(v) - centrifugal * s,
            ],
            slope: [n[0], n[1], -p],
            of_rate: [-e[0] * turn, -e[1] * turn, -along(v) - s * turn],
            of_acceleration: [
                -e[0] * spin - n[0] * centrifugal,
                -e[1] * spin - n[1] * centrifugal,
                -along(a) - s * spin - 2.0 * turn * across(v) + centrifugal * p,
            ],
            curvature,
        }
    }

    /// Value, rate and acceleration term; adds the Jacobian row, one entry per coordinate of the element.
    #[inline]
    pub fn evaluate(&self, q: &[f64], v: &[f64], numbers: &[f64], row: &mut [f64]) -> [f64; 3] {
        let jet = self.jet(q, numbers, self.change(v), [0.0; 3]);
        let [x, y, turn] = jet.slope;
        self.own.from.apply([-x, -y], row);
        self.own.to.apply([x, y], row);
        row[self.own.angle] += turn;
        jet.c
    }
}

/// Linear combination of coordinates: c = sum factor_k q_k - value(t).
#[derive(Clone, Debug)]
pub struct Coupling {
    /// Pairs of a local coordinate and the local number that is its factor.
    pub terms: Vec<(usize, usize)>,
    /// The value.
    pub value: Signal,
}

impl Coupling {
    /// Constraint value in the unit of the combination.
    pub fn value<S: Scalar>(&self, t: S, q: &[S], numbers: &[S], c: &mut [S]) {
        let mut sum = -self.value.evaluate(t, numbers);
        for &(coordinate, factor) in &self.terms {
            sum += q[coordinate] * numbers[factor];
        }
        c[0] = sum;
    }
}
