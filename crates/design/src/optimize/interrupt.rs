//! Ending an optimization from outside. A design whose simulations look at the same flag ends within one.

use super::design::{Design, Evaluation};
use crate::error::{Error, Result};
use crate::run::Interruption;

/// A design that evaluates no further point once a flag is set.
pub struct Interruptible<'a> {
    design: &'a (dyn Design + Sync),
    flag: &'a Interruption,
}

impl<'a> Interruptible<'a> {
    /// The same design, to be ended by the flag.
    pub fn new(design: &'a (dyn Design + Sync), flag: &'a Interruption) -> Self {
        Self { design, flag }
    }
}

impl Design for Interruptible<'_> {
    fn accuracy(&self) -> f64 {
        self.design.accuracy()
    }

    fn evaluate(&self, parameters: &[f64], gradient: bool) -> Result<Evaluation> {
        if self.flag.is_set() {
            return Err(self.flag.error(NO_RESULT));
        }
        self.design.evaluate(parameters, gradient)
    }
}

/// What became of a design that is to evaluate no further point.
const NO_RESULT: &str = "it was interrupted before it had a result";

/// The answer of a design that is to evaluate no further point for other reasons than a flag.
pub(super) fn interrupted() -> Error {
    Interruption::default().error(NO_RESULT)
}
