//! Derivatives of the flow along several directions at once: the elements and the factors of the value serve all of them.

use std::ops::Range;

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
            _ if follows && !self.model.frames.is_empty() => {
                self.tangents_one_by_one(at, tangents, workspace, (dx, slopes))
            }
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

    /// Whether several directions can be followed at once: no number follows the motion.
    pub(super) fn has_lanes(&self, mode: &Mode) -> bool {
        mode.slides.is_empty() && mode.grips.is_empty() && self.model.feedback.is_empty()
    }

    /// Writes these columns of dF/dx, several at a time, at the state of the last evaluation.
    pub(super) fn jacobian_by_lanes(
        &self,
        at: At<Mode>,
        columns: Range<usize>,
        workspace: &mut Workspace,
        jacobian: &mut [f64],
    ) {
        let n = at.x.len();
        let mut scratch = std::mem::take(&mut workspace.tangents);
        self.gather_integrands(at, |_| true, workspace, &mut scratch.integrands);
        let mut still = std::mem::take(&mut scratch.still);
        still.resize(self.model.memory_start(), Lane::zeros());
        let mut block = std::mem::take(&mut scratch.block);
        block.resize(LANES * n, 0.0);
        for first in columns.clone().step_by(LANES) {
            let count = LANES.min(columns.end - first);
            scratch.x.clear();
            scratch.x.resize(n, Lane::zeros());
            (0..count).for_each(|lane| scratch.x[first + lane][lane] = 1.0);
            self.differentiate_lanes(at, &still, workspace, &mut scratch);
            self.write_lanes(&still, &scratch, &mut block[..count * n]);
            for (lane, column) in block[..count * n].chunks_exact(n).enumerate() {
                for (i, value) in column.iter().enumerate() {
                    jacobian[i * n + first + lane] = *value;
                }
            }
        }
        (scratch.still, scratch.block) = (still, block);
        workspace.tangents = scratch;
    }

    /// Writes what is not zero of the gradients of what is integrated beside the motion and wanted, by its place.
    pub(super) fn gather_integrands(
        &self,
        at: At<Mode>,
        is_wanted: impl Fn(usize) -> bool,
        workspace: &mut Workspace,
        out: &mut Vec<IntegrandGradient>,
    ) {
        out.resize_with(self.integrated().count(), Default::default);
        for ((place, integrand), lists) in self.integrated().zip(out) {
            if !is_wanted(place) {
                lists.iter_mut().for_each(Vec::clear);
                continue;
            }
            workspace.transposed.clear();
            self.add(at, workspace, &mut |reading, duals, gradient| {
                integrand.add_gradient(1.0, &reading.over_time(), duals, gradient);
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
            u,
            ..
        } = workspace;
        let TangentScratch {
            x,
            turned,
            residual,
            formulation: lanes,
            q_dot,
            u_dot,
            da,
            dlambda,
            ..
        } = scratch;
        let directions = self.directions((at, x), turned, numbers);
        let instant = self.instant(at, a, lambda);
        self.model
            .residual_lanes(&instant, at.mode, terms, &directions, residual);
        da.resize(self.model.nv(), Lane::zeros());
        dlambda.resize(at.mode.rows, Lane::zeros());
        let multipliers = self.integrands_need_multipliers.then_some(&mut dlambda[..]);
        formulation.solve_lanes((at.mode, terms), residual, (da, multipliers), lanes);
        let to = if self.model.frames.is_empty() {
            &mut *q_dot
        } else {
            &mut *u_dot
        };
        to.clear();
        to.extend_from_slice(directions.v);
        let variation = Variation {
            model: &self.model,
            mode: at.mode,
            terms,
            at: instant,
            direction: &directions,
        };
        formulation.velocity_lanes(&variation, residual, to, lanes);
        if !self.model.frames.is_empty() {
            // d(Z u) is Z du + (dZ) u, and Z is linear in q.
            formulation.velocities(at.mode, terms, instant.v, u);
            q_dot.resize(self.model.nq(), Lane::zeros());
            self.model.write_turning(instant.q, u_dot, q_dot);
            self.model.add_turned_rates(&x[self.positions()], u, q_dot);
        }
    }

    /// Turns the derivatives of a state along directions, one block each, into those of its projection onto the joints:
    /// dq <- dq - Z C+ dc from where quaternions keep their length, then dv <- dv - C+ d(c') with the new dq (theory, 8.1).
    pub(super) fn project_lanes(
        &self,
        at: At<Mode>,
        along: &mut [f64],
        lanes: &[Vec<Lane>],
        workspace: &mut Workspace,
    ) {
        let q = &at.x[self.positions()];
        along
            .chunks_exact_mut(at.x.len())
            .for_each(|block| self.keep_lengths(at, block));
        if !self.projects_joints() || at.mode.rows == 0 {
            return;
        }
        let mut scratch = std::mem::take(&mut workspace.tangents);
        let TangentScratch {
            x,
            turned,
            residual,
            q_dot,
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
                let directions = self.directions((at, x), turned, numbers);
                self.model
                    .constraint_lanes(&instant, at.mode, terms, &directions, residual);
                let violation = if part.start == 0 { &residual.c } else { &residual.rate };
                projector.least_corrections(at.mode, terms, violation, correction);
                let change = if part.start == 0 && !self.model.frames.is_empty() {
                    q_dot.resize(q.len(), Lane::zeros());
                    self.model.write_turning(q, correction, q_dot);
                    &*q_dot
                } else {
                    &*correction
                };
                pairs(&mut x[part], change, |x, change| *x -= change);
            }
            store_lanes(x, blocks);
        }
        workspace.tangents = scratch;
    }

    /// Directions at a state from changes of it; `turned` is scratch.
    pub(super) fn directions<'a>(
        &self,
        (at, x): (At<Mode>, &'a [Lane]),
        turned: &'a mut Vec<Lane>,
        numbers: &'a [Lane],
    ) -> Directions<'a> {
        let mut q = &x[self.positions()];
        if !self.model.frames.is_empty() {
            turned.resize(self.model.nv(), Lane::zeros());
            self.model.write_tangent(&at.x[self.positions()], q, turned);
            q = turned;
        }
        Directions {
            q,
            v: &x[self.velocities()],
            numbers,
            memory: &x[self.quadratures().end..],
        }
    }

    /// Writes as many blocks as there are.
    fn write_lanes(&self, numbers: &[Lane], scratch: &TangentScratch, out: &mut [f64]) {
        let (q, v) = (&scratch.x[self.positions()], &scratch.x[self.velocities()]);
        let memory = &scratch.x[self.quadratures().end..];
        let number = |i: usize| numbers.get(i).copied().unwrap_or_else(|| memory[i - numbers.len()]);
        for (lane, block) in out.chunks_exact_mut(scratch.x.len()).enumerate() {
            let derivatives = scratch.q_dot.iter().chain(&scratch.da);
            let (state, rest) = block.split_at_mut(self.velocities().end);
            for (slot, value) in state.iter_mut().zip(derivatives) {
                *slot = value[lane];
            }
            rest.fill(0.0);
        }
        for ((place, _), lists) in self.integrated().zip(&scratch.integrands) {
            let [of_q, of_v, a, lambda, of_numbers] = lists;
            let sums = [
                sum(of_q, |i| q[i]),
                sum(of_v, |i| v[i]),
                sum(a, |i| scratch.da[i]),
                sum(lambda, |i| scratch.dlambda[i]),
                sum(of_numbers, number),
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
