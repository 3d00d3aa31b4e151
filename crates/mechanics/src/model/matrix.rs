//! Matrices of the equations of motion, M and C, without their zeros.

use std::ops::Deref;

use super::Model;
use crate::linear::{Row, Sparse};

/// A matrix by rows, with the sizes of what its columns belong to.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    entries: Sparse,
    /// Sizes of what the columns belong to, by which entries of a row can be compared.
    units: Vec<f64>,
    /// Of C: the constraints whose rows have their columns, and how many rows of these have been asked for.
    constraints: Vec<usize>,
    next: usize,
}

impl Deref for Matrix {
    type Target = Sparse;

    fn deref(&self) -> &Sparse {
        &self.entries
    }
}

impl Matrix {
    /// A matrix of zeros with the pattern of M: the velocities of each body are coupled.
    pub fn of_bodies(model: &Model) -> Self {
        let mut columns: Vec<Vec<usize>> = (0..model.nv()).map(|i| vec![i]).collect();
        for body in &model.bodies {
            let own = model.velocities_of(&body.local.coordinates);
            for &i in &own {
                columns[i].extend(&own);
            }
        }
        for row in &mut columns {
            row.sort_unstable();
            row.dedup();
        }
        Self {
            entries: Sparse::with_columns(columns.into_iter()),
            units: vec![1.0; model.nv()],
            ..Self::default()
        }
    }

    /// A matrix without rows, with room for those of all constraints.
    pub fn of_constraints(model: &Model) -> Self {
        let sizes = model.constraints.iter().map(|constraint| constraint.rows);
        let entries = model.constraints.iter().map(|it| it.rows * it.local.width());
        Self {
            entries: Sparse::with_capacity(sizes.sum(), entries.sum()),
            units: vec![1.0; model.nv()],
            constraints: Vec::with_capacity(model.constraints.len()),
            next: 0,
        }
    }

    /// The same with a column for every coordinate.
    pub fn of_positions(model: &Model) -> Self {
        Self {
            units: vec![1.0; model.nq()],
            ..Self::of_constraints(model)
        }
    }

    /// The n x n unit matrix.
    pub fn identity(n: usize) -> Self {
        Self {
            entries: Sparse::identity(n),
            units: vec![1.0; n],
            ..Self::default()
        }
    }

    /// U^-2 with these sizes on the diagonal of U.
    pub fn metric(units: &[f64]) -> Self {
        Self {
            entries: Sparse::diagonal(units.iter().map(|unit| unit.powi(-2))),
            units: units.to_vec(),
            ..Self::default()
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

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.units.len()
    }

    /// The rows of these indices.
    pub fn rows<'a>(&'a self, rows: &'a [usize]) -> impl ExactSizeIterator<Item = Row<'a>> + Clone {
        rows.iter().map(|&row| self.row(row))
    }

    /// The first rows with their zeros, one after another.
    pub fn dense(&self, count: usize) -> Vec<f64> {
        let mut dense = vec![0.0; count * self.width()];
        for (i, row) in dense.chunks_exact_mut(self.width().max(1)).enumerate() {
            self.row(i).add_to(1.0, row);
        }
        dense
    }

    /// Entries of the product with a vector, row by row.
    pub fn times<'a>(&'a self, x: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        (0..self.len()).map(|row| self.row(row).dot(x))
    }

    /// Largest magnitude of an entry; NaN if any entry is.
    pub fn max_abs(&self) -> f64 {
        crate::linear::max_abs(self.values())
    }

    /// Largest magnitude in a row, and the smallest positive number in one of zeros: what residuals are measured by.
    pub fn row_size(&self, row: usize) -> f64 {
        self.row(row).max_abs().max(f64::MIN_POSITIVE)
    }

    /// Takes over the values of a matrix of the same pattern.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.entries.values_mut().copy_from_slice(other.values());
    }

    /// Adds to an entry that the pattern has.
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.entries.add(row, column, value);
    }

    /// Writes a block of rows that have no entries beside it.
    pub(super) fn write_block<const N: usize>(&mut self, first: usize, block: &[[f64; N]; N]) {
        let start = self.entries.start(first);
        let values = &mut self.entries.values_mut()[start..start + N * N];
        values.copy_from_slice(block.as_flattened());
    }

    /// Begins the rows of these constraints. Those of the last time keep their columns.
    pub(super) fn begin_rows(&mut self, constraints: &[usize]) {
        self.next = 0;
        if self.constraints == constraints {
            self.entries.values_mut().fill(0.0);
        } else {
            self.entries.clear();
            self.constraints.clear();
            self.constraints.extend_from_slice(constraints);
        }
    }

    /// The next row: zeros with these columns, to be written.
    #[inline]
    pub(super) fn next_row(&mut self, columns: &[usize]) -> &mut [f64] {
        let row = self.next;
        self.next += 1;
        if row < self.entries.len() {
            debug_assert_eq!(self.entries.row(row).columns, columns);
            return self.entries.row_mut(row);
        }
        self.entries.push(columns)
    }
}
