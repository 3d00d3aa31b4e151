//! What a method is to the stepper, and the step that both work on.

use std::fmt::Debug;

use super::attempt::{Halt, NOT_FINITE, Progress, Trial, Tried};
use super::{Attempt, Controller, DenseOutput, Flow, Tolerance};
use crate::error::Result;

/// Convergence rate below which the matrices are kept for the next step.
pub(super) const RATE_TO_KEEP: f64 = 1e-3;

/// Least share of the last increment that is taken to be left of a series: components that fall at once hide those that do not,
/// so that the increment itself has to be small.
pub(super) const LEAST_CONTRACTION: f64 = 0.01;

/// Rate of convergence that the next step may have (Gustafsson and Söderlind, Control strategies for the iterative solution of
/// nonlinear equations in ODE solvers): where it grows with the square of the step size, the least iterations per time, at
/// `exp(-2)`.
const RATE_TO_ASK_FOR: f64 = 0.135;

/// A proposed growth up to this factor is not worth a new factorisation.
const GROWTH_TO_IGNORE: f64 = 1.2;

/// What the size of the next step owes to the iteration of an attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Convergence {
    /// Factor for the step size, at most one.
    pub caution: f64,
    /// Rate of convergence.
    pub rate: f64,
    /// Most growth of the step size, at least one.
    pub most_growth: f64,
    /// Factor of the step size after a rejected first step; that of the controller when none.
    pub after_first_rejection: Option<f64>,
}

impl Convergence {
    /// Of a step that was not found by iteration.
    pub const NONE: Self = Self {
        caution: 1.0,
        rate: f64::INFINITY,
        most_growth: f64::INFINITY,
        after_first_rejection: None,
    };

    /// An iteration whose length does not matter.
    pub fn of_rate(rate: f64) -> Self {
        Self {
            rate,
            most_growth: (RATE_TO_ASK_FOR / rate).sqrt().max(1.0),
            ..Self::NONE
        }
    }

    /// After so many iterations of at most so many (Hairer and Wanner, equation IV.8.24).
    pub fn after(iterations: u32, most: u32, rate: f64) -> Self {
        let most = f64::from(2 * most);
        Self {
            caution: ((1.0 + most) / (f64::from(iterations) + most)).min(1.0),
            after_first_rejection: Some(0.1),
            ..Self::of_rate(rate)
        }
    }
}

/// Both ends of a step.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    /// Number of components.
    pub n: usize,
    pub progress: Progress,
    /// Time of the start of the step.
    pub t: f64,
    /// Whether `dx` is the derivative at `(t, x)`.
    pub known: bool,
    /// Whether no step has been accepted since the last restart.
    pub first: bool,
    pub x: Vec<f64>,
    pub dx: Vec<f64>,
    /// Written by `attempt`: state and, if acceptable, derivative at the end.
    pub x_new: Vec<f64>,
    pub dx_new: Vec<f64>,
    /// Interpolant of the last accepted step, unless `first` or the method takes no interest in it.
    pub before: DenseOutput,
}

