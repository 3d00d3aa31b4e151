//! Guards that leave zero at the start of a step.

/// A guard that has just fired or been woken on zero: until it has left zero by more than rounding its value does not count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leaving {
    pub guard: usize,
    /// Which way it was going, +1 or -1; 0 where that is unknown. A flow that turns it back makes it cross zero at once.
    pub heading: f64,
    /// Whether it has stayed on zero for a step: it may be above it by what counts as rounding, and falls below it later.
    pub stayed: bool,
    /// Whether a jump of more than memory comes just before: it may have sent the guard below zero.
    pub struck: bool,
}

impl Leaving {
    /// From the start of a phase.
    pub fn new(guard: usize, heading: f64) -> Self {
        Self {
            guard,
            heading,
            stayed: false,
            struck: false,
        }
    }
}

/// The heading of a guard among some, ascending; 0 for others.
pub(super) fn heading_of(headings: &[Leaving], guard: usize) -> f64 {
    let place = headings.binary_search_by_key(&guard, |leaving| leaving.guard);
    place.map_or(0.0, |place| headings[place].heading)
}
