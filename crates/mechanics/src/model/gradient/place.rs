//! Gradients of places and directions along a motion, by hand: what weights them is carried to what they consist of.

use super::{Gradient, RowWeights};
use crate::linear::Weight;
use crate::model::attitude::{cross_weight, fit};
use crate::model::marker::{Base, Marker, Orientation, difference, dot, scaled};
use crate::model::place::{Jet, Normal, Placed, Turn, add_torque, perp, shares};
use crate::model::residual::Instant;
use crate::scalar::{each, negated};

/// What weighs a vector along a motion, and its change along alpha.
#[derive(Clone, Copy, Debug)]
pub struct Pull<const D: usize, T = f64> {
    pub jet: Jet<D, T>,
    pub change: [f64; D],
}

impl<T: Weight, const D: usize> Pull<D, T> {
    /// That of the opposite vector.
    pub fn negated(&self) -> Self {
        Self {
            jet: self.jet.map(negated),
            change: negated(self.change),
        }
    }

    /// Twice as much.
    pub fn doubled(&self) -> Self {
        Self {
            jet: self.jet.map(|weights| scaled(weights, 2.0)),
            change: scaled(self.change, 2.0),
        }
    }

    /// That of x in value x.y + rate (x.y)' + beta (x.y)'' - lambda d(x.y), where y is a vector with this change.
    #[inline]
    pub fn of_factor(y: &Jet<D>, change: [T; D], rows: &RowWeights<T>) -> Self {
        let (lambda, [beta, rate, value]) = rows.first();
        Self {
            jet: Jet {
                x: each(|k| value * y.x[k] + rate * y.v[k] + beta * y.a[k] - change[k] * lambda),
                v: each(|k| rate * y.x[k] + beta * (2.0 * y.v[k])),
                a: each(|k| beta * y.x[k]),
            },
            change: each(|k| -lambda * y.x[k]),
        }
    }
}

impl Turn {
    /// Gradient of X.u + V.u' + A.u'' + F.(angle of alpha) w by the angle, its rate, and the vector in its own frame.
    #[inline]
    fn pull<T: Weight>(&self, weights: &Pull<2, T>, of_alpha: T) -> (T, T, [T; 2]) {
        let (u, w, Jet { x, v, a }) = (self.u, perp(self.u), &weights.jet);
        let of_u: [T; 2] = each(|k| x[k] - a[k] * (self.rate * self.rate));
        let of_w: [T; 2] = each(|k| v[k] * self.rate + a[k] * self.spin + of_alpha * weights.change[k]);
        let total = [of_u[0] + of_w[1], of_u[1] - of_w[0]];
        let [cos, sin] = self.axis;
        (
            dot(of_u, w) - dot(of_w, u),
            dot(*v, w) - dot(*a, u) * (2.0 * self.rate),
            [total[0] * cos + total[1] * sin, total[1] * cos - total[0] * sin],
        )
    }
}

impl Base {
    #[inline]
    fn pull<T: Weight, const D: usize>(&self, weights: &Jet<D, T>, out: &mut Gradient<T>) {
        out.add_place(*self, weights.x);
        self.apply(weights.v, out.v);
    }
}

impl Marker {
    /// Adds the gradient of the weighted place.
    #[inline]
    pub fn pull<T: Weight, const D: usize>(
        &self,
        (at, numbers, alpha): (&Instant, &[f64], &[T]),
        placed: &Placed<D>,
        weights: &Pull<D, T>,
        out: &mut Gradient<T>,
    ) {
        match *self {
            Self::Base(base) => base.pull(&weights.jet, out),
            Self::Offset { point, offset } => {
                Base::Point(point).pull(&weights.jet, out);
                Base::Ground(offset).pull(&weights.jet, out);
            }
            Self::OnBar(bar) => {
                let Jet { x, v, a } = weights.jet;
                let parts = [x, v, a].map(|weight| shares(weight, placed.fractions));
                let end = |i: usize| Jet {
                    x: parts[0][i],
                    v: parts[1][i],
                    a: parts[2][i],
                };
                bar.from.pull(&end(0), out);
                bar.to.pull(&end(1), out);
                let d = bar.from.jet::<D>(at, numbers).to(&bar.to.jet(at, numbers));
                let moved: [T; D] = difference(bar.from.velocity(alpha), bar.to.velocity(alpha));
                let (mut of_along, weight) = (dot(moved, weights.change), weights.change);
                let mut of_across = moved[0] * weight[1] - moved[1] * weight[0];
                for (weight, d) in [(x, d.x), (v, d.v), (a, d.a)] {
                    of_along += dot(weight, d);
                    of_across += weight[1] * d[0] - weight[0] * d[1];
                }
                let ([s, h], over) = (placed.fractions, 1.0 / numbers[bar.length]);
                out.numbers[bar.along] += of_along * over;
                out.numbers[bar.length] -= of_along * (s * over);
                if let Some(across) = bar.across {
                    out.numbers[across] += of_across * over;
                    out.numbers[bar.length] -= of_across * (h * over);
                }
            }
            Self::OnBody { body, place } => {
                let (angle, rate, of_place) = placed.turn.pull(&weights.planar(), alpha[body[2]]);
                for k in 0..2 {
                    out.q[body[k]] += weights.jet.x[k];
                    out.v[body[k]] += weights.jet.v[k];
                    out.numbers[place[k]] += of_place[k];
                }
                out.q[body[2]] += angle;
                out.v[body[2]] += rate;
            }
            Self::OnSolid { origin, turn, place } => {
                Base::Point(origin).pull(&weights.jet, out);
                let of_place = placed.pull_turn(weights, turn[0], alpha, out);
                for (&number, slope) in place.iter().zip(of_place) {
                    out.numbers[number] += slope;
                }
            }
        }
    }
}

