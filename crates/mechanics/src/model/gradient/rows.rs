//! Gradients of the rows between places and of combinations of coordinates, by hand.

use super::place::Pull;
use super::{Gradient, RowWeights};
use crate::linear::Weight;
use crate::model::Model;
use crate::model::function::Signal;
use crate::model::joint::{Combination, Factor, Guide, Pin, Span};
use crate::model::marker::difference;
use crate::model::place::{Jet, Placed};
use crate::model::residual::Instant;
use crate::scalar::{Dual64, each};

/// The state, the numbers and alpha.
type Place<'a, T> = (&'a Instant<'a>, &'a [f64], &'a [T]);

impl Pin {
    /// Each row is a component of the difference: its weights are those of the second place.
    pub(super) fn add_gradient<T: Weight, const D: usize>(
        &self,
        place: Place<T>,
        rows: &RowWeights<T>,
        out: &mut Gradient<T>,
    ) {
        let weights = Pull::<D, T> {
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
    pub(super) fn add_gradient<T: Weight, const D: usize>(
        &self,
        place: Place<T>,
        rows: &RowWeights<T>,
        out: &mut Gradient<T>,
    ) {
        let (at, numbers, alpha) = place;
        let ([a, b], n) = self.placed::<D>(at, numbers);
        let [first, second] = self.ends.map(|end| end.global);
        let moved: [T; D] = difference(first.moved(&a, alpha), second.moved(&b, alpha));
        let of_arm = Pull::of_factor(&n.jet, self.normal.moved(&n, alpha), rows);
        let of_normal = Pull::of_factor(&a.jet.to(&b.jet), moved, rows);
        first.pull(place, &a, &of_arm.negated(), out);
        second.pull(place, &b, &of_arm, out);
        self.normal.pull((numbers, alpha), &n, &of_normal, out);
        if let Some(offset) = self.offset {
            out.numbers[offset] -= rows.value[0];
        }
        if let Some(position) = self.position() {
            out.q[position] -= rows.value[0];
            out.v[position] -= rows.rate[0];
        }
    }
}

impl Span {
    /// d.d weighs d as twice the product with another vector.
    pub(super) fn add_gradient<T: Weight, const D: usize>(
        &self,
        model: &Model,
        place: Place<T>,
        rows: &RowWeights<T>,
        out: &mut Gradient<T>,
    ) {
        let (at, numbers, alpha) = place;
        let [first, second] = self.ends.map(|end| end.global);
        let [a, b]: [Placed<D>; 2] = [first.placed(at, numbers), second.placed(at, numbers)];
        let moved: [T; D] = difference(first.moved(&a, alpha), second.moved(&b, alpha));
        let twice = Pull::of_factor(&a.jet.to(&b.jet), moved, rows).doubled();
        first.pull(place, &a, &twice.negated(), out);
        second.pull(place, &b, &twice, out);
        (self.length).add_gradient(model, place, out, |length| {
            let square = length * length;
            rows.value[0] * square.re.eps + rows.rate[0] * square.v1.eps + rows.beta[0] * square.v2.eps
        });
    }
}

impl Combination {
    pub(super) fn add_gradient<T: Weight>(
        &self,
        model: &Model,
        place: Place<T>,
        rows: &RowWeights<T>,
        out: &mut Gradient<T>,
    ) {
        let (at, _, alpha) = place;
        let (lambda, [beta, rate, value]) = rows.first();
        for &(i, factor) in &self.terms {
            let factor_value = factor.value(place.1);
            out.q[i] += value * factor_value;
            out.v[i] += rate * factor_value;
            if let Factor::Number(number) = factor {
                out.numbers[number] += value * at.q[i] + rate * at.v[i] + beta * at.a[i] - alpha[i] * lambda;
            }
        }
        (self.value).add_gradient(model, place, out, |of| {
            (value * of.re.eps + rate * of.v1.eps + beta * of.v2.eps) * self.sign
        });
    }
}

impl Signal {
    /// Subtracts the gradient of what `weigh` makes of the value over time, by the numbers that it reads.
    fn add_gradient<T: Weight>(
        &self,
        model: &Model,
        (at, numbers, _): Place<T>,
        out: &mut Gradient<T>,
        weigh: impl Fn(crate::scalar::Dual2<Dual64>) -> T,
    ) {
        self.each_number(|seeded| {
            if model.is_fed(seeded) {
                let number = |i: usize| Dual64::new(numbers[i], if i == seeded { 1.0 } else { 0.0 });
                out.numbers[seeded] -= weigh(self.over(at.t, number));
            }
        });
    }
}
