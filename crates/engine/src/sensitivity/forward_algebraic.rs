//! A differential-algebraic system together with its sensitivities: these are variations of the underlying ordinary
//! differential equation along the motion (theory, 8.2), with the constraints in none of their equations.

use super::forward::{ForwardMode, ForwardSystem, ForwardWorkspace};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Differentiable, DifferentialAlgebraic, Tangent};
use crate::integrate::{Place, Structure};

impl<H: Differentiable> ForwardSystem<'_, H> {
    #[allow(clippy::type_complexity)]
    fn equations(&self) -> Result<&dyn DifferentialAlgebraic<Mode = H::Mode, Workspace = H::Workspace>> {
        let none = || {
            Error::new(
                ErrorKind::Request,
                "this system has no differential-algebraic equations",
            )
        };
        self.system.differential_algebraic().ok_or_else(none)
    }
}

impl<H: Differentiable> DifferentialAlgebraic for ForwardSystem<'_, H> {
    type Mode = ForwardMode<H::Mode>;
    type Workspace = ForwardWorkspace<H::Workspace>;

    fn structure(&self, mode: &Self::Mode) -> Structure {
        let inner = self.equations().map(|equations| equations.structure(&mode.mode));
        Structure {
            variations: self.directions.len(),
            ..inner.unwrap_or_default()
        }
    }

    fn residual(&self, mode: &Self::Mode, place: &Place, workspace: &mut Self::Workspace, r: &mut [f64]) -> Result<()> {
        self.equations()?
            .residual(&mode.mode, &self.without(place), &mut workspace.inner, r)
    }

    fn linearize_residual(
        &self,
        mode: &Self::Mode,
        place: &Place,
        workspace: &mut Self::Workspace,
        mass: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<()> {
        let (equations, place) = (self.equations()?, self.without(place));
        equations.linearize_residual(&mode.mode, &place, &mut workspace.inner, mass, jacobian)
    }

    fn multipliers(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        workspace: &mut Self::Workspace,
        y: &mut [f64],
    ) -> Result<()> {
        let (equations, state) = (self.equations()?, &x[..self.system.dimension()]);
        equations.multipliers(t, &mode.mode, state, &mut workspace.inner, y)
    }

    fn make_consistent(&self, t: f64, mode: &Self::Mode, x: &mut [f64], workspace: &mut Self::Workspace) -> Result<()> {
        let (equations, state) = (self.equations()?, &mut x[..self.system.dimension()]);
        equations.make_consistent(t, &mode.mode, state, &mut workspace.inner)
    }

    fn make_tangent(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        workspace: &mut Self::Workspace,
        change: &mut [f64],
    ) -> Result<()> {
        let (equations, n) = (self.equations()?, self.system.dimension());
        equations.make_tangent(t, &mode.mode, &x[..n], &mut workspace.inner, &mut change[..n])
    }

    fn quadrature_rates(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        workspace: &mut Self::Workspace,
        rates: &mut [f64],
    ) -> Result<()> {
        let (equations, state) = (self.equations()?, &x[..self.system.dimension()]);
        equations.quadrature_rates(t, &mode.mode, state, &mut workspace.inner, rates)
    }

    fn variation(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        workspace: &mut Self::Workspace,
        jacobian: &mut [f64],
        sources: &mut [f64],
    ) -> Result<()> {
        let (mode, state, inner) = (&mode.mode, &x[..self.system.dimension()], &mut workspace.inner);
        self.system.flow_jacobian(At::new(t, mode, state), inner, jacobian)?;
        self.system.linearize(At::new(t, mode, state), inner)?;
        for (source, numbers) in sources.chunks_exact_mut(state.len().max(1)).zip(self.directions) {
            let along = Tangent {
                t: 0.0,
                x: &workspace.still,
                numbers,
            };
            self.system.flow_jvp(At::new(t, mode, state), &along, inner, source);
        }
        Ok(())
    }
}

impl<H: Differentiable> ForwardSystem<'_, H> {
    /// The same place without the sensitivities.
    fn without<'a>(&self, place: &Place<'a>) -> Place<'a> {
        Place {
            x: &place.x[..self.system.dimension()],
            ..*place
        }
    }
}
