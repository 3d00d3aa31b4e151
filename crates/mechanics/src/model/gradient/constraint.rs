//! Gradient of -lambda.(C alpha) + beta.(C a + gamma) + rate.c' + value.c of one constraint.

use super::local::{ElementDuals, LocalGradient, State};
use super::{Gradient, Place, Weights};
use crate::linear::Weight;
use crate::model::by_hand::ByHand;
use crate::model::constraint::{Constraint, MAX_ROWS};
use crate::model::joint::{PointAngle, PointDistance};
use crate::model::local::MAX_LOCAL;
use crate::model::marker::{difference, dot};
use crate::model::residual::Instant;
use crate::model::{Model, Terms};
use crate::scalar::{Dual, Dual2, Dual64, Scalar, each, negated};

/// Weights and multipliers of one constraint's rows; entries beyond its own are zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowWeights<T = f64> {
    /// Multipliers: the force C^T lambda is weighted by minus alpha.
    pub lambda: [f64; MAX_ROWS],
    /// Of C a + gamma.
    pub beta: [T; MAX_ROWS],
    /// Of c'.
    pub rate: [T; MAX_ROWS],
    /// Of c.
    pub value: [T; MAX_ROWS],
}

impl<T: Weight> RowWeights<T> {
    /// Those of the first row: lambda; beta, rate and value.
    pub fn first(&self) -> (f64, [T; 3]) {
        (self.lambda[0], [self.beta[0], self.rate[0], self.value[0]])
    }

    /// All of them times a factor.
    pub fn times(&self, factor: f64) -> Self {
        let scaled = |weights: [T; MAX_ROWS]| weights.map(|weight| weight * factor);
        Self {
            lambda: self.lambda.map(|lambda| lambda * factor),
            beta: scaled(self.beta),
            rate: scaled(self.rate),
            value: scaled(self.value),
        }
    }

    /// Those of a constraint's rows, the first at `first`.
    pub fn new(constraint: &Constraint, first: usize, lambda: &[f64], weights: &Weights<T>) -> Self {
        let pick = |values: &[T]| constraint.own_rows(first, values);
        Self {
            lambda: constraint.own_rows(first, lambda),
            beta: pick(weights.beta),
            rate: pick(weights.rate),
            value: pick(weights.value),
        }
    }
}

impl Model {
    pub(in crate::model) fn constraint_gradient_in<T: Weight, const D: usize>(
        &self,
        index: usize,
        at: &Instant,
        terms: &Terms,
        alpha: &[T],
        rows: &RowWeights<T>,
        out: &mut Gradient<T>,
    ) {
        let place = (at, &terms.numbers[..], alpha);
        match &terms.by_hand[index] {
            Some(ByHand::Distance(distance)) => distance.add_gradient::<T, D>(place, rows, out),
            Some(ByHand::Angle(angle)) => angle.add_gradient(place, rows, out),
            Some(ByHand::Pin(pin)) => pin.add_gradient::<T, D>(place, rows, out),
            Some(ByHand::Guide(guide)) => guide.add_gradient::<T, D>(place, rows, out),
            Some(ByHand::Perpendicular(row)) => row.add_gradient::<T, D>(place, rows, out),
            Some(ByHand::Hinge(row)) => row.add_gradient::<T, D>(place, rows, out),
            Some(ByHand::Span(span)) => span.add_gradient::<T, D>(self, place, rows, out),
            Some(ByHand::Combination(combination)) => combination.add_gradient(self, place, rows, out),
            None => self.constraint_gradient_by_passes::<T, D>(index, at, terms, alpha, rows, out),
        }
    }

    /// The same by passes with dual numbers.
    pub(in crate::model) fn constraint_gradient_by_passes<T: Weight, const D: usize>(
        &self,
        index: usize,
        at: &Instant,
        terms: &Terms,
        alpha: &[T],
        rows: &RowWeights<T>,
        out: &mut Gradient<T>,
    ) {
        let constraint = &self.constraints[index];
        let gradient = constraint.gradient_by_passes::<T, D>(self, (at, &terms.numbers, alpha), rows);
        out.add(&constraint.local, &gradient);
    }
}

impl Constraint {
    fn gradient_by_passes<T: Weight, const D: usize>(
        &self,
        model: &Model,
        (at, numbers, alpha): Place<T>,
        rows: &RowWeights<T>,
    ) -> LocalGradient<T> {
        let local = &self.local;
        let a = local.gather::<f64>(at.a);
        let mut arguments = ElementDuals::new(local, at.q, at.v, numbers);
        // c' changes with a velocity as c does with the coordinate, c'' twice as c' does.
        let mut gradient = arguments.paired_gradient(model, local, |arguments| {
            let slopes = self.motion_slopes::<D>(at.t, arguments, &a);
            let (mut by_position, mut by_velocity) = (T::zero(), T::zero());
            for (k, [c, rate, acceleration]) in slopes.into_iter().enumerate().take(self.rows) {
                by_position += rows.value[k] * c + rows.rate[k] * rate + rows.beta[k] * acceleration;
                by_velocity += rows.rate[k] * c + rows.beta[k] * (2.0 * rate);
            }
            (by_position, by_velocity)
        });
        if rows.lambda != [0.0; MAX_ROWS] {
            // Forces do not depend on velocities.
            let of_force = arguments.gradient(model, local, State::Positions, |arguments| {
                T::by_lane(|lane| {
                    let alpha = padded(local.width(), |i| alpha[local.coordinates[i]].lane(lane));
                    self.force_slope::<D>(at.t, arguments, &alpha, &rows.lambda)
                })
            });
            for i in 0..MAX_LOCAL {
                gradient.q[i] += of_force.q[i];
                gradient.numbers[i] += of_force.numbers[i];
            }
        }
        gradient
    }

