//! Ending simulations from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{Observer, StepView};

/// A flag shared by whoever simulates and whoever may end it; the default never ends anything.
#[derive(Clone, Debug, Default)]
pub struct Interruption(Option<Arc<AtomicBool>>);

impl Interruption {
    /// A flag that is not set yet; its clones are the same flag.
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// Ends what looks at this flag, after its present step.
    pub fn set(&self) {
        if let Some(flag) = &self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Goes on unless the flag is set; `t` is the simulated time.
    ///
    /// # Errors
    /// Kind `Interrupted` once it is set.
    pub fn check(&self, t: f64) -> Result<()> {
        if self.is_set() {
            return Err(Error::new(ErrorKind::Interrupted, "the simulation was interrupted")
                .at_time(t)
                .advise("start it again"));
        }
        Ok(())
    }
}

/// Observer that looks at the flag after every step.
impl<M> Observer<M> for &Interruption {
    fn step(&mut self, step: &StepView<M>) -> Result<()> {
        self.check(step.end)
    }
}
