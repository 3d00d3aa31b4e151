//! Scenes with an optimization, or measured data, that Python describes: the text of the scene says it like any other.

use costate::run::{Changes, Experiment, Interruption};
use costate::scene::{PartOf, locate, parse_with, with_fields};
use pyo3::prelude::*;

use crate::scene::Scene;
use crate::work::work;

/// What messages call the place of a mistake in a description.
const DESCRIPTION: &str = "description";

/// The scene with this objective, a name and what it is, if there is one, and with these fields of its optimization, all as they are
/// written in scenes.
#[pyfunction]
pub fn described(
    scene: &Scene,
    py: Python<'_>,
    objective: Option<(String, String)>,
    optimization: Vec<(String, String)>,
) -> PyResult<Scene> {
    let (file, changes) = scene.experiment.recipe();
    let changes = Changes {
        allow_outside: changes.allow_outside,
        ..Changes::default()
    };
    let text = with_fields(&file.source.text, "objectives", PartOf::Entries, objective.as_slice());
    let text = with_fields(&text, "optimization", PartOf::Fields, &optimization);
    let mut paths = vec![vec!["optimization"]];
    paths.extend(objective.iter().map(|(name, _)| vec!["objectives", name.as_str()]));
    let experiment = work(py, &Interruption::default(), || {
        let found = parse_with(&file.source.file, &text, changes.allow_outside);
        let found = found.and_then(|file| Experiment::new(&file, &changes));
        // The caller has not seen the rest of this text.
        let parts = paths.iter().filter_map(|path| locate(&text, path));
        found.map_err(|error| match error.source_text() {
            Some(source) if source.text == text => parts.fold(error, |error, part| error.in_part(part, DESCRIPTION)),
            _ => error,
        })
    })?;
    Ok(Scene { experiment })
}
