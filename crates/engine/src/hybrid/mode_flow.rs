//! The flow of a hybrid system between two jumps, as the integrator sees it.

use super::{At, HybridSystem};
use crate::error::Result;
use crate::integrate::{Flow, HessenbergWork, Singular};
use crate::linear::Descriptor;

/// The flow of one mode, as the integrator sees it.
pub(super) struct ModeFlow<'a, H: HybridSystem> {
    pub system: &'a H,
    pub mode: &'a H::Mode,
    pub workspace: &'a mut H::Workspace,
    /// Told before each evaluation; may end it.
    pub watch: &'a mut dyn FnMut(f64) -> Result<()>,
    /// Whether no jump of the flow is known ahead.
    pub smooth: bool,
    /// Whether stages are projected, and room for a projected state.
    pub projects: &'a mut bool,
    pub projected: &'a mut [f64],
}

impl<H: HybridSystem> Flow for ModeFlow<'_, H> {
    fn dimension(&self) -> usize {
        self.system.dimension()
    }

    fn evaluate(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<()> {
        (self.watch)(t)?;
        if !*self.projects {
            return self.system.flow(At::new(t, self.mode, x), self.workspace, dx);
        }
        self.projected.copy_from_slice(x);
        self.system.project(t, self.mode, self.projected, self.workspace)?;
        self.system
            .flow(At::new(t, self.mode, self.projected), self.workspace, dx)
    }

    fn begins_stiff(&self) -> bool {
        self.system.begins_stiff(self.mode)
    }

    fn blocks(&self) -> usize {
        self.system.blocks()
    }

    fn hessenberg(&mut self, work: HessenbergWork) -> Result<()> {
        self.system.hessenberg(self.mode, self.workspace, work)
    }

    fn jacobian(&mut self, t: f64, x: &[f64], j: &mut [f64]) -> Result<()> {
        self.system.flow_jacobian(At::new(t, self.mode, x), self.workspace, j)
    }

    fn has_descriptor(&self) -> bool {
        self.system.has_descriptor(self.mode, self.workspace)
    }

    fn descriptor(&mut self, t: f64, x: &[f64], out: &mut Descriptor) -> Result<bool> {
        self.system
            .flow_descriptor(At::new(t, self.mode, x), self.workspace, out)
    }

    fn project(&mut self, t: f64, x: &mut [f64]) -> Result<bool> {
        self.system.project(t, self.mode, x, self.workspace)
    }
}

impl<H: HybridSystem> Singular for ModeFlow<'_, H> {
    fn project_stages(&mut self, on: bool) -> bool {
        *self.projects = on && self.system.projects(self.mode);
        *self.projects
    }

    fn regularity(&self) -> Option<(f64, f64)> {
        self.system.regularity(self.workspace)
    }

    fn departure(&self) -> Option<(f64, f64)> {
        self.system.departure(self.mode)
    }

    fn is_smooth(&self) -> bool {
        self.smooth && self.system.is_smooth()
    }
}
