//! Places and directions along several directions of change, by hand.

use super::directions::{Along, Directions, ResidualLanes};
use crate::linear::Lane;
use crate::model::attitude::fit;
use crate::model::marker::{Base, Marker, Orientation};
use crate::model::place::{Jet, Normal, Placed, Turn, add_torque, perp, shares};
use crate::scalar::each;

/// Changes of a place, and of what carries it.
#[derive(Clone, Copy, Debug)]
pub struct PlacedLanes<const D: usize> {
    pub jet: Jet<D, Lane>,
    /// On a body: of the arm in the ground frame. On a bar: of the fractions.
    carrier: [Lane; 2],
}

impl Turn {
    #[inline]
    fn lanes(&self, (angle, rate): (Lane, Lane), own: [Lane; 2]) -> Jet<2, Lane> {
        let (u, w, [cos, sin]) = (self.u, perp(self.u), self.axis);
        let du = [
            own[0] * cos - own[1] * sin + angle * w[0],
            own[0] * sin + own[1] * cos + angle * w[1],
        ];
        let dw = perp(du);
        Jet {
            x: du,
            v: each(|k| rate * w[k] + dw[k] * self.rate),
            a: each(|k| dw[k] * self.spin - du[k] * (self.rate * self.rate) - rate * (2.0 * self.rate * u[k])),
        }
    }
}

impl Base {
    fn lanes<const D: usize>(self, directions: &Directions) -> Jet<D, Lane> {
        Jet {
            x: directions.place(self),
            v: directions.velocity(self),
            a: [Lane::zeros(); D],
        }
    }
}

impl Marker {
    /// Its change with accelerations held; the indices are the model's.
    #[inline]
    pub fn lanes<const D: usize>(&self, along: &Along, placed: &Placed<D>) -> PlacedLanes<D> {
        let (at, numbers, directions) = (along.at, along.numbers, along.directions);
        let mut carrier = [Lane::zeros(); 2];
        let jet = match *self {
            Self::Base(base) => base.lanes(directions),
            Self::Offset { point, offset } => {
                let (mut jet, by): (Jet<D, Lane>, [Lane; D]) = (
                    Base::Point(point).lanes(directions),
                    directions.place(Base::Ground(offset)),
                );
                jet.x = each(|k| jet.x[k] + by[k]);
                jet
            }
            Self::OnBar(bar) => {
                let length = numbers[bar.length];
                let longer = directions.number(bar.length) / length;
                let part = |number: usize, fraction: f64| directions.number(number) / length - longer * fraction;
                let [s, h] = placed.fractions;
                carrier = [
                    part(bar.along, s),
                    bar.across.map_or(Lane::zeros(), |across| part(across, h)),
                ];
                let (start, end) = (bar.from.lanes::<D>(directions), bar.to.lanes::<D>(directions));
                let d = bar.from.jet::<D>(at, numbers).to(&bar.to.jet(at, numbers));
                Jet {
                    x: between(start.x, end.x, placed.fractions, carrier, d.x),
                    v: between(start.v, end.v, placed.fractions, carrier, d.v),
                    a: between(start.a, end.a, placed.fractions, carrier, d.a),
                }
            }
            Self::OnBody { body, place } => {
                let turned = (directions.q[body[2]], directions.v[body[2]]);
                let arm = placed.turn.lanes(turned, each(|k| directions.number(place[k])));
                carrier = arm.x;
                let zero = Lane::zeros();
                Jet {
                    x: each(|k| if k < 2 { directions.q[body[k]] + arm.x[k] } else { zero }),
                    v: each(|k| if k < 2 { directions.v[body[k]] + arm.v[k] } else { zero }),
                    a: each(|k| if k < 2 { arm.a[k] } else { zero }),
                }
            }
            Self::OnSolid { origin, turn, place } => {
                let base: Jet<D, Lane> = Base::Point(origin).lanes(directions);
                let own = directions.place(Base::Ground(place));
                base.plus(&placed.turned_lanes(turn[0], own, directions))
            }
        };
        PlacedLanes { jet, carrier }
    }

