use nalgebra::Complex;

use super::{Cholesky, Householder, Lu, add_scaled_blocks, blocks, dot, dot_blocks, independent_rows, max_abs, padded};

/// Reproducible numbers in [-1, 1).
pub(super) struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A whole number from 0 to `n` - 1.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.unit() + 1.0) * 0.5 * n as f64) as usize
    }

    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.unit()).collect()
    }
}

fn factored(n: usize, columns: &[Vec<f64>]) -> Householder {
    let mut qr = Householder::new(n, columns.len());
    qr.begin(columns.len());
    for (k, column) in columns.iter().enumerate() {
        qr.set_column(k, column.iter().copied().enumerate());
    }
    qr.factor();
    qr
}

/// Column i of Q.
fn q_column(qr: &Householder, n: usize, i: usize) -> Vec<f64> {
    let mut x = padded(n);
    x.as_flattened_mut()[i] = 1.0;
    qr.apply(&mut x);
    x.as_flattened()[..n].to_vec()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Sum of shares times columns.
fn combined(columns: &[&Vec<f64>], shares: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; columns[0].len()];
    for (column, share) in columns.iter().zip(shares) {
        for (sum, x) in sum.iter_mut().zip(*column) {
            *sum += share * x;
        }
    }
    sum
}

/// Demands that Q is orthogonal, that the columns beyond the rank span the null space of the given columns, and that the
/// solves with R and its transpose invert the independent columns.
fn check_householder(n: usize, columns: &[Vec<f64>], independent: &[usize], random: &mut Random) {
    let qr = factored(n, columns);
    assert_eq!((qr.rank(), qr.independent()), (independent.len(), independent));
    let q: Vec<Vec<f64>> = (0..n).map(|i| q_column(&qr, n, i)).collect();
    for i in 0..n {
        for j in 0..n {
            let expected = f64::from(u8::from(i == j));
            assert!((dot(&q[i], &q[j]) - expected).abs() < 1e-14, "Q^T Q at ({i}, {j})");
        }
    }
    for null in &q[independent.len()..] {
        for column in columns {
            assert!(
                dot(null, column).abs() < 1e-12 * (1.0 + max_abs(column)),
                "{}",
                dot(null, column)
            );
        }
    }
    let chosen: Vec<&Vec<f64>> = independent.iter().map(|&k| &columns[k]).collect();
    if chosen.is_empty() {
        return;
    }
    // A x = b with b in the span: x = R^-1 Q1^T b.
    let shares = random.vector(chosen.len());
    let b = combined(&chosen, &shares);
    let mut x = padded(n);
    x.as_flattened_mut()[..n].copy_from_slice(&b);
    qr.apply_transposed(&mut x);
    let beyond = max_abs(&x.as_flattened()[independent.len()..]);
    assert!(beyond < 1e-13 * (1.0 + max_abs(&b)), "{beyond:e} outside the span");
    let mut found = x.as_flattened()[..chosen.len()].to_vec();
    qr.solve(&mut found);
    assert!(distance(&found, &shares) < 1e-11, "{found:?} instead of {shares:?}");
    // A^T y = c by y = Q1 R^-T c, the least solution.
    let c = random.vector(chosen.len());
    let mut y = padded(n);
    y.as_flattened_mut()[..c.len()].copy_from_slice(&c);
    qr.solve_transposed(&mut y.as_flattened_mut()[..c.len()]);
    qr.apply(&mut y);
    let y = &y.as_flattened()[..n];
    let back: Vec<f64> = chosen.iter().map(|column| dot(column, y)).collect();
    assert!(
        distance(&back, &c) < 1e-11 * (1.0 + max_abs(y)),
        "{back:?} instead of {c:?}"
    );
    for null in &q[independent.len()..] {
        assert!(dot(null, y).abs() < 1e-12 * (1.0 + max_abs(y)));
    }
}

#[test]
fn householder_factors_regular_matrices_of_any_shape() {
    let mut random = Random(1);
    for (n, m) in [(1, 1), (3, 2), (4, 4), (5, 3), (8, 8), (9, 4), (13, 7), (6, 0)] {
        let columns: Vec<Vec<f64>> = (0..m).map(|_| random.vector(n)).collect();
        check_householder(n, &columns, &(0..m).collect::<Vec<_>>(), &mut random);
    }
}

