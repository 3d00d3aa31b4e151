//! What only a machine with an operating system gives: the time of day and threads. All else of the engine and of scenes takes them
//! from here, so that it runs where there are none, such as in a browser (`wasm32-unknown-unknown`), on one thread and without
//! limits of time.

mod clock;
mod parallel;

pub use clock::{Clock, time_of_day};
pub use parallel::{cores, in_parallel};

/// Whether there is an operating system below.
const HAS_SYSTEM: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));
