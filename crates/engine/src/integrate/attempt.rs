//! What both methods share: outcome of an attempt, failures remembered until a step succeeds, counters, control.

use super::controller::{Controller, minimum_step};
use super::{Flow, Statistics};
use crate::error::{Error, ErrorKind, Result};

/// Factor of the step size after an attempt that was not finite.
const AFTER_NOT_FINITE: f64 = 0.5;

/// Outcome of an attempted step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Attempt {
    /// The step was computed; `error` is its estimated error relative to the tolerance, acceptable below 1.
    Done {
        /// Scaled error norm.
        error: f64,
    },
    /// The nonlinear equations of an implicit step were not solved; try `factor` (below 1) times the step size.
    NotConverged {
        /// Factor of the step size for the next attempt.
        factor: f64,
    },
    /// The flow failed or was not finite within the step; a smaller step may avoid the place.
    NotFinite,
}

impl Attempt {
    /// Whether the step may be accepted.
    pub fn acceptable(&self) -> bool {
        matches!(self, Self::Done { error } if *error < 1.0)
    }
}

/// What to do after an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Whether the attempt may be accepted.
    pub accepted: bool,
    /// Step size (signed) for the next attempt: of the next step if accepted, else from the same state.
    pub next: f64,
}

/// Why a step cannot be computed.
#[derive(Debug)]
pub(super) enum Halt {
    /// A smaller step may succeed: the attempt, not acceptable.
    Attempt(Attempt),
    /// None will.
    Error(Error),
}

/// Not finite; the failure is remembered.
pub(super) const NOT_FINITE: Halt = Halt::Attempt(Attempt::NotFinite);

/// An iteration does not converge, and nothing better than half the step size is known.
pub(super) const DIVERGED: Halt = Halt::Attempt(Attempt::NotConverged { factor: 0.5 });

/// What computes a step, or a part of it.
pub(super) type Tried<T = ()> = std::result::Result<T, Halt>;

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// An attempt with its start and step size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    pub t: f64,
    pub h: f64,
    pub attempt: Attempt,
}

/// Bookkeeping of one stepper.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    pub controller: Controller,
    pub statistics: Statistics,
    /// The latest attempt since the last accepted step.
    pub trial: Option<Trial>,
    /// Whether an attempt failed since the last accepted step.
    pub rejected: bool,
    /// Latest failure of the flow since the last accepted step.
    failure: Option<Error>,
}

impl Progress {
    pub fn new(controller: Controller) -> Self {
        Self {
            controller,
            statistics: Statistics::default(),
            trial: None,
            rejected: false,
            failure: None,
        }
    }

    pub fn reset(&mut self) {
        self.controller.reset();
        self.forget();
    }

    /// Forgets what was attempted since the last accepted step.
    pub fn forget(&mut self) {
        self.trial = None;
        self.rejected = false;
        self.failure = None;
    }

