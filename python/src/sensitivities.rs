//! Derivatives of outputs and event times over a motion.

use costate::error::{Error, ErrorKind, Result};
use costate::run::{Sensitivities, Towards};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{Changed, chosen, or_raise};
use crate::objects::{floats, object};
use crate::scene::{Scene, recorded};

/// A recording with `parameters`, `slopes` by output (parameter by parameter over the times), `events` and `event_slopes` (event by
/// event), as bytes; those of one side of a parameter where that is wanted and they differ.
#[pyfunction]
pub fn sensitivities<'py>(
    scene: &Scene,
    py: Python<'py>,
    changed: Changed,
    one_sided: Option<(String, String)>,
) -> PyResult<Bound<'py, PyDict>> {
    let side = |(name, side): (String, String)| Ok((name, chosen("side", &side, &[Towards::Below, Towards::Above])?));
    let side = or_raise(py, one_sided.map(side).transpose())?;
    let found = scene.work(py, changed, move |experiment| {
        let found = experiment.sensitivities().map_err(|error| experiment.located(error))?;
        let found = wanted(found, side)?;
        found.check().map_err(|error| experiment.located(error))?;
        Ok(found)
    })?;
    let dictionary = recorded(py, &found.recording)?;
    let slopes = PyDict::new(py);
    for (series, of_output) in found.recording.outputs.iter().zip(&found.slopes) {
        slopes.set_item(&series.name, floats(py, &of_output.concat()))?;
    }
    dictionary.set_item("slopes", slopes)?;
    dictionary.set_item("parameters", found.parameters)?;
    dictionary.set_item("events", object(py, &found.recording.events)?)?;
    dictionary.set_item("event_slopes", floats(py, &found.event_slopes.concat()))?;
    Ok(dictionary)
}

/// Those in common, or where there are none those of the side of a parameter.
fn wanted(found: Vec<Sensitivities>, side: Option<(String, Towards)>) -> Result<Sensitivities> {
    let is_wanted = |found: &Sensitivities| match (found.side, &side) {
        (None, _) => true,
        (Some(towards), Some((name, wanted))) => towards == *wanted && found.parameters == [name.as_str()],
        (Some(_), None) => false,
    };
    let refused = || match &side {
        Some((name, towards)) => Error::new(
            ErrorKind::Event,
            format!("outputs have no derivatives by `{name}` on the side {towards}"),
        )
        .named(name),
        None => Error::new(
            ErrorKind::Event,
            "events at one instant part the derivatives: they differ on the two sides of a parameter",
        )
        .advise("ask for a side of one parameter, as in sensitivities(\"length\", side=\"above\")"),
    };
    found.into_iter().find(is_wanted).ok_or_else(refused)
}
