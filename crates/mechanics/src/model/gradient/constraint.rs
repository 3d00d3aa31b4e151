//! Gradient of -lambda.(C alpha) + beta.(C a + gamma) + rate.c' + value.c of one constraint.

use super::local::{ElementDuals, LocalGradient, State};
use super::{Gradient, Weights};
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
pub struct RowWeights {
    /// Multipliers: the force C^T lambda is weighted by minus alpha.
    pub lambda: [f64; MAX_ROWS],
    /// Of C a + gamma.
    pub beta: [f64; MAX_ROWS],
    /// Of c'.
    pub rate: [f64; MAX_ROWS],
    /// Of c.
    pub value: [f64; MAX_ROWS],
}

impl RowWeights {
    /// Those of the first row: lambda, beta, rate and value.
    pub fn first(&self) -> [f64; 4] {
        [self.lambda[0], self.beta[0], self.rate[0], self.value[0]]
    }

    /// Those of a constraint's rows, the first at `first`.
    pub fn new(constraint: &Constraint, first: usize, lambda: &[f64], weights: &Weights) -> Self {
        let pick = |values: &[f64]| constraint.own_rows(first, values);
        Self {
            lambda: pick(lambda),
            beta: pick(weights.beta),
            rate: pick(weights.rate),
            value: pick(weights.value),
        }
    }
}

impl Model {
    pub(super) fn constraint_gradient_in<const D: usize>(
        &self,
        index: usize,
        at: &Instant,
        terms: &Terms,
        alpha: &[f64],
        rows: &RowWeights,
        out: &mut Gradient,
    ) {
        match &terms.by_hand[index] {
            Some(ByHand::Distance(distance)) => distance.add_gradient::<D>(at, alpha, &terms.numbers, rows, out),
            Some(ByHand::Angle(angle)) => angle.add_gradient(at, alpha, &terms.numbers, rows, out),
            Some(ByHand::Pin(pin)) => pin.add_gradient::<D>((at, &terms.numbers, alpha), rows, out),
            Some(ByHand::Guide(guide)) => guide.add_gradient::<D>((at, &terms.numbers, alpha), rows, out),
            Some(ByHand::Span(span)) => span.add_gradient::<D>(self, (at, &terms.numbers, alpha), rows, out),
            Some(ByHand::Combination(combination)) => {
                combination.add_gradient(self, (at, &terms.numbers, alpha), rows, out);
            }
            None => {
                let constraint = &self.constraints[index];
                let gradient = constraint.gradient_by_passes::<D>(self, at, alpha, &terms.numbers, rows);
                out.add(&constraint.local, &gradient);
            }
        }
    }
}

impl Constraint {
    fn gradient_by_passes<const D: usize>(
        &self,
        model: &Model,
        at: &Instant,
        alpha: &[f64],
        numbers: &[f64],
        rows: &RowWeights,
    ) -> LocalGradient {
        let local = &self.local;
        let (a, alpha) = (local.gather::<f64>(at.a), local.gather::<f64>(alpha));
        let mut arguments = ElementDuals::new(local, at.q, at.v, numbers);
        // c' changes with a velocity as c does with the coordinate, c'' twice as c' does.
        let mut gradient = arguments.paired_gradient(model, local, |arguments| {
            let slopes = self.motion_slopes::<D>(at.t, arguments, &a);
            let weighed = |weights: [&[f64]; 3]| -> f64 {
                (0..self.rows)
                    .map(|k| (0..3).map(|i| weights[i][k] * slopes[k][i]).sum::<f64>())
                    .sum()
            };
            let twice = rows.beta.map(|beta| 2.0 * beta);
            let by_velocity = [&rows.rate[..], &twice, &[0.0; MAX_ROWS]];
            (weighed([&rows.value, &rows.rate, &rows.beta]), weighed(by_velocity))
        });
        if rows.lambda != [0.0; MAX_ROWS] {
            // Forces do not depend on velocities.
            let of_force = arguments.gradient(model, local, State::Positions, |arguments| {
                self.force_slope::<D>(at.t, arguments, &alpha, rows)
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
        rows: &RowWeights,
    ) -> f64 {
        type Path = Dual<Dual64>;
        let path = padded(self.local.width(), |i| {
            Path::new(arguments.q[i], Dual64::from(alpha[i]))
        });
        let numbers = padded(self.local.numbers.len(), |i| Path::from_re(arguments.numbers[i]));
        let mut c = [Path::from(0.0); MAX_ROWS];
        self.value::<Path, D>(Path::from_re(Dual64::from(t)), &path, &numbers, &mut c);
        -(0..self.rows).map(|k| rows.lambda[k] * c[k].eps.eps).sum::<f64>()
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
    fn add_gradient<const D: usize>(
        &self,
        at: &Instant,
        alpha: &[f64],
        numbers: &[f64],
        rows: &RowWeights,
        out: &mut Gradient,
    ) {
        let (a, b) = self.ends();
        let relative = |values: &[f64]| -> [f64; D] { difference(a.velocity(values), b.velocity(values)) };
        let d: [f64; D] = difference(a.position(at.q, numbers), b.position(at.q, numbers));
        let (rate, acceleration, arm) = (relative(at.v), relative(at.a), relative(alpha));
        let (lambda, beta, weight, value) = (rows.lambda[0], rows.beta[0], rows.rate[0], rows.value[0]);
        let of_position: [f64; D] =
            each(|k| 2.0 * (beta * acceleration[k] - lambda * arm[k] + weight * rate[k] + value * d[k]));
        let of_rate: [f64; D] = each(|k| 4.0 * beta * rate[k] + 2.0 * weight * d[k]);
        out.add_place(a, negated(of_position));
        out.add_place(b, of_position);
        a.apply(negated(of_rate), out.v);
        b.apply(of_rate, out.v);
        out.numbers[self.length()] -= 2.0 * value * numbers[self.length()];
    }
}

impl PointAngle {
    /// By hand: Phi = -lambda c_z.arm + beta c'' + rate c' + value c, each over the length of the bar, with arm the change of z along
    /// alpha.
    fn add_gradient(&self, at: &Instant, alpha: &[f64], numbers: &[f64], rows: &RowWeights, out: &mut Gradient) {
        let jet = self.jet(at.q, numbers, self.change(at.v), self.change(at.a));
        let arm = self.change(alpha);
        let (lambda, beta, rate, value) = (rows.lambda[0], rows.beta[0], rows.rate[0], rows.value[0]);
        let of_z: [f64; 3] = each(|k| {
            beta * jet.of_acceleration[k] + rate * jet.of_rate[k] + value * jet.slope[k]
                - lambda * dot(jet.curvature[k], arm)
        });
        let of_rate: [f64; 3] = each(|k| 2.0 * beta * jet.of_rate[k] + rate * jet.slope[k]);
        out.add_place(self.from, [-of_z[0], -of_z[1]]);
        out.add_place(self.to, [of_z[0], of_z[1]]);
        out.q[self.angle] += of_z[2];
        self.from.apply([-of_rate[0], -of_rate[1]], out.v);
        self.to.apply([of_rate[0], of_rate[1]], out.v);
        out.v[self.angle] += of_rate[2];
        let total = beta * jet.c[2] + rate * jet.c[1] + value * jet.c[0] - lambda * dot(jet.slope, arm);
        out.numbers[self.length] -= total / numbers[self.length];
    }
}
