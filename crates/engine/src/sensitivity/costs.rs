//! Costs at points of time: what functionals gain at jumps and at given instants, beside their integrals and final values
//! (theory, 3.4).

use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Cotangents, Differentiable, JumpRecord};
use crate::integrate::Statistics;

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

/// Costs l(t, x-) and l(t, x+) of functionals at jumps, and l(t_k, x) at instants t_k.
pub trait PointCosts<H: Differentiable> {
    /// The instants with costs, ascending.
    fn instants(&self) -> &[f64] {
        &[]
    }

    /// Size of the gradients of a functional's costs, for the error control; zero when not known.
    fn size(&self, functional: usize) -> f64 {
        let _ = functional;
        0.0
    }

    /// Looks at the pass after each of its steps, at the time reached and the work so far; may end it.
    ///
    /// # Errors
    /// Whatever ends the pass.
    fn passes(&self, t: f64, work: &Statistics) -> Result<()> {
        let _ = (t, work);
        Ok(())
    }

    /// Called before each evaluation of the costates' flow while a step is sought; may end the pass.
    ///
    /// # Errors
    /// Whatever ends the pass.
    fn seeks(&self, t: f64) -> Result<()> {
        let _ = t;
        Ok(())
    }

    /// Error for derivatives of a functional that are not finite at a time.
    fn undefined(&self, functional: usize, t: f64) -> Error {
        let message = format!("functional {functional} has no derivative");
        Error::new(ErrorKind::NotFinite, message).at_time(t)
    }

    /// Adds `weight` times the gradient of a functional's costs at an instant to the cotangents.
    ///
    /// # Errors
    /// Whatever the derivatives of the system report.
    fn add_at(
        &self,
        functional: usize,
        weight: f64,
        at: At<H::Mode>,
        workspace: &mut H::Workspace,
        cotangents: Cotangents,
    ) -> Result<()> {
        let _ = (functional, weight, at, workspace, cotangents);
        Ok(())
    }

    /// Adds `weight` times the gradient of a functional's cost on one side of a jump to the cotangents, and returns `weight`
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
        cotangents: Cotangents,
    ) -> Result<f64>;
}

/// No costs at points of time.
impl<H: Differentiable> PointCosts<H> for () {
    fn add(&self, _: usize, _: f64, _: &JumpSide<H::Mode>, _: &mut H::Workspace, _: Cotangents) -> Result<f64> {
        Ok(0.0)
    }
}
