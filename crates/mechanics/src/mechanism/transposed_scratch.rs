//! Scratch of the transposed derivatives: weights of the equations, and the gradients that they give.

use crate::formulation::Formulation;
use crate::model::gradient::{Gradient, MotionDuals, MotionGradient, Weights};
use crate::model::residual::Instant;
use crate::model::{Mode, Model, Terms};

/// Scratch of the transposed derivatives.
#[derive(Clone, Debug, Default)]
pub(super) struct TransposedScratch {
    /// Gradient with respect to positions, velocities and numbers (with memory), apart from accelerations and
    /// multipliers; and with respect to these, nv and one per row.
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub numbers: Vec<f64>,
    a_bar: Vec<f64>,
    lambda_bar: Vec<f64>,
    /// Solution of the transposed system.
    alpha: Vec<f64>,
    beta: Vec<f64>,
    /// Weights of c' and c.
    pub rate: Vec<f64>,
    pub value: Vec<f64>,
    /// nv zeros.
    zero: Vec<f64>,
    /// For outputs.
    duals: MotionDuals,
}

impl TransposedScratch {
    pub fn new(model: &Model, rows: usize) -> Self {
        let (vector, row) = (vec![0.0; model.nv()], vec![0.0; rows]);
        Self {
            q: vector.clone(),
            v: vector.clone(),
            numbers: vec![0.0; model.numbers.len() + model.memory.len()],
            a_bar: vector.clone(),
            lambda_bar: row.clone(),
            alpha: vector.clone(),
            beta: row.clone(),
            rate: row.clone(),
            value: row,
            zero: vector,
            duals: MotionDuals::new(model, rows),
        }
    }

    /// Sets gradients to zero.
    pub fn clear(&mut self) {
        for values in [
            &mut self.q,
            &mut self.v,
            &mut self.numbers,
            &mut self.a_bar,
            &mut self.lambda_bar,
        ] {
            values.fill(0.0);
        }
    }

    /// Sets weights to zero.
    pub fn clear_weights(&mut self) {
        for values in [&mut self.alpha, &mut self.beta, &mut self.rate, &mut self.value] {
            values.fill(0.0);
        }
    }

    /// Adds the gradient of the residual and of c' and c with the weights.
    pub fn add_residual_gradient(&mut self, model: &Model, at: &Instant, mode: &Mode, terms: &Terms) {
        let weights = Weights {
            alpha: &self.alpha,
            beta: &self.beta[..mode.rows],
            rate: &self.rate[..mode.rows],
            value: &self.value[..mode.rows],
        };
        let mut gradient = Gradient {
            q: &mut self.q,
            v: &mut self.v,
            numbers: &mut self.numbers,
        };
        model.residual_gradient(at, mode, terms, &weights, &mut gradient);
    }

    /// The gradient of an output goes here before it is carried through the dynamics.
    pub(super) fn split(&mut self, rows: usize) -> (MotionGradient<'_>, &mut MotionDuals) {
        let gradient = MotionGradient {
            q: &mut self.q,
            v: &mut self.v,
            a: &mut self.a_bar,
            lambda: &mut self.lambda_bar[..rows],
            numbers: &mut self.numbers,
        };
        (gradient, &mut self.duals)
    }
    /// Solves K [alpha; beta] = [a_bar; -lambda_bar] for the weights of what is to be subtracted: the gradient of
    /// alpha.r1 + beta.r2, and that of the part of q' that removes the violation of c', for a costate of the positions.
    pub fn solve(&mut self, mode: &Mode, mu: Option<&[f64]>, formulation: &mut Formulation, terms: &Terms) {
        for value in &mut self.lambda_bar[..mode.rows] {
            *value = -*value;
        }
        formulation.solve_transposed(
            mode,
            terms,
            &self.a_bar,
            &self.lambda_bar,
            &mut self.alpha,
            &mut self.beta,
        );
        // The solution is [alpha; -beta]; the gradient is subtracted: all weights change sign but beta.
        for value in &mut self.alpha {
            *value = -*value;
        }
        self.weigh_constraints(mode, mu, formulation, terms);
    }

    /// Weights of c' and c by formulation.
    fn weigh_constraints(&mut self, mode: &Mode, mu: Option<&[f64]>, formulation: &mut Formulation, terms: &Terms) {
        let (rate, value) = (&mut self.rate[..mode.rows], &mut self.value[..mode.rows]);
        rate.fill(0.0);
        value.fill(0.0);
        match formulation.in_force() {
            Formulation::Nullspace(nullspace) => {
                nullspace.transposed_correction(mode, mu.unwrap_or(&self.zero), rate);
                for value in rate {
                    *value = -*value;
                }
            }
            Formulation::Penalty(penalty) => {
                let (omega, xi) = (penalty.factors.omega, penalty.factors.xi);
                for ((rate, value), beta) in rate.iter_mut().zip(value).zip(&self.beta) {
                    *rate = 2.0 * xi * omega * beta;
                    *value = omega * omega * beta;
                }
            }
            Formulation::Saddle(saddle) => {
                saddle.transposed_correction(mode, terms, mu.unwrap_or(&self.zero), rate);
            }
            Formulation::Multipliers(_) => {}
        }
    }
}
