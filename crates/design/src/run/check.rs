//! What can be said of a scene before anything moves.

use serde::{Serialize, Serializer};
use serde_json::json;

use super::experiment::Experiment;
use crate::analysis::{Structure, structure};
use crate::assembly::Undetermined;
use crate::error::Result;
use crate::hybrid::HybridSystem;
use crate::mechanism::Started;

/// Structure of a scene and its state at the start.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Name of the scene.
    pub scene: String,
    /// Degrees of freedom, redundant joints, what parameters touch.
    #[serde(flatten)]
    pub structure: Structure,
    /// Parameters by which nothing has a derivative.
    #[serde(serialize_with = "each_undetermined")]
    pub undetermined: Vec<Undetermined>,
    /// Parameters that nothing uses.
    pub unused_parameters: Vec<String>,
    /// Remarks for the user.
    pub remarks: Vec<String>,
    /// The state at the start.
    #[serde(skip)]
    pub started: Started,
}

impl Experiment {
    /// Assembles the mechanism and settles its contacts, so that a penetration shows here already.
    ///
    /// # Errors
    /// Whatever keeps the mechanism from starting; kind `Interrupted`.
    pub fn check(&self) -> Result<Check> {
        let mut workspace = self.mechanism.workspace();
        let started = self.mechanism.start(self.start, &mut workspace);
        let started = started.map_err(|error| self.located(error))?;
        let on_time = || self.interruption().check(self.start);
        on_time()?;
        let structure = structure(&self.mechanism.model, self.start).map_err(|error| self.located(error))?;
        on_time()?;
        let undetermined = self.undetermined_at_start(&started);
        on_time()?;
        let remarks = started.remarks.iter().chain(self.file_remarks()).cloned();
        Ok(Check {
            scene: self.name.clone(),
            structure,
            undetermined,
            unused_parameters: self.unused_parameters.clone(),
            remarks: remarks.chain(self.unused_parameters_remark()).collect(),
            started,
        })
    }
}

fn each_undetermined<S: Serializer>(found: &[Undetermined], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let entry = |found: &Undetermined| {
        json!({
            "parameter": found.name,
            "joints": found.joints,
            "held": found.held,
            "held_velocities": found.held_velocities,
            "kink": found.kink.as_ref().map(|kink| &kink.expression),
            "reason": found.reason(),
        })
    };
    serializer.collect_seq(found.iter().map(entry))
}
