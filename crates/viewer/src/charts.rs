//! Charts over time: their curves, the shown time, and the values under the mouse.

use kiss3d::egui::text::{LayoutJob, TextFormat, TextWrapping};
use kiss3d::egui::{
    Align2, Color32, Grid, Painter, PointerButton, Pos2, Rect, Response, RichText, Sense, Stroke, StrokeKind, Ui, vec2,
};

use super::beside::Beside;
use super::curves::{Curve, Subject};
use super::state::{Requests, Viewer};
use super::together::{Drawn, Together};
use super::widgets::{Chart, INK, in_unit, note, small};
use super::zoom::Zoom;
use crate::run::{Recording, Series, per_second};
use crate::scalar::short;

/// Least width of a chart, in points.
const NARROWEST: f32 = 140.0;
/// Height of a line of names.
const LINE: f32 = 13.0;
/// How much less charts show for a point of the wheel, as an exponent.
const WHEEL: f64 = 0.005;

/// The chosen outputs side by side, as many as there is room for, or the energy; curves of a motion that is kept are dashed. A click or
/// a drag goes to the time there, the wheel shows less or more of it, a drag with the right button moves that, a double click shows all.
pub(super) fn draw(ui: &mut Ui, viewer: &Viewer, requests: &mut Requests, height: f32) {
    let recording = &viewer.show.recording;
    let predicted = viewer.predicted_recording();
    let others = beside(viewer, predicted.as_ref());
    let (charts, beside) = viewer.plots.charts(recording, &others);
    let (response, painter) = ui.allocate_painter(vec2(ui.available_width(), height), Sense::click_and_drag());
    let room = (response.rect.width() / NARROWEST).max(1.0) as usize;
    let width = response.rect.width() / charts.len().min(room) as f32;
    let shown: Vec<Rect> = (0..charts.len().min(room))
        .map(|i| {
            let corner = Pos2::new(response.rect.left() + i as f32 * width, response.rect.top());
            Rect::from_min_size(corner, vec2(width - 8.0, height - 4.0))
        })
        .collect();
    let drawn: Vec<Together> = charts
        .iter()
        .enumerate()
        .take(shown.len())
        .map(|(i, curves)| {
            let others = others.iter().zip(&beside);
            let others = others.filter_map(|((kind, other), curves)| Some((*kind, *other, curves.get(i)?)));
            Together::new(viewer, (recording, curves), others)
        })
        .collect();
    let span = viewer.plots.zoom.span(viewer.playback.span());
    let pointed = pointed(&response, &shown, &drawn, span);
    follow(ui, viewer, requests, &response, (pointed, width));
    for (rect, drawn) in shown.iter().zip(&drawn) {
        let stroke = Stroke::new(1.0, Color32::from_gray(200));
        painter.rect_stroke(*rect, 2.0, stroke, StrokeKind::Inside);
        draw_curves(&painter, *rect, drawn, viewer, pointed);
    }
    if viewer.plots.subject == Subject::Balance && charts.iter().all(Vec::is_empty) {
        note(
            &painter,
            response.rect,
            Align2::CENTER_CENTER,
            [0.0; 2],
            viewer.account.describe(),
        );
        return;
    }
    if let Some(t) = pointed {
        let is_held = response.is_pointer_button_down_on() && ui.input(|input| input.pointer.primary_down());
        requests.when(is_held, move |viewer| viewer.playback.seek(t));
        response.on_hover_ui_at_pointer(|ui| values(ui, t, &drawn));
    }
}

/// The motions whose curves are drawn beside those of the shown one: the kept one, and the outputs of the predicted one.
fn beside<'a>(viewer: &'a Viewer, predicted: Option<&'a Recording>) -> Vec<(Beside, &'a Recording)> {
    let kept = viewer.kept.others.first().map(|kept| &kept.show.recording);
    let predicted = predicted.filter(|_| viewer.plots.subject == Subject::Outputs);
    let others = [(Beside::Kept, kept), (Beside::Predicted, predicted)].into_iter();
    others.filter_map(|(kind, found)| Some((kind, found?))).collect()
}

/// What the lines mean that are not those of the shown motion.
pub(super) fn legend(ui: &mut Ui, viewer: &Viewer) {
    let predicted = viewer.predicted_recording();
    for (kind, _) in beside(viewer, predicted.as_ref()) {
        ui.label(RichText::new(format!("{}: {}", kind.lines(), kind.word())).font(small()));
    }
}

