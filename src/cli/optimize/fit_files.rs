//! Tables and figures of measured data beside the motion.

use super::Findings;
use crate::model::At;
use crate::optimize::FitReport;
use crate::output::{Curve, Figure, Panel, Table};
use crate::run::FitPoint;

/// Measured columns in one figure, each with a panel of residuals.
const COLUMNS: usize = 4;

/// `residuals.csv`: one row per measured value.
pub(super) fn residuals(fit: &FitReport) -> Table {
    let header = [
        "objective",
        "column",
        "line",
        "t",
        "occurrence",
        "measured",
        "model",
        "residual",
        "weighted residual",
    ];
    let row = |objective: &str, point: &FitPoint| {
        let (t, occurrence) = match point.at {
            At::Time(t) => (t.to_string(), String::new()),
            At::Occurrence(k) => (String::new(), k.to_string()),
        };
        vec![
            objective.to_string(),
            point.column.clone(),
            point.line.to_string(),
            t,
            occurrence,
            point.measured.to_string(),
            point.model.to_string(),
            point.residual().to_string(),
            (point.weight.sqrt() * point.residual()).to_string(),
        ]
    };
    Table {
        name: "residuals".to_string(),
        header: header.map(str::to_string).to_vec(),
        rows: fit
            .data
            .iter()
            .flat_map(|data| data.points.iter().map(|point| row(&data.objective, point)))
            .collect(),
    }
}

/// File stems and figures: values over time, and event times over the number of the event.
pub(super) fn figures(findings: &Findings, fit: &FitReport) -> Vec<(String, Figure)> {
    let points: Vec<&FitPoint> = fit.data.iter().flat_map(|data| &data.points).collect();
    let columns: Vec<&[&FitPoint]> = points.chunk_by(|a, b| a.column == b.column).collect();
    let is_timed = |column: &&&[&FitPoint]| matches!(column.first().map(|point| point.at), Some(At::Time(_)));
    let (timed, counted): (Vec<_>, Vec<_>) = columns.iter().partition(is_timed);
    let pages = |columns: Vec<&[&FitPoint]>, stem: &str, x_label: &str| -> Vec<(String, Figure)> {
        let page = |(k, columns): (usize, &[&[&FitPoint]])| {
            let number = if k == 0 { String::new() } else { format!("-{}", k + 1) };
            let figure = Figure {
                title: format!("{}: measured and modelled", findings.experiment.name),
                x_label: x_label.to_string(),
                panels: columns.iter().flat_map(|column| panels(column)).collect(),
                marks: Vec::new(),
            };
            (format!("{stem}{number}"), figure)
        };
        columns.chunks(COLUMNS).enumerate().map(page).collect()
    };
    let mut figures = pages(timed, "fit", "time (s)");
    figures.extend(pages(counted, "fit-events", "number of the event"));
    figures
}

/// Values and residuals of a column.
fn panels(points: &[&FitPoint]) -> [Panel; 2] {
    let place = |point: &FitPoint| match point.at {
        At::Time(t) => t,
        At::Occurrence(k) => k as f64,
    };
    let dots = |name: &str, value: &dyn Fn(&FitPoint) -> f64| Curve {
        name: name.to_string(),
        segments: points.iter().map(|point| vec![(place(point), value(point))]).collect(),
    };
    let column = points.first().map_or("", |point| point.column.as_str());
    let mut model: Vec<(f64, f64)> = points.iter().map(|point| (place(point), point.model)).collect();
    model.sort_by(|a, b| a.0.total_cmp(&b.0));
    let model = Curve {
        name: "model".to_string(),
        segments: vec![model],
    };
    [
        Panel {
            label: column.to_string(),
            curves: vec![model, dots("measured", &|point| point.measured)],
            log_y: false,
        },
        Panel {
            label: "model - measured".to_string(),
            curves: vec![dots("residual", &|point| point.residual())],
            log_y: false,
        },
    ]
}
