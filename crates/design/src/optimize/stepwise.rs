//! A method that is taken forward one iteration at a time.

use std::fmt::Display;

use crate::error::{Error, ErrorKind};

/// What a method did in one iteration.
pub(super) enum Advance {
    /// Went to these scaled variables.
    Moved(Vec<f64>),
    /// Went to these, and its own test of convergence passed.
    Converged(Vec<f64>),
    /// Found no better point.
    Stuck,
}

/// A method that can be taken forward one iteration at a time.
pub(super) trait Stepwise {
    /// Does one iteration.
    fn advance(&mut self) -> Advance;

    /// Largest entry of the projected gradient of the Lagrangian, scaled, where the method knows it.
    fn stationarity(&self) -> Option<f64> {
        None
    }
}

/// A method at its first point.
pub(super) type Begun<'a> = std::result::Result<Box<dyn Stepwise + 'a>, CannotBegin>;

/// Why a method cannot begin, in the words of its crate.
pub(super) struct CannotBegin(String);

impl<E: Display> From<E> for CannotBegin {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

impl CannotBegin {
    /// The error about it.
    pub fn refusal(self) -> Error {
        Error::new(ErrorKind::Request, format!("the solver cannot start: {}", self.0))
            .advise("choose another `solver`, or check bounds and `max_simulations`")
    }
}
