//! The derivatives of the mechanism as a hybrid system. That of a jump follows by implicit differentiation of the linear
//! system that the impact solved (theory, section 4).

use super::condition::Before;
use super::impact_problem::{ImpactPlan, saddle, solved};
use super::memory::Written;
use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Tangent};
use crate::linear::{Lu, add_scaled};
use crate::model::{ContactState, Mode};
use crate::scalar::Dual64;

/// A jump prepared for differentiation at the state before it.
#[derive(Clone, Debug)]
pub struct LinearizedJump {
    pub(super) t: f64,
    /// State before.
    pub(super) x: Vec<f64>,
    /// The impact and the factors of its system, when velocities jumped.
    pub(super) impact: Option<(ImpactPlan, Lu)>,
    /// Contacts that stick at this jump: their places are remembered.
    pub(super) sticking: Vec<usize>,
    /// What the jump puts into memory.
    pub(super) written: Vec<Written>,
}

impl Differentiable for Mechanism {
    type LinearizedJump = LinearizedJump;

    fn numbers(&self) -> usize {
        self.model.numbers.len()
    }

    fn linearize(&self, at: At<Mode>, workspace: &mut Workspace) -> Result<()> {
        self.evaluate_motion(at, true, workspace)
    }

    fn flow_jvp(&self, at: At<Mode>, along: &Tangent, workspace: &mut Workspace, out: &mut [f64]) {
        self.differentiate_motion(at, along, workspace);
        out[self.positions()].copy_from_slice(&workspace.q_dot);
        out[self.velocities()].copy_from_slice(&workspace.da);
        let motion = self.differentiated_motion(at, along, workspace);
        for (slot, integrand) in out[self.quadratures()].iter_mut().zip(&self.model.integrands) {
            *slot = integrand.along(&self.model, at.mode, &motion);
        }
        out[self.quadratures().end..].fill(0.0);
    }

    fn flow_vjp(&self, at: At<Mode>, mu: &[f64], workspace: &mut Workspace, cotangents: Cotangents) {
        let of_positions = Some(&mu[self.positions()]);
        self.motion_vjp(
            at,
            of_positions,
            workspace,
            cotangents,
            &mut |reading, duals, gradient| {
                gradient.a.copy_from_slice(&mu[self.velocities()]);
                gradient.v.copy_from_slice(&mu[self.positions()]);
                for (integrand, &weight) in self.model.integrands.iter().zip(&mu[self.quadratures()]) {
                    if weight != 0.0 {
                        integrand.add_gradient(weight, reading, duals, gradient);
                    }
                }
            },
        );
    }

    /// Factors the constraint Jacobian.
    fn linearize_projection(&self, at: At<Mode>, workspace: &mut Workspace) {
        if !self.projects(at.mode) {
            return;
        }
        let Workspace {
            terms,
            projector,
            regularity,
            ..
        } = workspace;
        self.load(at, terms);
        self.assemble_constraints(at, terms);
        *regularity = Some((at.t, projector.factor(at.mode, terms)));
    }

    /// dq <- dq - C+ dc, then dv <- dv - C+ d(c') with the new dq (theory, 8.1).
    fn project_jvp(&self, at: At<Mode>, along: &mut [f64], numbers: &[f64], workspace: &mut Workspace) {
        if !self.projects(at.mode) || at.mode.rows == 0 {
            return;
        }
        let Workspace {
            terms,
            projector,
            correction,
            numbers: own,
            along: residual,
            a,
            lambda,
            ..
        } = workspace;
        for part in [self.positions(), self.velocities()] {
            let tangent = Tangent::new(0.0, along, numbers);
            let direction = self.direction(&tangent, own);
            let instant = self.instant(at, a, lambda);
            self.model
                .residual_along(&instant, at.mode, terms, &direction, residual);
            let violation = if part.start == 0 { &residual.c } else { &residual.rate };
            projector.least_correction(at.mode, terms, violation, correction);
            add_scaled(&mut along[part], -1.0, correction);
        }
    }

    fn project_vjp(&self, at: At<Mode>, mu: &mut [f64], numbers_bar: &mut [f64], workspace: &mut Workspace) {
        if !self.projects(at.mode) || at.mode.rows == 0 {
            return;
        }
        let memory = self.model.memory_start();
        let Workspace {
            transposed: scratch,
            terms,
            projector,
            correction,
            a,
            lambda,
            ..
        } = workspace;
        for part in [self.velocities(), self.positions()] {
            correction.copy_from_slice(&mu[part.clone()]);
            // The gradient of y.c or y.c' with y = (C+)^T mu over the positions or velocities.
            scratch.clear();
            scratch.clear_weights();
            let y = if part.start == 0 {
                &mut scratch.value
            } else {
                &mut scratch.rate
            };
            projector.transposed(at.mode, terms, correction, &mut y[..at.mode.rows]);
            scratch.add_residual_gradient(&self.model, &self.instant(at, a, lambda), at.mode, terms);
            add_scaled(&mut mu[self.positions()], -1.0, &scratch.q);
            add_scaled(&mut mu[self.velocities()], -1.0, &scratch.v);
            add_scaled(numbers_bar, -1.0, &scratch.numbers[..memory]);
            add_scaled(&mut mu[self.quadratures().end..], -1.0, &scratch.numbers[memory..]);
        }
    }

