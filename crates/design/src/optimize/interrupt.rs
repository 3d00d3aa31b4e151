//! Ending an optimization from outside. A design whose simulations look at the same flag ends within one.

use super::design::{Design, Evaluation};
use crate::error::{Error, ErrorKind, Result};
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
    fn evaluate(&self, parameters: &[f64], gradient: bool) -> Result<Evaluation> {
        if self.flag.is_set() {
            return Err(interrupted());
        }
        self.design.evaluate(parameters, gradient)
    }
}

/// The answer of a design that is to evaluate no further point.
pub(super) fn interrupted() -> Error {
    Error::new(ErrorKind::Interrupted, "it was interrupted before it had a result").advise("start it again")
}
