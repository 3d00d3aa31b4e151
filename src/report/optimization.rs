//! What an optimization found as tables and plots, and the error of limits that no point keeps.

use crate::error::{Error, ErrorKind};
use crate::optimize::{Iteration, MultistartReport, Optimized, goal};
use crate::output::{Curve, Figure, Panel, Table};
use crate::run::labelled;

/// Curves in one panel: as many as there are line styles.
const CURVES: usize = 6;

/// Variables shown in the plot; the table has all of them.
const MOST: usize = 36;

/// Value, gradient and variables over the iterations.
pub fn convergence(findings: &Optimized) -> Figure {
    let (report, optimization) = (&findings.found.report, &findings.optimization);
    let curve = |name: &str, value: &dyn Fn(&Iteration) -> Option<f64>| {
        let point = |iteration: &Iteration| Some((f64::from(iteration.number), value(iteration)?));
        Curve::new(name, vec![report.history.iter().filter_map(point).collect()])
    };
    let panel = |label: &str, curves, log_y| Panel {
        log_y,
        ..Panel::new(label, curves)
    };
    let moved = |k: usize| {
        let (variable, start) = (&optimization.variables[k], report.initial.parameters[k]);
        curve(&variable.name, &|i| Some((i.parameters[k] - start) / variable.scale))
    };
    // A weighted sum has no unit.
    let model = &findings.experiment.mechanism.model;
    let unit = match &optimization.goal[..] {
        [(1.0, name)] => {
            let index = model.objectives.iter().position(|objective| objective.name == *name);
            index.and_then(|k| model.objective_units().swap_remove(k))
        }
        _ => None,
    };
    let unit = unit.unwrap_or_default();
    let mut panels = vec![
        panel(
            &labelled(&goal(optimization), &unit),
            vec![curve("value", &|i| Some(i.value))],
            true,
        ),
        panel(
            "projected gradient",
            vec![curve("projected gradient", &|i| i.gradient)],
            true,
        ),
    ];
    if !optimization.limits.is_empty() {
        panels.push(panel(
            "violation",
            vec![curve("violation", &|i| Some(i.violation))],
            true,
        ));
    }
    let variables: Vec<usize> = (0..optimization.variables.len()).take(MOST).collect();
    // As many in every panel, so that none is left alone in the last.
    let in_panel = variables.len().div_ceil(variables.len().div_ceil(CURVES).max(1));
    for chunk in variables.chunks(in_panel.max(1)) {
        let label = match chunk {
            [only] => format!("{}: change / scale", optimization.variables[*only].name),
            _ => "change / scale".to_string(),
        };
        panels.push(panel(&label, chunk.iter().map(|&k| moved(k)).collect(), false));
    }
    Figure::new(
        format!("{}: optimization", findings.experiment.name),
        "iteration",
        panels,
    )
}

/// `starts.csv`: one row per start.
pub fn starts(findings: &Optimized, all: &MultistartReport) -> Table {
    let variables = &findings.found.report.variables;
    let minima = all.minimum_of_starts();
    let names = variables
        .iter()
        .map(|name| format!("{name} at the start"))
        .chain(variables.iter().cloned());
    let places = all.runs.iter().map(|run| {
        let places = run.initial.parameters.iter().chain(&run.best.parameters);
        places.map(f64::to_string).collect()
    });
    Table::of(
        "starts",
        all.runs.iter().enumerate(),
        &[
            ("start", &|(k, _)| (k + 1).to_string()),
            ("minimum", &|(k, _)| minima[k].to_string()),
            ("status", &|(_, run)| run.status.words().to_string()),
            ("initial value", &|(_, run)| run.initial.value.to_string()),
            ("value", &|(_, run)| run.best.value.to_string()),
            ("iterations", &|(_, run)| (run.history.len() - 1).to_string()),
            ("simulations", &|(_, run)| run.simulations.to_string()),
            ("gradients", &|(_, run)| run.gradients.to_string()),
            ("failed points", &|(_, run)| run.failures.len().to_string()),
        ],
    )
    .with(names, places)
}

/// The error of an optimization whose limits no point keeps.
pub fn limits_not_met(missed: &[String]) -> Error {
    let message = format!("no point was found that keeps the limits: {}", missed.join(", "));
    Error::new(ErrorKind::Request, message).named("optimization").advise(
        "widen the bounds or the limits, vary more parameters, or begin elsewhere: another start may reach what this one does not",
    )
}

/// The limits that the best point does not keep, in words.
pub fn missed(findings: &Optimized) -> Vec<String> {
    let allowed = findings.optimization.stopping.violation;
    let limits = findings.found.report.limits.iter();
    limits
        .filter(|(limit, value)| limit.violation(*value) > allowed)
        .map(|(limit, value)| {
            let asked = limit.rule();
            format!(
                "\"{}\" is {value:.6} at the best point, asked for: {}",
                limit.name(),
                asked
            )
        })
        .collect()
}