#[test]
fn householder_leaves_out_dependent_columns_in_the_middle() {
    let mut random = Random(2);
    let [a, b, c, d] = [(); 4].map(|()| random.vector(7));
    let sum = combined(&[&a, &b], &[2.0, -3.0]);
    let columns = [
        a.clone(),
        b.clone(),
        sum,
        c.clone(),
        vec![0.0; 7],
        a.iter().map(|x| -x).collect(),
        d.clone(),
    ];
    check_householder(7, &columns, &[0, 1, 3, 6], &mut random);
    let columns = [vec![0.0; 7], a.clone(), a.iter().map(|x| 1e-9 * x).collect(), b];
    check_householder(7, &columns, &[1, 3], &mut random);
}

#[test]
fn householder_with_more_columns_than_rows_takes_the_first_that_span() {
    let mut random = Random(3);
    let columns: Vec<Vec<f64>> = (0..6).map(|_| random.vector(4)).collect();
    check_householder(4, &columns, &[0, 1, 2, 3], &mut random);
}

#[test]
fn householder_keeps_columns_that_are_small_but_independent() {
    let mut random = Random(4);
    let [a, b, c] = [(); 3].map(|()| random.vector(5));
    let columns = [
        a,
        b.iter().map(|x| 1e-12 * x).collect(),
        c.iter().map(|x| 1e9 * x).collect(),
    ];
    let qr = factored(5, &columns);
    assert_eq!(qr.independent(), [0, 1, 2]);
}

#[test]
fn householder_can_be_used_again_with_fewer_columns() {
    let mut random = Random(5);
    let columns: Vec<Vec<f64>> = (0..4).map(|_| random.vector(6)).collect();
    let mut qr = factored(6, &columns);
    qr.begin(2);
    for (k, column) in columns[2..].iter().enumerate() {
        qr.set_column(k, column.iter().copied().enumerate());
    }
    qr.factor();
    assert_eq!(qr.independent(), [0, 1]);
    for i in 2..6 {
        let null = q_column(&qr, 6, i);
        assert!(columns[2..].iter().all(|column| dot(&null, column).abs() < 1e-14));
    }
}

#[test]
fn lu_solves_matrices_that_need_pivoting_and_scaling() {
    let mut random = Random(6);
    for n in [1, 2, 5, 9] {
        let mut matrix: Vec<f64> = random.vector(n * n);
        // No pivot on the diagonal at first, and rows of very different size.
        matrix[0] = if n > 1 { 0.0 } else { matrix[0] };
        for (i, row) in matrix.chunks_exact_mut(n).enumerate() {
            row.iter_mut().for_each(|x| *x *= 10.0_f64.powi(4 * (i as i32 % 3) - 4));
        }
        let expected = random.vector(n);
        let mut x: Vec<f64> = matrix.chunks_exact(n).map(|row| dot(row, &expected)).collect();
        let mut lu = Lu::new(n + 3);
        lu.matrix_mut(n).copy_from_slice(&matrix);
        assert_eq!(lu.factor(), Ok(()));
        lu.solve(&mut x);
        assert!(distance(&x, &expected) < 1e-11, "{n}: {x:?} instead of {expected:?}");
    }
}

#[test]
fn lu_solves_complex_matrices_that_need_pivoting() {
    let mut random = Random(8);
    for n in [1, 2, 7, 20] {
        let mut complex = |count| -> Vec<Complex<f64>> {
            let parts: Vec<f64> = random.vector(2 * count);
            parts
                .chunks_exact(2)
                .map(|part| Complex::new(part[0], part[1]))
                .collect()
        };
        let (mut matrix, expected) = (complex(n * n), complex(n));
        if n > 1 {
            matrix
                .iter_mut()
                .step_by(n + 1)
                .for_each(|entry| *entry = Complex::default());
        }
        let product = |row: &[Complex<f64>]| row.iter().zip(&expected).map(|(a, x)| a * x).sum();
        let mut x: Vec<Complex<f64>> = matrix.chunks_exact(n).map(product).collect();
        let mut lu = Lu::new(n);
        lu.matrix_mut(n).copy_from_slice(&matrix);
        assert_eq!(lu.factor(), Ok(()));
        lu.solve(&mut x);
        let error = x.iter().zip(&expected).map(|(x, e)| (x - e).norm()).fold(0.0, f64::max);
        assert!(error < 1e-12, "{n}: {error:e}");
    }
}

