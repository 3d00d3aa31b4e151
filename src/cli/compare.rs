//! Other motions beside that of a scene: other values of a parameter, or what another scene does.

use std::path::{Path, PathBuf};

use clap::Args;

use super::common::{Common, assignment};
use crate::error::{Error, Result};
use crate::files::file_name;
use crate::run::{Changes, Experiment};
use crate::scalar::shortest;

/// Options of commands that draw motions beside that of the scene.
#[derive(Debug, Args)]
pub(super) struct Beside {
    /// Draw the motions with other values of a parameter as well, for example L01=2,2.2,2.4.
    #[arg(long, value_name = "NAME=VALUE,..", value_parser = varied, conflicts_with = "compare")]
    pub vary: Option<Varied>,
    /// Draw another motion as well: with other values of parameters, for example L01=2.1,k1=90, or of another scene, for example
    /// the one that optimize writes.
    #[arg(long, value_name = "NAME=VALUE,..|SCENE", value_parser = compared)]
    pub compare: Option<Compared>,
}

/// Values of a parameter, the least first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Varied {
    name: String,
    values: Vec<f64>,
}

/// What a scene is compared with.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Compared {
    Values(Vec<(String, f64)>),
    Scene(PathBuf),
}

/// What is beside an experiment.
pub(super) struct Variants {
    /// What legends call the experiment itself.
    pub own: String,
    /// The others, each with what legends call it.
    pub others: Vec<(String, Experiment)>,
}

impl Beside {
    /// The experiments that are asked for, ready to run.
    ///
    /// # Errors
    /// As [`Experiment::open`], with the values that it is about.
    pub fn variants(&self, common: &Common, experiment: &Experiment) -> Result<Variants> {
        let one = |values: &[(String, f64)]| {
            let label = described(experiment, values);
            let changed = experiment.with_parameters(values);
            Ok((label.clone(), changed.map_err(|error| about(&label, error))?))
        };
        match (&self.vary, &self.compare) {
            (Some(varied), _) => {
                let given = own_values(experiment, [&varied.name]);
                let set = |value: &f64| vec![(varied.name.clone(), *value)];
                let others = varied.values.iter().map(set).filter(|values| *values != given);
                Ok(Variants {
                    own: own(experiment, &given),
                    others: others.map(|values| one(&values)).collect::<Result<_>>()?,
                })
            }
            (_, Some(Compared::Values(values))) => Ok(Variants {
                own: own(experiment, &own_values(experiment, values.iter().map(|(name, _)| name))),
                others: vec![one(values)?],
            }),
            (_, Some(Compared::Scene(path))) => {
                // Its values are its own: what is set belongs to the first scene.
                let changes = Changes {
                    parameters: Vec::new(),
                    ..experiment.recipe().1.clone()
                };
                Ok(Variants {
                    own: file_name(&common.scene)?,
                    others: vec![(file_name(path)?, Experiment::open(path, &changes)?)],
                })
            }
            (None, None) => Ok(Variants {
                own: String::new(),
                others: Vec::new(),
            }),
        }
    }
}

/// An error with the values that it is about.
pub(super) fn about(label: &str, error: Error) -> Error {
    error.about(&format!("with {label}"))
}

/// Values with their units.
fn described(experiment: &Experiment, values: &[(String, f64)]) -> String {
    let parameters = &experiment.mechanism.model.parameters;
    let unit = |name: &str| {
        let parameter = parameters.iter().find(|parameter| parameter.name == name);
        parameter
            .filter(|parameter| !parameter.unit.is_empty())
            .map_or(String::new(), |parameter| format!(" {}", parameter.unit))
    };
    let each = values
        .iter()
        .map(|(name, value)| format!("{name} = {}{}", short(*value), unit(name)));
    each.collect::<Vec<_>>().join(", ")
}

/// What the motion of the scene is called; constants have no value that could be told.
fn own(experiment: &Experiment, values: &[(String, f64)]) -> String {
    match values.is_empty() {
        true => "the scene".to_string(),
        false => described(experiment, values),
    }
}

/// The values that the scene has of some of its parameters.
fn own_values<'a>(experiment: &Experiment, names: impl IntoIterator<Item = &'a String>) -> Vec<(String, f64)> {
    let parameters = &experiment.mechanism.model.parameters;
    let found = names.into_iter().filter_map(|name| {
        let parameter = parameters.iter().find(|parameter| parameter.name == *name)?;
        Some((name.clone(), parameter.value))
    });
    found.collect()
}

/// A value as short as a legend needs it.
fn short(value: f64) -> String {
    let text = shortest(value);
    if text.len() <= 8 {
        text
    } else {
        shortest(rounded(value))
    }
}

/// To six digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// `NAME=VALUE,VALUE,..`.
fn varied(text: &str) -> std::result::Result<Varied, String> {
    const FORM: &str = "write NAME=VALUE,VALUE,.., for example L01=2,2.2,2.4";
    let (name, values) = text.rsplit_once('=').ok_or(FORM)?;
    let value = |text: &str| {
        let text = text.trim();
        let number: f64 = text.parse().map_err(|_| format!("{text:?} is not a number; {FORM}"))?;
        let finite = number.is_finite().then_some(number);
        finite.ok_or_else(|| format!("{text} is not a finite number"))
    };
    let mut values: Vec<f64> = values.split(',').map(value).collect::<std::result::Result<_, _>>()?;
    values.sort_by(f64::total_cmp);
    if let Some(twice) = values.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("the value {} is given twice", shortest(twice[0])));
    }
    let name = name.trim().to_string();
    Ok(Varied { name, values })
}

/// `NAME=VALUE,NAME=VALUE,..` or a file.
fn compared(text: &str) -> std::result::Result<Compared, String> {
    if Path::new(text).is_file() {
        return Ok(Compared::Scene(PathBuf::from(text)));
    }
    if !text.contains('=') {
        return Err(
            "there is no such file; write a scene file, or NAME=VALUE,.. for example L01=2.1,k1=90".to_string(),
        );
    }
    let values: Vec<(String, f64)> = text.split(',').map(assignment).collect::<std::result::Result<_, _>>()?;
    let is_twice = |k: usize| values[..k].iter().any(|(name, _)| *name == values[k].0);
    match (0..values.len()).find(|&k| is_twice(k)) {
        Some(k) => Err(format!("{} is given twice", values[k].0)),
        None => Ok(Compared::Values(values)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Compared, compared, short, varied};

    #[test]
    fn values_are_read_in_any_order_and_written_short() {
        let found = varied("rod length = 2.4, -1,1e-3").unwrap();
        assert_eq!(
            (found.name.as_str(), &found.values[..]),
            ("rod length", &[-1.0, 1e-3, 2.4][..])
        );
        let wanted = vec![("a".to_string(), 1.0), ("b".to_string(), -2.0)];
        assert_eq!(compared("a=1, b=-2").unwrap(), Compared::Values(wanted));
        assert_eq!(short(2.0_f64.sqrt()), "1.41421");
        assert_eq!(short(0.05), "0.05");
    }

    #[test]
    fn what_is_no_list_of_values_is_refused() {
        for text in ["a", "a=", "a=1,", "a=1:2:3", "a=1,1", "a=inf", "a=1,nan"] {
            assert!(varied(text).is_err(), "{text}");
        }
        for text in ["nowhere.ron", "a=1,2", "a=1,a=2", "a=x"] {
            assert!(compared(text).is_err(), "{text}");
        }
    }
}
