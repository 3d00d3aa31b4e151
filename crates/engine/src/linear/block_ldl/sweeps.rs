//! The sweeps of a solution through a factored panel.

use super::panels::by_size;
use crate::scalar::{Scalar, each};

/// Calls a function with a constant number of pivots where that is small.
macro_rules! by_pivots {
    ($k:expr, $few:ident $arguments:tt, $any:expr) => {
        match $k {
            1 => $few::<1> $arguments,
            2 => $few::<2> $arguments,
            3 => $few::<3> $arguments,
            4 => $few::<4> $arguments,
            5 => $few::<5> $arguments,
            6 => $few::<6> $arguments,
            _ => $any,
        }
    };
}

/// What solutions consist of at one unknown: a number of each right-hand side.
pub trait Unknown: Copy {
    /// self - factor other.
    fn less(self, factor: f64, other: Self) -> Self;
    /// factor self.
    fn times(self, factor: f64) -> Self;
}

impl<const N: usize> Unknown for [f64; N] {
    #[inline(always)]
    fn less(self, factor: f64, other: Self) -> Self {
        each(|lane| self[lane] - factor * other[lane])
    }

    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        each(|lane| self[lane] * factor)
    }
}

/// A number over any scalar.
#[derive(Clone, Copy, Debug)]
pub struct Over<S>(pub S);

impl<S: Scalar> Unknown for Over<S> {
    fn less(self, factor: f64, other: Self) -> Self {
        Self(self.0 - other.0 * factor)
    }

    fn times(self, factor: f64) -> Self {
        Self(self.0 * factor)
    }
}

/// A factored panel: k unknowns from `at` on, and what they are coupled with.
#[derive(Clone, Copy)]
pub(super) struct Panel<'a> {
    pub at: usize,
    pub k: usize,
    /// k x k entries by rows, then k columns with an entry for each coupled unknown.
    pub entries: &'a [f64],
    /// Coupled unknowns.
    pub below: &'a [u32],
}

impl Panel<'_> {
    /// x <- L^-1 x, the part of this panel; `sums` has room for the coupled unknowns.
    pub fn forward<T: Unknown>(self, x: &mut [T], sums: &mut [T]) {
        let any = |x, sums| by_pivots!(self.k, forward_few(self, x), self.forward_any(x, sums));
        by_size!(self.k, self.below.len(), forward(self, x), any(x, sums));
    }

    /// x <- L^-T D^-1 x, likewise.
    pub fn backward<T: Unknown>(self, x: &mut [T], sums: &mut [T]) {
        let any = |x, sums| by_pivots!(self.k, backward_few(self, x), self.backward_any(x, sums));
        by_size!(self.k, self.below.len(), backward(self, x), any(x, sums));
    }

    /// The entries of the coupled unknowns.
    fn gather<'s, T: Unknown>(self, x: &[T], sums: &'s mut [T]) -> &'s mut [T] {
        let sums = &mut sums[..self.below.len()];
        for (sum, &place) in sums.iter_mut().zip(self.below) {
            *sum = x[place as usize];
        }
        sums
    }

    pub fn forward_any<T: Unknown>(self, x: &mut [T], sums: &mut [T]) {
        let (at, k, u) = (self.at, self.k, self.below.len());
        let (top, sub) = self.entries.split_at(k * k);
        let sums = self.gather(x, sums);
        for i in 0..k {
            let mut value = x[at + i];
            for j in 0..i {
                value = value.less(top[i * k + j], x[at + j]);
            }
            x[at + i] = value;
            for (sum, &factor) in sums.iter_mut().zip(&sub[i * u..][..u]) {
                *sum = sum.less(factor, value);
            }
        }
        for (sum, &place) in sums.iter().zip(self.below) {
            x[place as usize] = *sum;
        }
    }

    pub fn backward_any<T: Unknown>(self, x: &mut [T], sums: &mut [T]) {
        let (at, k, u) = (self.at, self.k, self.below.len());
        let (top, sub) = self.entries.split_at(k * k);
        let sums = self.gather(x, sums);
        for j in 0..k {
            let mut value = x[at + j].times(top[j * k + j]);
            for (sum, &factor) in sums.iter().zip(&sub[j * u..][..u]) {
                value = value.less(factor, *sum);
            }
            x[at + j] = value;
        }
        for i in (1..k).rev() {
            let value = x[at + i];
            for j in 0..i {
                x[at + j] = x[at + j].less(top[i * k + j], value);
            }
        }
    }
}

#[inline(always)]
fn forward<const K: usize, const U: usize>(panel: Panel, x: &mut [impl Unknown]) {
    let below = &panel.below[..U];
    forward_few::<K>(Panel { below, ..panel }, x);
}

#[inline(always)]
fn forward_few<const K: usize>(panel: Panel, x: &mut [impl Unknown]) {
    let u = panel.below.len();
    let (top, sub) = (&panel.entries[..K * K], &panel.entries[K * K..][..K * u]);
    let mut own = [x[panel.at]; K];
    own.copy_from_slice(&x[panel.at..panel.at + K]);
    for i in 1..K {
        for j in 0..i {
            own[i] = own[i].less(top[i * K + j], own[j]);
        }
    }
    x[panel.at..panel.at + K].copy_from_slice(&own);
    for (i, &place) in panel.below.iter().enumerate() {
        let mut value = x[place as usize];
        for j in 0..K {
            value = value.less(sub[j * u + i], own[j]);
        }
        x[place as usize] = value;
    }
}

#[inline(always)]
fn backward<const K: usize, const U: usize>(panel: Panel, x: &mut [impl Unknown]) {
    let below = &panel.below[..U];
    backward_few::<K>(Panel { below, ..panel }, x);
}

#[inline(always)]
fn backward_few<const K: usize>(panel: Panel, x: &mut [impl Unknown]) {
    let u = panel.below.len();
    let (top, sub) = (&panel.entries[..K * K], &panel.entries[K * K..][..K * u]);
    let mut own = [x[panel.at]; K];
    for j in 0..K {
        own[j] = x[panel.at + j].times(top[j * K + j]);
    }
    for (i, &place) in panel.below.iter().enumerate() {
        let value = x[place as usize];
        for j in 0..K {
            own[j] = own[j].less(sub[j * u + i], value);
        }
    }
    for i in (1..K).rev() {
        for j in 0..i {
            own[j] = own[j].less(top[i * K + j], own[i]);
        }
    }
    x[panel.at..panel.at + K].copy_from_slice(&own);
}
