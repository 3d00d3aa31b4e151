//! Elements of every kind along several directions.

use super::directions::{Along, ResidualLanes, Seen};
use crate::linear::Lane;
use crate::model::body::{Bar, Body, BodyKind, Particle, Rigid};
use crate::model::constraint::Constraint;
use crate::model::force::{Force, ForceKind};
use crate::model::local::Local;
use crate::model::marker::{Base, scaled};
use crate::scalar::{Dual64, each};

impl Body {
    /// Adds d(M a), less d(weight and inertia forces) if `with_force`.
    pub(super) fn add_lanes<const D: usize>(&self, along: &Along, with_force: bool, out: &mut ResidualLanes) {
        let (at, numbers, directions) = (along.at, along.numbers, along.directions);
        let (local, a) = (&self.local, at.a);
        let (mass, gravity) = match &self.kind {
            BodyKind::Bar(Bar { mass, gravity, .. }) | BodyKind::Particle(Particle { mass, gravity, .. }) => {
                (mass, gravity)
            }
            BodyKind::Solid(solid) => {
                if D == 3 {
                    solid.add_lanes(local, along, with_force, out);
                }
                return;
            }
            BodyKind::Rigid(rigid) => {
                rigid.add_lanes(local, along, with_force, out);
                return;
            }
        };
        let (m, dm) = (numbers[local.numbers[*mass]], directions.number(local.numbers[*mass]));
        let weight: [Lane; D] = each(|k| {
            let g = local.numbers[gravity[k]];
            (dm * numbers[g] + directions.number(g) * m) * if with_force { 1.0 } else { 0.0 }
        });
        match &self.kind {
            BodyKind::Bar(bar) => {
                let (from, to) = (bar.from.global(local, D), bar.to.global(local, D));
                let (start, end): ([f64; D], [f64; D]) = (from.velocity(a), to.velocity(a));
                out.push(
                    from,
                    each::<_, D>(|k| dm * ((2.0 * start[k] + end[k]) / 6.0) - weight[k] * 0.5),
                );
                out.push(
                    to,
                    each::<_, D>(|k| dm * ((start[k] + 2.0 * end[k]) / 6.0) - weight[k] * 0.5),
                );
            }
            BodyKind::Particle(particle) => {
                let point = Base::Point(particle.point).global(local, D);
                let a: [f64; D] = point.velocity(a);
                out.push(point, each::<_, D>(|k| dm * a[k] - weight[k]));
            }
            BodyKind::Rigid(_) | BodyKind::Solid(_) => {}
        }
    }
}

impl Rigid {
    /// As [`Body::add_lanes`].
    fn add_lanes(&self, local: &Local, along: &Along, with_force: bool, out: &mut ResidualLanes) {
        let (at, numbers, directions) = (along.at, along.numbers, along.directions);
        let (number, angle) = (|i: usize| local.numbers[i], local.coordinates[self.body[2]]);
        let centre = self.centre().global(local, 2);
        let mut placed = centre.placed::<2>(at, numbers);
        if !with_force {
            placed.leave_out_centrifugal();
        }
        let lanes = centre.lanes(along, &placed);
        let (mass, heavier) = (number(self.mass), directions.number(number(self.mass)));
        let has_weight = if with_force { 1.0 } else { 0.0 };
        let load: [f64; 2] = each(|k| placed.jet.a[k] - has_weight * numbers[number(self.gravity[k])]);
        let change: [Lane; 2] = each(|k| {
            let lighter = directions.number(number(self.gravity[k])) * has_weight;
            heavier * load[k] + (lanes.jet.a[k] - lighter) * numbers[mass]
        });
        centre.push_lanes(
            (&placed, &lanes),
            (scaled(load, numbers[mass]), change),
            directions,
            out,
        );
        out.force[angle] += directions.number(number(self.inertia)) * at.a[angle];
    }
}

impl Force {
    pub(super) fn add_lanes<const D: usize>(&self, along: &Along, out: &mut ResidualLanes) {
        if let ForceKind::Torsion(torsion) = &self.kind {
            torsion.add_lanes(&self.local, along, out);
            return;
        }
        for seen in Seen::all(&self.local, along) {
            let time = Dual64::from(along.at.t);
            let force = self.along::<D>(time, |i| seen.q(i), |i| seen.v(i), |i| seen.number(i));
            out.scatter(seen.lane, &self.local, -1.0, &force);
        }
    }
}

impl Constraint {
    pub(super) fn add_lanes<const D: usize>(&self, along: &Along, first: usize, out: &mut ResidualLanes) {
        let (at, rows) = (along.at, first..first + self.rows);
        for seen in Seen::all(&self.local, along) {
            let (time, held) = (Dual64::from(at.t), (at.a, &at.lambda[rows.clone()]));
            let slopes = self.along_by::<D>(time, |i| seen.q(i), |i| seen.v(i), held, |i| seen.number(i));
            out.scatter(seen.lane, &self.local, -1.0, &slopes.force);
            for (k, row) in rows.clone().enumerate() {
                out.acceleration[row][seen.lane] = slopes.acceleration[k];
                out.c[row][seen.lane] = slopes.c[k];
                out.rate[row][seen.lane] = slopes.rate[k];
            }
        }
    }
}
