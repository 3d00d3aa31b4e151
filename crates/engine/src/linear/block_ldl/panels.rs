//! Elimination of one panel, and the sweeps of a solution through it. Small panels have constant sizes, so that their loops
//! are straight lines.

/// Calls a function with constant sizes where the panel is small.
macro_rules! by_size {
    ($k:expr, $u:expr, $small:ident $arguments:tt, $any:expr) => {
        by_size!(@ $k, $u, $small $arguments, $any,
            (1, 0) (1, 1) (1, 2) (1, 3) (1, 4) (1, 5) (1, 6)
            (2, 0) (2, 1) (2, 2) (2, 3) (2, 4) (2, 5) (2, 6)
            (3, 0) (3, 1) (3, 2) (3, 3) (3, 4) (3, 5) (3, 6)
            (4, 0) (4, 1) (4, 2) (4, 3) (4, 4) (4, 5) (4, 6)
            (5, 0) (5, 1) (5, 2) (5, 3) (5, 4) (5, 5) (5, 6)
            (6, 0) (6, 1) (6, 2) (6, 3) (6, 4) (6, 5) (6, 6))
    };
    (@ $k:expr, $u:expr, $small:ident $arguments:tt, $any:expr, $(($ck:literal, $cu:literal))*) => {
        match ($k, $u) {
            $(($ck, $cu) => $small::<$ck, $cu> $arguments,)*
            _ => $any,
        }
    };
}
pub(super) use by_size;

use crate::linear::pairs_within;
use crate::scalar::Scalar;

/// Whether the elimination of such a panel has constant sizes.
pub(super) fn is_unrolled(k: usize, u: usize) -> bool {
    k <= 6 && u <= 12
}

/// The part within a panel: its columns over the pivots go to `scaled`.
// Loops over indices of constant sizes become straight lines.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
fn eliminate_within<const K: usize, const U: usize>(
    top: &mut [[f64; K]],
    plain: &mut [[f64; U]; K],
    scaled: &mut [[f64; U]; K],
) {
    for j in 0..K {
        let inverse = 1.0 / top[j][j];
        top[j][j] = inverse;
        for i in j + 1..K {
            let factor = top[i][j] * inverse;
            for c in j + 1..=i {
                top[i][c] -= factor * top[c][j];
            }
            for row in 0..U {
                plain[i][row] -= factor * plain[j][row];
            }
        }
        for i in j + 1..K {
            top[i][j] *= inverse;
        }
        for row in 0..U {
            scaled[j][row] = plain[j][row] * inverse;
        }
    }
}

/// Factors a panel in place and subtracts its update from later entries, which begin at `base`. The inverse pivots end up on its
/// diagonal.
// Loops over indices of constant sizes become straight lines.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
pub(super) fn eliminate_small<const K: usize, const U: usize>(
    panel: &mut [f64],
    later: &mut [f64],
    base: usize,
    updates: &[u32],
) {
    let (top, sub) = panel.split_at_mut(K * K);
    let (top, sub) = (&mut top.as_chunks_mut::<K>().0[..K], &mut sub[..K * U]);
    let mut scaled = [[0.0; U]; K];
    let mut plain = [[0.0; U]; K];
    for j in 0..K {
        plain[j].copy_from_slice(&sub[j * U..(j + 1) * U]);
    }
    eliminate_within(top, &mut plain, &mut scaled);
    for j in 0..K {
        sub[j * U..(j + 1) * U].copy_from_slice(&scaled[j]);
    }
    let mut entry = 0;
    for row in 0..U {
        for column in 0..=row {
            let mut sum = 0.0;
            for j in 0..K {
                sum += scaled[j][row] * plain[j][column];
            }
            later[updates[entry] as usize - base] -= sum;
            entry += 1;
        }
    }
}

/// The same with room for up to U coupled unknowns, which are padded by zeros.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
fn eliminate_padded<const K: usize, const U: usize>(
    u: usize,
    panel: &mut [f64],
    later: &mut [f64],
    base: usize,
    updates: &[u32],
) {
    let (top, sub) = panel.split_at_mut(K * K);
    let top = &mut top.as_chunks_mut::<K>().0[..K];
    let (mut plain, mut scaled) = ([[0.0; U]; K], [[0.0; U]; K]);
    for (plain, sub) in plain.iter_mut().zip(sub.chunks_exact(u)) {
        pairs_within(plain, sub, |slot, value| *slot = *value);
    }
    eliminate_within(top, &mut plain, &mut scaled);
    for (sub, scaled) in sub.chunks_exact_mut(u).zip(&scaled) {
        pairs_within(sub, scaled, |slot, value| *slot = *value);
    }
    let mut entry = 0;
    for row in 0..u {
        let mut sums = [0.0; U];
        for j in 0..K {
            let factor = scaled[j][row];
            for column in 0..U {
                sums[column] += factor * plain[j][column];
            }
        }
        for (sum, &slot) in sums[..=row].iter().zip(&updates[entry..]) {
            later[slot as usize - base] -= sum;
        }
        entry += row + 1;
    }
}

