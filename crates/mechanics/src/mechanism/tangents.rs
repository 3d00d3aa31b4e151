//! Derivatives of the flow along several directions at once: the elements and the factors of the value serve all of them.

use super::tangent_scratch::{IntegrandGradient, TangentScratch};
use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::formulation::{Formulation, Variation};
use crate::hybrid::{At, Differentiable, HybridSystem, Tangent, Tangents, tangents_by_jacobian};
use crate::linear::{LANES, Lane, load_lanes, pairs, store_lanes};
use crate::model::Mode;
use crate::model::lanes::Directions;

impl Mechanism {
    /// As [`Differentiable::flow_tangents`].
    pub(super) fn tangents(
        &self,
        at: At<Mode>,
        tangents: &Tangents,
        workspace: &mut Workspace,
        (dx, slopes): (&mut [f64], &mut [f64]),
        scratch: &mut Vec<f64>,
    ) -> Result<()> {
        let follows = !at.mode.slides.is_empty() || !self.model.feedback.is_empty();
        match workspace.formulation {
            _ if !self.model.frames.is_empty() => self.tangents_one_by_one(at, tangents, workspace, (dx, slopes)),
            _ if !at.mode.grips.is_empty() => self.tangents_one_by_one(at, tangents, workspace, (dx, slopes)),
            Formulation::Saddle(_) if follows => self.tangents_one_by_one(at, tangents, workspace, (dx, slopes)),
            _ if follows => tangents_by_jacobian(self, at, tangents, workspace, (dx, slopes), scratch),
            _ => self.tangents_by_lanes(at, tangents, workspace, (dx, slopes)),
        }
    }

    fn tangents_one_by_one(
        &self,
        at: At<Mode>,
        tangents: &Tangents,
        workspace: &mut Workspace,
        (dx, slopes): (&mut [f64], &mut [f64]),
    ) -> Result<()> {
        let n = dx.len();
        self.flow(at, workspace, dx)?;
        self.linearize(at, workspace)?;
        let blocks = tangents.x.chunks_exact(n).zip(slopes.chunks_exact_mut(n));
        for ((s, out), numbers) in blocks.zip(tangents.numbers) {
            self.flow_jvp(at, &Tangent::new(0.0, s, numbers), workspace, out);
        }
        Ok(())
    }

    fn tangents_by_lanes(
        &self,
        at: At<Mode>,
        tangents: &Tangents,
        workspace: &mut Workspace,
        (dx, slopes): (&mut [f64], &mut [f64]),
    ) -> Result<()> {
        self.flow_with(at, true, workspace, dx)?;
        let mut scratch = std::mem::take(&mut workspace.tangents);
        self.gather_integrands(at, |_| true, workspace, &mut scratch.integrands);
        let group = LANES * at.x.len();
        let groups = tangents.x.chunks(group).zip(slopes.chunks_mut(group));
        for ((s, out), numbers) in groups.zip(tangents.lanes) {
            scratch.x.resize(at.x.len(), Lane::zeros());
            load_lanes(s, &mut scratch.x);
            self.differentiate_lanes(at, numbers, workspace, &mut scratch);
            self.write_lanes(numbers, &scratch, out);
        }
        workspace.tangents = scratch;
        Ok(())
    }

    /// Writes what is not zero of the gradients of the integrands that are wanted.
    pub(super) fn gather_integrands(
        &self,
        at: At<Mode>,
        is_wanted: impl Fn(usize) -> bool,
        workspace: &mut Workspace,
        out: &mut Vec<IntegrandGradient>,
    ) {
        out.resize_with(self.model.integrands.len(), Default::default);
        for (index, (integrand, lists)) in self.model.integrands.iter().zip(out).enumerate() {
            if !is_wanted(index) {
                lists.iter_mut().for_each(Vec::clear);
                continue;
            }
            workspace.transposed.clear();
            self.add(at, workspace, &mut |reading, duals, gradient| {
                integrand.add_gradient(1.0, reading, duals, gradient);
            });
            for (list, part) in lists.iter_mut().zip(workspace.transposed.parts()) {
                list.clear();
                let entries = part.iter().copied().enumerate();
                list.extend(entries.filter(|(_, slope)| *slope != 0.0));
            }
        }
    }

