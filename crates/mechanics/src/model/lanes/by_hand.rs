//! Springs, distances and angles between points along several directions: their derivatives by hand.

use super::directions::{Along, ResidualLanes};
use crate::linear::Lane;
use crate::model::force::{LinearSpring, Stretched, Torsion};
use crate::model::joint::{PointAngle, PointDistance};
use crate::model::local::Local;
use crate::model::marker::{Orientation, difference, scaled};
use crate::scalar::{each, negated};

impl LinearSpring {
    /// By hand: the force is T u at the first end, -T u at the second.
    pub(super) fn add_lanes<const D: usize>(&self, along: &Along, out: &mut ResidualLanes) {
        let (at, numbers, directions) = (along.at, along.numbers, along.directions);
        let ([first, second], stretched) = self.stretched::<D>(at, numbers);
        let Stretched {
            velocity,
            length,
            u,
            rate,
            stretch,
            k,
            c,
        } = stretched;
        let moved_first = self.a.lanes(along, &first);
        let moved_second = self.b.lanes(along, &second);
        let change = moved_first.jet.to(&moved_second.jet);
        let longer = weigh(u, change.x);
        let turned: [Lane; D] = each(|i| (change.x[i] - longer * u[i]) / length);
        let directed = |slope: Lane| {
            slope.map(|slope| {
                if slope == 0.0 {
                    0.0
                } else {
                    slope * stretched.directed()
                }
            })
        };
        let tension = directions.number(self.stiffness) * stretch
            + (longer - directed(directions.number(self.natural))) * k
            + directed(directions.number(self.damping)) * rate
            + (weigh(velocity, turned) + weigh(u, change.v)) * c;
        let pull: [Lane; D] = each(|i| tension * u[i] + turned[i] * stretched.tension());
        let force = scaled(u, stretched.tension());
        let (first, second) = ((&first, &moved_first), (&second, &moved_second));
        self.a
            .push_lanes(first, (negated(force), negated(pull)), directions, out);
        self.b.push_lanes(second, (force, pull), directions, out);
    }
}

impl Torsion {
    /// By hand: the residual has the torque k (angle - natural) + c rate on the second body.
    pub(super) fn add_lanes(&self, local: &Local, along: &Along, out: &mut ResidualLanes) {
        let (at, numbers, directions) = (along.at, along.numbers, along.directions);
        let [a, b] = self.bodies(local);
        let between = |values: &[f64]| b.of(values) - a.of(values);
        let part = |values: &[Lane], body: Orientation| match body {
            Orientation::Ground => Lane::zeros(),
            Orientation::Angle(i) => values[i],
            Orientation::Turn(_) => Lane::repeat(f64::NAN),
        };
        let [k, natural, c] = [self.stiffness, self.natural, self.damping].map(|i| local.numbers[i]);
        let turned = part(directions.q, b) - part(directions.q, a) - directions.number(natural);
        let faster = part(directions.v, b) - part(directions.v, a);
        let torque = directions.number(k) * (between(at.q) - numbers[natural])
            + turned * numbers[k]
            + directions.number(c) * between(at.v)
            + faster * numbers[c];
        for (body, sign) in [(a, -1.0), (b, 1.0)] {
            if let Orientation::Angle(i) = body {
                out.force[i] += torque * sign;
            }
        }
    }
}

impl PointDistance {
    /// By hand for c = |d|^2 - L^2: C^T lambda = 2 lambda d at b, C a + gamma = 2 d.d'' + 2 d'.d', c' = 2 d.d'.
    pub(super) fn add_lanes<const D: usize>(&self, along: &Along, row: usize, out: &mut ResidualLanes) {
        let (at, numbers, directions) = (along.at, along.numbers, along.directions);
        let (a, b) = self.ends();
        let d: [f64; D] = difference(a.position(at.q, numbers), b.position(at.q, numbers));
        let rate: [f64; D] = difference(a.velocity(at.v), b.velocity(at.v));
        let acceleration: [f64; D] = difference(a.velocity(at.a), b.velocity(at.a));
        let moved: [Lane; D] = less(directions.place(b), directions.place(a));
        let faster: [Lane; D] = less(directions.velocity(b), directions.velocity(a));
        let length = self.length();
        out.c[row] = (weigh(d, moved) - directions.number(length) * numbers[length]) * 2.0;
        out.rate[row] = (weigh(rate, moved) + weigh(d, faster)) * 2.0;
        out.acceleration[row] = weigh(acceleration, moved) * 2.0 + weigh(rate, faster) * 4.0;
        let force = each::<_, D>(|k| moved[k] * (2.0 * at.lambda[row]));
        out.push(a, force);
        out.push(b, negated(force));
    }
}

impl PointAngle {
    /// By hand: what changes z changes c, c', c'' and C^T lambda, and each falls as the bar grows longer.
    pub(super) fn add_lanes(&self, along: &Along, row: usize, out: &mut ResidualLanes) {
        let (at, numbers, directions) = (along.at, along.numbers, along.directions);
        let jet = self.jet(at.q, numbers, self.change(at.v), self.change(at.a));
        let place = less::<2>(directions.place(self.to), directions.place(self.from));
        let speed = less::<2>(directions.velocity(self.to), directions.velocity(self.from));
        let moved = [place[0], place[1], directions.q[self.angle]];
        let faster = [speed[0], speed[1], directions.v[self.angle]];
        let longer = directions.number(self.length) / numbers[self.length];
        out.c[row] = weigh(jet.slope, moved) - longer * jet.c[0];
        out.rate[row] = weigh(jet.of_rate, moved) + weigh(jet.slope, faster) - longer * jet.c[1];
        out.acceleration[row] =
            weigh(jet.of_acceleration, moved) + weigh(jet.of_rate, faster) * 2.0 - longer * jet.c[2];
        let force: [Lane; 3] = each(|k| (weigh(jet.curvature[k], moved) - longer * jet.slope[k]) * at.lambda[row]);
        out.push(self.from, [force[0], force[1]]);
        out.push(self.to, [-force[0], -force[1]]);
        out.force[self.angle] -= force[2];
    }
}

fn less<const D: usize>(a: [Lane; D], b: [Lane; D]) -> [Lane; D] {
    each(|k| a[k] - b[k])
}

/// Scalar product of a vector with the vectors of several directions.
#[inline]
fn weigh<const D: usize>(x: [f64; D], lanes: [Lane; D]) -> Lane {
    let mut sum = lanes[0] * x[0];
    for k in 1..D {
        sum += lanes[k] * x[k];
    }
    sum
}
