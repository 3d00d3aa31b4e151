//! Derivatives of the differential-algebraic equations by one direction after the other: where there are rigid bodies in space, with
//! more positions than velocities and q' = Z v between them (theory, 7.1), and where memory has rates.

use super::InHessenbergForm;
use crate::error::Result;
use crate::hybrid::{At, Tangent};
use crate::integrate::StagePoint;
use crate::linear::{LANES, Lane};
use crate::mechanism::Workspace;
use crate::mechanism::tangent_scratch::TangentScratch;

impl InHessenbergForm<'_> {
    /// As [`Hessenberg::linearize`](crate::integrate::Hessenberg::linearize), without the derivative of Z C^T mu by the positions.
    pub(super) fn linearize_by_columns(
        &mut self,
        point: &StagePoint,
        mass: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<()> {
        self.assemble_at(point)?;
        self.load_multipliers(point);
        let (nq, nv, coupled) = (self.mechanism.model.nq(), self.mechanism.model.nv(), self.coupled());
        let n = coupled + point.multipliers.len();
        mass.fill(0.0);
        jacobian.fill(0.0);
        (0..nq).chain(nq + nv..coupled).for_each(|i| mass[i * n + i] = 1.0);
        for i in 0..nv {
            let row = self.workspace.terms.mass.row(i);
            row.add_to(1.0, &mut mass[(nq + i) * n + nq..][..nv]);
        }
        if self.mechanism.has_lanes(self.mode) && !self.couples_memory() {
            self.write_state_columns(point, jacobian);
        } else {
            (0..coupled).for_each(|j| self.write_state_column(point, j, jacobian));
        }
        self.write_multiplier_columns(point, jacobian);
        self.write_rows_of_rates(point, jacobian)?;
        self.subtract_following(point, jacobian)
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

    /// Writes the derivative by a component of the state, of the rows of the motion and of the constraints.
    fn write_state_column(&mut self, point: &StagePoint, j: usize, jacobian: &mut [f64]) {
        let (mechanism, mode, coupled) = (self.mechanism, self.mode, self.coupled());
        let (model, n) = (&mechanism.model, coupled + point.multipliers.len());
        let (nq, motion) = (model.nq(), model.nq() + model.nv());
        let Workspace {
            terms,
            lambda,
            along,
            unit,
            still,
            numbers,
            q_dot,
            ..
        } = &mut *self.workspace;
        unit.fill(0.0);
        unit[j] = 1.0;
        let at = mechanism.instant(At::new(point.t, mode, point.x), &point.rate[nq..motion], lambda);
        let tangent = Tangent::new(0.0, unit, still);
        let direction = mechanism.direction(&tangent, numbers);
        model.residual_along(&at, mode, terms, &direction, along);
        model.write_rates(at.q, direction.v, q_dot);
        model.add_turned_rates(direction.q, at.v, q_dot);
        let constraints = (mode.independent.iter()).map(|&row| along.c[row]);
        let hidden = (mode.independent.iter()).map(|&row| along.rate[row]);
        let hidden = hidden.take(if mechanism.is_stabilized() { mode.rows } else { 0 });
        let kinematic = q_dot.iter().map(|rate| -rate);
        let rows = (0..motion).chain(coupled..n);
        let column = (kinematic.chain(along.force.iter().copied())).chain(constraints.chain(hidden));
        rows.zip(column).for_each(|(row, value)| jacobian[row * n + j] = value);
    }

    /// Writes the derivatives by the multipliers: minus C^T, and minus Z C^T.
    fn write_multiplier_columns(&mut self, point: &StagePoint, jacobian: &mut [f64]) {
        let (mechanism, mode) = (self.mechanism, self.mode);
        let (model, m) = (&mechanism.model, mode.independent.len());
        let (nq, coupled) = (model.nq(), self.coupled());
        let n = coupled + point.multipliers.len();
        let Workspace {
            terms,
            da: force,
            q_dot: rates,
            ..
        } = &mut *self.workspace;
        for (k, &row) in mode.independent.iter().enumerate() {
            force.fill(0.0);
            terms.jacobian.row(row).add_to(1.0, force);
            for (i, value) in force.iter().enumerate() {
                jacobian[(nq + i) * n + coupled + k] = -value;
            }
            if mechanism.is_stabilized() {
                model.write_rates(&point.x[mechanism.positions()], force, rates);
                for (i, value) in rates.iter().enumerate() {
                    jacobian[i * n + coupled + m + k] = -value;
                }
            }
        }
    }

    /// Writes minus the gradients by the state of the rates of what is integrated beside the motion, where they are coupled to it.
    ///
    /// # Errors
    /// As for the motion there.
    fn write_rows_of_rates(&mut self, point: &StagePoint, jacobian: &mut [f64]) -> Result<()> {
        if !self.couples_memory() {
            return Ok(());
        }
        let (mechanism, at) = (self.mechanism, At::new(point.t, self.mode, point.x));
        mechanism.evaluate_motion(at, true, self.workspace)?;
        let n = at.x.len() + point.multipliers.len();
        for (place, rate) in mechanism.integrated() {
            mechanism.with_gradient_row(self.workspace, |workspace, cotangents| {
                mechanism.output_vjp((rate, true), -1.0, at, workspace, cotangents);
                Ok(())
            })?;
            jacobian[place * n..][..at.x.len()].copy_from_slice(&self.workspace.column);
        }
        Ok(())
    }
}
