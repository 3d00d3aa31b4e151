//! Derivatives of the differential-algebraic equations where there are rigid bodies in space: more positions than velocities, with
//! q' = Z v between them (theory, 7.1).

use super::{InHessenbergForm, add_forces};
use crate::error::Result;
use crate::hybrid::{At, Tangent};
use crate::integrate::StagePoint;
use crate::linear::{LANES, Lane};
use crate::mechanism::Workspace;
use crate::mechanism::tangent_scratch::TangentScratch;

impl InHessenbergForm<'_> {
    /// As [`Hessenberg::linearize`](crate::integrate::Hessenberg::linearize), without the derivative of Z C^T mu by the positions.
    pub(super) fn linearize_in_space(
        &mut self,
        point: &StagePoint,
        mass: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<()> {
        let shares = self
            .mechanism
            .forces_by_share(At::new(point.t, self.mode, point.x), self.workspace)?;
        self.assemble_at(point)?;
        let (nq, nv) = (self.mechanism.model.nq(), self.mechanism.model.nv());
        let n = nq + nv + point.multipliers.len();
        mass.fill(0.0);
        jacobian.fill(0.0);
        (0..nq).for_each(|i| mass[i * n + i] = 1.0);
        for i in 0..nv {
            let row = self.workspace.terms.mass.row(i);
            row.add_to(1.0, &mut mass[(nq + i) * n + nq..][..nv]);
        }
        if self.mechanism.has_lanes(self.mode) {
            self.write_state_columns(point, jacobian);
        } else {
            for j in 0..nq + nv {
                let mut column = self.column(point, j);
                for (force, share) in &shares {
                    (0..nv).for_each(|i| column[nq + i] -= force[i] * share[j]);
                }
                for (i, value) in column.into_iter().enumerate() {
                    jacobian[i * n + j] = value;
                }
            }
        }
        self.write_multiplier_columns(point, jacobian);
        Ok(())
    }

    /// The derivatives by positions and velocities, several at a time.
    fn write_state_columns(&mut self, point: &StagePoint, jacobian: &mut [f64]) {
        let (mechanism, mode) = (self.mechanism, self.mode);
        let (model, nq) = (&mechanism.model, mechanism.model.nq());
        let (coupled, n) = (nq + model.nv(), nq + model.nv() + point.multipliers.len());
        let Workspace {
            terms,
            lambda,
            tangents,
            ..
        } = &mut *self.workspace;
        let TangentScratch {
            x,
            turned,
            residual,
            q_dot,
            still,
            ..
        } = tangents;
        let at = At::new(point.t, mode, point.x);
        let instant = mechanism.instant(at, &point.rate[nq..], lambda);
        still.resize(model.memory_start(), Lane::zeros());
        q_dot.resize(nq, Lane::zeros());
        for first in (0..coupled).step_by(LANES) {
            let count = LANES.min(coupled - first);
            x.clear();
            x.resize(point.x.len(), Lane::zeros());
            (0..count).for_each(|lane| x[first + lane][lane] = 1.0);
            let directions = mechanism.directions((at, x), turned, still);
            model.residual_lanes(&instant, mode, terms, &directions, residual);
            model.write_turning(instant.q, directions.v, q_dot);
            model.add_turned_rates(&x[mechanism.positions()], instant.v, q_dot);
            let constraints = (mode.independent.iter()).map(|&row| residual.c[row]);
            let hidden = (mode.independent.iter()).map(|&row| residual.rate[row]);
            let hidden = hidden.take(if mechanism.is_stabilized() { mode.rows } else { 0 });
            let kinematic = q_dot.iter().map(|rate| -rate);
            let column = (kinematic.chain(residual.force.iter().copied())).chain(constraints.chain(hidden));
            for (i, values) in column.enumerate() {
                (0..count).for_each(|lane| jacobian[i * n + first + lane] = values[lane]);
            }
        }
    }

    /// The derivative by a position or velocity, where numbers follow the motion.
    fn column(&mut self, point: &StagePoint, j: usize) -> Vec<f64> {
        let (mechanism, mode) = (self.mechanism, self.mode);
        let (model, nq) = (&mechanism.model, mechanism.model.nq());
        let Workspace {
            terms,
            lambda,
            along,
            unit,
            still,
            numbers,
            ..
        } = &mut *self.workspace;
        unit.fill(0.0);
        unit[j] = 1.0;
        let at = mechanism.instant(At::new(point.t, mode, point.x), &point.rate[nq..], lambda);
        let tangent = Tangent::new(0.0, unit, still);
        let direction = mechanism.direction(&tangent, numbers);
        model.residual_along(&at, mode, terms, &direction, along);
        let mut rates = model.coordinate_rates(at.q, direction.v);
        model.add_turned_rates(direction.q, at.v, &mut rates);
        let constraints = (mode.independent.iter()).map(|&row| along.c[row]);
        let hidden = (mode.independent.iter()).map(|&row| along.rate[row]);
        let hidden = hidden.take(if mechanism.is_stabilized() { mode.rows } else { 0 });
        let kinematic = rates.iter().map(|rate| -rate);
        (kinematic.chain(along.force.iter().copied()))
            .chain(constraints.chain(hidden))
            .collect()
    }

    /// The derivatives by the multipliers: minus C^T, and minus Z C^T.
    fn write_multiplier_columns(&self, point: &StagePoint, jacobian: &mut [f64]) {
        let (mechanism, mode) = (self.mechanism, self.mode);
        let (model, m) = (&mechanism.model, mode.independent.len());
        let (nq, nv) = (model.nq(), model.nv());
        let n = nq + nv + point.multipliers.len();
        let mut unit = vec![0.0; m];
        for k in 0..m {
            let mut force = vec![0.0; nv];
            unit[k] = 1.0;
            add_forces(mode, &self.workspace.terms, (1.0, &unit), &mut force);
            unit[k] = 0.0;
            for (i, value) in force.iter().enumerate() {
                jacobian[(nq + i) * n + nq + nv + k] = -value;
            }
            if mechanism.is_stabilized() {
                let rates = model.coordinate_rates(&point.x[mechanism.positions()], &force);
                for (i, value) in rates.into_iter().enumerate() {
                    jacobian[i * n + nq + nv + m + k] = -value;
                }
            }
        }
    }
}
