//! Reports as the commands write them with `--json`, where that is not field by field.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::certificate::{Certificate, Certified, TOLERANCE_RULE};
use super::difference::Differences;
use super::experiment::{EnergyBalance, Report};
use super::gradient::GradientReport;
use super::hessian::HessianReport;
use crate::assembly::Undetermined;

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
            "energy": {"initial": self.energy.0, "final": self.energy.1, "balance": self.balance},
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

impl Serialize for EnergyBalance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let object = json!({
            "work": Pairs(&self.work),
            "events": Pairs(&self.events),
            "missing": self.missing,
            "tolerance": self.tolerance,
        });
        object.serialize(serializer)
    }
}

/// With the errors that difference quotients state, where they are the method.
impl Serialize for GradientReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = json!({
            "scene": self.scene,
            "method": self.method,
            "parameters": self.parameters,
            "objectives": objectives(self),
            "no_derivative": Pairs(&reasons(&self.undetermined)),
            "events": events(self),
            "statistics": {
                "steps": self.forward.accepted,
                "rhs_evaluations": self.forward.evaluations,
                "backward_steps": self.backward.accepted,
                "backward_evaluations": self.backward.evaluations,
                "recording_bytes": self.recording_bytes,
                "seconds": self.seconds,
            },
        });
        if !self.sides.is_empty() {
            let reason = self.refused.as_ref().map(ToString::to_string);
            object["one_sided"] = json!({"reason": reason, "parameters": sides(self)});
        }
        if let Some(differences) = &self.differences {
            object["errors"] = errors(&self.parameters, differences);
        }
        object.serialize(serializer)
    }
}

/// By parameter: why nothing has a derivative by it.
fn reasons(undetermined: &[Undetermined]) -> Vec<(String, String)> {
    let found = undetermined.iter();
    found.map(|found| (found.name.clone(), found.reason())).collect()
}

fn objectives(report: &GradientReport) -> Map<String, Value> {
    let objectives = report.objectives.iter().map(|objective| {
        let gradient = ByName(&report.parameters, &objective.gradient);
        let object = json!({"value": objective.value, "gradient": gradient});
        (objective.name.clone(), object)
    });
    objectives.collect()
}

/// By parameter: the derivatives of every objective below and above its value, or why there are none.
fn sides(report: &GradientReport) -> Value {
    let names: Vec<String> = report
        .objectives
        .iter()
        .map(|objective| objective.name.clone())
        .collect();
    let sides = report.sides.iter().map(|found| {
        let [below, above] = found.sides.each_ref().map(|side| match side {
            Ok(side) => json!(ByName(&names, &side.slopes)),
            Err(reason) => json!(reason),
        });
        (found.name.clone(), json!({"below": below, "above": above}))
    });
    Value::Object(sides.collect())
}

fn events(report: &GradientReport) -> Vec<Value> {
    let events = report.events.iter().map(|(event, slopes)| {
        let mut entry = json!(event);
        if let Some(slopes) = slopes {
            entry["gradient"] = json!(ByName(&report.parameters, slopes));
        }
        entry
    });
    events.collect()
}

/// By objective and parameter: the error that a difference quotient states.
fn errors(parameters: &[String], differences: &Differences) -> Value {
    let errors = differences.objectives.iter().enumerate().map(|(k, (name, _))| {
        let studies = differences.studies.iter();
        let errors: Vec<Option<f64>> = studies.map(|study| Some(study.estimates[k]?.error)).collect();
        (name.clone(), json!(ByName(parameters, &errors)))
    });
    Value::Object(errors.collect())
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
            "no_derivative": Pairs(&reasons(&self.undetermined)),
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

impl Serialize for Certified {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let object = match self {
            Self::Objective(name) => json!({"objective": name}),
            Self::EventTime(index, event) => json!({"event": index, "name": event.name, "t": event.t}),
        };
        object.serialize(serializer)
    }
}