/// Calls the padded elimination where the panel fits.
macro_rules! by_room {
    ($k:expr, $u:expr, $arguments:tt, $any:expr) => {
        by_room!(@ $k, $u, $arguments, $any, (1, 2, 8) (2, 2, 8) (3, 2, 8) (4, 2, 8) (5, 2, 8) (6, 2, 8)
            (1, 3, 12) (2, 3, 12) (3, 3, 12) (4, 3, 12) (5, 3, 12) (6, 3, 12))
    };
    (@ $k:expr, $u:expr, $arguments:tt, $any:expr, $(($ck:literal, $fours:literal, $cu:literal))*) => {
        match ($k, usize::div_ceil($u, 4)) {
            $(($ck, $fours) => eliminate_padded::<$ck, $cu> $arguments,)*
            _ => $any,
        }
    };
}

/// The same for any size; `plain` has room for k u entries and `sums` for u.
pub(super) fn eliminate(
    (k, u): (usize, usize),
    panel: &mut [f64],
    later: &mut [f64],
    base: usize,
    updates: &[u32],
    plain: &mut [f64],
    sums: &mut [f64],
) {
    by_room!(
        k,
        u,
        (u, panel, later, base, updates),
        eliminate_any((k, u), panel, later, base, updates, plain, sums)
    );
}

fn eliminate_any(
    (k, u): (usize, usize),
    panel: &mut [f64],
    later: &mut [f64],
    base: usize,
    updates: &[u32],
    plain: &mut [f64],
    sums: &mut [f64],
) {
    let (top, sub) = panel.split_at_mut(k * k);
    for j in 0..k {
        let inverse = 1.0 / top[j * k + j];
        top[j * k + j] = inverse;
        let (done, rest) = sub.split_at_mut((j + 1) * u);
        let column = &mut done[j * u..];
        for i in j + 1..k {
            let factor = top[i * k + j] * inverse;
            if factor == 0.0 {
                continue;
            }
            for c in j + 1..=i {
                top[i * k + c] -= factor * top[c * k + j];
            }
            let other = &mut rest[(i - j - 1) * u..][..u];
            other.iter_mut().zip(&*column).for_each(|(x, y)| *x -= factor * y);
        }
        for i in j + 1..k {
            top[i * k + j] *= inverse;
        }
        for (plain, x) in plain[j * u..][..u].iter_mut().zip(column) {
            *plain = *x;
            *x *= inverse;
        }
    }
    let mut entry = 0;
    for row in 0..u {
        let sums = &mut sums[..=row];
        sums.fill(0.0);
        for j in 0..k {
            let factor = sub[j * u + row];
            let column = &plain[j * u..][..=row];
            sums.iter_mut().zip(column).for_each(|(sum, y)| *sum += factor * y);
        }
        for (sum, &slot) in sums.iter().zip(&updates[entry..]) {
            later[slot as usize - base] -= sum;
        }
        entry += row + 1;
    }
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
        crate::scalar::each(|lane| self[lane] - factor * other[lane])
    }

    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        crate::scalar::each(|lane| self[lane] * factor)
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
        by_size!(self.k, self.below.len(), forward(self, x), self.forward_any(x, sums));
    }

    /// x <- L^-T D^-1 x, likewise.
    pub fn backward<T: Unknown>(self, x: &mut [T], sums: &mut [T]) {
        by_size!(self.k, self.below.len(), backward(self, x), self.backward_any(x, sums));
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
    let (top, sub) = (&panel.entries[..K * K], &panel.entries[K * K..][..K * U]);
    let mut own = [x[panel.at]; K];
    own.copy_from_slice(&x[panel.at..panel.at + K]);
    for i in 1..K {
        for j in 0..i {
            own[i] = own[i].less(top[i * K + j], own[j]);
        }
    }
    x[panel.at..panel.at + K].copy_from_slice(&own);
    for (i, &place) in panel.below[..U].iter().enumerate() {
        let mut value = x[place as usize];
        for j in 0..K {
            value = value.less(sub[j * U + i], own[j]);
        }
        x[place as usize] = value;
    }
}

#[inline(always)]
fn backward<const K: usize, const U: usize>(panel: Panel, x: &mut [impl Unknown]) {
    let (top, sub) = (&panel.entries[..K * K], &panel.entries[K * K..][..K * U]);
    let mut own = [x[panel.at]; K];
    for j in 0..K {
        own[j] = x[panel.at + j].times(top[j * K + j]);
    }
    for (i, &place) in panel.below[..U].iter().enumerate() {
        let value = x[place as usize];
        for j in 0..K {
            own[j] = own[j].less(sub[j * U + i], value);
        }
    }
    for i in (1..K).rev() {
        for j in 0..i {
            own[j] = own[j].less(top[i * K + j], own[i]);
        }
    }
    x[panel.at..panel.at + K].copy_from_slice(&own);
}
