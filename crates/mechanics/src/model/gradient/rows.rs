//! Gradients of the rows between places and of combinations of coordinates, by hand.

use super::place::Moving;
use super::{Gradient, RowWeights};
use crate::model::Model;
use crate::model::function::Signal;
use crate::model::joint::{Combination, Factor, Guide, Pin, Span};
use crate::model::marker::difference;
use crate::model::place::{Jet, Placed};
use crate::model::residual::Instant;
use crate::scalar::{Dual64, each};

/// The state, the numbers and alpha.
type Place<'a> = (&'a Instant<'a>, &'a [f64], &'a [f64]);

impl Pin {
    /// Each row is a component of the difference: its weights are those of the second place.
    pub(super) fn add_gradient<const D: usize>(&self, place: Place, rows: &RowWeights, out: &mut Gradient) {
        let weights = Moving::<D> {
            jet: Jet {
                x: each(|k| rows.value[k]),
                v: each(|k| rows.rate[k]),
                a: each(|k| rows.beta[k]),
            },
            change: each(|k| -rows.lambda[k]),
        };
        let [a, b] = self.ends.map(|end| end.global);
        a.pull(place, &a.placed(place.0, place.1), &weights.negated(), out);
        b.pull(place, &b.placed(place.0, place.1), &weights, out);
    }
}

impl Guide {
    pub(super) fn add_gradient<const D: usize>(&self, place: Place, rows: &RowWeights, out: &mut Gradient) {
        let (at, numbers, alpha) = place;
        let ([a, b], n) = self.placed::<D>(at, numbers);
        let [first, second] = self.ends.map(|end| end.global);
        let arm = Moving {
            jet: a.jet.to(&b.jet),
            change: difference(first.moved(&a, alpha), second.moved(&b, alpha)),
        };
        let turned = Moving {
            jet: n.jet,
            change: self.normal.moved(&n, alpha),
        };
        let of_arm = turned.of_factor(rows);
        first.pull(place, &a, &of_arm.negated(), out);
        second.pull(place, &b, &of_arm, out);
        self.normal.pull((numbers, alpha), &n, &arm.of_factor(rows), out);
        if let Some(offset) = self.offset {
            out.numbers[offset] -= rows.value[0];
        }
    }
}

impl Span {
    /// d.d weighs d as twice the product with another vector.
    pub(super) fn add_gradient<const D: usize>(
        &self,
        model: &Model,
        place: Place,
        rows: &RowWeights,
        out: &mut Gradient,
    ) {
        let (at, numbers, alpha) = place;
        let [first, second] = self.ends.map(|end| end.global);
        let [a, b]: [Placed<D>; 2] = [first.placed(at, numbers), second.placed(at, numbers)];
        let arm = Moving {
            jet: a.jet.to(&b.jet),
            change: difference(first.moved(&a, alpha), second.moved(&b, alpha)),
        };
        let twice = arm.of_factor(rows).doubled();
        first.pull(place, &a, &twice.negated(), out);
        second.pull(place, &b, &twice, out);
        (self.length).add_gradient(model, place, out, |length| {
            let square = length * length;
            rows.value[0] * square.re.eps + rows.rate[0] * square.v1.eps + rows.beta[0] * square.v2.eps
        });
    }
}

impl Combination {
    pub(super) fn add_gradient(&self, model: &Model, place: Place, rows: &RowWeights, out: &mut Gradient) {
        let (at, _, alpha) = place;
        let [lambda, beta, rate, value] = rows.first();
        for &(i, factor) in &self.terms {
            let factor_value = factor.value(place.1);
            out.q[i] += value * factor_value;
            out.v[i] += rate * factor_value;
            if let Factor::Number(number) = factor {
                out.numbers[number] += value * at.q[i] + rate * at.v[i] + beta * at.a[i] - lambda * alpha[i];
            }
        }
        (self.value).add_gradient(model, place, out, |of| {
            self.sign * (value * of.re.eps + rate * of.v1.eps + beta * of.v2.eps)
        });
    }
}

impl Signal {
    /// Subtracts the gradient of what `weigh` makes of the value over time, by the numbers that it reads.
    fn add_gradient(
        &self,
        model: &Model,
        (at, numbers, _): Place,
        out: &mut Gradient,
        weigh: impl Fn(crate::scalar::Dual2<Dual64>) -> f64,
    ) {
        self.each_number(|seeded| {
            if model.is_fed(seeded) {
                let number = |i: usize| Dual64::new(numbers[i], if i == seeded { 1.0 } else { 0.0 });
                out.numbers[seeded] -= weigh(self.over(at.t, number));
            }
        });
    }
}
