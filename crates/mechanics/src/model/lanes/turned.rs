//! Rigid bodies in space along several directions: what turns with them, by hand, and elements that are mapped from coordinates.
//!
//! With a small turn theta in body axes, R changes by R [theta]x.

use super::directions::{Along, Directions, ResidualLanes};
use crate::linear::Lane;
use crate::model::attitude::{cross_weight, fit};
use crate::model::body::Solid;
use crate::model::local::Local;
use crate::model::marker::{dot, scaled};
use crate::model::place::{Jet, Placed, add_torque};
use crate::scalar::{each, negated};

/// a x b where a changes.
fn cross_change(a: [Lane; 3], b: [f64; 3]) -> [Lane; 3] {
    negated(cross_weight(b, a))
}

fn sum<const D: usize>(a: [Lane; D], b: [Lane; D]) -> [Lane; D] {
    each(|k| a[k] + b[k])
}

impl<const D: usize> Placed<'_, D> {
    /// Change of a place or direction of a body whose first angular velocity is this one; it changes in body axes by `own`.
    pub(super) fn turned_lanes(&self, spin: usize, own: [Lane; 3], directions: &Directions) -> Jet<D, Lane> {
        let Some(attitude) = self.attitude else {
            return Jet::fixed([Lane::repeat(f64::NAN); D]);
        };
        let (turn, faster) = (each(|k| directions.q[spin + k]), each(|k| directions.v[spin + k]));
        let (omega, s) = (attitude.omega, fit(self.own));
        let held = attitude.own_jet(s);
        let moved: [Lane; 3] = sum(cross_weight(omega, own), cross_change(faster, s));
        let centripetal = sum(cross_weight(omega, moved), cross_change(faster, held.v));
        let change = Jet {
            x: sum(cross_change(turn, held.x), own),
            v: sum(cross_change(turn, held.v), moved),
            a: sum(
                cross_change(turn, held.a),
                sum(cross_weight(attitude.alpha, own), centripetal),
            ),
        };
        change.map(|x| fit(attitude.to_ground(x)))
    }

    /// Change of the torque in body axes of a force there, or of what weighs the direction, which changes by `change`.
    pub(super) fn torque_lanes(
        &self,
        spin: usize,
        own: [Lane; 3],
        (force, change): ([f64; D], [Lane; D]),
        directions: &Directions,
    ) -> [Lane; 3] {
        let Some(attitude) = self.attitude else {
            return [Lane::repeat(f64::NAN); 3];
        };
        let turn = each(|k| directions.q[spin + k]);
        let force: [f64; 3] = attitude.to_body(fit(force));
        let changed: [Lane; 3] = attitude.to_body(fit(change));
        let turned = cross_change(turn, force);
        let by_force = cross_weight(fit(self.own), each(|k| changed[k] - turned[k]));
        sum(cross_change(own, force), by_force)
    }
}

impl Solid {
    /// m (G'' - g) at the centre of mass G, and I omega' + omega x I omega.
    pub(super) fn add_lanes(&self, local: &Local, along: &Along, with_force: bool, out: &mut ResidualLanes) {
        let (at, numbers, directions) = (along.at, along.numbers, along.directions);
        let (number, spin) = (|i: usize| local.numbers[i], self.velocity + 3);
        let (centre, has_weight) = (self.centre(local), if with_force { 1.0 } else { 0.0 });
        let placed = centre.placed::<3>(at, numbers);
        let lanes = centre.lanes(along, &placed);
        let (mass, heavier) = (numbers[number(self.mass)], directions.number(number(self.mass)));
        let load: [f64; 3] = each(|k| placed.jet.a[k] - has_weight * numbers[number(self.gravity[k])]);
        let change: [Lane; 3] = each(|k| {
            let lighter = directions.number(number(self.gravity[k])) * has_weight;
            heavier * load[k] + (lanes.jet.a[k] - lighter) * mass
        });
        centre.push_lanes((&placed, &lanes), (scaled(load, mass), change), directions, out);
        let Some(attitude) = placed.attitude else { return };
        let (omega, alpha, tensor) = (attitude.omega, attitude.alpha, self.tensor(local, numbers));
        let [xx, yy, zz, xy, xz, yz]: [Lane; 6] = each(|k| directions.number(number(self.inertia[k])));
        let heavier = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        let times = |x: [f64; 3]| each(|k| heavier[k][0] * x[0] + heavier[k][1] * x[1] + heavier[k][2] * x[2]);
        let faster: [Lane; 3] = each(|k| directions.v[spin + k]);
        let of_momentum: [Lane; 3] = each(|i| (0..3).fold(times(omega)[i], |sum, k| sum + faster[k] * tensor[i][k]));
        let gyroscopic = sum(
            cross_change(faster, each(|k| dot(tensor[k], omega))),
            cross_weight(omega, of_momentum),
        );
        add_torque(sum(times(alpha), gyroscopic), spin, &mut out.force);
    }
}
