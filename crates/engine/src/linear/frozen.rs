//! Equations over any scalar, solved by corrections with the inverse of their real matrix.

use crate::scalar::Scalar;

use super::Lu;

/// Inverse of a real matrix, for corrections of unknowns over scalars whose values it belongs to.
#[derive(Clone, Debug)]
pub struct Frozen {
    n: usize,
    inverse: Vec<f64>,
}

impl Frozen {
    /// From the factors of an n x n matrix.
    pub fn new(lu: &Lu, n: usize) -> Self {
        let mut unit = vec![0.0; n * n];
        unit.iter_mut().step_by(n + 1).for_each(|entry| *entry = 1.0);
        let mut inverse = vec![0.0; n * n];
        lu.solve_panel(&unit, &mut inverse);
        Self { n, inverse }
    }

    /// From an inverse, row-major.
    pub fn of(n: usize, inverse: Vec<f64>) -> Self {
        Self { n, inverse }
    }

    /// x <- x - A^-1 r until the derivatives of every order that the scalar has are exact: each correction gains one order.
    pub fn solve<S: Scalar>(&self, x: &mut [S], residual: impl Fn(&[S]) -> Vec<S>) {
        for _ in 0..=S::NDERIV {
            let r = residual(x);
            for (x, row) in x.iter_mut().zip(self.inverse.chunks_exact(self.n.max(1))) {
                for (r, a) in r.iter().zip(row).filter(|(_, a)| **a != 0.0) {
                    *x -= *r * *a;
                }
            }
        }
    }
}

/// Scalar product of two slices of equal length.
pub fn product<S: Scalar>(a: &[S], b: &[S]) -> S {
    debug_assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(S::from(0.0), |sum, (a, b)| sum + *a * *b)
}
