//! Derivatives of the residual r = [M a - f - C^T lambda; C a + gamma] along several directions at once (theory, section 2).
//!
//! Bars, points, springs and distances between points are differentiated by hand, everything else by one pass with dual numbers
//! for each direction.

use super::body::{Bar, Body, BodyKind, Particle};
use super::constraint::Constraint;
use super::force::{Force, PointSpring, Stretched};
use super::joint::PointDistance;
use super::local::Local;
use super::marker::{Base, difference};
use super::residual::Instant;
use super::{Mode, Model, Terms};
use crate::linear::{LANES, Lane};
use crate::scalar::{Dual64, each, negated};

/// Directions with time held.
#[derive(Clone, Copy, Debug)]
pub struct Directions<'a> {
    /// dq (nq).
    pub q: &'a [Lane],
    /// dv (nv).
    pub v: &'a [Lane],
    /// d(numbers), without memory.
    pub numbers: &'a [Lane],
    /// d(memory).
    pub memory: &'a [Lane],
}

impl Directions<'_> {
    /// d(number), or of memory behind the numbers.
    #[inline]
    pub fn number(&self, i: usize) -> Lane {
        self.numbers
            .get(i)
            .copied()
            .unwrap_or_else(|| self.memory[i - self.numbers.len()])
    }

    #[inline]
    fn place<const D: usize>(&self, base: Base) -> [Lane; D] {
        match base {
            Base::Ground(place) => each(|k| self.number(place[k])),
            Base::Point(place) => each(|k| self.q[place[k]]),
        }
    }

    #[inline]
    fn velocity<const D: usize>(&self, base: Base) -> [Lane; D] {
        match base {
            Base::Ground(_) => [Lane::zeros(); D],
            Base::Point(place) => each(|k| self.v[place[k]]),
        }
    }

    /// Whether a direction changes anything that an element sees.
    fn touches(&self, lane: usize, local: &Local) -> bool {
        let moves = |&i: &usize| self.q[i][lane] != 0.0 || self.v[i][lane] != 0.0;
        local.coordinates.iter().any(moves) || local.numbers.iter().any(|&i| self.number(i)[lane] != 0.0)
    }
}

/// Derivatives with a and lambda held.
#[derive(Clone, Debug, Default)]
pub struct ResidualLanes {
    /// d(M a - f - C^T lambda), nv.
    pub force: Vec<Lane>,
    /// d(C a + gamma), one per row.
    pub acceleration: Vec<Lane>,
    /// dc, one per row.
    pub c: Vec<Lane>,
    /// d(c'), one per row.
    pub rate: Vec<Lane>,
}

impl ResidualLanes {
    fn clear(&mut self, nv: usize, rows: usize) {
        for (list, length) in [
            (&mut self.force, nv),
            (&mut self.acceleration, rows),
            (&mut self.c, rows),
            (&mut self.rate, rows),
        ] {
            list.clear();
            list.resize(length, Lane::zeros());
        }
    }

    #[inline]
    fn push<const D: usize>(&mut self, base: Base, force: [Lane; D]) {
        if let Base::Point(place) = base {
            for k in 0..D {
                self.force[place[k]] += force[k];
            }
        }
    }

    fn scatter(&mut self, lane: usize, local: &Local, sign: f64, force: &[f64]) {
        for (&i, value) in local.coordinates.iter().zip(force) {
            self.force[i][lane] += sign * value;
        }
    }
}

impl Model {
    /// Writes the derivatives at an instant; `terms` supplies the numbers, none of which follows the motion.
    pub fn residual_lanes(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        out.clear(self.nv(), mode.rows);
        in_dimension!(self.dimension, D => {
            for body in &self.bodies {
                body.add_lanes::<D>(at, at.a, &terms.numbers, directions, true, out);
            }
            for index in (0..self.forces.len()).filter(|&index| mode.force_acts(index)) {
                match terms.lines[index].as_ref().and_then(PointSpring::of) {
                    Some(spring) => spring.add_lanes::<D>(at, &terms.numbers, directions, out),
                    None => self.forces[index].add_lanes::<D>(at, &terms.numbers, directions, out),
                }
            }
            self.add_constraint_lanes::<D>(at, mode, terms, directions, out);
        })
    }

