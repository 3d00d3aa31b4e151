//! Rows between places and combinations of coordinates along several directions, by hand.

use super::directions::{Along, ResidualLanes};
use crate::linear::{LANES, Lane};
use crate::model::function::Signal;
use crate::model::joint::{Combination, Factor, Guide, Hinge, Perpendicular, Pin, Span};
use crate::model::place::{Jet, Placed, of_both};
use crate::scalar::{Dual2, Dual64, each, negated};

impl ResidualLanes {
    fn write_row(&mut self, row: usize, [c, rate, acceleration]: [Lane; 3]) {
        (self.c[row], self.rate[row], self.acceleration[row]) = (c, rate, acceleration);
    }
}

impl Pin {
    pub(super) fn add_lanes<const D: usize>(&self, along: &Along, first: usize, out: &mut ResidualLanes) {
        let ends = self.ends.map(|end| end.global);
        let placed: [Placed<D>; 2] = of_both(|i| ends[i].placed(along.at, along.numbers));
        let lanes = of_both(|i| ends[i].lanes(along, &placed[i]));
        let d = lanes[0].jet.to(&lanes[1].jet);
        for k in 0..D {
            out.write_row(first + k, [d.x[k], d.v[k], d.a[k]]);
        }
        let (force, still) = (each(|k| along.at.lambda[first + k]), [Lane::zeros(); D]);
        ends[0].push_lanes((&placed[0], &lanes[0]), (force, still), along.directions, out);
        ends[1].push_lanes((&placed[1], &lanes[1]), (negated(force), still), along.directions, out);
    }
}

impl Guide {
    pub(super) fn add_lanes<const D: usize>(&self, along: &Along, row: usize, out: &mut ResidualLanes) {
        let (ends, lambda) = (self.ends.map(|end| end.global), along.at.lambda[row]);
        let (placed, n) = self.placed::<D>(along.at, along.numbers);
        let lanes = of_both(|i| ends[i].lanes(along, &placed[i]));
        let dn = self.normal.lanes(along, &n);
        let (d, dd) = (placed[0].jet.to(&placed[1].jet), lanes[0].jet.to(&lanes[1].jet));
        let (of_n, of_d) = (dn.jet.dot(&d), dd.dot(&n.jet));
        let mut sums: [Lane; 3] = each(|k| of_n[k] + of_d[k]);
        if let Some(offset) = self.offset {
            sums[0] -= along.directions.number(offset);
        }
        if let Some(position) = self.position() {
            sums[0] -= along.directions.q[position];
            sums[1] -= along.directions.v[position];
        }
        out.write_row(row, sums);
        // The residual has -C^T lambda.
        let (force, change): ([f64; D], [Lane; D]) = (each(|k| lambda * n.jet.x[k]), each(|k| dn.jet.x[k] * lambda));
        ends[0].push_lanes((&placed[0], &lanes[0]), (force, change), along.directions, out);
        ends[1].push_lanes(
            (&placed[1], &lanes[1]),
            (negated(force), negated(change)),
            along.directions,
            out,
        );
        let torque = (each(|k| -lambda * d.x[k]), each(|k| dd.x[k] * -lambda));
        self.normal.push_lanes((&n, &dn), torque, along, out);
    }
}

impl Perpendicular {
    pub(super) fn add_lanes<const D: usize>(&self, along: &Along, row: usize, out: &mut ResidualLanes) {
        let mut sums = [Lane::zeros(); 3];
        for (pair, sign) in &self.pairs {
            let axes = pair.map(|axis| axis.global);
            let placed: [Placed<D>; 2] = of_both(|i| axes[i].placed(along.at, along.numbers));
            let lanes = of_both(|i| axes[i].lanes(along, &placed[i]));
            let (of_u, of_w) = (lanes[0].jet.dot(&placed[1].jet), lanes[1].jet.dot(&placed[0].jet));
            sums = each(|k| sums[k] + (of_u[k] + of_w[k]) * *sign);
            // The residual has -C^T lambda.
            let weight = -sign * along.at.lambda[row];
            for (own, other) in [(0, 1), (1, 0)] {
                let torque = (
                    each(|k| weight * placed[other].jet.x[k]),
                    each(|k| lanes[other].jet.x[k] * weight),
                );
                axes[own].push_lanes((&placed[own], &lanes[own]), torque, along, out);
            }
        }
        out.write_row(row, sums);
    }
}

