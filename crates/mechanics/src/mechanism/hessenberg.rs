//! A mechanism as differential-algebraic equations: with constraints of positions and velocities, index 2, or of positions
//! alone, index 3 (theory, 1.11 and 1.12).

use super::{FormulationChoice, Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::{At, DifferentialAlgebraic};
use crate::integrate::{Place, Structure};
use crate::linear::add_scaled;
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

    /// Assembles at a place and spreads its multipliers over the rows of the mode, where the dependent ones have none.
    fn assemble_at(&self, mode: &Mode, place: &Place, workspace: &mut Workspace) {
        let Workspace { terms, lambda, .. } = workspace;
        self.load_memory(place.x, terms);
        let (q, v) = (&place.x[self.positions()], &place.x[self.velocities()]);
        self.model.assemble(place.t, q, v, mode, terms);
        lambda[..mode.rows].fill(0.0);
        for (&row, value) in mode.independent.iter().zip(place.multipliers) {
            lambda[row] = *value;
        }
    }

    fn factor_at(&self, at: At<Mode>, workspace: &mut Workspace) -> Result<()> {
        let At { t, mode, x } = at;
        let Workspace { terms, formulation, .. } = workspace;
        self.load_memory(x, terms);
        let (q, v) = (&x[self.positions()], &x[self.velocities()]);
        self.model.assemble(t, q, v, mode, terms);
        formulation.factor(&self.model, mode, terms)
    }

    /// v <- v - dv with M dv in the range of C^T and C dv what stands in `right`, at the factored terms.
    fn remove_normal(&self, mode: &Mode, v: &mut [f64], workspace: &mut Workspace) {
        let Workspace {
            terms,
            formulation,
            along,
            right,
            da,
            dlambda,
            ..
        } = workspace;
        along.force.fill(0.0);
        formulation.solve(mode, terms, &along.force, right, da, dlambda);
        v.iter_mut().zip(&*da).for_each(|(v, dv)| *v -= dv);
    }
}

impl DifferentialAlgebraic for Mechanism {
    type Mode = Mode;
    type Workspace = Workspace;

    fn structure(&self, mode: &Mode) -> Structure {
        let rows = mode.independent.len();
        let weakened = !self.is_stabilized() && rows > 0;
        Structure {
            coupled: self.velocities().end,
            multipliers: if self.is_stabilized() { 2 * rows } else { rows },
            rates: self.velocities(),
            weakened,
            repaired: weakened && self.choices.projection,
            quadratures: self.quadratures(),
            block: self.quadratures().end + self.model.memory.len(),
            variations: 0,
        }
    }

    /// (1.12): [ q' - v - C^T mu ; M v' - f - C^T lambda ; c ; c' ] with y = (lambda, mu), or (1.11), the same without mu and c'.
    fn residual(&self, mode: &Mode, place: &Place, workspace: &mut Workspace, r: &mut [f64]) -> Result<()> {
        self.assemble_at(mode, place, workspace);
        let (terms, nv) = (&workspace.terms, self.model.nv());
        let (q_dot, v_dot) = place.rate.split_at(nv);
        let (lambda, mu) = place.multipliers.split_at(mode.independent.len());
        let (kinematic, rest) = r.split_at_mut(nv);
        let (kinetic, constraints) = rest.split_at_mut(nv);
        for (slot, (rate, v)) in kinematic.iter_mut().zip(q_dot.iter().zip(&place.x[self.velocities()])) {
            *slot = rate - v;
        }
        for (slot, (inertia, force)) in kinetic.iter_mut().zip(terms.mass.times(v_dot).zip(&terms.force)) {
            *slot = inertia - force;
        }
        subtract_forces(mode, terms, mu, kinematic);
        subtract_forces(mode, terms, lambda, kinetic);
        let opening = mode.independent.iter().map(|&row| terms.c[row]);
        let rates = mode.independent.iter().map(|&row| terms.rate[row]);
        for (slot, value) in constraints.iter_mut().zip(opening.chain(rates)) {
            *slot = value;
        }
        Ok(())
    }

