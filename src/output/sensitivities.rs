//! Outputs with their derivatives over time as plain data.

use super::Table;
use super::recording::Recording;
use crate::error::{Error, ErrorKind, Result};

/// A recording with the derivatives of its outputs and event times with respect to parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sensitivities {
    /// The outputs over time.
    pub recording: Recording,
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
    pub(super) fn check(&self) -> Result<()> {
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
                if let Some(k) = slopes.iter().position(|slope| !slope.is_finite()) {
                    let message = format!(
                        "the derivative of \"{}\" by `{parameter}` is {}",
                        series.name, slopes[k]
                    );
                    return Err(Error::new(ErrorKind::NotFinite, message)
                        .named(series.name.clone())
                        .with_value(slopes[k])
                        .at_time(self.recording.times[k])
                        .advise("look for a place of its expression without a derivative, such as a root at zero"));
                }
            }
        }
        Ok(())
    }

    /// `sensitivities.csv`: time, phase number from 1, then each output with its derivatives.
    pub(super) fn over_time(&self) -> Table {
        let mut header = vec!["t".to_string(), "phase".to_string()];
        for series in &self.recording.outputs {
            header.push(series.name.clone());
            header.extend(self.parameters.iter().map(|p| format!("d({})/d({p})", series.name)));
        }
        let row = |phase: usize, k: usize| {
            let mut row = vec![self.recording.times[k].to_string(), phase.to_string()];
            for (series, of_output) in self.recording.outputs.iter().zip(&self.slopes) {
                row.push(series.values[k].to_string());
                row.extend(of_output.iter().map(|slopes| slopes[k].to_string()));
            }
            row
        };
        let ranges = self.recording.phase_ranges().enumerate();
        Table {
            name: "sensitivities".to_string(),
            header,
            rows: ranges
                .flat_map(|(phase, range)| range.map(move |k| (phase + 1, k)))
                .map(|(phase, k)| row(phase, k))
                .collect(),
        }
    }

    /// `event_times.csv`: each event with the derivatives of its time.
    pub(super) fn event_times(&self) -> Table {
        let mut header = ["t", "name", "kind"].map(str::to_string).to_vec();
        header.extend(self.parameters.iter().map(|p| format!("dt/d({p})")));
        let events = self.recording.events.iter().zip(&self.event_slopes);
        let row = |(event, slopes): (&super::EventMark, &Vec<f64>)| {
            let mut row = vec![event.t.to_string(), event.name.clone(), event.kind.clone()];
            row.extend(slopes.iter().map(f64::to_string));
            row
        };
        Table {
            name: "event_times".to_string(),
            header,
            rows: events.map(row).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Energy, EventMark, Recording, Series};
    use super::Sensitivities;
    use crate::error::ErrorKind;

    fn sensitivities() -> Sensitivities {
        Sensitivities {
            recording: Recording {
                outputs: vec![Series {
                    name: "y".to_string(),
                    expression: String::new(),
                    values: vec![1.0, 2.0, 3.0],
                }],
                times: vec![0.0, 0.5, 0.5],
                phases: vec![0, 2],
                events: vec![EventMark {
                    t: 0.5,
                    name: "floor".to_string(),
                    kind: "impact".to_string(),
                }],
                energy: Energy {
                    kinetic: vec![0.0; 3],
                    potential: vec![0.0; 3],
                },
                ..Recording::default()
            },
            parameters: vec!["a".to_string(), "b".to_string()],
            sizes: vec![1.0, 1.0],
            slopes: vec![vec![vec![0.1, 0.2, 0.3], vec![-1.0, -2.0, -4.0]]],
            event_slopes: vec![vec![7.0, 1.0 / 3.0]],
        }
    }

    #[test]
    fn a_jump_of_the_derivatives_has_a_row_on_either_side() {
        let table = sensitivities().over_time();
        assert_eq!(table.header, ["t", "phase", "y", "d(y)/d(a)", "d(y)/d(b)"]);
        assert_eq!(table.rows[1], ["0.5", "1", "2", "0.2", "-2"]);
        assert_eq!(table.rows[2], ["0.5", "2", "3", "0.3", "-4"]);
    }

    #[test]
    fn derivatives_of_event_times_read_back_exactly() {
        let table = sensitivities().event_times();
        assert_eq!(table.header[3..], ["dt/d(a)", "dt/d(b)"]);
        assert_eq!(table.rows[0][4].parse(), Ok(1.0 / 3.0));
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
