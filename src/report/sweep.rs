//! What a sweep found as a table and plots.

use crate::output::{Curve, Drawing, Figure, Map, Panel, Places, Table, plain};
use crate::run::labelled;
use crate::sweep::{Layout, Outcome, Row, SweepReport, Values};

/// Panels on one page.
const PANELS: usize = 6;

/// One row per point.
pub fn table(findings: &SweepReport) -> Table {
    let sweep = &findings.sweep;
    let rows = findings.rows.iter().map(|row| row.fields(sweep.values()));
    Table::new(&sweep.stem(), sweep.header(), rows)
}

/// The plots by file stem; none unless one or two parameters were varied over all points.
pub fn drawings(findings: &SweepReport) -> Vec<(String, Drawing)> {
    let sweep = &findings.sweep;
    let whole = findings.rows.len() == sweep.plan.count();
    match sweep.plan.ranges().len() {
        1 if whole => curves(findings),
        2 if whole => maps(findings),
        _ => Vec::new(),
    }
}

/// Name and unit of a varied parameter.
fn axis(findings: &SweepReport, k: usize) -> String {
    let sweep = &findings.sweep;
    let name = sweep.plan.ranges().get(k).map_or("", |range| range.name.as_str());
    let parameters = &sweep.experiment.mechanism.model.parameters;
    let unit = parameters.iter().find(|parameter| parameter.name == name);
    labelled(name, unit.map_or("", |parameter| &parameter.unit))
}

fn title(findings: &SweepReport, what: &str) -> String {
    format!("{}: {what}", findings.sweep.experiment.name)
}

/// The number of events, where there is a motion.
fn events(row: &Row) -> Option<usize> {
    match &row.outcome {
        Outcome::Done(values) => Some(values.events),
        Outcome::Failed(_) => None,
    }
}

/// What is drawn: the objectives, with their units, and the number of events, with a value for each row that has one.
fn shown(findings: &SweepReport) -> Vec<([String; 2], Vec<Option<f64>>)> {
    let column = |of: &dyn Fn(&Values) -> Option<f64>| {
        let value = |row: &Row| match &row.outcome {
            Outcome::Done(values) => of(values),
            Outcome::Failed(_) => None,
        };
        findings.rows.iter().map(value).collect()
    };
    let objectives = findings.sweep.objectives().into_iter().enumerate();
    let model = &findings.sweep.experiment.mechanism.model;
    let units = model.objective_units();
    let known = model.objectives.iter().zip(&units);
    let unit = |name: &str| {
        let found = known.clone().find(|(objective, _)| objective.name == name);
        found.and_then(|(_, unit)| unit.clone()).unwrap_or_default()
    };
    let objectives = objectives.map(|(k, name)| {
        let unit = unit(&name);
        ([name, unit], column(&|values| values.objectives.get(k).copied()))
    });
    let events = column(&|values| Some(values.events as f64));
    let name = ["number of events".to_string(), String::new()];
    objectives.chain([(name, events)]).collect()
}

/// Curves over one parameter, interrupted at points without a value and where the number of events changes: what is between
/// is no motion of either kind.
fn curves(findings: &SweepReport) -> Vec<(String, Drawing)> {
    let place = |k: usize| findings.rows[k].parameters.first().copied().unwrap_or_default();
    let mut order: Vec<usize> = (0..findings.rows.len()).collect();
    order.sort_by(|&a, &b| place(a).total_cmp(&place(b)));
    let panel = |([name, unit], values): ([String; 2], Vec<Option<f64>>)| {
        let kind = |k: usize| (values[k].is_some(), events(&findings.rows[k]));
        let pieces = order.chunk_by(|&a, &b| kind(a) == kind(b));
        let segments = pieces.map(|piece| piece.iter().filter_map(|&k| Some((place(k), values[k]?))).collect());
        let segments = segments.filter(|segment: &Vec<_>| !segment.is_empty());
        Panel::new(labelled(&name, &unit), vec![Curve::new(&name, segments.collect())])
    };
    let panels = shown(findings).into_iter().map(panel).collect();
    let pages = Figure::new(title(findings, "sweep"), axis(findings, 0), panels).pages("sweep", PANELS);
    pages.into_iter().map(|(stem, figure)| (stem, figure.into())).collect()
}

/// Maps over two parameters.
fn maps(findings: &SweepReport) -> Vec<(String, Drawing)> {
    let map = |(k, ([name, unit], values)): (usize, ([String; 2], Vec<Option<f64>>))| {
        let map = Map {
            title: title(findings, &name),
            x_label: axis(findings, 0),
            y_label: axis(findings, 1),
            places: places(findings),
            values,
            label: labelled(&name, &unit),
        };
        (format!("sweep-{}-{}", k + 1, plain(&name)), Drawing::Map(map))
    };
    shown(findings).into_iter().enumerate().map(map).collect()
}

fn places(findings: &SweepReport) -> Places {
    let plan = findings.sweep.plan;
    let coordinate = |row: &Row, k: usize| row.parameters.get(k).copied().unwrap_or_default();
    let rows = findings.rows.iter();
    match plan.layout() {
        Layout::Sample { .. } | Layout::Points(_) => {
            Places::Points(rows.map(|row| (coordinate(row, 0), coordinate(row, 1))).collect())
        }
        Layout::Grid(counts) => {
            let fast = counts.get(1).copied().unwrap_or(1).max(1);
            Places::Grid {
                x: rows.clone().step_by(fast).map(|row| coordinate(row, 0)).collect(),
                y: rows.take(fast).map(|row| coordinate(row, 1)).collect(),
            }
        }
    }
}
