//! Radau IIA with 3, 5 or 7 stages, of order 5, 9 or 13: collocation at the Radau nodes
//! (Hairer and Wanner, Solving Ordinary Differential Equations II, sections IV.5 and IV.8).
//!
//! Everything follows from the nodes. Increments `z_i = x(t + c_i h) - x(t)` are the unknowns; the derivative of the
//! polynomial through them at the nodes is `D z / h`, where `D` is the inverse of the Runge-Kutta matrix `A`.

use nalgebra::{Complex, DMatrix};

use super::DenseOutput;
use super::scheme::Ends;
use crate::linear::{add_scaled, pairs};

const THREE: [f64; 3] = [0.155_051_025_721_682_2, 0.644_948_974_278_317_8, 1.0];

const FIVE: [f64; 5] = [
    0.057_104_196_114_517_68,
    0.276_843_013_638_123_8,
    0.583_590_432_368_916_8,
    0.860_240_135_656_219_4,
    1.0,
];

const SEVEN: [f64; 7] = [
    0.029_316_427_159_784_892,
    0.148_078_599_668_484_3,
    0.336_984_690_281_154_3,
    0.558_671_518_771_550_1,
    0.769_233_862_030_054_5,
    0.926_945_671_319_741_1,
    1.0,
];

/// A pair of complex eigenvalues of `D`, by the one with positive imaginary part.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub eigenvalue: Complex<f64>,
    /// Right and left eigenvector, whose product is one.
    pub right: Vec<Complex<f64>>,
    pub left: Vec<Complex<f64>>,
}

