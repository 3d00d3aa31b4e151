//! Runs with sensitivities that hardly get on, as before a singular position where some of them grow without bound.

use crate::error::{Error, ErrorKind, Result};

/// Steps in a row that are shorter than this part of the longest before them, and evaluations in search of one step, that are suspect.
const SHORT: f64 = 1e-3;
const MANY_STEPS: u32 = 20;
const MANY_EVALUATIONS: u32 = 5000;

/// Counts short steps.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::run) struct Pace {
    /// Whether a run that hardly gets on is to end.
    pub wary: bool,
    longest: f64,
    short: u32,
    sought: u32,
}

impl Pace {
    /// An evaluation in search of a step.
    pub fn seeks(&mut self, t: f64) -> Result<()> {
        self.sought += 1;
        self.check(t)
    }

    /// A step of this length up to this time.
    pub fn step(&mut self, h: f64, t: f64) -> Result<()> {
        self.sought = 0;
        self.short = if h < SHORT * self.longest { self.short + 1 } else { 0 };
        self.longest = self.longest.max(h);
        self.check(t)
    }

    fn check(self, t: f64) -> Result<()> {
        let is_stuck = self.short >= MANY_STEPS || self.sought >= MANY_EVALUATIONS;
        match self.wary && is_stuck {
            true => Err(Error::new(ErrorKind::StepSize, "the run with sensitivities hardly gets on").at_time(t)),
            false => Ok(()),
        }
    }
}
