//! Elimination of one panel. Small panels have constant sizes, so that their loops are straight lines.

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
use crate::scalar::each;

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
        let places = (base, &updates[entry..=entry + row]);
        let factors = each(|j| scaled[j][row]);
        match row / 4 {
            0 => subtract_row::<K, U, 4>(factors, &plain, later, places),
            1 => subtract_row::<K, U, 8>(factors, &plain, later, places),
            _ => subtract_row::<K, U, U>(factors, &plain, later, places),
        }
        entry += row + 1;
    }
}

/// Subtracts a row of the update, of which at least as many entries as have a place, up to W, are computed.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
fn subtract_row<const K: usize, const U: usize, const W: usize>(
    factors: [f64; K],
    plain: &[[f64; U]; K],
    later: &mut [f64],
    (base, places): (usize, &[u32]),
) {
    let mut sums = [0.0; W];
    for j in 0..K {
        for column in 0..W {
            sums[column] += factors[j] * plain[j][column];
        }
    }
    for (sum, &slot) in sums.iter().zip(places) {
        later[slot as usize - base] -= sum;
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
