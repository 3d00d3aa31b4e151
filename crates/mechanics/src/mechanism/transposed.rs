//! Transposed derivatives of the flow and of outputs (theory, 2.3): one solve with the factors of the value, then element
//! gradients.

use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::{At, Cotangents};
use crate::linear::pairs;
use crate::model::Mode;
use crate::model::gradient::{MotionDuals, MotionGradient, MotionView};
use crate::model::quantity::Output;

/// Adds a gradient of what is read off a motion.
pub(super) type Fill<'f> = &'f mut dyn FnMut(&MotionView, &mut MotionDuals, &mut MotionGradient);

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
        if dynamic || at.mode.slide.is_some() {
            self.evaluate_motion(at, true, workspace)?;
            self.motion_vjp(at, None, workspace, cotangents, fill);
        } else {
            self.load(at, &mut workspace.terms);
            self.fill(at, workspace, fill);
            self.collect(at, workspace, cotangents);
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
        self.slide_vjp(at, workspace);
        let Workspace {
            transposed: scratch,
            formulation,
            terms,
            a,
            lambda,
            ..
        } = workspace;
        scratch.solve(at.mode, of_positions, formulation, terms);
        scratch.add_residual_gradient(&self.model, &self.instant(at, a, lambda), at.mode, terms);
        self.collect(at, workspace, cotangents);
    }

    /// Writes a gradient of the motion to the scratch.
    #[inline]
    fn fill(&self, at: At<Mode>, workspace: &mut Workspace, fill: Fill) {
        workspace.transposed.clear();
        self.add(at, workspace, fill);
    }

    /// Adds a gradient of the motion to the scratch.
    #[inline]
    pub(super) fn add(&self, at: At<Mode>, workspace: &mut Workspace, fill: Fill) {
        let Workspace {
            transposed: scratch,
            terms,
            a,
            lambda,
            ..
        } = workspace;
        let reading = MotionView {
            model: &self.model,
            mode: at.mode,
            motion: self.motion_with(at, a, lambda, &terms.numbers),
        };
        let (mut gradient, duals) = scratch.split(at.mode.rows);
        fill(&reading, duals, &mut gradient);
    }

    /// Adds the scratch to the gradient by state and numbers.
    fn collect(&self, at: At<Mode>, workspace: &mut Workspace, cotangents: Cotangents) {
        if !self.model.feedback.is_empty() {
            self.add(at, workspace, &mut |reading, duals, gradient| {
                self.model.follow_transposed(reading, duals, gradient);
            });
        }
        self.mixed_vjp(at, workspace);
        let (memory, scratch) = (self.model.memory_start(), &workspace.transposed);
        accumulate(&mut cotangents.x[self.positions()], &scratch.q);
        accumulate(&mut cotangents.x[self.velocities()], &scratch.v);
        accumulate(&mut cotangents.x[self.quadratures().end..], &scratch.numbers[memory..]);
        accumulate(cotangents.numbers, &scratch.numbers[..memory]);
    }
}

fn accumulate(to: &mut [f64], from: &[f64]) {
    pairs(to, from, |to, from| *to += from);
}
