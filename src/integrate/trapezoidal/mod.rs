//! The implicit trapezoidal rule (order 2, A-stable) with variable steps (Hiskens and Pai, section VII).
//!
//! Each step solves `x1 = x + h/2 (f + f1)` by simplified Newton iterations. Its error is the difference to Simpson's rule with
//! the slope at the middle of the interpolant, so that one step needs no other.

mod matrix;
mod step;

use self::matrix::StepMatrix;
use super::attempt::{Progress, check_advance, check_length};
use super::initial::{Start, initial_step};
use super::{Attempt, Controller, DenseOutput, Flow, Statistics, Tolerance, Verdict};
use crate::error::Result;

/// Order of the method.
const ORDER: u32 = 2;

/// Degree of the interpolant.
const DEGREE: usize = 3;

/// Convergence rate below which the Jacobian is kept.
const RATE_TO_KEEP: f64 = 1e-3;

/// A proposed growth up to this factor is not worth a new factorisation.
const GROWTH_TO_IGNORE: f64 = 1.2;

/// Stepper of the trapezoidal rule; see the module documentation for the protocol. The flow must provide its Jacobian.
#[derive(Clone, Debug)]
pub struct TrapezoidalStepper {
    n: usize,
    progress: Progress,
    matrix: StepMatrix,
    /// Rate of convergence of the latest attempt.
    rate: f64,
    /// Time of the start of the step.
    t: f64,
    /// Whether `dx` is the derivative at `(t, x)`.
    known: bool,
    /// Whether no step has been accepted since the last restart.
    first: bool,
    x: Vec<f64>,
    dx: Vec<f64>,
    /// Written by `attempt`: state and derivative at the end.
    x_new: Vec<f64>,
    dx_new: Vec<f64>,
    /// Scratch of iteration and error estimate.
    change: Vec<f64>,
    stage: Vec<f64>,
    /// Interpolant of the last accepted step, unless `first`.
    before: DenseOutput,
}

impl TrapezoidalStepper {
    /// A stepper for `n` components whose Jacobian has equal diagonal blocks of the size `block`.
    pub fn new(n: usize, block: usize) -> Self {
        let zeros = || vec![0.0; n];
        let mut before = DenseOutput::new();
        before.resize(0.0, 1.0, n, DEGREE);
        Self {
            n,
            progress: Progress::new(Controller::of_order_two()),
            matrix: StepMatrix::new(block),
            rate: 1.0,
            t: 0.0,
            known: false,
            first: true,
            x: zeros(),
            dx: zeros(),
            x_new: zeros(),
            dx_new: zeros(),
            change: zeros(),
            stage: zeros(),
            before,
        }
    }

    /// Number of components.
    pub fn dimension(&self) -> usize {
        self.n
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.matrix.bytes() + (7 + DEGREE) * self.n * size_of::<f64>()
    }

    /// Order of the method: 2.
    pub fn order(&self) -> u32 {
        ORDER
    }

    /// Work done so far.
    pub fn statistics(&self) -> Statistics {
        self.progress.statistics
    }

    /// Starts anew from `(t, x)`: evaluates the derivative there and forgets the past, Jacobian included.
    ///
    /// # Errors
    /// Whatever the flow reports; kind [`ErrorKind::NotFinite`](crate::error::ErrorKind) if the state or the derivative
    /// is not finite.
    pub fn restart<F: Flow + ?Sized>(&mut self, flow: &mut F, t: f64, x: &[f64]) -> Result<()> {
        self.progress.reset();
        self.matrix.forget();
        self.first = true;
        self.load(flow, t, x)
    }

    /// Derivative at the start of the step (`n` components), after `restart` or `attempt`.
    pub fn derivative(&self) -> &[f64] {
        &self.dx
    }

    /// End of the latest attempt, in seconds; start of the next step after `accept`.
    pub fn t_new(&self) -> f64 {
        self.t + self.progress.trial.map_or(0.0, |trial| trial.h)
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
    /// As [`TrapezoidalStepper::restart`].
    pub fn initial_step<F: Flow + ?Sized>(
        &mut self,
        flow: &mut F,
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
            order: ORDER + 1,
            max_step,
        };
        initial_step(flow, &mut self.progress, &start, tol, &mut self.stage, &mut self.change)
    }

