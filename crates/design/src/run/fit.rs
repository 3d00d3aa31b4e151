//! Measured data beside what the motion gives, as a report has them.

use serde::{Serialize, Serializer};
use serde_json::json;

use crate::model::MeasuredAt;

/// The measured data of an objective with the motion's values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FitData {
    /// Name of the objective.
    pub objective: String,
    /// Path of the data file as written.
    pub file: String,
    /// Whether the weights are 1/sigma^2 with known standard deviations sigma.
    #[serde(skip)]
    pub deviations_known: bool,
    /// The measured values, column by column.
    pub points: Vec<FitPoint>,
}

/// A measured value with that of the motion.
#[derive(Clone, Debug, PartialEq)]
pub struct FitPoint {
    /// The column that it was read from.
    pub column: String,
    /// Time, or occurrence of the event.
    pub at: MeasuredAt,
    /// Line in the data file.
    pub line: usize,
    /// The measured value, in its unit.
    pub measured: f64,
    /// What the motion gives, in the same unit.
    pub model: f64,
    /// Weight of the squared difference.
    pub weight: f64,
    /// Derivatives of what the motion gives, by parameter of the report.
    pub gradient: Vec<f64>,
}

impl FitPoint {
    /// What the motion gives less what was measured.
    pub fn residual(&self) -> f64 {
        self.model - self.measured
    }

    /// The time of the measured value, or the number of the event whose time it is.
    pub fn moment(&self) -> (Option<f64>, Option<usize>) {
        match self.at {
            MeasuredAt::Time(t) => (Some(t), None),
            MeasuredAt::Occurrence(k) => (None, Some(k)),
        }
    }
}

impl Serialize for FitPoint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (time, occurrence) = self.moment();
        let object = json!({
            "column": self.column,
            "line": self.line,
            "t": time,
            "occurrence": occurrence,
            "measured": self.measured,
            "model": self.model,
            "residual": self.residual(),
            "weighted": self.weight.sqrt() * self.residual(),
        });
        object.serialize(serializer)
    }
}
