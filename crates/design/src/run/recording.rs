//! A recorded motion, and the derivatives of its outputs, as plain data.

use std::fmt;

use serde::Serialize;

use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::Happening;
pub use crate::model::FrictionState;

/// A side of the value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Towards {
    /// Towards smaller values.
    Below,
    /// Towards greater values.
    Above,
}

/// As in the JSON.
impl fmt::Display for Towards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

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
    /// What the contacts and joints with dry friction do.
    pub frictions: Vec<FrictionCourse>,
}

/// What a contact or joint with dry friction does over time.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionCourse {
    /// Its name.
    pub name: String,
    /// One state per phase.
    pub states: Vec<FrictionState>,
}

/// One output over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name of the output.
    pub name: String,
    /// Its expression.
    pub expression: String,
    /// Its unit; empty where it has none, or where it does not follow from the expression.
    pub unit: String,
    /// One value per time.
    pub values: Vec<f64>,
    /// How far a value may be off by the tolerance of a few steps.
    pub noise: f64,
}

/// An event of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventMark {
    /// Time in seconds.
    pub t: f64,
    /// Contact, force or scene event.
    pub name: String,
    /// What happened.
    pub kind: String,
    /// Whether it happens as one with the event before it, or follows at once on that: it has no time of its own.
    #[serde(skip)]
    pub at_once: bool,
    /// Which of several of one name and kind it is, such as the kinks of one force.
    #[serde(skip)]
    pub part: usize,
    /// How an impact with friction ended: in `stick`, `slip` or `reverse`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'static str>,
}

/// Energy over time, one value per time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: Vec<f64>,
    /// Potential energy of weight and springs.
    pub potential: Vec<f64>,
    /// What each force beyond what it stores and each driver have given since the start, positive into the mechanism; empty where no
    /// account was kept.
    pub work: Vec<(String, Vec<f64>)>,
    /// What the events of each name have given.
    pub events: Vec<(String, Vec<f64>)>,
    /// How far the total energy may be off by the tolerance of a few steps.
    pub noise: f64,
}

impl Series {
    /// Name and unit, for an axis.
    pub fn label(&self) -> String {
        labelled(&self.name, &self.unit)
    }
}

/// A name with its unit, for an axis.
pub fn labelled(name: &str, unit: &str) -> String {
    match unit {
        "" => name.to_string(),
        unit => format!("{name} ({unit})"),
    }
}

impl EventMark {
    /// Something that happened at a time.
    pub(super) fn new(t: f64, happening: &Happening, at_once: bool) -> Self {
        Self {
            t,
            name: happening.name.clone(),
            kind: happening.kind.clone(),
            at_once,
            part: happening.part,
            outcome: happening.outcome,
        }
    }
}

impl Recording {
    /// The ranges of samples of the phases, in order.
    pub fn phase_ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let starts = self.phases.iter().copied();
        let ends = starts.clone().skip(1).chain([self.times.len()]);
        starts.zip(ends).map(|(start, end)| start..end)
    }

    /// Rejects lists that do not fit together, and values that are not finite, which can neither be plotted nor trusted.
    ///
    /// # Errors
    /// Kind `Request` naming the output with a length other than that of the times, or when phases do not begin in
    /// order within the times; kind `NotFinite` naming the output and the time.
    pub fn check(&self) -> Result<()> {
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
        let given = self.energy.work.iter().chain(&self.energy.events);
        let given = given.map(|(name, values)| (name.as_str(), values));
        let all = std::iter::once(("time", &self.times)).chain(outputs);
        for (name, values) in all.chain(energy).chain(given) {
            let (count, times) = (values.len(), self.times.len());
            if count != times {
                let message = format!("\"{name}\" has {count} values at {times} times");
                return Err(Error::new(ErrorKind::Request, message).named(name));
            }
            let advice = "look for a division by zero or a root of a negative number in its expression";
            check_finite(&format!("\"{name}\""), name, values, &self.times).map_err(|error| error.advise(advice))?;
        }
        Ok(())
    }
}

/// A recording with the derivatives of its outputs and event times with respect to parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sensitivities {
    /// The outputs over time.
    pub recording: Recording,
    /// The side of the value of its one parameter, where each side has derivatives of its own.
    pub side: Option<Towards>,
    /// Names of the parameters.
    pub parameters: Vec<String>,
    /// The size of each parameter by which effects are compared, in its unit.
    pub sizes: Vec<f64>,
    /// Derivatives at fixed times, in units of the output per unit of the parameter: by output, parameter and time.
    pub slopes: Vec<Vec<Vec<f64>>>,
    /// Derivatives of the event times, in seconds per unit of the parameter: by event and parameter.
    pub event_slopes: Vec<Vec<f64>>,
}

