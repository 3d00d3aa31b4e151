//! Tables and figures of measured data beside the motion.

use crate::model::MeasuredAt;
use crate::optimize::{FitReport, Optimized};
use crate::output::{Curve, Figure, Panel, Table, cell};
use crate::run::{FitData, FitPoint, MeasuredCurve};

/// Measured columns in one figure, each with a panel of residuals.
const COLUMNS: usize = 4;

/// `residuals.csv`: one row per measured value.
pub(super) fn residuals(fit: &FitReport) -> Table {
    let points = fit
        .data
        .iter()
        .flat_map(|data| data.points.iter().map(move |point| (data, point)));
    Table::of(
        "residuals",
        points,
        &[
            ("objective", &|(data, _)| data.objective.clone()),
            ("column", &|(_, point)| point.column.clone()),
            ("line", &|(_, point)| point.line.to_string()),
            ("t", &|(_, point)| cell(point.moment().0)),
            ("occurrence", &|(_, point)| cell(point.moment().1)),
            ("measured", &|(_, point)| point.measured.to_string()),
            ("model", &|(_, point)| point.model.to_string()),
            ("residual", &|(_, point)| point.residual().to_string()),
            ("weighted residual", &|(_, point)| {
                (point.weight.sqrt() * point.residual()).to_string()
            }),
        ],
    )
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
pub(super) fn figures(findings: &Optimized, fit: &FitReport, curves: &[MeasuredCurve]) -> Vec<(String, Figure)> {
    let (timed, counted): (Vec<_>, Vec<_>) = columns(fit, curves).into_iter().partition(Column::is_timed);
    let pages = |columns: Vec<Column>, stem: &str, x_label: &str| {
        let title = format!("{}: measured and modelled", findings.experiment.name);
        Figure::new(title, x_label, columns.iter().flat_map(panels).collect()).pages(stem, 2 * COLUMNS)
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
    let dots = |name: &str, value: &dyn Fn(&FitPoint) -> f64| {
        let dot = |point| vec![(place(point), value(point))];
        Curve::new(name, column.points.iter().map(dot).collect())
    };
    let model = match column.curve {
        Some(curve) => Curve::new("model", curve.pieces.clone()),
        None if column.is_timed() => dots("model", &|point| point.model),
        None => {
            let points = column.points.iter().map(|point| (place(point), point.model));
            Curve::new("model", vec![points.collect()])
        }
    };
    [
        Panel::new(&column.label, vec![model, dots("measured", &|point| point.measured)]),
        Panel::new("model - measured", vec![dots("residual", &|point| point.residual())]),
    ]
}
