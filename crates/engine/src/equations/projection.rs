//! The projection of states onto the algebraic equations of index 2 at a point (theory, 3.11).
//!
//! A state moves along what the algebraic variables do to it: dx = f_y eta, where eta solves M eta = -g and M is the matrix that
//! determines y, g_x f_y for the equations of index 2. So it needs no other condition than y does, and no metric.

use crate::linear::{add_scaled, dot};

/// Scratch: the projection at a point.
#[derive(Debug)]
pub(super) struct Projection {
    /// f_y M^-1, one row per state and one column per algebraic equation.
    pub reach: Vec<f64>,
    /// Derivatives of g of index 2, one row per algebraic equation and one column per direction [x | p | t]; zeros for index 1.
    pub slopes: Vec<f64>,
    /// g of index 2; zeros for index 1.
    pub defects: Vec<f64>,
    pub states: Vec<f64>,
    pub actions: Vec<f64>,
    pub inverse: Vec<f64>,
    pub correction: Vec<f64>,
}

impl Projection {
    /// For nx states, ny algebraic variables and so many directions.
    pub fn new((nx, ny): (usize, usize), directions: usize) -> Self {
        let zeros = |count| vec![0.0; count];
        Self {
            reach: zeros(nx * ny),
            slopes: zeros(ny * directions),
            defects: zeros(ny),
            states: zeros(nx),
            actions: zeros(nx * ny),
            inverse: zeros(ny * ny),
            correction: zeros(nx),
        }
    }

    /// Writes -f_y M^-1 times the defects.
    pub fn correct(&mut self) {
        let rows = self.reach.chunks_exact(self.defects.len());
        for (out, row) in self.correction.iter_mut().zip(rows) {
            *out = -dot(row, &self.defects);
        }
    }

    /// Takes the part across the equations off a derivative of the states, along which the parameters change by `numbers`.
    pub fn along(&mut self, dx: &mut [f64], numbers: &[f64]) {
        let (nx, np) = (dx.len(), numbers.len());
        let rows = self.slopes.chunks_exact(nx + np + 1);
        for (defect, row) in self.defects.iter_mut().zip(rows) {
            *defect = dot(&row[..nx], dx) + dot(&row[nx..nx + np], numbers);
        }
        self.correct();
        add_scaled(dx, 1.0, &self.correction);
    }

    /// The transposed of [`Projection::along`] for a row over [x | p], or over [x | p | t].
    pub fn transposed(&mut self, mu: &mut [f64], rest: &mut [f64]) {
        let (nx, ny) = (mu.len(), self.defects.len());
        let m = self.slopes.len() / ny;
        self.defects.fill(0.0);
        for (mu, row) in mu.iter().zip(self.reach.chunks_exact(ny)) {
            add_scaled(&mut self.defects, *mu, row);
        }
        for (weight, row) in self.defects.iter().zip(self.slopes.chunks_exact(m)) {
            add_scaled(mu, -weight, &row[..nx]);
            add_scaled(rest, -weight, &row[nx..nx + rest.len()]);
        }
    }
}
