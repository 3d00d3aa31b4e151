//! Small dense factorisations on preallocated slices, for the hot paths of the formulations.

mod cholesky;
mod frozen;
mod householder;
mod lu;
mod panel;
mod selection;
mod sparse_rows;

#[cfg(test)]
mod tests;

pub use cholesky::Cholesky;
pub use frozen::{Frozen, product};
pub use householder::{Householder, add_scaled_blocks, dot_blocks};
pub use lu::Lu;
pub use panel::{Block, blocks, dot_column, dot_panel, padded, panel_rows};
pub use selection::{independent_rows, independent_rows_after};
pub use sparse_rows::SparseRows;

/// Scalar product of two slices of equal length.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// y += factor x.
pub fn add_scaled(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}

/// Largest absolute value; NaN if any entry is.
pub fn max_abs(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |most, x| if x.abs() > most || x.is_nan() { x.abs() } else { most })
}
