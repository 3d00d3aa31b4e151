//! Derivatives of a system: matrices over the directions [x | p | t], with y following its equations.

use super::derivatives::{Differentiated, Variation, VariedPoint, Wide};
use super::jump::JumpSlopes;
use super::system::{System, Workspace, rates};
use super::{Equations, Point};
use crate::error::Result;
use crate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Tangent};
use crate::linear::{add_scaled, dot};

impl<E: Equations> System<E> {
    /// y and its derivatives dy = -g_y^-1 (g_x dx + g_p dp + g_t dt), for states that vary so.
    pub(super) fn differentiate_algebraic(
        &self,
        at: At<E::Mode>,
        x_slopes: Variation,
        workspace: &mut Workspace,
    ) -> Result<()> {
        self.solve(at, workspace)?;
        if self.ny() == 0 {
            return Ok(());
        }
        let Workspace {
            algebraic, y_slopes, ..
        } = workspace;
        algebraic.differentiate(&self.equations, &self.place(at), x_slopes, y_slopes)
    }

    /// [x' | r] and their derivatives, in the workspace.
    pub(super) fn differentiate_rates(&self, at: At<E::Mode>, workspace: &mut Workspace) -> Result<()> {
        let function = |point: &Point<_>, out: &mut [_]| rates(&self.equations, at.mode, point, out);
        let mut rates = std::mem::take(&mut workspace.rates);
        let done = self.differentiate(at, function, &mut rates, workspace);
        workspace.rates = rates;
        done
    }

    /// A guard with its derivatives, in the workspace.
    pub(super) fn differentiate_guard(&self, guard: usize, at: At<E::Mode>, workspace: &mut Workspace) -> Result<()> {
        let function = |point: &Point<_>, out: &mut [_]| out[0] = self.equations.guard(guard, at.mode, point);
        let mut value = std::mem::take(&mut workspace.guard);
        let done = self.differentiate(at, function, &mut value, workspace);
        workspace.guard = value;
        done
    }

    /// Values and derivatives of any function of a point.
    pub(super) fn differentiate(
        &self,
        at: At<E::Mode>,
        function: impl FnMut(&Point<Wide>, &mut [Wide]),
        out: &mut Differentiated,
        workspace: &mut Workspace,
    ) -> Result<()> {
        self.differentiate_algebraic(at, Variation::Units, workspace)?;
        let point = self.place(at).point(&workspace.algebraic.y);
        let varied = VariedPoint::along_all(point, Variation::Units, Variation::Rows(&workspace.y_slopes));
        let sweep = &mut workspace.algebraic.sweep;
        sweep.run(&varied, function, &mut out.values, &mut out.slopes);
        Ok(())
    }

    /// d[x' | r]/dx as rows of dX'/dX; nothing depends on the other parts of X, and how the place to look for y moves does not
    /// matter.
    pub(super) fn write_jacobian(&self, workspace: &Workspace, jacobian: &mut [f64]) {
        let (nx, m) = (self.nx(), self.directions());
        jacobian.fill(0.0);
        let rows = jacobian.chunks_exact_mut(self.dimension());
        for (row, slopes) in rows.zip(workspace.rates.slopes.chunks_exact(m)) {
            row[..nx].copy_from_slice(&slopes[..nx]);
        }
    }

    /// A row over [x | p | t] along a direction.
    #[inline]
    fn along(&self, row: &[f64], along: &Tangent) -> f64 {
        let nx = self.nx();
        let (x, rest) = row.split_at(nx);
        let (p, t) = rest.split_at(self.p.len());
        dot(x, &along.x[..nx]) + dot(p, along.numbers) + t[0] * along.t
    }

    /// Adds `factor` times a row over [x | p | t], time held.
    fn add_row(&self, row: &[f64], factor: f64, cotangents: &mut Cotangents) {
        let nx = self.nx();
        add_scaled(&mut cotangents.x[..nx], factor, &row[..nx]);
        add_scaled(cotangents.numbers, factor, &row[nx..nx + self.p.len()]);
    }
}

impl<E: Equations> Differentiable for System<E> {
    type LinearizedJump = JumpSlopes;

    fn numbers(&self) -> usize {
        self.p.len()
    }

