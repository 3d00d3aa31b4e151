//! One stepper for all methods: the protocol.

use super::attempt::{check_advance, check_length};
use super::explicit::DormandPrince;
use super::hessenberg::Projected;
use super::implicit::Radau;
use super::initial::initial_step;
use super::scheme::{Ends, Scheme};
use super::step_matrix::Blocks;
use super::tableau::Tableau;
use super::trapezoidal::Trapezoidal;
use super::{Attempt, Controller, DenseOutput, Flow, Statistics, Tolerance, Verdict};
use crate::error::Result;

/// Methods of integration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Explicit Runge-Kutta method of order 8(5,3) of Dormand and Prince, for smooth, non-stiff motion at any accuracy.
    #[default]
    DormandPrince,
    /// Implicit Runge-Kutta method Radau IIA of order 5, 9 or 13 as the tolerance asks for, for stiff systems.
    Radau,
    /// Implicit trapezoidal rule of order 2.
    Trapezoidal,
}

/// A stepper of any method; see the module documentation for the protocol.
#[derive(Clone, Debug)]
pub struct Stepper {
    pub(super) ends: Ends,
    scheme: Box<dyn Scheme>,
}

impl Stepper {
    /// The explicit method for `n` components.
    pub fn explicit(n: usize) -> Self {
        Self {
            ends: Ends::new(n, Controller::of_order_eight(), None),
            scheme: Box::new(DormandPrince::new(n)),
        }
    }

    /// The implicit method for `n` components, of the order that suits a relative tolerance.
    pub fn implicit(n: usize, rtol: f64) -> Self {
        Self::new(Method::Radau, n, n, rtol)
    }

    /// Radau IIA for differential-algebraic systems with `n` components, of the order that suits a relative tolerance; what is
    /// integrated is a state on their manifold.
    pub fn hessenberg(n: usize, rtol: f64) -> Self {
        Self::hessenberg_with_stages(n, Tableau::stages_for(rtol))
    }

    /// The same with 3, 5 or 7 stages.
    pub(super) fn hessenberg_with_stages(n: usize, stages: usize) -> Self {
        Self::by_collocation(n, stages, Box::new(Projected::new(n, stages)))
    }

    /// The implicit method with 3, 5 or 7 stages.
    pub(super) fn implicit_with_stages(n: usize, blocks: Blocks, stages: usize) -> Self {
        Self::by_collocation(n, stages, Box::new(Radau::new(n, blocks, stages)))
    }

    fn by_collocation(n: usize, stages: usize, scheme: Box<dyn Scheme>) -> Self {
        let ends = Ends::new(n, Controller::predictive(stages as u32), Some(stages));
        Self { ends, scheme }
    }

    /// A method for `n` components, whose Jacobian has equal blocks of a size on its diagonal, the first of which may be read by
    /// the others, of the order that suits a relative tolerance where it has several; the implicit methods need flows that
    /// provide the Jacobian. Allocates everything it will ever need, but for matrices, which the first restart makes room for.
    pub fn new(method: Method, n: usize, block: usize, rtol: f64) -> Self {
        let blocks = Blocks {
            size: block,
            integrals: 0,
            follow: true,
        };
        Self::with_blocks(method, n, blocks, rtol)
    }

    /// The same for components that hang together otherwise; integrals are not for the trapezoidal rule.
    pub(crate) fn with_blocks(method: Method, n: usize, blocks: Blocks, rtol: f64) -> Self {
        match method {
            Method::DormandPrince => Self::explicit(n),
            Method::Radau => Self::implicit_with_stages(n, blocks, Tableau::stages_for(rtol)),
            Method::Trapezoidal => Self {
                ends: Ends::new(n, Controller::of_order_two(), Some(Trapezoidal::DEGREE)),
                scheme: Box::new(Trapezoidal::new(n, blocks)),
            },
        }
    }

    /// Both ends of the step, and the method.
    fn parts(&mut self) -> (&mut Ends, &mut dyn Scheme) {
        (&mut self.ends, &mut *self.scheme)
    }

    /// Number of components.
    pub fn dimension(&self) -> usize {
        self.ends.n
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.ends.bytes() + self.scheme.bytes(self.ends.n)
    }

    /// Order of the method.
    pub fn order(&self) -> u32 {
        self.scheme.order()
    }

    /// Work done so far.
    pub fn statistics(&self) -> Statistics {
        self.ends.progress.statistics
    }