/// What the mouse asks for in charts of this width: the wheel less or more about the pointed time, a drag with the right button another
/// part, a double click all.
fn follow(ui: &Ui, viewer: &Viewer, requests: &mut Requests, response: &Response, chart: (Option<f64>, f32)) {
    let (pointed, width) = chart;
    let (whole, zoom) = (viewer.playback.span(), viewer.plots.zoom);
    let (from, to) = zoom.span(whole);
    let t = pointed.unwrap_or(viewer.playback.t()).clamp(from, to);
    let wheel = ui.input(|input| f64::from(input.smooth_scroll_delta().y));
    requests.when(response.hovered() && wheel != 0.0, move |viewer| {
        viewer.plots.zoom.scale(whole, t, (-WHEEL * wheel).exp());
    });
    let by = -f64::from(response.drag_delta().x / width) * (to - from);
    requests.when(response.dragged_by(PointerButton::Secondary), move |viewer| {
        viewer.plots.zoom.shift(whole, by);
    });
    requests.when(response.double_clicked(), |viewer| viewer.plots.zoom = Zoom::default());
}

/// Where the curves of a chart lie, below so many lines of names.
fn inner(rect: Rect, lines: usize) -> Rect {
    let mut inner = rect.shrink2(vec2(2.0, 16.0));
    inner.min.y += LINE * lines.saturating_sub(1) as f32;
    inner
}

/// The time that the mouse points at in one of the charts; of curves over an output that of the nearest point.
fn pointed(response: &Response, rects: &[Rect], charts: &[Together], span: (f64, f64)) -> Option<f64> {
    let pointer = response.interact_pointer_pos().or(response.hover_pos())?;
    let below = rects.iter().rposition(|rect| rect.left() <= pointer.x).unwrap_or(0);
    let (rect, chart) = (inner(*rects.get(below)?, 1), charts.get(below)?);
    let part = |along: f32, length: f32| f64::from(along / length.max(1.0)).clamp(0.0, 1.0);
    let across = part(pointer.x - rect.left(), rect.width());
    if chart.over.is_none() {
        return Some(span.0 + across * (span.1 - span.0));
    }
    let up = part(rect.bottom() - pointer.y, rect.height());
    chart.nearest([across, up], rect.size(), span)
}

fn draw_curves(painter: &Painter, rect: Rect, drawn: &Together, viewer: &Viewer, pointed: Option<f64>) {
    let (t, span) = (viewer.playback.t(), viewer.plots.zoom.span(viewer.playback.span()));
    let Together { own, others, over } = drawn;
    let (Drawn { recording, curves, .. }, over) = (*own, *over);
    let Some([across, up]) = drawn.edges(span) else {
        return;
    };
    let read = |values: &[f64], t: f64| recording.read(values, t).map_or(f64::NAN, |(value, _)| value);
    let texts: Vec<(&Curve, String)> = curves
        .iter()
        .map(|curve| (curve, in_unit(read(&curve.values, t), curve.unit)))
        .collect();
    let (lines, right) = names(painter, rect, &texts);
    let chart = Chart {
        painter,
        rect: inner(rect, lines),
        across,
        up,
    };
    let unit = curves.first().map_or("", |curve| curve.unit);
    draw_ends(painter, rect, up, unit, (lines, right));
    note(
        painter,
        rect,
        Align2::LEFT_BOTTOM,
        [4.0, 1.0],
        &foot(viewer, over, (across, span)),
    );
    let is_shown = |t: &f64| (span.0..=span.1).contains(t);
    let times = [Some((t, 120)), pointed.map(|t| (t, 60))].into_iter().flatten();
    for (t, grey) in times.filter(|(t, _)| over.is_none() && is_shown(t)) {
        let height = chart.rect.top() - 2.0..=rect.bottom();
        let stroke = Stroke::new(1.0, Color32::from_gray(grey));
        painter.vline(chart.place(t, up.0).x, height, stroke);
    }
    // What is predicted far off would make everything else small: it ends at the edges.
    let is_outside = |point: &(f64, f64)| !(up.0..=up.1).contains(&point.1);
    for (kind, other) in others {
        for curve in other.curves {
            for points in other.points(curve, span) {
                let inside = points.split(is_outside);
                inside.for_each(|part| chart.dashed(part.iter().copied(), curve.colour, kind.dashes()));
            }
        }
    }
    for curve in curves {
        own.points(curve, span)
            .for_each(|points| chart.curve(points.into_iter(), curve.colour));
        let place = |t: f64| {
            let x = if over.is_some() { read(own.over, t) } else { t };
            chart.place(x, read(&curve.values, t))
        };
        if is_shown(&t) {
            painter.circle_filled(place(t), 3.0, curve.colour);
        }
        if let Some(t) = pointed {
            painter.circle_stroke(place(t), 3.0, Stroke::new(1.0, curve.colour));
        }
    }
}

