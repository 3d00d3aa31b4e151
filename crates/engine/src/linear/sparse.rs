//! A matrix by rows without its zeros.

use super::panel::{Block, LANES};
use super::{max_abs, pairs};

/// A matrix by rows: the columns of the entries of a row in any order, without repetition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sparse {
    /// End of each row among the entries.
    ends: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

/// A row: its columns and the values there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    /// Columns of the entries.
    pub columns: &'a [usize],
    /// Their values.
    pub values: &'a [f64],
}

impl<'a> Row<'a> {
    /// Scalar product with a vector.
    #[inline]
    pub fn dot(self, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (&j, value) in self.columns.iter().zip(self.values) {
            sum += value * x[j];
        }
        sum
    }

    /// y += factor times the row.
    #[inline]
    pub fn add_to(self, factor: f64, y: &mut [f64]) {
        for (&j, value) in self.columns.iter().zip(self.values) {
            y[j] += factor * value;
        }
    }

    /// The entry of a column.
    pub fn entry(self, column: usize) -> f64 {
        self.entries()
            .find(|(j, _)| *j == column)
            .map_or(0.0, |(_, value)| value)
    }

    /// Columns with their values.
    pub fn entries(self) -> impl Iterator<Item = (usize, f64)> + 'a {
        self.columns.iter().copied().zip(self.values.iter().copied())
    }

    /// Sum of the squares of the entries.
    pub fn square(self) -> f64 {
        self.values.iter().map(|value| value * value).sum()
    }

    /// Largest magnitude of an entry; NaN if any is.
    pub fn max_abs(self) -> f64 {
        max_abs(self.values)
    }
}

impl Sparse {
    /// A matrix of zeros with these columns in its rows.
    pub fn with_columns(rows: impl Iterator<Item = impl IntoIterator<Item = usize>>) -> Self {
        let mut matrix = Self::default();
        for columns in rows {
            matrix.columns.extend(columns);
            matrix.ends.push(matrix.columns.len());
        }
        matrix.values.resize(matrix.columns.len(), 0.0);
        matrix
    }

    /// The n x n unit matrix.
    pub fn identity(n: usize) -> Self {
        Self::diagonal(std::iter::repeat_n(1.0, n))
    }

    /// The matrix with these entries on its diagonal.
    pub fn diagonal(entries: impl ExactSizeIterator<Item = f64>) -> Self {
        let mut diagonal = Self::with_columns((0..entries.len()).map(|i| [i]));
        diagonal
            .values
            .iter_mut()
            .zip(entries)
            .for_each(|(slot, entry)| *slot = entry);
        diagonal
    }

    /// Multiplies each column by its factor.
    pub fn scale_columns(&mut self, factors: &[f64]) {
        let entries = self.values.iter_mut().zip(&self.columns);
        entries.for_each(|(value, &column)| *value *= factors[column]);
    }

    /// No rows yet, with room for this many and their entries.
    pub fn with_capacity(rows: usize, entries: usize) -> Self {
        Self {
            ends: Vec::with_capacity(rows),
            columns: Vec::with_capacity(entries),
            values: Vec::with_capacity(entries),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    #[inline]
    fn range(&self, row: usize) -> std::ops::Range<usize> {
        let start = if row > 0 { self.ends[row - 1] } else { 0 };
        start..self.ends[row]
    }

    /// First entry of a row among all.
    pub fn start(&self, row: usize) -> usize {
        self.range(row).start
    }

    /// Whether both have entries in the same places.
    pub fn has_pattern_of(&self, other: &Self) -> bool {
        self.ends == other.ends && self.columns == other.columns
    }

    /// Takes over rows of another matrix. Allocates only where there have never been as many entries.
    pub fn copy_rows(&mut self, other: &Self, rows: &[usize]) {
        self.clear();
        for &row in rows {
            let row = other.row(row);
            self.push(row.columns).copy_from_slice(row.values);
        }
    }

    /// A row.
    #[inline]
    pub fn row(&self, row: usize) -> Row<'_> {
        let range = self.range(row);
        Row {
            columns: &self.columns[range.clone()],
            values: &self.values[range],
        }
    }

    /// The values of a row, to be written.
    #[inline]
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        let range = self.range(row);
        &mut self.values[range]
    }

    /// Takes over another matrix. Allocates only where there have never been as many entries.
    pub fn copy_from(&mut self, other: &Self) {
        self.ends.clone_from(&other.ends);
        self.columns.clone_from(&other.columns);
        self.values.clone_from(&other.values);
    }

    /// Values of all entries, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The same to be written.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.columns.clear();
        self.values.clear();
    }

    /// Appends a row of zeros with these columns; returns its values. Allocates only where there have never been as many.
    #[inline]
    pub fn push(&mut self, columns: &[usize]) -> &mut [f64] {
        let start = self.values.len();
        self.columns.extend_from_slice(columns);
        self.values.resize(start + columns.len(), 0.0);
        self.ends.push(self.columns.len());
        &mut self.values[start..]
    }

    /// Where the value of an entry is among all; none if the pattern lacks it.
    pub fn place(&self, row: usize, column: usize) -> Option<usize> {
        let range = self.range(row);
        let place = self.columns[range.clone()].iter().position(|&j| j == column)?;
        Some(range.start + place)
    }

    /// Adds to an entry that the pattern has.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        match self.place(row, column) {
            Some(place) => self.values[place] += value,
            None => debug_assert!(false, "the pattern lacks an entry"),
        }
    }

    /// out = A x.
    pub fn product(&self, x: &[f64], out: &mut [f64]) {
        self.each_row(out.len(), |i, row| out[i] = row.dot(x));
    }

    /// out = A X for a panel X.
    pub fn product_panel(&self, x: &[Block], out: &mut [Block]) {
        self.each_row(out.len(), |i, row| {
            let mut sum = [0.0; LANES];
            for (&j, &value) in row.columns.iter().zip(row.values) {
                pairs(&mut sum, &x[j], |sum, x| *sum += value * x);
            }
            out[i] = sum;
        });
    }

    /// Calls `take` with each row and its index, up to `most` rows.
    #[inline(always)]
    fn each_row(&self, most: usize, mut take: impl FnMut(usize, Row)) {
        let mut start = 0;
        for (i, &end) in self.ends.iter().enumerate().take(most) {
            let (columns, values) = (&self.columns[start..end], &self.values[start..end]);
            take(i, Row { columns, values });
            start = end;
        }
    }
}
