//! Polynomial interpolant of one step.

use crate::linear::pairs;

/// Growth of the step size up to which the polynomial of the step before is extrapolated to the end of the next.
const FARTHEST: f64 = 3.0;

/// The solution between the ends of one step, as a polynomial per component.
///
/// With `theta = (t - t0) / h` and `degree` 7 (explicit, order 7), 3, 5 or 7 (Radau IIA, the same order) or 3 (trapezoidal rule):
/// `x(t) = F0 + theta (F1 + (1 - theta) (F2 + theta (F3 + (1 - theta) (F4 + ...))))`
/// (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.6, equation 6.13 ff.).
/// `F0` is the state at `t0`, `F0 + F1` the state at `t0 + h`. Outside the step the polynomial extrapolates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DenseOutput {
    t0: f64,
    h: f64,
    n: usize,
    /// `F_k` of component `i` at `k * n + i`.
    coefficients: Vec<f64>,
}

impl DenseOutput {
    /// An empty value, to be filled by a stepper.
    pub fn new() -> Self {
        Self::default()
    }

    /// Time at the start of the step, in seconds.
    pub fn start(&self) -> f64 {
        self.t0
    }

    /// Time at the end of the step, in seconds; before [`DenseOutput::start`] if time runs backwards.
    pub fn end(&self) -> f64 {
        self.t0 + self.h
    }

    /// Step size (signed), in seconds.
    pub fn step(&self) -> f64 {
        self.h
    }

    /// Number of components `n`.
    pub fn dimension(&self) -> usize {
        self.n
    }

    /// Degree of the polynomials.
    pub fn degree(&self) -> usize {
        self.coefficients
            .len()
            .checked_div(self.n)
            .map_or(0, |count| count.saturating_sub(1))
    }

    /// Coefficients `F_k`, `degree + 1` rows of `n` components.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// Whether `t` lies within the step, ends included.
    pub fn contains(&self, t: f64) -> bool {
        let (a, b) = (self.start(), self.end());
        a.min(b) <= t && t <= a.max(b)
    }

    /// Whether it may be extrapolated over a step by `h` from its end.
    pub(super) fn reaches(&self, h: f64) -> bool {
        h / self.h <= FARTHEST
    }

    /// Moves the end to this state; the start and what is added to the line between them remain.
    pub(super) fn end_at(&mut self, end: &[f64]) {
        let (start, rest) = self.coefficients.split_at_mut(end.len());
        for ((slot, end), start) in rest.iter_mut().zip(end).zip(start) {
            *slot = end - *start;
        }
    }

    /// Writes the state at `t` to `x` (`n` components).
    pub fn evaluate(&self, t: f64, x: &mut [f64]) {
        let theta = (t - self.t0) / self.h;
        x.fill(0.0);
        for (k, row) in self.rows().enumerate().rev() {
            let factor = Self::factor(k, theta);
            pairs(x, row, |x, f| *x = factor * *x + f);
        }
    }

    /// Component `index` of the state at `t`; panics if there is no such component.
    pub fn evaluate_component(&self, index: usize, t: f64) -> f64 {
        self.value_and_slope(index, (t - self.t0) / self.h).0
    }

    /// Writes the time derivative of the state at `t` to `dx` (`n` components, per second).
    pub fn derivative(&self, t: f64, dx: &mut [f64]) {
        let theta = (t - self.t0) / self.h;
        for (index, dx) in dx.iter_mut().enumerate().take(self.n) {
            *dx = self.value_and_slope(index, theta).1 / self.h;
        }
    }

    /// Bounds of a component over the step, no closer than rounding.
    ///
    /// After the straight line from end to end, `F_k` is multiplied by factors of which two at a time are at most a quarter.
    pub fn bounds(&self, index: usize) -> [f64; 2] {
        let (mut line, mut beside, mut size, mut quarter) = ([0.0; 2], 0.0, 0.0, 1.0);
        for (k, row) in self.rows().enumerate() {
            let f = row[index];
            size += f.abs();
            match k {
                0 => line = [f, f],
                1 => line[1] += f,
                _ => {
                    if k.is_multiple_of(2) {
                        quarter *= 0.25;
                    }
                    beside += quarter * f.abs();
                }
            }
        }
        // The ends themselves are rounded, the more the shorter the step is beside the time.
        let rounding = 64.0 * f64::EPSILON * (1.0 + (self.t0.abs() + self.h.abs()) / self.h.abs());
        let beside = beside + rounding * size;
        [line[0].min(line[1]) - beside, line[0].max(line[1]) + beside]
    }

