//! Tables and figures of measured data beside the motion.

use super::Findings;
use crate::model::MeasuredAt;
use crate::optimize::FitReport;
use crate::output::{Curve, Figure, Panel, Table};
use crate::run::{FitData, FitPoint, MeasuredCurve};

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
            MeasuredAt::Time(t) => (t.to_string(), String::new()),
            MeasuredAt::Occurrence(k) => (String::new(), k.to_string()),
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

/// A measured column: its objective and its values.
struct Column<'a> {
    objective: &'a str,
    points: &'a [FitPoint],
    /// What the motion gives at any time, if that is known.
    curve: Option<&'a MeasuredCurve>,
    /// Name of the column, with that of the objective where there are several.
    label: String,
}

impl Column<'_> {
    fn is_timed(&self) -> bool {
        matches!(self.points.first().map(|point| point.at), Some(MeasuredAt::Time(_)))
    }
}

/// File stems and figures: values over time, and event times over the number of the event.
pub(super) fn figures(findings: &Findings, fit: &FitReport, curves: &[MeasuredCurve]) -> Vec<(String, Figure)> {
    let (timed, counted): (Vec<_>, Vec<_>) = columns(fit, curves).into_iter().partition(Column::is_timed);
    let pages = |columns: Vec<Column>, stem: &str, x_label: &str| -> Vec<(String, Figure)> {
        let page = |(k, columns): (usize, &[Column])| {
            let number = if k == 0 { String::new() } else { format!("-{}", k + 1) };
            let figure = Figure {
                title: format!("{}: measured and modelled", findings.experiment.name),
                x_label: x_label.to_string(),
                panels: columns.iter().flat_map(panels).collect(),
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

fn columns<'a>(fit: &'a FitReport, curves: &'a [MeasuredCurve]) -> Vec<Column<'a>> {
    let mut columns = Vec::new();
    for FitData { objective, points, .. } in &fit.data {
        for points in points.chunk_by(|a, b| a.column == b.column) {
            let name = points.first().map_or("", |point| point.column.as_str());
            columns.push(Column {
                objective,
                points,
                curve: curves
                    .iter()
                    .find(|curve| curve.objective == *objective && curve.column == name),
                label: name.to_string(),
            });
        }
    }
    if fit.data.len() > 1 {
        for column in &mut columns {
            column.label = format!("{}: {}", column.objective, column.label);
        }
    }
    columns
}

/// Values and residuals of a column.
fn panels(column: &Column) -> [Panel; 2] {
    let place = |point: &FitPoint| match point.at {
        MeasuredAt::Time(t) => t,
        MeasuredAt::Occurrence(k) => k as f64,
    };
    let dots = |name: &str, value: &dyn Fn(&FitPoint) -> f64| Curve {
        name: name.to_string(),
        segments: column
            .points
            .iter()
            .map(|point| vec![(place(point), value(point))])
            .collect(),
    };
    let model = match column.curve {
        Some(curve) => Curve {
            name: "model".to_string(),
            segments: curve.pieces.clone(),
        },
        None if column.is_timed() => dots("model", &|point| point.model),
        None => Curve {
            name: "model".to_string(),
            segments: vec![column.points.iter().map(|point| (place(point), point.model)).collect()],
        },
    };
    [
        Panel {
            label: column.label.clone(),
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
