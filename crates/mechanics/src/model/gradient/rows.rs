//! Gradients of the rows between places and of combinations of coordinates, by hand.

use super::place::Pull;
use super::{Gradient, Place, RowWeights};
use crate::linear::Weight;
use crate::model::Model;
use crate::model::function::Signal;
use crate::model::joint::{Combination, Factor, Guide, Hinge, Perpendicular, Pin, Span};
use crate::model::marker::difference;
use crate::model::place::{Jet, Placed};
use crate::scalar::{Dual64, each};

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

impl Perpendicular {
    pub(super) fn add_gradient<T: Weight, const D: usize>(
        &self,
        (at, numbers, alpha): Place<T>,
        rows: &RowWeights<T>,
        out: &mut Gradient<T>,
    ) {
        for (pair, sign) in &self.pairs {
            let [u, w] = pair.map(|axis| axis.global);
            let [first, second]: [Placed<D>; 2] = [u.placed(at, numbers), w.placed(at, numbers)];
            let rows = &rows.times(*sign);
            let of_u = Pull::of_factor(&second.jet, w.moved(&second, alpha), rows);
            let of_w = Pull::of_factor(&first.jet, u.moved(&first, alpha), rows);
            u.pull((numbers, alpha), &first, &of_u, out);
            w.pull((numbers, alpha), &second, &of_w, out);
        }
    }
}

impl Hinge {
    /// What weighs p weighs y, x and the angle that it is made of.
    pub(super) fn add_gradient<T: Weight, const D: usize>(
        &self,
        (at, numbers, alpha): Place<T>,
        rows: &RowWeights<T>,
        out: &mut Gradient<T>,
    ) {
        let pointer = self.pointer::<D>(at, numbers);
        let mark = self.mark.global.placed::<D>(at, numbers);
        let [x, y] = [0, 1].map(|i| self.across[i].global.moved::<T, D>(&pointer.across[i], alpha));
        let turned = alpha[self.angle[1]];
        let of_mark = Pull::of_factor(&pointer.p, pointer.moved([x, y], turned), rows);
        self.mark.global.pull((numbers, alpha), &mark, &of_mark, out);
        let pull = Pull::of_factor(&mark.jet, self.mark.global.moved(&mark, alpha), rows);
        let [cos, sin, rate, spin] = pointer.turn;
        for (i, [along, across]) in [[-sin, -cos], [cos, -sin]].into_iter().enumerate() {
            let Jet { x, v, a } = pull.jet;
            let own = Pull {
                jet: Jet {
                    x: each(|k| {
                        x[k] * along
                            + v[k] * (rate * across)
                            + a[k] * (spin * across - rate * rate * along)
                            + turned * (across * pull.change[k])
                    }),
                    v: each(|k| v[k] * along + a[k] * (2.0 * rate * across)),
                    a: each(|k| a[k] * along),
                },
                change: each(|k| pull.change[k] * along),
            };
            self.across[i]
                .global
                .pull((numbers, alpha), &pointer.across[i], &own, out);
        }
        // The angle turns p along r, and r along -p.
        let moved_r: [T; D] = each(|k| -(y[k] * sin) - x[k] * cos - turned * pointer.p.x[k]);
        let (mut of_angle, mut of_rate) = (T::zero(), T::zero());
        for k in 0..D {
            let (Jet { x, v, a }, r) = (&pull.jet, &pointer.r);
            of_angle += x[k] * r.x[k] + v[k] * r.v[k] + a[k] * r.a[k] + moved_r[k] * pull.change[k];
            of_rate += v[k] * r.x[k] + a[k] * (2.0 * r.v[k]);
        }
        out.q[self.angle[1]] += of_angle;
        out.v[self.angle[1]] += of_rate;
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
