//! Work counters.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

/// How much work an integration took. Counters of several integrations can be added, those of the
/// earlier part of one taken away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Evaluations of the flow.
    pub evaluations: u64,
    /// Evaluations of the Jacobian.
    pub jacobians: u64,
    /// Factorisations; one real and one complex matrix together count as one.
    pub factorisations: u64,
    /// Accepted steps.
    pub accepted: u64,
    /// Attempts that failed: error too large, no convergence, or not finite.
    pub rejected: u64,
    /// Steps of the explicit method that would be longer if they were not to remain stable.
    pub at_stability: u64,
    /// Evaluations of conditions for events.
    pub guards: u64,
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.evaluations += other.evaluations;
        self.jacobians += other.jacobians;
        self.factorisations += other.factorisations;
        self.accepted += other.accepted;
        self.rejected += other.rejected;
        self.at_stability += other.at_stability;
        self.guards += other.guards;
    }
}

impl Add for Statistics {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Sub for Statistics {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            evaluations: self.evaluations - earlier.evaluations,
            jacobians: self.jacobians - earlier.jacobians,
            factorisations: self.factorisations - earlier.factorisations,
            accepted: self.accepted - earlier.accepted,
            rejected: self.rejected - earlier.rejected,
            at_stability: self.at_stability - earlier.at_stability,
            guards: self.guards - earlier.guards,
        }
    }
}

impl Sum for Statistics {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::default(), Add::add)
    }
}
