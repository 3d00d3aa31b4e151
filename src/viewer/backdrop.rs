//! Grid, scales and text around a mechanism.

use std::sync::Arc;

use kiss3d::camera::OrbitCamera3d;
use kiss3d::prelude::{Vec2, Vec3};
use kiss3d::text::Font;
use kiss3d::window::Window;

use super::camera::Area;
use super::palette;
use super::stage::{EXTENT, Placing};
use crate::show::Show;

/// Sizes of text in pixels of a picture 720 pixels high.
const TITLE: f32 = 32.0;
const LABEL: f32 = 26.0;
/// Free margin, in pixels of the same picture.
const MARGIN: f32 = 14.0;
/// Width of a digit over the size of the text.
const ADVANCE: f32 = 0.5;
/// About as many grid lines across the height of a picture.
const LINES: f64 = 7.0;

/// Draws what stands around the mechanism, for the next frame.
pub fn draw(
    window: &mut Window,
    camera: &OrbitCamera3d,
    show: &Show,
    placing: &Placing,
    (area, caption): (&Area, &str),
) {
    let page = Page {
        size: area.size,
        free: area.free(),
        unit: area.unit(),
        font: Font::default(),
    };
    if show.is_planar() {
        page.draw_scales(window, camera, placing);
    } else {
        page.draw_floor(window, show, placing);
    }
    let at = Vec2::new(MARGIN, MARGIN * 0.6) * page.unit;
    page.text(window, &show.experiment.name, at, TITLE);
    let below = Vec2::new(MARGIN, MARGIN * 0.6 + 0.95 * TITLE) * page.unit;
    page.text(window, caption, below, LABEL);
}

/// The paths that a show traces, on the stage.
pub fn placed_paths(show: &Show, placing: &Placing) -> Vec<Vec<Vec3>> {
    let place = |path: Vec<_>| path.into_iter().map(|at| placing.place(at)).collect();
    show.paths().into_iter().map(place).collect()
}

/// Draws paths, for the next frame.
pub fn draw_paths(window: &mut Window, paths: &[Vec<Vec3>]) {
    for pair in paths.iter().flat_map(|path| path.windows(2)) {
        window.draw_line(pair[0], pair[1], palette::TRACE, 2.0, false);
    }
}

struct Page {
    size: Vec2,
    /// The part that nothing covers.
    free: Vec2,
    /// Pixels of this picture per pixel of one 720 pixels high.
    unit: f32,
    font: Arc<Font>,
}

impl Page {
    fn text(&self, window: &mut Window, text: &str, at: Vec2, size: f32) {
        window.draw_text(text, at, size * self.unit, &self.font, palette::INK);
    }

    /// Grid lines of a planar mechanism, with their coordinates at the lower and the right edge.
    fn draw_scales(&self, window: &mut Window, camera: &OrbitCamera3d, placing: &Placing) {
        let half = camera.dist() * (camera.fov() / 2.0).tan();
        let reach = Vec3::new(half * self.size.x / self.size.y, half, 0.0);
        let (low, high) = (placing.metres(camera.at() - reach), placing.metres(camera.at() + reach));
        let step = nice((high[1] - low[1]) / LINES);
        let behind = -0.3 * EXTENT / f64::from(placing.length(1.0));
        for axis in 0..2 {
            for index in (low[axis] / step).ceil() as i64..=(high[axis] / step).floor() as i64 {
                let value = index as f64 * step;
                let mut ends = [[low[0], low[1], behind], [high[0], high[1], behind]];
                ends[0][axis] = value;
                ends[1][axis] = value;
                let [a, b] = ends.map(|end| placing.place(end));
                window.draw_line(a, b, palette::GRID, 1.2 * self.unit, false);
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

    /// A grid on the floor of a spatial mechanism.
    fn draw_floor(&self, window: &mut Window, show: &Show, placing: &Placing) {
        let bounds = show.scale.bounds;
        let up = show.up();
        let vertical = (0..3).max_by(|&i, &j| up[i].abs().total_cmp(&up[j].abs())).unwrap_or(2);
        let floor = match up[vertical] > 0.0 {
            true => bounds[0][vertical],
            false => bounds[1][vertical],
        };
        let step = nice(show.scale.extent() / LINES);
        let range = |axis: usize| {
            (
                (bounds[0][axis] / step).floor() - 1.0,
                (bounds[1][axis] / step).ceil() + 1.0,
            )
        };
        let across: Vec<usize> = (0..3).filter(|&axis| axis != vertical).collect();
        for (axis, other) in [(across[0], across[1]), (across[1], across[0])] {
            let (first, last) = range(axis);
            let (low, high) = range(other);
            for index in first as i64..=last as i64 {
                let mut ends = [[0.0; 3]; 2];
                for (end, reach) in ends.iter_mut().zip([low, high]) {
                    end[vertical] = floor;
                    end[axis] = index as f64 * step;
                    end[other] = reach * step;
                }
                let [a, b] = ends.map(|end| placing.place(end));
                window.draw_line(a, b, palette::GRID, 1.2 * self.unit, false);
            }
        }
        let text = format!("grid {}", label(step, step));
        let at = Vec2::new(MARGIN * self.unit, self.free.y - 0.8 * LABEL * self.unit);
        self.text(window, &text, at, 0.8 * LABEL);
    }
}

/// 1, 2 or 5 times a power of ten, near a length.
fn nice(length: f64) -> f64 {
    let power = 10_f64.powf(length.log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|digit| digit * power >= length * 0.999);
    digit.unwrap_or(10.0) * power
}

/// A multiple of a step, with as many digits as the step has.
fn label(value: f64, step: f64) -> String {
    let digits = (-step.log10().floor()).max(0.0) as usize;
    match digits {
        0..=4 if value.abs() < 1e6 => format!("{value:.digits$}"),
        _ => format!("{value:.1e}"),
    }
}
