//! Jacobian dF/dx of the flow (theory, 2.1 and 2.2): the residual's Jacobian by elements, then one solve with the factors of
//! the value for four columns at a time.

use std::ops::Range;

use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::formulation::{Formulation, Nullspace};
use crate::hybrid::{Along, Bars};
use crate::model::Mode;
use crate::model::jacobian::ResidualJacobian;
use crate::model::residual::Instant;

impl Mechanism {
    /// dF/dx, row-major n x n.
    ///
    /// # Errors
    /// As for the flow.
    pub(super) fn state_jacobian(
        &self,
        t: f64,
        mode: &Mode,
        x: &[f64],
        workspace: &mut Workspace,
        jacobian: &mut [f64],
    ) -> Result<()> {
        self.linearize_at(t, mode, x, workspace)?;
        let (v, terms) = (&x[self.velocities()], &workspace.terms);
        match &workspace.formulation {
            Formulation::Nullspace(nullspace) if nullspace.is_on_manifold(mode, terms, v) => {
                self.jacobian_by_elements(t, mode, x, workspace, jacobian);
            }
            _ => self.jacobian_by_columns(t, mode, x, 0..x.len(), workspace, jacobian),
        }
        Ok(())
    }

    /// One direction at a time.
    fn jacobian_by_columns(
        &self,
        t: f64,
        mode: &Mode,
        x: &[f64],
        columns: Range<usize>,
        workspace: &mut Workspace,
        jacobian: &mut [f64],
    ) {
        let n = x.len();
        let mut unit = std::mem::take(&mut workspace.unit);
        let mut column = std::mem::take(&mut workspace.column);
        let still = std::mem::take(&mut workspace.still);
        unit.fill(0.0);
        for j in columns {
            unit[j] = 1.0;
            let along = Along {
                t: 0.0,
                x: &unit,
                numbers: &still,
            };
            self.flow_slope(t, mode, x, &along, workspace, &mut column);
            unit[j] = 0.0;
            for (i, value) in column.iter().enumerate() {
                jacobian[i * n + j] = *value;
            }
        }
        (workspace.unit, workspace.column, workspace.still) = (unit, column, still);
    }

    /// All directions in (q, v) at once, on the manifold of the null-space formulation; integrands by rows.
    fn jacobian_by_elements(&self, t: f64, mode: &Mode, x: &[f64], workspace: &mut Workspace, jacobian: &mut [f64]) {
        let (n, nv) = (x.len(), self.model.nq());
        jacobian.fill(0.0);
        let mut residual = std::mem::take(&mut workspace.jacobian);
        let at = Instant {
            t,
            q: &x[self.positions()],
            v: &x[self.velocities()],
            a: &workspace.a,
            lambda: &workspace.lambda[..mode.rows],
        };
        self.model
            .residual_jacobian(&at, mode, &workspace.terms, &mut workspace.along, &mut residual);
        if let Formulation::Nullspace(nullspace) = &mut workspace.formulation {
            solve_columns(nullspace, mode, &residual, nv, |row, column, value| {
                jacobian[row * n + column] = value;
            });
        }
        workspace.jacobian = residual;
        self.integrand_rows(t, mode, x, workspace, jacobian);
        self.jacobian_by_columns(t, mode, x, self.quadratures().end..n, workspace, jacobian);
    }

    /// Gradients of the integrands.
    fn integrand_rows(&self, t: f64, mode: &Mode, x: &[f64], workspace: &mut Workspace, jacobian: &mut [f64]) {
        let n = x.len();
        let mut numbers = std::mem::take(&mut workspace.still);
        for (row, integrand) in self.quadratures().zip(&self.model.integrands) {
            let bars = Bars {
                x: &mut jacobian[row * n..][..n],
                numbers: &mut numbers,
            };
            self.output_transposed(integrand, 1.0, t, mode, x, workspace, bars);
        }
        numbers.fill(0.0);
        workspace.still = numbers;
    }
}

/// dq' = dv - C+ d(c') and da of every column.
fn solve_columns(
    nullspace: &mut Nullspace,
    mode: &Mode,
    residual: &ResidualJacobian,
    nv: usize,
    mut write: impl FnMut(usize, usize, f64),
) {
    const LANES: usize = 4;
    let rows = mode.rows;
    let mut first = 0;
    while first < 2 * nv {
        let count = LANES.min(2 * nv - first);
        let entry = |values: &[f64], height: usize, row: usize| -> [f64; LANES] {
            std::array::from_fn(|lane| {
                if lane < count {
                    values[(first + lane) * height + row]
                } else {
                    0.0
                }
            })
        };
        let panel = nullspace.solve_panel(
            mode,
            |i| entry(&residual.force, nv, i).map(|x| -x),
            |row| entry(&residual.acceleration, rows, row).map(|x| -x),
        );
        for (i, values) in panel.iter().enumerate().take(nv) {
            (0..count).for_each(|lane| write(nv + i, first + lane, values[lane]));
        }
        let panel = nullspace.pseudo_inverse_panel(mode, |row| entry(&residual.rate, rows, row));
        for (i, values) in panel.iter().enumerate().take(nv) {
            for (lane, value) in values.iter().enumerate().take(count) {
                let unit = if first + lane == nv + i { 1.0 } else { 0.0 };
                write(i, first + lane, unit - value);
            }
        }
        first += count;
    }
}
