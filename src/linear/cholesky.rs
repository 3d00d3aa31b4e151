//! Cholesky factorisation of a small symmetric positive definite matrix.

/// Pivots below this fraction of the largest diagonal entry count as zero: about the rounding of the products that form them.
const SINGULAR: f64 = 1e-14;

/// Factor L of A = L L^T, row-major, with the inverse of each diagonal entry in its place.
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
        let n = self.n;
        let a = &mut self.lower;
        let largest = (0..n).map(|i| a[i * n + i]).fold(0.0, f64::max);
        for j in 0..n {
            for i in j..n {
                let mut sum = a[i * n + j];
                for k in 0..j {
                    sum -= a[i * n + k] * a[j * n + k];
                }
                if i > j {
                    a[i * n + j] = sum * a[j * n + j];
                } else if sum > SINGULAR * largest {
                    a[j * n + j] = 1.0 / sum.sqrt();
                } else {
                    return Err(j);
                }
            }
        }
        Ok(())
    }

    /// x <- A^-1 x.
    pub fn solve(&self, x: &mut [f64]) {
        let (n, l) = (self.n, &self.lower);
        for i in 0..n {
            let mut sum = x[i];
            for k in 0..i {
                sum -= l[i * n + k] * x[k];
            }
            x[i] = sum * l[i * n + i];
        }
        for i in (0..n).rev() {
            let mut sum = x[i];
            for k in i + 1..n {
                sum -= l[k * n + i] * x[k];
            }
            x[i] = sum * l[i * n + i];
        }
    }
}
