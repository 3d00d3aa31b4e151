//! The explicit method of Dormand and Prince of order 8(5,3) with dense output of order 7.

mod dormand_prince;
mod step;

use self::dormand_prince::{LAST, STAGES_DENSE};
use super::attempt::{Progress, check_advance, check_length};
use super::initial::{Start, initial_step};
use super::{Attempt, Controller, DenseOutput, Flow, Statistics, Tolerance, Verdict};
use crate::error::Result;

/// Components are processed in blocks of this many, so that sums over stages stay in registers.
const LANES: usize = 4;

type Block = [f64; LANES];

/// Order of the method.
const ORDER: u32 = 8;

/// Stepper of the explicit method; see the module documentation for the protocol.
#[derive(Clone, Debug)]
pub struct ExplicitStepper {
    n: usize,
    progress: Progress,
    /// Time of the start of the step.
    t: f64,
    /// Whether stage 0 is the derivative at `(t, x)`.
    known: bool,
    /// Whether the stages of the dense output belong to the latest attempt.
    extended: bool,
    /// State at the start of the step; the last block is padded with zeros, as in all buffers.
    x: Vec<Block>,
    /// Written by every stage: its state.
    stage: Vec<Block>,
    /// Written by `attempt`: state at the end of the step.
    x_new: Vec<Block>,
    /// Written by `attempt`: errors per unit of step size of order 5 and 3.
    errors: [Vec<Block>; 2],
    /// Stage derivatives: stage `i` in blocks `i * blocks` to `(i + 1) * blocks`. Stage 0 is written by `restart`,
    /// `attempt` or `accept`, 1 to 12 by `attempt`, 13 to 15 by `dense`.
    k: Vec<Block>,
}

impl ExplicitStepper {
    /// A stepper for `n` components; allocates everything it will ever need.
    pub fn new(n: usize) -> Self {
        let blocks = n.div_ceil(LANES);
        let buffer = vec![[0.0; LANES]; blocks];
        Self {
            n,
            progress: Progress::new(Controller::proportional_integral(0.0)),
            t: 0.0,
            known: false,
            extended: false,
            x: buffer.clone(),
            stage: buffer.clone(),
            x_new: buffer.clone(),
            errors: [buffer.clone(), buffer],
            k: vec![[0.0; LANES]; STAGES_DENSE * blocks],
        }
    }

    /// Replaces the step-size control.
    #[must_use]
    pub fn with_controller(mut self, controller: Controller) -> Self {
        self.progress.controller = controller;
        self
    }

    /// Number of components.
    pub fn dimension(&self) -> usize {
        self.n
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let blocks = 5 * self.x.len() + self.k.len();
        size_of::<Self>() + blocks * size_of::<Block>()
    }

    /// Order of the method: 8.
    pub fn order(&self) -> u32 {
        ORDER
    }

    /// Work done so far.
    pub fn statistics(&self) -> Statistics {
        self.progress.statistics
    }

    /// Starts anew from `(t, x)`: evaluates the derivative there and forgets the past. To be called at the start, after a
    /// jump and after a change of the flow.
    ///
    /// # Errors
    /// Whatever the flow reports; kind [`ErrorKind::NotFinite`](crate::error::ErrorKind) if the state or the derivative
    /// is not finite.
    pub fn restart(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64]) -> Result<()> {
        self.progress.reset();
        self.load(flow, t, x)
    }

    /// Derivative at the start of the step (`n` components), after `restart` or `attempt`.
    pub fn derivative(&self) -> &[f64] {
        self.stage_derivative(0)
    }

    /// End of the latest attempt, in seconds; start of the next step after `accept`.
    pub fn t_new(&self) -> f64 {
        self.progress.end_from(self.t)
    }

    /// State at the end of the latest attempt (`n` components).
    pub fn x_new(&self) -> &[f64] {
        &self.x_new.as_flattened()[..self.n]
    }

    /// Derivative at the end of the latest attempt (`n` components), if that attempt is acceptable.
    pub fn derivative_new(&self) -> &[f64] {
        self.stage_derivative(LAST)
    }

    /// A first step size from `(t, x)`, signed as `max_step` (in seconds) and not longer.
    ///
    /// # Errors
    /// As [`ExplicitStepper::restart`].
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
        let dx = &self.k.as_flattened()[..self.n];
        let start = Start {
            t,
            x,
            dx,
            order: ORDER,
            max_step,
        };
        let stage = &mut self.stage.as_flattened_mut()[..self.n];
        let slope = &mut self.errors[0].as_flattened_mut()[..self.n];
        initial_step(flow, &mut self.progress, &start, tol, stage, slope)
    }

    /// Computes a step of size `h` (signed) from `(t, x)` without committing to it. The derivative at `(t, x)` is evaluated
    /// unless it is known from `restart`, the last accepted step or the attempt before.
    ///
    /// # Errors
    /// Failures that a smaller step may avoid make the attempt [`Attempt::NotFinite`]; other failures of the flow, and any
    /// at `(t, x)` itself, are returned, as are wrong dimensions and a step that does not advance time.
    pub fn attempt(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64], h: f64, tol: &Tolerance) -> Result<Attempt> {
        tol.check_dimension(self.n, x)?;
        check_advance(t, h)?;
        self.know(flow, t, x)?;
        self.extended = false;
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
            Attempt::Done { error } if error < 1.0 => controller.after_success(trial.h, error, 1.0),
            Attempt::Done { error } => controller.after_rejection(error, 1.0),
            failed => Progress::after_failure(failed),
        };
        self.progress.decide(trial, factor)
    }

    /// Writes the interpolant of the latest attempt, which must be acceptable and not yet accepted; three more
    /// evaluations of the flow, once per attempt.
    ///
    /// # Errors
    /// Kinds `Singular` and `NotFinite` if the flow fails there: a smaller step may avoid the place.
    pub fn dense(&mut self, flow: &mut dyn Flow, output: &mut DenseOutput) -> Result<()> {
        let trial = self.progress.acceptable()?;
        if !self.extended {
            for stage in LAST + 1..STAGES_DENSE {
                if !self.evaluate_stage(flow, stage, trial.h)? {
                    return Err(self.progress.failed(trial.t));
                }
            }
            self.extended = true;
        }
        self.fill(trial.h, output);
        Ok(())
    }

    /// Commits to the latest attempt, which must be acceptable: its end is the start of the next step.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`](crate::error::ErrorKind) if there is no acceptable attempt.
    pub fn accept(&mut self) -> Result<()> {
        let trial = self.progress.accept()?;
        let blocks = self.x.len();
        self.t = trial.t + trial.h;
        self.x.copy_from_slice(&self.x_new);
        self.k.copy_within(LAST * blocks..(LAST + 1) * blocks, 0);
        Ok(())
    }

    /// Forgets what was attempted since the last accepted step.
    pub(super) fn forget(&mut self) {
        self.progress.forget();
    }

    /// Makes stage 0 the derivative at `(t, x)`.
    fn know(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64]) -> Result<()> {
        if self.known && self.t == t && self.x.as_flattened()[..self.n] == *x {
            return Ok(());
        }
        self.load(flow, t, x)
    }

    fn load(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64]) -> Result<()> {
        check_length(self.n, x)?;
        self.known = false;
        self.t = t;
        self.x.as_flattened_mut()[..self.n].copy_from_slice(x);
        let finite = self.progress.all_finite(t, x, "state");
        let dx = &mut self.k.as_flattened_mut()[..self.n];
        if !finite || !self.progress.evaluate(flow, t, x, dx)? {
            return Err(self.progress.failed(t));
        }
        self.known = true;
        Ok(())
    }
}