    fn linearize(&self, at: At<E::Mode>, workspace: &mut Workspace) -> Result<()> {
        self.differentiate_rates(at, workspace)
    }

    fn flow_and_jacobian(
        &self,
        at: At<E::Mode>,
        workspace: &mut Workspace,
        dx: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<()> {
        self.differentiate_rates(at, workspace)?;
        self.write_jacobian(workspace, jacobian);
        dx.fill(0.0);
        let (direct, guess) = dx.split_at_mut(self.nx() + self.nc());
        direct.copy_from_slice(&workspace.rates.values);
        // y' = y_x x' + y_t.
        for (out, row) in guess.iter_mut().zip(workspace.y_slopes.chunks_exact(self.directions())) {
            *out = dot(&row[..self.nx()], &workspace.rates.values[..self.nx()]) + row[self.directions() - 1];
        }
        Ok(())
    }

    fn flow_jvp(&self, _: At<E::Mode>, along: &Tangent, workspace: &mut Workspace, out: &mut [f64]) {
        out.fill(0.0);
        let rows = workspace.rates.slopes.chunks_exact(self.directions());
        for (k, row) in rows.enumerate() {
            out[k] = self.along(row, along);
        }
    }

    fn flow_vjp(&self, _: At<E::Mode>, mu: &[f64], workspace: &mut Workspace, mut cotangents: Cotangents) {
        let rows = workspace.rates.slopes.chunks_exact(self.directions());
        for (mu, row) in mu.iter().zip(rows) {
            self.add_row(row, *mu, &mut cotangents);
        }
    }

    fn linearize_projection(&self, at: At<E::Mode>, workspace: &mut Workspace) {
        if self.hides(at.mode) && self.linearize_close(at, workspace).is_err() {
            workspace.projection.slopes.fill(f64::NAN);
        }
    }

    fn project_jvp(&self, at: At<E::Mode>, along: &mut [f64], numbers: &[f64], workspace: &mut Workspace) {
        if self.hides(at.mode) {
            workspace.projection.along(&mut along[..self.nx()], numbers);
        }
    }

    fn project_vjp(&self, at: At<E::Mode>, mu: &mut [f64], numbers_bar: &mut [f64], workspace: &mut Workspace) {
        if self.hides(at.mode) {
            workspace.projection.transposed(&mut mu[..self.nx()], numbers_bar);
        }
    }

    fn guard_jvp(&self, guard: usize, at: At<E::Mode>, along: &Tangent, workspace: &mut Workspace) -> Result<f64> {
        self.differentiate_guard(guard, at, workspace)?;
        Ok(self.along(&workspace.guard.slopes, along))
    }

    fn guard_vjp(
        &self,
        guard: usize,
        at: At<E::Mode>,
        workspace: &mut Workspace,
        mut cotangents: Cotangents,
    ) -> Result<()> {
        self.differentiate_guard(guard, at, workspace)?;
        self.add_row(&workspace.guard.slopes, 1.0, &mut cotangents);
        Ok(())
    }

    fn linearize_jump(&self, at: At<E::Mode>, fired: &[usize], workspace: &mut Workspace) -> Result<JumpSlopes> {
        let mut after = at.x.to_vec();
        let jumped = self.jump_with_slopes(at.t, at.mode, &mut after, fired, workspace)?;
        if let Some(guard) = fired.first() {
            self.check_jump_slopes(at, (&jumped, &after), *guard, workspace)?;
        }
        Ok(jumped.slopes)
    }

    fn jump_jvp(&self, tangent: &JumpSlopes, along: &Tangent, _: &mut Workspace, out: &mut [f64]) {
        out.fill(0.0);
        let rows = tangent.rows.chunks_exact(self.directions());
        for (out, row) in out.iter_mut().zip(rows) {
            *out = self.along(row, along);
        }
        for k in self.integrals() {
            out[k] += along.x[k];
        }
    }

    fn jump_vjp(&self, tangent: &JumpSlopes, mu: &[f64], _: &mut Workspace, mut cotangents: Cotangents) {
        for (mu, row) in mu.iter().zip(tangent.rows.chunks_exact(self.directions())) {
            self.add_row(row, *mu, &mut cotangents);
        }
        for k in self.integrals() {
            cotangents.x[k] += mu[k];
        }
    }
}
