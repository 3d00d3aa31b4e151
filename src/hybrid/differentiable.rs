//! What a hybrid system offers so that its motion can be differentiated.

use super::{Along, HybridSystem};
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

    /// Adds F_x^T mu to `x_bar` and F_theta^T mu to `numbers_bar`.
    #[allow(clippy::too_many_arguments)]
    fn flow_transposed(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &[f64],
        mu: &[f64],
        workspace: &mut Self::Workspace,
        x_bar: &mut [f64],
        numbers_bar: &mut [f64],
    );

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
}
