//! The motion before and after the optimization, in one plot.

use crate::error::Result;
use crate::optimize::Optimized;
use crate::output::{Curve, Drawing, Plane, comparison};
use crate::run::{MeasuredCurve, Trace, labelled};
use crate::scene::schema::Space;

/// Names of the two motions.
const BEFORE: &str = "before";
const AFTER: &str = "after";

/// The motions to be drawn.
#[derive(Default)]
pub struct Overlays {
    /// Outputs over time, and the paths of points and markers, of the scene as it was and with the values found.
    pub drawings: Vec<(String, Drawing)>,
    /// What the columns of measured data measure, with the values found.
    pub measured: Vec<MeasuredCurve>,
}

/// Simulates the scene as it was and with the values found.
///
/// # Errors
/// As [`crate::run::Experiment::run_with_traces`]: an output may have no value somewhere, though the objectives have one.
pub fn overlays(findings: &Optimized) -> Result<Overlays> {
    let (experiment, report) = (&findings.experiment, &findings.found.report);
    let at = |parameters: &[f64], fits: &[&str]| {
        let values: Vec<(String, f64)> = report
            .variables
            .iter()
            .cloned()
            .zip(parameters.iter().copied())
            .collect();
        experiment.with_parameters(&values)?.run_with_traces(fits)
    };
    let fits = findings.fit.iter().flatten().flat_map(|fit| &fit.data);
    let fits: Vec<&str> = fits.map(|data| data.objective.as_str()).collect();
    let before = at(&report.initial.parameters, &[])?;
    let after = at(&report.best.parameters, &fits)?;
    let outputs = comparison(&[(BEFORE, &before.recording), (AFTER, &after.recording)]);
    let mut drawings: Vec<(String, Drawing)> = outputs
        .into_iter()
        .map(|(name, figure)| (name, figure.into()))
        .collect();
    if !before.traces.is_empty() {
        let curves = vec![curve(BEFORE, before.traces), curve(AFTER, after.traces)];
        drawings.push(("path".to_string(), Drawing::Plane(plane(findings, curves))));
    }
    Ok(Overlays {
        drawings,
        measured: after.measured,
    })
}

fn plane(findings: &Optimized, curves: Vec<Curve>) -> Plane {
    let (file, _) = findings.experiment.recipe();
    let seen = match file.scene.space {
        Space::Planar => "paths of points and markers",
        Space::Spatial => "paths of points and markers, seen along z",
    };
    let unit = match findings.experiment.mechanism.model.is_in_si() {
        true => "m",
        false => "",
    };
    Plane {
        title: format!("{}: {seen}", findings.experiment.name),
        x_label: labelled("x", unit),
        y_label: labelled("y", unit),
        curves,
    }
}

/// All paths of a motion in one style.
fn curve(name: &str, traces: Vec<Trace>) -> Curve {
    Curve::new(name, traces.into_iter().flat_map(|trace| trace.pieces).collect())
}
