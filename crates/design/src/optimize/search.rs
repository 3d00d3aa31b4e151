//! From one start or from several, as the optimization says.

use std::ops::ControlFlow;

use super::design::Design;
use super::iterate::optimize;
use super::multistart::{MultistartReport, optimize_from_starts};
use super::report::{Iteration, Report, Status};
use crate::error::{Error, Result};
use crate::machine::cores;
use crate::scene::compiled::Optimization;

/// What was found, and how.
#[derive(Debug)]
pub struct Found {
    /// The best result.
    pub report: Report,
    /// All starts, if there are several.
    pub starts: Option<MultistartReport>,
    /// Points that were read from a checkpoint.
    pub recalled: usize,
    /// What kept the checkpoint from being written to its end.
    pub failure: Option<Error>,
}

impl Found {
    /// Whether it ended before it was done.
    pub fn interrupted(&self) -> bool {
        match &self.starts {
            Some(starts) => starts.interrupted,
            None => self.report.status == Status::Interrupted,
        }
    }

    /// Why all of it ended.
    pub fn status(&self) -> Status {
        match self.interrupted() {
            true => Status::Interrupted,
            false => self.report.status,
        }
    }

    /// A number summed over the starts.
    pub fn total(&self, number: impl Fn(&Report) -> u32) -> u32 {
        match &self.starts {
            Some(starts) => starts.total(number),
            None => number(&self.report),
        }
    }
}

/// Optimizes from as many starts as there are to be, several in parallel. `watch` is told every iteration with the number of
/// its start, from any thread.
///
/// # Errors
/// As [`optimize`] and [`optimize_from_starts`].
pub fn search(
    design: &(dyn Design + Sync),
    optimization: &Optimization,
    watch: &(dyn Fn(usize, &Iteration) + Sync),
) -> Result<Found> {
    let told = |start: usize, iteration: &Iteration| {
        watch(start, iteration);
        ControlFlow::Continue(())
    };
    let (report, starts) = match optimization.starts > 1 {
        true => {
            let starts = optimize_from_starts(design, optimization, cores(), &told)?;
            (starts.runs[starts.best()].clone(), Some(starts))
        }
        false => {
            let report = optimize(design, optimization, &mut |iteration| told(0, iteration))?;
            (report, None)
        }
    };
    Ok(Found {
        report,
        starts,
        recalled: 0,
        failure: None,
    })
}
