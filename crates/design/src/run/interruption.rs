//! Ending simulations from outside, or after a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{Observer, StepView};
use crate::machine::Clock;
use crate::scalar::shortest;

/// A flag shared by whoever simulates and whoever may end it, which a time limit sets as well; the default never ends
/// anything.
#[derive(Clone, Debug, Default)]
pub struct Interruption(Option<Arc<Flag>>);

#[derive(Debug, Default)]
struct Flag {
    set: AtomicBool,
    limit: Option<Limit>,
}

#[derive(Clone, Copy, Debug)]
struct Limit {
    since: Clock,
    allowed: Duration,
}

impl Limit {
    fn is_over(&self) -> bool {
        self.since.elapsed() >= self.allowed
    }
}

impl Interruption {
    /// A flag that is not set yet; its clones are the same flag.
    pub fn new() -> Self {
        Self::within(None)
    }

    /// As [`Interruption::new`], and set by itself after a time, if one is given.
    pub fn within(allowed: Option<Duration>) -> Self {
        let limit = allowed.map(|allowed| Limit {
            since: Clock::start(),
            allowed,
        });
        let set = AtomicBool::new(false);
        Self(Some(Arc::new(Flag { set, limit })))
    }

    /// Ends what looks at this flag, after its present step.
    pub fn set(&self) {
        if let Some(flag) = &self.0 {
            flag.set.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| {
            let is_over = |limit: &Limit| limit.is_over();
            flag.set.load(Ordering::Relaxed) || flag.limit.as_ref().is_some_and(is_over)
        })
    }

    /// The time that it allows, once that is over.
    fn exceeded(&self) -> Option<Duration> {
        let limit = self.0.as_ref()?.limit?;
        limit.is_over().then_some(limit.allowed)
    }

    /// The error of what it ended, with what became of that, such as "the simulation was interrupted".
    pub fn error(&self, ended: &str) -> Error {
        match self.exceeded() {
            Some(allowed) => {
                let seconds = shortest(allowed.as_secs_f64());
                let message = format!("the time limit of {seconds} s is over: {ended}");
                Error::new(ErrorKind::Interrupted, message).advise("allow more time with --max-time")
            }
            None => Error::new(ErrorKind::Interrupted, ended).advise("start it again"),
        }
    }

    /// Goes on unless the flag is set; `t` is the simulated time.
    ///
    /// # Errors
    /// Kind `Interrupted` once it is set.
    pub fn check(&self, t: f64) -> Result<()> {
        if self.is_set() {
            return Err(self.error("the simulation was interrupted").at_time(t));
        }
        Ok(())
    }
}

/// Observer that looks at the flag after every step, and while one is sought.
impl<M> Observer<M> for &Interruption {
    fn seeks(&mut self, t: f64) -> Result<()> {
        self.check(t)
    }

    fn step(&mut self, step: &StepView<M>) -> Result<()> {
        self.check(step.end)
    }
}

#[cfg(test)]
mod tests {
    use super::Interruption;
    use crate::error::ErrorKind;
    use std::time::Duration;

    #[test]
    fn a_limit_that_is_over_ends_with_its_length_and_the_simulated_time() {
        let over = Interruption::within(Some(Duration::ZERO));
        let error = over.check(2.5).unwrap_err();
        assert_eq!((error.kind(), error.time()), (ErrorKind::Interrupted, Some(2.5)));
        assert!(error.message().contains("time limit of 0 s"), "{error}");
        Interruption::within(Some(Duration::from_secs(1000)))
            .check(2.5)
            .unwrap();
    }

    #[test]
    fn a_flag_set_from_outside_names_no_limit() {
        let flag = Interruption::within(Some(Duration::from_secs(1000)));
        flag.clone().set();
        assert!(!flag.check(0.0).unwrap_err().message().contains("limit"));
    }
}
