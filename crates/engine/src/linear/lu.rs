//! LU factorisation of real and complex matrices, with row equilibration and partial pivoting.

use std::ops::Range;

use nalgebra::ComplexField;

use super::pairs;

/// Equilibrated pivots below this count as zero.
const SINGULAR: f64 = 1e-15;

/// Factors of a square matrix, row-major.
#[derive(Clone, Debug, Default)]
pub struct Lu<T = f64> {
    n: usize,
    factors: Vec<T>,
    row_scale: Vec<f64>,
    order: Vec<usize>,
    scratch: Vec<T>,
    /// S of the factors of S A S; empty where A is factored as it is.
    balance: Vec<f64>,
}

impl<T: ComplexField<RealField = f64> + Copy> Lu<T> {
    /// Workspace for matrices up to n x n.
    pub fn new(n: usize) -> Self {
        Self {
            n: 0,
            factors: vec![T::zero(); n * n],
            row_scale: vec![0.0; n],
            order: vec![0; n],
            scratch: vec![T::zero(); n],
            balance: Vec::with_capacity(n),
        }
    }

    /// The zeroed n x n matrix (row-major), to be filled before [`Lu::factor`].
    pub fn matrix_mut(&mut self, n: usize) -> &mut [T] {
        self.n = n;
        self.balance.clear();
        let matrix = &mut self.factors[..n * n];
        matrix.fill(T::zero());
        matrix
    }

    /// Factors in place.
    ///
    /// # Errors
    /// The column in which no usable pivot was left.
    pub fn factor(&mut self) -> Result<(), usize> {
        self.factor_with_pivots_above(SINGULAR)
    }

    /// Factors in place unless a pivot vanishes: for iterations, in which a matrix that is singular to rounding shows by
    /// itself, and whose unknowns have units too different for a bound.
    ///
    /// # Errors
    /// The column without a pivot.
    pub fn factor_any(&mut self) -> Result<(), usize> {
        self.factor_with_pivots_above(0.0)
    }

    fn factor_with_pivots_above(&mut self, least: f64) -> Result<(), usize> {
        let n = self.n;
        for i in 0..n {
            let row = &self.factors[i * n..(i + 1) * n];
            let largest = row.iter().fold(0.0, |most, x| f64::max(most, x.norm1()));
            self.row_scale[i] = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            self.order[i] = i;
        }
        for k in 0..n {
            let pivot = self.pivot_row(k);
            let size = self.factors[pivot * n + k].norm1() * self.row_scale[pivot];
            if !size.is_finite() || size <= least {
                return Err(k);
            }
            self.swap_rows(k, pivot);
            let (upper, lower) = self.factors.split_at_mut((k + 1) * n);
            let pivot_row = &upper[k * n..];
            for row in lower.chunks_exact_mut(n).take(n - k - 1) {
                let factor = row[k] / pivot_row[k];
                row[k] = factor;
                if !factor.is_zero() {
                    subtract(&mut row[k + 1..], factor, &pivot_row[k + 1..]);
                }
            }
        }
        Ok(())
    }

    fn pivot_row(&self, k: usize) -> usize {
        let size = |i: usize| self.factors[i * self.n + k].norm1() * self.row_scale[i];
        (k..self.n).fold(k, |best, i| if size(i) > size(best) { i } else { best })
    }

    fn swap_rows(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        let n = self.n;
        let (head, tail) = self.factors.split_at_mut(b * n);
        head[a * n..(a + 1) * n].swap_with_slice(&mut tail[..n]);
        self.row_scale.swap(a, b);
        self.order.swap(a, b);
    }

