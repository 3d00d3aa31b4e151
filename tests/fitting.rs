//! What fitting measured data promises: gradients and residuals are exact, parameters are found again, what the data say
//! about them is that of linear statistics, and mistakes in data files are shown at their line.

#[cfg(feature = "cli")]
#[path = "fitting/command_line.rs"]
mod command_line;
#[path = "fitting/found.rs"]
mod found;
#[path = "fitting/gradients.rs"]
mod gradients;
#[path = "fitting/mistakes.rs"]
mod mistakes;
#[path = "fitting/statistics.rs"]
mod statistics;
mod support;

use std::fs;
use std::ops::ControlFlow;

use costate::error::Result;
use costate::optimize::{FitReport, Report, SceneDesign, optimize};
use costate::run::{Changes, Experiment};

use support::tight;

/// An experiment from the text of a scene beside data files, pairs of name and text, with these changes.
fn written(text: &str, data: &[(&str, &str)], changes: &Changes) -> Result<Experiment> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in data {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let scene = folder.path().join("scene.ron");
    fs::write(&scene, text).unwrap();
    Experiment::open(&scene, changes)
}

/// An experiment with these fields of a planar scene and tight tolerances; any error fails the test.
fn experiment(duration: f64, fields: &str, data: &[(&str, &str)]) -> Experiment {
    written(&support::planar(duration, fields), data, &tight())
        .unwrap_or_else(|error| panic!("{error}\n{:?}", error.advice()))
}

/// The optimization of the scene, with what the data say at its end.
fn fitted(experiment: &Experiment) -> (Report, FitReport) {
    let task = experiment.optimization.clone().unwrap();
    let design = SceneDesign::new(experiment, &task);
    let report = optimize(&design, &task, &mut |_| ControlFlow::Continue(())).unwrap();
    let fit = design.fit_report(&report.best.parameters).unwrap().unwrap();
    (report, fit)
}
