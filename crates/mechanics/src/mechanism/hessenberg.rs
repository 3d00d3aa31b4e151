//! A mechanism as differential-algebraic equations: with constraints of positions and velocities, index 2, or of positions
//! alone, index 3 (theory, 1.11 and 1.12).

mod by_columns;

use super::{FormulationChoice, Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::{At, HybridSystem};
use crate::integrate::{Hessenberg, StagePoint, Structure};
use crate::linear::{Descriptor, Form, add_scaled};
use crate::model::residual::Instant;
use crate::model::{Mode, Terms};

impl Mechanism {
    /// Whether the velocities are constrained beside the positions, by a second multiplier.
    fn is_stabilized(&self) -> bool {
        self.choices.formulation == FormulationChoice::Stabilized
    }

    /// Whether the motion is integrated as that of differential-algebraic equations.
    pub(super) fn is_algebraic(&self) -> bool {
        self.is_stabilized() || self.choices.formulation == FormulationChoice::Index3
    }
}

/// The equations of a mechanism in one mode.
pub(super) struct InHessenbergForm<'a> {
    pub mechanism: &'a Mechanism,
    pub mode: &'a Mode,
    pub workspace: &'a mut Workspace,
}

impl InHessenbergForm<'_> {
    /// Whether the state is coupled as a whole, since forces may read memory that has a rate.
    fn couples_memory(&self) -> bool {
        self.mechanism.model.memory_rates().next().is_some()
    }

    /// Components that the equations couple: positions and velocities, and all the rest where memory has rates.
    fn coupled(&self) -> usize {
        match self.couples_memory() {
            true => self.mechanism.dimension(),
            false => self.mechanism.velocities().end,
        }
    }

    /// Assembles at a point. What follows from the motion, as shares of sides, friction forces and rates of memory do, is that of the
    /// state: the underlying equation gives it.
    ///
    /// # Errors
    /// As for the motion there.
    fn assemble_at(&mut self, point: &StagePoint) -> Result<()> {
        let (mechanism, mode) = (self.mechanism, self.mode);
        let at = At::new(point.t, mode, point.x);
        if !mode.slides.is_empty() || !mode.grips.is_empty() || self.couples_memory() {
            mechanism.evaluate_motion(at, mechanism.integrands_need_multipliers, self.workspace)?;
        } else {
            mechanism.load_memory(point.x, &mut self.workspace.terms);
            mechanism.assemble(at, &mut self.workspace.terms);
        }
        Ok(())
    }

    /// Spreads the multipliers of a point over the rows of the mode, where the dependent ones have none.
    fn load_multipliers(&mut self, point: &StagePoint) {
        let (mode, Workspace { lambda, .. }) = (self.mode, &mut *self.workspace);
        lambda[..mode.rows].fill(0.0);
        for (&row, value) in mode.independent.iter().zip(point.multipliers) {
            lambda[row] = *value;
        }
    }

    /// Subtracts each force whose size follows from the motion, times the gradient of its size, from the rows of the forces.
    ///
    /// # Errors
    /// As for the motion there.
    fn subtract_following(&mut self, point: &StagePoint, jacobian: &mut [f64]) -> Result<()> {
        let (mechanism, at, coupled) = (self.mechanism, At::new(point.t, self.mode, point.x), self.coupled());
        let (nq, n) = (mechanism.model.nq(), coupled + point.multipliers.len());
        let mut subtract = |force: &[f64], slopes: &[f64]| {
            for (row, force) in jacobian[nq * n..].chunks_mut(n).zip(force) {
                add_scaled(&mut row[..coupled], -force, &slopes[..coupled]);
            }
        };
        mechanism.forces_by_share(at, self.workspace, &mut subtract)?;
        mechanism.forces_by_friction(at, self.workspace, &mut subtract)
    }

    fn factor_at(&mut self, t: f64, x: &[f64]) -> Result<()> {
        let (mechanism, mode) = (self.mechanism, self.mode);
        let Workspace { terms, formulation, .. } = &mut *self.workspace;
        mechanism.load_memory(x, terms);
        let (q, v) = (&x[mechanism.positions()], &x[mechanism.velocities()]);
        mechanism.model.assemble(t, q, v, mode, terms);
        formulation.factor(&mechanism.model, mode, terms)
    }

    /// Removes the part across the constraints from a change by velocities, at the factored terms.
    fn remove_across(&mut self, change: &mut [f64]) {
        let Workspace { right, terms, .. } = &mut *self.workspace;
        let right = right[..self.mode.rows].iter_mut();
        right
            .zip(terms.jacobian.times(change))
            .for_each(|(slot, product)| *slot = product);
        self.remove_normal(change);
    }

    /// v <- v - dv with M dv in the range of C^T and C dv what stands in `right`, at the factored terms.
    fn remove_normal(&mut self, v: &mut [f64]) {
        let Workspace {
            terms,
            formulation,
            along,
            right,
            da,
            dlambda,
            ..
        } = &mut *self.workspace;
        along.force.fill(0.0);
        formulation.solve(self.mode, terms, &along.force, right, da, dlambda);
        v.iter_mut().zip(&*da).for_each(|(v, dv)| *v -= dv);
    }
}

