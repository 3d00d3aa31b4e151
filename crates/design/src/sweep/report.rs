//! All rows of a sweep, and what the `sweep` command writes of them with `--json`.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::row::{Failure, Outcome, Row, Values};
use super::task::Sweep;
use crate::run::ByName;

/// A sweep with its rows.
#[derive(Debug)]
pub struct SweepReport<'a> {
    /// What was computed.
    pub sweep: Sweep<'a>,
    /// In the order of the points.
    pub rows: Vec<Row>,
    /// Rows that were on disk before.
    pub kept: usize,
    /// Wall time in seconds.
    pub seconds: f64,
}

impl SweepReport<'_> {
    /// The points with values, in order.
    pub fn done(&self) -> impl Iterator<Item = (&Row, &Values)> {
        self.rows.iter().filter_map(|row| match &row.outcome {
            Outcome::Done(values) => Some((row, values)),
            Outcome::Failed(_) => None,
        })
    }

    /// The first point of each sort without a value, and the number of such points, in the order of the first ones.
    pub fn failures(&self) -> Vec<(&Row, &Failure, usize)> {
        let mut sorts: Vec<(&Row, &Failure, usize)> = Vec::new();
        for row in &self.rows {
            let Outcome::Failed(failure) = &row.outcome else {
                continue;
            };
            match sorts.iter_mut().find(|(_, known, _)| known.kind == failure.kind) {
                Some((_, _, count)) => *count += 1,
                None => sorts.push((row, failure, 1)),
            }
        }
        sorts
    }

    fn entry(&self, row: &Row) -> Value {
        let (parameters, objectives) = (self.sweep.parameters(), self.sweep.objectives());
        let mut entry = json!({
            "index": row.index,
            "parameters": ByName(&parameters, &row.parameters),
            "status": row.outcome.status(),
        });
        match &row.outcome {
            Outcome::Failed(failure) => entry["reason"] = json!(failure.reason),
            Outcome::Done(values) => {
                entry["events"] = json!(values.events);
                entry["objectives"] = json!(ByName(&objectives, &values.objectives));
                if self.sweep.gradient {
                    let rows = values.gradient.chunks(parameters.len());
                    let rows: Vec<_> = rows.map(|row| ByName(&parameters, row)).collect();
                    entry["gradient"] = json!(ByName(&objectives, &rows));
                }
            }
        }
        entry
    }
}

impl Serialize for SweepReport<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let failures = self.failures().into_iter().map(|(first, failure, count)| {
            let status = first.outcome.status();
            json!({"count": count, "status": status, "reason": failure.reason, "index": first.index})
        });
        let simulated = self.rows.len() - self.kept;
        let object = json!({
            "scene": self.sweep.experiment.name,
            "parameters": self.sweep.parameters(),
            "objectives": self.sweep.objectives(),
            "points": self.sweep.plan.count(),
            "rows": self.rows.iter().map(|row| self.entry(row)).collect::<Vec<_>>(),
            "failures": failures.collect::<Vec<_>>(),
            "statistics": {"kept": self.kept, "simulated": simulated, "seconds": self.seconds},
        });
        object.serialize(serializer)
    }
}