    /// Slopes of c, c' and C a + gamma of each row.
    fn motion_slopes<const D: usize>(
        &self,
        t: f64,
        arguments: &ElementDuals,
        a: &[f64; MAX_LOCAL],
    ) -> [[f64; 3]; MAX_ROWS] {
        type Path = Dual2<Dual64>;
        let path = padded(self.local.width(), |i| {
            Path::new(arguments.q[i], arguments.v[i], Dual64::from(a[i]))
        });
        let numbers = padded(self.local.numbers.len(), |i| Path::from_re(arguments.numbers[i]));
        let mut c = [Path::from(0.0); MAX_ROWS];
        let time = Path::new(Dual64::from(t), Dual64::from(1.0), Dual64::from(0.0));
        self.value::<Path, D>(time, &path, &numbers, &mut c);
        c.map(|c| [c.re.eps, c.v1.eps, c.v2.eps])
    }

    /// Slope of -lambda.(C alpha).
    fn force_slope<const D: usize>(
        &self,
        t: f64,
        arguments: &ElementDuals,
        alpha: &[f64; MAX_LOCAL],
        lambda: &[f64; MAX_ROWS],
    ) -> f64 {
        type Path = Dual<Dual64>;
        let path = padded(self.local.width(), |i| {
            Path::new(arguments.q[i], Dual64::from(alpha[i]))
        });
        let numbers = padded(self.local.numbers.len(), |i| Path::from_re(arguments.numbers[i]));
        let mut c = [Path::from(0.0); MAX_ROWS];
        self.value::<Path, D>(Path::from_re(Dual64::from(t)), &path, &numbers, &mut c);
        -(0..self.rows).map(|k| lambda[k] * c[k].eps.eps).sum::<f64>()
    }
}

/// The first `count` arguments of an element, zero beyond them.
#[inline(always)]
fn padded<S: Scalar>(count: usize, argument: impl Fn(usize) -> S) -> [S; MAX_LOCAL] {
    let mut all = [S::from(0.0); MAX_LOCAL];
    for (i, slot) in all.iter_mut().enumerate().take(count) {
        *slot = argument(i);
    }
    all
}

impl PointDistance {
    /// By hand for c = |d|^2 - L^2: Phi = -2 lambda d.arm + 2 beta (d'.d' + d.d'') + 2 rate d.d' + value c, with
    /// arm = alpha_b - alpha_a.
    fn add_gradient<T: Weight, const D: usize>(
        &self,
        (at, numbers, alpha): Place<T>,
        rows: &RowWeights<T>,
        out: &mut Gradient<T>,
    ) {
        let (a, b) = self.ends();
        let relative = |values: &[f64]| -> [f64; D] { difference(a.velocity(values), b.velocity(values)) };
        let arm: [T; D] = difference(a.velocity(alpha), b.velocity(alpha));
        let d: [f64; D] = difference(a.position(at.q, numbers), b.position(at.q, numbers));
        let (rate, acceleration) = (relative(at.v), relative(at.a));
        let (lambda, [beta, weight, value]) = rows.first();
        let of_position: [T; D] =
            each(|k| (beta * acceleration[k] - arm[k] * lambda + weight * rate[k] + value * d[k]) * 2.0);
        let of_rate: [T; D] = each(|k| beta * (4.0 * rate[k]) + weight * (2.0 * d[k]));
        out.add_place(a, negated(of_position));
        out.add_place(b, of_position);
        a.apply(negated(of_rate), out.v);
        b.apply(of_rate, out.v);
        out.numbers[self.length()] -= value * (2.0 * numbers[self.length()]);
    }
}

impl PointAngle {
    /// By hand: Phi = -lambda c_z.arm + beta c'' + rate c' + value c, each over the length of the bar, with arm the change of z along
    /// alpha.
    fn add_gradient<T: Weight>(&self, (at, numbers, alpha): Place<T>, rows: &RowWeights<T>, out: &mut Gradient<T>) {
        let jet = self.jet(at.q, numbers, self.change(at.v), self.change(at.a));
        let arm = self.change(alpha);
        let (lambda, [beta, rate, value]) = rows.first();
        let of_z: [T; 3] = each(|k| {
            beta * jet.of_acceleration[k] + rate * jet.of_rate[k] + value * jet.slope[k]
                - dot(arm, jet.curvature[k]) * lambda
        });
        let of_rate: [T; 3] = each(|k| beta * (2.0 * jet.of_rate[k]) + rate * jet.slope[k]);
        out.add_place(self.from, [-of_z[0], -of_z[1]]);
        out.add_place(self.to, [of_z[0], of_z[1]]);
        out.q[self.angle] += of_z[2];
        self.from.apply([-of_rate[0], -of_rate[1]], out.v);
        self.to.apply([of_rate[0], of_rate[1]], out.v);
        out.v[self.angle] += of_rate[2];
        let total = beta * jet.c[2] + rate * jet.c[1] + value * jet.c[0] - dot(arm, jet.slope) * lambda;
        out.numbers[self.length] -= total * (1.0 / numbers[self.length]);
    }
}
