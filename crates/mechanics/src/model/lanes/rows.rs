//! Rows between places and combinations of coordinates along several directions, by hand.

use super::directions::{Directions, ResidualLanes};
use crate::linear::{LANES, Lane};
use crate::model::function::Signal;
use crate::model::joint::{Combination, Factor, Guide, Pin, Span};
use crate::model::place::Placed;
use crate::model::residual::Instant;
use crate::scalar::{Dual2, Dual64, each, negated};

/// The state and the numbers.
type Place<'a> = (&'a Instant<'a>, &'a [f64]);

impl ResidualLanes {
    fn write_row(&mut self, row: usize, [c, rate, acceleration]: [Lane; 3]) {
        (self.c[row], self.rate[row], self.acceleration[row]) = (c, rate, acceleration);
    }
}

impl Pin {
    pub(super) fn add_lanes<const D: usize>(
        &self,
        place: Place,
        first: usize,
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        let ends = self.ends.map(|end| end.global);
        let placed: [Placed<D>; 2] = ends.map(|end| end.placed(place.0, place.1));
        let lanes = [0, 1].map(|i| ends[i].lanes(place, &placed[i], directions));
        let d = lanes[0].jet.to(&lanes[1].jet);
        for k in 0..D {
            out.write_row(first + k, [d.x[k], d.v[k], d.a[k]]);
        }
        let (force, still) = (each(|k| place.0.lambda[first + k]), [Lane::zeros(); D]);
        ends[0].push_lanes((&placed[0], &lanes[0]), (force, still), out);
        ends[1].push_lanes((&placed[1], &lanes[1]), (negated(force), still), out);
    }
}

impl Guide {
    pub(super) fn add_lanes<const D: usize>(
        &self,
        place: Place,
        row: usize,
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        let (ends, lambda) = (self.ends.map(|end| end.global), place.0.lambda[row]);
        let (placed, n) = self.placed::<D>(place.0, place.1);
        let lanes = [0, 1].map(|i| ends[i].lanes(place, &placed[i], directions));
        let dn = self.normal.lanes(place.1, &n, directions);
        let (d, dd) = (placed[0].jet.to(&placed[1].jet), lanes[0].jet.to(&lanes[1].jet));
        let (of_n, of_d) = (dn.jet.dot(&d), dd.dot(&n.jet));
        let mut sums: [Lane; 3] = each(|k| of_n[k] + of_d[k]);
        if let Some(offset) = self.offset {
            sums[0] -= directions.number(offset);
        }
        if let Some(position) = self.position() {
            sums[0] -= directions.q[position];
            sums[1] -= directions.v[position];
        }
        out.write_row(row, sums);
        // The residual has -C^T lambda.
        let (force, change): ([f64; D], [Lane; D]) = (each(|k| lambda * n.jet.x[k]), each(|k| dn.jet.x[k] * lambda));
        ends[0].push_lanes((&placed[0], &lanes[0]), (force, change), out);
        ends[1].push_lanes((&placed[1], &lanes[1]), (negated(force), negated(change)), out);
        let torque = (each(|k| -lambda * d.x[k]), each(|k| dd.x[k] * -lambda));
        self.normal.push_lanes((&n, &dn), torque, out);
    }
}

impl Span {
    pub(super) fn add_lanes<const D: usize>(
        &self,
        place: Place,
        row: usize,
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        let (ends, lambda) = (self.ends.map(|end| end.global), place.0.lambda[row]);
        let placed: [Placed<D>; 2] = ends.map(|end| end.placed(place.0, place.1));
        let lanes = [0, 1].map(|i| ends[i].lanes(place, &placed[i], directions));
        let (d, dd) = (placed[0].jet.to(&placed[1].jet), lanes[0].jet.to(&lanes[1].jet));
        let sums = dd.dot(&d).map(|sum| sum * 2.0);
        let square = self.length.lanes(place, directions, |length| length * length);
        out.write_row(row, each(|k| sums[k] - square[k]));
        let (force, change): ([f64; D], [Lane; D]) =
            (each(|k| 2.0 * lambda * d.x[k]), each(|k| dd.x[k] * (2.0 * lambda)));
        ends[0].push_lanes((&placed[0], &lanes[0]), (force, change), out);
        ends[1].push_lanes((&placed[1], &lanes[1]), (negated(force), negated(change)), out);
    }
}

impl Combination {
    pub(super) fn add_lanes(&self, place: Place, row: usize, directions: &Directions, out: &mut ResidualLanes) {
        let ((at, numbers), lambda) = (place, place.0.lambda[row]);
        let mut sums = (self.value)
            .lanes(place, directions, |value| value)
            .map(|value| value * -self.sign);
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
    fn lanes(
        &self,
        (at, numbers): Place,
        directions: &Directions,
        of: impl Fn(Dual2<Dual64>) -> Dual2<Dual64>,
    ) -> [Lane; 3] {
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
