//! What the methods have in common whose steps are solved by Newton iterations: both ends of a step, the protocol, and how
//! the size of steps follows the iteration.

use std::fmt::Debug;

use super::attempt::{Progress, check_advance, check_length};
use super::initial::{Start, initial_step};
use super::{Attempt, Controller, DenseOutput, Flow, Statistics, Tolerance, Verdict};
use crate::error::Result;

/// Convergence rate below which the matrices are kept for the next step.
pub(super) const RATE_TO_KEEP: f64 = 1e-3;

/// Factor of the step size when an iteration does not converge and nothing better is known.
pub(super) const AFTER_DIVERGENCE: f64 = 0.5;

/// A proposed growth up to this factor is not worth a new factorisation.
const GROWTH_TO_IGNORE: f64 = 1.2;

/// How the iteration of an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outcome {
    /// Solved in this many iterations with this rate of convergence.
    Converged { iterations: u32, rate: f64 },
    /// Not solved; a step size smaller by this factor should do.
    Failed { factor: f64 },
    /// The equations could not be evaluated, or a matrix is singular.
    NotFinite,
}

/// What the size of the next step owes to the iteration of an attempt.
#[derive(Clone, Copy, Debug)]
pub struct Convergence {
    /// Factor for the step size, at most one.
    pub caution: f64,
    /// Rate of convergence.
    pub rate: f64,
}

impl Convergence {
    /// After so many iterations of at most so many (Hairer and Wanner, equation IV.8.24).
    pub(super) fn after(iterations: u32, most: u32, rate: f64) -> Self {
        let most = f64::from(2 * most);
        Self {
            caution: ((1.0 + most) / (f64::from(iterations) + most)).min(1.0),
            rate,
        }
    }
}

/// A method: its matrices, its iteration and its interpolant.
pub trait Scheme: Clone + Debug + Sized {
    /// Factor of the step size after a rejected first step; that of the controller when none.
    const AFTER_FIRST_REJECTION: Option<f64>;

    /// Order of the method.
    fn order(&self) -> u32;

    /// Order of the error estimate.
    fn order_of_estimate(&self) -> u32;

    /// Bytes held for `n` components, apart from both ends of the step.
    fn bytes(&self, n: usize) -> usize;

    /// Room for two states, whose content is lost.
    fn scratch(&mut self) -> [&mut [f64]; 2];

    /// Forgets the past, matrices included, and suits itself to the flow.
    ///
    /// # Errors
    /// Kind `Request` for a flow that the method cannot integrate.
    fn restart(&mut self, flow: &mut dyn Flow) -> Result<()>;

    /// Another state than the end of the last step is the start of the next one.
    fn enter(&mut self);

    /// Called after the derivative at the start of a step was evaluated.
    ///
    /// # Errors
    /// As for the flow.
    fn start(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64]) -> Result<()> {
        let _ = (flow, t, x);
        Ok(())
    }

    /// Solves a step from the loaded state and estimates its error.
    ///
    /// # Errors
    /// Failures of the flow that no smaller step avoids.
    fn compute(stepper: &mut NewtonStepper<Self>, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Attempt>;

    /// How the iteration of the latest attempt converged.
    fn convergence(&self) -> Convergence;

    /// Writes the interpolant of the latest attempt, which is acceptable.
    fn interpolate(stepper: &NewtonStepper<Self>, h: f64, output: &mut DenseOutput);

    /// The end of the latest attempt is the start of the next step.
    fn advance(&mut self);
}

/// Stepper of a method; see the module documentation of `integrate` for the protocol.
#[derive(Clone, Debug)]
pub struct NewtonStepper<S> {
    pub(super) n: usize,
    pub(super) progress: Progress,
    pub(super) scheme: S,
    /// Time of the start of the step.
    pub(super) t: f64,
    /// Whether `dx` is the derivative at `(t, x)`.
    known: bool,
    /// Whether no step has been accepted since the last restart.
    pub(super) first: bool,
    pub(super) x: Vec<f64>,
    pub(super) dx: Vec<f64>,
    /// Written by `attempt`: state and, if acceptable, derivative at the end.
    pub(super) x_new: Vec<f64>,
    pub(super) dx_new: Vec<f64>,
    /// Interpolant of the last accepted step, unless `first`.
    pub(super) before: DenseOutput,
}

impl<S: Scheme> NewtonStepper<S> {
    /// A stepper for `n` components with an interpolant of this degree; allocates both ends of a step.
    pub(super) fn of(scheme: S, controller: Controller, n: usize, degree: usize) -> Self {
        let zeros = || vec![0.0; n];
        let mut before = DenseOutput::new();
        before.resize(0.0, 1.0, n, degree);
        Self {
            n,
            progress: Progress::new(controller),
            scheme,
            t: 0.0,
            known: false,
            first: true,
            x: zeros(),
            dx: zeros(),
            x_new: zeros(),
            dx_new: zeros(),
            before,
        }
    }

    /// Number of components.
    pub fn dimension(&self) -> usize {
        self.n
    }

    /// Bytes held: matrices, stages, both ends of the step, the last interpolant.
    pub fn bytes(&self) -> usize {
        let ends = (5 + self.before.degree()) * self.n * size_of::<f64>();
        size_of::<Self>() + ends + self.scheme.bytes(self.n)
    }

    /// Order of the method.
    pub fn order(&self) -> u32 {
        self.scheme.order()
    }

    /// Work done so far.
    pub fn statistics(&self) -> Statistics {
        self.progress.statistics
    }

