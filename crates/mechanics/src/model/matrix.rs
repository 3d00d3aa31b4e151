//! Matrices of the equations of motion, M and C, behind what a sparse one offers as well.

use crate::linear::{dot, max_abs};

/// A matrix by rows; how its entries are stored is known here alone.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    width: usize,
    entries: Vec<f64>,
    /// Sizes of what the columns belong to, by which entries of a row can be compared.
    units: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, width: usize) -> Self {
        Self {
            width,
            entries: vec![0.0; rows * width],
            units: vec![1.0; width],
        }
    }

    /// The matrix with these sizes of its columns.
    pub fn with_units(mut self, units: &[f64]) -> Self {
        self.units.copy_from_slice(units);
        self
    }

    /// Sizes of what the columns belong to, by which entries of a row can be compared.
    pub fn units(&self) -> &[f64] {
        &self.units
    }

    /// The n x n unit matrix.
    pub fn identity(n: usize) -> Self {
        let mut unit = Self::zeros(n, n);
        unit.entries.iter_mut().step_by(n + 1).for_each(|entry| *entry = 1.0);
        unit
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// A row.
    #[inline]
    pub fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.width..][..self.width]
    }

    /// The first rows.
    pub fn first_rows(&self, count: usize) -> impl Iterator<Item = &[f64]> {
        (0..count).map(|row| self.row(row))
    }

    /// The rows of these indices.
    pub fn rows<'a>(&'a self, rows: &'a [usize]) -> impl ExactSizeIterator<Item = &'a [f64]> + Clone {
        rows.iter().map(|&row| self.row(row))
    }

    /// Entries of the product with a vector, row by row.
    pub fn times<'a>(&'a self, x: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.entries.chunks_exact(self.width.max(1)).map(move |row| dot(row, x))
    }

    /// Largest magnitude of an entry; NaN if any entry is.
    pub fn max_abs(&self) -> f64 {
        max_abs(&self.entries)
    }

    /// Largest magnitude in a row, and the smallest positive number in one of zeros: what residuals are measured by.
    pub fn row_size(&self, row: usize) -> f64 {
        max_abs(self.row(row)).max(f64::MIN_POSITIVE)
    }

    /// Takes over the entries of a matrix of the same shape.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.entries.copy_from_slice(&other.entries);
    }

    /// Adds to an entry.
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.entries[row * self.width + column] += value;
    }

    /// Sets the first rows to zero.
    pub(super) fn clear_rows(&mut self, count: usize) {
        self.entries[..count * self.width].fill(0.0);
    }

    /// A row to be written.
    #[inline]
    pub(super) fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.entries[row * self.width..][..self.width]
    }
}
