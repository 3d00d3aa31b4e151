//! Several vectors side by side: what is done to one entry is done to all of them at once.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use nalgebra::SVector;

use super::panel::LANES;
use crate::scalar::Scalar;

/// The entries of as many vectors at one place.
pub type Lane = SVector<f64, LANES>;

/// A number, or one per lane: what is linear in it is written once, and computed for all lanes at once.
pub trait Weight:
    Copy
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<f64, Output = Self>
    + AddAssign
    + SubAssign
{
    /// Numbers that it consists of.
    const COUNT: usize;

    /// Nothing.
    fn zero() -> Self;

    /// By its numbers.
    fn by_lane(entry: impl FnMut(usize) -> f64) -> Self;

    /// One of its numbers, without derivatives.
    fn lane(&self, lane: usize) -> f64;

    /// Changes one of its numbers.
    fn set_lane(&mut self, lane: usize, value: f64);

    /// Whether all its numbers are zero.
    fn is_nothing(&self) -> bool {
        (0..Self::COUNT).all(|lane| self.lane(lane) == 0.0)
    }
}

impl<S: Scalar> Weight for S {
    const COUNT: usize = 1;

    #[inline]
    fn zero() -> Self {
        Self::from(0.0)
    }

    #[inline]
    fn by_lane(mut entry: impl FnMut(usize) -> f64) -> Self {
        Self::from(entry(0))
    }

    #[inline]
    fn lane(&self, _: usize) -> f64 {
        self.re()
    }

    #[inline]
    fn set_lane(&mut self, _: usize, value: f64) {
        *self = Self::from(value);
    }
}

impl Weight for Lane {
    const COUNT: usize = LANES;

    #[inline]
    fn zero() -> Self {
        Self::zeros()
    }

    #[inline]
    fn by_lane(mut entry: impl FnMut(usize) -> f64) -> Self {
        Self::from_fn(|lane, _| entry(lane))
    }

    #[inline]
    fn lane(&self, lane: usize) -> f64 {
        self[lane]
    }

    #[inline]
    fn set_lane(&mut self, lane: usize, value: f64) {
        self[lane] = value;
    }
}

/// Lists of equal length four by four; lanes without a list are zero.
pub fn lanes<L: AsRef<[f64]>>(lists: &[L]) -> Vec<Vec<Lane>> {
    let groups = lists.chunks(LANES).map(|group| {
        let entry = |i: usize| Lane::from_fn(|lane, _| group.get(lane).map_or(0.0, |list| list.as_ref()[i]));
        (0..group[0].as_ref().len()).map(entry).collect()
    });
    groups.collect()
}

/// Writes up to four blocks of as many entries to lanes; those without a block are zero.
pub fn load_lanes(blocks: &[f64], out: &mut [Lane]) {
    out.fill(Lane::zeros());
    for (lane, block) in blocks.chunks_exact(out.len().max(1)).enumerate() {
        for (slot, value) in out.iter_mut().zip(block) {
            slot[lane] = *value;
        }
    }
}

/// Writes lanes to as many blocks as there are.
pub fn store_lanes(lanes: &[Lane], blocks: &mut [f64]) {
    for (lane, block) in blocks.chunks_exact_mut(lanes.len().max(1)).enumerate() {
        for (slot, value) in block.iter_mut().zip(lanes) {
            *slot = value[lane];
        }
    }
}
