//! What a hybrid system offers so that its motion can be differentiated.

use super::{Along, Bars, HybridSystem};
use crate::error::Result;

/// Exact derivatives of flow, guards and jumps along directions in time, state and numbers.
///
/// Numbers are the parameters of the system's elements; gradients are accumulated with respect to them.
pub trait Differentiable: HybridSystem {
    /// Derivative of a jump at a point, prepared once for many directions.
    type JumpTangent;

    /// Number of numbers.
    fn numbers(&self) -> usize;

    /// Prepares the derivatives of the flow at a point; the next two calls refer to it.
    ///
    /// # Errors
    /// As for the flow.
    fn linearize(&self, t: f64, mode: &Self::Mode, x: &[f64], workspace: &mut Self::Workspace) -> Result<()>;

    /// [`HybridSystem::flow`], [`HybridSystem::flow_jacobian`] and [`Differentiable::linearize`] at one point, for systems that
    /// share work between them.
    ///
    /// # Errors
    /// As these three.
    fn flow_with_slopes(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        workspace: &mut Self::Workspace,
        dx: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<()> {
        self.flow(t, mode, x, workspace, dx)?;
        self.flow_jacobian(t, mode, x, workspace, jacobian)?;
        self.linearize(t, mode, x, workspace)
    }

    /// Writes dF along a direction.
    fn flow_along(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        along: &Along,
        workspace: &mut Self::Workspace,
        out: &mut [f64],
    );

    /// Adds F_x^T mu and F_theta^T mu.
    fn flow_transposed(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        mu: &[f64],
        workspace: &mut Self::Workspace,
        bars: Bars,
    );

    /// Prepares the derivatives of the projection at a projected state; the next two calls refer to it.
    fn linearize_projection(&self, t: f64, mode: &Self::Mode, x: &[f64], workspace: &mut Self::Workspace) {
        let _ = (t, mode, x, workspace);
    }

    /// Turns the derivative of a state, along which the numbers change by `numbers`, into that of its projection.
    fn project_along(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        along: &mut [f64],
        numbers: &[f64],
        workspace: &mut Self::Workspace,
    ) {
        let _ = (t, mode, x, along, numbers, workspace);
    }

    /// Turns the costate of a projected state into that of the state before, and adds the part of the numbers to
    /// `numbers_bar`: mu.dx + numbers_bar.dnumbers is the same for the projected dx and what it was projected from.
    fn project_transposed(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        mu: &mut [f64],
        numbers_bar: &mut [f64],
        workspace: &mut Self::Workspace,
    ) {
        let _ = (t, mode, x, mu, numbers_bar, workspace);
    }

    /// Derivative of a guard along a direction.
    ///
    /// # Errors
    /// As for the guard.
    fn guard_along(
        &self,
        guard: usize,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        along: &Along,
        workspace: &mut Self::Workspace,
    ) -> Result<f64>;

    /// Adds the gradient of a guard, time held.
    ///
    /// # Errors
    /// As for the guard.
    fn guard_gradient(
        &self,
        guard: usize,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        workspace: &mut Self::Workspace,
        bars: Bars,
    ) -> Result<()>;

    /// Prepares the derivative of the jump of the fired guards at the state before it.
    ///
    /// # Errors
    /// As for the jump.
    fn jump_tangent(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        fired: &[usize],
        workspace: &mut Self::Workspace,
    ) -> Result<Self::JumpTangent>;

    /// Writes the derivative of the state after the jump along a direction in the arguments before it.
    fn jump_along(&self, tangent: &Self::JumpTangent, along: &Along, workspace: &mut Self::Workspace, out: &mut [f64]);

    /// Adds T_x^T mu and T_theta^T mu for the state after the jump x+ = T(t, x, theta), time held.
    fn jump_transposed(&self, tangent: &Self::JumpTangent, mu: &[f64], workspace: &mut Self::Workspace, bars: Bars);
}
