//! Scratch of the transposed derivatives: weights of the equations, and the gradients that they give.

use crate::formulation::{Formulation, LaneScratch};
use crate::linear::{Lane, Weight};
use crate::model::gradient::{Gradient, MotionGradient, Weights};
use crate::model::residual::Instant;
use crate::model::{Mode, Model, Terms};

/// Scratch of the transposed derivatives, of one functional or of several side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct TransposedScratch<T = f64> {
    /// Gradient with respect to positions, velocities and numbers (with memory), apart from accelerations and
    /// multipliers; and with respect to these, nv and one per row.
    pub q: Vec<T>,
    pub v: Vec<T>,
    pub numbers: Vec<T>,
    pub a_bar: Vec<T>,
    pub lambda_bar: Vec<T>,
    /// Solution of the transposed system.
    alpha: Vec<T>,
    beta: Vec<T>,
    /// Weights of c' and c.
    pub rate: Vec<T>,
    pub value: Vec<T>,
}

impl<T: Weight> TransposedScratch<T> {
    pub fn new(model: &Model, rows: usize) -> Self {
        let (vector, row) = (vec![T::zero(); model.nv()], vec![T::zero(); rows]);
        Self {
            q: vec![T::zero(); model.nq()],
            v: vector.clone(),
            numbers: vec![T::zero(); model.numbers.len() + model.memory.len()],
            a_bar: vector.clone(),
            lambda_bar: row.clone(),
            alpha: vector,
            beta: row.clone(),
            rate: row.clone(),
            value: row,
        }
    }

    /// Sets gradients to zero.
    pub fn clear(&mut self) {
        for values in self.parts() {
            values.fill(T::zero());
        }
    }

    /// The gradients: by positions, velocities, accelerations, multipliers and numbers.
    pub fn parts(&mut self) -> [&mut Vec<T>; 5] {
        let Self {
            q,
            v,
            numbers,
            a_bar,
            lambda_bar,
            ..
        } = self;
        [q, v, a_bar, lambda_bar, numbers]
    }

    /// Sets weights to zero.
    pub fn clear_weights(&mut self) {
        for values in [&mut self.alpha, &mut self.beta, &mut self.rate, &mut self.value] {
            values.fill(T::zero());
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

    /// Right-hand sides of the transposed system: a_bar and -lambda_bar.
    fn turn_multipliers(&mut self, mode: &Mode) {
        for value in &mut self.lambda_bar[..mode.rows] {
            *value = -*value;
        }
    }

    /// The solution is [alpha; -beta]; the gradient is subtracted: all weights change sign but beta. Under a penalty it
    /// weighs c' and c as well.
    fn weigh(&mut self, mode: &Mode, formulation: &mut Formulation) {
        for value in &mut self.alpha {
            *value = -*value;
        }
        let (rate, value) = (&mut self.rate[..mode.rows], &mut self.value[..mode.rows]);
        rate.fill(T::zero());
        value.fill(T::zero());
        if let Formulation::Penalty(penalty) = formulation {
            let (omega, xi) = (penalty.factors.omega, penalty.factors.xi);
            for ((rate, value), beta) in rate.iter_mut().zip(value).zip(&self.beta) {
                *rate = *beta * (2.0 * xi * omega);
                *value = *beta * (omega * omega);
            }
        }
    }
}

impl TransposedScratch {
    /// The gradient of an output goes here before it is carried through the dynamics.
    pub fn split(&mut self, rows: usize) -> MotionGradient<'_> {
        MotionGradient {
            q: &mut self.q,
            v: &mut self.v,
            a: &mut self.a_bar,
            lambda: &mut self.lambda_bar[..rows],
            numbers: &mut self.numbers,
        }
    }

    /// Leaves no gradient that is a number where accelerations or multipliers were read.
    pub fn refuse_dynamics(&mut self) {
        let mut read = self.a_bar.iter().chain(&self.lambda_bar);
        if read.any(|slope| *slope != 0.0) {
            for values in self.parts() {
                values.fill(f64::NAN);
            }
        }
    }

    /// Solves K [alpha; beta] = [a_bar; -lambda_bar] for the weights of what is to be subtracted: the gradient of
    /// alpha.r1 + beta.r2, and that of the part of q' that removes the violation of c', for a costate of the positions.
    pub fn solve(&mut self, mode: &Mode, mu: Option<&[f64]>, formulation: &mut Formulation, terms: &Terms) {
        self.turn_multipliers(mode);
        let (alpha, beta) = (&mut self.alpha, &mut self.beta);
        formulation.solve_transposed(mode, terms, &self.a_bar, &self.lambda_bar, alpha, beta);
        self.weigh(mode, formulation);
        if let Some(mu) = mu {
            formulation.transposed_correction(mode, terms, mu, &mut self.rate[..mode.rows]);
        }
    }
}

impl TransposedScratch<Lane> {
    /// The same for several functionals.
    pub fn solve_lanes(
        &mut self,
        (mode, terms): (&Mode, &Terms),
        mu: &[Lane],
        formulation: &mut Formulation,
        scratch: &mut LaneScratch,
    ) {
        self.turn_multipliers(mode);
        let right = (&self.a_bar[..], &self.lambda_bar[..mode.rows]);
        let found = (&mut self.alpha[..], &mut self.beta[..mode.rows]);
        formulation.solve_transposed_lanes((mode, terms), right, found, scratch);
        self.weigh(mode, formulation);
        formulation.transposed_correction_lanes((mode, terms), mu, &mut self.rate[..mode.rows]);
    }
}
