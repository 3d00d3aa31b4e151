//! Panels: four columns of a matrix side by side, one block per row, so that what is done to all four needs no sum
//! across the entries of a block.
//!
//! Rows are padded with zeros to whole chunks: a panel of few rows is one chunk, and its loops unroll.

use crate::scalar::each;

/// Entries of a block: columns, or vectors side by side, that are taken together.
pub const LANES: usize = 4;

/// Four neighbouring entries: a piece of a padded vector, or a row of a panel.
pub type Block = [f64; LANES];

/// Number of blocks of a padded vector of length `n`.
#[inline]
pub fn blocks(n: usize) -> usize {
    n.div_ceil(LANES)
}

/// A zero vector of length `n`, padded.
pub fn padded(n: usize) -> Vec<Block> {
    vec![[0.0; LANES]; blocks(n)]
}

/// Rows of a panel of a matrix with `n` rows.
#[inline]
pub fn panel_rows(n: usize) -> usize {
    let n = n.max(1);
    if n <= 8 {
        n.next_multiple_of(2)
    } else {
        n.next_multiple_of(LANES)
    }
}

/// Calls a function with the chunk of a panel with this many rows as its first constant parameter.
macro_rules! by_chunk {
    ($rows:expr, $($function:ident).+ ($($argument:expr),*)) => {
        match $rows {
            2 => $($function).+::<2>($($argument),*),
            6 => $($function).+::<6>($($argument),*),
            8 => $($function).+::<8>($($argument),*),
            _ => $($function).+::<4>($($argument),*),
        }
    };
}
pub(super) use by_chunk;

/// Scalar products of a padded vector with the four columns of a panel.
#[inline]
pub fn dot_panel(x: &[f64], panel: &[Block]) -> Block {
    by_chunk!(panel.len(), dot_chunks(x, panel))
}

/// Scalar products of one column of a panel with the four columns of another.
#[inline]
pub fn dot_column(columns: &[Block], lane: usize, panel: &[Block]) -> Block {
    let mut sum = [0.0; LANES];
    debug_assert_eq!(columns.len(), panel.len());
    let n = columns.len().min(panel.len());
    let (columns, panel) = (&columns[..n], &panel[..n]);
    for i in 0..n {
        let x = columns[i][lane];
        sum = each(|lane| sum[lane] + x * panel[i][lane]);
    }
    sum
}

#[inline(always)]
pub(super) fn dot_chunks<const CHUNK: usize>(x: &[f64], panel: &[Block]) -> Block {
    let mut even = [0.0; LANES];
    let mut odd = [0.0; LANES];
    let (x, panel) = (x.as_chunks::<CHUNK>().0, panel.as_chunks::<CHUNK>().0);
    let n = x.len().min(panel.len());
    let (x, panel) = (&x[..n], &panel[..n]);
    for i in 0..n {
        let (x, rows) = (&x[i], &panel[i]);
        for k in 0..CHUNK / 2 {
            for lane in 0..LANES {
                even[lane] += x[2 * k] * rows[2 * k][lane];
                odd[lane] += x[2 * k + 1] * rows[2 * k + 1][lane];
            }
        }
    }
    each(|lane| even[lane] + odd[lane])
}

/// panel += x factors^T: adds to each column its factor times a padded vector.
#[inline(always)]
pub(super) fn add_scaled_chunks<const CHUNK: usize>(panel: &mut [Block], factors: Block, x: &[f64]) {
    let (panel, x) = (panel.as_chunks_mut::<CHUNK>().0, x.as_chunks::<CHUNK>().0);
    let n = panel.len().min(x.len());
    let (panel, x) = (&mut panel[..n], &x[..n]);
    for i in 0..n {
        // By value: nothing that is written can be what is read next.
        let (mut sums, x) = (panel[i], x[i]);
        for k in 0..CHUNK {
            for lane in 0..LANES {
                sums[k][lane] += factors[lane] * x[k];
            }
        }
        panel[i] = sums;
    }
}

/// Rows of a panel that is treated in these chunks: a constant where there is only one.
#[inline(always)]
pub(super) fn rows_in_chunks<const CHUNK: usize>(n: usize) -> usize {
    if CHUNK == LANES { panel_rows(n) } else { CHUNK }
}

/// First row of the chunk with this row.
#[inline(always)]
pub(super) fn chunk_start<const CHUNK: usize>(row: usize) -> usize {
    if CHUNK == LANES { row / CHUNK * CHUNK } else { 0 }
}
