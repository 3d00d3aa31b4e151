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
    /// certificate and second derivatives if these are asked for. Objectives that are left out take no time. `progress` is told the
    /// part that is done of what, from any thread.
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
        let mut asked = self.clone();
        if let Some(names) = objectives {
            asked.want_objectives(|name| names.iter().any(|asked| asked == name));
        }
        let (report, certificate) = match certify {
            true => {
                let (report, certificate) = asked.certify(method, &|part| progress(part, "step studies"))?;
                (report, Some(certificate))
            }
            false => (asked.gradient_or_sides(method)?, None),
        };
        let hessian = match hessian {
            true => Some(asked.hessian(&|part| progress(part, "second derivatives"))?),
            false => None,
        };
        self.interruption().check(self.options.end)?;
        let mut found = Derivatives {
            // What reads a parameter is told of all objectives.
            no_influence: self.no_influence(&report)?,
            report,
            certificate,
            hessian,
        };
        found.keep(&asked);
        Ok(found)
    }
}

impl Derivatives {
    /// Leaves out what formulas of the wanted objectives name.
    fn keep(&mut self, asked: &Experiment) {
        let is_asked = |name: &str| asked.wanted_objectives().any(|(_, objective)| objective.name == name);
        self.report.keep_objectives(is_asked);
        self.no_influence.retain(|claim| is_asked(&claim.objective));
        if let Some(hessian) = &mut self.hessian {
            hessian.objectives.retain(|found| is_asked(&found.objective));
            hessian.missing.retain(|(name, _)| is_asked(name));
        }
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
