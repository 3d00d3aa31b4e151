//! Coefficients of Radau IIA of order 5 (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.8).
//!
//! `T^-1 A^-1 T` is block diagonal: the real eigenvalue [`GAMMA`], and the rotation `[[ALPHA, -BETA], [BETA, ALPHA]]`.

use crate::scalar::each;

/// Nodes; the last is the end of the step.
pub(super) const C: [f64; 3] = [0.1550510257216822, 0.6449489742783178, 1.0];

/// Real eigenvalue of `A^-1`.
pub(super) const GAMMA: f64 = 3.637834252744496;

/// Real part of the complex eigenvalues of `A^-1`.
pub(super) const ALPHA: f64 = 2.6810828736277523;

/// Imaginary part of the complex eigenvalues of `A^-1`.
pub(super) const BETA: f64 = 3.0504301992474105;

/// Transformation matrix `T`, real eigenvector first.
pub(super) const T: [[f64; 3]; 3] = [
    [0.09123239487089295, -0.1412552950209542, -0.030029194105147424],
    [0.241717932707107, 0.20412935229379994, 0.3829421127572619],
    [0.966048182615093, 1.0, 0.0],
];

/// Inverse of [`T`].
pub(super) const T_INVERSE: [[f64; 3]; 3] = [
    [4.325579890063155, 0.33919925181580984, 0.5417705399358749],
    [-4.178718591551905, -0.32768282076106237, 0.47662355450055044],
    [-0.5028726349457868, 2.571926949855605, -0.5960392048282249],
];

/// Weights of the stage increments in the error estimate (equation IV.8.19), times the step size.
pub(super) const E: [f64; 3] = [-10.048809399827416, 1.382142733160749, -1.0 / 3.0];

/// Linear combination of three values.
#[inline]
pub(super) fn combine(row: &[f64; 3], values: [f64; 3]) -> f64 {
    row[0] * values[0] + row[1] * values[1] + row[2] * values[2]
}

/// Linear combinations of three values by the rows of a matrix.
#[inline]
pub(super) fn transform(matrix: &[[f64; 3]; 3], values: [f64; 3]) -> [f64; 3] {
    each(|i| combine(&matrix[i], values))
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix3, SMatrix};

    use super::*;

    fn matrix(rows: &[[f64; 3]; 3]) -> Matrix3<f64> {
        SMatrix::from_fn(|i, j| rows[i][j])
    }

    /// Runge-Kutta matrix of collocation at the nodes.
    fn runge_kutta() -> Matrix3<f64> {
        let powers = Matrix3::from_fn(|i, k| C[i].powi(k as i32));
        let integrals = Matrix3::from_fn(|i, k| C[i].powi(k as i32 + 1) / (k + 1) as f64);
        integrals * powers.try_inverse().unwrap()
    }

    #[test]
    fn weights_integrate_polynomials_up_to_degree_4_and_no_further() {
        let a = runge_kutta();
        let moment = |power: i32| (0..3).map(|j| a[(2, j)] * C[j].powi(power)).sum::<f64>();
        for power in 0..5 {
            assert!(
                (moment(power) - 1.0 / f64::from(power + 1)).abs() < 1e-15,
                "degree {power}"
            );
        }
        assert!((moment(5) - 1.0 / 6.0).abs() > 1e-3);
    }

    #[test]
    fn the_transformation_separates_the_real_and_the_complex_eigenvalues() {
        let (t, inverse) = (matrix(&T), matrix(&T_INVERSE));
        assert!((inverse * t - Matrix3::identity()).norm() < 1e-14);
        let block = inverse * runge_kutta().try_inverse().unwrap() * t;
        let exact = matrix(&[[GAMMA, 0.0, 0.0], [0.0, ALPHA, -BETA], [0.0, BETA, ALPHA]]);
        assert!((block - exact).norm() < 1e-13, "{block}");
    }

    #[test]
    fn the_error_estimate_vanishes_for_quadratics() {
        // For x' = t^k from 0 with h = 1: derivative at the start plus weighted increments is 0 up to k = 2.
        for power in 0..3 {
            let increments = C.map(|c| c.powi(power + 1) / f64::from(power + 1));
            let start = if power == 0 { 1.0 } else { 0.0 };
            assert!((start + combine(&E, increments)).abs() < 1e-14, "degree {power}");
        }
        assert!(combine(&E, C.map(|c| c.powi(4) / 4.0)).abs() > 1e-3);
    }
}