impl Hinge {
    pub(super) fn add_lanes<const D: usize>(&self, along: &Along, row: usize, out: &mut ResidualLanes) {
        let (at, numbers, directions) = (along.at, along.numbers, along.directions);
        let (pointer, mark) = (
            self.pointer::<D>(at, numbers),
            self.mark.global.placed::<D>(at, numbers),
        );
        let axes = self.across.map(|axis| axis.global);
        let lanes = of_both(|i| axes[i].lanes(along, &pointer.across[i]));
        let of_mark = self.mark.global.lanes(along, &mark);
        let [cos, sin, rate, spin] = pointer.turn;
        let (turned, faster) = (directions.q[self.angle[1]], directions.v[self.angle[1]]);
        // What p and r change by with the angle held, from the changes of x and y.
        let [x, y] = lanes.map(|lanes| lanes.jet);
        let onward = y.map(|y| y.map(|y| y * cos)).plus(&x.map(|x| x.map(|x| x * -sin)));
        let across = y.map(|y| y.map(|y| y * -sin)).plus(&x.map(|x| x.map(|x| x * -cos)));
        let (p, r) = (&pointer.p, &pointer.r);
        let of_p: Jet<D, Lane> = Jet {
            x: each(|k| onward.x[k] + turned * r.x[k]),
            v: each(|k| onward.v[k] + across.x[k] * rate + turned * r.v[k] + faster * r.x[k]),
            a: each(|k| {
                let held = onward.a[k] + across.v[k] * (2.0 * rate) + across.x[k] * spin - onward.x[k] * (rate * rate);
                held + turned * r.a[k] + faster * (2.0 * r.v[k])
            }),
        };
        let (first, second) = (of_p.dot(&mark.jet), of_mark.jet.dot(p));
        out.write_row(row, each(|k| first[k] + second[k]));
        // The residual has -C^T lambda.
        let (w, dw, less) = (mark.jet.x, of_mark.jet.x, -at.lambda[row]);
        for (i, [factor, slope]) in [[-sin, -cos], [cos, -sin]].into_iter().enumerate() {
            let change = each(|k| (dw[k] * factor + turned * (slope * w[k])) * less);
            let torque = (each(|k| less * factor * w[k]), change);
            axes[i].push_lanes((&pointer.across[i], &lanes[i]), torque, along, out);
        }
        let torque = (each(|k| less * p.x[k]), each(|k| of_p.x[k] * less));
        (self.mark.global).push_lanes((&mark, &of_mark), torque, along, out);
        for k in 0..D {
            let of_r = across.x[k] - turned * p.x[k];
            out.force[self.angle[1]] += (of_r * w[k] + dw[k] * r.x[k]) * less;
        }
    }
}

impl Span {
    pub(super) fn add_lanes<const D: usize>(&self, along: &Along, row: usize, out: &mut ResidualLanes) {
        let (ends, lambda) = (self.ends.map(|end| end.global), along.at.lambda[row]);
        let placed: [Placed<D>; 2] = of_both(|i| ends[i].placed(along.at, along.numbers));
        let lanes = of_both(|i| ends[i].lanes(along, &placed[i]));
        let (d, dd) = (placed[0].jet.to(&placed[1].jet), lanes[0].jet.to(&lanes[1].jet));
        let sums = dd.dot(&d).map(|sum| sum * 2.0);
        let square = self.length.lanes(along, |length| length * length);
        out.write_row(row, each(|k| sums[k] - square[k]));
        let (force, change): ([f64; D], [Lane; D]) =
            (each(|k| 2.0 * lambda * d.x[k]), each(|k| dd.x[k] * (2.0 * lambda)));
        ends[0].push_lanes((&placed[0], &lanes[0]), (force, change), along.directions, out);
        ends[1].push_lanes(
            (&placed[1], &lanes[1]),
            (negated(force), negated(change)),
            along.directions,
            out,
        );
    }
}

impl Combination {
    pub(super) fn add_lanes(&self, along: &Along, row: usize, out: &mut ResidualLanes) {
        let (at, numbers, directions) = (along.at, along.numbers, along.directions);
        let lambda = at.lambda[row];
        let mut sums = (self.value).lanes(along, |value| value).map(|value| value * -self.sign);
        for &(i, factor) in &self.terms {
            let value = factor.value(numbers);
            sums[0] += directions.q[i] * value;
            sums[1] += directions.v[i] * value;
            if let Factor::Number(number) = factor {
                let change = directions.number(number);
                sums[0] += change * at.q[i];
                sums[1] += change * at.v[i];
                sums[2] += change * at.a[i];
                out.force[i] -= change * lambda;
            }
        }
        out.write_row(row, sums);
    }
}

impl Signal {
    /// Changes of what `of` makes of the value, and of its derivatives by time.
    fn lanes(&self, along: &Along, of: impl Fn(Dual2<Dual64>) -> Dual2<Dual64>) -> [Lane; 3] {
        let (at, numbers, directions) = (along.at, along.numbers, along.directions);
        let mut changes = [Lane::zeros(); 3];
        for lane in 0..LANES {
            let of_number = |i: usize| directions.number(i)[lane];
            let mut moves = false;
            self.each_number(|i| moves |= of_number(i) != 0.0);
            if moves {
                let number = |i: usize| Dual64::new(numbers[i], of_number(i));
                let jet = of(self.over(at.t, number));
                for (change, slope) in changes.iter_mut().zip([jet.re.eps, jet.v1.eps, jet.v2.eps]) {
                    change[lane] = slope;
                }
            }
        }
        changes
    }
}
