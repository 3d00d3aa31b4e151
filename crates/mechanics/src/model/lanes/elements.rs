//! Elements of every kind along several directions.

use super::directions::{Directions, ResidualLanes, Seen};
use crate::linear::Lane;
use crate::model::body::{Bar, Body, BodyKind, Particle, Rigid};
use crate::model::constraint::Constraint;
use crate::model::force::{Force, ForceKind};
use crate::model::local::Local;
use crate::model::marker::{Base, scaled};
use crate::model::residual::Instant;
use crate::scalar::{Dual64, each};

impl Body {
    /// Adds d(M a), less d(weight and inertia forces) if `with_force`.
    pub(super) fn add_lanes<const D: usize>(
        &self,
        at: &Instant,
        a: &[f64],
        numbers: &[f64],
        directions: &Directions,
        with_force: bool,
        out: &mut ResidualLanes,
    ) {
        let local = &self.local;
        let (mass, gravity) = match &self.kind {
            BodyKind::Bar(Bar { mass, gravity, .. }) | BodyKind::Particle(Particle { mass, gravity, .. }) => {
                (mass, gravity)
            }
            BodyKind::Solid(solid) => {
                if D == 3 {
                    solid.add_lanes(local, at, numbers, directions, with_force, out);
                }
                return;
            }
            BodyKind::Rigid(rigid) => {
                rigid.add_lanes(local, (at, a), numbers, directions, with_force, out);
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
    /// m (G'' - g) at the centre of mass G, and I angle''.
    fn add_lanes(
        &self,
        local: &Local,
        (at, a): (&Instant, &[f64]),
        numbers: &[f64],
        directions: &Directions,
        with_force: bool,
        out: &mut ResidualLanes,
    ) {
        let (number, angle) = (|i: usize| local.numbers[i], local.coordinates[self.body[2]]);
        let at = Instant { a, ..*at };
        let centre = self.centre().global(local, 2);
        let mut placed = centre.placed::<2>(&at, numbers);
        if !with_force {
            placed.leave_out_centrifugal();
        }
        let lanes = centre.lanes((&at, numbers), &placed, directions);
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
        out.force[angle] += directions.number(number(self.inertia)) * a[angle];
    }
}

impl Force {
    pub(super) fn add_lanes<const D: usize>(
        &self,
        at: &Instant,
        numbers: &[f64],
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        if let ForceKind::Torsion(torsion) = &self.kind {
            torsion.add_lanes(&self.local, at, numbers, directions, out);
            return;
        }
        for seen in Seen::all(&self.local, at, numbers, directions) {
            let time = Dual64::from(at.t);
            let force = self.along::<D>(time, |i| seen.q(i), |i| seen.v(i), |i| seen.number(i));
            out.scatter(seen.lane, &self.local, -1.0, &force);
        }
    }
}

impl Constraint {
    pub(super) fn add_lanes<const D: usize>(
        &self,
        at: &Instant,
        numbers: &[f64],
        first: usize,
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        let rows = first..first + self.rows;
        for seen in Seen::all(&self.local, at, numbers, directions) {
            let (time, held) = (Dual64::from(at.t), (at.a, &at.lambda[rows.clone()]));
            let along = self.along_by::<D>(time, |i| seen.q(i), |i| seen.v(i), held, |i| seen.number(i));
            out.scatter(seen.lane, &self.local, -1.0, &along.force);
            for (k, row) in rows.clone().enumerate() {
                out.acceleration[row][seen.lane] = along.acceleration[k];
                out.c[row][seen.lane] = along.c[k];
                out.rate[row][seen.lane] = along.rate[k];
            }
        }
    }
}