    /// Starts anew from `(t, x)`: evaluates the derivative there and forgets the past, Jacobian included. To be called at
    /// the start, after a jump and after a change of the flow; the only call that may allocate. (A small correction of the
    /// state between steps needs no restart: it is noticed, and only the derivative is evaluated again.)
    ///
    /// # Errors
    /// Whatever the flow reports; kind [`ErrorKind::NotFinite`](crate::error::ErrorKind) if the state or the derivative
    /// is not finite; kind [`ErrorKind::Request`](crate::error::ErrorKind) for a flow that the method cannot integrate.
    pub fn restart(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64]) -> Result<()> {
        self.renew(flow, x)?;
        self.know(flow, t, x)
    }

    /// The same without an evaluation at the start.
    ///
    /// # Errors
    /// As [`Stepper::restart`].
    pub(super) fn renew(&mut self, flow: &mut dyn Flow, x: &[f64]) -> Result<()> {
        check_length(self.ends.n, x)?;
        let (ends, scheme) = self.parts();
        ends.progress.reset();
        (ends.first, ends.known) = (true, false);
        scheme.restart(flow)
    }

    /// Makes `(t, x)` the start of the step, with what the method needs there.
    fn know(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64]) -> Result<()> {
        let (ends, scheme) = self.parts();
        ends.place(t, x);
        if !ends.known {
            scheme.start(ends, flow)?;
            ends.known = true;
        }
        Ok(())
    }

    /// Derivative at the start of the step (`n` components), after `restart` or `attempt`.
    pub fn derivative(&self) -> &[f64] {
        &self.ends.dx
    }

    /// End of the latest attempt, in seconds; start of the next step after `accept`.
    pub fn t_new(&self) -> f64 {
        self.ends.progress.end_from(self.ends.t)
    }

    /// State at the end of the latest attempt (`n` components).
    pub fn x_new(&self) -> &[f64] {
        &self.ends.x_new
    }

    /// Derivative at the end of the latest attempt (`n` components), if that attempt is acceptable.
    pub fn derivative_new(&self) -> &[f64] {
        &self.ends.dx_new
    }

    /// A first step size from `(t, x)`, signed as `max_step` (in seconds) and not longer.
    ///
    /// # Errors
    /// As [`Stepper::restart`].
    pub fn initial_step(
        &mut self,
        flow: &mut dyn Flow,
        t: f64,
        x: &[f64],
        tol: &Tolerance,
        max_step: f64,
    ) -> Result<f64> {
        tol.check_dimension(self.ends.n, x)?;
        self.know(flow, t, x)?;
        self.ends.progress.trial = None;
        initial_step(flow, &mut self.ends, self.scheme.order_of_estimate(), tol, max_step)
    }

    /// Computes a step of size `h` (signed) from `(t, x)` without committing to it. Derivative, Jacobian and factors are
    /// reused where they serve.
    ///
    /// # Errors
    /// Failures that a smaller step may avoid make the attempt [`Attempt::NotFinite`]; other failures of the flow, and any
    /// at `(t, x)` itself, are returned, as are wrong dimensions and a step that does not advance time.
    pub fn attempt(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64], h: f64, tol: &Tolerance) -> Result<Attempt> {
        tol.check_dimension(self.ends.n, x)?;
        check_advance(t, h)?;
        self.know(flow, t, x)?;
        let (ends, scheme) = self.parts();
        ends.attempt(h, |ends| scheme.compute(ends, flow, h, tol))
    }

    /// Judges the latest attempt.
    ///
    /// # Errors
    /// If no smaller step is possible: the remembered failure of the flow, or kind
    /// [`ErrorKind::StepSize`](crate::error::ErrorKind).
    pub fn judge(&mut self) -> Result<Verdict> {
        let (ends, scheme) = self.parts();
        let trial = ends.progress.latest()?;
        let factor = ends.factor_after(trial, scheme.convergence());
        ends.progress.decide(trial, factor)
    }

    /// Writes the interpolant of the latest attempt, which must be acceptable and not yet accepted. The explicit method
    /// evaluates the flow three more times for it, once per attempt.
    ///
    /// # Errors
    /// Kinds `Singular` and `NotFinite` if the flow fails within the step: a smaller step may avoid the place.
    pub fn dense(&mut self, flow: &mut dyn Flow, output: &mut DenseOutput) -> Result<()> {
        let (ends, scheme) = self.parts();
        let trial = ends.progress.acceptable()?;
        scheme
            .extend(ends, flow, trial.h)
            .map_err(|halt| ends.progress.failed(trial.t, halt))?;
        scheme.interpolate(ends, trial.h, output);
        output.end_at(&ends.x_new);
        Ok(())
    }

    /// Commits to the latest attempt, which must be acceptable: its end is the start of the next step.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`](crate::error::ErrorKind) if there is no acceptable attempt.
    pub fn accept(&mut self) -> Result<()> {
        let (ends, scheme) = self.parts();
        let trial = ends.progress.accept()?;
        ends.progress.record(trial);
        if !ends.before.coefficients().is_empty() {
            // Without the projection of its end, which does not go on: that of costates is no small correction.
            let mut before = std::mem::take(&mut ends.before);
            scheme.interpolate(ends, trial.h, &mut before);
            ends.before = before;
        }
        ends.first = false;
        ends.dx.copy_from_slice(&ends.dx_new);
        scheme.advance();
        ends.advance(trial, true);
        Ok(())
    }
}
