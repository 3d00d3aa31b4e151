//! Time integration: one step at a time, with error estimate, dense output and step-size proposal.
//!
//! | method | order | dense output | for |
//! | --- | --- | --- | --- |
//! | [`Stepper::explicit`], Dormand-Prince 8(5,3) | 8 | degree 7, order 7 | smooth, non-stiff motion at any accuracy |
//! | [`Stepper::implicit`], Radau IIA | 5, 9 or 13 | degree 3, 5 or 7 (collocation) | stiff contacts, large penalties |
//! | [`Method::Trapezoidal`], trapezoidal rule | 2 | degree 3, order 3 (Hermite) | rough accuracy; comparison with programs of power systems |
//! | [`Stepper::hessenberg`], Radau IIA | 5, 9 or 13 | degree 3, 5 or 7 (collocation) | differential-algebraic systems |
//!
//! A step is *attempted* from a state that the caller owns, *judged*, and then either *accepted* or attempted again with
//! another step size from the same state:
//!
//! ```text
//! stepper.restart(flow, t, x)                 at the start and after every jump or change of the flow
//! loop: stepper.attempt(flow, t, x, h, tol)   nothing is committed; x_new(), t_new(), derivative_new() are readable
//!       stepper.judge()                       accepted or not, and the step size to go on with
//!       stepper.dense(flow, &mut output)      if wanted, for events within the step
//!       stepper.accept()                      the caller copies x_new() and may then change it
//! ```
//!
//! Both directions of time work: a negative step size integrates backwards. Nothing allocates after construction, except
//! to report a failure, and once at the first step over a rough place. A [`PassingStepper`] adds such steps to any stepper.

mod attempt;
mod controller;
mod dense;
mod explicit;
mod hessenberg;
mod implicit;
mod initial;
mod noise;
mod passing;
mod root;
mod scheme;
mod statistics;
mod step_matrix;
mod stepper;
mod tableau;
mod tolerance;
mod trapezoidal;

#[cfg(test)]
mod tests;

pub use attempt::{Attempt, Verdict};
pub use controller::{Controller, minimum_step};
pub use dense::DenseOutput;
pub use hessenberg::{Hessenberg, HessenbergWork, StagePoint, Structure, no_hessenberg};
pub use passing::{FoundStep, PassingStepper, Singular};
pub use root::{Root, bracketed_root};
pub use statistics::Statistics;
pub(crate) use step_matrix::Blocks;
pub use stepper::{Method, Stepper};
pub use tolerance::Tolerance;

use crate::error::{Error, ErrorKind, Result};
use crate::linear::Descriptor;

/// The right-hand side of `x' = F(t, x)`, `n` components, time in seconds.
///
/// The value depends on `t` and `x` only; `&mut self` is for the workspace.
pub trait Flow {
    /// Number of components `n` of the state.
    fn dimension(&self) -> usize;

    /// Writes `F(t, x)` to `dx`; both slices have `n` components.
    ///
    /// # Errors
    /// Kinds [`ErrorKind::Singular`] and [`ErrorKind::NotFinite`] make the integrator try a smaller step, and reach the
    /// caller if none helps. Any other kind ends the integration at once.
    fn evaluate(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<()>;

    /// Moves the end of an acceptable step back onto the invariants of the system before its derivative is evaluated; true
    /// if it moved. The interpolant ends at the moved state.
    ///
    /// # Errors
    /// As [`Flow::evaluate`].
    fn project(&mut self, t: f64, x: &mut [f64]) -> Result<bool> {
        let _ = (t, x);
        Ok(false)
    }

    /// Does some work with the differential-algebraic system whose underlying ordinary differential equation this flow is.
    ///
    /// # Errors
    /// As the work; kind [`ErrorKind::Request`] unless the flow is to be integrated as such a system.
    fn hessenberg(&mut self, work: HessenbergWork) -> Result<()> {
        let _ = work;
        Err(no_hessenberg())
    }

    /// Whether `F` is linear in the state, so that its derivative depends on time alone.
    fn is_linear(&self) -> bool {
        false
    }

    /// Whether `F` is linear with coefficients that may pulse at an end of a step, as those of costates do where friction that follows a
    /// slip velocity smoothly turns round.
    fn pulses(&self) -> bool {
        false
    }

    /// Whether a first step may have a small error at its end alone: the derivative of `F` by the state grows without bound towards the
    /// start, as where slip begins, or what is stiff is at rest there.
    fn begins_stiff(&self) -> bool {
        false
    }

    /// Number of equal blocks on the diagonal of the derivative: the implicit methods factor one of them for all. What couples the
    /// blocks may be left out if it couples each to the first alone, for then an iteration more makes up for it.
    fn blocks(&self) -> usize {
        1
    }

    /// Number of last components that `F` does not read: integrals along the motion. The implicit methods keep them out of their
    /// iteration, and they are in none of the [`Flow::blocks`].
    fn integrals(&self) -> usize {
        0
    }

    /// Whether [`Flow::descriptor`] writes the derivative in the present mode.
    fn has_descriptor(&self) -> bool {
        false
    }

    /// Writes the exact derivative at `(t, x)` in descriptor form, of one of the [`Flow::blocks`]; false where it is dense.
    ///
    /// # Errors
    /// As [`Flow::evaluate`].
    fn descriptor(&mut self, t: f64, x: &[f64], out: &mut Descriptor) -> Result<bool> {
        let _ = (t, x, out);
        Ok(false)
    }

    /// Writes the exact derivative `dF/dx` at `(t, x)` to `j`: `n` by `n`, row-major (`j[row * n + column]`), with `n` the size of
    /// one of the [`Flow::blocks`].
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`] unless the system provides it.
    fn jacobian(&mut self, t: f64, x: &[f64], j: &mut [f64]) -> Result<()> {
        let _ = (x, j);
        Err(Error::new(ErrorKind::Request, "this system has no Jacobian")
            .at_time(t)
            .advise("use the explicit integrator, or provide the derivative of the flow"))
    }
}
