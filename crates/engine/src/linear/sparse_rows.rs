//! A square matrix by rows without its zeros: the mass matrix couples few coordinates.

use super::panel::{Block, LANES};

/// Rows of a square matrix without their zeros.
#[derive(Clone, Debug, Default)]
pub struct SparseRows {
    /// End of each row among the entries.
    ends: Vec<usize>,
    /// Column and value.
    entries: Vec<(usize, f64)>,
}

impl SparseRows {
    /// Workspace for an n x n matrix.
    pub fn new(n: usize) -> Self {
        Self {
            ends: Vec::with_capacity(n),
            entries: Vec::with_capacity(n * n),
        }
    }

    /// Takes over the entries of a matrix.
    pub fn set<'r>(&mut self, rows: impl Iterator<Item = &'r [f64]>) {
        self.ends.clear();
        self.entries.clear();
        for row in rows {
            self.entries
                .extend(row.iter().copied().enumerate().filter(|(_, value)| *value != 0.0));
            self.ends.push(self.entries.len());
        }
    }

    /// Calls `take` with each row and its index, up to `most` rows.
    #[inline(always)]
    fn rows(&self, most: usize, mut take: impl FnMut(usize, &[(usize, f64)])) {
        let mut start = 0;
        for (i, &end) in self.ends.iter().enumerate().take(most) {
            take(i, &self.entries[start..end]);
            start = end;
        }
    }

    /// out = A x.
    pub fn product(&self, x: &[f64], out: &mut [f64]) {
        self.rows(out.len(), |i, row| {
            let mut sum = 0.0;
            for &(j, value) in row {
                sum += value * x[j];
            }
            out[i] = sum;
        });
    }

    /// out = A X for a panel X.
    pub fn product_panel(&self, x: &[Block], out: &mut [Block]) {
        self.rows(out.len(), |i, row| {
            let mut sum = [0.0; LANES];
            for &(j, value) in row {
                for lane in 0..LANES {
                    sum[lane] += value * x[j][lane];
                }
            }
            out[i] = sum;
        });
    }
}
