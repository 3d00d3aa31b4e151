//! What a hybrid system offers so that its motion is integrated as that of differential-algebraic equations.

use crate::error::{Error, ErrorKind, Result};
use crate::integrate::{Place, Structure};

/// The equations of the modes in Hessenberg form of index 2 or 3; see [`Hessenberg`](crate::integrate::Hessenberg), which
/// says what each method does.
///
/// The flow of the system, [`HybridSystem::flow`](super::HybridSystem::flow), is that of the underlying ordinary differential
/// equation: guards, jumps, sensitivities and everything that is evaluated at a state use it.
pub trait DifferentialAlgebraic {
    /// As that of the hybrid system.
    type Mode;
    /// As that of the hybrid system.
    type Workspace;

    /// What the components of the state are in a mode.
    fn structure(&self, mode: &Self::Mode) -> Structure;

    /// Writes the residual.
    ///
    /// # Errors
    /// As for the flow.
    fn residual(&self, mode: &Self::Mode, place: &Place, workspace: &mut Self::Workspace, r: &mut [f64]) -> Result<()>;

    /// Writes the derivatives of the residual.
    ///
    /// # Errors
    /// As for the flow.
    fn linearize_residual(
        &self,
        mode: &Self::Mode,
        place: &Place,
        workspace: &mut Self::Workspace,
        mass: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<()>;

    /// Writes the multipliers of a state on the manifold.
    ///
    /// # Errors
    /// As for the flow.
    fn multipliers(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        workspace: &mut Self::Workspace,
        y: &mut [f64],
    ) -> Result<()>;

    /// Moves the rates of a stage onto the hidden constraints.
    ///
    /// # Errors
    /// As for the flow.
    fn make_consistent(&self, t: f64, mode: &Self::Mode, x: &mut [f64], workspace: &mut Self::Workspace) -> Result<()> {
        let _ = (t, mode, x, workspace);
        Ok(())
    }

    /// Removes from a change of the coupled components its part across the constraints.
    ///
    /// # Errors
    /// As for the flow.
    fn make_tangent(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        workspace: &mut Self::Workspace,
        change: &mut [f64],
    ) -> Result<()>;

    /// Writes the rates of the quadratures.
    ///
    /// # Errors
    /// As for the flow.
    fn quadrature_rates(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        workspace: &mut Self::Workspace,
        rates: &mut [f64],
    ) -> Result<()> {
        let _ = (t, mode, x, workspace, rates);
        Ok(())
    }

    /// Writes the equations of the variations.
    ///
    /// # Errors
    /// As for the flow; kind `Request` unless the system has variations.
    fn variation(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        workspace: &mut Self::Workspace,
        jacobian: &mut [f64],
        sources: &mut [f64],
    ) -> Result<()> {
        let _ = (mode, x, workspace, jacobian, sources);
        Err(Error::new(ErrorKind::Request, "this system has no variations").at_time(t))
    }
}
