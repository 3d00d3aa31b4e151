//! Velocities beside coordinates, and what lies between them: q' = Z(q) v.
//!
//! Rigid bodies in space have a quaternion among their coordinates and an angular velocity among their velocities; for
//! everything else Z is the identity. Elements know rates of coordinates only.

use super::{CoordinateKind, Model};

/// Coordinates of a rigid body in space: x, y, z of its origin, and its quaternion.
pub const POSE: usize = 7;

/// Velocities of a rigid body in space: of its origin in the ground frame, and angular ones in its own axes.
pub const TWIST: usize = 6;

/// A rigid body in space among the coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Coordinate: x of its origin; y, z and the quaternion follow, the scalar first.
    pub first: usize,
    /// Its angular velocity in its own axes.
    pub spin: [Spin; 3],
}

/// A component of an angular velocity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spin {
    /// Name such as `rotor.omega_x`.
    pub name: String,
    /// Number: the held initial value.
    pub held: Option<usize>,
}

/// A velocity v_j.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed<'a> {
    /// Name of the coordinate that it is the rate of, or its own.
    pub name: &'a str,
    /// Unit, per second.
    pub kind: CoordinateKind,
    /// Number: the held initial value.
    pub held: Option<usize>,
    /// Weight in the assembly.
    pub weight: f64,
}

impl Model {
    /// Number of coordinates nq.
    pub fn nq(&self) -> usize {
        self.coordinates.len()
    }

    /// Number of velocities nv: one less than coordinates for every quaternion.
    pub fn nv(&self) -> usize {
        self.coordinates.len() - self.frames.len()
    }

    /// The velocities in their order.
    pub fn speeds(&self) -> impl Iterator<Item = Speed<'_>> {
        (0..self.nv()).map(|j| self.speed(j))
    }

    /// The velocity of an index.
    pub fn speed(&self, j: usize) -> Speed<'_> {
        let of_coordinate = |i: usize| {
            let coordinate = &self.coordinates[i];
            Speed {
                name: &coordinate.name,
                kind: coordinate.kind,
                held: coordinate.velocity,
                weight: coordinate.weight,
            }
        };
        // Frames that begin at or before this velocity.
        let before = partition(self.frames.len(), |k| self.frames[k].first - k <= j);
        let Some(last) = before.checked_sub(1) else {
            return of_coordinate(j);
        };
        match j - (self.frames[last].first - last) {
            k @ 3..TWIST => {
                let spin = &self.frames[last].spin[k - 3];
                Speed {
                    name: &spin.name,
                    kind: CoordinateKind::Angle,
                    held: spin.held,
                    weight: 1.0,
                }
            }
            k if k < 3 => of_coordinate(j + last),
            _ => of_coordinate(j + before),
        }
    }

    /// Kinds of the coordinates.
    pub fn position_kinds(&self) -> impl Iterator<Item = CoordinateKind> {
        self.coordinates.iter().map(|coordinate| coordinate.kind)
    }

    /// Kinds of what the velocities are rates of.
    pub fn velocity_kinds(&self) -> impl Iterator<Item = CoordinateKind> {
        self.speeds().map(|speed| speed.kind)
    }

    /// The velocities that the rates of these coordinates are made of, without repetition.
    pub fn velocities_of(&self, coordinates: &[usize]) -> Vec<usize> {
        let mut found = Vec::with_capacity(coordinates.len());
        for &i in coordinates {
            for j in self.velocities_behind(i) {
                if !found.contains(&j) {
                    found.push(j);
                }
            }
        }
        found
    }

    /// The velocities that the rate of a coordinate is made of.
    pub fn velocities_behind(&self, i: usize) -> std::ops::Range<usize> {
        let before = self.frames.partition_point(|frame| frame.first <= i);
        let Some(last) = before.checked_sub(1) else {
            return i..i + 1;
        };
        let first = self.frames[last].first - last;
        match i - self.frames[last].first {
            k if k < 3 => first + k..first + k + 1,
            k if k < POSE => first + 3..first + TWIST,
            _ => i - before..i - before + 1,
        }
    }
}

/// The number of leading indices that a condition holds for.
fn partition(count: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