    /// Time derivative of component `index` at `t`, per second; panics if there is no such component.
    pub fn derivative_component(&self, index: usize, t: f64) -> f64 {
        self.value_and_slope(index, (t - self.t0) / self.h).1 / self.h
    }

    /// Prepares for filling; allocates only if the buffer has never been this large.
    pub(super) fn resize(&mut self, t0: f64, h: f64, n: usize, degree: usize) -> &mut [f64] {
        (self.t0, self.h, self.n) = (t0, h, n);
        self.coefficients.resize((degree + 1) * n, 0.0);
        &mut self.coefficients
    }

    fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.coefficients.chunks_exact(self.n.max(1))
    }

    /// What multiplies everything after row `k`.
    fn factor(k: usize, theta: f64) -> f64 {
        if k.is_multiple_of(2) { theta } else { 1.0 - theta }
    }

    /// Value and derivative with respect to `theta`.
    fn value_and_slope(&self, index: usize, theta: f64) -> (f64, f64) {
        let (mut value, mut slope) = (0.0, 0.0);
        for (k, row) in self.rows().enumerate().rev() {
            let factor = Self::factor(k, theta);
            let direction = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
            slope = factor * slope + direction * value;
            value = factor * value + row[index];
        }
        (value, slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// theta^2 + 3 and theta^3 - theta in the nested basis, on a step from 1 backwards to -1.
    fn sample() -> DenseOutput {
        let mut dense = DenseOutput::new();
        let coefficients = dense.resize(1.0, -2.0, 2, 3);
        coefficients.copy_from_slice(&[3.0, 0.0, 1.0, 0.0, -1.0, -1.0, 0.0, -1.0]);
        dense
    }

    #[test]
    fn bounds_enclose_what_polynomials_reach_and_little_more() {
        let mut dense = DenseOutput::new();
        // 4 theta (1 - theta), and one of degree 7.
        let degree = 7;
        let coefficients = dense.resize(3.0, 0.5, 2, degree);
        coefficients.fill(0.0);
        coefficients[4] = 4.0;
        for k in 0..=degree {
            coefficients[2 * k + 1] = (-1.7_f64).powi(k as i32);
        }
        let [low, high] = dense.bounds(0);
        assert!((low + 1.0).abs() < 1e-10 && (high - 1.0).abs() < 1e-10);
        let [low, high] = dense.bounds(1);
        let values = (0..=1000).map(|i| dense.evaluate_component(1, 3.0 + 0.5 * f64::from(i) / 1000.0));
        assert!(values.into_iter().all(|value| low < value && value < high));
    }

    #[test]
    fn nested_form_reproduces_polynomials_and_their_derivatives() {
        let dense = sample();
        assert_eq!((dense.degree(), dense.end()), (3, -1.0));
        let (mut x, mut dx) = ([0.0; 2], [0.0; 2]);
        for t in [1.0, 0.7, 0.0, -0.4, -1.0, -2.0] {
            let theta = (1.0 - t) / 2.0;
            dense.evaluate(t, &mut x);
            dense.derivative(t, &mut dx);
            let exact = [theta * theta + 3.0, theta * theta * theta - theta];
            let slope = [2.0 * theta / -2.0, (3.0 * theta * theta - 1.0) / -2.0];
            for i in 0..2 {
                assert!((x[i] - exact[i]).abs() < 1e-15 && (dx[i] - slope[i]).abs() < 1e-14);
                assert_eq!(dense.evaluate_component(i, t), x[i]);
                assert_eq!(dense.derivative_component(i, t), dx[i]);
            }
        }
        assert!(dense.contains(-1.0) && dense.contains(1.0) && !dense.contains(1.1));
    }
}
