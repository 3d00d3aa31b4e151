//! Cholesky factorisation of a small symmetric positive definite matrix, without square roots.

use super::{dot, pairs};

/// Pivots below this fraction of their diagonal entry count as zero: about the rounding of the products that form them.
const SINGULAR: f64 = 1e-14;

/// Pivots below this fraction of the largest diagonal entry count as zero: products of rounding.
const ROUNDING: f64 = 1e-28;

/// Factors of A = L D L^T: unit lower triangular L, row-major, with the inverse of each entry of D on its diagonal.
#[derive(Clone, Debug, Default)]
pub struct Cholesky {
    n: usize,
    lower: Vec<f64>,
}

impl Cholesky {
    /// Workspace for matrices up to n x n.
    pub fn new(n: usize) -> Self {
        Self {
            n: 0,
            lower: vec![0.0; n * n],
        }
    }

    /// The n x n matrix (row-major), to be filled in its lower triangle before [`Cholesky::factor`].
    pub fn matrix_mut(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        &mut self.lower[..n * n]
    }

    /// Factors in place; the index of the first pivot that is not positive on failure.
    ///
    /// # Errors
    /// The index of the offending pivot.
    pub fn factor(&mut self) -> Result<(), usize> {
        // A constant size unrolls the loops: the usual mechanism has few degrees of freedom.
        match self.n {
            1 => self.factor_rows(1),
            2 => self.factor_rows(2),
            3 => self.factor_rows(3),
            n => self.factor_rows(n),
        }
    }

    #[inline(always)]
    fn factor_rows(&mut self, n: usize) -> Result<(), usize> {
        let a = &mut self.lower[..n * n];
        let largest = (0..n).map(|i| a[i * n + i]).fold(0.0, f64::max);
        for i in 0..n {
            let (above, rest) = a.split_at_mut(i * n);
            let row = &mut rest[..n];
            // Row i of L D, and then of L.
            for j in 1..i {
                row[j] -= dot(&row[..j], &above[j * n..j * n + j]);
            }
            let mut pivot = row[i];
            let least = (SINGULAR * pivot).max(ROUNDING * largest);
            for j in 0..i {
                let scaled = row[j] * above[j * n + j];
                pivot -= row[j] * scaled;
                row[j] = scaled;
            }
            if pivot.is_nan() || pivot <= least {
                return Err(i);
            }
            row[i] = 1.0 / pivot;
        }
        Ok(())
    }

    /// x <- A^-1 x.
    pub fn solve(&self, x: &mut [f64]) {
        match self.n {
            1 => self.solve_rows(1, x),
            2 => self.solve_rows(2, x),
            3 => self.solve_rows(3, x),
            n => self.solve_rows(n, x),
        }
    }

    #[inline(always)]
    fn solve_rows(&self, n: usize, x: &mut [f64]) {
        let (l, x) = (&self.lower[..n * n], &mut x[..n]);
        for i in 1..n {
            x[i] -= dot(&l[i * n..i * n + i], &x[..i]);
        }
        for i in 0..n {
            x[i] *= l[i * n + i];
        }
        for i in (1..n).rev() {
            let value = x[i];
            pairs(&mut x[..i], &l[i * n..i * n + i], |x, l| *x -= value * l);
        }
    }
}
