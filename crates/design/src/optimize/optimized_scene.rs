//! The scene with the values that an optimization found, and where they came from.

use std::path::Path;

use super::report::Report;
use crate::error::Result;
use crate::run::Experiment;
use crate::scalar::shortest;
use crate::scene::compiled::Optimization;
use crate::scene::with_data;

/// The text of the scene with the best values of a report and a comment about them; `by` is the command that found them,
/// `simulations` how many it took, and `data` pairs of a data file in the scene and the one to be written instead.
///
/// # Errors
/// As [`with_data`].
pub fn optimized_scene(
    experiment: &Experiment,
    optimization: &Optimization,
    report: &Report,
    (by, simulations): (&str, u32),
    data: &[(String, String)],
) -> Result<String> {
    let (file, changes) = experiment.recipe();
    let name = Path::new(&file.source.file)
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let (goal, solver, meaning) = (goal(optimization), report.solver, report.status.meaning());
    let (before, after) = (shortest(report.initial.value), shortest(report.best.value));
    let mut comment = vec![
        format!("Optimized by `costate {by}` from {}.", name.unwrap_or_default()),
        format!("{goal} with {solver}: {meaning}."),
        format!("Value {before} before, {after} after {simulations} simulations."),
    ];
    let values = report.best.parameters.iter().copied();
    let best = report.variables.iter().cloned().zip(values);
    for (variable, (name, value)) in optimization.variables.iter().zip(best.clone()) {
        let (before, after) = (shortest(variable.start), shortest(value));
        comment.push(format!("{name}: {before} before, {after} after."));
    }
    let set = changes
        .parameters
        .iter()
        .filter(|(name, _)| !report.variables.contains(name));
    let words = |(name, value): &(String, f64)| format!("{name}: set to {} for the optimization.", shortest(*value));
    comment.extend(set.clone().map(words));
    with_data(file, &set.cloned().chain(best).collect::<Vec<_>>(), data, &comment)
}

/// The goal as a formula of objectives.
pub fn goal(optimization: &Optimization) -> String {
    let term = |(factor, name): &(f64, String)| {
        if *factor == 1.0 {
            name.clone()
        } else {
            format!("{factor} {name}")
        }
    };
    optimization.goal.iter().map(term).collect::<Vec<_>>().join(" + ")
}