    /// Evaluates the flow; a failure that a smaller step may cure is remembered.
    #[inline]
    pub fn evaluate(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64], dx: &mut [f64]) -> Tried {
        self.statistics.evaluations += 1;
        let done = flow.evaluate(t, x, dx);
        self.survive(t, done)?;
        self.finite(t, dx, "derivative")
    }

    /// Goes on after an evaluation that succeeded; a failure that a smaller step may cure is remembered.
    #[inline]
    pub fn survive<T>(&mut self, t: f64, outcome: Result<T>) -> Tried<T> {
        match outcome {
            Ok(value) => Ok(value),
            Err(error) if matches!(error.kind(), ErrorKind::Singular | ErrorKind::NotFinite) => {
                self.remember(error.at_time(t));
                Err(NOT_FINITE)
            }
            Err(error) => Err(error.at_time(t).into()),
        }
    }

    /// Goes on if all values are finite; the first that is not is remembered as the failure.
    #[inline]
    pub fn finite(&mut self, t: f64, values: &[f64], what: &str) -> Tried {
        // A sum of zeros unless something is infinite or NaN: one pass without branches.
        if values.iter().map(|v| v * 0.0).sum::<f64>() == 0.0 {
            return Ok(());
        }
        self.remember_not_finite(t, values, what);
        Err(NOT_FINITE)
    }

    #[cold]
    fn remember_not_finite(&mut self, t: f64, values: &[f64], what: &str) {
        let index = values.iter().position(|v| !v.is_finite()).unwrap_or(0);
        let error = Error::new(
            ErrorKind::NotFinite,
            format!("component {index} of the {what} is not finite"),
        );
        self.failure =
            Some(error.at_time(t).with_value(values[index]).advise(
                "look for a division by zero, a root of a negative number or a solution that grows without bound",
            ));
    }

    #[cold]
    fn remember(&mut self, failure: Error) {
        self.failure = Some(failure);
    }

    /// A matrix of a step is singular.
    #[cold]
    pub fn singular(&mut self, message: &str, t: f64, h: f64) -> Tried {
        self.remember(Error::new(ErrorKind::Singular, message).at_time(t).with_value(h));
        Err(NOT_FINITE)
    }

    /// The remembered failure as an error, where no smaller step can cure it.
    #[cold]
    pub fn failed(&mut self, t: f64, halt: Halt) -> Error {
        match (halt, self.failure.take()) {
            (Halt::Error(error), _) | (Halt::Attempt(_), Some(error)) => error,
            (Halt::Attempt(_), None) => Error::new(ErrorKind::NotFinite, "the flow cannot be evaluated").at_time(t),
        }
    }

    /// Ends an attempt: counts it if it failed, remembers it for [`Progress::decide`].
    pub fn finish(&mut self, t: f64, h: f64, attempt: Attempt) -> Attempt {
        if !attempt.acceptable() {
            self.rejected = true;
            self.statistics.rejected += 1;
        }
        self.trial = Some(Trial { t, h, attempt });
        attempt
    }

    /// End of the latest attempt from a step that starts at `t`; the start itself if there is none.
    pub fn end_from(&self, t: f64) -> f64 {
        t + self.trial.map_or(0.0, |trial| trial.h)
    }

    /// The latest attempt.
    pub fn latest(&self) -> Result<Trial> {
        self.trial.ok_or_else(|| {
            Error::new(
                ErrorKind::Request,
                "no step has been attempted since the last accepted one",
            )
        })
    }

    /// The latest attempt if it may be accepted.
    pub fn acceptable(&self) -> Result<Trial> {
        let trial = self.latest()?;
        if trial.attempt.acceptable() {
            return Ok(trial);
        }
        Err(Error::new(ErrorKind::Request, "the attempted step is not acceptable").at_time(trial.t))
    }

    /// Turns a factor of the step size into a verdict, or the end of the integration if the step size collapses.
    pub fn decide(&mut self, trial: Trial, factor: f64) -> Result<Verdict> {
        let accepted = trial.attempt.acceptable();
        let factor = if accepted && self.rejected {
            factor.min(1.0)
        } else {
            factor
        };
        let next = trial.h * factor;
        let minimum = minimum_step(trial.t);
        let collapsed = factor < 1.0 && next.abs() < minimum;
        if collapsed && !accepted {
            return Err(self.collapse(trial.t, next));
        }
        // An accepted step may have been cut by the caller (for an event, for the end): it says little of the next.
        let next = if collapsed { minimum.copysign(next) } else { next };
        Ok(Verdict { accepted, next })
    }

    /// Factor of the step size after an attempt without an error estimate.
    pub fn after_failure(attempt: Attempt) -> f64 {
        match attempt {
            Attempt::NotConverged { factor } => factor,
            Attempt::Done { .. } | Attempt::NotFinite => AFTER_NOT_FINITE,
        }
    }

    /// Moves on after an acceptable attempt and returns it.
    pub fn accept(&mut self) -> Result<Trial> {
        let trial = self.acceptable()?;
        self.statistics.accepted += 1;
        self.forget();
        Ok(trial)
    }

    /// Lets the control of the step size know of an accepted step.
    pub fn record(&mut self, trial: Trial) {
        if let Attempt::Done { error } = trial.attempt {
            self.controller.record(trial.h, error);
        }
    }

    #[cold]
    fn collapse(&mut self, t: f64, h: f64) -> Error {
        self.failure.take().unwrap_or_else(|| {
            Error::new(
                ErrorKind::StepSize,
                "the step size has become too small to advance time",
            )
            .at_time(t)
            .with_value(h)
            .advise(
                "the motion may be discontinuous or unbounded here, or the tolerance too tight; \
                     a stiff system needs the implicit integrator",
            )
        })
    }
}

/// Refuses a step that does not advance time.
pub(super) fn check_advance(t: f64, h: f64) -> Result<()> {
    if (t + h).is_finite() && t + h != t {
        return Ok(());
    }
    Err(Error::new(ErrorKind::StepSize, "the step does not advance time")
        .at_time(t)
        .with_value(h))
}

/// Refuses a state of the wrong length.
pub(super) fn check_length(n: usize, x: &[f64]) -> Result<()> {
    if x.len() == n {
        return Ok(());
    }
    let message = format!("the integrator has {n} components, the state {}", x.len());
    Err(Error::new(ErrorKind::Request, message))
}