    /// Adds the change of the generalized force of a force there, which changes by `change`.
    #[inline]
    pub fn push_lanes<const D: usize>(
        &self,
        (placed, changed): (&Placed<D>, &PlacedLanes<D>),
        (force, change): ([f64; D], [Lane; D]),
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        match *self {
            Self::Base(base) => out.push(base, change),
            Self::Offset { point, .. } => out.push(Base::Point(point), change),
            Self::OnBar(bar) => {
                let ([mut start, mut end], [s, h]) = (shares(change, placed.fractions), changed.carrier);
                let mut shifted: [Lane; D] = each(|k| s * force[k]);
                shifted[0] += h * force[1];
                shifted[1] -= h * force[0];
                for k in 0..D {
                    start[k] -= shifted[k];
                    end[k] += shifted[k];
                }
                out.push(bar.from, start);
                out.push(bar.to, end);
            }
            Self::OnBody { body, .. } => {
                let (w, dw) = (perp(placed.turn.u), perp(changed.carrier));
                out.force[body[0]] += change[0];
                out.force[body[1]] += change[1];
                out.force[body[2]] += change[0] * w[0] + change[1] * w[1] + dw[0] * force[0] + dw[1] * force[1];
            }
            Self::OnSolid { origin, turn, place } => {
                out.push(Base::Point(origin), change);
                let own = directions.place(Base::Ground(place));
                let torque = placed.torque_lanes(turn[0], own, (force, change), directions);
                add_torque(torque, turn[0], &mut out.force);
            }
        }
    }
}

/// Change of a place on a bar, or of its rates: of the ends, and of the fractions.
fn between<const D: usize>(
    start: [Lane; D],
    end: [Lane; D],
    [along, across]: [f64; 2],
    [s, h]: [Lane; 2],
    d: [f64; D],
) -> [Lane; D] {
    let moved: [Lane; D] = each(|k| end[k] - start[k]);
    let mut place: [Lane; D] = each(|k| start[k] + moved[k] * along + s * d[k]);
    place[0] -= moved[1] * across + h * d[1];
    place[1] += moved[0] * across + h * d[0];
    place
}

impl Normal {
    /// Its change; the indices are the model's.
    pub fn lanes<const D: usize>(&self, along: &Along, placed: &Placed<D>) -> PlacedLanes<D> {
        let (change, directions) = (self.own_lanes::<D>(along), along.directions);
        let (mut jet, mut carrier) = (Jet::fixed(change), [Lane::zeros(); 2]);
        match self.frame {
            Orientation::Ground => {}
            Orientation::Angle(angle) => {
                let turned = (directions.q[angle], directions.v[angle]);
                let plane = placed.turn.lanes(turned, [change[0], change[1]]);
                carrier = plane.x;
                for k in 0..2 {
                    (jet.x[k], jet.v[k], jet.a[k]) = (plane.x[k], plane.v[k], plane.a[k]);
                }
            }
            Orientation::Turn(turn) => jet = placed.turned_lanes(turn[0], fit(change), directions),
        }
        PlacedLanes { jet, carrier }
    }

    /// Its change in its own frame.
    fn own_lanes<const D: usize>(&self, along: &Along) -> [Lane; D] {
        let (own, length) = self.own::<D>(along.numbers);
        let mut change: [Lane; D] = each(|k| along.directions.number(self.given[k]) / length);
        if self.is_perp {
            (change[0], change[1]) = (-change[1], change[0]);
        }
        let along = (1..D).fold(change[0] * own[0], |sum, k| sum + change[k] * own[k]);
        each(|k| change[k] - along * own[k])
    }

    /// Adds the change of the torque of `force`, a weight of the direction, which changes by `change`.
    pub fn push_lanes<const D: usize>(
        &self,
        (placed, changed): (&Placed<D>, &PlacedLanes<D>),
        (force, change): ([f64; D], [Lane; D]),
        along: &Along,
        out: &mut ResidualLanes,
    ) {
        match self.frame {
            Orientation::Ground => {}
            Orientation::Angle(angle) => {
                let (w, dw) = (perp(placed.turn.u), perp(changed.carrier));
                out.force[angle] += change[0] * w[0] + change[1] * w[1] + dw[0] * force[0] + dw[1] * force[1];
            }
            Orientation::Turn(turn) => {
                let own = fit(self.own_lanes::<D>(along));
                let torque = placed.torque_lanes(turn[0], own, (force, change), along.directions);
                add_torque(torque, turn[0], &mut out.force);
            }
        }
    }
}
