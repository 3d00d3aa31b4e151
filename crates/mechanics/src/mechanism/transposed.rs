//! Transposed derivatives of the flow and of outputs (theory, 2.3): one solve with the factors of the value, then element
//! gradients.

use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::formulation::Formulation;
use crate::hybrid::{At, Cotangents};
use crate::linear::pairs;
use crate::model::gradient::{Gradient, MotionDuals, MotionGradient, Reading, Weights};
use crate::model::quantity::Output;
use crate::model::residual::Instant;
use crate::model::{Mode, Model, Terms};

/// Adds a gradient of what is read off a motion.
pub(super) type Fill<'f> = &'f mut dyn FnMut(&Reading, &mut MotionDuals, &mut MotionGradient);

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
}

impl Mechanism {
    /// Adds weight times the gradient of an output with time held, at the state of the last linearization.
    pub fn output_vjp(
        &self,
        output: &Output,
        weight: f64,
        at: At<Mode>,
        workspace: &mut Workspace,
        cotangents: Cotangents,
    ) {
        self.motion_vjp(at, None, workspace, cotangents, &mut |reading, duals, gradient| {
            output.add_gradient(weight, reading, duals, gradient);
        });
    }

    /// Adds what `fill` adds to the gradient of what is read off a motion, carried through the dynamics if it reads
    /// accelerations or multipliers.
    ///
    /// # Errors
    /// As for the flow.
    pub(super) fn reading_vjp(
        &self,
        at: At<Mode>,
        dynamic: bool,
        workspace: &mut Workspace,
        cotangents: Cotangents,
        fill: Fill,
    ) -> Result<()> {
        if dynamic {
            self.evaluate_motion(at, true, workspace)?;
            self.motion_vjp(at, None, workspace, cotangents, fill);
        } else {
            self.load_memory(at.x, &mut workspace.terms);
            self.fill(at, workspace, fill);
            self.collect(&workspace.transposed, cotangents);
        }
        Ok(())
    }

    /// Carries a gradient of the motion of the last linearization that `fill` adds, and a costate of the positions, through
    /// the dynamics.
    pub(super) fn motion_vjp(
        &self,
        at: At<Mode>,
        of_positions: Option<&[f64]>,
        workspace: &mut Workspace,
        cotangents: Cotangents,
        fill: Fill,
    ) {
        self.fill(at, workspace, fill);
        let zero = std::mem::take(&mut workspace.transposed.zero);
        self.through_dynamics(at, of_positions.unwrap_or(&zero), workspace);
        workspace.transposed.zero = zero;
        self.collect(&workspace.transposed, cotangents);
    }

    /// Writes a gradient of the motion to the scratch.
    #[inline]
    fn fill(&self, at: At<Mode>, workspace: &mut Workspace, fill: Fill) {
        let Workspace {
            transposed: scratch,
            terms,
            a,
            lambda,
            ..
        } = workspace;
        scratch.clear();
        let reading = Reading {
            model: &self.model,
            mode: at.mode,
            motion: self.motion_with(at, a, lambda, &terms.numbers),
        };
        let (mut gradient, duals) = scratch.split(at.mode.rows);
        fill(&reading, duals, &mut gradient);
    }

    fn collect(&self, scratch: &TransposedScratch, cotangents: Cotangents) {
        let memory = self.model.memory_start();
        add(&mut cotangents.x[self.positions()], &scratch.q);
        add(&mut cotangents.x[self.velocities()], &scratch.v);
        add(&mut cotangents.x[self.quadratures().end..], &scratch.numbers[memory..]);
        add(cotangents.numbers, &scratch.numbers[..memory]);
    }

    /// Solves K [alpha; beta] = [a_bar; -lambda_bar] and subtracts the gradient of alpha.r1 + beta.r2, and that of the
    /// part of q' that removes the violation of c', for the costate `mu` of the positions.
    fn through_dynamics(&self, at: At<Mode>, mu: &[f64], workspace: &mut Workspace) {
        let (mode, rows) = (at.mode, at.mode.rows);
        let Workspace {
            transposed: scratch,
            formulation,
            terms,
            a,
            lambda,
            ..
        } = workspace;
        for value in &mut scratch.lambda_bar[..rows] {
            *value = -*value;
        }
        let TransposedScratch {
            a_bar,
            lambda_bar,
            alpha,
            beta,
            ..
        } = scratch;
        formulation.solve_transposed(mode, terms, a_bar, lambda_bar, alpha, beta);
        // The solution is [alpha; -beta]; the gradient is subtracted: all weights change sign but beta.
        for value in alpha {
            *value = -*value;
        }
        scratch.weigh_constraints(mode, mu, formulation);
        scratch.add_residual_gradient(&self.model, &self.instant(at, a, lambda), mode, terms);
    }
}

impl TransposedScratch {
    /// Weights of c' and c by formulation.
    fn weigh_constraints(&mut self, mode: &Mode, mu: &[f64], formulation: &mut Formulation) {
        let (rate, value) = (&mut self.rate[..mode.rows], &mut self.value[..mode.rows]);
        rate.fill(0.0);
        value.fill(0.0);
        match formulation {
            Formulation::Nullspace(nullspace) => {
                nullspace.transposed_correction(mode, mu, rate);
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
            Formulation::Multipliers(_) => {}
        }
    }
}

fn add(to: &mut [f64], from: &[f64]) {
    pairs(to, from, |to, from| *to += from);
}
