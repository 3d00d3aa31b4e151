//! When a run is given up for the number of its steps, and what it says then.

use super::{HybridSystem, Simulation};
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::shortest;

/// Steps after which the number that the whole run needs is foretold for the first time.
const FIRST_FORECAST: u64 = 100_000;

/// How many times more steps than allowed a run must seem to need before it is given up early: the steps at its start may
/// be much shorter than those to come.
const HOPELESS: f64 = 1e3;

/// Steps, events and time so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort<'a> {
    /// Attempted steps.
    pub steps: u64,
    /// Most steps allowed.
    pub most: u64,
    /// Time at the start, now and at the end.
    pub times: [f64; 3],
    /// Size of the latest accepted step, or of the one before an event.
    pub step: f64,
    /// Longest step allowed.
    pub longest: f64,
    /// Number of events.
    pub events: usize,
    /// Name of the latest event.
    pub event: Option<&'a str>,
}

impl<H: HybridSystem> Simulation<'_, H> {
    /// Counts attempts; the error where they are too many.
    pub(super) fn count(&mut self, attempts: u64) -> Result<()> {
        self.now.steps += attempts;
        let effort = Effort {
            steps: self.now.steps,
            most: self.options.max_steps,
            times: [self.now.start, self.now.t, self.options.end],
            step: self.stepper.t_new() - self.now.t,
            longest: self.options.max_step,
            events: self.now.jumps,
            event: self.latest.name.as_deref(),
        };
        if effort.is_too_much() {
            return Err(effort.error());
        }
        Ok(())
    }
}

impl Effort<'_> {
    /// Steps that the whole run takes at the rate so far.
    fn forecast(&self) -> f64 {
        let [start, now, end] = self.times;
        self.steps as f64 * ((end - start) / (now - start)).max(1.0)
    }

    /// Whether to give up: the bound is exceeded, or will be by far.
    pub fn is_too_much(&self) -> bool {
        let forecast_due = self.steps >= FIRST_FORECAST;
        self.steps > self.most || (forecast_due && self.forecast() > HOPELESS * self.most as f64)
    }

    /// Error that says how far the run came and what makes its steps short.
    #[cold]
    pub fn error(&self) -> Error {
        let [start, now, end] = self.times;
        let (limit, advice) = self.limit();
        Error::new(
            ErrorKind::StepSize,
            format!(
                "the run needs more than the {} steps that are allowed: {} steps and {} events took it from {} s to {} s of \
                 {} s, at which rate it needs {:.1e} steps; the last step is {:.1e} s long, limited by {limit}",
                self.most,
                self.steps,
                self.events,
                shortest(start),
                shortest(now),
                shortest(end),
                self.forecast(),
                self.step
            ),
        )
        .at_time(now)
        .with_value(self.step)
        .advise(advice)
    }

    /// What makes the steps short, and what to do about it.
    fn limit(&self) -> (String, &'static str) {
        // An event costs a step onto it and a step away from it at the least.
        let eventful = self.events as f64 > 0.2 * self.steps as f64;
        match self.event {
            Some(event) if eventful => (
                format!("events, the latest of \"{event}\""),
                "shorten the duration, raise max_steps, or look why the events follow each other so closely",
            ),
            _ if self.step >= 0.5 * self.longest => (
                "max_step".to_string(),
                "raise max_step or leave it out, shorten the duration, or raise max_steps",
            ),
            _ => (
                "the tolerances".to_string(),
                "shorten the duration, loosen rtol and atol, use the Radau integrator if the scene is stiff, or raise max_steps",
            ),
        }
    }
}
