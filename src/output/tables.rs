//! CSV tables; numbers in the shortest form that reads back exactly.

use crate::error::{Error, ErrorKind, Result};
use crate::run::{EventMark, Recording, Sensitivities};

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
    let row = |event: &EventMark| vec![event.t.to_string(), event.name.clone(), event.kind.clone()];
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

/// `sensitivities.csv`: time, phase number from 1, then each output with its derivatives.
pub(super) fn over_time(found: &Sensitivities) -> Table {
    let mut header = vec!["t".to_string(), "phase".to_string()];
    for series in &found.recording.outputs {
        header.push(series.name.clone());
        header.extend(found.parameters.iter().map(|p| format!("d({})/d({p})", series.name)));
    }
    let row = |phase: usize, k: usize| {
        let mut row = vec![found.recording.times[k].to_string(), phase.to_string()];
        for (series, of_output) in found.recording.outputs.iter().zip(&found.slopes) {
            row.push(series.values[k].to_string());
            row.extend(of_output.iter().map(|slopes| slopes[k].to_string()));
        }
        row
    };
    let ranges = found.recording.phase_ranges().enumerate();
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
pub(super) fn event_times(found: &Sensitivities) -> Table {
    let mut header = ["t", "name", "kind"].map(str::to_string).to_vec();
    header.extend(found.parameters.iter().map(|p| format!("dt/d({p})")));
    let events = found.recording.events.iter().zip(&found.event_slopes);
    let row = |(event, slopes): (&EventMark, &Vec<f64>)| {
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

#[cfg(test)]
mod tests {
    use crate::run::{Energy, EventMark, Recording, Sensitivities, Series};

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
        let table = super::over_time(&sensitivities());
        assert_eq!(table.header, ["t", "phase", "y", "d(y)/d(a)", "d(y)/d(b)"]);
        assert_eq!(table.rows[1], ["0.5", "1", "2", "0.2", "-2"]);
        assert_eq!(table.rows[2], ["0.5", "2", "3", "0.3", "-4"]);
    }

    #[test]
    fn derivatives_of_event_times_read_back_exactly() {
        let table = super::event_times(&sensitivities());
        assert_eq!(table.header[3..], ["dt/d(a)", "dt/d(b)"]);
        assert_eq!(table.rows[0][4].parse(), Ok(1.0 / 3.0));
    }
}
