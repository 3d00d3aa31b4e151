//! A recorded motion as plain data.

use crate::error::{Error, ErrorKind, Result};

/// Outputs and energy over time, with the events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Name of the scene.
    pub scene: String,
    /// Outputs in the order of the scene.
    pub outputs: Vec<Series>,
    /// Times in seconds; an event's time appears twice, before and after its jump.
    pub times: Vec<f64>,
    /// Index into `times` at which each phase (smooth piece of motion) begins.
    pub phases: Vec<usize>,
    /// Events in order.
    pub events: Vec<EventMark>,
    /// Energy.
    pub energy: Energy,
}

/// One output over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name of the output.
    pub name: String,
    /// Its expression.
    pub expression: String,
    /// One value per time.
    pub values: Vec<f64>,
}

/// An event on the time axis.
#[derive(Clone, Debug, PartialEq)]
pub struct EventMark {
    /// Time in seconds.
    pub t: f64,
    /// Contact, force or scene event.
    pub name: String,
    /// What happened.
    pub kind: String,
}

/// Energy over time, one value per time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: Vec<f64>,
    /// Potential energy of weight and springs.
    pub potential: Vec<f64>,
}

impl Recording {
    /// The ranges of samples of the phases, in order.
    pub fn phase_ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let ends = self
            .phases
            .iter()
            .skip(1)
            .copied()
            .chain(std::iter::once(self.times.len()));
        self.phases.iter().copied().zip(ends).map(|(start, end)| start..end)
    }

    /// Rejects lists that do not fit together, and values that are not finite, which can neither be plotted nor trusted.
    ///
    /// # Errors
    /// Kind `Request` naming the output with a length other than that of the times, or when phases do not begin in
    /// order within the times; kind `NotFinite` naming the output and the time.
    pub(super) fn check(&self) -> Result<()> {
        let begins = self.phases.iter().copied().chain(std::iter::once(self.times.len()));
        if self.phases.first().is_some_and(|first| *first != 0) || !begins.is_sorted() {
            let message = "the phases of the recording do not begin in order within its times";
            return Err(Error::new(ErrorKind::Request, message));
        }
        let energy = [
            ("kinetic energy", &self.energy.kinetic),
            ("potential energy", &self.energy.potential),
        ];
        let outputs = self.outputs.iter().map(|series| (series.name.as_str(), &series.values));
        for (name, values) in std::iter::once(("time", &self.times)).chain(outputs).chain(energy) {
            let (count, times) = (values.len(), self.times.len());
            if count != times {
                let message = format!("\"{name}\" has {count} values at {times} times");
                return Err(Error::new(ErrorKind::Request, message).named(name));
            }
            if let Some(k) = values.iter().position(|value| !value.is_finite()) {
                return Err(Error::new(ErrorKind::NotFinite, format!("\"{name}\" is {}", values[k]))
                    .named(name)
                    .with_value(values[k])
                    .at_time(self.times.get(k).copied().unwrap_or(f64::NAN))
                    .advise("look for a division by zero or a root of a negative number in its expression"));
            }
        }
        Ok(())
    }
}
