//! Costs at events: what functionals gain at jumps, beside their integrals and final values (theory, 3.4).

use crate::error::Result;
use crate::hybrid::{Bars, Differentiable, JumpRecord};

/// One side of a jump.
#[derive(Clone, Copy, Debug)]
pub struct JumpSide<'a, M> {
    /// The jump.
    pub jump: &'a JumpRecord,
    /// Whether it is the side after the jump.
    pub after: bool,
    /// Mode there.
    pub mode: &'a M,
    /// State there.
    pub x: &'a [f64],
    /// x' there.
    pub flow: &'a [f64],
}

/// Costs l(t, x-) and l(t, x+) of functionals at jumps.
pub trait JumpCosts<H: Differentiable> {
    /// Adds `weight` times the gradient of a functional's cost on one side of a jump to the bars, and returns `weight`
    /// times its total rate, l_t + l_x x'.
    ///
    /// # Errors
    /// Whatever the derivatives of the system report.
    fn add(
        &self,
        functional: usize,
        weight: f64,
        side: &JumpSide<H::Mode>,
        workspace: &mut H::Workspace,
        bars: Bars,
    ) -> Result<f64>;
}

/// No costs at events.
impl<H: Differentiable> JumpCosts<H> for () {
    fn add(&self, _: usize, _: f64, _: &JumpSide<H::Mode>, _: &mut H::Workspace, _: Bars) -> Result<f64> {
        Ok(0.0)
    }
}
