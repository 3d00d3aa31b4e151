//! LU factorisation with row equilibration and partial pivoting.

use super::{add_scaled, dot, max_abs, pairs};

/// Equilibrated pivots below this count as zero.
const SINGULAR: f64 = 1e-15;

/// Factors of a square matrix, row-major.
#[derive(Clone, Debug, Default)]
pub struct Lu {
    n: usize,
    factors: Vec<f64>,
    row_scale: Vec<f64>,
    order: Vec<usize>,
    scratch: Vec<f64>,
}

impl Lu {
    /// Workspace for matrices up to n x n.
    pub fn new(n: usize) -> Self {
        Self {
            n: 0,
            factors: vec![0.0; n * n],
            row_scale: vec![0.0; n],
            order: vec![0; n],
            scratch: vec![0.0; n],
        }
    }

    /// The zeroed n x n matrix (row-major), to be filled before [`Lu::factor`].
    pub fn matrix_mut(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        let matrix = &mut self.factors[..n * n];
        matrix.fill(0.0);
        matrix
    }

    /// Factors in place.
    ///
    /// # Errors
    /// The column in which no usable pivot was left.
    pub fn factor(&mut self) -> Result<(), usize> {
        let n = self.n;
        for i in 0..n {
            let row = &self.factors[i * n..(i + 1) * n];
            let largest = max_abs(row);
            self.row_scale[i] = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            self.order[i] = i;
        }
        for k in 0..n {
            let pivot = self.pivot_row(k);
            let size = self.factors[pivot * n + k].abs() * self.row_scale[pivot];
            if size.is_nan() || size <= SINGULAR {
                return Err(k);
            }
            self.swap_rows(k, pivot);
            let (upper, lower) = self.factors.split_at_mut((k + 1) * n);
            let pivot_row = &upper[k * n..];
            for row in lower.chunks_exact_mut(n).take(n - k - 1) {
                let factor = row[k] / pivot_row[k];
                row[k] = factor;
                if factor != 0.0 {
                    add_scaled(&mut row[k + 1..], -factor, &pivot_row[k + 1..]);
                }
            }
        }
        Ok(())
    }

    fn pivot_row(&self, k: usize) -> usize {
        let size = |i: usize| self.factors[i * self.n + k].abs() * self.row_scale[i];
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
    pub fn solve_panel(&self, b: &[f64], x: &mut [f64]) {
        let n = self.n;
        let width = b.len() / n.max(1);
        let row = |i: usize| i * width..(i + 1) * width;
        for i in 0..n {
            let (done, rest) = x.split_at_mut(i * width);
            rest[..width].copy_from_slice(&b[row(self.order[i])]);
            for (k, factor) in self.factors[i * n..i * n + i].iter().enumerate() {
                add_scaled(&mut rest[..width], -factor, &done[row(k)]);
            }
        }
        for i in (0..n).rev() {
            let (head, done) = x.split_at_mut((i + 1) * width);
            let target = &mut head[row(i)];
            for (k, factor) in self.factors[i * n + i + 1..(i + 1) * n].iter().enumerate() {
                add_scaled(target, -factor, &done[row(k)]);
            }
            let inverse = 1.0 / self.factors[i * n + i];
            target.iter_mut().for_each(|entry| *entry *= inverse);
        }
    }

    /// x <- A^-1 x.
    pub fn solve(&mut self, x: &mut [f64]) {
        let n = self.n;
        pairs(&mut self.scratch[..n], &self.order[..n], |slot, &i| *slot = x[i]);
        x[..n].copy_from_slice(&self.scratch[..n]);
        for i in 1..n {
            x[i] -= dot(&self.factors[i * n..i * n + i], &x[..i]);
        }
        for i in (0..n).rev() {
            let row = &self.factors[i * n..(i + 1) * n];
            x[i] = (x[i] - dot(&row[i + 1..], &x[i + 1..n])) / row[i];
        }
    }
}
