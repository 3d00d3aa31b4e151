//! The panel of the optimization: its goal, its course, and what to do with its result.

use kiss3d::egui::{Align2, Button, Color32, Grid, Painter, Pos2, Rect, RichText, Sense, Stroke, StrokeKind, Ui, vec2};

use super::keys::Request;
use super::optimizing::Optimizing;
use super::panels::{WARNING, short, small};
use super::state::Viewer;
use crate::optimize::{Iteration, goal};
use crate::scene::compiled::Optimization;

/// Height of the chart of the cost.
const CHART: f32 = 130.0;
/// Greatest over least cost from which the scale is logarithmic.
const MANY: f64 = 30.0;
const CURVE: Color32 = Color32::from_rgb(0x35, 0x6a, 0x9c);
const INK: Color32 = Color32::from_gray(40);

pub(super) fn draw(ui: &mut Ui, viewer: &Viewer, requests: &mut Vec<Request>) {
    let running = viewer.optimizing.as_ref();
    let given = viewer.show.experiment.optimization.as_ref();
    let Some(optimization) = running.map(Optimizing::optimization).or(given) else {
        return explain(ui, viewer);
    };
    ui.label(format!("minimize {}", goal(optimization)));
    buttons(ui, viewer, requests);
    match running {
        Some(running) => {
            course(ui, running);
            chart(ui, &running.history);
            values(ui, optimization, running.history.last());
        }
        None => values(ui, optimization, None),
    }
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

fn buttons(ui: &mut Ui, viewer: &Viewer, requests: &mut Vec<Request>) {
    let running = viewer.optimizing.as_ref();
    let is_running = running.is_some_and(|running| !running.is_over());
    let has_result = running.is_some_and(|running| matches!(running.report(), Some(Ok(_))));
    ui.horizontal(|ui| {
        let start = if is_running { "stop" } else { "start" };
        for (text, enabled, request) in [
            (start, true, Request::Optimize),
            ("keep", has_result, Request::Keep),
            ("discard", running.is_some() && !is_running, Request::Discard),
            ("save", has_result, Request::Save),
        ] {
            if ui.add_enabled(enabled, Button::new(text)).clicked() {
                requests.push(request);
            }
        }
        if is_running {
            ui.spinner();
        }
    });
}

/// In words: how far it is, or how it ended.
fn course(ui: &mut Ui, running: &Optimizing) {
    match (running.report(), running.history.last()) {
        (Some(Ok(report)), _) => {
            let (before, after) = (short(report.initial.value), short(report.best.value));
            ui.label(format!("{}: {before} -> {after}", report.status.words()));
        }
        (Some(Err(error)), _) => {
            ui.colored_label(WARNING, error.message());
        }
        (None, Some(last)) => {
            ui.label(format!("iteration {}: {}", last.number, short(last.value)));
        }
        (None, None) => {
            ui.label("starting");
        }
    }
}

/// What is minimized over the iterations.
fn chart(ui: &mut Ui, history: &[Iteration]) {
    let (response, painter) = ui.allocate_painter(vec2(ui.available_width(), CHART), Sense::hover());
    let rect = response.rect.shrink(1.0);
    let inner = Rect::from_min_max(rect.min + vec2(2.0, 16.0), rect.max - vec2(2.0, 16.0));
    painter.rect_stroke(rect, 0.0, Stroke::new(1.0, Color32::from_gray(170)), StrokeKind::Inside);
    let values = history.iter().map(|iteration| iteration.value);
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        return;
    }
    let is_logarithmic = low > 0.0 && high / low > MANY;
    let height = |value: f64| if is_logarithmic { value.log10() } else { value };
    let span = (height(high) - height(low)).max(f64::MIN_POSITIVE);
    let last = history.len().saturating_sub(1).max(1) as f32;
    let place = |k: usize, value: f64| {
        let up = ((height(value) - height(low)) / span) as f32;
        Pos2::new(
            inner.left() + k as f32 / last * inner.width(),
            inner.bottom() - up * inner.height(),
        )
    };
    let points: Vec<Pos2> = history.iter().enumerate().map(|(k, one)| place(k, one.value)).collect();
    for (point, iteration) in points.iter().zip(history) {
        // Hollow where the motion gained or lost events.
        match iteration.events_changed {
            true => painter.circle_stroke(*point, 3.5, Stroke::new(1.5, CURVE)),
            false => painter.circle_filled(*point, 2.5, CURVE),
        };
    }
    painter.line(points, Stroke::new(1.5, CURVE));
    let scale = if is_logarithmic { " (logarithmic)" } else { "" };
    numbers(
        &painter,
        rect,
        [&short(high), &short(low)],
        &format!("iterations: {}{scale}", history.len() - 1),
    );
    response.on_hover_text("what is minimized over the iterations; hollow where the sequence of events changed");
}

fn numbers(painter: &Painter, rect: Rect, [high, low]: [&str; 2], below: &str) {
    let at = rect.left_top() + vec2(4.0, 2.0);
    painter.text(at, Align2::LEFT_TOP, high, small(), INK);
    let at = rect.left_bottom() + vec2(4.0, -2.0);
    painter.text(at, Align2::LEFT_BOTTOM, low, small(), INK);
    let at = rect.right_bottom() + vec2(-4.0, -2.0);
    painter.text(at, Align2::RIGHT_BOTTOM, below, small(), INK);
}

/// The variables at the start and now.
fn values(ui: &mut Ui, optimization: &Optimization, now: Option<&Iteration>) {
    ui.label(RichText::new("over").strong());
    Grid::new("variables").num_columns(3).show(ui, |ui| {
        for (k, variable) in optimization.variables.iter().enumerate() {
            ui.label(&variable.name);
            ui.label(short(variable.start));
            if let Some(value) = now.and_then(|now| now.parameters.get(k)) {
                ui.label(format!("-> {}", short(*value)));
            }
            ui.end_row();
        }
    });
}
