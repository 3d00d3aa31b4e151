//! Derivative of the flow along a direction, by the implicit residual path (theory, 2.1): one solve with the factors of
//! the value.

use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::formulation::Formulation;
use crate::hybrid::{At, Tangent};
use crate::model::Mode;
use crate::model::constraint::Direction;
use crate::model::quantity::Motion;
use crate::model::residual::join;
use crate::scalar::Dual64;

impl Mechanism {
    /// Evaluates the motion with multipliers at a state, so that [`Mechanism::flow_slope`] may be called there.
    ///
    /// # Errors
    /// As for the flow.
    pub(super) fn linearize_at(&self, at: At<Mode>, workspace: &mut Workspace) -> Result<()> {
        self.evaluate_motion(at, true, workspace)
    }

    /// Writes dF along a direction in (t, x, numbers), at the state of the last [`Mechanism::linearize_at`].
    pub(super) fn flow_slope(&self, at: At<Mode>, along: &Tangent, workspace: &mut Workspace, out: &mut [f64]) {
        let At { t, mode, .. } = at;
        self.motion_slope(at, along, workspace);
        let nv = self.model.nv();
        out[..nv].copy_from_slice(&workspace.q_dot);
        out[nv..2 * nv].copy_from_slice(&workspace.da);
        let motion = self.motion_along(t, mode, along, workspace);
        for (slot, integrand) in out[self.quadratures()].iter_mut().zip(&self.model.integrands) {
            *slot = integrand.evaluate(&self.model, mode, &motion).eps;
        }
        out[self.quadratures().end..].fill(0.0);
    }

    /// d(q') into `q_dot`, da and d(lambda) along a direction, at the linearized state.
    pub(super) fn motion_slope(&self, at: At<Mode>, along: &Tangent, workspace: &mut Workspace) {
        let mode = at.mode;
        let Workspace {
            terms,
            formulation,
            a,
            lambda,
            q_dot,
            along: residual,
            numbers,
            right,
            da,
            dlambda,
            a_dual,
            lambda_dual,
            ..
        } = workspace;
        let memory = self.model.memory_start();
        numbers[..memory].copy_from_slice(along.numbers);
        numbers[memory..].copy_from_slice(&along.x[self.quadratures().end..]);
        let at = self.instant(at, a, lambda);
        let direction = Direction {
            t: along.t,
            q: &along.x[self.positions()],
            v: &along.x[self.velocities()],
            numbers,
        };
        self.model.residual_along(&at, mode, terms, &direction, residual);
        for value in &mut residual.force {
            *value = -*value;
        }
        for (row, value) in right[..mode.rows].iter_mut().enumerate() {
            *value = -residual.acceleration[row];
            if let Formulation::Penalty(penalty) = formulation {
                *value -= penalty.factors.stabilization(residual.c[row], residual.rate[row]);
            }
        }
        formulation.solve(mode, terms, &residual.force, right, da, dlambda);
        join(a_dual, a, da);
        join(lambda_dual, &lambda[..mode.rows], dlambda);
        q_dot.copy_from_slice(direction.v);
        formulation.velocity_slopes(&self.model, mode, terms, &at, &direction, residual, q_dot);
        // The residual's buffers were overwritten if the state is off the manifold.
        residual.seed(&at, &terms.numbers, &direction);
    }

    /// The motion with its derivatives along the direction of the last [`Mechanism::motion_slope`].
    pub(super) fn motion_along<'a>(
        &self,
        t: f64,
        mode: &Mode,
        along: &Tangent,
        workspace: &'a Workspace,
    ) -> Motion<'a, Dual64> {
        Motion {
            t: Dual64::new(t, along.t),
            q: &workspace.along.q,
            v: &workspace.along.v,
            a: &workspace.a_dual,
            lambda: &workspace.lambda_dual[..mode.rows],
            numbers: &workspace.along.numbers,
        }
    }
}
