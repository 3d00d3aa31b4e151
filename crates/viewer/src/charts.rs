//! Charts over time: their curves, the shown time, and the values under the mouse.

use kiss3d::egui::text::{LayoutJob, TextFormat, TextWrapping};
use kiss3d::egui::{
    Align2, Color32, Grid, Painter, Pos2, Rect, Response, RichText, Sense, Stroke, StrokeKind, Ui, vec2,
};

use super::curves::{Curve, Curves, Subject};
use super::state::{Requests, Viewer};
use super::widgets::{Chart, INK, in_unit, note, range, small};
use crate::run::{Recording, per_second};

/// Least width of a chart, in points.
const NARROWEST: f32 = 140.0;
/// Height of a line of names.
const LINE: f32 = 13.0;

/// A recording with the curves of one of its charts.
type Drawn<'a> = (&'a Recording, &'a Curves<'a>);

/// The chosen outputs side by side, as many as there is room for, or the energy; curves of a motion that is kept are dashed. A click or
/// a drag goes to the time there.
pub(super) fn draw(ui: &mut Ui, viewer: &Viewer, requests: &mut Requests, height: f32) {
    let recording = &viewer.show.recording;
    let kept = viewer.kept.others.first().map(|kept| &kept.show.recording);
    let (charts, beside) = viewer.plots.charts(recording, kept);
    let (response, painter) = ui.allocate_painter(vec2(ui.available_width(), height), Sense::click_and_drag());
    let room = (response.rect.width() / NARROWEST).max(1.0) as usize;
    let width = response.rect.width() / charts.len().min(room) as f32;
    let shown: Vec<Rect> = (0..charts.len().min(room))
        .map(|i| {
            let corner = Pos2::new(response.rect.left() + i as f32 * width, response.rect.top());
            Rect::from_min_size(corner, vec2(width - 8.0, height - 4.0))
        })
        .collect();
    let pointed = pointed(&response, &shown, viewer.playback.span());
    for (i, (rect, curves)) in shown.iter().zip(&charts).enumerate() {
        painter.rect_stroke(
            *rect,
            2.0,
            Stroke::new(1.0, Color32::from_gray(200)),
            StrokeKind::Inside,
        );
        let kept = kept.zip(beside.get(i));
        draw_curves(&painter, *rect, (recording, curves), kept, viewer, pointed);
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
        requests.when(response.is_pointer_button_down_on(), move |viewer| {
            viewer.playback.seek(t)
        });
        let kept = kept.map(|kept| (kept, &beside[..]));
        response.on_hover_ui_at_pointer(|ui| values(ui, t, (recording, &charts[..shown.len()]), kept));
    }
}

/// Where the curves of a chart lie, below so many lines of names.
fn inner(rect: Rect, lines: usize) -> Rect {
    let mut inner = rect.shrink2(vec2(2.0, 16.0));
    inner.min.y += LINE * lines.saturating_sub(1) as f32;
    inner
}

/// The time that the mouse points at in one of the charts.
fn pointed(response: &Response, charts: &[Rect], (start, end): (f64, f64)) -> Option<f64> {
    let pointer = response.interact_pointer_pos().or(response.hover_pos())?;
    let rect = charts
        .iter()
        .rev()
        .find(|rect| rect.left() <= pointer.x)
        .or(charts.first())?;
    let across = inner(*rect, 1).x_range();
    let part = f64::from((pointer.x - across.min) / across.span().max(1.0)).clamp(0.0, 1.0);
    Some(start + part * (end - start))
}

fn draw_curves(
    painter: &Painter,
    rect: Rect,
    (recording, curves): Drawn,
    kept: Option<Drawn>,
    viewer: &Viewer,
    pointed: Option<f64>,
) {
    let t = viewer.playback.t();
    let kept_curves = kept.iter().flat_map(|(_, curves)| curves.iter());
    let all = curves
        .iter()
        .chain(kept_curves)
        .flat_map(|curve| curve.values.iter().copied());
    let Some((low, high)) = range(all) else { return };
    let read = |curve: &Curve, t: f64| recording.read(&curve.values, t).map_or(f64::NAN, |(value, _)| value);
    let texts: Vec<(&Curve, String)> = curves
        .iter()
        .map(|curve| (curve, in_unit(read(curve, t), curve.unit)))
        .collect();
    let (lines, right) = names(painter, rect, &texts);
    let chart = Chart {
        painter,
        rect: inner(rect, lines),
        across: viewer.playback.span(),
        up: (low, if high > low { high } else { low + 1.0 }),
    };
    draw_ends(
        painter,
        rect,
        (low, high),
        curves.first().map_or("", |curve| curve.unit),
        (lines, right),
    );
    for (t, grey) in [Some((t, 120)), pointed.map(|t| (t, 60))].into_iter().flatten() {
        let height = chart.rect.top() - 2.0..=rect.bottom();
        let stroke = Stroke::new(1.0, Color32::from_gray(grey));
        painter.vline(chart.place(t, low).x, height, stroke);
    }
    for (recording, curve) in kept
        .iter()
        .flat_map(|(kept, curves)| curves.iter().map(|curve| (*kept, curve)))
    {
        segments(recording, curve, &chart, |points| chart.dashed(points, curve.colour));
    }
    for curve in curves {
        segments(recording, curve, &chart, |points| chart.curve(points, curve.colour));
        painter.circle_filled(chart.place(t, read(curve, t)), 3.0, curve.colour);
        if let Some(t) = pointed {
            painter.circle_stroke(chart.place(t, read(curve, t)), 3.0, Stroke::new(1.0, curve.colour));
        }
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

/// The parts of a curve between jumps, as far as the chart reaches.
fn segments(recording: &Recording, curve: &Curve, chart: &Chart, draw: impl Fn(&mut dyn Iterator<Item = (f64, f64)>)) {
    for phase in recording.phase_ranges() {
        let points = phase.filter_map(|k| Some((*recording.times.get(k)?, *curve.values.get(k)?)));
        draw(&mut points.filter(|(t, _)| *t <= chart.across.1));
    }
}

/// Values and rates at a time.
fn values(ui: &mut Ui, t: f64, own: (&Recording, &[Curves]), kept: Option<(&Recording, &[Curves])>) {
    let cell = |ui: &mut Ui, text: String, ink: Color32| ui.label(RichText::new(text).font(small()).color(ink));
    Grid::new("values").num_columns(3).spacing([12.0, 1.0]).show(ui, |ui| {
        cell(ui, format!("t = {t:.4} s"), INK);
        cell(ui, "value".to_string(), INK);
        cell(ui, "rate".to_string(), INK);
        ui.end_row();
        let count = own.1.len();
        let both = [("", Some(own)), ("kept: ", kept)];
        for (before, (recording, charts)) in both.into_iter().filter_map(|(before, found)| Some((before, found?))) {
            for curve in charts.iter().take(count).flatten() {
                let Some((value, rate)) = recording.read(&curve.values, t) else {
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
