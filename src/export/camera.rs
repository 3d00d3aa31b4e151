//! The camera of an animation.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion};

use super::Motion;
use crate::output::gltf::{Lens, Projection, Transform};
use crate::show::{FIELD, FILL};

/// Width of the picture over its height.
const ASPECT: f64 = 16.0 / 9.0;

impl Motion<'_> {
    /// Sees the whole motion, or what the scene says, from where a picture does: its lens, and its place in the ground frame.
    pub(super) fn camera(&self) -> (Lens, Transform) {
        let show = self.show;
        let axes = show.directions(None, None);
        let tangent = (FIELD / 2.0).tan();
        let (middle, distance) = show.seen_along(axes, [tangent * ASPECT * FILL[0], tangent * FILL[1]]);
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