    fn guard_jvp(&self, guard: usize, at: At<Mode>, along: &Tangent, workspace: &mut Workspace) -> Result<f64> {
        let value = self.guard_value(guard, at.mode);
        let motion = self.motion_along(at, along, value.needs_dynamics(&self.model), workspace)?;
        Ok(value.evaluate(&self.model, at.mode, &motion).eps)
    }

    fn guard_vjp(&self, guard: usize, at: At<Mode>, workspace: &mut Workspace, cotangents: Cotangents) -> Result<()> {
        let value = self.guard_value(guard, at.mode);
        let dynamic = value.needs_dynamics(&self.model);
        self.reading_vjp(at, dynamic, workspace, cotangents, &mut |reading, duals, gradient| {
            value.add_gradient(reading, duals, gradient);
        })
    }

    fn linearize_jump(&self, at: At<Mode>, fired: &[usize], workspace: &mut Workspace) -> Result<LinearizedJump> {
        let mut after = at.x.to_vec();
        let jump = self.jump(at.t, at.mode, &mut after, fired, workspace)?;
        let assignments = std::mem::take(&mut workspace.assignments);
        let mut linearized = self.linearize_impact(&at.mode.contacts, At::new(at.t, &jump.mode, at.x), workspace)?;
        linearized.written = self.written(at, &assignments, workspace)?;
        Ok(linearized)
    }

    fn jump_jvp(&self, jump: &LinearizedJump, along: &Tangent, workspace: &mut Workspace, out: &mut [f64]) {
        out.copy_from_slice(along.x);
        let (memory, state) = (self.model.memory_start(), self.quadratures().end);
        self.load_memory(&jump.x, &mut workspace.terms);
        let q = duals(&jump.x[self.positions()], &along.x[self.positions()]);
        let slopes = [along.numbers, &along.x[state..]].concat();
        let mut numbers = duals(&workspace.terms.numbers, &slopes);
        for (slot, value) in self.marks(&jump.sticking, &q, &mut numbers) {
            out[state + slot] = value.eps;
        }
        for written in &jump.written {
            let slope = written.along(along);
            out[state + written.slot] = slope;
            numbers[memory + written.slot] = Dual64::new(written.value, slope);
        }
        let Some((plan, lu)) = &jump.impact else { return };
        let before = Before {
            t: Dual64::new(jump.t, along.t),
            q: &q,
            v: &duals(&plan.before, &along.x[self.velocities()]),
            numbers: &numbers,
        };
        let residual = self.impact_residual(&self.conditions(plan, before), before, &solved(plan));
        let mut right: Vec<f64> = residual.iter().map(|value| -value.eps).collect();
        lu.clone().solve(&mut right);
        out[self.velocities()].copy_from_slice(&right[..self.model.nv()]);
    }

    fn jump_vjp(&self, jump: &LinearizedJump, mu: &[f64], workspace: &mut Workspace, cotangents: Cotangents) {
        let memory = self.model.memory_start();
        let mut x_bar = mu.to_vec();
        let mut numbers_bar = vec![0.0; memory + self.model.memory.len()];
        if let Some((plan, lu)) = &jump.impact {
            self.impact_vjp(jump, (plan, lu), (&mut x_bar, &mut numbers_bar), workspace);
        }
        self.marks_vjp(jump, workspace, &mut x_bar, &mut numbers_bar);
        self.written_vjp(&jump.written, &mut x_bar, &mut numbers_bar);
        for (slot, value) in x_bar[self.quadratures().end..].iter_mut().zip(&numbers_bar[memory..]) {
            *slot += value;
        }
        cotangents.add(&x_bar, &numbers_bar[..memory]);
    }
}

impl Mechanism {
    /// The impact solved last, at the state before it with the mode after it, ready to be differentiated; `before` are the
    /// states of the contacts before it.
    ///
    /// # Errors
    /// Kind `Singular` as for the impact.
    pub(super) fn linearize_impact(
        &self,
        before: &[ContactState],
        at: At<Mode>,
        workspace: &mut Workspace,
    ) -> Result<LinearizedJump> {
        let mut linearized = LinearizedJump {
            t: at.t,
            x: at.x.to_vec(),
            impact: None,
            sticking: Vec::new(),
            written: Vec::new(),
        };
        if let Some(plan) = workspace.plan.take() {
            let stuck = ContactState::Stuck;
            let sticks = |&contact: &usize| at.mode.contacts[contact] == stuck && before[contact] != stuck;
            linearized.sticking = (0..before.len()).filter(sticks).collect();
            let terms = &mut workspace.terms;
            self.load_memory(at.x, terms);
            self.model
                .assemble(at.t, &at.x[self.positions()], &plan.before, at.mode, terms);
            let independent = &plan.solution.independent;
            let lu = saddle(at.t, &terms.mass, &plan.rows, independent)?;
            linearized.impact = Some((plan, lu));
        }
        Ok(linearized)
    }
}

/// Values with their derivatives.
fn duals(values: &[f64], slopes: &[f64]) -> Vec<Dual64> {
    values.iter().zip(slopes).map(|(x, dx)| Dual64::new(*x, *dx)).collect()
}
