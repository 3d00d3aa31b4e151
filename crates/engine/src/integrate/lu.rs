//! Dense LU factorisation with partial pivoting, real or complex, in storage that is allocated once.

use nalgebra::ComplexField;

use crate::linear::pairs;

/// Factors `P A = L U` of a square matrix.
#[derive(Clone, Debug)]
pub(super) struct Lu<T> {
    n: usize,
    /// Column-major: unit lower triangle below the diagonal, upper triangle above, inverse pivots on the diagonal.
    entries: Vec<T>,
    /// Row exchanged with row `k` in step `k`.
    exchanges: Vec<usize>,
}

impl<T: ComplexField<RealField = f64> + Copy> Lu<T> {
    /// Storage for `n` by `n`.
    pub fn new(n: usize) -> Self {
        Self {
            n,
            entries: vec![T::zero(); n * n],
            exchanges: vec![0; n],
        }
    }

    /// The matrix to be factored, column-major; to be overwritten entirely before [`Lu::factor`].
    pub fn entries_mut(&mut self) -> &mut [T] {
        &mut self.entries
    }

    /// Factors the matrix in place; false if a pivot is zero or not finite.
    pub fn factor(&mut self) -> bool {
        (0..self.n).all(|k| self.eliminate(k))
    }

    /// One step of the elimination.
    fn eliminate(&mut self, k: usize) -> bool {
        let n = self.n;
        let (left, right) = self.entries.split_at_mut((k + 1) * n);
        let column = &mut left[k * n..];
        let mut pivot = k;
        for row in k + 1..n {
            if column[row].norm1() > column[pivot].norm1() {
                pivot = row;
            }
        }
        let largest = column[pivot].norm1();
        if largest == 0.0 || !largest.is_finite() {
            return false;
        }
        self.exchanges[k] = pivot;
        column.swap(k, pivot);
        let inverse = column[k].recip();
        column[k] = inverse;
        for entry in &mut column[k + 1..] {
            *entry *= inverse;
        }
        for other in right.chunks_exact_mut(n) {
            other.swap(k, pivot);
            let (done, rest) = other.split_at_mut(k + 1);
            subtract(rest, done[k], &column[k + 1..]);
        }
        for other in left[..k * n].chunks_exact_mut(n) {
            other.swap(k, pivot);
        }
        true
    }

    /// Solves `A x = b` in place (`n` components).
    pub fn solve(&self, b: &mut [T]) {
        let n = self.n;
        for (k, &other) in self.exchanges.iter().enumerate() {
            b.swap(k, other);
        }
        for (k, column) in self.entries.chunks_exact(n.max(1)).enumerate() {
            let (done, rest) = b.split_at_mut(k + 1);
            subtract(rest, done[k], &column[k + 1..]);
        }
        for (k, column) in self.entries.chunks_exact(n.max(1)).enumerate().rev() {
            let (rest, done) = b.split_at_mut(k);
            done[0] *= column[k];
            subtract(rest, done[0], &column[..k]);
        }
    }
}

/// `y -= factor x`.
#[inline]
// The assigning operators of complex numbers are not inlined.
#[allow(clippy::assign_op_pattern)]
fn subtract<T: ComplexField + Copy>(y: &mut [T], factor: T, x: &[T]) {
    pairs(y, x, |y, x| *y = *y - factor * *x);
}

#[cfg(test)]
mod tests {
    use nalgebra::Complex;

    use super::*;

    /// Entries from a small congruential sequence, with zeros on the diagonal to force exchanges.
    fn sample(n: usize) -> Vec<f64> {
        let mut state = 17_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1 << 24) - 0.5
        };
        (0..n * n)
            .map(|i| if i % (n + 1) == 0 { 0.0 } else { next() })
            .collect()
    }

    fn residual<T: ComplexField<RealField = f64> + Copy>(n: usize, columns: &[T]) -> f64 {
        let mut lu = Lu::new(n);
        lu.entries_mut().copy_from_slice(columns);
        assert!(lu.factor());
        let b: Vec<T> = (0..n).map(|i| T::from_real(i as f64 - 2.0)).collect();
        let mut x = b.clone();
        lu.solve(&mut x);
        let mut rest = b;
        for (x, column) in x.iter().zip(columns.chunks_exact(n)) {
            subtract(&mut rest, *x, column);
        }
        rest.iter().map(|r| r.norm1()).fold(0.0, f64::max)
    }

    #[test]
    fn solves_real_and_complex_systems_that_need_pivoting() {
        for n in [1, 2, 3, 7, 20] {
            let mut real = sample(n);
            if n == 1 {
                real[0] = 3.0;
            }
            let complex: Vec<_> = real.iter().map(|a| Complex::new(*a, 0.3 - a * a)).collect();
            assert!(residual(n, &real) < 1e-12, "real, n = {n}");
            assert!(residual(n, &complex) < 1e-12, "complex, n = {n}");
        }
    }

    #[test]
    fn singular_and_not_finite_matrices_are_refused() {
        for matrix in [[1.0, 2.0, 2.0, 4.0], [f64::NAN, 1.0, 1.0, 0.0]] {
            let mut lu = Lu::new(2);
            lu.entries_mut().copy_from_slice(&matrix);
            assert!(!lu.factor());
        }
    }
}
