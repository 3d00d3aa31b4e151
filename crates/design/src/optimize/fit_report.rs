//! Measured data beside the motion at a point, with what they say about the variables.

use serde::{Serialize, Serializer};
use serde_json::json;

use super::design::SceneDesign;
use super::identification::{Deviations, Identification, identify};
use crate::error;
use crate::run::{ByName, FitData, Pairs};

/// The data of a goal at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct FitReport {
    /// The data of each objective of the goal.
    pub data: Vec<FitData>,
    /// What they say about the variables.
    pub identification: Identification,
}

impl SceneDesign<'_> {
    /// The data at a point when the goal is measured data alone, without load cases, otherwise nothing; by one simulation with forward
    /// sensitivities.
    ///
    /// # Errors
    /// Whatever keeps the point from having values or derivatives.
    pub fn fit_report(&self, parameters: &[f64]) -> error::Result<Option<FitReport>> {
        let optimization = self.optimization();
        if !optimization.is_fit || !optimization.cases.is_empty() {
            return Ok(None);
        }
        let (report, residuals) = self.least_squares(parameters)?;
        // A factor of the goal is a weight of its own.
        let known = optimization.goal.iter().all(|(factor, _)| *factor == 1.0)
            && report.fits.iter().all(|fit| fit.deviations_known);
        Ok(Some(FitReport {
            identification: identify(&residuals, &optimization.variables, known),
            data: report.fits,
        }))
    }
}

impl Serialize for FitReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let found = &self.identification;
        let (deviations, factor) = match found.deviations {
            Deviations::Given => ("given", Some(1.0)),
            Deviations::Estimated(factor) => ("estimated", Some(factor)),
            Deviations::Unknown => ("unknown", None),
        };
        let unseen = found.unseen.iter();
        let unseen = unseen.map(|unseen| json!({"changes": Pairs(&unseen.changes), "reason": unseen.reason()}));
        let object = json!({
            "parameters": found.variables,
            "chi_squared": found.chi_squared,
            "degrees_of_freedom": found.degrees_of_freedom,
            "deviations": deviations,
            "deviation_factor": factor,
            "standard_errors": ByName(&found.variables, &found.standard_errors),
            "correlations": found.correlations,
            "singular_values": found.singular_values,
            "not_determined": unseen.collect::<Vec<_>>(),
            "data": self.data,
        });
        object.serialize(serializer)
    }
}