    /// Without the derivative of C^T mu by the positions, since mu vanishes.
    fn linearize_residual(
        &self,
        mode: &Mode,
        place: &Place,
        workspace: &mut Workspace,
        mass: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<()> {
        self.assemble_at(mode, place, workspace);
        let (nv, m) = (self.model.nv(), mode.independent.len());
        let n = 2 * nv + place.multipliers.len();
        let mut columns = std::mem::take(&mut workspace.jacobian);
        let at = Instant {
            t: place.t,
            q: &place.x[self.positions()],
            v: &place.x[self.velocities()],
            a: &place.rate[nv..2 * nv],
            lambda: &workspace.lambda[..mode.rows],
        };
        let terms = &workspace.terms;
        self.model
            .residual_jacobian(&at, mode, terms, &mut workspace.along, &mut columns);
        mass.fill(0.0);
        jacobian.fill(0.0);
        for i in 0..nv {
            mass[i * n + i] = 1.0;
            mass[(nv + i) * n + nv..][..nv].copy_from_slice(terms.mass.row(i));
            jacobian[i * n + nv + i] = -1.0;
            for j in 0..2 * nv {
                jacobian[(nv + i) * n + j] = columns.force[j * nv + i];
            }
        }
        for (k, &row) in mode.independent.iter().enumerate() {
            for (j, &value) in terms.jacobian.row(row).iter().enumerate() {
                jacobian[(2 * nv + k) * n + j] = value;
                jacobian[(nv + j) * n + 2 * nv + k] = -value;
                if self.is_stabilized() {
                    jacobian[j * n + 2 * nv + m + k] = -value;
                }
            }
            if self.is_stabilized() {
                for j in 0..2 * nv {
                    jacobian[(2 * nv + m + k) * n + j] = columns.rate[j * mode.rows + row];
                }
            }
        }
        workspace.jacobian = columns;
        Ok(())
    }

    fn multipliers(&self, t: f64, mode: &Mode, x: &[f64], workspace: &mut Workspace, y: &mut [f64]) -> Result<()> {
        self.evaluate_motion(At::new(t, mode, x), true, workspace)?;
        y.fill(0.0);
        for (slot, &row) in y.iter_mut().zip(&mode.independent) {
            *slot = workspace.lambda[row];
        }
        Ok(())
    }

    /// (8.7): v <- v - dv with M dv in the range of C^T and C dv = c', along the direction in which index 3 loses an order.
    fn make_consistent(&self, t: f64, mode: &Mode, x: &mut [f64], workspace: &mut Workspace) -> Result<()> {
        self.factor_at(At::new(t, mode, x), workspace)?;
        workspace.right[..mode.rows].copy_from_slice(&workspace.terms.rate[..mode.rows]);
        self.remove_normal(mode, &mut x[self.velocities()], workspace);
        Ok(())
    }

    fn make_tangent(
        &self,
        t: f64,
        mode: &Mode,
        x: &[f64],
        workspace: &mut Workspace,
        change: &mut [f64],
    ) -> Result<()> {
        if mode.rows == 0 {
            return Ok(());
        }
        self.factor_at(At::new(t, mode, x), workspace)?;
        for part in [self.positions(), self.velocities()] {
            let part = &mut change[part];
            let products = workspace.terms.jacobian.times(part);
            let right = workspace.right[..mode.rows].iter_mut();
            right.zip(products).for_each(|(slot, product)| *slot = product);
            self.remove_normal(mode, part, workspace);
        }
        Ok(())
    }

    fn quadrature_rates(
        &self,
        t: f64,
        mode: &Mode,
        x: &[f64],
        workspace: &mut Workspace,
        rates: &mut [f64],
    ) -> Result<()> {
        self.evaluate_motion(At::new(t, mode, x), self.integrands_need_multipliers, workspace)?;
        self.integrand_values(At::new(t, mode, x), workspace, rates);
        Ok(())
    }
}

/// Subtracts C^T y over the independent rows; nothing without y.
fn subtract_forces(mode: &Mode, terms: &Terms, y: &[f64], slots: &mut [f64]) {
    for (row, weight) in terms.jacobian.rows(&mode.independent).zip(y) {
        add_scaled(slots, -weight, row);
    }
}