    /// Computes a step of size `h` (signed) from `(t, x)` without committing to it.
    ///
    /// # Errors
    /// Failures that a smaller step may avoid make the attempt [`Attempt::NotFinite`]; other failures of the flow, and any
    /// at `(t, x)` itself, are returned, as are wrong dimensions and a step that does not advance time.
    pub fn attempt<F: Flow + ?Sized>(
        &mut self,
        flow: &mut F,
        t: f64,
        x: &[f64],
        h: f64,
        tol: &Tolerance,
    ) -> Result<Attempt> {
        tol.check_dimension(self.n, x)?;
        check_advance(t, h)?;
        self.know(flow, t, x)?;
        self.progress.trial = None;
        let attempt = self.compute(flow, h, tol)?;
        Ok(self.progress.finish(t, h, attempt))
    }

    /// Judges the latest attempt.
    ///
    /// # Errors
    /// If no smaller step is possible: the remembered failure of the flow, or kind
    /// [`ErrorKind::StepSize`](crate::error::ErrorKind).
    pub fn judge(&mut self) -> Result<Verdict> {
        let trial = self.progress.latest()?;
        let controller = &self.progress.controller;
        let factor = match trial.attempt {
            Attempt::Done { error } if error < 1.0 => {
                let factor = controller.after_success(trial.h, error, 1.0);
                let keep = self.rate <= RATE_TO_KEEP && (1.0..=GROWTH_TO_IGNORE).contains(&factor);
                if keep { 1.0 } else { factor }
            }
            Attempt::Done { error } => controller.after_rejection(error, 1.0),
            failed => Progress::after_failure(failed),
        };
        self.progress.decide(trial, factor)
    }

    /// Writes the interpolant of the latest attempt, which must be acceptable and not yet accepted: the cubic polynomial through
    /// states and slopes at both ends (order 3). Costs no evaluation of the flow.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`](crate::error::ErrorKind) if there is no acceptable attempt.
    pub fn dense<F: Flow + ?Sized>(&mut self, flow: &mut F, output: &mut DenseOutput) -> Result<()> {
        let _ = flow;
        let trial = self.progress.acceptable()?;
        self.interpolate(trial.h, output);
        Ok(())
    }

    /// Commits to the latest attempt, which must be acceptable: its end is the start of the next step.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`](crate::error::ErrorKind) if there is no acceptable attempt.
    pub fn accept(&mut self) -> Result<()> {
        let trial = self.progress.accept()?;
        let mut before = std::mem::take(&mut self.before);
        self.interpolate(trial.h, &mut before);
        self.before = before;
        self.first = false;
        self.t = trial.t + trial.h;
        self.x.copy_from_slice(&self.x_new);
        self.dx.copy_from_slice(&self.dx_new);
        self.matrix.age(self.rate > RATE_TO_KEEP);
        Ok(())
    }

    /// Forgets what was attempted since the last accepted step.
    pub(super) fn forget(&mut self) {
        self.progress.forget();
    }

    /// Makes `dx` the derivative at `(t, x)`.
    fn know<F: Flow + ?Sized>(&mut self, flow: &mut F, t: f64, x: &[f64]) -> Result<()> {
        if self.known && self.t == t && self.x == x {
            return Ok(());
        }
        self.load(flow, t, x)
    }

    fn load<F: Flow + ?Sized>(&mut self, flow: &mut F, t: f64, x: &[f64]) -> Result<()> {
        check_length(self.n, x)?;
        self.known = false;
        self.matrix.age(false);
        self.t = t;
        self.x.copy_from_slice(x);
        let finite = self.progress.all_finite(t, x, "state");
        if !finite || !self.progress.evaluate(flow, t, x, &mut self.dx)? {
            return Err(self.progress.failed(t));
        }
        self.known = true;
        Ok(())
    }
}
