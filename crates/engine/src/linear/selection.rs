//! Selection of independent rows by a scaled QR factorisation with column pivoting.

use super::circuits::{COMPARABLE, circuits_of};
use super::{Sparse, add_scaled, dot};

/// Coordinates from which elimination by blocks is faster than QR and LU.
pub const MANY: usize = 16;

/// [`independent_rows`] of a sparse matrix times the units of its columns, by blocks where there are many.
pub fn independent_rows_of(matrix: &Sparse, units: &[f64], tolerance: f64) -> Vec<usize> {
    let n = units.len();
    if n >= MANY
        && let Some((rows, _)) = circuits_of(matrix, units, tolerance)
    {
        return rows;
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
    use super::{circuits_of, independent_rows, independent_rows_after, independent_rows_of};
    use crate::linear::circuits::CLEARLY;
    use crate::linear::tests::Random;
    use crate::linear::{Sparse, max_abs};

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

    /// Rows of a chain in the plane, each between neighbouring points, with combinations of neighbours among them.
    fn chain(links: usize, random: &mut Random) -> (Sparse, Vec<f64>) {
        let n = 2 * links;
        let mut plain: Vec<Vec<f64>> = Vec::new();
        for link in 0..links {
            let (c, s) = (random.unit(), random.unit());
            let mut row = vec![0.0; n];
            row[2 * link..][..2].copy_from_slice(&[c, s]);
            if link > 0 {
                row[2 * link - 2..][..2].copy_from_slice(&[-c, -s]);
            }
            plain.push(row);
            // Among them combinations of two before, and some that come before what they are made of.
            if link % 3 == 2 {
                let (a, b) = (1.0 + random.unit().abs(), 1.0 + random.unit().abs());
                let (last, before) = (plain.len() - 1, plain.len() - 2);
                let row: Vec<f64> = plain[last]
                    .iter()
                    .zip(&plain[before])
                    .map(|(x, y)| a * x - b * y)
                    .collect();
                plain.insert(if link % 2 == 0 { before } else { plain.len() }, row);
            }
        }
        let mut rows = Sparse::default();
        for row in &plain {
            let columns: Vec<usize> = (0..n).filter(|&j| row[j] != 0.0).collect();
            let slots = rows.push(&columns);
            slots.iter_mut().zip(&columns).for_each(|(slot, &j)| *slot = row[j]);
        }
        (rows, plain.concat())
    }

    #[test]
    fn by_blocks_the_same_rows_are_independent() {
        let mut random = Random(7);
        for links in [9, 20, 60] {
            let (rows, plain) = chain(links, &mut random);
            let units = vec![1.0; 2 * links];
            let (found, circuits) = circuits_of(&rows, &units, 1e-9).expect("clearly so");
            assert_eq!(found, independent_rows(&plain, 2 * links, 1e-9));
            assert_eq!((found.len(), circuits.len()), (links, rows.len() - links));
            for (row, shares) in circuits {
                let mut rest = plain[row * 2 * links..][..2 * links].to_vec();
                shares
                    .iter()
                    .for_each(|&(k, share)| rows.row(k).add_to(-share, &mut rest));
                assert!(max_abs(&rest) < 1e-9, "{rest:?}");
            }
        }
    }

    #[test]
    fn where_rows_are_nearly_dependent_the_dense_selection_tells() {
        let (mut rows, plain) = chain(20, &mut Random(9));
        let again: Vec<usize> = rows.row(5).columns.to_vec();
        let values = rows.row(5).values.to_vec();
        let slots = rows.push(&again);
        slots.copy_from_slice(&values);
        slots[0] += 0.1 * CLEARLY * slots[0];
        let units = vec![1.0; 40];
        assert_eq!(circuits_of(&rows, &units, 1e-9), None);
        let mut expected = independent_rows(&plain, 40, 1e-9);
        expected.push(rows.len() - 1);
        assert_eq!(independent_rows_of(&rows, &units, 1e-9), expected);
    }

    #[test]
    fn beside_a_row_that_nearly_depends_on_others_a_redundant_one_is_still_left_out() {
        // The last row is a combination of the two before it, with shares of the inverse of the angle between these.
        for angle in [1e-1, 1e-2, 1e-3, 3e-4] {
            let (mut rows, mut plain) = chain(20, &mut Random(9));
            let (n, old) = (42, rows.len());
            let mut wide = vec![0.0; old * n];
            for (wide, row) in wide.chunks_exact_mut(n).zip(plain.chunks_exact(40)) {
                wide[..40].copy_from_slice(row);
            }
            for (columns, values) in [
                (vec![40], vec![1.0]),
                (vec![40, 41], vec![1.0, angle]),
                (vec![41], vec![1.0]),
            ] {
                rows.push(&columns).copy_from_slice(&values);
                let mut row = vec![0.0; n];
                columns.iter().zip(values).for_each(|(&j, value)| row[j] = value);
                wide.extend(row);
            }
            plain = wide;
            let found = independent_rows_of(&rows, &vec![1.0; n], 1e-9);
            assert_eq!(found, independent_rows(&plain, n, 1e-9), "{angle}");
            assert_eq!(found.len(), 22);
        }
    }
}
