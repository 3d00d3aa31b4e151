//! Equidistant instants of a run.

/// The instants between the start and the end of a run, and its end, each given out once while the steps go by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    start: f64,
    interval: f64,
    /// Number of the next instant; the start is number 0.
    next: u32,
    /// Number of the end.
    last: u32,
}

impl Grid {
    /// A grid over [start, end] with the given number of intervals.
    pub(super) fn new(start: f64, end: f64, intervals: u32) -> Self {
        Self {
            start,
            interval: (end - start) / f64::from(intervals),
            next: 1,
            last: intervals,
        }
    }

    /// The next inner instant, if it lies before the end of a step.
    pub(super) fn next_before(&mut self, step_end: f64) -> Option<f64> {
        let t = self.start + f64::from(self.next) * self.interval;
        if self.next >= self.last || t >= step_end {
            return None;
        }
        self.next += 1;
        Some(t)
    }

    /// Whether a step ends at the end of the grid; true once.
    pub(super) fn ends_at(&mut self, step_end: f64) -> bool {
        let end = self.start + f64::from(self.last) * self.interval;
        let ends = self.next == self.last && step_end >= end - 1e-9 * self.interval;
        self.next += u32::from(ends);
        ends
    }
}
