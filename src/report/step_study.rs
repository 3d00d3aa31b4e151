//! The step studies as a figure: how far the quotients are from the gradient at each step.

use crate::output::{Curve, Figure, Panel};
use crate::run::{Certificate, Certified, Entry, StepStudy};

/// Panels in the figure: the first objectives.
const PANELS: usize = 4;

/// Curves in a panel: the first parameters, as many as there are line styles.
const CURVES: usize = 6;

/// The figure of the step studies by file stem; none without objectives.
pub fn step_study(certificate: &Certificate) -> Vec<(String, Figure)> {
    let objectives = certificate.differences.objectives.iter().take(PANELS).enumerate();
    let panel = |(k, (name, _)): (usize, &(String, f64))| Panel {
        log_y: true,
        ..Panel::new(name, curves(certificate, k, name))
    };
    let title = "Central difference quotients: relative distance from the gradient";
    let figure = Figure {
        log_x: true,
        ..Figure::new(
            title,
            "step over size of the parameter",
            objectives.map(panel).collect(),
        )
    };
    figure.pages("step-study", PANELS)
}

fn curves(certificate: &Certificate, objective: usize, name: &str) -> Vec<Curve> {
    let of_objective = |entry: &&Entry| matches!(&entry.quantity, Certified::Objective(other) if other == name);
    let entries = certificate.entries.iter().filter(of_objective);
    let shown = entries
        .zip(&certificate.differences.studies)
        .filter(|(entry, _)| entry.forward != 0.0);
    shown
        .take(CURVES)
        .map(|(entry, study)| Curve::new(&study.parameter, vec![distances(entry, study, objective)]))
        .collect()
}

/// Points (relative step, relative distance of the quotient).
fn distances(entry: &Entry, study: &StepStudy, objective: usize) -> Vec<(f64, f64)> {
    let steps = study.usable_steps().iter();
    steps
        .filter_map(|step| {
            let quotient = step.quotients.get(objective)?;
            let distance = ((quotient - entry.forward) / entry.forward).abs();
            Some((step.size / study.size, distance))
        })
        .collect()
}
