//! Selection of independent rows by a scaled QR factorisation with column pivoting.

use super::{BlockLdl, Sparse, add_scaled, dot};

/// Square of the remaining part of a row over that of the largest above which the row may be chosen: a tenth of the
/// length costs the chosen set at most a digit, and lets the order of the rows decide which of them are redundant.
pub const COMPARABLE: f64 = 1e-2;

/// Coordinates from which elimination by blocks is faster than QR and LU.
pub const MANY: usize = 16;

/// Sine of the angle between a row and those before it above which they are independent whatever their order.
pub const CLEARLY: f64 = 1e-4;

/// [`independent_rows`] of a sparse matrix times the units of its columns: all of them at once where they clearly are.
pub fn independent_rows_of(matrix: &Sparse, units: &[f64], tolerance: f64) -> Vec<usize> {
    let (all, n): (Vec<usize>, usize) = ((0..matrix.len()).collect(), units.len());
    if n >= MANY && matrix.len() <= n {
        let mut inverse = Sparse::identity(n);
        for (slot, unit) in inverse.values_mut().iter_mut().zip(units) {
            *slot = 1.0 / (unit * unit);
        }
        let mut saddle = BlockLdl::new(&inverse, matrix, &all);
        saddle.set_mass(&inverse);
        if saddle.factor(matrix, &all, &[]).is_ok() && saddle.least() > CLEARLY * CLEARLY {
            return all;
        }
    }
    let mut dense = vec![0.0; matrix.len() * n];
    for (i, row) in dense.chunks_exact_mut(n.max(1)).enumerate() {
        matrix.row(i).add_to(1.0, row);
    }
    independent_rows(&in_units(&dense, units), n, tolerance)
}

/// Indices (ascending) of a largest set of independent rows of a row-major matrix with `n` columns.
///
/// Rows are scaled to unit length first; a row counts as dependent when the part of it outside the span of the rows
/// already chosen is below `tolerance`. Of rows with remaining parts of comparable size the earliest is chosen first.
pub fn independent_rows(matrix: &[f64], n: usize, tolerance: f64) -> Vec<usize> {
    independent_rows_after(0, matrix, n, tolerance)
}

/// As [`independent_rows`], but of the first `preferred` rows as many as possible are chosen before any other.
pub fn independent_rows_after(preferred: usize, matrix: &[f64], n: usize, tolerance: f64) -> Vec<usize> {
    if n == 0 {
        return Vec::new();
    }
    let mut rows: Vec<Vec<f64>> = matrix.chunks_exact(n).map(unit).collect();
    let mut remaining: Vec<f64> = rows.iter().map(|row| dot(row, row)).collect();
    let mut chosen = Vec::new();
    let mut considered = if preferred > 0 {
        preferred.min(rows.len())
    } else {
        rows.len()
    };
    while chosen.len() < n.min(rows.len()) {
        let left = &remaining[..considered];
        let largest = left.iter().copied().fold(0.0, f64::max);
        let pivot = left.iter().position(|x| *x >= COMPARABLE * largest);
        let Some(pivot) = pivot.filter(|_| largest.sqrt() > tolerance) else {
            if considered == rows.len() {
                break;
            }
            considered = rows.len();
            continue;
        };
        chosen.push(pivot);
        let direction = unit(&rows[pivot]);
        for (row, left) in rows.iter_mut().zip(&mut remaining) {
            if *left > 0.0 {
                let along = dot(&direction, row);
                // Most rows of a large mechanism have nothing to do with each other.
                if along == 0.0 {
                    continue;
                }
                add_scaled(row, -along, &direction);
                // Once more, so that rounding of the first pass is removed too.
                let along = dot(&direction, row);
                add_scaled(row, -along, &direction);
                *left = dot(row, row);
            }
        }
        remaining[pivot] = 0.0;
    }
    chosen.sort_unstable();
    chosen
}

/// Rows of a row-major matrix times the units of their columns, so that their entries can be compared.
pub fn in_units(matrix: &[f64], units: &[f64]) -> Vec<f64> {
    let rows = matrix.chunks_exact(units.len().max(1));
    rows.flat_map(|row| row.iter().zip(units).map(|(entry, unit)| entry * unit))
        .collect()
}

fn unit(row: &[f64]) -> Vec<f64> {
    let length = dot(row, row).sqrt();
    if length > 0.0 {
        row.iter().map(|x| x / length).collect()
    } else {
        row.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::{independent_rows, independent_rows_after};

    #[test]
    fn of_rows_that_depend_on_each_other_the_last_is_left_out() {
        // The third is the sum of the others; after the first choice it has the largest part left.
        let rows = [[1.0, 0.0, 0.0], [0.9, 0.3, 0.0], [1.0, 4.0, 0.0], [0.0, 0.0, 1.0]];
        assert_eq!(independent_rows(rows.as_flattened(), 3, 1e-9), [0, 1, 3]);
    }

    #[test]
    fn a_row_that_nearly_depends_on_the_others_gives_way_to_a_better_one() {
        let rows = [[1.0, 0.0], [1.0, 1e-5], [0.0, 1.0]];
        assert_eq!(independent_rows(rows.as_flattened(), 2, 1e-9), [0, 2]);
    }

    #[test]
    fn preferred_rows_come_first_however_small_their_part() {
        let rows = [[1.0, 0.0], [1.0, 1e-5], [0.0, 1.0]];
        assert_eq!(independent_rows_after(2, rows.as_flattened(), 2, 1e-9), [0, 1]);
        let dependent = [[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]];
        assert_eq!(independent_rows_after(2, dependent.as_flattened(), 2, 1e-9), [0, 2]);
    }
}
