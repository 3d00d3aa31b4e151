//! Factorisations on preallocated slices, for the hot paths of the formulations: small dense ones, and sparse ones.

mod block_ldl;
mod block_lu;
mod cholesky;
mod circuits;
mod descriptor;
mod entries;
mod frozen;
mod householder;
mod lanes;
mod lent;
mod lu;
mod panel;
mod selection;
mod shifted;
mod sparse;

#[cfg(test)]
mod tests;

pub use block_ldl::{BlockLdl, FactorPattern, Indefinite, Over, Scratch, Unknown};
pub use cholesky::Cholesky;
pub use circuits::{CLEARLY, COMPARABLE, circuits_of};
pub use descriptor::{Descriptor, Form};
pub use entries::Entries;
pub use frozen::{Frozen, product};
pub use householder::{Householder, add_scaled_blocks, dot_blocks};
pub use lanes::{Lane, Weight, lanes, load_lanes, store_lanes};
pub use lent::Lent;
pub use lu::Lu;
pub use panel::{Block, LANES, blocks, dot_column, dot_panel, padded, panel_rows};
pub use selection::{MANY, in_units, independent_rows, independent_rows_after, independent_rows_of};
pub use shifted::Shifted;
pub use sparse::{Row, Sparse};

/// Updates each entry of `y` by the entry of `x` at its place; both have one length.
#[inline(always)]
pub fn pairs<Y, X>(y: &mut [Y], x: &[X], update: impl FnMut(&mut Y, &X)) {
    debug_assert_eq!(y.len(), x.len());
    pairs_within(y, x, update);
}

/// Updates each entry of `y` by the entry of `x` at its place, as far as both go: lists in longer or padded arrays.
///
/// Always inlined, unlike the iterators of the standard library, whose parts the daily build compiles once for a whole crate: in
/// loops over a few entries their calls cost as much as the work, a fifth of a gradient of the five-bar. Over all crates at
/// once, as users get it, either takes the same instructions.
#[inline(always)]
pub fn pairs_within<Y, X>(y: &mut [Y], x: &[X], mut update: impl FnMut(&mut Y, &X)) {
    let n = y.len().min(x.len());
    let (y, x) = (&mut y[..n], &x[..n]);
    for i in 0..n {
        update(&mut y[i], &x[i]);
    }
}

/// Scalar product of two slices of equal length.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut sum = 0.0;
    for i in 0..n {
        sum += a[i] * b[i];
    }
    sum
}

/// y += factor x, for slices of equal length.
#[inline]
pub fn add_scaled(y: &mut [f64], factor: f64, x: &[f64]) {
    pairs(y, x, |y, x| *y += factor * x);
}

/// Largest absolute value; NaN if any entry is.
#[inline]
pub fn max_abs(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |most, x| if x.abs() > most || x.is_nan() { x.abs() } else { most })
}