impl Ends {
    /// Ends with so many components, and an interpolant of this degree where the method extrapolates it.
    pub fn new(n: usize, controller: Controller, degree: Option<usize>) -> Self {
        let zeros = || vec![0.0; n];
        let mut before = DenseOutput::new();
        if let Some(degree) = degree {
            before.resize(0.0, 1.0, n, degree);
        }
        Self {
            n,
            progress: Progress::new(controller),
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

    pub fn bytes(&self) -> usize {
        (4 * self.n + self.before.coefficients().len()) * size_of::<f64>()
    }

    /// Makes `(t, x)` the start of the step.
    pub fn place(&mut self, t: f64, x: &[f64]) {
        if !(self.known && self.t == t && self.x == x) {
            self.known = false;
            self.t = t;
            self.x.copy_from_slice(x);
        }
    }

    /// Attempts a step of size `h` from the start.
    pub fn attempt(&mut self, h: f64, compute: impl FnOnce(&mut Self) -> Tried<f64>) -> Result<Attempt> {
        self.progress.trial = None;
        let attempt = match compute(self) {
            Ok(error) => Attempt::Done { error },
            Err(Halt::Attempt(attempt)) => attempt,
            Err(Halt::Error(error)) => return Err(error),
        };
        Ok(self.progress.finish(self.t, h, attempt))
    }

    /// The end of an attempt becomes the start of the next step; `known` says whether its derivative is known there.
    pub fn advance(&mut self, trial: Trial, known: bool) {
        self.known = known;
        self.t = trial.t + trial.h;
        self.x.copy_from_slice(&self.x_new);
    }

    /// Evaluates the derivative at the start.
    ///
    /// # Errors
    /// Any failure, since no smaller step avoids the start.
    pub fn evaluate_start(&mut self, flow: &mut dyn Flow) -> Result<()> {
        let finite = self.progress.finite(self.t, &self.x, "state");
        finite
            .and_then(|()| self.progress.evaluate(flow, self.t, &self.x, &mut self.dx))
            .map_err(|halt| self.progress.failed(self.t, halt))
    }

    /// Makes the end the extrapolated interpolant of the step before, or the start.
    pub fn extrapolate(&mut self, h: f64) {
        if self.first {
            self.x_new.copy_from_slice(&self.x);
        } else {
            self.before.evaluate(self.before.end() + h, &mut self.x_new);
        }
    }

    /// Makes the end `x + z`, which must be finite.
    pub fn move_by(&mut self, h: f64, z: &[f64]) -> Tried {
        for ((x_new, x), z) in self.x_new.iter_mut().zip(&self.x).zip(z) {
            *x_new = x + z;
        }
        self.progress.finite(self.t + h, &self.x_new, "state")
    }

    /// Concludes a step with this error, which it returns: if it is acceptable, the end is projected and its derivative
    /// evaluated.
    pub fn conclude(&mut self, flow: &mut dyn Flow, h: f64, error: f64) -> Tried<f64> {
        if error < 1.0 {
            let t_new = self.t + h;
            let done = flow.project(t_new, &mut self.x_new);
            self.progress.survive(t_new, done)?;
            self.progress.evaluate(flow, t_new, &self.x_new, &mut self.dx_new)?;
        }
        if error.is_finite() { Ok(error) } else { Err(NOT_FINITE) }
    }

    /// Writes the cubic polynomial through states and slopes at both ends into the leading rows of an interpolant.
    pub fn fill_cubic(&self, h: f64, coefficients: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let change = self.x_new[i] - self.x[i];
            let curved = h * self.dx[i] - change;
            coefficients[i] = self.x[i];
            coefficients[n + i] = change;
            coefficients[2 * n + i] = curved;
            coefficients[3 * n + i] = change - h * self.dx_new[i] - curved;
        }
    }

    /// Factor of the step size after an attempt.
    pub fn factor_after(&self, trial: Trial, convergence: Convergence) -> f64 {
        let Convergence {
            caution,
            rate,
            most_growth,
            after_first_rejection,
        } = convergence;
        let controller = &self.progress.controller;
        match (trial.attempt, after_first_rejection) {
            (Attempt::Done { error }, _) if error < 1.0 => {
                let factor = controller.after_success(trial.h, error, caution).min(most_growth);
                let keep = rate <= RATE_TO_KEEP && (1.0..=GROWTH_TO_IGNORE).contains(&factor);
                if keep { 1.0 } else { factor }
            }
            (Attempt::Done { .. }, Some(factor)) if self.first => factor,
            (Attempt::Done { error }, _) => controller.after_rejection(error, caution),
            (failed, _) => Progress::after_failure(failed),
        }
    }
}

/// A method: its stages, its matrices and its interpolant.
pub(super) trait Scheme: Copied + Debug + Send + Sync {
    /// Order of the method.
    fn order(&self) -> u32;

    /// Order of the error estimate.
    fn order_of_estimate(&self) -> u32 {
        self.order()
    }

    /// Bytes held for `n` components, apart from both ends of the step.
    fn bytes(&self, n: usize) -> usize;

    /// Forgets the past, matrices included, and suits itself to the flow.
    ///
    /// # Errors
    /// Kind `Request` for a flow that the method cannot integrate.
    fn restart(&mut self, flow: &mut dyn Flow) -> Result<()> {
        let _ = flow;
        Ok(())
    }

    /// Evaluates what the method needs at the start of a step that is not the end of the step before.
    ///
    /// # Errors
    /// As [`Ends::evaluate_start`].
    fn start(&mut self, ends: &mut Ends, flow: &mut dyn Flow) -> Result<()> {
        ends.evaluate_start(flow)
    }

    /// Solves a step from its start and returns its estimated error over the tolerance.
    fn compute(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Tried<f64>;

    /// How the iteration of the latest attempt converged.
    fn convergence(&self) -> Convergence {
        Convergence::NONE
    }

    /// Evaluates what the interpolant of an acceptable attempt needs beyond the step.
    fn extend(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64) -> Tried {
        let _ = (ends, flow, h);
        Ok(())
    }

    /// Writes the interpolant of the latest attempt, which is acceptable; its end need not be projected.
    fn interpolate(&mut self, ends: &Ends, h: f64, output: &mut DenseOutput);

    /// The end of the latest attempt becomes the start of the next step.
    fn advance(&mut self) {}
}

/// What can be copied behind a pointer.
pub(super) trait Copied {
    fn copied(&self) -> Box<dyn Scheme>;
}

impl<S: Scheme + Clone + 'static> Copied for S {
    fn copied(&self) -> Box<dyn Scheme> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Scheme> {
    fn clone(&self) -> Self {
        (**self).copied()
    }
}
