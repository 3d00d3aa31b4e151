//! What takes part in a stage of an impact, what it can do, and what becomes of it (theory, 4.11).

use super::independent::Line;
use super::stage::Along;
use crate::linear::Entries;

/// What a contact does in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Does {
    /// Whether its rate is prescribed; else its impulse is.
    pub(super) held: bool,
    /// Direction of slip, in space one; zero where it sticks.
    pub(super) slip: i8,
}

impl Does {
    /// Whether it slips.
    pub(super) fn slips(self) -> bool {
        self.slip != 0
    }

    /// What a joint does along its freedom.
    pub(super) fn along_joint(self) -> Along {
        match self.slip {
            0 => Along::Stick(None),
            slip => Along::Slip(slip),
        }
    }
}

/// A contact that may take an impulse.
pub(super) struct Joining {
    pub(super) contact: usize,
    pub(super) friction: Option<usize>,
    /// Number: coefficient of restitution; none where nothing comes back.
    pub(super) restitution: Option<usize>,
    pub(super) e: f64,
    pub(super) coefficient: f64,
    /// Number of the law and value: share of the slip that comes back.
    pub(super) tangential: Option<usize>,
    pub(super) share: f64,
    /// Directions along the surface, one in the plane.
    pub(super) directions: usize,
    /// Of the gap and along the surface.
    pub(super) rows: [Entries<f64>; 3],
    /// Rates of the gap and slip velocities of what is at rest.
    pub(super) offsets: [f64; 3],
    /// The first contact on its face.
    pub(super) face: usize,
    /// The first contact on its face, with which it may share what presses there.
    pub(super) floor: usize,
    /// In space: where it touches, by the tangents.
    pub(super) place: [f64; 2],
    /// Whether it holds whatever that takes.
    pub(super) stops: bool,
    /// What unit impulses along the rows do to the velocities.
    pub(super) responses: [Vec<f64>; 3],
    /// And to the impulses of the rows that hold.
    pub(super) carried: [Vec<f64>; 3],
}

impl Joining {
    /// How it slips in the direction of the first tangent; in space its direction is sought.
    pub(super) fn sign(&self, along: f64) -> i8 {
        if along < 0.0 && self.directions == 1 { -1 } else { 1 }
    }

    /// Largest of the terms that the slip velocities consist of.
    pub(super) fn terms(&self, v: &[f64]) -> f64 {
        let of_rows = self.rows[1..].iter().flat_map(Entries::iter);
        let terms = of_rows.map(|(i, entry)| (entry * v[i]).abs());
        terms
            .chain(self.offsets[1..].iter().map(|offset| offset.abs()))
            .fold(0.0, f64::max)
    }

    /// Normal velocity for a unit of normal impulse.
    pub(super) fn response(&self) -> f64 {
        self.rows[0].dot(&self.responses[0]).max(f64::MIN_POSITIVE)
    }

    /// A row with what its impulse does to the velocities.
    pub(super) fn line(&self, direction: usize) -> Line<'_> {
        (&self.rows[direction], &self.responses[direction])
    }

    /// Rates of gap and slip.
    pub(super) fn rates(&self, v: &[f64]) -> [f64; 3] {
        [0, 1, 2].map(|k| self.rows[k].dot(v) + self.offsets[k])
    }
}

/// What a stage asks of the normal direction.
pub(super) enum Kind<'a> {
    Compression,
    Newton,
    /// After the compression, with its normal impulses.
    Expansion(&'a [f64]),
}

/// Velocities and impulses, normal and along the surface, of a stage.
pub(super) struct Outcome {
    pub(super) v: Vec<f64>,
    /// Normal impulses along the rows that carry; those of the contacts are what these share.
    pub(super) taken: Vec<f64>,
    /// Whether each contact takes one of its own.
    pub(super) takes: Vec<bool>,
    /// What contacts would take that do not hold, where others on their face hold them too.
    pub(super) would_take: Vec<Option<f64>>,
    pub(super) impulses: Vec<[f64; 3]>,
    pub(super) bilateral: Vec<f64>,
    /// Joints that stick and take nothing, as other rows that hold imply it.
    pub(super) spare: Vec<bool>,
    /// What of the slip velocities, in space of those of the joints, is rounding.
    pub(super) noise: Vec<f64>,
}
