//! Transposed derivative of the assembled state: one solve per problem with the factors of the tangent, whose matrices are
//! symmetric (theory, section 5).

use super::positions::weight;
use super::tangent::{AssemblyTangent, Problem};
use crate::model::Start;
use crate::model::gradient::{Gradient, RowWeights, Weights};
use crate::model::residual::Instant;

/// Weights of the constraints' parts in one problem: over all coordinates, and over all rows.
struct Solved {
    alpha: Vec<f64>,
    beta: Vec<f64>,
}

impl AssemblyTangent<'_> {
    /// Adds q_p^T q_bar + v_p^T v_bar with respect to the numbers (without memory), time held.
    pub fn transposed(&self, q_bar: &[f64], v_bar: &[f64], numbers_bar: &mut [f64]) {
        let nv = self.v.len();
        let mut q_bar = q_bar.to_vec();
        let mut numbers = vec![0.0; self.terms.numbers.len()];
        let solved = self.velocities.transposed(v_bar, self.mode.rows);
        let mut held = vec![0.0; nv];
        let rate: Vec<f64> = solved.beta.iter().map(|beta| -beta).collect();
        let weights = Weights {
            alpha: &solved.alpha,
            beta: &vec![0.0; self.mode.rows],
            rate: &rate,
            value: &vec![0.0; self.mode.rows],
        };
        let gradient = Gradient {
            q: &mut q_bar,
            v: &mut held,
            numbers: &mut numbers,
        };
        self.constraints_transposed(&self.v, &self.velocities.multipliers, &weights, gradient);
        for (j, speed) in self.model.speeds().enumerate() {
            if let Some(number) = speed.held {
                numbers[number] += v_bar[j] + held[j];
            }
        }
        self.positions_transposed(&mut q_bar, &mut numbers);
        self.model.start_variables_transposed(&mut numbers);
        for (slot, value) in numbers_bar.iter_mut().zip(&numbers) {
            *slot += value;
        }
    }

    fn positions_transposed(&self, q_bar: &mut [f64], numbers: &mut [f64]) {
        let nv = self.q.len();
        let solved = self.positions.transposed(q_bar, self.mode.rows);
        let value: Vec<f64> = solved.beta.iter().map(|beta| -beta).collect();
        let (still, none) = (vec![0.0; nv], vec![0.0; self.mode.rows]);
        let weights = Weights {
            alpha: &solved.alpha,
            beta: &none,
            rate: &none,
            value: &value,
        };
        let gradient = Gradient {
            q: q_bar,
            v: &mut vec![0.0; nv],
            numbers,
        };
        self.constraints_transposed(&still, &self.positions.multipliers, &weights, gradient);
        for (i, coordinate) in self.model.coordinates.iter().enumerate() {
            if let Start::Number(number) = coordinate.start {
                numbers[number] += if coordinate.held {
                    q_bar[i]
                } else {
                    weight(self.model, i) * solved.alpha[i]
                };
            }
        }
    }

    /// Adds the gradient of -multipliers.(C alpha) + rate.c' + value.c.
    fn constraints_transposed(&self, v: &[f64], multipliers: &[f64], weights: &Weights, mut gradient: Gradient) {
        let at = Instant {
            t: self.t,
            q: &self.q,
            v,
            a: &vec![0.0; v.len()],
            lambda: multipliers,
        };
        for (&index, &first) in self.mode.constraints.iter().zip(&self.mode.offsets) {
            let rows = RowWeights::new(&self.model.constraints[index], first, multipliers, weights);
            self.model
                .constraint_gradient(index, &at, &self.terms, weights.alpha, &rows, &mut gradient);
        }
    }
}

impl Problem {
    /// Solution for a right-hand side over the free coordinates; zero elsewhere.
    fn transposed(&self, x_bar: &[f64], rows: usize) -> Solved {
        let mut solved = Solved {
            alpha: vec![0.0; x_bar.len()],
            beta: vec![0.0; rows],
        };
        let Some(unknowns) = self.solution(|i| x_bar[i], |_| 0.0) else {
            return solved;
        };
        for (k, &i) in self.free.iter().enumerate() {
            solved.alpha[i] = unknowns[k];
        }
        for (k, &row) in self.rows.iter().enumerate() {
            solved.beta[row] = unknowns[self.free.len() + k];
        }
        solved
    }
}
