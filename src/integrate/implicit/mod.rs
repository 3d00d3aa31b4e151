//! The implicit method Radau IIA of order 5 with three stages, for stiff systems
//! (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.8).

mod iteration_matrix;
mod newton;
mod radau;
mod step;

use self::iteration_matrix::IterationMatrix;
use self::newton::{MOST_ITERATIONS, Newton, RATE_TO_KEEP};
use self::step::{DEGREE, collocate};
use super::attempt::{Progress, check_advance, check_length};
use super::initial::{Start, initial_step};
use super::{Attempt, Controller, DenseOutput, Flow, Statistics, Tolerance, Verdict};
use crate::error::Result;

/// Order of the method.
const ORDER: u32 = 5;

/// Order of the error estimate.
const ORDER_OF_ESTIMATE: u32 = 4;

/// Factor of the step size after a rejected first step.
const AFTER_FIRST_REJECTION: f64 = 0.1;

/// A proposed growth up to this factor is not worth a new factorisation.
const GROWTH_TO_IGNORE: f64 = 1.2;

/// Stepper of the implicit method; see the module documentation for the protocol. The flow must provide its Jacobian.
#[derive(Clone, Debug)]
pub struct ImplicitStepper {
    n: usize,
    progress: Progress,
    matrix: IterationMatrix,
    newton: Newton,
    /// Iterations and rate of convergence of the latest attempt.
    convergence: (u32, f64),
    /// Time of the start of the step.
    t: f64,
    /// Whether `dx` is the derivative at `(t, x)`.
    known: bool,
    /// Whether no step has been accepted since the last restart.
    first: bool,
    x: Vec<f64>,
    dx: Vec<f64>,
    /// Written by `attempt`: state and, if acceptable, derivative at the end.
    x_new: Vec<f64>,
    dx_new: Vec<f64>,
    /// Written by `attempt`: inverse of the error allowed per component.
    weights: Vec<f64>,
    /// Scratch of the error estimate.
    error: Vec<f64>,
    stage: Vec<f64>,
    /// Interpolant of the last accepted step, unless `first`.
    before: DenseOutput,
}

impl ImplicitStepper {
    /// A stepper for `n` components; allocates everything it will ever need.
    pub fn new(n: usize) -> Self {
        Self::of_blocks(n, n)
    }

    /// A stepper for `n` components whose Jacobian has equal diagonal blocks of the size `block`.
    pub fn of_blocks(n: usize, block: usize) -> Self {
        let zeros = || vec![0.0; n];
        let mut before = DenseOutput::new();
        before.resize(0.0, 1.0, n, DEGREE);
        Self {
            n,
            progress: Progress::new(Controller::predictive()),
            matrix: IterationMatrix::new(block),
            newton: Newton::new(n),
            convergence: (0, 1.0),
            t: 0.0,
            known: false,
            first: true,
            x: zeros(),
            dx: zeros(),
            x_new: zeros(),
            dx_new: zeros(),
            weights: zeros(),
            error: zeros(),
            stage: zeros(),
            before,
        }
    }

    /// Number of components.
    pub fn dimension(&self) -> usize {
        self.n
    }

    /// Bytes held: the Jacobian, a real and a complex matrix, and vectors of the stages, the Newton iteration and the last
    /// interpolant.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.matrix.bytes() + 26 * self.n * size_of::<f64>()
    }

    /// Order of the method: 5.
    pub fn order(&self) -> u32 {
        ORDER
    }

    /// Work done so far.
    pub fn statistics(&self) -> Statistics {
        self.progress.statistics
    }

    /// Starts anew from `(t, x)`: evaluates the derivative there and forgets the past, Jacobian included. To be called at
    /// the start, after a jump and after a change of the flow. (A small correction of the state between steps needs no
    /// restart: it is noticed, and only the derivative is evaluated again.)
    ///
    /// # Errors
    /// Whatever the flow reports; kind [`ErrorKind::NotFinite`](crate::error::ErrorKind) if the state or the derivative
    /// is not finite.
    pub fn restart<F: Flow + ?Sized>(&mut self, flow: &mut F, t: f64, x: &[f64]) -> Result<()> {
        self.progress.reset();
        self.newton.reset();
        self.matrix.due = true;
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
    /// As [`ImplicitStepper::restart`].
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
            order: ORDER_OF_ESTIMATE,
            max_step,
        };
        initial_step(flow, &mut self.progress, &start, tol, &mut self.stage, &mut self.error)
    }

    /// Computes a step of size `h` (signed) from `(t, x)` without committing to it. Derivative, Jacobian and factors are
    /// reused where they serve.
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
        let (iterations, rate) = self.convergence;
        let most = f64::from(2 * MOST_ITERATIONS);
        let caution = ((1.0 + most) / (f64::from(iterations) + most)).min(1.0);
        let controller = &self.progress.controller;
        let factor = match trial.attempt {
            Attempt::Done { error } if error < 1.0 => {
                let factor = controller.after_success(trial.h, error, caution);
                let keep = rate <= RATE_TO_KEEP && (1.0..=GROWTH_TO_IGNORE).contains(&factor);
                if keep { 1.0 } else { factor }
            }
            Attempt::Done { .. } if self.first => AFTER_FIRST_REJECTION,
            Attempt::Done { error } => controller.after_rejection(error, caution),
            failed => Progress::after_failure(failed),
        };
        self.progress.decide(trial, factor)
    }

    /// Writes the interpolant of the latest attempt, which must be acceptable and not yet accepted: the collocation
    /// polynomial of degree 3 (order 3 within the step, order 5 at its end). Costs no evaluation of the flow.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`](crate::error::ErrorKind) if there is no acceptable attempt.
    pub fn dense<F: Flow + ?Sized>(&mut self, flow: &mut F, output: &mut DenseOutput) -> Result<()> {
        let _ = flow;
        let trial = self.progress.acceptable()?;
        collocate(self.t, trial.h, &self.x, &self.newton.z, output);
        Ok(())
    }

    /// Commits to the latest attempt, which must be acceptable: its end is the start of the next step.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`](crate::error::ErrorKind) if there is no acceptable attempt.
    pub fn accept(&mut self) -> Result<()> {
        let trial = self.progress.accept()?;
        collocate(self.t, trial.h, &self.x, &self.newton.z, &mut self.before);
        self.first = false;
        self.t = trial.t + trial.h;
        self.x.copy_from_slice(&self.x_new);
        self.dx.copy_from_slice(&self.dx_new);
        self.matrix.fresh = false;
        self.matrix.due = self.convergence.1 > RATE_TO_KEEP;
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
        self.matrix.fresh = false;
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