#[test]
fn lu_of_iterations_refuses_no_pivot_but_zero() {
    let mut lu = Lu::new(2);
    let mut with = |last: f64| {
        lu.matrix_mut(2).copy_from_slice(&[1.0, 1.0, 1.0, last]);
        [lu.factor().is_ok(), {
            lu.matrix_mut(2).copy_from_slice(&[1.0, 1.0, 1.0, last]);
            lu.factor_any().is_ok()
        }]
    };
    assert_eq!(with(2.0), [true, true]);
    assert_eq!(with(1.0 + f64::EPSILON), [false, true]);
    assert_eq!(with(1.0), [false, false]);
    assert_eq!(with(f64::NAN), [false, false]);
}

#[test]
fn lu_names_the_column_without_a_pivot() {
    let mut lu = Lu::new(3);
    // The third column is the sum of the first two.
    lu.matrix_mut(3)
        .copy_from_slice(&[1.0, 2.0, 3.0, 4.0, 5.0, 9.0, 7.0, 8.0, 15.0]);
    assert_eq!(lu.factor(), Err(2));
    lu.matrix_mut(3)
        .copy_from_slice(&[1.0, 0.0, 3.0, 4.0, 0.0, 9.0, 7.0, 0.0, 1.0]);
    assert_eq!(lu.factor(), Err(1));
    lu.matrix_mut(2).copy_from_slice(&[f64::NAN, 1.0, 1.0, 1.0]);
    assert!(lu.factor().is_err());
}

