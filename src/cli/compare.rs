//! Options that name other motions beside that of a scene.

use std::path::{Path, PathBuf};

use clap::Args;

use super::common::assignment;
use crate::error::Result;
use crate::run::{Beside, Experiment, Variants};
use crate::scalar::shortest;

/// Options of commands that draw motions beside that of the scene.
#[derive(Debug, Args)]
pub(super) struct Compare {
    /// Draw the motions with other values of a parameter as well, for example L01=2,2.2,2.4.
    #[arg(long, value_name = "NAME=VALUE,..", value_parser = varied, conflicts_with = "compare")]
    pub vary: Option<Beside>,
    /// Draw another motion as well: with other values of parameters, for example L01=2.1,k1=90, or of another scene, for example
    /// the one that optimize writes.
    #[arg(long, value_name = "NAME=VALUE,..|SCENE", value_parser = compared)]
    pub compare: Option<Beside>,
}

impl Compare {
    /// The experiments that are asked for, ready to run.
    ///
    /// # Errors
    /// As [`Variants::of`].
    pub fn variants(&self, experiment: &Experiment) -> Result<Variants> {
        let asked = self.vary.as_ref().or(self.compare.as_ref());
        asked.map_or_else(|| Ok(Variants::default()), |beside| Variants::of(experiment, beside))
    }
}

/// `NAME=VALUE,VALUE,..`.
fn varied(text: &str) -> std::result::Result<Beside, String> {
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
    let each = values.iter().map(|&value| vec![(name.trim().to_string(), value)]);
    Ok(Beside::Values(each.collect()))
}

/// `NAME=VALUE,NAME=VALUE,..` or a file.
fn compared(text: &str) -> std::result::Result<Beside, String> {
    if Path::new(text).is_file() {
        return Ok(Beside::Scene(PathBuf::from(text)));
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
        None => Ok(Beside::Values(vec![values])),
    }
}

#[cfg(test)]
mod tests {
    use super::{Beside, compared, varied};

    #[test]
    fn a_name_may_have_an_equals_sign() {
        let values = vec![("a=b".to_string(), 2.0), ("c".to_string(), -1.0)];
        assert_eq!(compared("a=b=2, c=-1").unwrap(), Beside::Values(vec![values]));
    }

    #[test]
    fn values_are_read_in_any_order() {
        let rod = |value: f64| vec![("rod length".to_string(), value)];
        let wanted = Beside::Values([-1.0, 1e-3, 2.4].map(rod).to_vec());
        assert_eq!(varied("rod length = 2.4, -1,1e-3").unwrap(), wanted);
        let wanted = vec![vec![("a".to_string(), 1.0), ("b".to_string(), -2.0)]];
        assert_eq!(compared("a=1, b=-2").unwrap(), Beside::Values(wanted));
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
