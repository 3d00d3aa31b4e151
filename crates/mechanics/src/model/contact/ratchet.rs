//! Ratchets: contacts whose limit is the farthest place that has been reached, with or without teeth.

use crate::model::local::Local;
use crate::model::measure::Measure;
use crate::scalar::Scalar;

/// Part of a pitch by which a pawl may lie short of a tooth and still hold there: the rounding of an assembly.
const ON_TOOTH: f64 = 1e-9;

/// What makes a contact a ratchet, in its own local indices.
#[derive(Clone, Debug)]
pub struct Ratchet {
    /// Global indices.
    pub local: Local,
    /// What moves one way.
    pub measure: Measure,
    /// +1: upwards, -1: downwards.
    pub sign: f64,
    /// The memory slot of the place that is held.
    pub slot: usize,
    /// Number (memory): the place that is held.
    pub held: usize,
    /// The teeth; it holds anywhere without.
    pub teeth: Option<Teeth>,
}

/// The teeth of a ratchet; local numbers.
#[derive(Clone, Copy, Debug)]
pub struct Teeth {
    /// Number: distance of neighbours.
    pub pitch: usize,
    /// Number: place of one of them.
    pub place: usize,
}

impl Ratchet {
    /// Where it is.
    pub fn place<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> S {
        self.measure.value::<S, D>(q, numbers)
    }

    /// Speed in the direction in which it lets go.
    pub fn advance<S: Scalar, const D: usize>(&self, q: &[S], v: &[S], numbers: &[S]) -> S {
        self.measure.rate::<S, D>(q, v, numbers) * self.sign
    }

    /// The place that it holds when it begins to act: where it is, or the last tooth behind.
    pub fn catch<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> S {
        let at = self.place::<S, D>(q, numbers);
        let Some(teeth) = self.teeth else { return at };
        let (pitch, place) = (numbers[teeth.pitch], numbers[teeth.place]);
        let count = ((at.re() - place.re()) * self.sign / pitch.re() + ON_TOOTH).floor();
        place + pitch * (self.sign * count)
    }

    /// The tooth after the one that is held; where it is without teeth.
    pub fn next<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> S {
        match self.teeth {
            Some(teeth) => numbers[self.held] + numbers[teeth.pitch] * self.sign,
            None => self.place::<S, D>(q, numbers),
        }
    }

    /// How far the next tooth is ahead.
    pub fn ahead<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> S {
        (self.next::<S, D>(q, numbers) - self.place::<S, D>(q, numbers)) * self.sign
    }
}