#[test]
fn lu_hands_out_a_zeroed_matrix() {
    let mut lu = Lu::new(2);
    lu.matrix_mut(2).copy_from_slice(&[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(lu.factor(), Ok(()));
    assert_eq!(lu.matrix_mut(2), [0.0; 4]);
}

#[test]
fn cholesky_solves_positive_definite_matrices_from_their_lower_triangle() {
    let mut random = Random(7);
    for n in [1, 2, 6] {
        let root: Vec<Vec<f64>> = (0..n).map(|_| random.vector(n)).collect();
        let entry = |i: usize, j: usize| dot(&root[i], &root[j]) + f64::from(u8::from(i == j));
        let expected = random.vector(n);
        let mut x: Vec<f64> = (0..n)
            .map(|i| (0..n).map(|j| entry(i, j) * expected[j]).sum())
            .collect();
        let mut cholesky = Cholesky::new(n + 2);
        let matrix = cholesky.matrix_mut(n);
        for i in 0..n {
            for j in 0..n {
                // What stands above the diagonal is not read.
                matrix[i * n + j] = if j > i { f64::NAN } else { entry(i, j) };
            }
        }
        assert_eq!(cholesky.factor(), Ok(()));
        cholesky.solve(&mut x);
        assert!(distance(&x, &expected) < 1e-12, "{x:?} instead of {expected:?}");
    }
}

#[test]
fn cholesky_names_the_pivot_that_is_not_positive() {
    let mut cholesky = Cholesky::new(3);
    cholesky.matrix_mut(2).copy_from_slice(&[1.0, 0.0, 1.0, 1.0]);
    assert_eq!(cholesky.factor(), Err(1));
    cholesky.matrix_mut(2).copy_from_slice(&[-1.0, 0.0, 0.0, 1.0]);
    assert_eq!(cholesky.factor(), Err(0));
    cholesky
        .matrix_mut(3)
        .copy_from_slice(&[4.0, 0.0, 0.0, 2.0, 5.0, 0.0, 6.0, 3.0, 9.0]);
    assert_eq!(cholesky.factor(), Err(2));
    cholesky.matrix_mut(1).copy_from_slice(&[f64::NAN]);
    assert_eq!(cholesky.factor(), Err(0));
    assert_eq!(Cholesky::new(0).factor(), Ok(()));
}

#[test]
fn independent_rows_span_all_rows() {
    let mut random = Random(8);
    let [a, b, c] = [(); 3].map(|()| random.vector(5));
    let rows = [
        a.clone(),
        b.clone(),
        combined(&[&a, &b], &[1.0, 1.0]),
        c.clone(),
        combined(&[&a, &c], &[1e-3, 2.0]),
        vec![0.0; 5],
    ];
    let chosen = independent_rows(&rows.concat(), 5, 1e-9);
    assert_eq!(chosen.len(), 3);
    assert!(
        chosen.windows(2).all(|pair| pair[0] < pair[1]) && !chosen.contains(&5),
        "{chosen:?}"
    );
    let columns: Vec<Vec<f64>> = chosen.iter().map(|&row| rows[row].clone()).collect();
    check_householder(5, &columns, &[0, 1, 2], &mut random);
}

#[test]
fn independent_rows_prefer_the_earlier_of_equal_ones_whatever_their_size() {
    let (a, b) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    let rows = [a.map(|x| 1e-3 * x), a.map(|x| 1e6 * x), b, b.map(|x| -x)];
    assert_eq!(independent_rows(rows.as_flattened(), 3, 1e-9), [0, 2]);
}

#[test]
fn independent_rows_take_a_row_as_dependent_up_to_the_tolerance() {
    let rows = |part: f64| [1.0, 0.0, 1.0, part];
    assert_eq!(independent_rows(&rows(1e-10), 2, 1e-9), [0]);
    assert_eq!(independent_rows(&rows(1e-8), 2, 1e-9), [0, 1]);
    assert!(independent_rows(&[], 0, 1e-9).is_empty() && independent_rows(&[0.0; 4], 2, 1e-9).is_empty());
}

#[test]
fn blocked_products_are_those_of_plain_vectors() {
    let mut random = Random(9);
    for n in [1, 3, 4, 7, 12] {
        let (a, b) = (random.vector(n), random.vector(n));
        let (mut x, mut y) = (padded(n), padded(n));
        assert_eq!(x.len(), blocks(n));
        x.as_flattened_mut()[..n].copy_from_slice(&a);
        y.as_flattened_mut()[..n].copy_from_slice(&b);
        assert!((dot_blocks(&x, &y) - dot(&a, &b)).abs() < 1e-14);
        add_scaled_blocks(&mut y, 0.5, &x);
        let expected: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b + 0.5 * a).collect();
        assert!(distance(&y.as_flattened()[..n], &expected) < 1e-15);
        assert!(y.as_flattened()[n..].iter().all(|x| *x == 0.0));
    }
}

#[test]
fn the_largest_absolute_value_of_anything_with_nan_is_nan() {
    assert_eq!(max_abs(&[1.0, -3.0, 2.0]), 3.0);
    assert!(max_abs(&[f64::NAN, 1.0]).is_nan() && max_abs(&[1.0, f64::NAN]).is_nan());
    assert_eq!(max_abs(&[]), 0.0);
}

#[test]
fn a_balanced_saddle_has_pivots_whatever_its_units_are() {
    for mass in [1e-15, 1.0, 1e15] {
        // A point on a rod along x and an angle without mass that follows it, over a radius of this length.
        for length in [1e-9, 1.0, 1e9] {
            let (along, about) = (2.0 * length, 1.0 / length);
            let mut lu = Lu::new(5);
            lu.matrix_mut(5).copy_from_slice(
                [
                    [mass, 0.0, 0.0, along, 0.0],
                    [0.0, mass, 0.0, 0.0, about],
                    [0.0, 0.0, 0.0, 0.0, -1.0],
                    [along, 0.0, 0.0, 0.0, 0.0],
                    [0.0, about, -1.0, 0.0, 0.0],
                ]
                .as_flattened(),
            );
            lu.balance(3);
            lu.factor().expect("regular");
            let mut x = [mass, 3.0 * mass * length, 0.0, 0.0, 0.0];
            let mut panel = [0.0; 5];
            lu.solve_panel(&x, &mut panel);
            lu.solve(&mut x);
            for solution in [x, panel] {
                assert!(
                    (solution[1] / length - 3.0).abs() < 1e-12 && (solution[2] - 3.0).abs() < 1e-12,
                    "{solution:?}"
                );
                assert!((2.0 * length * solution[3] / mass - 1.0).abs() < 1e-12, "{solution:?}");
            }
        }
    }
}
