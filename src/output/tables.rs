//! CSV tables; numbers in the shortest form that reads back exactly.

use super::recording::Recording;
use crate::error::{Error, ErrorKind, Result};

/// A table of texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// File stem.
    pub name: String,
    /// Names of the columns.
    pub header: Vec<String>,
    /// Rows, as long as the header.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The table as CSV.
    ///
    /// # Errors
    /// Kind `File` when a row is not as long as the header.
    pub fn to_csv(&self) -> Result<Vec<u8>> {
        let header: Vec<&str> = self.header.iter().map(String::as_str).collect();
        table(&header, self.rows.iter().cloned())
    }
}

fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |error: csv::Error| Error::new(ErrorKind::File, format!("a table cannot be written: {error}"));
    writer.write_record(header).map_err(failed)?;
    for row in rows {
        writer.write_record(&row).map_err(failed)?;
    }
    writer
        .into_inner()
        .map_err(|error| Error::new(ErrorKind::File, format!("a table cannot be written: {error}")))
}

/// `outputs.csv`: time, phase number from 1, one column per output.
pub(super) fn outputs(recording: &Recording) -> Result<Vec<u8>> {
    let mut header = vec!["t", "phase"];
    header.extend(recording.outputs.iter().map(|series| series.name.as_str()));
    let rows = recording.phase_ranges().enumerate().flat_map(|(phase, range)| {
        range.map(move |k| {
            let values = recording.outputs.iter().map(|series| series.values[k].to_string());
            [recording.times[k].to_string(), (phase + 1).to_string()]
                .into_iter()
                .chain(values)
                .collect()
        })
    });
    table(&header, rows)
}

/// `events.csv`: time, name, kind.
pub(super) fn events(recording: &Recording) -> Result<Vec<u8>> {
    let row = |event: &super::EventMark| vec![event.t.to_string(), event.name.clone(), event.kind.clone()];
    table(&["t", "name", "kind"], recording.events.iter().map(row))
}

/// `energy.csv`: time, kinetic, potential and total energy.
pub(super) fn energy(recording: &Recording) -> Result<Vec<u8>> {
    let energy = recording
        .times
        .iter()
        .zip(recording.energy.kinetic.iter().zip(&recording.energy.potential));
    let rows = energy.map(|(t, (kinetic, potential))| {
        [*t, *kinetic, *potential, kinetic + potential]
            .iter()
            .map(f64::to_string)
            .collect()
    });
    table(&["t", "kinetic", "potential", "total"], rows)
}

#[cfg(test)]
mod tests {
    use super::super::{Energy, EventMark, Recording, Series};

    fn recording() -> Recording {
        Recording {
            scene: "test".to_string(),
            outputs: vec![Series {
                name: "y, m".to_string(),
                expression: String::new(),
                values: vec![0.1, -1e-300, 1.0 / 3.0, 2e9],
            }],
            times: vec![0.0, 0.5, 0.5, 1.0],
            phases: vec![0, 2],
            events: vec![EventMark {
                t: 0.5,
                name: "the \"ground\"".to_string(),
                kind: "impact".to_string(),
            }],
            energy: Energy {
                kinetic: vec![1.0; 4],
                potential: vec![-3.5; 4],
            },
        }
    }

    #[test]
    fn outputs_read_back_exactly_with_their_phase() {
        let bytes = super::outputs(&recording()).unwrap();
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        assert_eq!(reader.headers().unwrap(), vec!["t", "phase", "y, m"]);
        let rows: Vec<(f64, u32, f64)> = reader.deserialize().map(Result::unwrap).collect();
        assert_eq!(
            rows,
            vec![(0.0, 1, 0.1), (0.5, 1, -1e-300), (0.5, 2, 1.0 / 3.0), (1.0, 2, 2e9)]
        );
    }

    #[test]
    fn events_keep_names_with_quotes() {
        let bytes = super::events(&recording()).unwrap();
        let rows: Vec<(f64, String, String)> = csv::Reader::from_reader(&bytes[..])
            .deserialize()
            .map(Result::unwrap)
            .collect();
        assert_eq!(rows, vec![(0.5, "the \"ground\"".to_string(), "impact".to_string())]);
    }

    #[test]
    fn total_energy_is_the_sum() {
        let bytes = super::energy(&recording()).unwrap();
        let rows: Vec<[f64; 4]> = csv::Reader::from_reader(&bytes[..])
            .deserialize()
            .map(Result::unwrap)
            .collect();
        assert_eq!(rows[3], [1.0, 1.0, -3.5, -2.5]);
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
            assert_eq!(broken.check().unwrap_err().kind(), crate::error::ErrorKind::Request);
        }
    }
}
