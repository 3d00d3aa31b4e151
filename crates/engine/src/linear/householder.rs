//! Householder QR of C^T without forming Q: reflectors are kept and applied to vectors and panels.

use super::panel::{
    Block, LANES, add_scaled_chunks, blocks, by_chunk, chunk_start, dot_chunks, panel_rows, rows_in_chunks,
};
use super::{dot, pairs};
use crate::scalar::each;

/// Columns whose part outside the span of the earlier ones is below this fraction of their length count as dependent.
const DEPENDENT: f64 = 1e-13;

/// QR factors of an n x m matrix, given by columns; dependent columns are left out.
#[derive(Clone, Debug, Default)]
pub struct Householder {
    /// Rows of the factored matrix.
    n: usize,
    /// Columns of the factored matrix.
    m: usize,
    /// The matrix in panels; used up by factoring.
    panels: Vec<Block>,
    /// Number of reflectors.
    rank: usize,
    /// Reflectors as padded columns, zero above their pivot: the i-th has its pivot in row i.
    reflectors: Vec<Block>,
    /// 2 / |reflector|^2, one per reflector.
    scale: Vec<f64>,
    /// Independent columns in order, one per reflector.
    independent: Vec<usize>,
    /// R by padded columns, one per reflector, with the inverse of each diagonal entry in its place; arbitrary below it.
    upper: Vec<Block>,
    /// Most independent columns.
    most: usize,
}

impl Householder {
    /// Workspace for up to `m` columns of length `n`.
    pub fn new(n: usize, m: usize) -> Self {
        let most = n.min(m);
        let columns = vec![[0.0; LANES]; blocks(n) * most];
        Self {
            n,
            m: 0,
            panels: vec![[0.0; LANES]; panel_rows(n) * blocks(m)],
            rank: 0,
            reflectors: columns.clone(),
            scale: vec![0.0; most],
            independent: vec![0; most],
            upper: columns,
            most,
        }
    }

    /// Starts a factorisation of `m` columns.
    pub fn begin(&mut self, m: usize) {
        self.m = m;
    }

    /// Sets column k to these entries and zeros, before [`Householder::factor`].
    pub fn set_column(&mut self, k: usize, entries: impl Iterator<Item = (usize, f64)>) {
        let rows = panel_rows(self.n);
        let column = &mut self.panels[k / LANES * rows..][..rows];
        // The padding too: a matrix that was not finite must leave nothing behind.
        for row in &mut *column {
            row[k % LANES] = 0.0;
        }
        for (i, value) in entries {
            column[i][k % LANES] = value;
        }
    }

    /// Factors the columns, each reflector at once applied to all later columns.
    pub fn factor(&mut self) {
        self.rank = 0;
        by_chunk!(panel_rows(self.n), self.factor_chunks());
    }

    #[inline(always)]
    fn factor_chunks<const CHUNK: usize>(&mut self) {
        for p in 0..blocks(self.m) {
            self.column::<CHUNK, 0>(p);
            self.column::<CHUNK, 1>(p);
            self.column::<CHUNK, 2>(p);
            self.column::<CHUNK, 3>(p);
        }
    }

    /// Takes the column of a panel at a constant place, so that the place costs nothing.
    #[inline(always)]
    fn column<const CHUNK: usize, const LANE: usize>(&mut self, p: usize) {
        let k = p * LANES + LANE;
        if k < self.m && self.rank < self.most {
            self.eliminate::<CHUNK, LANE>(k);
        }
    }

    /// Makes the reflector of column k and applies it to the later columns, unless the column is dependent.
    #[inline(always)]
    fn eliminate<const CHUNK: usize, const LANE: usize>(&mut self, k: usize) {
        let (i, rows, height) = (self.rank, rows_in_chunks::<CHUNK>(self.n), blocks(self.n));
        let (panel, later) = self.panels[k / LANES * rows..].split_at_mut(rows);
        let reflector = &mut self.reflectors[i * height..][..height].as_flattened_mut()[..rows];
        let upper = &mut self.upper[i * height..][..height].as_flattened_mut()[..rows];
        let mut square = 0.0;
        for row in 0..rows {
            let entry = panel[row][LANE];
            upper[row] = entry;
            reflector[row] = if row < i { 0.0 } else { entry };
            square += entry * entry;
        }
        let pivot_row = panel[i];
        // Chunks before that of the pivot stay as they are.
        let first = chunk_start::<CHUNK>(i);
        let (panel, active) = (&mut panel[first..], &mut reflector[first..]);
        // The product of the column with itself is among those with its neighbours.
        let mut factors = dot_chunks::<CHUNK>(active, panel);
        let remaining = factors[LANE];
        if remaining.is_nan() || remaining <= DEPENDENT * DEPENDENT * square {
            return;
        }
        let signed = remaining.sqrt().copysign(pivot_row[LANE]);
        let pivot = pivot_row[LANE] + signed;
        let scale = 1.0 / (signed * pivot);
        active[i - first] = pivot;
        upper[i] = -1.0 / signed;
        (self.scale[i], self.independent[i]) = (scale, k);
        self.rank += 1;
        factors = each(|lane| -scale * (factors[lane] + signed * pivot_row[lane]));
        // Columns of the panel up to the k-th are used up: it does not matter what becomes of them.
        add_scaled_chunks::<CHUNK>(panel, factors, active);
        for p in 0..blocks(self.m) - k / LANES - 1 {
            reflect_chunks::<CHUNK>(active, scale, &mut later[p * rows..][first..rows]);
        }
    }