    /// Writes those of the constraints alone.
    pub fn constraint_lanes(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        out.clear(self.nv(), mode.rows);
        in_dimension!(self.dimension, D => self.add_constraint_lanes::<D>(at, mode, terms, directions, out))
    }

    /// Writes, for velocities u and multipliers w in the place of those of the instant, d(C) u to the rates and -d(C^T) w to the
    /// forces, with d(M) u too where `with_mass`; dv takes no part.
    pub fn matrix_lanes(
        &self,
        at: &Instant,
        (mode, terms): (&Mode, &Terms),
        directions: &Directions,
        with_mass: bool,
        out: &mut ResidualLanes,
    ) {
        out.clear(self.nv(), mode.rows);
        in_dimension!(self.dimension, D => {
            if with_mass {
                for body in &self.bodies {
                    body.add_lanes::<D>(at, at.v, &terms.numbers, directions, false, out);
                }
            }
            self.add_constraint_lanes::<D>(at, mode, terms, directions, out);
            // Without velocity the rate is c_t.
            let resting = Instant { v: &terms.still, ..*at };
            for (&index, &first) in mode.constraints.iter().zip(&mode.offsets).filter(|(i, _)| self.constraints[**i].rheonomic) {
                self.constraints[index].subtract_drift_lanes::<D>(&resting, &terms.numbers, first, directions, out);
            }
        })
    }

    fn add_constraint_lanes<const D: usize>(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            match &terms.distances[index] {
                Some(distance) => distance.add_lanes::<D>(at, &terms.numbers, first, directions, out),
                None => self.constraints[index].add_lanes::<D>(at, &terms.numbers, first, directions, out),
            }
        }
    }
}

/// What an element sees of an instant along one direction, by the model's indices.
#[derive(Clone, Copy)]
struct Seen<'a> {
    at: &'a Instant<'a>,
    numbers: &'a [f64],
    directions: &'a Directions<'a>,
    lane: usize,
}

impl<'a> Seen<'a> {
    /// Those directions that change anything that an element sees.
    fn all(
        local: &Local,
        at: &'a Instant<'a>,
        numbers: &'a [f64],
        directions: &'a Directions<'a>,
    ) -> impl Iterator<Item = Self> {
        let lanes = (0..LANES).filter(move |&lane| directions.touches(lane, local));
        lanes.map(move |lane| Self {
            at,
            numbers,
            directions,
            lane,
        })
    }

    fn q(&self, i: usize) -> Dual64 {
        Dual64::new(self.at.q[i], self.directions.q[i][self.lane])
    }

    fn v(&self, i: usize) -> Dual64 {
        Dual64::new(self.at.v[i], self.directions.v[i][self.lane])
    }

    fn number(&self, i: usize) -> Dual64 {
        Dual64::new(self.numbers[i], self.directions.number(i)[self.lane])
    }
}

impl Body {
    /// Adds d(M a), less d(weight and inertia forces) if `with_force`.
    fn add_lanes<const D: usize>(
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
            BodyKind::Rigid(_) => {
                for seen in Seen::all(local, at, numbers, directions) {
                    let parts = if with_force {
                        self.along::<D>(|i| seen.q(i), |i| seen.v(i), a, |i| seen.number(i))
                    } else {
                        self.momentum_along::<D>(|i| seen.q(i), a, |i| seen.number(i))
                    };
                    out.scatter(seen.lane, local, 1.0, &parts);
                }
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
            BodyKind::Rigid(_) => {}
        }
    }
}

