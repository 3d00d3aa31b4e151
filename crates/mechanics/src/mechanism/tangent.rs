//! Derivative of the flow along a direction, by the implicit residual path (theory, 2.1): one solve with the factors of
//! the value.

use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::formulation::{Formulation, Variation};
use crate::hybrid::{At, Tangent};
use crate::model::Mode;
use crate::model::constraint::Direction;
use crate::model::quantity::Motion;
use crate::model::residual::join;
use crate::scalar::Dual64;

impl Mechanism {
    /// The motion at a state with its derivatives along a direction; the accelerations and multipliers among them only where
    /// they are asked for.
    ///
    /// # Errors
    /// As for the flow.
    pub fn motion_along<'a>(
        &'a self,
        at: At<Mode>,
        along: &Tangent,
        dynamic: bool,
        workspace: &'a mut Workspace,
    ) -> Result<Motion<'a, Dual64>> {
        let departs = at.mode.departure_at(at.t).is_some();
        if dynamic && departs {
            self.evaluate_motion(at, true, workspace)?;
            self.forget_derivatives(workspace);
        }
        if !departs && (dynamic || !at.mode.slides.is_empty()) {
            self.evaluate_motion(at, true, workspace)?;
            self.differentiate_motion(at, along, workspace);
        } else {
            self.load(at, &mut workspace.terms);
            let Workspace {
                terms,
                numbers,
                a,
                along: residual,
                ..
            } = workspace;
            residual.seed(
                (&self.model, at.mode),
                &self.instant(at, a, &[]),
                &terms.numbers,
                &self.direction(along, numbers),
            );
        }
        Ok(self.differentiated_motion(at, along, workspace))
    }

    /// The same with accelerations and multipliers.
    ///
    /// # Errors
    /// As for the flow.
    pub fn motion_jvp<'a>(
        &'a self,
        at: At<Mode>,
        along: &Tangent,
        workspace: &'a mut Workspace,
    ) -> Result<Motion<'a, Dual64>> {
        self.motion_along(at, along, true, workspace)
    }

    /// A direction in the arguments of the residual; its numbers, followed by memory, are written to `numbers`.
    pub(super) fn direction<'a>(&self, along: &'a Tangent, numbers: &'a mut [f64]) -> Direction<'a> {
        let memory = self.model.memory_start();
        numbers[..memory].copy_from_slice(along.numbers);
        numbers[memory..].copy_from_slice(&along.x[self.quadratures().end..]);
        // Friction forces follow from the motion.
        for friction in &self.model.frictions {
            friction.numbers.iter().for_each(|&number| numbers[number] = 0.0);
        }
        self.direction_with(along, numbers)
    }

    /// The same with these numbers.
    fn direction_with<'a>(&self, along: &'a Tangent, numbers: &'a [f64]) -> Direction<'a> {
        Direction {
            t: along.t,
            q: &along.x[self.positions()],
            v: &along.x[self.velocities()],
            numbers,
        }
    }

    /// d(q') into `q_dot`, da and d(lambda) along a direction, at the linearized state.
    pub(super) fn differentiate_motion(&self, at: At<Mode>, along: &Tangent, workspace: &mut Workspace) {
        self.direct(at, along, workspace);
        self.differentiate_accelerations(at, along, workspace);
        let (mode, q, v) = (at.mode, &along.x[self.positions()], &along.x[self.velocities()]);
        self.end_slide_jvp(at, [q, v], along.t, workspace);
        if !mode.grips.is_empty() {
            let Workspace {
                a,
                lambda,
                da,
                dlambda,
                a_dual,
                lambda_dual,
                ..
            } = workspace;
            join(a_dual, a, da);
            join(lambda_dual, &lambda[..mode.rows], dlambda);
            self.rub_jvp(at, along, workspace);
        }
        let Workspace {
            terms,
            formulation,
            a,
            lambda,
            q_dot,
            u,
            du,
            along: residual,
            numbers,
            da,
            dlambda,
            a_dual,
            lambda_dual,
            ..
        } = workspace;
        let at = self.instant(at, a, lambda);
        let direction = self.direction_with(along, numbers);
        join(a_dual, a, da);
        join(lambda_dual, &lambda[..mode.rows], dlambda);
        let variation = Variation {
            model: &self.model,
            mode,
            terms,
            at,
            direction,
        };
        if self.model.frames.is_empty() {
            q_dot.copy_from_slice(direction.v);
            formulation.velocity_slopes(&variation, residual, q_dot);
        } else {
            formulation.velocities(mode, terms, at.v, u);
            du.copy_from_slice(direction.v);
            formulation.velocity_slopes(&variation, residual, du);
            // d(Z u) is Z du + (dZ) u, and Z is linear in q.
            self.model.write_rates(at.q, du, q_dot);
            self.model.add_turned_rates(direction.q, u, q_dot);
        }
        // The residual's buffers were overwritten if the state is off the manifold.
        residual.seed((&self.model, mode), &at, &terms.numbers, &direction);
    }

    /// Writes the direction of the numbers, of those that are mixed along a guard with their shares held.
    fn direct(&self, at: At<Mode>, along: &Tangent, workspace: &mut Workspace) {
        let Workspace {
            terms,
            a,
            along: residual,
            numbers,
            ..
        } = workspace;
        let direction = self.direction(along, numbers);
        if !at.mode.slides.is_empty() {
            let instant = self.instant(at, a, &[]);
            residual.seed((&self.model, at.mode), &instant, &terms.numbers, &direction);
            self.begin_slide_jvp(at, workspace);
        }
    }

    /// da and d(lambda) along a direction whose numbers have been written.
    fn differentiate_accelerations(&self, at: At<Mode>, along: &Tangent, workspace: &mut Workspace) {
        let mode = at.mode;
        let Workspace {
            terms,
            formulation,
            a,
            lambda,
            along: residual,
            numbers,
            right,
            da,
            dlambda,
            ..
        } = workspace;
        let at = self.instant(at, a, lambda);
        let direction = self.direction_with(along, numbers);
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
    }

    /// The motion with its derivatives along the direction of the last [`Mechanism::differentiate_motion`].
    pub(super) fn differentiated_motion<'a>(
        &'a self,
        at: At<Mode>,
        along: &Tangent,
        workspace: &'a Workspace,
    ) -> Motion<'a, Dual64> {
        Motion {
            t: Dual64::new(at.t, along.t),
            q: &workspace.along.q,
            v: &workspace.along.v,
            a: &workspace.a_dual,
            lambda: &workspace.lambda_dual[..at.mode.rows],
            numbers: &workspace.along.numbers,
            frames: &self.model.frames,
        }
    }
}