impl Hessenberg for InHessenbergForm<'_> {
    fn structure(&mut self) -> Structure {
        let (mechanism, rows) = (self.mechanism, self.mode.independent.len());
        let weakened = !mechanism.is_stabilized() && rows > 0;
        let coupled = self.coupled();
        Structure {
            coupled,
            multipliers: if mechanism.is_stabilized() { 2 * rows } else { rows },
            rates: mechanism.velocities(),
            weakened,
            repaired: weakened && mechanism.choices.projection,
            quadratures: coupled..coupled.max(mechanism.quadratures().end),
            block: mechanism.dimension(),
            variations: 0,
        }
    }

    /// (1.12): [ q' - Z (v + C^T mu) ; M v' - f - C^T lambda ; c ; c' ] with y = (lambda, mu), or (1.11), the same without mu
    /// and c'; where memory has rates, what else is integrated before c.
    fn residual(&mut self, point: &StagePoint, r: &mut [f64]) -> Result<()> {
        self.assemble_at(point)?;
        let motion = self.mechanism.velocities().end;
        let (r, constraints) = r.split_at_mut(self.coupled());
        let (r, integrated) = r.split_at_mut(motion);
        integrated.copy_from_slice(&point.rate[motion..]);
        if !integrated.is_empty() {
            let at = At::new(point.t, self.mode, point.x);
            let subtract = |place: usize, rate: f64| integrated[place - motion] -= rate;
            self.mechanism.integrated_rates(at, self.workspace, subtract);
        }
        let (mechanism, mode) = (self.mechanism, self.mode);
        let nq = mechanism.model.nq();
        let Workspace { terms, u, .. } = &mut *self.workspace;
        let (q_dot, v_dot) = point.rate[..motion].split_at(nq);
        let (lambda, mu) = point.multipliers.split_at(mode.independent.len());
        let (kinematic, kinetic) = r.split_at_mut(nq);
        u.copy_from_slice(&point.x[mechanism.velocities()]);
        add_forces(mode, terms, (1.0, mu), u);
        mechanism
            .model
            .write_rates(&point.x[mechanism.positions()], u, kinematic);
        for (slot, rate) in kinematic.iter_mut().zip(q_dot) {
            *slot = rate - *slot;
        }
        for (slot, (inertia, force)) in kinetic.iter_mut().zip(terms.mass.times(v_dot).zip(&terms.force)) {
            *slot = inertia - force;
        }
        add_forces(mode, terms, (-1.0, lambda), kinetic);
        let opening = mode.independent.iter().map(|&row| terms.c[row]);
        let rates = mode.independent.iter().map(|&row| terms.rate[row]);
        for (slot, value) in constraints.iter_mut().zip(opening.chain(rates)) {
            *slot = value;
        }
        Ok(())
    }

    /// Without the derivative of C^T mu by the positions, since mu vanishes.
    fn linearize(&mut self, point: &StagePoint, mass: &mut [f64], jacobian: &mut [f64]) -> Result<()> {
        if !self.mechanism.model.frames.is_empty() || self.couples_memory() {
            return self.linearize_by_columns(point, mass, jacobian);
        }
        self.assemble_at(point)?;
        self.load_multipliers(point);
        let (mechanism, mode) = (self.mechanism, self.mode);
        let (nv, m) = (mechanism.model.nv(), mode.independent.len());
        let n = 2 * nv + point.multipliers.len();
        let Workspace {
            terms,
            lambda,
            along,
            jacobian: columns,
            ..
        } = &mut *self.workspace;
        let at = Instant {
            t: point.t,
            q: &point.x[mechanism.positions()],
            v: &point.x[mechanism.velocities()],
            a: &point.rate[nv..2 * nv],
            lambda: &lambda[..mode.rows],
            attitudes: None,
        };
        mechanism.model.residual_jacobian(&at, mode, terms, along, columns);
        mass.fill(0.0);
        jacobian.fill(0.0);
        for i in 0..nv {
            mass[i * n + i] = 1.0;
            terms.mass.row(i).add_to(1.0, &mut mass[(nv + i) * n + nv..][..nv]);
            jacobian[i * n + nv + i] = -1.0;
            (0..2 * nv).for_each(|j| jacobian[(nv + i) * n + j] = columns.force[j * nv + i]);
        }
        for (k, &row) in mode.independent.iter().enumerate() {
            for (j, value) in terms.jacobian.row(row).entries() {
                jacobian[(2 * nv + k) * n + j] = value;
                jacobian[(nv + j) * n + 2 * nv + k] = -value;
                if mechanism.is_stabilized() {
                    jacobian[j * n + 2 * nv + m + k] = -value;
                }
            }
            if mechanism.is_stabilized() {
                for j in 0..2 * nv {
                    jacobian[(2 * nv + m + k) * n + j] = columns.rate[j * mode.rows + row];
                }
            }
        }
        self.subtract_following(point, jacobian)
    }

    fn has_descriptor(&mut self) -> bool {
        self.mechanism.is_sparse(self.mode, self.workspace)
    }

    /// Without what [`Hessenberg::linearize`] leaves out.
    fn descriptor(&mut self, point: &StagePoint, out: &mut Descriptor) -> Result<bool> {
        let (mechanism, mode) = (self.mechanism, self.mode);
        if !self.has_descriptor() {
            return Ok(false);
        }
        self.assemble_at(point)?;
        self.load_multipliers(point);
        self.workspace
            .formulation
            .factor(&mechanism.model, mode, &self.workspace.terms)?;
        let nv = mechanism.model.nv();
        self.workspace.a.copy_from_slice(&point.rate[nv..2 * nv]);
        mechanism.write_matrices(At::new(point.t, mode, point.x), self.workspace, out);
        out.form = match mechanism.is_stabilized() {
            true => Form::Stabilized,
            false => Form::Index3,
        };
        Ok(self.has_descriptor())
    }

    fn multipliers(&mut self, t: f64, x: &[f64], y: &mut [f64]) -> Result<()> {
        let at = At::new(t, self.mode, x);
        self.mechanism.evaluate_motion(at, true, self.workspace)?;
        y.fill(0.0);
        for (slot, &row) in y.iter_mut().zip(&self.mode.independent) {
            *slot = self.workspace.lambda[row];
        }
        Ok(())
    }

    /// (8.7): v <- v - dv with M dv in the range of C^T and C dv = c', along the direction in which index 3 loses an order.
    fn make_consistent(&mut self, t: f64, x: &mut [f64]) -> Result<()> {
        self.factor_at(t, x)?;
        let (rows, Workspace { right, terms, .. }) = (self.mode.rows, &mut *self.workspace);
        right[..rows].copy_from_slice(&terms.rate[..rows]);
        self.remove_normal(&mut x[self.mechanism.velocities()]);
        Ok(())
    }

    fn make_tangent(&mut self, t: f64, x: &[f64], change: &mut [f64]) -> Result<()> {
        if self.mode.rows == 0 {
            return Ok(());
        }
        self.factor_at(t, x)?;
        let (model, positions) = (&self.mechanism.model, self.mechanism.positions());
        let (q, v) = change.split_at_mut(positions.end);
        if model.frames.is_empty() {
            self.remove_across(q);
        } else {
            // Lengths of quaternions are not constrained.
            let (mut twist, mut across) = (
                std::mem::take(&mut self.workspace.u),
                std::mem::take(&mut self.workspace.du),
            );
            model.write_twist(&x[positions.clone()], q, &mut twist);
            across.copy_from_slice(&twist);
            self.remove_across(&mut twist);
            add_scaled(&mut twist, -1.0, &across);
            let rates = &mut self.workspace.q_dot;
            model.write_rates(&x[positions], &twist, rates);
            add_scaled(q, 1.0, rates);
            (self.workspace.u, self.workspace.du) = (twist, across);
        }
        self.remove_across(&mut v[..model.nv()]);
        Ok(())
    }

    fn quadrature_rates(&mut self, t: f64, x: &[f64], rates: &mut [f64]) -> Result<()> {
        let (mechanism, at) = (self.mechanism, At::new(t, self.mode, x));
        mechanism.evaluate_motion(at, mechanism.integrands_need_multipliers, self.workspace)?;
        let first = mechanism.quadratures().start;
        mechanism.integrated_rates(at, self.workspace, |place, rate| rates[place - first] = rate);
        Ok(())
    }
}

/// Adds a factor times C^T y over the independent rows; nothing without y.
fn add_forces(mode: &Mode, terms: &Terms, (factor, y): (f64, &[f64]), slots: &mut [f64]) {
    for (row, weight) in terms.jacobian.rows(&mode.independent).zip(y) {
        row.add_to(factor * weight, slots);
    }
}
