//! Outputs over time, with the time cursor.

use kiss3d::egui::{Align2, Color32, Pos2, Rect, Sense, Stroke, Ui, vec2};

use super::panels::{short, small};
use super::state::Viewer;
use crate::output::Series;

/// Colours of curves.
const COLOURS: [Color32; 5] = [
    Color32::from_rgb(0x35, 0x6a, 0x9c),
    Color32::from_rgb(0xd9, 0x82, 0x1f),
    Color32::from_rgb(0x4f, 0x9d, 0x8f),
    Color32::from_rgb(0xb8, 0x2f, 0x3a),
    Color32::from_rgb(0x6b, 0x5b, 0x95),
];
/// Panels side by side.
const MOST: usize = 4;

/// The first outputs of the scene, or the energy if it has none.
pub(super) fn draw(ui: &mut Ui, viewer: &Viewer, height: f32) {
    let recording = &viewer.show.recording;
    let energy = || Series {
        name: "energy".to_string(),
        expression: String::new(),
        values: recording
            .energy
            .kinetic
            .iter()
            .zip(&recording.energy.potential)
            .map(|(k, p)| k + p)
            .collect(),
    };
    let series: Vec<Series> = match recording.outputs.is_empty() {
        true => vec![energy()],
        false => recording.outputs.iter().take(MOST).cloned().collect(),
    };
    let (response, painter) = ui.allocate_painter(vec2(ui.available_width(), height), Sense::hover());
    let width = response.rect.width() / series.len() as f32;
    for (i, series) in series.iter().enumerate() {
        let corner = Pos2::new(response.rect.left() + i as f32 * width, response.rect.top());
        let rect = Rect::from_min_size(corner, vec2(width - 8.0, height - 4.0));
        painter.rect_stroke(
            rect,
            2.0,
            Stroke::new(1.0, Color32::from_gray(200)),
            kiss3d::egui::StrokeKind::Inside,
        );
        curve(&painter, rect, viewer, series, COLOURS[i % COLOURS.len()]);
    }
}

fn curve(painter: &kiss3d::egui::Painter, rect: Rect, viewer: &Viewer, series: &Series, colour: Color32) {
    let recording = &viewer.show.recording;
    let (start, end) = viewer.playback.span();
    let finite = series.values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        return;
    }
    let span = if high > low { high - low } else { 1.0 };
    let inner = rect.shrink2(vec2(2.0, 16.0));
    let place = |t: f64, value: f64| {
        let across = ((t - start) / (end - start).max(f64::MIN_POSITIVE)) as f32;
        let up = ((value - low) / span) as f32;
        Pos2::new(
            inner.left() + across * inner.width(),
            inner.bottom() - up * inner.height(),
        )
    };
    for phase in recording.phase_ranges() {
        let points: Vec<Pos2> = phase.map(|k| place(recording.times[k], series.values[k])).collect();
        painter.line(points, Stroke::new(1.5, colour));
    }
    let t = viewer.playback.t();
    let now = recording.times.partition_point(|time| *time <= t).saturating_sub(1);
    let value = series.values.get(now).copied().unwrap_or(f64::NAN);
    let cursor = place(t, low).x;
    let line = [Pos2::new(cursor, rect.top() + 14.0), Pos2::new(cursor, rect.bottom())];
    painter.line_segment(line, Stroke::new(1.0, Color32::from_gray(120)));
    painter.circle_filled(Pos2::new(cursor, place(t, value).y), 3.0, colour);
    let text = format!("{} = {}", series.name, short(value));
    let ink = Color32::from_gray(40);
    painter.text(rect.left_top() + vec2(4.0, 1.0), Align2::LEFT_TOP, text, small(), ink);
    painter.text(
        rect.right_top() + vec2(-4.0, 1.0),
        Align2::RIGHT_TOP,
        short(high),
        small(),
        ink,
    );
    painter.text(
        rect.right_bottom() + vec2(-4.0, -1.0),
        Align2::RIGHT_BOTTOM,
        short(low),
        small(),
        ink,
    );
}
