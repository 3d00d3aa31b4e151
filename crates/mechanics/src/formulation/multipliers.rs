//! Index-1 formulation with Lagrange multipliers (theory, 1.3): K = [[M, C^T], [C, 0]], LU with pivoting.
//!
//! M may be singular as long as it is positive definite on the null space of C.

use super::saddle_mut;
use crate::linear::{Lu, Row};
use crate::model::{Mode, Terms};

/// Factors and scratch.
#[derive(Clone, Debug)]
pub struct Multipliers {
    nv: usize,
    lu: Lu,
    /// [r1; r2] and then [a; -lambda] over the independent rows.
    unknowns: Vec<f64>,
}

impl Multipliers {
    /// Workspace for nv velocities and at most `rows` constraint rows.
    pub fn new(nv: usize, rows: usize) -> Self {
        Self {
            nv,
            lu: Lu::new(nv + rows),
            unknowns: vec![0.0; nv + rows],
        }
    }

    pub(super) fn factor(&mut self, mode: &Mode, terms: &Terms) -> Result<(), Option<usize>> {
        let nv = self.nv;
        saddle_mut(
            &mut self.lu,
            &terms.mass,
            terms.jacobian.rows(&mode.independent).map(Row::entries),
        );
        self.lu.balance(terms.mass.width());
        self.lu.factor().map_err(|column| (column < nv).then_some(column))
    }

    pub(super) fn accelerations(&mut self, mode: &Mode, terms: &Terms, a: &mut [f64], lambda: Option<&mut [f64]>) {
        self.solve_rows(mode, &terms.force, |row| -terms.gamma[row], a, lambda);
    }

    pub(super) fn solve(&mut self, mode: &Mode, r1: &[f64], r2: &[f64], a: &mut [f64], lambda: &mut [f64]) {
        self.solve_rows(mode, r1, |row| r2[row], a, Some(lambda));
    }

    fn solve_rows(
        &mut self,
        mode: &Mode,
        r1: &[f64],
        r2: impl Fn(usize) -> f64,
        a: &mut [f64],
        lambda: Option<&mut [f64]>,
    ) {
        let nv = self.nv;
        self.unknowns[..nv].copy_from_slice(r1);
        for (slot, &row) in self.unknowns[nv..].iter_mut().zip(&mode.independent) {
            *slot = r2(row);
        }
        self.lu.solve(&mut self.unknowns[..nv + mode.independent.len()]);
        a.copy_from_slice(&self.unknowns[..nv]);
        if let Some(lambda) = lambda {
            lambda[..mode.rows].fill(0.0);
            for (&row, &value) in mode.independent.iter().zip(&self.unknowns[nv..]) {
                lambda[row] = -value;
            }
        }
    }
}
