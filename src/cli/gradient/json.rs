//! The JSON object of the `gradient` command.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::Findings;

/// The report, with what was found beside it.
impl Serialize for Findings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
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

impl Findings {
    /// Reasons of zeros by objective and parameter.
    fn reasons(&self) -> Value {
        let mut reasons = Value::Object(Map::new());
        for claim in &self.no_influence {
            reasons[&claim.objective][&claim.parameter] = json!(claim.reason);
        }
        reasons
    }
}
