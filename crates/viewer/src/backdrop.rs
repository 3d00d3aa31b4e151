//! Grid, scales and text around a mechanism.

use std::sync::Arc;

use kiss3d::color::Color;
use kiss3d::prelude::{Vec2, Vec3};
use kiss3d::text::Font;
use kiss3d::window::Window;

use super::camera::{Area, EXTENT, Placing, Sight};
use super::floor::{Floor, LINES, nice};
use super::palette;
use crate::appearance::{INK, Rgb, Vector};
use crate::show::{Comparison, Show};

/// Sizes of text in pixels of a picture 720 pixels high.
const TITLE: f32 = 32.0;
const LABEL: f32 = 26.0;
/// Free margin, in pixels of the same picture.
const MARGIN: f32 = 14.0;
/// Width of a digit over the size of the text.
const ADVANCE: f32 = 0.5;

/// Draws what stands around the mechanism, for the next frame.
pub(super) fn draw(window: &mut Window, page: &Page, sight: &Sight, show: &Show, caption: &str) {
    if show.is_planar() {
        page.draw_scales(window, sight);
    } else {
        let floor = Floor::new(show);
        floor.draw_grid(window, &sight.placing, page.unit);
        let text = format!("grid {}", label(floor.step, floor.step));
        let at = Vec2::new(MARGIN * page.unit, page.free.y - 0.8 * LABEL * page.unit);
        page.text(window, &text, at, 0.8 * LABEL);
    }
    let at = Vec2::new(MARGIN, MARGIN * 0.6) * page.unit;
    page.text(window, &show.experiment.name, at, TITLE);
    let below = Vec2::new(MARGIN, MARGIN * 0.6 + 0.95 * TITLE) * page.unit;
    page.text(window, caption, below, LABEL);
}

/// A path on the stage, with its colour.
pub(super) type Trace = (Vec<Vec3>, Rgb);

/// The paths that a show traces, and those of the motions beside it in their colours.
pub(super) fn placed_paths(show: &Show, comparison: &Comparison, placing: &Placing) -> Vec<Trace> {
    let others = comparison.others.iter().map(|other| (&other.show, other.colour));
    let all = others.chain([(show, palette::TRACE)]);
    all.flat_map(|(show, colour)| {
        let place = move |path: Vec<_>| (path.into_iter().map(|at| placing.place(at)).collect(), colour);
        show.paths().into_iter().map(place)
    })
    .collect()
}

/// Draws paths, for the next frame.
pub(super) fn draw_paths(window: &mut Window, paths: &[Trace]) {
    for (path, colour) in paths {
        for pair in path.windows(2) {
            window.draw_line(pair[0], pair[1], palette::lit(*colour), 2.0, false);
        }
    }
}

/// A picture that text and lines are drawn over.
pub(super) struct Page {
    pub(super) size: Vec2,
    /// The part that nothing covers.
    pub(super) free: Vec2,
    /// Pixels of this picture per pixel of one 720 pixels high.
    pub(super) unit: f32,
    font: Arc<Font>,
}

impl Page {
    pub(super) fn new(area: &Area) -> Self {
        Self {
            size: area.size,
            free: area.free(),
            unit: area.unit(),
            font: Font::default(),
        }
    }

    /// A line between two places, in pixels from the upper left corner.
    pub(super) fn line(&self, window: &mut Window, from: Vec2, to: Vec2, colour: Color, width: f32) {
        let centred = |at: Vec2| Vec2::new(at.x - self.size.x / 2.0, self.size.y / 2.0 - at.y);
        window.draw_line_2d(centred(from), centred(to), colour, width * self.unit);
    }

    pub(super) fn text(&self, window: &mut Window, text: &str, at: Vec2, size: f32) {
        self.text_in(window, text, at, size * self.unit, INK);
    }

    /// Text of a size in pixels of this picture.
    pub(super) fn text_in(&self, window: &mut Window, text: &str, at: Vec2, size: f32, colour: Rgb) {
        window.draw_text(text, at, size, &self.font, palette::plain(colour));
    }

    /// Grid lines of a planar mechanism, with their coordinates at the lower and the right edge.
    fn draw_scales(&self, window: &mut Window, sight: &Sight) {
        let Sight { camera, placing } = sight;
        let half = sight.half_height();
        let reach = Vec3::new(half * self.size.x / self.size.y, half, 0.0);
        let (low, high) = (placing.metres(camera.at() - reach), placing.metres(camera.at() + reach));
        let step = nice((high[1] - low[1]) / LINES);
        let behind = -0.3 * EXTENT / f64::from(placing.length(1.0));
        for axis in 0..2 {
            for index in (low[axis] / step).ceil() as i64..=(high[axis] / step).floor() as i64 {
                let value = index as f64 * step;
                let mut ends = [low, high].map(|corner| Vector::new(corner.x, corner.y, behind));
                ends[0][axis] = value;
                ends[1][axis] = value;
                let [a, b] = ends.map(|end| placing.place(end));
                window.draw_line(a, b, palette::lit(palette::GRID), 1.2 * self.unit, false);
                let part = ((value - low[axis]) / (high[axis] - low[axis])) as f32;
                self.label(window, axis, part, &label(value, step));
            }
        }
    }

    /// A coordinate at the lower (0) or right (1) edge, at a part of its length, where there is room for it.
    fn label(&self, window: &mut Window, axis: usize, part: f32, text: &str) {
        let size = 0.8 * LABEL;
        let (width, height) = (ADVANCE * size * self.unit * text.len() as f32, 0.7 * size * self.unit);
        let margin = 0.5 * MARGIN * self.unit;
        let at = match axis {
            0 => Vec2::new(part * self.size.x - width / 2.0, self.free.y - height - margin),
            _ => Vec2::new(self.free.x - width - margin, (1.0 - part) * self.size.y - height / 2.0),
        };
        let corner = 6.0 * height;
        let has_room = match axis {
            0 => at.x > margin && at.x + width < self.free.x - corner,
            _ => at.y > corner && at.y < self.free.y - 2.5 * height,
        };
        if has_room {
            self.text(window, text, at, size);
        }
    }
}

/// A multiple of a step, with as many digits as the step has.
fn label(value: f64, step: f64) -> String {
    let digits = (-step.log10().floor()).max(0.0) as usize;
    match digits {
        0..=4 if value.abs() < 1e6 => format!("{value:.digits$}"),
        _ => format!("{value:.1e}"),
    }
}
