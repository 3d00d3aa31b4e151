//! What is said of events that follow each other so closely that they would never end.

use super::{Happening, HybridSystem};
use crate::error::{Error, ErrorKind};

/// The latest event.
#[derive(Default)]
pub(super) struct Latest {
    /// Name of its element.
    pub name: Option<String>,
    /// Guards that fired.
    guards: Vec<usize>,
}

impl Latest {
    /// Of what happened, or of the element of the first guard: some jumps report nothing.
    pub fn new<H: HybridSystem>(system: &H, happenings: &[Happening], fired: &[usize]) -> Self {
        let reported = happenings.first().map(|happening| happening.name.as_str());
        let owner = || fired.iter().find_map(|&guard| system.owner(guard));
        Self {
            name: reported.or_else(owner).map(str::to_string),
            guards: fired.to_vec(),
        }
    }
}

/// The error for an event that is one too many: at the instant of the latest one, or after instants that are hardly apart.
#[cold]
pub(super) fn endless<H: HybridSystem>(
    system: &H,
    [latest, event]: [&Latest; 2],
    t: f64,
    at_one_instant: bool,
) -> Error {
    let name = event.name.as_deref().unwrap_or("an event");
    let other = latest.name.as_deref().filter(|latest| *latest != name);
    let message = match other {
        _ if !at_one_instant => format!("\"{name}\" accumulates: infinitely many events in a finite time"),
        Some(other) => format!("\"{other}\" and \"{name}\" switch each other back and forth without time passing"),
        None => format!("\"{name}\" fires again and again without time passing"),
    };
    let advice = match at_one_instant {
        false => "end before this time, or change to a mode of lasting contact when the events become small",
        true => {
            "each leads the motion back to where the other happens: leave a gap between their conditions (hysteresis), such as \
             Rising(\"u - 1e-3\") and Falling(\"u + 1e-3\")"
        }
    };
    let guards = [latest.guards.as_slice(), &event.guards].concat();
    let advice = (system.advise_endless(&guards)).unwrap_or_else(|| advice.to_string());
    Error::new(ErrorKind::Event, message)
        .named(name)
        .at_time(t)
        .advise(advice)
}
