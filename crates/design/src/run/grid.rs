//! Equidistant instants of a run.

use super::experiment::Experiment;
use super::probe::{RunMode, after, before};
use crate::error::Result;
use crate::hybrid::{At, JumpView, Observer, StepView};
use crate::model::Mode;

/// Whoever keeps states of a run.
pub(super) trait Keeper {
    /// A phase begins.
    fn begin(&mut self, mode: &Mode);

    /// Keeps a state X.
    ///
    /// # Errors
    /// An error ends the run.
    fn keep(&mut self, at: At<Mode>) -> Result<()>;
}

/// Observer that hands over the states at equidistant instants, at the end, and on both sides of every jump.
#[derive(Debug)]
pub(super) struct Grid<K> {
    pub keeper: K,
    start: f64,
    interval: f64,
    /// Number of the next instant; the start is number 0.
    next: u32,
    /// Number of the end.
    last: u32,
    /// Time of the last state handed over.
    latest: f64,
    /// State X at an instant.
    x: Vec<f64>,
}

impl<K: Keeper> Grid<K> {
    /// With this number of intervals over a run.
    pub fn new(experiment: &Experiment, intervals: u32, keeper: K) -> Self {
        let (start, end) = (experiment.start, experiment.options.end);
        Self {
            keeper,
            start,
            interval: (end - start) / f64::from(intervals),
            next: 1,
            last: intervals,
            latest: f64::NAN,
            x: Vec::new(),
        }
    }

    /// The next inner instant, if it lies before the end of a step.
    fn next_before(&mut self, step_end: f64) -> Option<f64> {
        let t = self.start + f64::from(self.next) * self.interval;
        if self.next >= self.last || t >= step_end {
            return None;
        }
        self.next += 1;
        Some(t)
    }

    /// Whether a step ends at the end of the grid; true once.
    fn ends_at(&mut self, step_end: f64) -> bool {
        let end = self.start + f64::from(self.last) * self.interval;
        let ends = self.next == self.last && step_end >= end - 1e-9 * self.interval;
        self.next += u32::from(ends);
        ends
    }

    fn keep(&mut self, at: At<Mode>) -> Result<()> {
        self.latest = at.t;
        self.keeper.keep(at)
    }
}

impl<M: RunMode, K: Keeper> Observer<M> for Grid<K> {
    fn wants_dense(&self) -> bool {
        true
    }

    fn start(&mut self, t: f64, mode: &M, x: &[f64]) -> Result<()> {
        self.keeper.begin(mode.mode());
        self.keep(At::new(t, mode.mode(), x))
    }

    fn step(&mut self, step: &StepView<M>) -> Result<()> {
        let Some(dense) = step.dense else { return Ok(()) };
        let mode = step.mode.mode();
        let mut x = std::mem::take(&mut self.x);
        x.resize(step.x.len(), 0.0);
        while let Some(t) = self.next_before(step.end) {
            dense.evaluate(t, &mut x);
            self.keep(At::new(t, mode, &x))?;
        }
        self.x = x;
        match self.ends_at(step.end) {
            true => self.keep(At::new(step.end, mode, step.x)),
            false => Ok(()),
        }
    }

    fn jump(&mut self, jump: &JumpView<M>) -> Result<()> {
        if self.latest != jump.t {
            self.keep(before(jump))?;
        }
        self.keeper.begin(jump.mode_after.mode());
        self.keep(after(jump))
    }
}
