//! What panels are made of: their frames, charts in them, texts of values.

use kiss3d::egui::{
    Align2, Area, Color32, Context, FontId, Frame, Id, Painter, Pos2, Rect, RichText, Shape, Stroke, Ui, vec2,
};

use crate::scalar::short;

/// Curves and marks.
pub(super) const BLUE: Color32 = Color32::from_rgb(0x35, 0x6a, 0x9c);
/// Text.
pub(super) const INK: Color32 = Color32::from_gray(40);

/// Colour of what went wrong.
pub(super) const WARNING: Color32 = Color32::from_rgb(0xb8, 0x2f, 0x3a);
/// Free space around panels, in points.
pub(super) const MARGIN: f32 = 10.0;

pub(super) fn panel(context: &Context, name: &str, anchor: Align2, offset: [f32; 2], content: impl FnOnce(&mut Ui)) {
    Area::new(Id::new(name))
        .anchor(anchor, offset)
        .show(context, |ui| Frame::popup(ui.style()).show(ui, content));
}

pub(super) fn message_panel(context: &Context, title: &str, message: &str) {
    panel(context, "message", Align2::LEFT_TOP, [MARGIN, 70.0], |ui| {
        ui.set_max_width(520.0);
        ui.label(RichText::new(title).strong());
        ui.label(RichText::new(message).color(WARNING));
    });
}

/// A rectangle with a scale along both axes.
pub(super) struct Chart<'a> {
    pub(super) painter: &'a Painter,
    pub(super) rect: Rect,
    /// Values at the left and the right edge.
    pub(super) across: (f64, f64),
    /// Values at the lower and the upper edge.
    pub(super) up: (f64, f64),
}

impl Chart<'_> {
    /// The place of two values; on the edge for what lies outside.
    pub(super) fn place(&self, x: f64, y: f64) -> Pos2 {
        let part = |value: f64, (low, high): (f64, f64)| {
            ((value - low) / (high - low).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0) as f32
        };
        let (across, up) = (part(x, self.across), part(y, self.up));
        self.rect.lerp_inside(vec2(across, 1.0 - up))
    }

    /// A line through points.
    pub(super) fn curve(&self, points: impl Iterator<Item = (f64, f64)>, colour: Color32) {
        let points = points.map(|(x, y)| self.place(x, y)).collect();
        self.painter.line(points, Stroke::new(1.5, colour));
    }

    /// A line of dashes and gaps of these lengths through points.
    pub(super) fn dashed(&self, points: impl Iterator<Item = (f64, f64)>, colour: Color32, [dash, gap]: [f32; 2]) {
        let points: Vec<Pos2> = points.map(|(x, y)| self.place(x, y)).collect();
        let stroke = Stroke::new(1.2, colour.gamma_multiply(0.75));
        self.painter.extend(Shape::dashed_line(&points, stroke, dash, gap));
    }
}

/// Text in a corner of a rectangle, so far from its edges.
pub(super) fn note(painter: &Painter, rect: Rect, corner: Align2, off: [f32; 2], text: &str) {
    let at = corner.pos_in_rect(&rect.shrink2(off.into()));
    painter.text(at, corner, text, small(), INK);
}

/// Least and greatest of the finite ones.
pub(super) fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let mut finite = values.filter(|value| value.is_finite());
    let first = finite.next()?;
    Some(finite.fold((first, first), |(low, high), v| (low.min(v), high.max(v))))
}

/// Small text.
pub(super) fn small() -> FontId {
    FontId::proportional(11.0)
}

/// A value that fits a label, with its unit.
pub(super) fn in_unit(value: f64, unit: &str) -> String {
    format!("{} {unit}", short(value)).trim_end().to_string()
}
