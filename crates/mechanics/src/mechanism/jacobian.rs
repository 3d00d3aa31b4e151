//! Jacobian dF/dx of the flow (theory, 2.1 and 2.2): the residual's Jacobian by elements, then solves with the factors of the
//! value, in the null-space formulation for four columns at a time.

use std::ops::Range;

use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::formulation::{Formulation, Nullspace, is_on_manifold};
use crate::hybrid::{At, Cotangents, Differentiable, Tangent};
use crate::model::jacobian::ResidualJacobian;
use crate::model::residual::Instant;
use crate::model::{Mode, Terms};
use crate::scalar::{each, negated};

/// Takes a force at the velocities, and the gradient of its size by the state.
pub(super) type HandOn<'a> = dyn FnMut(&[f64], &[f64]) + 'a;

impl Mechanism {
    /// One direction at a time.
    pub(super) fn jacobian_by_columns(
        &self,
        at: At<Mode>,
        columns: Range<usize>,
        workspace: &mut Workspace,
        jacobian: &mut [f64],
    ) {
        let At { x, .. } = at;
        let n = x.len();
        let mut unit = std::mem::take(&mut workspace.unit);
        let mut column = std::mem::take(&mut workspace.column);
        let still = std::mem::take(&mut workspace.still);
        unit.fill(0.0);
        for j in columns {
            unit[j] = 1.0;
            let along = Tangent::new(0.0, &unit, &still);
            self.flow_jvp(at, &along, workspace, &mut column);
            unit[j] = 0.0;
            for (i, value) in column.iter().enumerate() {
                jacobian[i * n + j] = *value;
            }
        }
        (workspace.unit, workspace.column, workspace.still) = (unit, column, still);
    }

    /// All directions in (q, v) at once: the rows of q' and v'.
    pub(super) fn jacobian_by_elements(&self, at: At<Mode>, workspace: &mut Workspace, jacobian: &mut [f64]) {
        let At { mode, x, .. } = at;
        let n = x.len();
        jacobian.fill(0.0);
        let mut residual = std::mem::take(&mut workspace.jacobian);
        let at = self.instant(at, &workspace.a, &workspace.lambda);
        self.model
            .residual_jacobian(&at, mode, &workspace.terms, &mut workspace.along, &mut residual);
        let write = |row: usize, column: usize, value: f64| jacobian[row * n + column] = value;
        if let Formulation::Nullspace(nullspace) = workspace.formulation.in_force() {
            let on_manifold = is_on_manifold(mode, &workspace.terms, at.v);
            let violation = &mut workspace.violation_jacobian;
            if !on_manifold {
                self.violation_columns(&at, mode, &workspace.terms, nullspace, violation);
            }
            solve_panels(
                nullspace,
                mode,
                &residual,
                (!on_manifold).then_some(&*violation),
                at.v.len(),
                write,
            );
        } else {
            solve_columns(mode, &residual, workspace, write);
        }
        workspace.jacobian = residual;
    }

    /// Columns of dC u among the rates and of -dC^T w among the forces, by positions.
    fn violation_columns(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        nullspace: &mut Nullspace,
        out: &mut [ResidualJacobian; 2],
    ) {
        let (u, w) = nullspace.violation(mode);
        let [with, without] = out;
        let weighted = Instant { v: u, lambda: w, ..*at };
        self.model.constraint_jacobian(&weighted, mode, terms, with);
        if self.model.constraints.iter().any(|constraint| constraint.rheonomic) {
            // Without velocity the rate is c_t.
            let resting = Instant {
                v: &terms.still,
                ..weighted
            };
            self.model.constraint_jacobian(&resting, mode, terms, without);
            for (slot, rate) in with.rate.iter_mut().zip(&without.rate) {
                *slot -= rate;
            }
        }
    }

    /// Gradients of the integrands.
    pub(super) fn integrand_rows(&self, at: At<Mode>, workspace: &mut Workspace, jacobian: &mut [f64]) {
        let n = at.x.len();
        let mut numbers = std::mem::take(&mut workspace.still);
        for (row, integrand) in self.integrated() {
            let cotangents = Cotangents::new(&mut jacobian[row * n..][..n], &mut numbers);
            self.output_vjp((integrand, true), 1.0, at, workspace, cotangents);
        }
        numbers.fill(0.0);
        workspace.still = numbers;
    }

