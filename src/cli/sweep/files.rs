//! The files that `sweep --out` writes.

use std::path::Path;

use super::Findings;
use crate::error::Result;
use crate::output::{Curve, Drawing, Figure, Map, Panel, Places, Table, plain, write_files};
use crate::sweep::{Layout, Outcome, Row, Values};

/// Panels on one page.
const PANELS: usize = 6;

/// Writes the table in the order of the points and, once all of them are there, the plots for one or two parameters;
/// returns the number of files.
pub(super) fn write(findings: &Findings, folder: &Path) -> Result<usize> {
    let sweep = &findings.sweep;
    let rows = findings.rows.iter().map(|row| row.fields(sweep.values()));
    let table = Table::new(&sweep.stem(), sweep.header(), rows);
    let whole = findings.rows.len() == sweep.plan.count();
    let drawings: Vec<(String, Drawing)> = match sweep.plan.ranges().len() {
        1 if whole => curves(findings),
        2 if whole => maps(findings),
        _ => Vec::new(),
    };
    Ok(write_files(&[table], &drawings, &[], folder)?.len())
}

/// Name and unit of a varied parameter.
fn axis(findings: &Findings, k: usize) -> String {
    let sweep = &findings.sweep;
    let name = sweep.plan.ranges().get(k).map_or("", |range| range.name.as_str());
    let parameters = &sweep.experiment.mechanism.model.parameters;
    match parameters.iter().find(|parameter| parameter.name == name) {
        Some(parameter) if !parameter.unit.is_empty() => format!("{name} ({})", parameter.unit),
        _ => name.to_string(),
    }
}

fn title(findings: &Findings, what: &str) -> String {
    format!("{}: {what}", findings.sweep.experiment.name)
}

/// The objectives and the number of events over one parameter, interrupted at points without a value.
fn curves(findings: &Findings) -> Vec<(String, Drawing)> {
    let mut rows: Vec<&Row> = findings.rows.iter().collect();
    let value = |row: &Row| row.parameters.first().copied().unwrap_or_default();
    rows.sort_by(|a, b| value(a).total_cmp(&value(b)));
    let pieces: Vec<&[&Row]> = rows.split(|row| matches!(row.outcome, Outcome::Failed(_))).collect();
    let panel = |label: &str, of: &dyn Fn(&Values) -> Option<f64>| {
        let point = |row: &&Row| match &row.outcome {
            Outcome::Done(values) => Some((value(row), of(values)?)),
            Outcome::Failed(_) => None,
        };
        let segments = pieces.iter().map(|piece| piece.iter().filter_map(point).collect());
        Panel::new(label, vec![Curve::new(label, segments.collect())])
    };
    let objectives = findings.sweep.objectives();
    let mut panels: Vec<Panel> = objectives
        .iter()
        .enumerate()
        .map(|(k, name)| panel(name, &|values| values.objectives.get(k).copied()))
        .collect();
    panels.push(panel("number of events", &|values| Some(values.events as f64)));
    let pages = Figure::new(title(findings, "sweep"), axis(findings, 0), panels).pages("sweep", PANELS);
    pages.into_iter().map(|(stem, figure)| (stem, figure.into())).collect()
}

/// A map of each objective, and of the number of events, over two parameters.
fn maps(findings: &Findings) -> Vec<(String, Drawing)> {
    let objectives = findings.sweep.objectives();
    let map = |number: usize, label: &str, of: &dyn Fn(&Values) -> Option<f64>| {
        let value = |row: &Row| match &row.outcome {
            Outcome::Done(values) => of(values),
            Outcome::Failed(_) => None,
        };
        let map = Map {
            title: title(findings, label),
            x_label: axis(findings, 0),
            y_label: axis(findings, 1),
            label: label.to_string(),
            places: places(findings),
            values: findings.rows.iter().map(value).collect(),
        };
        (format!("sweep-{}-{}", number + 1, plain(label)), Drawing::Map(map))
    };
    let mut maps: Vec<(String, Drawing)> = objectives
        .iter()
        .enumerate()
        .map(|(k, name)| map(k, name, &|values| values.objectives.get(k).copied()))
        .collect();
    maps.push(map(objectives.len(), "number of events", &|values| {
        Some(values.events as f64)
    }));
    maps
}

fn places(findings: &Findings) -> Places {
    let plan = findings.sweep.plan;
    let coordinate = |row: &Row, k: usize| row.parameters.get(k).copied().unwrap_or_default();
    match plan.layout() {
        Layout::Sample { .. } => Places::Points(
            findings
                .rows
                .iter()
                .map(|row| (coordinate(row, 0), coordinate(row, 1)))
                .collect(),
        ),
        Layout::Grid(counts) => {
            let fast = counts.get(1).copied().unwrap_or(1).max(1);
            Places::Grid {
                x: findings
                    .rows
                    .iter()
                    .step_by(fast)
                    .map(|row| coordinate(row, 0))
                    .collect(),
                y: findings.rows.iter().take(fast).map(|row| coordinate(row, 1)).collect(),
            }
        }
    }
}