    /// Starts anew from `(t, x)`: evaluates the derivative there and forgets the past, Jacobian included. To be called at
    /// the start, after a jump and after a change of the flow; the only call that may allocate. (A small correction of the
    /// state between steps needs no restart: it is noticed, and only the derivative is evaluated again.)
    ///
    /// # Errors
    /// Whatever the flow reports; kind [`ErrorKind::NotFinite`](crate::error::ErrorKind) if the state or the derivative
    /// is not finite; kind [`ErrorKind::Request`](crate::error::ErrorKind) for a flow that the method cannot integrate.
    pub fn restart(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64]) -> Result<()> {
        self.progress.reset();
        self.first = true;
        self.scheme.restart(flow)?;
        self.load(flow, t, x)
    }

    /// Derivative at the start of the step (`n` components), after `restart` or `attempt`.
    pub fn derivative(&self) -> &[f64] {
        &self.dx
    }

    /// End of the latest attempt, in seconds; start of the next step after `accept`.
    pub fn t_new(&self) -> f64 {
        self.progress.end_from(self.t)
    }

    /// State at the end of the latest attempt (`n` components).
    pub fn x_new(&self) -> &[f64] {
        &self.x_new
    }

    /// Derivative at the end of the latest attempt (`n` components), if that attempt is acceptable.
    pub fn derivative_new(&self) -> &[f64] {
        &self.dx_new
    }

    /// A first step size from `(t, x)`, signed as `max_step` (in seconds) and not longer.
    ///
    /// # Errors
    /// As [`NewtonStepper::restart`].
    pub fn initial_step(
        &mut self,
        flow: &mut dyn Flow,
        t: f64,
        x: &[f64],
        tol: &Tolerance,
        max_step: f64,
    ) -> Result<f64> {
        tol.check_dimension(self.n, x)?;
        self.know(flow, t, x)?;
        let start = Start {
            t,
            x,
            dx: &self.dx,
            order: self.scheme.order_of_estimate(),
            max_step,
        };
        let [state, slope] = self.scheme.scratch();
        initial_step(flow, &mut self.progress, &start, tol, state, slope)
    }

    /// Computes a step of size `h` (signed) from `(t, x)` without committing to it. Derivative, Jacobian and factors are
    /// reused where they serve.
    ///
    /// # Errors
    /// Failures that a smaller step may avoid make the attempt [`Attempt::NotFinite`]; other failures of the flow, and any
    /// at `(t, x)` itself, are returned, as are wrong dimensions and a step that does not advance time.
    pub fn attempt(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64], h: f64, tol: &Tolerance) -> Result<Attempt> {
        tol.check_dimension(self.n, x)?;
        check_advance(t, h)?;
        self.know(flow, t, x)?;
        self.progress.trial = None;
        let attempt = S::compute(self, flow, h, tol)?;
        Ok(self.progress.finish(t, h, attempt))
    }

    /// Judges the latest attempt.
    ///
    /// # Errors
    /// If no smaller step is possible: the remembered failure of the flow, or kind
    /// [`ErrorKind::StepSize`](crate::error::ErrorKind).
    pub fn judge(&mut self) -> Result<Verdict> {
        let trial = self.progress.latest()?;
        let Convergence { caution, rate } = self.scheme.convergence();
        let controller = &self.progress.controller;
        let factor = match (trial.attempt, S::AFTER_FIRST_REJECTION) {
            (Attempt::Done { error }, _) if error < 1.0 => {
                let factor = controller.after_success(trial.h, error, caution);
                let keep = rate <= RATE_TO_KEEP && (1.0..=GROWTH_TO_IGNORE).contains(&factor);
                if keep { 1.0 } else { factor }
            }
            (Attempt::Done { .. }, Some(factor)) if self.first => factor,
            (Attempt::Done { error }, _) => controller.after_rejection(error, caution),
            (failed, _) => Progress::after_failure(failed),
        };
        self.progress.decide(trial, factor)
    }

    /// Writes the interpolant of the latest attempt, which must be acceptable and not yet accepted. Costs no evaluation of
    /// the flow.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`](crate::error::ErrorKind) if there is no acceptable attempt.
    pub fn dense(&mut self, flow: &mut dyn Flow, output: &mut DenseOutput) -> Result<()> {
        let _ = flow;
        let trial = self.progress.acceptable()?;
        S::interpolate(self, trial.h, output);
        Ok(())
    }

    /// Commits to the latest attempt, which must be acceptable: its end is the start of the next step.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`](crate::error::ErrorKind) if there is no acceptable attempt.
    pub fn accept(&mut self) -> Result<()> {
        let trial = self.progress.accept()?;
        let mut before = std::mem::take(&mut self.before);
        S::interpolate(self, trial.h, &mut before);
        self.before = before;
        self.first = false;
        self.t = trial.t + trial.h;
        self.x.copy_from_slice(&self.x_new);
        self.dx.copy_from_slice(&self.dx_new);
        self.scheme.advance();
        Ok(())
    }

    /// Forgets what was attempted since the last accepted step.
    pub(super) fn forget(&mut self) {
        self.progress.forget();
    }

    /// Makes `dx` the derivative at `(t, x)`.
    fn know(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64]) -> Result<()> {
        if self.known && self.t == t && self.x == x {
            return Ok(());
        }
        self.load(flow, t, x)
    }

    fn load(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64]) -> Result<()> {
        check_length(self.n, x)?;
        self.known = false;
        self.scheme.enter();
        self.t = t;
        self.x.copy_from_slice(x);
        let finite = self.progress.all_finite(t, x, "state");
        if !finite || !self.progress.evaluate(flow, t, x, &mut self.dx)? {
            return Err(self.progress.failed(t));
        }
        self.scheme.start(flow, t, x)?;
        self.known = true;
        Ok(())
    }
}
