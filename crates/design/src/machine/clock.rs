//! How long something takes, and when it is.

use std::time::{Duration, Instant, SystemTime};

use super::HAS_SYSTEM;

/// A clock that runs from its start on.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Option<Instant>);

impl Clock {
    /// A clock that starts now; where there is no time, it stands still.
    pub fn start() -> Self {
        // Asking for the time where there is none is a panic.
        Self(HAS_SYSTEM.then(Instant::now))
    }

    /// The time since its start.
    pub fn elapsed(&self) -> Duration {
        self.0.map_or(Duration::ZERO, |start| start.elapsed())
    }

    /// The same in seconds.
    pub fn seconds(&self) -> f64 {
        self.elapsed().as_secs_f64()
    }
}

/// The time since the beginning of 1970; zero where there is none.
pub fn time_of_day() -> Duration {
    let since = |now: SystemTime| now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    HAS_SYSTEM.then(SystemTime::now).map_or(Duration::ZERO, since)
}
