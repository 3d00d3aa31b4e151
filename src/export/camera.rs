//! The camera of an animation.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion};

use super::Motion;
use crate::appearance::{CameraView, Vector};
use crate::output::gltf::{Lens, Projection, Transform};

/// Field of view upwards (rad), and width of the picture over its height.
const FIELD: f64 = 0.7;
const ASPECT: f64 = 16.0 / 9.0;
/// Part of the picture that the motion may take.
const FILL: f64 = 0.82;
/// Least part of its size that half the height of a picture of a plane is: a motion along a line has room around it.
const LEAST: f64 = 0.1;

impl Motion<'_> {
    /// Sees the whole motion, or what the scene says, from where a picture does: its lens, and its place in the ground frame.
    pub(super) fn camera(&self) -> (Lens, Transform) {
        let show = self.show;
        let given = show.experiment.view.camera;
        let [low, high] = match given {
            Some(CameraView::Area(corners)) => corners.map(Vector::from),
            _ => show.scale.bounds,
        };
        let (sides, diagonal) = (high - low, (high - low).norm());
        let half = match show.is_planar() {
            true => (sides.y / 2.0).max(sides.x / 2.0 / ASPECT).max(LEAST * diagonal),
            false => diagonal / 2.0,
        } / FILL;
        let [right, up, back] = show.directions(None, None);
        let (middle, distance) = match given {
            Some(CameraView::LookAt { target, eye }) => {
                let target = Vector::from(target);
                (target, (Vector::from(eye) - target).norm())
            }
            _ => ((low + high) / 2.0, half / (FIELD / 2.0).tan()),
        };
        let metres = show.model().metres();
        let lens = Lens {
            projection: match show.is_planar() {
                true => Projection::Orthographic(metres * half),
                false => Projection::Perspective(FIELD),
            },
            aspect: ASPECT,
            far: metres * (distance + 2.0 * show.scale.extent()),
        };
        let axes = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[right, up, back]));
        let place = Transform {
            translation: (middle + back * distance).map(|x| x as f32).into(),
            rotation: UnitQuaternion::from_rotation_matrix(&axes)
                .coords
                .map(|x| x as f32)
                .into(),
            ..Transform::default()
        };
        (lens, place)
    }
}
