//! Reports as `serde` writes them, where that is not field by field.

use serde::{Serialize, Serializer};
use serde_json::json;

use super::certificate::{Certificate, Quantity, TOLERANCE_RULE};
use super::experiment::Report;
use super::hessian::HessianReport;

/// Names with a value for each, written as an object.
#[derive(Clone, Copy, Debug)]
pub struct ByName<'a, T>(pub &'a [String], pub &'a [T]);

/// Pairs of a name and a value, written as an object.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a, T>(pub &'a [(String, T)]);

impl<T: Serialize> Serialize for ByName<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().zip(self.1))
    }
}

impl<T: Serialize> Serialize for Pairs<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let object = json!({
            "scene": self.scene,
            "t_end": self.t_end,
            "events": self.events,
            "outputs": Pairs(&self.outputs),
            "objectives": Pairs(&self.objectives),
            "residuals": self.residuals,
            "energy": {"initial": self.energy.0, "final": self.energy.1},
            "statistics": {
                "steps": self.statistics.accepted,
                "rejected": self.statistics.rejected,
                "rhs_evaluations": self.statistics.evaluations,
                "jacobians": self.statistics.jacobians,
                "factorisations": self.statistics.factorisations,
                "seconds": self.seconds,
            },
            "remarks": self.remarks,
        });
        object.serialize(serializer)
    }
}

/// By objective, parameter and parameter; objectives without second derivatives with the reason.
impl Serialize for HessianReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let named = |values: &Vec<f64>| json!(ByName(&self.parameters, values));
        let objectives = self.objectives.iter().map(|hessian| {
            let rows: Vec<_> = hessian.rows.iter().map(named).collect();
            (hessian.objective.clone(), json!(ByName(&self.parameters, &rows)))
        });
        let object = json!({
            "objectives": Pairs(&objectives.collect::<Vec<_>>()),
            "missing": Pairs(&self.missing),
            "simulations": self.simulations,
            "seconds": self.seconds,
        });
        object.serialize(serializer)
    }
}

impl Serialize for Certificate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let studies = self.differences.studies.iter();
        let studies: Vec<_> = studies.map(|study| (study.parameter.clone(), study)).collect();
        let object = json!({
            "verdict": self.verdict,
            "rtol": self.rtol,
            "difference_rtol": self.differences.rtol,
            "tolerance_rule": TOLERANCE_RULE,
            "entries": self.entries,
            "step_studies": Pairs(&studies),
            "margins": self.margins,
        });
        object.serialize(serializer)
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let object = match self {
            Self::Objective(name) => json!({"objective": name}),
            Self::EventTime(index, event) => json!({"event": index, "name": event.name, "t": event.t}),
        };
        object.serialize(serializer)
    }
}