    /// dq', da and d(lambda) along the loaded directions, at the state of the last evaluation.
    fn differentiate_lanes(
        &self,
        at: At<Mode>,
        numbers: &[Lane],
        workspace: &mut Workspace,
        scratch: &mut TangentScratch,
    ) {
        let Workspace {
            formulation,
            terms,
            a,
            lambda,
            ..
        } = workspace;
        let TangentScratch {
            x,
            residual,
            formulation: lanes,
            q_dot,
            da,
            dlambda,
            ..
        } = scratch;
        let directions = self.directions(x, numbers);
        let instant = self.instant(at, a, lambda);
        self.model
            .residual_lanes(&instant, at.mode, terms, &directions, residual);
        da.resize(self.model.nv(), Lane::zeros());
        dlambda.resize(at.mode.rows, Lane::zeros());
        let multipliers = self.integrands_need_multipliers.then_some(&mut dlambda[..]);
        formulation.solve_lanes((at.mode, terms), residual, (da, multipliers), lanes);
        q_dot.clear();
        q_dot.extend_from_slice(directions.v);
        let variation = Variation {
            model: &self.model,
            mode: at.mode,
            terms,
            at: instant,
            direction: &directions,
        };
        formulation.velocity_lanes(&variation, residual, q_dot, lanes);
    }

    /// Turns the derivatives of a state along directions, one block each, into those of its projection onto the joints:
    /// dq <- dq - C+ dc, then dv <- dv - C+ d(c') with the new dq (theory, 8.1).
    pub(super) fn project_lanes(
        &self,
        at: At<Mode>,
        along: &mut [f64],
        lanes: &[Vec<Lane>],
        workspace: &mut Workspace,
    ) {
        if !self.projects_joints() || at.mode.rows == 0 {
            return;
        }
        let mut scratch = std::mem::take(&mut workspace.tangents);
        let TangentScratch {
            x,
            residual,
            da: correction,
            ..
        } = &mut scratch;
        let Workspace {
            terms,
            projector,
            a,
            lambda,
            ..
        } = workspace;
        let instant = self.instant(at, a, lambda);
        correction.resize(self.model.nv(), Lane::zeros());
        for (blocks, numbers) in along.chunks_mut(LANES * at.x.len()).zip(lanes) {
            x.resize(at.x.len(), Lane::zeros());
            load_lanes(blocks, x);
            for part in [self.positions(), self.velocities()] {
                let directions = self.directions(x, numbers);
                self.model
                    .constraint_lanes(&instant, at.mode, terms, &directions, residual);
                let violation = if part.start == 0 { &residual.c } else { &residual.rate };
                projector.least_corrections(at.mode, terms, violation, correction);
                pairs(&mut x[part], correction, |x, correction| *x -= correction);
            }
            store_lanes(x, blocks);
        }
        workspace.tangents = scratch;
    }

    fn directions<'a>(&self, x: &'a [Lane], numbers: &'a [Lane]) -> Directions<'a> {
        Directions {
            q: &x[self.positions()],
            v: &x[self.velocities()],
            numbers,
            memory: &x[self.quadratures().end..],
        }
    }

    /// Writes as many blocks as there are.
    fn write_lanes(&self, numbers: &[Lane], scratch: &TangentScratch, out: &mut [f64]) {
        let directions = self.directions(&scratch.x, numbers);
        for (lane, block) in out.chunks_exact_mut(scratch.x.len()).enumerate() {
            let derivatives = scratch.q_dot.iter().chain(&scratch.da);
            let (state, rest) = block.split_at_mut(self.velocities().end);
            for (slot, value) in state.iter_mut().zip(derivatives) {
                *slot = value[lane];
            }
            rest.fill(0.0);
        }
        for (place, lists) in self.quadratures().zip(&scratch.integrands) {
            let [q, v, a, lambda, of_numbers] = lists;
            let sums = [
                sum(q, |i| directions.q[i]),
                sum(v, |i| directions.v[i]),
                sum(a, |i| scratch.da[i]),
                sum(lambda, |i| scratch.dlambda[i]),
                sum(of_numbers, |i| directions.number(i)),
            ];
            let total: Lane = sums.iter().sum();
            for (lane, block) in out.chunks_exact_mut(scratch.x.len()).enumerate() {
                block[place] = total[lane];
            }
        }
    }
}

/// Sum of slopes times what changes.
fn sum(slopes: &[(usize, f64)], change: impl Fn(usize) -> Lane) -> Lane {
    slopes
        .iter()
        .fold(Lane::zeros(), |sum, &(i, slope)| sum + change(i) * slope)
}