impl Force {
    fn add_lanes<const D: usize>(
        &self,
        at: &Instant,
        numbers: &[f64],
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        for seen in Seen::all(&self.local, at, numbers, directions) {
            let time = Dual64::from(at.t);
            let force = self.along::<D>(time, |i| seen.q(i), |i| seen.v(i), |i| seen.number(i));
            out.scatter(seen.lane, &self.local, -1.0, &force);
        }
    }
}

impl Constraint {
    fn add_lanes<const D: usize>(
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

    /// Subtracts d(c_t) from the rates, which have velocities; `at` has none.
    fn subtract_drift_lanes<const D: usize>(
        &self,
        at: &Instant,
        numbers: &[f64],
        first: usize,
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        for seen in Seen::all(&self.local, at, numbers, directions) {
            let (time, held) = (Dual64::from(at.t), (at.a, &at.lambda[first..first]));
            let along = self.along_by::<D>(time, |i| seen.q(i), |i| seen.v(i), held, |i| seen.number(i));
            for k in 0..self.rows {
                out.rate[first + k][seen.lane] -= along.rate[k];
            }
        }
    }
}

impl PointSpring {
    /// By hand: the force is T u at the first end, -T u at the second.
    fn add_lanes<const D: usize>(
        &self,
        at: &Instant,
        numbers: &[f64],
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        let Stretched {
            relative,
            length,
            u,
            rate,
            stretch,
            k,
            c,
        } = self.stretched::<D>(at.q, at.v, numbers);
        let moved: [Lane; D] = less(directions.place(self.b), directions.place(self.a));
        let faster: [Lane; D] = less(directions.velocity(self.b), directions.velocity(self.a));
        let longer = along(u, moved);
        let turned: [Lane; D] = each(|i| (moved[i] - longer * u[i]) / length);
        let tension = directions.number(self.stiffness) * stretch
            + (longer - directions.number(self.natural)) * k
            + directions.number(self.damping) * rate
            + (along(relative, turned) + along(u, faster)) * c;
        let pull: [Lane; D] = each(|i| tension * u[i] + turned[i] * (k * stretch + c * rate));
        out.push(self.a, negated(pull));
        out.push(self.b, pull);
    }
}

impl PointDistance {
    /// By hand for c = |d|^2 - L^2: C^T lambda = 2 lambda d at b, C a + gamma = 2 d.d'' + 2 d'.d', c' = 2 d.d'.
    fn add_lanes<const D: usize>(
        &self,
        at: &Instant,
        numbers: &[f64],
        row: usize,
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        let (a, b) = self.ends();
        let d: [f64; D] = difference(a.position(at.q, numbers), b.position(at.q, numbers));
        let rate: [f64; D] = difference(a.velocity(at.v), b.velocity(at.v));
        let acceleration: [f64; D] = difference(a.velocity(at.a), b.velocity(at.a));
        let moved: [Lane; D] = less(directions.place(b), directions.place(a));
        let faster: [Lane; D] = less(directions.velocity(b), directions.velocity(a));
        let length = self.length();
        out.c[row] = (along(d, moved) - directions.number(length) * numbers[length]) * 2.0;
        out.rate[row] = (along(rate, moved) + along(d, faster)) * 2.0;
        out.acceleration[row] = along(acceleration, moved) * 2.0 + along(rate, faster) * 4.0;
        let force = each::<_, D>(|k| moved[k] * (2.0 * at.lambda[row]));
        out.push(a, force);
        out.push(b, negated(force));
    }
}

fn less<const D: usize>(a: [Lane; D], b: [Lane; D]) -> [Lane; D] {
    each(|k| a[k] - b[k])
}

/// Scalar product of a vector with the vectors of several directions.
#[inline]
fn along<const D: usize>(x: [f64; D], lanes: [Lane; D]) -> Lane {
    let mut sum = lanes[0] * x[0];
    for k in 1..D {
        sum += lanes[k] * x[k];
    }
    sum
}
