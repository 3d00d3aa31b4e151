//! The panel of the optimization: its goal, its course, and what to do with its result.

use kiss3d::egui::{Align2, Button, Color32, Grid, RichText, Sense, Stroke, StrokeKind, Ui, vec2};
use kiss3d::event::Key;

use super::optimizing::Optimizing;
use super::state::{Requests, Viewer};
use super::widgets::{BLUE, Chart, WARNING, in_unit, note, range, small};
use crate::optimize::{Iteration, Optimization, goal};
use crate::scalar::short;

/// Height of the chart of the cost.
const CHART: f32 = 130.0;
/// Greatest over least cost from which the scale is logarithmic.
const MANY: f64 = 30.0;

pub(super) fn draw(ui: &mut Ui, viewer: &Viewer, requests: &mut Requests) {
    let running = viewer.optimizing.as_ref();
    let given = viewer.show.experiment.optimization.as_ref();
    let Some(optimization) = running.map(|running| &running.optimization).or(given) else {
        return explain(ui, viewer);
    };
    ui.label(format!("minimize {}", goal(optimization)));
    buttons(ui, viewer, requests);
    if let Some(running) = running {
        course(ui, running);
        let about = "what is minimized over the iterations; hollow where the sequence of events changed";
        chart(ui, &running.history, about, |iteration| iteration.value);
    }
    values(ui, optimization, running.and_then(Optimizing::parameters));
    limits(ui, optimization, running);
    if optimization.starts > 1 {
        ui.weak("one start, from the values shown; `costate optimize` makes all");
    }
    if let Some(note) = &viewer.note {
        ui.label(note);
    }
}

/// What to write into a scene that says nothing about it.
fn explain(ui: &mut Ui, viewer: &Viewer) {
    ui.label("The scene does not say what to optimize. Write into it, for example:");
    let objective = viewer.show.report.objectives.first();
    let objective = objective.map_or("name of an objective", |(name, _)| name);
    let parameter = viewer.show.model().parameters.first();
    let parameter = parameter.map_or("name of a parameter", |parameter| parameter.name.as_str());
    ui.monospace(format!(
        "optimization: (\n  minimize: \"{objective}\",\n  over: [\"{parameter}\"],\n),"
    ));
    ui.weak("docs/optimization.md tells more");
}

fn buttons(ui: &mut Ui, viewer: &Viewer, requests: &mut Requests) {
    let running = viewer.optimizing.as_ref();
    let is_running = running.is_some_and(|running| !running.is_over());
    let has_result = running.is_some_and(|running| matches!(running.report, Some(Ok(_))));
    ui.horizontal(|ui| {
        let start = if is_running { "stop" } else { "start" };
        for (text, enabled, key) in [
            (start, true, Key::Return),
            ("keep", has_result, Key::K),
            ("discard", running.is_some() && !is_running, Key::D),
            ("save", has_result, Key::S),
        ] {
            requests.key(ui.add_enabled(enabled, Button::new(text)).clicked(), key);
        }
        if is_running {
            ui.spinner();
        }
    });
}

/// In words: how far it is, or how it ended.
fn course(ui: &mut Ui, running: &Optimizing) {
    let text = match (&running.report, running.history.last()) {
        (Some(Ok(report)), _) => {
            let (before, after) = (short(report.initial.value), short(report.best.value));
            format!("{}: {before} -> {after}", report.status.words())
        }
        (Some(Err(error)), _) => {
            ui.colored_label(WARNING, error.message());
            return;
        }
        (None, Some(last)) => format!("iteration {}: {}", last.number, short(last.value)),
        (None, None) => "starting".to_string(),
    };
    ui.label(text);
}

/// A value over the iterations.
fn chart(ui: &mut Ui, history: &[Iteration], about: &str, value: impl Fn(&Iteration) -> f64) {
    let (response, painter) = ui.allocate_painter(vec2(ui.available_width(), CHART), Sense::hover());
    let rect = response.rect.shrink(1.0);
    painter.rect_stroke(rect, 0.0, Stroke::new(1.0, Color32::from_gray(170)), StrokeKind::Inside);
    let Some((low, high)) = range(history.iter().map(&value)) else {
        return;
    };
    let is_logarithmic = low > 0.0 && high / low > MANY;
    let height = |value: f64| if is_logarithmic { value.log10() } else { value };
    let chart = Chart {
        painter: &painter,
        rect: rect.shrink2(vec2(2.0, 16.0)),
        across: (0.0, history.len().saturating_sub(1).max(1) as f64),
        up: (height(low), height(high)),
    };
    let points = || {
        history
            .iter()
            .enumerate()
            .map(|(k, one)| (k as f64, height(value(one))))
    };
    for ((k, height), iteration) in points().zip(history) {
        let point = chart.place(k, height);
        // Hollow where the motion gained or lost events.
        match iteration.events_changed {
            true => painter.circle_stroke(point, 3.5, Stroke::new(1.5, BLUE)),
            false => painter.circle_filled(point, 2.5, BLUE),
        };
    }
    chart.curve(points(), BLUE);
    let scale = if is_logarithmic { " (logarithmic)" } else { "" };
    let iterations = format!("iterations: {}{scale}", history.len() - 1);
    for (corner, text) in [
        (Align2::LEFT_TOP, short(high)),
        (Align2::LEFT_BOTTOM, short(low)),
        (Align2::RIGHT_BOTTOM, iterations),
    ] {
        note(&painter, rect, corner, [4.0, 2.0], &text);
    }
    response.on_hover_text(about);
}

/// The variables at the start and now, and which of them are at a bound.
fn values(ui: &mut Ui, optimization: &Optimization, now: Option<&[f64]>) {
    ui.label(RichText::new("over").strong());
    Grid::new("variables").num_columns(4).show(ui, |ui| {
        for (k, variable) in optimization.variables.iter().enumerate() {
            ui.label(&variable.name);
            ui.label(short(variable.start));
            if let Some(value) = now.and_then(|now| now.get(k)) {
                ui.label(format!("-> {}", in_unit(*value, &variable.unit)));
                if variable.on_bounds(*value).contains(&true) {
                    ui.weak("its bound");
                }
            }
            ui.end_row();
        }
    });
}

/// What has limits, its value, and by how much that misses them; the largest violation over the iterations where there was one.
fn limits(ui: &mut Ui, optimization: &Optimization, running: Option<&Optimizing>) {
    if optimization.limits.is_empty() {
        return;
    }
    ui.label(RichText::new("limits").strong());
    let now = running.map_or_else(Vec::new, Optimizing::limited);
    Grid::new("limits").num_columns(3).show(ui, |ui| {
        for (k, limit) in optimization.limits.iter().enumerate() {
            ui.label(limit.name());
            ui.label(now.get(k).map_or_else(String::new, |value| short(*value)));
            ui.label(limit.rule());
            ui.end_row();
            let missed = now.get(k).map(|value| limit.violation(*value));
            if let Some(missed) = missed.filter(|missed| *missed > optimization.stopping.violation) {
                ui.label("");
                ui.colored_label(WARNING, format!("missed by {}", short(missed)));
                ui.end_row();
            }
        }
    });
    let is_missed = |running: &&Optimizing| {
        let mut missed = running.history.iter().map(|iteration| iteration.violation);
        missed.any(|missed| missed > optimization.stopping.violation)
    };
    if let Some(running) = running.filter(is_missed) {
        ui.label(RichText::new("largest violation").font(small()));
        let about = "the largest violation of a limit over the iterations";
        chart(ui, &running.history, about, |iteration| iteration.violation);
    }
}
