//! The files that `optimize --out` writes.

use std::path::Path;
use std::sync::Arc;

use super::fit_files;
use crate::cli::print::note;
use crate::error::Result;
use crate::files::OutFolder;
use crate::optimize::{Optimized, optimized_scene};
use crate::output::{Drawing, Table, cell, write_files};
use crate::report::optimization::{convergence, starts};
use crate::report::overlays::{Overlays, overlays};
use crate::scene::compiled::Limit;
use crate::scene::{DataFile, ShapeFile};

/// Name of the scene with the values that were found.
pub(super) const OPTIMIZED: &str = "optimized.ron";

/// Writes the history, its plot, the motion before and after, and the optimized scene; returns the number of files.
///
/// What was found is written even if the motions cannot be drawn; standard error says why.
pub(super) fn write(findings: &Optimized, folder: &OutFolder) -> Result<usize> {
    let mut drawings: Vec<(String, Drawing)> = vec![("convergence".to_string(), convergence(findings).into())];
    let motions = overlays(findings).unwrap_or_else(|error| {
        note!("remark: no plots of the motion before and after: {error}");
        Overlays::default()
    });
    drawings.extend(motions.drawings);
    let mut tables = vec![history(findings)];
    tables.extend(findings.found.starts.iter().map(|all| starts(findings, all)));
    if let Some(Ok(fit)) = &findings.fit {
        tables.push(fit_files::residuals(fit));
        let figures = fit_files::figures(findings, fit, &motions.measured).into_iter();
        drawings.extend(figures.map(|(name, figure)| (name, figure.into())));
    }
    let data = data_copies(findings);
    let mut texts = vec![(OPTIMIZED.to_string(), optimized(findings, &data)?)];
    texts.extend(data.into_iter().map(|copy| (copy.name, copy.text)));
    Ok(write_files(&tables, &drawings, &texts, folder)?.len())
}

/// A file beside the optimized scene.
struct DataCopy {
    /// Path as written in the scene.
    path: String,
    /// Name in the folder of the results.
    name: String,
    text: String,
}

/// The files that the scene names, so that the optimized one can be run where it is written.
fn data_copies(findings: &Optimized) -> Vec<DataCopy> {
    let (file, _) = findings.experiment.recipe();
    let copy = |(k, data): (usize, &Arc<DataFile>)| {
        let own = Path::new(&data.path).file_name().unwrap_or_default().to_string_lossy();
        DataCopy {
            path: data.path.clone(),
            name: format!("data-{}-{own}", k + 1),
            text: data.source.text.clone(),
        }
    };
    let shape = |(k, shape): (usize, &Arc<ShapeFile>)| {
        let own = Path::new(&shape.path).file_stem().unwrap_or_default().to_string_lossy();
        DataCopy {
            path: shape.path.clone(),
            name: format!("shape-{}-{own}.obj", k + 1),
            text: shape.obj(),
        }
    };
    let robot = |(k, (path, text)): (usize, (&str, &str))| {
        let own = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
        DataCopy {
            path: path.to_string(),
            name: format!("robot-{}-{own}", k + 1),
            text: text.to_string(),
        }
    };
    let shapes = file.shapes.iter().enumerate().map(shape);
    let robots = file.robot_files().enumerate().map(robot);
    let tables = file.data.iter().enumerate();
    let tables = tables.filter(|(_, data)| !data.is_in_scene()).map(copy);
    tables.chain(shapes).chain(robots).collect()
}

/// `history.csv`: one row per iteration, the start first.
fn history(findings: &Optimized) -> Table {
    let report = &findings.found.report;
    let parameters = report
        .history
        .iter()
        .map(|i| i.parameters.iter().map(f64::to_string).collect());
    let names = findings.optimization.limits.iter().map(Limit::name);
    let limited = report.history.iter();
    let limited = limited.map(|i| i.limits.iter().map(f64::to_string).collect());
    Table::of(
        "history",
        &report.history,
        &[
            ("iteration", &|i| i.number.to_string()),
            ("value", &|i| i.value.to_string()),
            ("violation", &|i| i.violation.to_string()),
            ("projected gradient", &|i| cell(i.gradient)),
            ("step", &|i| i.step.to_string()),
            ("simulations", &|i| i.simulations.to_string()),
            ("failed points", &|i| i.failed.to_string()),
            ("events changed", &|i| i.events_changed.to_string()),
        ],
    )
    .with(report.variables.iter().cloned(), parameters)
    .with(names, limited)
}

/// The scene with the values found, and where they came from.
fn optimized(findings: &Optimized, data: &[DataCopy]) -> Result<String> {
    let paths: Vec<(String, String)> = data.iter().map(|copy| (copy.path.clone(), copy.name.clone())).collect();
    let found = &findings.found;
    optimized_scene(
        &findings.experiment,
        &findings.optimization,
        &found.report,
        ("optimize", found.total(|report| report.simulations)),
        &paths,
    )
}
