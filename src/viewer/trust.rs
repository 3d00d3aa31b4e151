//! The chart of how far a prediction holds.

use kiss3d::egui::{Align2, Color32, Painter, Pos2, Rect, RichText, Sense, Shape, Stroke, StrokeKind, Ui, vec2};

use super::foresight::Readiness;
use super::panels::{short, small};
use super::state::Viewer;
use crate::run::TrustCurve;

/// Height of the chart with its title and legend, in points.
pub(super) const HEIGHT: f32 = CHART + 56.0;
/// Height of the chart alone.
const CHART: f32 = 96.0;
/// Errors at the lower and the upper edge, as powers of ten.
const DECADES: (f64, f64) = (-4.0, 1.0);
const CURVE: Color32 = Color32::from_rgb(0x35, 0x6a, 0x9c);
const FOUND: Color32 = Color32::from_rgb(0xb5, 0x5f, 0x00);
const RANGE: Color32 = Color32::from_rgb(0xd6, 0xe8, 0xd4);
const INK: Color32 = Color32::from_gray(40);

/// Estimated errors of the prediction over the chosen parameter, with its value, and errors that simulations found.
pub(super) fn draw(ui: &mut Ui, viewer: &Viewer) {
    let Some(parameter) = viewer.show.model().parameters.get(viewer.chosen) else {
        return;
    };
    ui.separator();
    let foresight = &viewer.foresight;
    let words = match foresight.readiness() {
        Readiness::Ready if foresight.start(&parameter.name).is_none() => format!("nothing uses {}", parameter.name),
        Readiness::Ready => format!("error of the prediction over {}", parameter.name),
        Readiness::Preparing => "the prediction is being prepared".to_string(),
        Readiness::Impossible(reason) => format!("no prediction: {reason}"),
    };
    ui.label(RichText::new(words).strong());
    let (response, painter) = ui.allocate_painter(vec2(ui.available_width(), CHART), Sense::hover());
    let (Some(curve), Some(&ends)) = (&foresight.curve, viewer.ranges.get(viewer.chosen)) else {
        return;
    };
    let rect = response.rect.shrink(1.0);
    let chart = Chart {
        rect,
        inner: Rect::from_min_max(rect.min + vec2(42.0, 4.0), rect.max - vec2(4.0, 15.0)),
        ends,
    };
    chart.draw(&painter, curve);
    for (value, deviation) in &foresight.deviations {
        painter.circle_filled(chart.place(*value, *deviation), 2.5, FOUND);
    }
    if let Some(start) = foresight.start(&parameter.name) {
        let foot = chart.place(start, 10_f64.powf(DECADES.0));
        let triangle = [vec2(0.0, -6.0), vec2(4.0, 0.0), vec2(-4.0, 0.0)].map(|corner| foot + corner);
        painter.add(Shape::convex_polygon(triangle.to_vec(), INK, Stroke::NONE));
    }
    let now = viewer.values.get(viewer.chosen).copied().unwrap_or(f64::NAN);
    let x = chart.place(now, 1.0).x;
    let line = [Pos2::new(x, chart.inner.top()), Pos2::new(x, chart.inner.bottom())];
    painter.line_segment(line, Stroke::new(1.5, INK));
    legend(ui);
    response.on_hover_text(
        "Blue: what the predicted motion leaves over in the equations of the changed mechanism, over the greatest \
         acceleration. Dots: how far simulated motions were from it, over the size of the mechanism. In the green range \
         the estimate is below 10 % and the events keep their order: the ghost can be trusted there.",
    );
}

fn legend(ui: &mut Ui) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("- estimate").font(small()).color(CURVE));
        ui.label(RichText::new("o simulated").font(small()).color(FOUND));
        ui.label(
            RichText::new("green: trust it")
                .font(small())
                .color(Color32::from_rgb(0x3c, 0x6e, 0x38)),
        );
    });
}

struct Chart {
    rect: Rect,
    /// Without the numbers at its edges.
    inner: Rect,
    /// Values at the left and the right edge.
    ends: (f64, f64),
}

impl Chart {
    fn place(&self, value: f64, error: f64) -> Pos2 {
        let across = ((value - self.ends.0) / (self.ends.1 - self.ends.0)).clamp(0.0, 1.0) as f32;
        let height = (error.log10().clamp(DECADES.0, DECADES.1) - DECADES.0) / (DECADES.1 - DECADES.0);
        Pos2::new(
            self.inner.left() + across * self.inner.width(),
            self.inner.bottom() - height as f32 * self.inner.height(),
        )
    }

    fn draw(&self, painter: &Painter, curve: &TrustCurve) {
        let band = [curve.range.0, curve.range.1].map(|value| self.place(value, 1.0).x);
        let band = Rect::from_x_y_ranges(band[0]..=band[1].max(band[0] + 1.0), self.inner.y_range());
        painter.rect_filled(band, 0.0, RANGE);
        for (error, text) in [(1e-3, "0.1 %"), (1e-1, "10 %"), (10.0, "1000 %")] {
            let y = self.place(self.ends.0, error).y;
            let line = [Pos2::new(self.inner.left(), y), Pos2::new(self.inner.right(), y)];
            let shade = if error == curve.bound { 120 } else { 215 };
            painter.line_segment(line, Stroke::new(1.0, Color32::from_gray(shade)));
            let at = Pos2::new(self.inner.left() - 3.0, y);
            painter.text(at, Align2::RIGHT_CENTER, text, small(), INK);
        }
        let points = curve.points.iter().map(|&(value, error)| self.place(value, error));
        painter.line(points.collect(), Stroke::new(1.5, CURVE));
        painter.rect_stroke(
            self.inner,
            0.0,
            Stroke::new(1.0, Color32::from_gray(170)),
            StrokeKind::Inside,
        );
        let bottom = self.rect.bottom() + 1.0;
        let (left, right) = (self.inner.left(), self.inner.right());
        for (x, align, value) in [
            (left, Align2::LEFT_BOTTOM, self.ends.0),
            (right, Align2::RIGHT_BOTTOM, self.ends.1),
        ] {
            painter.text(Pos2::new(x, bottom), align, short(value), small(), INK);
        }
    }
}