    /// X = A^-1 B for right-hand sides side by side, row-major.
    pub fn solve_panel(&self, b: &[T], x: &mut [T]) {
        let n = self.n;
        let width = b.len() / n.max(1);
        let row = |i: usize| i * width..(i + 1) * width;
        for i in 0..n {
            let (done, rest) = x.split_at_mut(i * width);
            rest[..width].copy_from_slice(&b[row(self.order[i])]);
            if let Some(scale) = self.balance.get(self.order[i]) {
                rest[..width].iter_mut().for_each(|entry| *entry = entry.scale(*scale));
            }
            for (k, factor) in self.factors[i * n..i * n + i].iter().enumerate() {
                subtract(&mut rest[..width], *factor, &done[row(k)]);
            }
        }
        for i in (0..n).rev() {
            let (head, done) = x.split_at_mut((i + 1) * width);
            let target = &mut head[row(i)];
            for (k, factor) in self.factors[i * n + i + 1..(i + 1) * n].iter().enumerate() {
                subtract(target, *factor, &done[row(k)]);
            }
            let inverse = self.factors[i * n + i].recip();
            target.iter_mut().for_each(|entry| *entry *= inverse);
        }
        for (i, scale) in self.balance.iter().enumerate() {
            x[row(i)].iter_mut().for_each(|entry| *entry = entry.scale(*scale));
        }
    }

    /// x <- A^-1 x.
    pub fn solve(&mut self, x: &mut [T]) {
        let n = self.n;
        let balance = |x: &mut [T]| x.iter_mut().zip(&self.balance).for_each(|(x, by)| *x = x.scale(*by));
        balance(x);
        pairs(&mut self.scratch[..n], &self.order[..n], |slot, &i| *slot = x[i]);
        x[..n].copy_from_slice(&self.scratch[..n]);
        for i in 1..n {
            x[i] -= dot(&self.factors[i * n..i * n + i], &x[..i]);
        }
        for i in (0..n).rev() {
            let row = &self.factors[i * n..(i + 1) * n];
            x[i] = (x[i] - dot(&row[i + 1..], &x[i + 1..n])) / row[i];
        }
        balance(x);
    }
}

impl Lu {
    /// Makes all units of a matrix [[M, C], [R, D]] one, with C in the units of R^T, so that pivots can be compared whatever masses and
    /// lengths are written in: masses by the square roots of the diagonal of M, of `nv` entries, and rows and coordinates without mass by
    /// the largest entry of R and C.
    pub fn balance(&mut self, nv: usize) {
        let (n, a) = (self.n, &mut self.factors[..self.n * self.n]);
        let scale = &mut self.balance;
        scale.extend((0..n).map(|i| {
            if i < nv && a[i * n + i] > 0.0 {
                a[i * n + i].sqrt().recip()
            } else {
                0.0
            }
        }));
        let reach = |i: usize, others: Range<usize>, scale: &[f64]| {
            others.fold(0.0, |most, j| {
                f64::max(most, a[i * n + j].abs().max(a[j * n + i].abs()) * scale[j])
            })
        };
        let inverse = |reach: f64, otherwise: f64| if reach > 0.0 { reach.recip() } else { otherwise };
        for row in nv..n {
            scale[row] = inverse(reach(row, 0..nv, scale), 0.0);
        }
        for i in 0..nv {
            if scale[i] == 0.0 {
                scale[i] = inverse(reach(i, nv..n, scale), 1.0);
            }
        }
        for row in nv..n {
            scale[row] = inverse(reach(row, 0..nv, scale), 1.0);
        }
        for (entries, own) in a.chunks_exact_mut(n.max(1)).zip(scale.iter()) {
            for (entry, other) in entries.iter_mut().zip(scale.iter()) {
                *entry *= own * other;
            }
        }
    }

    /// The smallest pivot of the columns from this one on.
    pub fn least_pivot(&self, from: usize) -> f64 {
        let pivots = (from..self.n).map(|k| self.factors[k * self.n + k].abs());
        pivots.fold(f64::INFINITY, f64::min)
    }
}

/// `y -= factor x`.
#[inline]
// The assigning operators of complex numbers are not inlined.
#[allow(clippy::assign_op_pattern)]
fn subtract<T: ComplexField + Copy>(y: &mut [T], factor: T, x: &[T]) {
    pairs(y, x, |y, x| *y = *y - factor * *x);
}

/// Scalar product without conjugation.
#[inline]
#[allow(clippy::assign_op_pattern)]
fn dot<T: ComplexField + Copy>(a: &[T], b: &[T]) -> T {
    debug_assert_eq!(a.len(), b.len());
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut sum = T::zero();
    for i in 0..n {
        sum = sum + a[i] * b[i];
    }
    sum
}
