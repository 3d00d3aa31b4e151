//! Selection of independent rows by a scaled QR factorisation with column pivoting.

use super::{add_scaled, dot};

/// Indices (ascending) of a largest set of independent rows of a row-major matrix with `n` columns.
///
/// Rows are scaled to unit length first; a row counts as dependent when the part of it outside the span of the rows
/// already chosen is below `tolerance`. Rows are chosen largest remaining part first; among nearly equal ones the earliest.
pub fn independent_rows(matrix: &[f64], n: usize, tolerance: f64) -> Vec<usize> {
    if n == 0 {
        return Vec::new();
    }
    let mut rows: Vec<Vec<f64>> = matrix.chunks_exact(n).map(unit).collect();
    let mut remaining: Vec<f64> = rows.iter().map(|row| dot(row, row)).collect();
    let mut chosen = Vec::new();
    while chosen.len() < n.min(rows.len()) {
        let largest = remaining.iter().copied().fold(0.0, f64::max);
        if largest.sqrt() <= tolerance {
            break;
        }
        // Ties go to the earliest row, so that the joint written later is the one called redundant.
        let Some(pivot) = remaining.iter().position(|x| *x >= 0.99 * largest) else {
            break;
        };
        chosen.push(pivot);
        let direction = unit(&rows[pivot]);
        for (row, left) in rows.iter_mut().zip(&mut remaining) {
            if *left > 0.0 {
                // Twice, so that rounding of the first pass is removed too.
                for _ in 0..2 {
                    let along = dot(&direction, row);
                    add_scaled(row, -along, &direction);
                }
                *left = dot(row, row);
            }
        }
        remaining[pivot] = 0.0;
    }
    chosen.sort_unstable();
    chosen
}

fn unit(row: &[f64]) -> Vec<f64> {
    let length = dot(row, row).sqrt();
    if length > 0.0 {
        row.iter().map(|x| x / length).collect()
    } else {
        row.to_vec()
    }
}
