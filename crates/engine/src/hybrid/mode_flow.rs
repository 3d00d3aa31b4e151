//! The flow of a hybrid system between two jumps, as the integrator sees it.

use super::{At, DifferentialAlgebraic, HybridSystem};
use crate::error::{Error, ErrorKind, Result};
use crate::integrate::{Flow, Hessenberg, Place, Structure};

/// The flow of one mode, as the integrator sees it.
pub(super) struct ModeFlow<'a, H: HybridSystem> {
    pub system: &'a H,
    pub mode: &'a H::Mode,
    pub workspace: &'a mut H::Workspace,
    /// Whether stages are projected, and room for a projected state.
    pub projects: &'a mut bool,
    pub projected: &'a mut [f64],
}

impl<H: HybridSystem> Flow for ModeFlow<'_, H> {
    fn dimension(&self) -> usize {
        self.system.dimension()
    }

    fn evaluate(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<()> {
        if !*self.projects {
            return self.system.flow(At::new(t, self.mode, x), self.workspace, dx);
        }
        self.projected.copy_from_slice(x);
        self.system.project(t, self.mode, self.projected, self.workspace)?;
        self.system
            .flow(At::new(t, self.mode, self.projected), self.workspace, dx)
    }

    fn project_stages(&mut self, on: bool) -> bool {
        *self.projects = on && self.system.projects(self.mode);
        *self.projects
    }

    fn regularity(&self) -> Option<(f64, f64)> {
        self.system.regularity(self.workspace)
    }

    fn leaps(&self) -> bool {
        self.system.leaps()
    }

    fn blocks(&self) -> usize {
        self.system.blocks()
    }

    fn hessenberg(&mut self) -> Option<&mut dyn Hessenberg> {
        self.system.differential_algebraic()?;
        Some(self)
    }

    fn jacobian(&mut self, t: f64, x: &[f64], j: &mut [f64]) -> Result<()> {
        self.system.flow_jacobian(At::new(t, self.mode, x), self.workspace, j)
    }

    fn project(&mut self, t: f64, x: &mut [f64]) -> Result<bool> {
        self.system.project(t, self.mode, x, self.workspace)
    }
}

impl<'a, H: HybridSystem> ModeFlow<'a, H> {
    /// The differential-algebraic equations with the mode and the scratch.
    #[allow(clippy::type_complexity)]
    fn equations(
        &mut self,
    ) -> Result<(
        &'a dyn DifferentialAlgebraic<Mode = H::Mode, Workspace = H::Workspace>,
        &'a H::Mode,
        &mut H::Workspace,
    )> {
        let none = || {
            Error::new(
                ErrorKind::Request,
                "this system has no differential-algebraic equations",
            )
        };
        let equations = self.system.differential_algebraic().ok_or_else(none)?;
        Ok((equations, self.mode, self.workspace))
    }
}

impl<H: HybridSystem> Hessenberg for ModeFlow<'_, H> {
    fn structure(&self) -> Structure {
        let equations = self.system.differential_algebraic();
        equations.map_or_else(Structure::default, |equations| equations.structure(self.mode))
    }

    fn residual(&mut self, place: &Place, r: &mut [f64]) -> Result<()> {
        let (equations, mode, workspace) = self.equations()?;
        equations.residual(mode, place, workspace, r)
    }

    fn linearize(&mut self, place: &Place, mass: &mut [f64], jacobian: &mut [f64]) -> Result<()> {
        let (equations, mode, workspace) = self.equations()?;
        equations.linearize_residual(mode, place, workspace, mass, jacobian)
    }

    fn multipliers(&mut self, t: f64, x: &[f64], y: &mut [f64]) -> Result<()> {
        let (equations, mode, workspace) = self.equations()?;
        equations.multipliers(t, mode, x, workspace, y)
    }

    fn make_consistent(&mut self, t: f64, x: &mut [f64]) -> Result<()> {
        let (equations, mode, workspace) = self.equations()?;
        equations.make_consistent(t, mode, x, workspace)
    }

    fn make_tangent(&mut self, t: f64, x: &[f64], change: &mut [f64]) -> Result<()> {
        let (equations, mode, workspace) = self.equations()?;
        equations.make_tangent(t, mode, x, workspace, change)
    }

    fn quadrature_rates(&mut self, t: f64, x: &[f64], rates: &mut [f64]) -> Result<()> {
        let (equations, mode, workspace) = self.equations()?;
        equations.quadrature_rates(t, mode, x, workspace, rates)
    }

    fn variation(&mut self, t: f64, x: &[f64], jacobian: &mut [f64], sources: &mut [f64]) -> Result<()> {
        let (equations, mode, workspace) = self.equations()?;
        equations.variation(t, mode, x, workspace, jacobian, sources)
    }
}