    /// Leaves the gradient by the state that `add` adds in `column` of the workspace.
    ///
    /// # Errors
    /// Those of `add`.
    pub(super) fn with_gradient_row(
        &self,
        workspace: &mut Workspace,
        add: impl FnOnce(&mut Workspace, Cotangents) -> Result<()>,
    ) -> Result<()> {
        let (mut row, mut numbers) = (
            std::mem::take(&mut workspace.column),
            std::mem::take(&mut workspace.still),
        );
        row.fill(0.0);
        let added = add(workspace, Cotangents::new(&mut row, &mut numbers));
        numbers.fill(0.0);
        (workspace.still, workspace.column) = (numbers, row);
        added
    }
}

/// Columns that are solved for together.
const LANES: usize = 4;

/// dq' = dv - C+ (d(c') - dC u) - H H^T dC^T w and da of every column; the terms with u and w off the manifold only.
fn solve_panels(
    nullspace: &mut Nullspace,
    mode: &Mode,
    residual: &ResidualJacobian,
    violation: Option<&[ResidualJacobian; 2]>,
    nv: usize,
    mut write: impl FnMut(usize, usize, f64),
) {
    let rows = mode.rows;
    for first in (0..2 * nv).step_by(LANES) {
        let count = LANES.min(2 * nv - first);
        let entry = |values: &[f64], height: usize, row: usize, end: usize| -> [f64; LANES] {
            each(|lane| {
                let column = first + lane;
                if column < end {
                    values[column * height + row]
                } else {
                    0.0
                }
            })
        };
        let panel = nullspace.solve_panel(
            mode,
            |i| negated(entry(&residual.force, nv, i, 2 * nv)),
            |row| negated(entry(&residual.acceleration, rows, row, 2 * nv)),
        );
        for (i, values) in panel.iter().enumerate().take(nv) {
            (0..count).for_each(|lane| write(nv + i, first + lane, values[lane]));
        }
        let rate = |row: usize| entry(&residual.rate, rows, row, 2 * nv);
        let panel = match violation {
            None => nullspace.pseudo_inverse_panel(mode, rate),
            Some([violation, _]) => nullspace.correction_panel(
                mode,
                |row| {
                    let (rate, along) = (rate(row), entry(&violation.rate, rows, row, nv));
                    each(|lane| rate[lane] - along[lane])
                },
                |i| negated(entry(&violation.force, nv, i, nv)),
            ),
        };
        for (i, values) in panel.iter().enumerate().take(nv) {
            for (lane, value) in values.iter().enumerate().take(count) {
                let unit = if first + lane == nv + i { 1.0 } else { 0.0 };
                write(i, first + lane, unit - value);
            }
        }
    }
}

/// dq' = dv and da of every column, in the formulations that solve the whole system.
fn solve_columns(
    mode: &Mode,
    residual: &ResidualJacobian,
    workspace: &mut Workspace,
    mut write: impl FnMut(usize, usize, f64),
) {
    let Workspace {
        terms,
        formulation,
        along,
        right,
        da,
        dlambda,
        ..
    } = workspace;
    let (nv, rows) = (da.len(), mode.rows);
    for column in 0..2 * nv {
        let force = &residual.force[column * nv..][..nv];
        for (slot, value) in along.force.iter_mut().zip(force) {
            *slot = -value;
        }
        for (row, slot) in right[..rows].iter_mut().enumerate() {
            *slot = -residual.acceleration[column * rows + row];
            if let Formulation::Penalty(penalty) = formulation {
                // dc/dq is d(c')/dv.
                let c = if column < nv {
                    residual.rate[(nv + column) * rows + row]
                } else {
                    0.0
                };
                *slot -= penalty.factors.stabilization(c, residual.rate[column * rows + row]);
            }
        }
        formulation.solve(mode, terms, &along.force, right, da, dlambda);
        for (i, value) in da.iter().enumerate() {
            write(nv + i, column, *value);
        }
        if column >= nv {
            write(column - nv, column, 1.0);
        }
    }
}
