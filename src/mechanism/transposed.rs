//! Transposed derivative of the flow (theory, 2.3): one solve with the factors of the value, then element gradients.

use super::{Mechanism, Workspace};
use crate::formulation::Formulation;
use crate::model::Mode;
use crate::model::gradient::{Gradient, Weights};
use crate::model::quantity::{Motion, Output};
use crate::model::residual::Instant;
use crate::scalar::Dual64;

/// Scratch of the transposed derivative.
#[derive(Clone, Debug, Default)]
pub(super) struct TransposedScratch {
    /// Gradient with respect to accelerations, nv, and multipliers, one per row.
    a_bar: Vec<f64>,
    lambda_bar: Vec<f64>,
    /// Solution of the transposed system.
    alpha: Vec<f64>,
    beta: Vec<f64>,
    /// Weights of c' and c.
    rate: Vec<f64>,
    value: Vec<f64>,
    /// Gradients.
    q: Vec<f64>,
    v: Vec<f64>,
    numbers: Vec<f64>,
    /// The motion as dual numbers without derivatives.
    duals: [Vec<Dual64>; 5],
}

impl TransposedScratch {
    pub fn new(nv: usize, rows: usize, numbers: usize) -> Self {
        let zero = Dual64::from(0.0);
        let (vector, row) = (vec![0.0; nv], vec![0.0; rows]);
        Self {
            a_bar: vector.clone(),
            lambda_bar: row.clone(),
            alpha: vector.clone(),
            beta: row.clone(),
            rate: row.clone(),
            value: row,
            q: vector.clone(),
            v: vector,
            numbers: vec![0.0; numbers],
            duals: [
                vec![zero; nv],
                vec![zero; nv],
                vec![zero; nv],
                vec![zero; rows],
                vec![zero; numbers],
            ],
        }
    }
}

impl Mechanism {
    /// Adds F_x^T mu to `x_bar` and F_theta^T mu to `numbers_bar`, at the state of the last linearization.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn flow_transposed_at(
        &self,
        t: f64,
        mode: &Mode,
        x: &[f64],
        mu: &[f64],
        workspace: &mut Workspace,
        x_bar: &mut [f64],
        numbers_bar: &mut [f64],
    ) {
        let mut scratch = std::mem::take(&mut workspace.transposed);
        scratch.a_bar.copy_from_slice(&mu[self.velocities()]);
        scratch.lambda_bar[..mode.rows].fill(0.0);
        scratch.q.fill(0.0);
        scratch.v.copy_from_slice(&mu[self.positions()]);
        scratch.numbers.fill(0.0);
        for (integrand, &weight) in self.model.integrands.iter().zip(&mu[self.quadratures()]) {
            if weight != 0.0 {
                self.output_gradient(integrand, weight, t, mode, x, workspace, &mut scratch);
            }
        }
        self.through_dynamics(t, mode, x, mu, workspace, &mut scratch);
        add(&mut x_bar[self.positions()], &scratch.q);
        add(&mut x_bar[self.velocities()], &scratch.v);
        let memory = self.model.memory_start();
        add(&mut x_bar[self.quadratures().end..], &scratch.numbers[memory..]);
        add(numbers_bar, &scratch.numbers[..memory]);
        workspace.transposed = scratch;
    }

    /// Solves K [alpha; beta] = [a_bar; -lambda_bar] and subtracts the gradient of alpha.r1 + beta.r2, and that of the
    /// part of q' that removes the violation of c'.
    fn through_dynamics(
        &self,
        t: f64,
        mode: &Mode,
        x: &[f64],
        mu: &[f64],
        workspace: &mut Workspace,
        scratch: &mut TransposedScratch,
    ) {
        let Workspace {
            terms,
            formulation,
            a,
            lambda,
            ..
        } = workspace;
        let rows = mode.rows;
        for value in &mut scratch.lambda_bar[..rows] {
            *value = -*value;
        }
        formulation.solve(
            mode,
            terms,
            &scratch.a_bar,
            &scratch.lambda_bar,
            &mut scratch.alpha,
            &mut scratch.beta,
        );
        // The solution is [alpha; -beta]; the gradient is subtracted: all weights change sign but beta.
        for value in &mut scratch.alpha {
            *value = -*value;
        }
        scratch.rate[..rows].fill(0.0);
        scratch.value[..rows].fill(0.0);
        match formulation {
            Formulation::Nullspace(nullspace) => {
                nullspace.transposed_correction(mode, &mu[self.positions()], &mut scratch.rate[..rows]);
                for value in &mut scratch.rate[..rows] {
                    *value = -*value;
                }
            }
            Formulation::Penalty(penalty) => {
                let (omega, xi) = (penalty.factors.omega, penalty.factors.xi);
                for row in 0..rows {
                    scratch.rate[row] = 2.0 * xi * omega * scratch.beta[row];
                    scratch.value[row] = omega * omega * scratch.beta[row];
                }
            }
            Formulation::Multipliers(_) => {}
        }
        let at = Instant {
            t,
            q: &x[self.positions()],
            v: &x[self.velocities()],
            a,
            lambda: &lambda[..rows],
        };
        let TransposedScratch {
            alpha,
            beta,
            rate,
            value,
            q,
            v,
            numbers,
            ..
        } = scratch;
        let weights = Weights {
            alpha,
            beta: &beta[..rows],
            rate: &rate[..rows],
            value: &value[..rows],
        };
        self.model
            .residual_gradient(&at, mode, terms, &weights, &mut Gradient { q, v, numbers });
    }

    /// Adds weight times the gradient of an output with respect to its own arguments.
    #[allow(clippy::too_many_arguments)]
    fn output_gradient(
        &self,
        output: &Output,
        weight: f64,
        t: f64,
        mode: &Mode,
        x: &[f64],
        workspace: &Workspace,
        scratch: &mut TransposedScratch,
    ) {
        let Workspace { a, lambda, terms, .. } = workspace;
        let mut duals = std::mem::take(&mut scratch.duals);
        let sources: [&[f64]; 5] = [
            &x[self.positions()],
            &x[self.velocities()],
            a,
            &lambda[..mode.rows],
            &terms.numbers,
        ];
        for (dual, source) in duals.iter_mut().zip(sources) {
            for (slot, &value) in dual.iter_mut().zip(source) {
                *slot = Dual64::from(value);
            }
        }
        let bars: [&mut [f64]; 5] = [
            &mut scratch.q,
            &mut scratch.v,
            &mut scratch.a_bar,
            &mut scratch.lambda_bar[..mode.rows],
            &mut scratch.numbers,
        ];
        for (which, bar) in bars.into_iter().enumerate() {
            for (i, slot) in bar.iter_mut().enumerate() {
                duals[which][i].eps = 1.0;
                let [q, v, a, lambda, numbers] = &duals;
                let motion = Motion {
                    t: Dual64::from(t),
                    q,
                    v,
                    a,
                    lambda: &lambda[..mode.rows],
                    numbers,
                };
                *slot += weight * output.evaluate(&self.model, mode, &motion).eps;
                duals[which][i].eps = 0.0;
            }
        }
        scratch.duals = duals;
    }
}

fn add(to: &mut [f64], from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}
