//! What part of the plane a page shows, and how large.

use super::{Look, Place};
use crate::appearance::{CameraView, Vector};
use crate::show::Show;

/// Tallest page over its width.
const TALLEST: f64 = 1.4;
/// Margin in half-widths of a bar: room for the sign of a support.
const MARGIN: f64 = 6.5;
/// Half-widths of bars, in millimetres.
const HALF_WIDTHS: [f64; 2] = [0.45, 1.2];

/// Multiples between which a line without end lies.
pub(super) const LINE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// How the picture departs from one of the whole motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crop {
    /// How many times nearer.
    pub zoom: f64,
    /// Place in the middle of the picture, in metres.
    pub centre: Option<[f64; 2]>,
}

impl Default for Crop {
    fn default() -> Self {
        Self {
            zoom: 1.0,
            centre: None,
        }
    }
}

/// A page on the plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Width and height in millimetres.
    pub size: Place,
    /// Place in the middle, in metres.
    middle: Place,
    /// Millimetres per metre.
    pub scale: f64,
    /// Half the width of a bar in millimetres, the measure of all signs.
    pub unit: f64,
    /// Largest point mass.
    pub mass: f64,
}

impl Frame {
    /// Holds the whole motion, or what the scene says.
    pub fn new(show: &Show, look: &Look) -> Self {
        let [low, high] = match show.experiment.view.camera {
            Some(CameraView::Area(corners)) => corners.map(Vector::from),
            _ => show.scale.bounds,
        };
        let (width, extent) = (look.width, high - low);
        // A motion along a line still has room around it.
        let extent = extent.map(|side| side.max(0.05 * extent.norm()));
        let mut unit = HALF_WIDTHS[1];
        let mut scale = 0.0;
        for _ in 0..3 {
            let margin = 2.0 * (MARGIN * unit).min(0.2 * width);
            scale = ((width - margin) / extent.x).min((TALLEST * width - margin) / extent.y);
            unit = (show.scale.bar * scale).clamp(HALF_WIDTHS[0], HALF_WIDTHS[1]);
        }
        let height = extent.y * scale + 2.0 * (MARGIN * unit).min(0.2 * width);
        let middle = (low + high) / 2.0;
        Self {
            size: [width, height],
            middle: look.crop.centre.unwrap_or([middle.x, middle.y]),
            scale: scale * look.crop.zoom,
            unit,
            mass: show.scale.mass,
        }
    }

    /// Where a place in metres is on the page.
    pub fn place(&self, at: Vector) -> Place {
        let [width, height] = self.size;
        [
            width / 2.0 + (at.x - self.middle[0]) * self.scale,
            height / 2.0 - (at.y - self.middle[1]) * self.scale,
        ]
    }

    /// The part on the page of what goes through a place along a direction, between these multiples of it; none if it passes by.
    pub fn cut(&self, through: Place, along: Place, mut span: [f64; 2]) -> Option<[Place; 2]> {
        for axis in 0..2 {
            let bounds = [-through[axis], self.size[axis] - through[axis]];
            if along[axis] == 0.0 {
                if bounds[0] > 0.0 || bounds[1] < 0.0 {
                    return None;
                }
                continue;
            }
            let mut ends = bounds.map(|bound| bound / along[axis]);
            ends.sort_by(f64::total_cmp);
            span = [span[0].max(ends[0]), span[1].min(ends[1])];
        }
        let at = |s: f64| [through[0] + s * along[0], through[1] + s * along[1]];
        (span[0] < span[1] && span.iter().all(|s| s.is_finite())).then(|| span.map(at))
    }
}