    /// Number of independent columns.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Smallest part of a column outside the span of the earlier ones, over its length; 0 if a column was left out.
    pub fn regularity(&self) -> f64 {
        if self.rank < self.m {
            return 0.0;
        }
        let part = |i: usize| {
            let column = self.upper(i);
            let along: f64 = column[..i].iter().map(|r| r * r).sum();
            // The diagonal is kept as its inverse.
            1.0 / (1.0 + along * column[i] * column[i]).sqrt()
        };
        (0..self.rank).map(part).fold(1.0, f64::min)
    }

    /// Indices of the independent columns, ascending; the order of the entries of every solve.
    pub fn independent(&self) -> &[usize] {
        &self.independent[..self.rank]
    }

    /// Reflector i and its scale.
    #[inline]
    fn reflector(&self, i: usize) -> (&[Block], f64) {
        (&self.reflectors[i * blocks(self.n)..][..blocks(self.n)], self.scale[i])
    }

    /// Column i of R down to the diagonal.
    #[inline]
    fn upper(&self, i: usize) -> &[f64] {
        &self.upper[i * blocks(self.n)..][..blocks(self.n)].as_flattened()[..=i]
    }

    /// x <- Q^T x, padded.
    pub fn apply_transposed(&self, x: &mut [Block]) {
        for i in 0..self.rank {
            let (reflector, scale) = self.reflector(i);
            reflect(reflector, scale, x);
        }
    }

    /// x <- Q x, padded.
    pub fn apply(&self, x: &mut [Block]) {
        for i in (0..self.rank).rev() {
            let (reflector, scale) = self.reflector(i);
            reflect(reflector, scale, x);
        }
    }

    /// X <- Q X for a panel.
    pub fn apply_panel(&self, panel: &mut [Block]) {
        by_chunk!(panel.len(), self.apply_chunks((0..self.rank).rev(), panel));
    }

    /// X <- Q^T X for a panel.
    pub fn apply_transposed_panel(&self, panel: &mut [Block]) {
        by_chunk!(panel.len(), self.apply_chunks(0..self.rank, panel));
    }

    #[inline(always)]
    fn apply_chunks<const CHUNK: usize>(&self, reflectors: impl Iterator<Item = usize>, panel: &mut [Block]) {
        let rows = rows_in_chunks::<CHUNK>(self.n);
        for i in reflectors {
            let (reflector, scale) = self.reflector(i);
            let active = chunk_start::<CHUNK>(i)..rows;
            reflect_chunks::<CHUNK>(&reflector.as_flattened()[active.clone()], scale, &mut panel[active]);
        }
    }

    /// y <- R^-T y, one entry per independent column.
    pub fn solve_transposed(&self, y: &mut [f64]) {
        for i in 0..self.rank {
            let column = self.upper(i);
            y[i] = (y[i] - dot(&column[..i], &y[..i])) * column[i];
        }
    }

    /// Y <- R^-T Y for a panel, one row per independent column.
    pub fn solve_transposed_panel(&self, panel: &mut [Block]) {
        for i in 0..self.rank {
            let column = self.upper(i);
            let mut row = panel[i];
            let solved = &panel[..i];
            for k in 0..i {
                row = each(|lane| row[lane] - column[k] * solved[k][lane]);
            }
            panel[i] = each(|lane| row[lane] * column[i]);
        }
    }

    /// Y <- R^-1 Y for a panel, one row per independent column.
    pub fn solve_panel(&self, panel: &mut [Block]) {
        for i in (0..self.rank).rev() {
            let column = self.upper(i);
            let row = panel[i].map(|value| value * column[i]);
            panel[i] = row;
            pairs(&mut panel[..i], &column[..i], |slot, r| {
                *slot = each(|lane| slot[lane] - row[lane] * r);
            });
        }
    }

    /// y <- R^-1 y, one entry per independent column.
    pub fn solve(&self, y: &mut [f64]) {
        for i in (0..self.rank).rev() {
            let column = self.upper(i);
            y[i] *= column[i];
            let value = y[i];
            pairs(&mut y[..i], &column[..i], |y, r| *y -= value * r);
        }
    }
}

/// Scalar product of padded vectors of equal length.
#[inline]
pub fn dot_blocks(a: &[Block], b: &[Block]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut sum: Block = [0.0; LANES];
    for i in 0..n {
        sum = each(|lane| sum[lane] + a[i][lane] * b[i][lane]);
    }
    (sum[0] + sum[2]) + (sum[1] + sum[3])
}

/// y += factor x for padded vectors.
#[inline]
pub fn add_scaled_blocks(y: &mut [Block], factor: f64, x: &[Block]) {
    pairs(y, x, |y, x| *y = each(|lane| y[lane] + factor * x[lane]));
}

#[inline]
fn reflect(reflector: &[Block], scale: f64, x: &mut [Block]) {
    let factor = -scale * dot_blocks(reflector, x);
    add_scaled_blocks(x, factor, reflector);
}

#[inline(always)]
fn reflect_chunks<const CHUNK: usize>(reflector: &[f64], scale: f64, panel: &mut [Block]) {
    let along = dot_chunks::<CHUNK>(reflector, panel);
    let factors = each(|lane| -scale * along[lane]);
    add_scaled_chunks::<CHUNK>(panel, factors, reflector);
}
