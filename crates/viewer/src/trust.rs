//! The chart of how far a prediction holds.

use kiss3d::egui::{Align2, Color32, Rect, RichText, Sense, Shape, Stroke, StrokeKind, Ui, vec2};

use super::state::Viewer;
use super::widgets::{BLUE, Chart, INK, note, small};
use crate::run::TrustCurve;
use crate::scalar::short;

/// Height of the chart with its title and legend, in points.
pub(super) const HEIGHT: f32 = CHART + 56.0;
/// Height of the chart alone.
const CHART: f32 = 96.0;
/// Errors at the lower and the upper edge, as powers of ten.
const DECADES: (f64, f64) = (-4.0, 1.0);
const FOUND: Color32 = Color32::from_rgb(0xb5, 0x5f, 0x00);
const RANGE: Color32 = Color32::from_rgb(0xd6, 0xe8, 0xd4);

const ABOUT: &str = "Blue: what the predicted motion leaves over in the equations of the changed mechanism, over the greatest \
    acceleration. Dots: how far simulated motions were from it, over the size of the mechanism. In the green range the estimate \
    is below 10 % and the events stay the same, in their order: the ghost can be trusted there.";

/// Estimated errors of the prediction over the chosen parameter, with its value, and errors that simulations found.
pub(super) fn draw(ui: &mut Ui, viewer: &Viewer) {
    let Some(parameter) = viewer.show.model().parameters.get(viewer.chosen) else {
        return;
    };
    ui.separator();
    let predictions = &viewer.predictions;
    ui.label(RichText::new(predictions.describe(&parameter.name)).strong());
    let (response, painter) = ui.allocate_painter(vec2(ui.available_width(), CHART), Sense::hover());
    let (Some(curve), Some(&ends)) = (&predictions.curve, viewer.ranges.get(viewer.chosen)) else {
        return;
    };
    let rect = response.rect.shrink(1.0);
    let chart = Chart {
        painter: &painter,
        rect: Rect::from_min_max(rect.min + vec2(42.0, 4.0), rect.max - vec2(4.0, 15.0)),
        across: ends,
        up: DECADES,
    };
    estimate(&chart, rect, curve);
    for (value, deviation) in &predictions.deviations {
        painter.circle_filled(chart.place(*value, deviation.log10()), 2.5, FOUND);
    }
    if let Some(start) = predictions.start(&parameter.name) {
        let foot = chart.place(start, DECADES.0);
        let triangle = [vec2(0.0, -6.0), vec2(4.0, 0.0), vec2(-4.0, 0.0)].map(|corner| foot + corner);
        painter.add(Shape::convex_polygon(triangle.to_vec(), INK, Stroke::NONE));
    }
    let now = viewer.values.get(viewer.chosen).copied().unwrap_or(f64::NAN);
    painter.vline(chart.place(now, 0.0).x, chart.rect.y_range(), Stroke::new(1.5, INK));
    legend(ui);
    response.on_hover_text(format!("{ABOUT}{}", causes(curve)));
}

/// What ends the green range on either side.
fn causes(curve: &TrustCurve) -> String {
    let [low, high] = &curve.causes;
    let sides = [("below", curve.range.0, low), ("above", curve.range.1, high)];
    let said = sides.into_iter().filter_map(|(side, value, cause)| {
        let cause = cause.as_ref()?;
        Some(format!("\nNot {side} {}, where {cause}.", short(value)))
    });
    said.collect()
}

fn legend(ui: &mut Ui) {
    ui.horizontal(|ui| {
        for (text, colour) in [
            ("- estimate", BLUE),
            ("o simulated", FOUND),
            ("green: trust it", Color32::from_rgb(0x3c, 0x6e, 0x38)),
        ] {
            ui.label(RichText::new(text).font(small()).color(colour));
        }
    });
}

/// The estimated errors with the range where they are small, and the numbers at the edges.
fn estimate(chart: &Chart, rect: Rect, curve: &TrustCurve) {
    let (painter, inner) = (chart.painter, chart.rect);
    let [from, to] = [curve.range.0, curve.range.1].map(|value| chart.place(value, 0.0).x);
    let band = Rect::from_x_y_ranges(from..=to.max(from + 1.0), inner.y_range());
    painter.rect_filled(band, 0.0, RANGE);
    for (error, text) in [(1e-3_f64, "0.1 %"), (1e-1, "10 %"), (10.0, "1000 %")] {
        let left = chart.place(chart.across.0, error.log10());
        let shade = if error == curve.bound { 120 } else { 215 };
        painter.hline(inner.x_range(), left.y, Stroke::new(1.0, Color32::from_gray(shade)));
        painter.text(left - vec2(3.0, 0.0), Align2::RIGHT_CENTER, text, small(), INK);
    }
    let points = curve.points.iter().map(|&(value, error)| (value, error.log10()));
    chart.curve(points, BLUE);
    painter.rect_stroke(
        inner,
        0.0,
        Stroke::new(1.0, Color32::from_gray(170)),
        StrokeKind::Inside,
    );
    let below = Rect::from_x_y_ranges(inner.x_range(), rect.top()..=rect.bottom() + 1.0);
    note(painter, below, Align2::LEFT_BOTTOM, [0.0; 2], &short(chart.across.0));
    note(painter, below, Align2::RIGHT_BOTTOM, [0.0; 2], &short(chart.across.1));
}