/// Right-hand sides, to be solved for in place with the matrix of the real eigenvalue or of one of the pairs.
pub(super) enum ByEigenvalue<'a> {
    Real(&'a mut [f64]),
    Complex(usize, &'a mut [Complex<f64>]),
}

/// The method with a number of stages.
#[derive(Clone, Debug)]
pub(super) struct Tableau {
    pub stages: usize,
    /// Nodes; the last is the end of the step.
    pub c: &'static [f64],
    /// `D = A^-1`, row-major.
    pub slopes: Vec<f64>,
    /// Weights of the slope at the start.
    pub start_slope: Vec<f64>,
    /// `A`, row-major.
    pub integrals: Vec<f64>,
    /// Weights of the increments in each coefficient, but the first, of the nested basis of `DenseOutput`; row-major.
    pub nested: Vec<f64>,
    /// Real eigenvalue of `D` with its right and left eigenvector.
    pub gamma: f64,
    pub right: Vec<f64>,
    pub left: Vec<f64>,
    pub pairs: Vec<Pair>,
}

impl Tableau {
    /// Number of stages that suits a relative tolerance: the higher order takes fewer steps where many digits are asked for,
    /// the lower cheaper ones where few are.
    pub fn stages_for(rtol: f64) -> usize {
        match rtol {
            rtol if rtol > 1e-4 => 3,
            rtol if rtol > 1e-8 => 5,
            _ => 7,
        }
    }

    /// The method with 3, 5 or 7 stages.
    pub fn with_stages(stages: usize) -> Self {
        Self::new(match stages {
            ..4 => &THREE,
            4..6 => &FIVE,
            _ => &SEVEN,
        })
    }

    fn new(c: &'static [f64]) -> Self {
        let s = c.len();
        let slopes = DMatrix::from_fn(s, s, |i, j| lagrange_slope(c, j + 1, i + 1));
        // The slopes are far from singular.
        let inverse = |matrix: DMatrix<f64>| matrix.lu().try_inverse().unwrap_or_else(|| DMatrix::zeros(s, s));
        let basis = DMatrix::from_fn(s, s, |i, k| nested(k + 1, c[i]));
        let (gamma, right, left, pairs) = separate(&slopes);
        Self {
            stages: s,
            c,
            start_slope: (0..s).map(|j| lagrange_slope(c, j + 1, 0)).collect(),
            integrals: rows(&inverse(slopes.clone())),
            nested: rows(&inverse(basis)),
            slopes: rows(&slopes),
            gamma,
            right,
            left,
            pairs,
        }
    }

    /// Writes what the residuals of all stages ask to be subtracted from the unknowns of all stages, stage i at i * n with n
    /// entries of `scratch`: solves with `sigma M + J` for each eigenvalue `sigma`.
    pub fn solve(
        &self,
        residuals: &[f64],
        increments: &mut [f64],
        (real, complex): (&mut [f64], &mut [Complex<f64>]),
        mut solve: impl FnMut(ByEigenvalue),
    ) {
        let n = real.len().max(1);
        real.fill(0.0);
        for (weight, residual) in self.left.iter().zip(residuals.chunks_exact(n)) {
            add_scaled(real, *weight, residual);
        }
        solve(ByEigenvalue::Real(real));
        increments.fill(0.0);
        for (weight, increment) in self.right.iter().zip(increments.chunks_exact_mut(n)) {
            add_scaled(increment, *weight, real);
        }
        for (k, pair) in self.pairs.iter().enumerate() {
            complex.fill(Complex::default());
            for (weight, residual) in pair.left.iter().zip(residuals.chunks_exact(n)) {
                for (slot, value) in complex.iter_mut().zip(residual) {
                    *slot += weight * value;
                }
            }
            solve(ByEigenvalue::Complex(k, complex));
            for (weight, increment) in pair.right.iter().zip(increments.chunks_exact_mut(n)) {
                for (slot, value) in increment.iter_mut().zip(&*complex) {
                    *slot += 2.0 * (weight * value).re;
                }
            }
        }
    }

    /// Eigenvalues of `D`: the real one, and one of each pair.
    pub fn shifts(&self) -> (f64, Vec<Complex<f64>>) {
        (self.gamma, self.pairs.iter().map(|pair| pair.eigenvalue).collect())
    }

    /// Writes the increments of the step by `h` from the end of a polynomial that goes on; `state` is scratch.
    pub fn extrapolate(&self, before: &DenseOutput, h: f64, state: &mut [f64], z: &mut [f64]) {
        let end = before.end();
        before.evaluate(end, state);
        for (z, c) in z.chunks_exact_mut(state.len().max(1)).zip(self.c) {
            before.evaluate(end + c * h, z);
            pairs(z, state, |z, x| *z -= x);
        }
    }

    /// Writes the defect at the start of the polynomial through the increments, `dx - p'`: the estimate of the error once it
    /// is filtered (equation IV.8.19, where $e_i$ are the weights of the slope at the start).
    pub fn defect(&self, dx: &[f64], h: f64, z: &[f64], defect: &mut [f64]) {
        defect.copy_from_slice(dx);
        for (weight, z) in self.start_slope.iter().zip(z.chunks_exact(dx.len().max(1))) {
            add_scaled(defect, -weight / h, z);
        }
    }

    /// Writes the polynomial through the start and the increments.
    pub fn interpolate(&self, ends: &Ends, h: f64, z: &[f64], output: &mut DenseOutput) {
        let (n, s) = (ends.n, self.stages);
        let (first, rest) = output.resize(ends.t, h, n, s).split_at_mut(n);
        first.copy_from_slice(&ends.x);
        rest.fill(0.0);
        for (row, weights) in rest.chunks_exact_mut(n.max(1)).zip(self.nested.chunks_exact(s)) {
            for (weight, z) in weights.iter().zip(z.chunks_exact(n.max(1))) {
                add_scaled(row, *weight, z);
            }
        }
    }

    /// Order of the method at the end of a step; that of the polynomial within it is the number of stages.
    pub fn order(&self) -> u32 {
        2 * self.stages as u32 - 1
    }
}

fn rows(matrix: &DMatrix<f64>) -> Vec<f64> {
    matrix.transpose().as_slice().to_vec()
}

/// Node k of those of the polynomial through the start (k = 0) and the stages.
fn node(c: &[f64], k: usize) -> f64 {
    if k == 0 { 0.0 } else { c[k - 1] }
}

/// Slope at node i of the Lagrange polynomial that is one at node j.
fn lagrange_slope(c: &[f64], j: usize, i: usize) -> f64 {
    let x = |k| node(c, k);
    let others = |k: usize| (0..=c.len()).filter(move |&m| m != k);
    if i == j {
        return others(i).map(|m| 1.0 / (x(i) - x(m))).sum();
    }
    let product = |k: usize| others(k).map(|m| x(k) - x(m)).product::<f64>();
    product(i) / product(j) / (x(i) - x(j))
}

/// Function k of the nested basis: theta, theta (1 - theta), theta^2 (1 - theta), ...
fn nested(k: usize, theta: f64) -> f64 {
    let product = |sum, m: usize| sum * if m.is_multiple_of(2) { theta } else { 1.0 - theta };
    (0..k).fold(1.0, product)
}

/// Eigenvalues and eigenvectors of a matrix with one real eigenvalue.
#[allow(clippy::type_complexity)]
fn separate(matrix: &DMatrix<f64>) -> (f64, Vec<f64>, Vec<f64>, Vec<Pair>) {
    let s = matrix.nrows();
    let complex = matrix.map(|entry| Complex::new(entry, 0.0));
    let mut values: Vec<Complex<f64>> = matrix.complex_eigenvalues().iter().copied().collect();
    values.sort_by(|a, b| a.im.abs().total_cmp(&b.im.abs()).then(a.im.total_cmp(&b.im)));
    values[0].im = 0.0;
    let mut vectors = DMatrix::zeros(s, s);
    for (k, value) in values.iter().enumerate() {
        vectors.set_column(k, &eigenvector(&complex, *value));
    }
    let inverse = vectors
        .clone()
        .lu()
        .try_inverse()
        .unwrap_or_else(|| DMatrix::zeros(s, s));
    let right = |k: usize| vectors.column(k).iter().copied().collect::<Vec<_>>();
    let left = |k: usize| inverse.row(k).iter().copied().collect::<Vec<_>>();
    let real = |vector: Vec<Complex<f64>>| vector.iter().map(|entry| entry.re).collect();
    let pairs = (0..s).filter(|&k| values[k].im > 0.0).map(|k| Pair {
        eigenvalue: values[k],
        right: right(k),
        left: left(k),
    });
    (values[0].re, real(right(0)), real(left(0)), pairs.collect())
}

/// By inverse iteration from an eigenvalue that is known to rounding.
fn eigenvector(matrix: &DMatrix<Complex<f64>>, value: Complex<f64>) -> nalgebra::DVector<Complex<f64>> {
    let s = matrix.nrows();
    let shift = value * (1.0 + 1e-10);
    let lu = (matrix - DMatrix::identity(s, s) * shift).lu();
    let mut vector = nalgebra::DVector::from_element(s, Complex::new(1.0, 0.0));
    for _ in 0..3 {
        lu.solve_mut(&mut vector);
        let largest = vector.iter().copied().fold(
            Complex::default(),
            |a: Complex<f64>, b| {
                if b.norm_sqr() > a.norm_sqr() { b } else { a }
            },
        );
        vector /= largest;
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> [Tableau; 3] {
        [3, 5, 7].map(Tableau::with_stages)
    }

    #[test]
    fn the_last_stage_integrates_polynomials_up_to_the_order_and_no_further() {
        for tableau in all() {
            let s = tableau.stages;
            let moment = |power: u32| -> f64 {
                let weights = &tableau.integrals[(s - 1) * s..];
                weights
                    .iter()
                    .zip(tableau.c)
                    .map(|(w, c)| w * c.powi(power as i32))
                    .sum()
            };
            for power in 0..tableau.order() {
                assert!(
                    (moment(power) - 1.0 / f64::from(power + 1)).abs() < 1e-14,
                    "{s} stages, degree {power}"
                );
            }
            let next = tableau.order();
            assert!((moment(next) - 1.0 / f64::from(next + 1)).abs() > 1e-9, "{s} stages");
        }
    }

    #[test]
    fn the_eigenvectors_put_the_slopes_together_again() {
        for tableau in all() {
            let s = tableau.stages;
            assert_eq!(tableau.pairs.len(), s / 2);
            for i in 0..s {
                for j in 0..s {
                    let real = tableau.gamma * tableau.right[i] * tableau.left[j];
                    let pairs = tableau
                        .pairs
                        .iter()
                        .map(|pair| 2.0 * (pair.eigenvalue * pair.right[i] * pair.left[j]).re);
                    let entry = real + pairs.sum::<f64>();
                    assert!((entry - tableau.slopes[i * s + j]).abs() < 1e-8, "{s} stages: {entry}");
                }
            }
        }
    }

    #[test]
    fn slopes_are_exact_for_polynomials_through_the_start() {
        for tableau in all() {
            for power in 1..=tableau.stages as i32 {
                let z: Vec<f64> = tableau.c.iter().map(|c| c.powi(power)).collect();
                let slope = |row: &[f64]| -> f64 { row.iter().zip(&z).map(|(w, z)| w * z).sum() };
                let at_start = if power == 1 { 1.0 } else { 0.0 };
                assert!((slope(&tableau.start_slope) - at_start).abs() < 1e-12, "degree {power}");
                for (row, c) in tableau.slopes.chunks_exact(tableau.stages).zip(tableau.c) {
                    assert!(
                        (slope(row) - f64::from(power) * c.powi(power - 1)).abs() < 1e-12,
                        "degree {power}"
                    );
                }
            }
        }
    }

    #[test]
    fn fewer_digits_take_fewer_stages() {
        assert_eq!([1e-3, 1e-7, 1e-12].map(Tableau::stages_for), [3, 5, 7]);
    }
}
