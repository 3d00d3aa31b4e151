//! What was found at a point, and its line of the table.

use crate::error::{Error, ErrorKind};
use crate::files::{csv_cell, fingerprint};
use crate::scalar::shortest;

/// A point with what was found there.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Number of the point in the plan.
    pub index: usize,
    /// Values of the varied parameters.
    pub parameters: Vec<f64>,
    /// What was found.
    pub outcome: Outcome,
}

/// What was found at a point.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A motion.
    Done(Values),
    /// No motion, or no gradient.
    Failed(Failure),
}

/// Why a point has no values.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// What sort of failure.
    pub kind: ErrorKind,
    /// The message, on one line.
    pub reason: String,
}

/// Values of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// Number of events.
    pub events: usize,
    /// Objectives in the order of the scene.
    pub objectives: Vec<f64>,
    /// Derivatives of each objective by each varied parameter, objective by objective; empty when not asked for.
    pub gradient: Vec<f64>,
}

/// Names of the columns: number, parameters, status, number of events, objectives, derivatives, reason, checksum.
pub(super) fn header(parameters: &[String], objectives: &[String], gradient: bool) -> Vec<String> {
    let mut header = vec!["index".to_string()];
    header.extend_from_slice(parameters);
    header.extend(["status", "events"].map(str::to_string));
    header.extend_from_slice(objectives);
    if gradient {
        let of = |objective| {
            parameters
                .iter()
                .map(move |parameter| format!("d {objective} / d {parameter}"))
        };
        header.extend(objectives.iter().flat_map(of));
    }
    header.extend(["reason", "checksum"].map(str::to_string));
    header
}

/// Status of a point with values.
const DONE: &str = "ok";

/// Status of a point without values, by kind of failure.
const FAILED: [(ErrorKind, &str); 9] = [
    (ErrorKind::Assembly, "assembly"),
    (ErrorKind::Certificate, "certificate"),
    (ErrorKind::Event, "event"),
    (ErrorKind::File, "file"),
    (ErrorKind::NotFinite, "not finite"),
    (ErrorKind::Request, "request"),
    (ErrorKind::Scene, "scene"),
    (ErrorKind::Singular, "singular"),
    (ErrorKind::StepSize, "step size"),
];

impl Failure {
    /// A failure without line breaks, so that a row of the table is one line.
    pub(super) fn new(error: &Error) -> Self {
        let reason = error.to_string();
        Self {
            kind: error.kind(),
            reason: reason.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}

impl Outcome {
    /// `ok`, or the sort of the failure.
    pub fn status(&self) -> &'static str {
        match self {
            Self::Done(_) => DONE,
            Self::Failed(failure) => {
                let known = FAILED.iter().find(|(kind, _)| *kind == failure.kind);
                known.map_or("failed", |(_, status)| status)
            }
        }
    }
}

impl Row {
    /// The fields of the row in a table with so many values (objectives and derivatives); a failed point has none of them.
    pub fn fields(&self, values: usize) -> Vec<String> {
        let mut fields = vec![self.index.to_string()];
        fields.extend(self.parameters.iter().map(|value| shortest(*value)));
        fields.push(self.outcome.status().to_string());
        match &self.outcome {
            Outcome::Done(found) => {
                fields.push(found.events.to_string());
                let values = found.objectives.iter().chain(&found.gradient);
                fields.extend(values.map(|value| shortest(*value)));
                fields.push(String::new());
            }
            Outcome::Failed(failure) => {
                fields.resize(fields.len() + 1 + values, String::new());
                fields.push(failure.reason.clone());
            }
        }
        fields.push(checksum(&fields));
        fields
    }

    /// The row of which these are the fields, with so many parameters and objectives; none if they are of something else, or
    /// one of them has changed.
    pub(super) fn parse(fields: &[&str], parameters: usize, objectives: usize) -> Option<Self> {
        let (sum, fields) = fields.split_last()?;
        if *sum != checksum(fields) {
            return None;
        }
        let (index, rest) = fields.split_first()?;
        let (point, rest) = rest.split_at_checked(parameters)?;
        let (reason, rest) = rest.split_last()?;
        let [status, events, values @ ..] = rest else {
            return None;
        };
        let outcome = if *status == DONE {
            let values = numbers(values)?;
            let (objectives, gradient) = values.split_at_checked(objectives)?;
            Outcome::Done(Values {
                events: events.parse().ok()?,
                objectives: objectives.to_vec(),
                gradient: gradient.to_vec(),
            })
        } else {
            let (kind, _) = FAILED.iter().find(|(_, word)| word == status)?;
            Outcome::Failed(Failure {
                kind: *kind,
                reason: reason.to_string(),
            })
        };
        Some(Self {
            index: index.parse().ok()?,
            parameters: numbers(point)?,
            outcome,
        })
    }
}

/// What tells the fields of a row, as they are in a table, from others.
fn checksum(fields: &[impl AsRef<str>]) -> String {
    let cells = fields.iter().map(|field| csv_cell(field.as_ref()));
    fingerprint(cells.flat_map(|cell| cell.into_bytes().into_iter().chain([0])))
}

fn numbers(fields: &[&str]) -> Option<Vec<f64>> {
    fields.iter().map(|field| field.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Failure, Outcome, Row, Values, checksum, header};
    use crate::error::ErrorKind;

    #[test]
    fn a_row_comes_back_from_its_fields_exactly() {
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let columns = header(&names(&["a", "b"]), &names(&["x"]), true).len();
        let done = Values {
            events: 3,
            objectives: vec![1.0 / 3.0],
            gradient: vec![-1e-300, 5e300],
        };
        let broken = Failure {
            kind: ErrorKind::StepSize,
            reason: "it, \"broke\"".to_string(),
        };
        for outcome in [Outcome::Done(done), Outcome::Failed(broken)] {
            let row = Row {
                index: 7,
                parameters: vec![0.1, -2.0],
                outcome,
            };
            let fields = row.fields(3);
            assert_eq!(fields.len(), columns);
            let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
            assert_eq!(Row::parse(&fields, 2, 1), Some(row));
        }
    }

    #[test]
    fn what_is_no_row_is_not_read_as_one() {
        for fields in [
            &["1", "2", "ok", "x", "3", ""][..],
            &["1", "2", "fine", "0", "3", ""],
            &["1"],
            &[],
        ] {
            let sum = checksum(fields);
            let summed = [fields, &[&sum]].concat();
            assert_eq!(Row::parse(&summed, 1, 1), None, "{fields:?}");
            assert_eq!(Row::parse(fields, 1, 1), None, "{fields:?}");
        }
    }

    #[test]
    fn a_row_with_a_changed_digit_is_not_read() {
        let fields = ["1", "2", "ok", "0", "3.25", ""];
        let sum = checksum(&fields);
        let row = |value: &str| Row::parse(&["1", "2", "ok", "0", value, "", &sum], 1, 1);
        assert!(row("3.25").is_some());
        assert_eq!(row("3.26"), None);
    }
}
