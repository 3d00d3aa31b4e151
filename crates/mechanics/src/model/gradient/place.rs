//! Gradients of places and directions along a motion, by hand: what weights them is carried to what they consist of.

use super::{Gradient, RowWeights};
use crate::model::marker::{Base, Marker, Orientation, dot, scaled};
use crate::model::place::{Jet, Normal, Placed, Turn, perp, shares};
use crate::model::residual::Instant;
use crate::scalar::{each, negated};

/// A vector along a motion with its change along alpha; or what weights each of these.
#[derive(Clone, Copy, Debug)]
pub struct Moving<const D: usize> {
    pub jet: Jet<D>,
    pub change: [f64; D],
}

impl<const D: usize> Moving<D> {
    /// Weights of the opposite vector.
    pub fn negated(&self) -> Self {
        Self {
            jet: Jet {
                x: negated(self.jet.x),
                v: negated(self.jet.v),
                a: negated(self.jet.a),
            },
            change: negated(self.change),
        }
    }

    /// Twice these weights.
    pub fn doubled(&self) -> Self {
        Self {
            jet: Jet {
                x: scaled(self.jet.x, 2.0),
                v: scaled(self.jet.v, 2.0),
                a: scaled(self.jet.a, 2.0),
            },
            change: scaled(self.change, 2.0),
        }
    }

    /// Weights of x in value x.y + rate (x.y)' + beta (x.y)'' - lambda d(x.y), where y is this vector.
    #[inline]
    pub fn of_factor(&self, rows: &RowWeights) -> Self {
        let ([lambda, beta, rate, value], y) = (rows.first(), &self.jet);
        Self {
            jet: Jet {
                x: each(|k| value * y.x[k] + rate * y.v[k] + beta * y.a[k] - lambda * self.change[k]),
                v: each(|k| rate * y.x[k] + 2.0 * beta * y.v[k]),
                a: each(|k| beta * y.x[k]),
            },
            change: each(|k| -lambda * y.x[k]),
        }
    }
}

impl Turn {
    /// Gradient of X.u + V.u' + A.u'' + F.(angle of alpha) w by the angle, its rate, and the vector in its own frame.
    #[inline]
    fn pull(&self, weights: &Moving<2>, of_alpha: f64) -> (f64, f64, [f64; 2]) {
        let (u, w, Jet { x, v, a }) = (self.u, perp(self.u), &weights.jet);
        let of_u: [f64; 2] = each(|k| x[k] - self.rate * self.rate * a[k]);
        let of_w: [f64; 2] = each(|k| self.rate * v[k] + self.spin * a[k] + of_alpha * weights.change[k]);
        let total = [of_u[0] + of_w[1], of_u[1] - of_w[0]];
        let [cos, sin] = self.axis;
        (
            dot(of_u, w) - dot(of_w, u),
            dot(*v, w) - 2.0 * self.rate * dot(*a, u),
            [cos * total[0] + sin * total[1], cos * total[1] - sin * total[0]],
        )
    }
}

impl Base {
    #[inline]
    fn pull<const D: usize>(&self, weights: &Jet<D>, out: &mut Gradient) {
        out.add_place(*self, weights.x);
        self.apply(weights.v, out.v);
    }
}

impl Marker {
    /// Adds the gradient of the weighted place.
    #[inline]
    pub fn pull<const D: usize>(
        &self,
        (at, numbers, alpha): (&Instant, &[f64], &[f64]),
        placed: &Placed<D>,
        weights: &Moving<D>,
        out: &mut Gradient,
    ) {
        match *self {
            Self::Base(base) => base.pull(&weights.jet, out),
            Self::Offset { point, offset } => {
                Base::Point(point).pull(&weights.jet, out);
                Base::Ground(offset).pull(&weights.jet, out);
            }
            Self::OnBar {
                from,
                to,
                length,
                along,
                across,
            } => {
                let Jet { x, v, a } = weights.jet;
                let parts = [x, v, a].map(|weight| shares(weight, placed.fractions));
                let end = |i: usize| Jet {
                    x: parts[0][i],
                    v: parts[1][i],
                    a: parts[2][i],
                };
                from.pull(&end(0), out);
                to.pull(&end(1), out);
                let d = from.jet::<D>(at, numbers).to(&to.jet(at, numbers));
                let change: [f64; D] = each(|k| to.velocity::<f64, D>(alpha)[k] - from.velocity::<f64, D>(alpha)[k]);
                let [mut of_along, mut of_across] = [0.0; 2];
                for (weight, d) in [(x, d.x), (v, d.v), (a, d.a), (weights.change, change)] {
                    of_along += dot(weight, d);
                    of_across += weight[1] * d[0] - weight[0] * d[1];
                }
                let ([s, h], over) = (placed.fractions, 1.0 / numbers[length]);
                out.numbers[along] += of_along * over;
                out.numbers[length] -= s * of_along * over;
                if let Some(across) = across {
                    out.numbers[across] += of_across * over;
                    out.numbers[length] -= h * of_across * over;
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
        }
    }
}

impl<const D: usize> Moving<D> {
    #[inline]
    fn planar(&self) -> Moving<2> {
        let Jet { x, v, a } = &self.jet;
        Moving {
            jet: Jet {
                x: [x[0], x[1]],
                v: [v[0], v[1]],
                a: [a[0], a[1]],
            },
            change: [self.change[0], self.change[1]],
        }
    }
}

impl Normal {
    /// Adds the gradient of the weighted direction.
    pub fn pull<const D: usize>(
        &self,
        (numbers, alpha): (&[f64], &[f64]),
        placed: &Placed<D>,
        weights: &Moving<D>,
        out: &mut Gradient,
    ) {
        let mut of_own = weights.jet.x;
        if let Orientation::Angle(angle) = self.frame {
            let (of_angle, of_rate, plane) = placed.turn.pull(&weights.planar(), alpha[angle]);
            out.q[angle] += of_angle;
            out.v[angle] += of_rate;
            (of_own[0], of_own[1]) = (plane[0], plane[1]);
        }
        let (own, length) = self.own::<D>(numbers);
        let along = dot(of_own, own);
        let mut of_given: [f64; D] = each(|k| (of_own[k] - along * own[k]) / length);
        if self.is_perp {
            (of_given[0], of_given[1]) = (of_given[1], -of_given[0]);
        }
        for (&number, slope) in self.given.iter().zip(of_given) {
            out.numbers[number] += slope;
        }
    }
}