/// What is at the left and the right end, unless it is the start and the end of the motion.
fn foot(viewer: &Viewer, over: Option<&Series>, (across, span): ((f64, f64), (f64, f64))) -> String {
    match over {
        Some(Series { name, unit, .. }) => format!("over {name}: {} to {}", short(across.0), in_unit(across.1, unit)),
        None if viewer.plots.zoom.is_part() => format!("{} to {} s", short(span.0), short(span.1)),
        None => String::new(),
    }
}

/// The least and the greatest value in their unit, beside or below the names, which have so many lines and end there.
fn draw_ends(painter: &Painter, rect: Rect, (low, high): (f64, f64), unit: &str, (lines, right): (usize, f32)) {
    let [low, high] = [low, high].map(|value| in_unit(value, unit));
    // In a narrow chart the names reach as far as the greatest value would.
    let beside = right + painter.layout_no_wrap(high.clone(), small(), INK).size().x < rect.right() - 8.0;
    let below = if beside { lines - 1 } else { lines } as f32 * LINE;
    note(painter, rect, Align2::RIGHT_TOP, [4.0, 1.0 + below], &high);
    note(painter, rect, Align2::RIGHT_BOTTOM, [4.0, 1.0], &low);
}

/// Names with their values, on as many lines as they need, long names cut short; how many lines, and where the last one ends.
fn names(painter: &Painter, rect: Rect, texts: &[(&Curve, String)]) -> (usize, f32) {
    let (start, end) = (rect.left() + 4.0, rect.right() - 4.0);
    let (mut lines, mut left) = (1, start);
    for (curve, value) in texts {
        let ink = if texts.len() > 1 { curve.colour } else { INK };
        let value = painter.layout_no_wrap(format!(" = {value}"), small(), ink);
        let mut job = LayoutJob::single_section(curve.name.to_string(), TextFormat::simple(small(), ink));
        job.wrap = TextWrapping::truncate_at_width((end - start - value.size().x).max(0.0));
        let name = painter.layout_job(job);
        let (middle, width) = (name.size().x, name.size().x + value.size().x);
        if left > start && left + width > end {
            (lines, left) = (lines + 1, start);
        }
        let at = Pos2::new(left, rect.top() + 1.0 + LINE * (lines - 1) as f32);
        painter.galley(at, name, ink);
        painter.galley(at + vec2(middle, 0.0), value, ink);
        left += width + 16.0;
    }
    (lines, left - 16.0)
}

/// Values and rates at a time in charts.
fn values(ui: &mut Ui, t: f64, charts: &[Together]) {
    let cell = |ui: &mut Ui, text: String, ink: Color32| ui.label(RichText::new(text).font(small()).color(ink));
    Grid::new("values").num_columns(3).spacing([12.0, 1.0]).show(ui, |ui| {
        cell(ui, format!("t = {t:.4} s"), INK);
        cell(ui, "value".to_string(), INK);
        cell(ui, "rate".to_string(), INK);
        ui.end_row();
        for (kind, drawn) in charts.iter().flat_map(Together::all) {
            let before = kind.map_or(String::new(), |kind| format!("{}: ", kind.word()));
            for curve in drawn.curves {
                let Some((value, rate)) = drawn.recording.read(&curve.values, t) else {
                    continue;
                };
                cell(ui, format!("{before}{}", curve.name), curve.colour);
                cell(ui, in_unit(value, curve.unit), INK);
                let rate = rate.map_or("-".to_string(), |rate| in_unit(rate, &per_second(curve.unit)));
                cell(ui, rate, INK);
                ui.end_row();
            }
        }
    });
}
