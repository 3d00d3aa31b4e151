//! The camera of an animation.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion};

use super::Motion;
use crate::appearance::{CameraView, Vector};
use crate::output::gltf::{Lens, Projection, Transform};

/// Field of view upwards (rad), and width of the picture over its height.
const FIELD: f64 = 0.7;
const ASPECT: f64 = 16.0 / 9.0;
/// Part of the picture that the ends of what moves may take; the rest is for what has a radius.
const FILL: f64 = 0.74;

impl Motion<'_> {
    /// Sees the whole motion, or what the scene says, from where a picture does: its lens, and its place in the ground frame.
    pub(super) fn camera(&self) -> (Lens, Transform) {
        let show = self.show;
        let axes = show.directions(None, None);
        let tangent = (FIELD / 2.0).tan();
        let (middle, distance) = match show.experiment.view.camera {
            Some(CameraView::LookAt { target, eye }) => {
                let target = Vector::from(target);
                (target, (Vector::from(eye) - target).norm())
            }
            given => {
                let scale = match given {
                    Some(CameraView::Area(corners)) => show.scale.within(corners.map(Vector::from)),
                    _ => show.scale,
                };
                scale.seen_along(axes, [ASPECT, 1.0].map(|side| side * tangent * FILL))
            }
        };
        let metres = show.model().metres();
        let lens = Lens {
            projection: match show.is_planar() {
                true => Projection::Orthographic(metres * distance * tangent),
                false => Projection::Perspective(FIELD),
            },
            aspect: ASPECT,
            far: metres * (distance + 2.0 * show.scale.extent()),
        };
        let turn = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&axes));
        let place = Transform {
            translation: (middle + axes[2] * distance).map(|x| x as f32).into(),
            rotation: UnitQuaternion::from_rotation_matrix(&turn)
                .coords
                .map(|x| x as f32)
                .into(),
            ..Transform::default()
        };
        (lens, place)
    }
}