impl Sensitivities {
    /// Rejects lists that do not fit together, and values that are not finite.
    ///
    /// # Errors
    /// As for a recording; kind `Request` for lists of derivatives of other lengths, kind `NotFinite` naming the output.
    pub fn check(&self) -> Result<()> {
        self.recording.check()?;
        let (parameters, times) = (self.parameters.len(), self.recording.times.len());
        let fits = self.slopes.len() == self.recording.outputs.len()
            && self.sizes.len() == parameters
            && self.event_slopes.len() == self.recording.events.len()
            && self.event_slopes.iter().all(|slopes| slopes.len() == parameters)
            && self.slopes.iter().all(|of_output| of_output.len() == parameters)
            && self.slopes.iter().flatten().all(|slopes| slopes.len() == times);
        if !fits {
            let message = "the derivatives of the recording do not fit its outputs, parameters and times";
            return Err(Error::new(ErrorKind::Request, message));
        }
        for (series, of_output) in self.recording.outputs.iter().zip(&self.slopes) {
            for (parameter, slopes) in self.parameters.iter().zip(of_output) {
                let what = format!("the derivative of \"{}\" by `{parameter}`", series.name);
                let advice = "look for a place of its expression without a derivative, such as a root at zero, or an \
                    acceleration at a start in a singular position";
                check_finite(&what, &series.name, slopes, &self.recording.times)
                    .map_err(|error| error.advise(advice))?;
            }
        }
        Ok(())
    }
}

/// Rejects a list with a value that is not finite, which can neither be plotted nor trusted.
fn check_finite(what: &str, name: &str, values: &[f64], times: &[f64]) -> Result<()> {
    match values.iter().zip(times).find(|(value, _)| !value.is_finite()) {
        None => Ok(()),
        Some((value, t)) => Err(Error::new(ErrorKind::NotFinite, format!("{what} is {value}"))
            .named(name)
            .with_value(*value)
            .at_time(*t)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Energy, EventMark, Recording, Sensitivities, Series};
    use crate::error::ErrorKind;

    fn recording() -> Recording {
        Recording {
            scene: "test".to_string(),
            outputs: vec![Series {
                name: "y, m".to_string(),
                expression: String::new(),
                values: vec![0.1, -1e-300, 1.0 / 3.0, 2e9],
                ..Series::default()
            }],
            times: vec![0.0, 0.5, 0.5, 1.0],
            phases: vec![0, 2],
            events: vec![EventMark {
                t: 0.5,
                name: "the \"ground\"".to_string(),
                kind: "impact".to_string(),
                at_once: false,
                part: 0,
                outcome: None,
            }],
            energy: Energy {
                kinetic: vec![1.0; 4],
                potential: vec![-3.5; 4],
                ..Energy::default()
            },
            ..Recording::default()
        }
    }

    fn sensitivities() -> Sensitivities {
        Sensitivities {
            recording: Recording {
                outputs: vec![Series {
                    name: "y".to_string(),
                    expression: String::new(),
                    values: vec![1.0, 2.0, 3.0],
                    ..Series::default()
                }],
                times: vec![0.0, 0.5, 0.5],
                phases: vec![0, 2],
                events: vec![EventMark {
                    t: 0.5,
                    name: "floor".to_string(),
                    kind: "impact".to_string(),
                    at_once: false,
                    part: 0,
                    outcome: None,
                }],
                energy: Energy {
                    kinetic: vec![0.0; 3],
                    potential: vec![0.0; 3],
                    ..Energy::default()
                },
                ..Recording::default()
            },
            side: None,
            parameters: vec!["a".to_string(), "b".to_string()],
            sizes: vec![1.0, 1.0],
            slopes: vec![vec![vec![0.1, 0.2, 0.3], vec![-1.0, -2.0, -4.0]]],
            event_slopes: vec![vec![7.0, 1.0 / 3.0]],
        }
    }

    #[test]
    fn a_value_that_is_not_finite_is_named() {
        let mut broken = recording();
        broken.outputs[0].values[2] = f64::NAN;
        let error = broken.check().unwrap_err();
        assert_eq!((error.name(), error.time()), (Some("y, m"), Some(0.5)));
    }

    #[test]
    fn lists_that_do_not_fit_together_are_an_error() {
        assert!(recording().check().is_ok());
        let mut short = recording();
        short.outputs[0].values.pop();
        assert_eq!(short.check().unwrap_err().name(), Some("y, m"));
        for phases in [vec![1, 2], vec![0, 3, 2], vec![0, 5]] {
            let broken = Recording { phases, ..recording() };
            assert_eq!(broken.check().unwrap_err().kind(), ErrorKind::Request);
        }
    }

    #[test]
    fn derivatives_that_do_not_fit_or_are_not_finite_are_an_error() {
        assert!(sensitivities().check().is_ok());
        let mut short = sensitivities();
        short.slopes[0][1].pop();
        assert_eq!(short.check().unwrap_err().kind(), ErrorKind::Request);
        let mut broken = sensitivities();
        broken.slopes[0][1][2] = f64::NAN;
        let error = broken.check().unwrap_err();
        assert_eq!((error.name(), error.time()), (Some("y"), Some(0.5)));
    }
}
