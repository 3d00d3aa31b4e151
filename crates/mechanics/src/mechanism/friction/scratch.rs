//! What the friction forces of a mode do, and the small system that gives them.

use crate::linear::{add_scaled, dot, max_abs};

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
    /// Balances that have been exchanged.
    exchanged: Vec<[usize; 2]>,
    /// Forces that the balances leave open; they stay as they are.
    pub(super) open: Vec<usize>,
    /// A force of a contact that begins to slip whose pivots have the sign of one that jams, and the pivot.
    pub(super) jammed: Option<(usize, f64)>,
    /// Balances, or what belongs to them; and forces, or their changes.
    pub(super) balances: Vec<f64>,
    pub(super) forces: Vec<f64>,
    pub(super) zeros: Vec<f64>,
    /// A force by the coordinates.
    pub(super) by_coordinates: Vec<f64>,
}

/// How a pivot is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::mechanism) enum Pivot {
    /// Against one, which it is without coupling.
    Absolute,
    /// Against its own entry.
    Relative,
    /// Its balance is one of several for as many forces, in any order.
    Exchanged,
    /// Its balance is one of those of a contact that begins to slip by itself, for as many forces: in any order, against its largest entry.
    /// Where it vanishes, the force is open, and stays as it is.
    Begun(usize),
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

    /// Inverts the derivatives of the balances, without exchanges: where the motion is unique all pivots are positive. Only what feet
    /// that begin to slip together ask is one question by three numbers, which has no order.
    ///
    /// # Errors
    /// The force at which a pivot is too small, and the pivot.
    pub fn invert(&mut self, pivots: impl Iterator<Item = Pivot> + Clone) -> Result<(), (usize, f64)> {
        let n = self.responses.len();
        let (inverse, matrix) = (&mut self.inverse, &self.by_force);
        inverse.copy_from_slice(matrix);
        self.exchanged.clear();
        self.open.clear();
        self.jammed = None;
        let mut positive = true;
        for (k, own) in (0..n).zip(pivots.clone()) {
            let is_own = |other: Pivot| other == own;
            let reach = |i: usize| max_abs(&matrix[i * n..(i + 1) * n]);
            if matches!(own, Pivot::Exchanged | Pivot::Begun(_)) {
                let others = pivots.clone().enumerate().skip(k + 1);
                let others = others.filter_map(|(i, other)| is_own(other).then_some(i));
                let size = |i: usize| inverse[i * n + k].abs() / reach(i);
                let largest = others.fold(k, |best, i| if size(i) > size(best) { i } else { best });
                if largest != k {
                    (0..n).for_each(|j| inverse.swap(k * n + j, largest * n + j));
                    self.exchanged.push([k, largest]);
                    positive ^= matches!(own, Pivot::Begun(_));
                }
            }
            let pivot = inverse[k * n + k];
            let (pivot_size, size) = match own {
                Pivot::Absolute => (pivot, 1.0),
                Pivot::Relative => (pivot, matrix[k * n + k].abs()),
                Pivot::Exchanged => (pivot.abs(), 0.0),
                Pivot::Begun(_) if pivot.abs() <= LEAST_PIVOT * reach(k) => {
                    self.open.push(k);
                    positive = true;
                    continue;
                }
                Pivot::Begun(_) => {
                    positive ^= pivot < 0.0;
                    let last = !pivots.clone().nth(k + 1).is_some_and(is_own);
                    if last && !std::mem::replace(&mut positive, true) {
                        self.jammed = Some((k, pivot));
                    }
                    (pivot.abs(), 0.0)
                }
            };
            if pivot.is_nan() || pivot_size <= LEAST_PIVOT * size {
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
        for &k in &self.open {
            (0..n).for_each(|i| (inverse[k * n + i], inverse[i * n + k]) = (0.0, 0.0));
        }
        for [a, b] in self.exchanged.iter().rev() {
            (0..n).for_each(|i| inverse.swap(i * n + a, i * n + b));
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
