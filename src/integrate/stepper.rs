//! Either method behind one interface.

use super::{Attempt, DenseOutput, ExplicitStepper, Flow, ImplicitStepper, Statistics, Tolerance, Verdict};
use crate::error::Result;

/// A stepper of either kind; see the module documentation for the protocol, and the two kinds for the details.
#[derive(Clone, Debug)]
pub enum Stepper {
    /// Dormand-Prince 8(5,3).
    Explicit(Box<ExplicitStepper>),
    /// Radau IIA of order 5; the flow must provide its Jacobian.
    Implicit(Box<ImplicitStepper>),
}

macro_rules! delegate {
    ($self:ident, $stepper:ident => $call:expr) => {
        match $self {
            Self::Explicit($stepper) => $call,
            Self::Implicit($stepper) => $call,
        }
    };
}

impl Stepper {
    /// The explicit method for `n` components.
    pub fn explicit(n: usize) -> Self {
        Self::Explicit(Box::new(ExplicitStepper::new(n)))
    }

    /// The implicit method for `n` components.
    pub fn implicit(n: usize) -> Self {
        Self::Implicit(Box::new(ImplicitStepper::new(n)))
    }

    /// Number of components.
    pub fn dimension(&self) -> usize {
        delegate!(self, stepper => stepper.dimension())
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        delegate!(self, stepper => stepper.bytes())
    }

    /// Order of the method.
    pub fn order(&self) -> u32 {
        delegate!(self, stepper => stepper.order())
    }

    /// Work done so far.
    pub fn statistics(&self) -> Statistics {
        delegate!(self, stepper => stepper.statistics())
    }

    /// Starts anew from `(t, x)` at the start, after a jump and after a change of the flow.
    ///
    /// # Errors
    /// Whatever the flow reports; kind [`ErrorKind::NotFinite`](crate::error::ErrorKind) if the state or the derivative
    /// is not finite.
    pub fn restart<F: Flow + ?Sized>(&mut self, flow: &mut F, t: f64, x: &[f64]) -> Result<()> {
        delegate!(self, stepper => stepper.restart(flow, t, x))
    }

    /// Derivative at the start of the step (`n` components), after `restart` or `attempt`.
    pub fn derivative(&self) -> &[f64] {
        delegate!(self, stepper => stepper.derivative())
    }

    /// End of the latest attempt, in seconds; start of the next step after `accept`.
    pub fn t_new(&self) -> f64 {
        delegate!(self, stepper => stepper.t_new())
    }

    /// State at the end of the latest attempt (`n` components).
    pub fn x_new(&self) -> &[f64] {
        delegate!(self, stepper => stepper.x_new())
    }

    /// Derivative at the end of the latest attempt (`n` components), if that attempt is acceptable.
    pub fn derivative_new(&self) -> &[f64] {
        delegate!(self, stepper => stepper.derivative_new())
    }

    /// A first step size from `(t, x)`, signed as `max_step` (in seconds) and not longer.
    ///
    /// # Errors
    /// As [`Stepper::restart`].
    pub fn initial_step<F: Flow + ?Sized>(
        &mut self,
        flow: &mut F,
        t: f64,
        x: &[f64],
        tol: &Tolerance,
        max_step: f64,
    ) -> Result<f64> {
        delegate!(self, stepper => stepper.initial_step(flow, t, x, tol, max_step))
    }

    /// Computes a step of size `h` (signed) from `(t, x)` without committing to it.
    ///
    /// # Errors
    /// Failures of the flow that no smaller step avoids, wrong dimensions, a step that does not advance time.
    pub fn attempt<F: Flow + ?Sized>(
        &mut self,
        flow: &mut F,
        t: f64,
        x: &[f64],
        h: f64,
        tol: &Tolerance,
    ) -> Result<Attempt> {
        delegate!(self, stepper => stepper.attempt(flow, t, x, h, tol))
    }

    /// Judges the latest attempt.
    ///
    /// # Errors
    /// If no smaller step is possible: the remembered failure of the flow, or kind
    /// [`ErrorKind::StepSize`](crate::error::ErrorKind).
    pub fn judge(&mut self) -> Result<Verdict> {
        delegate!(self, stepper => stepper.judge())
    }

    /// Writes the interpolant of the latest attempt, which must be acceptable and not yet accepted.
    ///
    /// # Errors
    /// Kinds `Singular` and `NotFinite` if the flow fails within the step: a smaller step may avoid the place.
    pub fn dense<F: Flow + ?Sized>(&mut self, flow: &mut F, output: &mut DenseOutput) -> Result<()> {
        delegate!(self, stepper => stepper.dense(flow, output))
    }

    /// Commits to the latest attempt, which must be acceptable: its end is the start of the next step.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`](crate::error::ErrorKind) if there is no acceptable attempt.
    pub fn accept(&mut self) -> Result<()> {
        delegate!(self, stepper => stepper.accept())
    }
}
