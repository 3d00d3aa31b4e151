//! What the friction forces of a mode do, and the small system that gives them.

use crate::linear::{add_scaled, dot};

/// What a unit friction force does.
#[derive(Clone, Debug, Default)]
pub(super) struct Response {
    /// Its generalized force.
    pub force: Vec<f64>,
    pub a: Vec<f64>,
    pub lambda: Vec<f64>,
}

impl Response {
    /// Acceleration against the force.
    pub fn yields(&self) -> f64 {
        dot(&self.force, &self.a)
    }
}

/// Scratch of the friction forces, allocated when first used; written by every evaluation where contacts with friction are closed.
#[derive(Clone, Debug, Default)]
pub(in crate::mechanism) struct Rubs {
    pub(super) responses: Vec<Response>,
    /// Derivatives of the balances by the forces, by rows, and the inverse.
    pub(super) by_force: Vec<f64>,
    inverse: Vec<f64>,
    /// Balances, or what belongs to them; and forces, or their changes.
    pub(super) balances: Vec<f64>,
    pub(super) forces: Vec<f64>,
    pub(super) zeros: Vec<f64>,
    /// A force by the coordinates.
    pub(super) by_coordinates: Vec<f64>,
}

/// Pivot of a contact that slips, over what it is without friction, up to which the motion is not unique.
pub(super) const LEAST_PIVOT: f64 = 1e-6;

impl Rubs {
    /// Makes room for so many forces.
    pub fn resize(&mut self, count: usize, nv: usize, rows: usize) {
        self.responses.resize_with(count, Response::default);
        for response in &mut self.responses {
            response.force.clear();
            response.force.resize(nv, 0.0);
            response.a.clear();
            response.a.resize(nv, 0.0);
            response.lambda.clear();
            response.lambda.resize(rows, 0.0);
        }
        for matrix in [&mut self.by_force, &mut self.inverse] {
            matrix.clear();
            matrix.resize(count * count, 0.0);
        }
        self.balances.resize(count, 0.0);
        self.forces.resize(count, 0.0);
        self.zeros.resize(rows, 0.0);
    }

    /// Inverts the derivatives of the balances, without exchanges: where the motion is unique all pivots are positive. `relative`
    /// tells which pivots are measured by their own entries: those that are no one without coupling.
    ///
    /// # Errors
    /// The force at which a pivot is too small, and the pivot.
    pub fn invert(&mut self, relative: impl Iterator<Item = bool>) -> Result<(), (usize, f64)> {
        let n = self.responses.len();
        let (inverse, matrix) = (&mut self.inverse, &self.by_force);
        inverse.copy_from_slice(matrix);
        for (k, relative) in (0..n).zip(relative) {
            let pivot = inverse[k * n + k];
            let size = if relative { matrix[k * n + k].abs() } else { 1.0 };
            if pivot.is_nan() || pivot <= LEAST_PIVOT * size {
                return Err((k, pivot));
            }
            inverse[k * n + k] = 1.0;
            inverse[k * n..(k + 1) * n].iter_mut().for_each(|x| *x /= pivot);
            for i in (0..n).filter(|&i| i != k) {
                let factor = std::mem::take(&mut inverse[i * n + k]);
                for j in 0..n {
                    inverse[i * n + j] -= factor * inverse[k * n + j];
                }
            }
        }
        Ok(())
    }

    /// Writes the change of the forces that makes the balances zero.
    pub fn solve(&mut self) {
        let n = self.forces.len();
        for (row, force) in self.inverse.chunks_exact(n.max(1)).zip(&mut self.forces) {
            *force = -dot(row, &self.balances);
        }
    }

    /// The transpose: writes what belongs to the balances from what belongs to the forces.
    pub fn solve_transposed(&mut self) {
        let n = self.forces.len();
        self.balances.fill(0.0);
        for (row, force) in self.inverse.chunks_exact(n.max(1)).zip(&self.forces) {
            add_scaled(&mut self.balances, -force, row);
        }
    }

    /// Adds what the forces do.
    pub fn add_responses(&self, a: &mut [f64], lambda: &mut [f64]) {
        for (response, &force) in self.responses.iter().zip(&self.forces) {
            add_scaled(a, force, &response.a);
            add_scaled(lambda, force, &response.lambda);
        }
    }
}
