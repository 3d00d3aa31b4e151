//! Transposed derivative of the assembled state: one solve per problem with the factors of the tangent, whose matrices are
//! symmetric (theory, section 5).

use super::positions::weight;
use super::tangent::{AssemblyTangent, Problem};
use crate::model::gradient::{Gradient, RowWeights, Weights};
use crate::model::residual::Instant;
use crate::model::{Mode, Model, Start, Terms};

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
        let at = self.instant(&self.v, &self.velocities.multipliers);
        self.constraints_transposed(&at, &self.mode, &weights, gradient, Model::constraint_gradient);
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
        let rows = self.closing.0.rows;
        let solved = self.positions.transposed(q_bar, rows);
        let value: Vec<f64> = solved.beta.iter().map(|beta| -beta).collect();
        let (still, none) = (vec![0.0; nv], vec![0.0; rows]);
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
        let at = self.instant(&still, &self.positions.multipliers);
        let by_coordinates = Model::constraint_gradient_by_coordinates;
        self.constraints_transposed(&at, &self.closing.0, &weights, gradient, by_coordinates);
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
    fn constraints_transposed(
        &self,
        at: &Instant,
        mode: &Mode,
        weights: &Weights,
        mut gradient: Gradient,
        add: fn(&Model, usize, &Instant, &Terms, &[f64], &RowWeights, &mut Gradient),
    ) {
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            let rows = RowWeights::new(&self.model.constraints[index], first, at.lambda, weights);
            add(self.model, index, at, &self.terms, weights.alpha, &rows, &mut gradient);
        }
    }

    /// The result with these velocities and multipliers, without accelerations.
    fn instant<'i>(&'i self, v: &'i [f64], lambda: &'i [f64]) -> Instant<'i> {
        Instant {
            t: self.t,
            q: &self.q,
            v,
            a: &self.terms.still[..v.len()],
            lambda,
            attitudes: None,
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
