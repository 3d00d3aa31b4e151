//! The floor under a spatial mechanism, which takes its shadow, and the steps of grids.

use kiss3d::prelude::Camera3d;
use kiss3d::window::Window;

use super::camera::{Placing, Sight};
use super::palette;
use crate::appearance::{Block, Material, Shape, Unit, Vector};
use crate::show::Show;

/// Distance below the lowest place of the motion, and thickness, in half-widths of a bar.
const BELOW: f64 = 3.0;
const THICKNESS: f64 = 0.5;
/// Distance of the slab below its grid, over the size of the mechanism, so that lines are not drawn inside it.
const APART: f64 = 2e-3;
/// About as many grid lines across the height of a picture.
pub(super) const LINES: f64 = 7.0;

/// A rectangle across the upward direction, a whole number of grid steps wide.
pub(super) struct Floor {
    /// Axis that is nearest to the upward direction, and whether it points upwards.
    vertical: usize,
    is_upward: bool,
    /// Coordinate along it.
    level: f64,
    /// Distance of grid lines in metres.
    pub(super) step: f64,
    /// The other axes, with the first and the last line across each.
    across: [(usize, i64, i64); 2],
    thickness: f64,
    apart: f64,
    /// Whether the mechanism stands on a surface of its own, which is drawn already.
    is_given: bool,
}

impl Floor {
    /// The floor under everything that moves.
    pub(super) fn new(show: &Show) -> Self {
        let (bounds, up, extent) = (show.scale.bounds, show.up(), show.scale.extent());
        let vertical = (0..3).max_by(|&i, &j| up[i].abs().total_cmp(&up[j].abs())).unwrap_or(2);
        let is_upward = up[vertical] > 0.0;
        let below = BELOW * show.scale.bar;
        let step = nice(extent / LINES);
        let range = |axis: usize| {
            let (low, high) = (bounds[0][axis] / step, bounds[1][axis] / step);
            (axis, low.floor() as i64 - 1, high.ceil() as i64 + 1)
        };
        let (sign, apart) = (if is_upward { 1.0 } else { -1.0 }, APART * extent);
        let surface = surface(show, sign * Vector::ith(vertical, 1.0));
        let lowest = if is_upward { bounds[0] } else { bounds[1] };
        Self {
            vertical,
            is_upward,
            level: surface.map_or(lowest[vertical] - sign * below, |through| {
                through[vertical] + sign * apart
            }),
            step,
            across: [range((vertical + 1) % 3), range((vertical + 2) % 3)],
            thickness: THICKNESS * show.scale.bar,
            apart,
            is_given: surface.is_some(),
        }
    }

    /// Grid lines, for the next frame.
    pub(super) fn draw_grid(&self, window: &mut Window, placing: &Placing, unit: f32) {
        let [first, second] = self.across;
        for ((axis, low, high), (other, from, to)) in [(first, second), (second, first)] {
            for index in low..=high {
                let mut ends = [Vector::zeros(); 2];
                for (end, reach) in ends.iter_mut().zip([from, to]) {
                    end[self.vertical] = self.level;
                    end[axis] = index as f64 * self.step;
                    end[other] = reach as f64 * self.step;
                }
                let [a, b] = ends.map(|end| placing.place(end));
                window.draw_line(a, b, palette::lit(palette::GRID), 1.2 * unit, false);
            }
        }
    }

    /// The slab under the grid, unless the eye is below it, or the mechanism stands on a surface of its own.
    pub(super) fn slab(&self, sight: &Sight) -> Option<Block> {
        let sign = if self.is_upward { 1.0 } else { -1.0 };
        let eye = sight.placing.metres(sight.camera.eye());
        if self.is_given || sign * (eye[self.vertical] - self.level) <= 0.0 {
            return None;
        }
        let (mut origin, mut axes) = (Vector::zeros(), [Vector::zeros(); 3]);
        origin[self.vertical] = self.level - sign * (self.apart + self.thickness / 2.0);
        axes[self.vertical][self.vertical] = self.thickness;
        for (axis, low, high) in self.across {
            origin[axis] = (low + high) as f64 / 2.0 * self.step;
            axes[axis][axis] = (high - low) as f64 * self.step;
        }
        Some(Block::new(Unit::Cube, Material::Floor, origin, axes))
    }
}

/// A place of a contact plane that faces upwards.
fn surface(show: &Show, up: Vector) -> Option<Vector> {
    let items = show.items(show.experiment.start);
    items.iter().find_map(|item| match item.shape {
        Shape::Surface(through, normal) if normal.dot(&up) > 0.9999 => Some(through),
        _ => None,
    })
}

/// 1, 2 or 5 times a power of ten, near a length.
pub(super) fn nice(length: f64) -> f64 {
    let power = 10_f64.powf(length.log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|digit| digit * power >= length * 0.999);
    digit.unwrap_or(10.0) * power
}
