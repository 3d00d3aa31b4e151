//! dF/dx of the flow in descriptor form, for many coordinates (theory, 8.3).

use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::formulation::{Formulation, PenaltyFactors};
use crate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Tangent};
use crate::linear::{Descriptor, Form, Sparse, pairs};
use crate::model::Mode;
use crate::model::quantity::{Motion, Output};
use crate::scalar::Dual64;

impl Mechanism {
    /// Whether the derivative of the flow is sparse: not where values follow the whole motion, which sliding along a guard makes
    /// them do, not where memory has rates, and not where QR stands in for blocks.
    pub(super) fn is_sparse(&self, mode: &Mode, workspace: &Workspace) -> bool {
        workspace.formulation.blocks().is_some()
            && mode.slides.is_empty()
            && mode.grips.is_empty()
            && self.model.frames.is_empty()
            && self.model.memory_rates().next().is_none()
    }

    /// Writes it; false if it is not.
    pub(super) fn write_descriptor(
        &self,
        at: At<Mode>,
        workspace: &mut Workspace,
        out: &mut Descriptor,
    ) -> Result<bool> {
        self.evaluate_motion(at, true, workspace)?;
        if !self.is_sparse(at.mode, workspace) {
            return Ok(false);
        }
        self.write_matrices(at, workspace, out);
        self.write_integrands(at, workspace, out);
        self.write_memory(at, workspace, out);
        Ok(true)
    }

    /// Writes M, C and the derivatives of the residual for the accelerations and multipliers in the workspace, at the terms factored
    /// last by blocks.
    pub(super) fn write_matrices(&self, at: At<Mode>, workspace: &mut Workspace, out: &mut Descriptor) {
        let Workspace {
            terms,
            formulation,
            along,
            places,
            a,
            lambda,
            ..
        } = workspace;
        let Some(blocks) = formulation.blocks() else {
            return;
        };
        let instant = self.instant(at, a, lambda);
        self.model
            .write_descriptor(&instant, (at.mode, blocks.rows()), terms, (along, places), out);
        let (touching, alpha) = blocks.touching();
        out.touching.0.clear();
        out.touching.0.extend(touching);
        out.touching.1 = alpha;
        out.form = match formulation {
            Formulation::Saddle(saddle) if saddle.corrects() => Form::Corrected,
            _ => Form::Plain,
        };
        if let Formulation::Penalty(penalty) = formulation {
            out.compliance = 1.0 / penalty.factors.alpha;
            stabilize(&penalty.factors, out);
        }
    }

    /// Gradients of the integrands: along the few coordinates that one is read off, or carried through the dynamics.
    fn write_integrands(&self, at: At<Mode>, workspace: &mut Workspace, out: &mut Descriptor) {
        let motion = self.velocities().end;
        let mut row = std::mem::take(&mut workspace.column);
        let mut numbers = std::mem::take(&mut workspace.still);
        let mut columns = Vec::new();
        out.integrands.clear();
        for integrand in &self.model.integrands {
            // Forces that follow the motion need any coordinates.
            if self.model.feedback.is_empty() && integrand.coordinates(&self.model, &mut columns) {
                self.write_along(at, integrand, &columns, workspace, &mut out.integrands);
                continue;
            }
            row.fill(0.0);
            let cotangents = Cotangents::new(&mut row, &mut numbers);
            self.output_vjp((integrand, true), 1.0, at, workspace, cotangents);
            columns.clear();
            columns.extend((0..motion).filter(|&j| row[j] != 0.0));
            let values = out.integrands.push(&columns);
            pairs(values, &columns, |slot, &j| *slot = row[j]);
        }
        numbers.fill(0.0);
        (workspace.still, workspace.column) = (numbers, row);
    }

    /// Appends the derivatives of an integrand by these coordinates and their velocities, at the state loaded.
    fn write_along(
        &self,
        at: At<Mode>,
        integrand: &Output,
        coordinates: &[usize],
        Workspace { along, a, .. }: &mut Workspace,
        out: &mut Sparse,
    ) {
        let nv = self.model.nv();
        let velocities = coordinates.iter().map(|j| nv + j);
        let columns: Vec<usize> = coordinates.iter().copied().chain(velocities).collect();
        let values = out.push(&columns);
        for (slot, column) in values.iter_mut().zip(columns) {
            along.tilt(column % nv, column >= nv, 1.0);
            let motion = Motion {
                t: Dual64::from(at.t),
                q: &along.q,
                v: &along.v,
                a: &[],
                lambda: &[],
                numbers: &along.numbers,
                frames: &self.model.frames,
            };
            *slot = integrand.evaluate(&self.model, at.mode, &motion).eps;
            if !slot.is_finite() {
                // The accelerations tell on which side there is a derivative.
                let a: Vec<Dual64> = a.iter().copied().map(Dual64::from).collect();
                *slot = integrand.along(&self.model, at.mode, &Motion { a: &a, ..motion }, true);
            }
            along.tilt(column % nv, column >= nv, 0.0);
        }
    }

    fn write_memory(&self, at: At<Mode>, workspace: &mut Workspace, out: &mut Descriptor) {
        let (mut unit, mut column) = (
            std::mem::take(&mut workspace.unit),
            std::mem::take(&mut workspace.column),
        );
        let still = std::mem::take(&mut workspace.still);
        out.memory.clear();
        unit.fill(0.0);
        for slot in self.memory() {
            unit[slot] = 1.0;
            let along = Tangent::new(0.0, &unit, &still);
            self.flow_jvp(at, &along, workspace, &mut column);
            unit[slot] = 0.0;
            out.memory.extend(&column[..self.quadratures().end]);
        }
        (workspace.unit, workspace.column, workspace.still) = (unit, column, still);
    }
}

/// Adds the derivatives of 2 xi omega c' + omega^2 c to those of C a + gamma.
fn stabilize(factors: &PenaltyFactors, out: &mut Descriptor) {
    let [by_q, by_v] = &mut out.acceleration;
    let of_rows = out.rows.values().iter().zip(out.rate.values());
    let slots = by_q.values_mut().iter_mut().zip(by_v.values_mut());
    for ((by_q, by_v), (entry, rate)) in slots.zip(of_rows) {
        *by_q += factors.stabilization(*entry, *rate);
        *by_v += factors.stabilization(0.0, *entry);
    }
}