impl<const D: usize> Placed<'_, D> {
    /// Adds the gradient of a weighted vector fixed in a body in space by the turning of that, and returns the one by the vector in body
    /// axes. With the weights X, V, A and F in body axes, s' = omega x s, s'' = alpha x s + omega x s' and the turn phi of alpha the sum
    /// is X.s + V.s' + A.s'' + F.(phi x s).
    #[inline]
    fn pull_turn<T: Weight>(&self, weights: &Pull<D, T>, first: usize, alpha: &[T], out: &mut Gradient<T>) -> [T; 3] {
        let Some(attitude) = self.attitude else {
            return [T::by_lane(|_| f64::NAN); 3];
        };
        let own = attitude.own_jet(fit(self.own));
        let [x, v, a] = [weights.jet.x, weights.jet.v, weights.jet.a].map(|weight| attitude.to_body(fit(weight)));
        let (force, phi): ([f64; 3], [T; 3]) = (attitude.to_body(fit(weights.change)), each(|k| alpha[first + k]));
        let across = cross_weight::<T>;
        // A x omega, of A.(omega x y) = (A x omega).y.
        let [bent, fast] = [a, v].map(|weight| across(attitude.omega, weight).map(|x| -x));
        let twice = across(attitude.omega, bent).map(|x| -x);
        let spun = across(attitude.alpha, a).map(|x| -x);
        let of_phi = across(force, phi);
        // phi x s turns along: (phi x s) x F = s (phi.F) - phi (s.F) and so on, by the components.
        let moved = across(own.x, phi).map(|x| -x);
        let with = across(force, moved).map(|x| -x);
        let of_turn = [across(own.x, x), across(own.v, v), across(own.a, a), with];
        add_torque(
            each(|k| of_turn[0][k] + of_turn[1][k] + of_turn[2][k] + of_turn[3][k]),
            first,
            out.q,
        );
        let of_spin = [across(own.x, v), across(own.v, a), across(own.x, bent)];
        add_torque(each(|k| of_spin[0][k] + of_spin[1][k] + of_spin[2][k]), first, out.v);
        each(|k| x[k] + fast[k] + spun[k] + twice[k] + of_phi[k])
    }
}

impl<T: Weight, const D: usize> Pull<D, T> {
    #[inline]
    fn planar(&self) -> Pull<2, T> {
        Pull {
            jet: self.jet.map(|weights| [weights[0], weights[1]]),
            change: [self.change[0], self.change[1]],
        }
    }
}

impl Normal {
    /// Adds the gradient of the weighted direction.
    pub fn pull<T: Weight, const D: usize>(
        &self,
        (numbers, alpha): (&[f64], &[T]),
        placed: &Placed<D>,
        weights: &Pull<D, T>,
        out: &mut Gradient<T>,
    ) {
        let mut of_own = weights.jet.x;
        if let Orientation::Turn(turn) = self.frame {
            of_own = fit(placed.pull_turn(weights, turn[0], alpha, out));
        }
        if let Orientation::Angle(angle) = self.frame {
            let (of_angle, of_rate, plane) = placed.turn.pull(&weights.planar(), alpha[angle]);
            out.q[angle] += of_angle;
            out.v[angle] += of_rate;
            (of_own[0], of_own[1]) = (plane[0], plane[1]);
        }
        let (own, length) = self.own::<D>(numbers);
        let along = dot(of_own, own);
        let mut of_given: [T; D] = each(|k| (of_own[k] - along * own[k]) * (1.0 / length));
        if self.is_perp {
            (of_given[0], of_given[1]) = (of_given[1], -of_given[0]);
        }
        for (&number, slope) in self.given.iter().zip(of_given) {
            out.numbers[number] += slope;
        }
    }
}
