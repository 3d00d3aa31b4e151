//! CSV tables; numbers in the shortest form that reads back exactly.

use crate::error::Result;
use crate::files::csv;
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
    /// A table with these columns.
    pub fn new<N: Into<String>>(
        name: &str,
        header: impl IntoIterator<Item = N>,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        Self {
            name: name.to_string(),
            header: header.into_iter().map(Into::into).collect(),
            rows: rows.into_iter().collect(),
        }
    }

    /// A row for each item: names of the columns, and what an item has there.
    pub fn of<T: Copy>(
        name: &str,
        items: impl IntoIterator<Item = T>,
        columns: &[(&str, &dyn Fn(T) -> String)],
    ) -> Self {
        let row = |item: T| columns.iter().map(|(_, cell)| cell(item)).collect();
        Self::new(name, columns.iter().map(|(name, _)| *name), items.into_iter().map(row))
    }

    /// Adds columns, with the cells of each row.
    #[must_use]
    pub fn with(
        mut self,
        columns: impl IntoIterator<Item = String>,
        cells: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        self.header.extend(columns);
        self.rows
            .iter_mut()
            .zip(cells)
            .for_each(|(row, cells)| row.extend(cells));
        self
    }

    /// The table as CSV.
    ///
    /// # Errors
    /// Kind `File` when a row is not as long as the header.
    pub fn to_csv(&self) -> Result<Vec<u8>> {
        csv(std::iter::once(&self.header).chain(&self.rows))
    }
}

/// The cell of a value that may be missing.
pub fn cell(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// `outputs.csv`, `events.csv` and `energy.csv` of a recording, and `energy_balance.csv` where an account was kept.
pub(super) fn of_recording(recording: &Recording) -> Vec<Table> {
    let mut tables = vec![
        over_time("outputs", recording, &[], &[]),
        event_times("events", recording, &[], &[]),
        energy(recording),
    ];
    tables.extend((!recording.energy.given().is_empty()).then(|| balance(recording)));
    tables
}

/// `sensitivities.csv` and `event_times.csv`; with side and parameter in their names where each side has its own.
pub(super) fn of_sensitivities(found: &Sensitivities) -> [Table; 2] {
    let (recording, parameters) = (&found.recording, &found.parameters);
    let side = found.side.map(|side| format!("-{side}-{}", parameters.join("-")));
    let name = |stem: &str| format!("{stem}{}", side.as_deref().unwrap_or_default());
    [
        over_time(&name("sensitivities"), recording, parameters, &found.slopes),
        event_times(&name("event_times"), recording, parameters, &found.event_slopes),
    ]
}

/// Time, kinetic, potential and total energy.
fn energy(recording: &Recording) -> Table {
    let energy = recording.energy.kinetic.iter().zip(&recording.energy.potential);
    let rows = recording.times.iter().zip(energy).map(|(t, (kinetic, potential))| {
        let numbers = [*t, *kinetic, *potential, kinetic + potential];
        numbers.iter().map(f64::to_string).collect()
    });
    Table::new("energy", ["t", "kinetic", "potential", "total"], rows)
}

/// Time, the energy stored since the start, what each element and the events of each name have given, and what is missing.
fn balance(recording: &Recording) -> Table {
    let (stored, given) = (recording.energy.stored(), recording.energy.given());
    let mut header = vec!["t".to_string(), "stored".to_string()];
    header.extend(given.iter().map(|(name, _)| name.clone()));
    header.push("missing".to_string());
    let row = |(k, t): (usize, &f64)| {
        let given: Vec<f64> = given.iter().map(|(_, values)| values[k]).collect();
        let missing = stored[k] - given.iter().sum::<f64>();
        let numbers = [*t, stored[k]].into_iter().chain(given).chain([missing]);
        numbers.map(|number| number.to_string()).collect()
    };
    Table::new("energy_balance", header, recording.times.iter().enumerate().map(row))
}

/// Time, phase number from 1, then each output with its derivatives by parameters, if there are any.
fn over_time(name: &str, recording: &Recording, parameters: &[String], slopes: &[Vec<Vec<f64>>]) -> Table {
    let mut header = vec!["t".to_string(), "phase".to_string()];
    for series in &recording.outputs {
        header.push(series.name.clone());
        header.extend(parameters.iter().map(|p| format!("d({})/d({p})", series.name)));
    }
    let row = |phase: usize, k: usize| {
        let mut row = vec![recording.times[k].to_string(), (phase + 1).to_string()];
        for (index, series) in recording.outputs.iter().enumerate() {
            row.push(series.values[k].to_string());
            let slopes = slopes.get(index).into_iter().flatten();
            row.extend(slopes.map(|slopes| slopes[k].to_string()));
        }
        row
    };
    let ranges = recording.phase_ranges().enumerate();
    let rows = ranges.flat_map(|(phase, range)| range.map(move |k| (phase, k)));
    Table::new(name, header, rows.map(|(phase, k)| row(phase, k)))
}

/// Time, name and kind of each event, with the outcomes of impacts and the derivatives of its time by parameters, if there are any.
fn event_times(name: &str, recording: &Recording, parameters: &[String], slopes: &[Vec<f64>]) -> Table {
    let mut header = ["t", "name", "kind"].map(str::to_string).to_vec();
    let with_outcomes = recording.events.iter().any(|event| event.outcome.is_some());
    header.extend(with_outcomes.then(|| "outcome".to_string()));
    header.extend(parameters.iter().map(|p| format!("dt/d({p})")));
    let row = |(k, event): (usize, &EventMark)| {
        let mut row = vec![event.t.to_string(), event.name.clone(), event.kind.clone()];
        row.extend(with_outcomes.then(|| event.outcome.unwrap_or_default().to_string()));
        row.extend(slopes.get(k).into_iter().flatten().map(f64::to_string));
        row
    };
    Table::new(name, header, recording.events.iter().enumerate().map(row))
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

    #[test]
    fn outputs_read_back_exactly_with_their_phase() {
        let outputs = super::of_recording(&recording()).remove(0);
        let bytes = outputs.to_csv().unwrap();
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
        let events = super::of_recording(&recording()).remove(1);
        let bytes = events.to_csv().unwrap();
        let rows: Vec<(f64, String, String)> = csv::Reader::from_reader(&bytes[..])
            .deserialize()
            .map(Result::unwrap)
            .collect();
        assert_eq!(rows, vec![(0.5, "the \"ground\"".to_string(), "impact".to_string())]);
    }

    #[test]
    fn total_energy_is_the_sum() {
        let bytes = super::energy(&recording()).to_csv().unwrap();
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
    fn a_jump_of_the_derivatives_has_a_row_on_either_side() {
        let [table, _] = super::of_sensitivities(&sensitivities());
        assert_eq!(table.header, ["t", "phase", "y", "d(y)/d(a)", "d(y)/d(b)"]);
        assert_eq!(table.rows[1], ["0.5", "1", "2", "0.2", "-2"]);
        assert_eq!(table.rows[2], ["0.5", "2", "3", "0.3", "-4"]);
    }

    #[test]
    fn derivatives_of_event_times_read_back_exactly() {
        let [_, table] = super::of_sensitivities(&sensitivities());
        assert_eq!(table.header[3..], ["dt/d(a)", "dt/d(b)"]);
        assert_eq!(table.rows[0][4].parse(), Ok(1.0 / 3.0));
    }
}
