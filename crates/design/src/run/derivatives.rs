//! Gradients with all that is said beside them: certificate, reasons of zeros, second derivatives.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::certificate::Certificate;
use super::experiment::Experiment;
use super::gradient::{GradientReport, Method};
use super::hessian::HessianReport;
use super::influence::NoInfluence;
use crate::error::Result;

/// Derivatives of the objectives of a scene.
#[derive(Clone, Debug)]
pub struct Derivatives {
    /// Gradients.
    pub report: GradientReport,
    /// The methods held against each other, if asked for.
    pub certificate: Option<Certificate>,
    /// Parameters that cannot influence an objective, and why.
    pub no_influence: Vec<NoInfluence>,
    /// Second derivatives, if asked for.
    pub hessian: Option<HessianReport>,
}

impl Experiment {
    /// Gradients of these objectives, or of all, by a method, or where events at one instant part them, from both sides; with the
    /// certificate and second derivatives if these are asked for. `progress` is told the part that is done of what, from any
    /// thread.
    ///
    /// # Errors
    /// As [`Experiment::gradient_or_sides`], [`Experiment::certify`] and [`Experiment::hessian`].
    pub fn derivatives(
        &self,
        objectives: Option<&[String]>,
        method: Method,
        (certify, hessian): (bool, bool),
        progress: &(dyn Fn(f64, &str) + Sync),
    ) -> Result<Derivatives> {
        let (report, certificate) = match certify {
            true => {
                let (report, certificate) = self.certify(method, &|part| progress(part, "step studies"))?;
                (report, Some(certificate))
            }
            false => (self.gradient_of(objectives, method)?, None),
        };
        let hessian = match hessian {
            true => Some(self.hessian(&|part| progress(part, "second derivatives"))?),
            false => None,
        };
        self.interruption().check(self.options.end)?;
        let mut found = Derivatives {
            no_influence: self.no_influence(&report)?,
            report,
            certificate,
            hessian,
        };
        objectives.iter().for_each(|names| found.keep(names));
        Ok(found)
    }

    /// The gradients of these objectives at least: each takes a costate, and by the other methods they cost nothing.
    fn gradient_of(&self, objectives: Option<&[String]>, method: Method) -> Result<GradientReport> {
        let (Some(names), Method::Adjoint) = (objectives, method) else {
            return self.gradient_or_sides(method);
        };
        let mut fewer = self.clone();
        let model = &mut fewer.mechanism.model;
        model.want_objectives(|name| names.iter().any(|wanted| wanted == name));
        fewer.gradient_or_sides(method)
    }
}

impl Derivatives {
    /// Leaves out the gradients of all objectives but these, unless there are sides, which have them by their places.
    fn keep(&mut self, names: &[String]) {
        let is_asked = |name: &String| names.contains(name);
        if self.report.sides.is_empty() {
            self.report.objectives.retain(|objective| is_asked(&objective.name));
        }
        self.no_influence.retain(|claim| is_asked(&claim.objective));
    }

    /// Why a parameter cannot influence an objective, if so.
    pub fn reason(&self, objective: &str, parameter: &str) -> Option<&str> {
        let mut claims = self.no_influence.iter();
        claims
            .find(|claim| claim.objective == objective && claim.parameter == parameter)
            .map(|claim| claim.reason.as_str())
    }

    /// Reasons of zeros by objective and parameter.
    fn reasons(&self) -> Value {
        let mut reasons = Value::Object(Map::new());
        for claim in &self.no_influence {
            reasons[&claim.objective][&claim.parameter] = json!(claim.reason);
        }
        reasons
    }
}

/// The report, with what was found beside it.
impl Serialize for Derivatives {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut object = json!(self.report);
        if let Some(fields) = object.as_object_mut() {
            // Beside the gradients, whose zeros it explains.
            let place = fields.keys().position(|key| key == "objectives").map_or(0, |k| k + 1);
            fields.shift_insert(place, "no_influence".to_string(), self.reasons());
        }
        if let Some(certificate) = &self.certificate {
            object["certificate"] = json!(certificate);
        }
        if let Some(hessian) = &self.hessian {
            object["hessian"] = json!(hessian);
        }
        object.serialize(serializer)
    }
}
