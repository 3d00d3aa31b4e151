//! Visuals of links as shapes of the bodies that carry them.

use std::path::{Component, Path, PathBuf};

use nalgebra::{Rotation3, UnitQuaternion, Vector3};

use super::bodies::Builder;
use super::frames::{Frame, at_pose, place};
use super::robot::{Geometry, Visual};
use crate::scene::folder::Folder;
use crate::scene::schema::part::{Orientation, Rotation};
use crate::scene::schema::{Number, Placement, Shape};
use crate::scene::shape_file::ShapeFile;

impl Builder<'_> {
    /// Adds the shapes of the links to the view; returns what is left out, in words.
    pub(super) fn into_left_out(self, folder: &Folder) -> Vec<String> {
        let (mut left_out, mut shown) = (Vec::new(), Vec::new());
        for (index, link) in self.model.links.iter().enumerate() {
            let Some((body, frame)) = self.shown_on(index) else {
                continue;
            };
            for visual in &link.visuals {
                match self.shape(visual, frame, folder) {
                    Ok(shape) => shown.push((body.clone(), shape)),
                    Err(reason) => {
                        let line = self.file.line(visual.place.start);
                        left_out.push(format!("the visual in line {line} ({reason})"));
                    }
                }
            }
        }
        let all = &mut self.scene.view.shapes.0;
        for (body, shape) in shown {
            match all.iter_mut().find(|(name, _)| *name == body) {
                Some((_, shapes)) => shapes.push(shape),
                None => all.push((body, vec![shape])),
            }
        }
        left_out
    }

    fn shape(&self, visual: &Visual, frame: &Frame, folder: &Folder) -> Result<Shape, String> {
        let at = placed(&place(&at_pose(frame, &visual.origin))).ok_or("its place depends on parameters")?;
        let numbers = |list: [f64; 3]| list.map(Number::Literal).to_vec();
        let (roll, pitch, yaw) = at.1.euler_angles();
        let (offset, rotation) = (numbers(at.0.into()), numbers([roll, pitch, yaw]));
        Ok(match &visual.geometry {
            Geometry::Box(size) => Shape::Box {
                size: numbers(*size),
                offset,
                rotation,
            },
            Geometry::Cylinder(radius, length) => Shape::Cylinder {
                radius: Number::Literal(*radius),
                length: Number::Literal(*length),
                offset,
                rotation,
            },
            Geometry::Sphere(radius) => Shape::Ball {
                radius: Number::Literal(*radius),
                offset,
            },
            Geometry::Mesh(name, [x, y, z]) => {
                if x != y || x != z {
                    return Err("its scale is not the same along x, y and z".to_string());
                }
                let file = beside(&self.written.file, name);
                ShapeFile::read(&file, folder).map_err(|error| error.message().to_string())?;
                Shape::Mesh {
                    file,
                    scale: Number::Literal(*x),
                    offset,
                    rotation,
                }
            }
        })
    }
}

/// The path of a mesh from the folder of the scene, of one that a robot names: relative to its file, or `package://robot/..`,
/// of which the package is the folder of the file.
fn beside(robot: &str, name: &str) -> String {
    let inner = match name.strip_prefix("package://") {
        Some(inner) => inner.split_once('/').map_or(inner, |(_, inner)| inner),
        None => name.strip_prefix("file://").unwrap_or(name),
    };
    let folder = Path::new(robot).parent().unwrap_or(Path::new(""));
    let plain = folder
        .join(inner)
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect::<PathBuf>();
    plain.display().to_string()
}

/// A place with its rotation, where both are plain numbers.
fn placed(place: &Placement) -> Option<(Vector3<f64>, UnitQuaternion<f64>)> {
    let outer = match &place.within {
        Some(outer) => placed(outer)?,
        None => (Vector3::zeros(), UnitQuaternion::identity()),
    };
    let value = |number: &Number| match number {
        Number::Literal(value) => Some(*value),
        Number::Text(_) => None,
    };
    let at: Vec<f64> = place.at.iter().map(value).collect::<Option<_>>()?;
    let turn = match &place.orientation {
        None => Rotation3::identity(),
        Some(Orientation::Rotations(list)) => list.iter().try_fold(Rotation3::identity(), |turn, rotation| {
            let (axis, angle) = match rotation {
                Rotation::X(angle) => (Vector3::x_axis(), angle),
                Rotation::Y(angle) => (Vector3::y_axis(), angle),
                Rotation::Z(angle) => (Vector3::z_axis(), angle),
            };
            Some(turn * Rotation3::from_axis_angle(&axis, value(angle)?))
        })?,
        Some(_) => return None,
    };
    let at = outer.0 + outer.1 * Vector3::from_column_slice(at.get(..3)?);
    Some((at, outer.1 * UnitQuaternion::from_rotation_matrix(&turn)))
}
