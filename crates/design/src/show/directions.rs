//! From where a mechanism is looked at.

use super::Show;
use crate::appearance::{CameraView, Vector};

/// From where spatial mechanisms are seen: along two axes across the upward direction and along this.
const SPATIAL: [f64; 3] = [0.9, -1.4, 0.75];
/// Steepest elevation, a little short of straight down, where right and left have no meaning (rad).
const STEEPEST: f64 = 1.56;

/// Field of view of pictures from their lower to their upper edge (rad).
pub const FIELD: f64 = 0.7;
/// Parts of their width and height that the ends of what moves may take; the rest is for what has a radius, for text and for scales.
pub const FILL: [f64; 2] = [0.82, 0.74];

impl Show {
    /// The middle of a picture along these axes, and the distance of the eye from it: those of the scene, or such that the whole motion
    /// is seen within these tangents of the angle across and upwards.
    pub fn seen_along(&self, axes: [Vector; 3], tangents: [f64; 2]) -> (Vector, f64) {
        match self.experiment.view.camera {
            Some(CameraView::LookAt { target, eye }) => {
                let target = Vector::from(target);
                (target, (Vector::from(eye) - target).norm())
            }
            Some(CameraView::Area(corners)) => {
                let area = self.scale.within(corners.map(Vector::from));
                area.seen_along(axes, tangents)
            }
            None => self.scale.seen_along(axes, tangents),
        }
    }

    /// Unit vectors of a picture to the right, upwards and towards the eye, of unit length. The plane is seen straight on. In space
    /// the angle of the eye about the upward direction, from the first axis across it, and its angle above the horizon (rad) are those that
    /// are given, or those of the scene, or such that it looks from above and aside.
    pub fn directions(&self, azimuth: Option<f64>, elevation: Option<f64>) -> [Vector; 3] {
        if self.is_planar() {
            return [Vector::x(), Vector::y(), Vector::z()];
        }
        let up = self.up();
        let side = if up.x.abs() < 0.9 { Vector::x() } else { Vector::y() };
        let first = (side - up * side.dot(&up)).normalize();
        let second = up.cross(&first);
        let usual = match self.experiment.view.camera {
            Some(CameraView::LookAt { target, eye }) => Vector::from(eye) - Vector::from(target),
            _ => first * SPATIAL[0] + second * SPATIAL[1] + up * SPATIAL[2],
        };
        let usual = usual.normalize();
        let azimuth = azimuth.unwrap_or_else(|| usual.dot(&second).atan2(usual.dot(&first)));
        let elevation = elevation.unwrap_or_else(|| usual.dot(&up).clamp(-1.0, 1.0).asin());
        let (sin, cos) = elevation.clamp(-STEEPEST, STEEPEST).sin_cos();
        let back = (first * azimuth.cos() + second * azimuth.sin()) * cos + up * sin;
        let right = up.cross(&back).normalize();
        [right, back.cross(&right), back]
    }
}
