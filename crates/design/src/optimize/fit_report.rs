//! Measured data beside the motion at a point, with what they say about the variables.

use super::design::SceneDesign;
use super::identification::{Identification, identify};
use crate::error::Result;
use crate::run::FitData;

/// The data of a goal at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct FitReport {
    /// The data of each objective of the goal.
    pub data: Vec<FitData>,
    /// What they say about the variables.
    pub identification: Identification,
}

impl SceneDesign<'_> {
    /// The data at a point when the goal is measured data alone, otherwise nothing; by one simulation with forward
    /// sensitivities.
    ///
    /// # Errors
    /// Whatever keeps the point from having values or derivatives.
    pub fn fit_report(&self, parameters: &[f64]) -> Result<Option<FitReport>> {
        let optimization = self.optimization();
        if !optimization.is_fit {
            return Ok(None);
        }
        let report = self.forward(parameters)?;
        let residuals = self.residuals(&report)?;
        // A factor of the goal is a weight of its own.
        let known = optimization.goal.iter().all(|(factor, _)| *factor == 1.0)
            && report.fits.iter().all(|fit| fit.deviations_known);
        Ok(Some(FitReport {
            identification: identify(&residuals, &optimization.variables, known),
            data: report.fits,
        }))
    }
}
