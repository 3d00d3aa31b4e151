//! Derivatives of H, C+ and the accelerations in closed form (Held and Seifried; theory, 1.7), beside the implicit path of
//! section 2 that the gradients take.
//!
//! With dC the derivative of C along a direction: dH = -C+ dC H, in the gauge H^T Sigma^-2 dH = 0, and
//! d(C+) = -C+ dC C+ + H H^T dC^T (C+)^T Sigma^-2 C+. The two paths agree to rounding, which a test holds; this one costs a
//! product with H and C+ for every direction.

use super::Nullspace;
use crate::linear::{add_scaled, dot, pairs_within};
use crate::model::{Mode, Terms};

/// Derivatives of the terms along a direction, the accelerations held.
#[derive(Clone, Debug)]
pub struct TermSlopes {
    /// dC, row-major rows x nv.
    pub jacobian: Vec<f64>,
    /// d(M a - f) with a held, nv.
    pub force: Vec<f64>,
    /// d(gamma), one per row.
    pub gamma: Vec<f64>,
}

/// H and C+ or their derivatives, by columns of nv entries.
#[derive(Clone, Debug)]
pub struct Bases {
    /// One column per degree of freedom.
    pub null: Vec<Vec<f64>>,
    /// One column per row of the mode; zero for dependent rows.
    pub pseudo_inverse: Vec<Vec<f64>>,
}

impl Nullspace {
    /// H and C+ at the factored state.
    pub fn bases(&mut self, mode: &Mode) -> Bases {
        let column = |formulation: &mut Self, row: usize| {
            let mut x = vec![0.0; formulation.nv];
            formulation.subtract_pseudo_inverse(mode, |k| if k == row { -1.0 } else { 0.0 }, &mut x);
            x
        };
        Bases {
            null: (0..self.dof).map(|i| self.null_vector(i)).collect(),
            pseudo_inverse: (0..mode.rows).map(|row| column(self, row)).collect(),
        }
    }

    /// Sigma^-2 x: H is orthonormal in the metric Sigma^-2.
    pub fn weighed(&self, x: &[f64]) -> Vec<f64> {
        let mut weighed = x.to_vec();
        pairs_within(&mut weighed, &self.units, |x, unit| *x /= unit * unit);
        weighed
    }

    /// dH and d(C+) for dC, row-major rows x nv.
    pub fn base_slopes(&mut self, mode: &Mode, jacobian_slope: &[f64]) -> Bases {
        let nv = self.nv;
        let Bases { null, pseudo_inverse } = self.bases(mode);
        let slope_times = |x: &[f64]| -> Vec<f64> { jacobian_slope.chunks_exact(nv).map(|row| dot(row, x)).collect() };
        let minus_lifted = |formulation: &mut Self, x: &[f64]| {
            let along = slope_times(x);
            let mut out = vec![0.0; nv];
            formulation.subtract_pseudo_inverse(mode, |row| along[row], &mut out);
            out
        };
        let null_slope = null.iter().map(|column| minus_lifted(self, column)).collect();
        let pseudo_inverse_slope = pseudo_inverse
            .iter()
            .map(|column| {
                let mut slope = minus_lifted(self, column);
                let weighed = self.weighed(column);
                let weights: Vec<f64> = pseudo_inverse.iter().map(|other| dot(other, &weighed)).collect();
                let mut turned = vec![0.0; nv];
                for (row, weight) in jacobian_slope.chunks_exact(nv).zip(&weights) {
                    add_scaled(&mut turned, *weight, row);
                }
                for direction in &null {
                    add_scaled(&mut slope, dot(direction, &turned), direction);
                }
                slope
            })
            .collect();
        Bases {
            null: null_slope,
            pseudo_inverse: pseudo_inverse_slope,
        }
    }

    /// da from (1.5) by the product rule with dH and d(C+), at the factored state with accelerations `a`.
    pub fn acceleration_slope(&mut self, mode: &Mode, terms: &Terms, a: &[f64], slopes: &TermSlopes) -> Vec<f64> {
        let nv = self.nv;
        let mass_times = |x: &[f64]| -> Vec<f64> { terms.mass.times(x).collect() };
        let bases = self.bases(mode);
        let changes = self.base_slopes(mode, &slopes.jacobian);
        // a = H z - C+ gamma, so that z = H^T Sigma^-2 a.
        let weighed = self.weighed(a);
        let z: Vec<f64> = bases.null.iter().map(|column| dot(column, &weighed)).collect();
        let gamma = &terms.gamma[..mode.rows];
        // What da consists of beside H dz: dH z - d(C+) gamma - C+ d(gamma).
        let mut slope = combination(nv, &changes.null, &z);
        add_scaled(&mut slope, -1.0, &combination(nv, &changes.pseudo_inverse, gamma));
        add_scaled(&mut slope, -1.0, &combination(nv, &bases.pseudo_inverse, &slopes.gamma));
        let mut unbalanced = terms.force.clone();
        add_scaled(&mut unbalanced, -1.0, &mass_times(a));
        let mut right = mass_times(&slope);
        add_scaled(&mut right, 1.0, &slopes.force);
        let mut dz: Vec<f64> = bases
            .null
            .iter()
            .zip(&changes.null)
            .map(|(column, change)| dot(change, &unbalanced) - dot(column, &right))
            .collect();
        self.projected.solve(&mut dz);
        add_scaled(&mut slope, 1.0, &combination(nv, &bases.null, &dz));
        slope
    }
}

/// Sum of columns times their factors.
fn combination(nv: usize, columns: &[Vec<f64>], factors: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; nv];
    for (column, factor) in columns.iter().zip(factors) {
        add_scaled(&mut sum, *factor, column);
    }
    sum
}
