//! Transposed derivatives of the flow and of outputs (theory, 2.3): one solve with the factors of the value, then element
//! gradients.

use super::tangent_scratch::IntegrandGradient;
use super::transposed_scratch::TransposedScratch;
use super::{Mechanism, Workspace, most_rows};
use crate::error::Result;
use crate::hybrid::{At, Cotangents, Differentiable};
use crate::linear::{LANES, Lane, pairs};
use crate::model::Mode;
use crate::model::gradient::{MotionDuals, MotionGradient, MotionView};
use crate::model::quantity::Output;

/// Adds a gradient of what is read off a motion.
pub(super) type Fill<'f> = &'f mut dyn FnMut(&MotionView, &mut MotionDuals, &mut MotionGradient);

impl Mechanism {
    /// Adds weight times the gradient of an output, read at this instant or `over_time`, with time held, at the state of the last
    /// linearization.
    pub fn output_vjp(
        &self,
        (output, over_time): (&Output, bool),
        weight: f64,
        at: At<Mode>,
        workspace: &mut Workspace,
        cotangents: Cotangents,
    ) {
        self.motion_vjp(at, None, workspace, cotangents, &mut |reading, duals, gradient| {
            output.add_gradient(weight, &MotionView { over_time, ..*reading }, duals, gradient);
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
        if dynamic || !at.mode.slides.is_empty() {
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
        if at.mode.departure_at(at.t).is_some() {
            workspace.transposed.refuse_dynamics();
            return self.collect(at, workspace, cotangents);
        }
        self.slide_vjp(at, workspace);
        self.rub_vjp(at, workspace);
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

    /// As [`Differentiable::flow_vjps`]: what does not depend on the costates is found once for up to four of them.
    pub(super) fn vjps(
        &self,
        at: At<Mode>,
        mu: &[f64],
        workspace: &mut Workspace,
        (x_bar, numbers_bar): (&mut [f64], &mut [f64]),
    ) {
        let (n, count) = (at.x.len(), self.numbers());
        if mu.len() == n
            || !at.mode.slides.is_empty()
            || !at.mode.grips.is_empty()
            || !self.model.feedback.is_empty()
            || !self.model.frames.is_empty()
        {
            for (k, (mu, x_bar)) in mu.chunks_exact(n).zip(x_bar.chunks_exact_mut(n)).enumerate() {
                let numbers_bar = &mut numbers_bar[k * count..][..count];
                self.flow_vjp(at, mu, workspace, Cotangents::new(x_bar, numbers_bar));
            }
            return;
        }
        let mut integrands = std::mem::take(&mut workspace.tangents.integrands);
        let is_weighed = |place: usize| mu.chunks_exact(n).any(|mu| mu[place] != 0.0);
        self.gather_integrands(at, is_weighed, workspace, &mut integrands);
        let groups = mu.chunks(LANES * n).zip(x_bar.chunks_mut(LANES * n));
        for (group, (mu, x_bar)) in groups.enumerate() {
            self.load_costates(mu, &integrands, n, workspace);
            self.vjp_lanes(at, workspace, (x_bar, &mut numbers_bar[group * LANES * count..]));
        }
        workspace.tangents.integrands = integrands;
    }

    /// Carries the loaded costates through the dynamics.
    fn vjp_lanes(&self, at: At<Mode>, workspace: &mut Workspace, (x_bar, numbers_bar): (&mut [f64], &mut [f64])) {
        let Workspace {
            transposed_lanes: scratch,
            mu,
            tangents,
            formulation,
            terms,
            a,
            lambda,
            ..
        } = workspace;
        scratch.solve_lanes((at.mode, terms), mu, formulation, &mut tangents.formulation);
        scratch.add_residual_gradient(&self.model, &self.instant(at, a, lambda), at.mode, terms);
        let (memory, n) = (self.model.memory_start(), at.x.len());
        for (lane, x_bar) in x_bar.chunks_exact_mut(n).enumerate() {
            add_lane(&mut x_bar[self.positions()], &scratch.q, lane);
            add_lane(&mut x_bar[self.velocities()], &scratch.v, lane);
            add_lane(&mut x_bar[self.quadratures().end..], &scratch.numbers[memory..], lane);
            add_lane(
                &mut numbers_bar[lane * memory..][..memory],
                &scratch.numbers[..memory],
                lane,
            );
        }
    }

    /// Writes costates, and the gradients of the integrands that they weigh, to the scratch of several functionals.
    fn load_costates(&self, mu: &[f64], integrands: &[IntegrandGradient], n: usize, workspace: &mut Workspace) {
        let mut scratch = self.lanes_of(workspace);
        scratch.clear();
        workspace.mu.resize(self.model.nq(), Lane::zeros());
        for (lane, mu) in mu.chunks_exact(n).enumerate() {
            set_lane(&mut workspace.mu, &mu[self.positions()], lane);
            set_lane(&mut scratch.v, &mu[self.positions()], lane);
            set_lane(&mut scratch.a_bar, &mu[self.velocities()], lane);
        }
        for (lane, mu) in mu.chunks_exact(n).enumerate() {
            for (lists, (place, _)) in integrands.iter().zip(self.integrated()) {
                let weight = mu[place];
                for (part, list) in scratch.parts().into_iter().zip(lists) {
                    for &(i, slope) in list {
                        part[i][lane] += weight * slope;
                    }
                }
            }
        }
        workspace.transposed_lanes = scratch;
    }

    /// Takes the scratch of several functionals out of the workspace; made when first needed.
    pub(super) fn lanes_of(&self, workspace: &mut Workspace) -> TransposedScratch<Lane> {
        let scratch = std::mem::take(&mut workspace.transposed_lanes);
        match scratch.q.is_empty() {
            true => TransposedScratch::new(&self.model, most_rows(&self.model)),
            false => scratch,
        }
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
            duals,
            terms,
            a,
            lambda,
            ..
        } = workspace;
        let reading = MotionView {
            model: &self.model,
            mode: at.mode,
            motion: self.motion_with(at, a, lambda, &terms.numbers),
            over_time: false,
        };
        fill(&reading, duals, &mut scratch.split(at.mode.rows));
    }

    /// Adds the scratch to the gradient by state and numbers.
    fn collect(&self, at: At<Mode>, workspace: &mut Workspace, cotangents: Cotangents) {
        if !self.model.feedback.is_empty() {
            self.add(at, workspace, &mut |reading, duals, gradient| {
                self.model.follow_transposed(reading, duals, gradient);
            });
        }
        self.mixed_vjp(at, workspace);
        for friction in &self.model.frictions {
            (friction.numbers.iter()).for_each(|&number| workspace.transposed.numbers[number] = 0.0);
        }
        let (memory, scratch) = (self.model.memory_start(), &workspace.transposed);
        accumulate(&mut cotangents.x[self.positions()], &scratch.q);
        accumulate(&mut cotangents.x[self.velocities()], &scratch.v);
        accumulate(&mut cotangents.x[self.quadratures().end..], &scratch.numbers[memory..]);
        accumulate(cotangents.numbers, &scratch.numbers[..memory]);
    }
}

fn add_lane(to: &mut [f64], from: &[Lane], lane: usize) {
    pairs(to, from, |to, from| *to += from[lane]);
}

fn set_lane(to: &mut [Lane], from: &[f64], lane: usize) {
    pairs(to, from, |to, from| to[lane] = *from);
}

fn accumulate(to: &mut [f64], from: &[f64]) {
    pairs(to, from, |to, from| *to += from);
}
