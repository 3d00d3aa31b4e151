//! Other motions beside that of a scene: other values of parameters, or what another scene does.

use std::path::PathBuf;

use super::{Changes, Experiment};
use crate::error::{Error, Result};
use crate::files::file_name;
use crate::scalar::shortest;

/// What is to be shown beside the motion of a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Beside {
    /// Motions with other values, each of the same parameters.
    Values(Vec<Vec<(String, f64)>>),
    /// The motion of another scene.
    Scene(PathBuf),
}

/// What is beside an experiment.
#[derive(Debug, Default)]
pub struct Variants {
    /// What legends call the experiment itself.
    pub own: String,
    /// The others, each with what legends call it.
    pub others: Vec<(String, Experiment)>,
}

impl Variants {
    /// The experiments beside this one, ready to run. Those that have its own values are left out.
    ///
    /// # Errors
    /// As [`Experiment::open`], with the values that it is about.
    pub fn of(experiment: &Experiment, beside: &Beside) -> Result<Self> {
        match beside {
            Beside::Values(all) => {
                let own = own_values(experiment, all.iter().flatten().map(|(name, _)| name));
                let one = |values: &Vec<(String, f64)>| {
                    let label = described(experiment, values);
                    let changed = experiment.with_parameters(values);
                    Ok((label.clone(), changed.map_err(|error| about(&label, error))?))
                };
                Ok(Self {
                    own: match own.is_empty() {
                        // Constants have no value that could be told.
                        true => "the scene".to_string(),
                        false => described(experiment, &own),
                    },
                    others: all
                        .iter()
                        .filter(|values| **values != own)
                        .map(one)
                        .collect::<Result<_>>()?,
                })
            }
            Beside::Scene(path) => {
                let (scene, changes) = experiment.recipe();
                // Its values are its own: what is set belongs to the first scene.
                let changes = Changes {
                    parameters: Vec::new(),
                    ..changes.clone()
                };
                Ok(Self {
                    own: file_name(scene.source.file.as_ref())?,
                    others: vec![(file_name(path)?, Experiment::open(path, &changes)?)],
                })
            }
        }
    }
}

/// An error with the values that it is about.
pub fn about(label: &str, error: Error) -> Error {
    error.about(&format!("with {label}"))
}

/// Values with their units.
fn described(experiment: &Experiment, values: &[(String, f64)]) -> String {
    let parameters = &experiment.mechanism.model.parameters;
    let each = values.iter().map(|(name, value)| {
        let parameter = parameters.iter().find(|parameter| parameter.name == *name);
        let unit = parameter.map_or("", |parameter| &parameter.unit);
        assigned(name, *value, unit)
    });
    each.collect::<Vec<_>>().join(", ")
}

/// A value of a parameter as a legend says it: of more than eight letters six digits are left.
pub fn assigned(name: &str, value: f64, unit: &str) -> String {
    let mut text = shortest(value);
    if text.len() > 8 {
        text = shortest(format!("{value:.5e}").parse().unwrap_or(value));
    }
    format!("{name} = {text} {unit}").trim_end().to_string()
}

/// The values that the scene has of some of its parameters, each once.
fn own_values<'a>(experiment: &Experiment, names: impl Iterator<Item = &'a String>) -> Vec<(String, f64)> {
    let parameters = &experiment.mechanism.model.parameters;
    let mut found: Vec<(String, f64)> = Vec::new();
    for name in names {
        let parameter = parameters.iter().find(|parameter| parameter.name == *name);
        if let Some(parameter) = parameter.filter(|_| found.iter().all(|(known, _)| known != name)) {
            found.push((name.clone(), parameter.value));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::assigned;

    #[test]
    fn values_are_written_short() {
        assert_eq!(assigned("a", 2.0_f64.sqrt(), "m"), "a = 1.41421 m");
        assert_eq!(assigned("a", 0.05, ""), "a = 0.05");
    }
}
