//! Directions, what elements see of them, and the derivatives along them.

use crate::linear::{LANES, Lane};
use crate::model::attitude::Attitudes;
use crate::model::local::Local;
use crate::model::marker::Base;
use crate::model::residual::Instant;
use crate::scalar::{Dual64, each};

/// Directions with time held.
#[derive(Clone, Copy, Debug)]
pub struct Directions<'a> {
    /// dq at the indices of the velocities (nv): of bodies in space how they turn about their axes.
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

    /// Change of a place.
    #[inline]
    pub fn place<const D: usize>(&self, base: Base) -> [Lane; D] {
        match base {
            Base::Ground(place) => each(|k| self.number(place[k])),
            Base::Point(place) => each(|k| self.q[place[k]]),
        }
    }

    /// Change of the velocity of a place.
    #[inline]
    pub fn velocity<const D: usize>(&self, base: Base) -> [Lane; D] {
        match base {
            Base::Ground(_) => [Lane::zeros(); D],
            Base::Point(place) => each(|k| self.v[place[k]]),
        }
    }

    /// Whether a direction changes anything that an element sees.
    pub fn touches(&self, lane: usize, local: &Local) -> bool {
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
    /// Scratch: d(c_t).
    pub(super) drift: Vec<Lane>,
    /// Scratch: bodies in space.
    pub(super) attitudes: Option<Attitudes>,
}

impl ResidualLanes {
    /// Zeros of this size.
    pub fn clear(&mut self, nv: usize, rows: usize) {
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

    /// Adds a force at a place.
    #[inline]
    pub fn push<const D: usize>(&mut self, base: Base, force: [Lane; D]) {
        if let Base::Point(place) = base {
            for k in 0..D {
                self.force[place[k]] += force[k];
            }
        }
    }

    /// Adds sign times the local forces of an element along one direction.
    pub fn scatter(&mut self, lane: usize, local: &Local, sign: f64, force: &[f64]) {
        for (&i, value) in local.coordinates.iter().zip(force) {
            self.force[i][lane] += sign * value;
        }
    }
}

/// An instant with its numbers and directions, by the model's indices.
#[derive(Clone, Copy, Debug)]
pub struct Along<'a> {
    /// The state.
    pub at: &'a Instant<'a>,
    /// Numbers, then memory.
    pub numbers: &'a [f64],
    /// What changes.
    pub directions: &'a Directions<'a>,
}

/// What an element sees of it along one direction.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    along: &'a Along<'a>,
    /// Which of the directions.
    pub lane: usize,
}

impl<'a> Seen<'a> {
    /// Those directions that change anything that an element sees.
    pub fn all(local: &Local, along: &'a Along<'a>) -> impl Iterator<Item = Self> {
        let lanes = (0..LANES).filter(move |&lane| along.directions.touches(lane, local));
        lanes.map(move |lane| Self { along, lane })
    }

    pub fn q(&self, i: usize) -> Dual64 {
        Dual64::new(self.along.at.q[i], self.along.directions.q[i][self.lane])
    }

    pub fn v(&self, i: usize) -> Dual64 {
        Dual64::new(self.along.at.v[i], self.along.directions.v[i][self.lane])
    }

    pub fn number(&self, i: usize) -> Dual64 {
        Dual64::new(self.along.numbers[i], self.along.directions.number(i)[self.lane])
    }
}
