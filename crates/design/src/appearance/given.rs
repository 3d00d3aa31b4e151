//! Shapes that the scene gives: meshes, cuboids, cylinders and balls in the frames of points, bars and rigid bodies.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use nalgebra::{Rotation3, UnitQuaternion, Vector3};

use super::{Mesh, Moving, Owner, Piece, Placement, Pose, Shape, Unit, Vector};
use crate::model::Model;
use crate::scene::ShapeFile;
use crate::scene::compiled::{Form, PlacedShape, View};

/// A unit mesh in the frame of a body.
#[derive(Clone, Debug)]
pub(super) struct Solid {
    body: Moving,
    unit: Unit,
    origin: Vector3<f64>,
    /// Images of the axes of the mesh.
    axes: [Vector3<f64>; 3],
    /// Least and greatest coordinates of the mesh.
    bounds: [Vector; 2],
}

impl Solid {
    /// The shape at an instant.
    pub(super) fn shape(&self, pose: &Pose) -> Shape {
        let Placement { at, rotation } = self.body.placement(pose, None);
        let origin = rotation * self.origin + Vector3::from(at);
        Shape::Solid {
            unit: self.unit,
            origin: origin.into(),
            axes: self.axes.map(|axis| (rotation * axis).into()),
            bounds: self.bounds,
        }
    }
}

/// Puts the shapes of a view in the place of what would be drawn of their bodies; returns the meshes of files.
pub(super) fn replace(pieces: &mut Vec<(Owner, Piece)>, model: &Model, view: &View) -> Vec<Arc<Mesh>> {
    let mut read: Vec<(Arc<ShapeFile>, Arc<Mesh>)> = Vec::new();
    let bodies = Moving::all(model);
    for (name, shapes) in &view.shapes {
        let Some(body) = bodies.iter().find(|body| body.name == *name) else {
            continue;
        };
        let is_drawn = |(owner, piece): &(Owner, Piece)| {
            owner.name(model) == name && matches!(piece, Piece::Link { .. } | Piece::Plate { .. } | Piece::Mass { .. })
        };
        let first = pieces.iter().position(is_drawn);
        let owner = match first {
            Some(first) => pieces[first].0,
            None => body.owner(),
        };
        pieces.retain(|piece| !is_drawn(piece));
        let solids = shapes.iter().map(|shape| {
            let unit = unit_of(&shape.form, &mut read);
            (owner, Piece::Solid(Box::new(solid(body, shape, unit))))
        });
        let solids: Vec<_> = solids.collect();
        // Behind the pins, in the place of what was drawn.
        let at = first.unwrap_or_else(|| behind_fastenings(pieces)).min(pieces.len());
        pieces.splice(at..at, solids);
    }
    read.into_iter().map(|(_, mesh)| mesh).collect()
}

fn behind_fastenings(pieces: &[(Owner, Piece)]) -> usize {
    let fastening = |(_, piece): &(Owner, Piece)| matches!(piece, Piece::Fastened { .. });
    pieces.iter().position(fastening).unwrap_or(pieces.len())
}

/// The unit mesh of a form; the triangles of a file are kept once.
fn unit_of(form: &Form, read: &mut Vec<(Arc<ShapeFile>, Arc<Mesh>)>) -> Unit {
    match form {
        Form::Mesh(file, _) => {
            let known = read.iter().position(|(known, _)| Arc::ptr_eq(known, file));
            Unit::Given(known.unwrap_or_else(|| {
                let mesh = Mesh {
                    positions: file.positions.clone(),
                    normals: file.normals.clone(),
                    faces: file.faces.clone(),
                };
                read.push((file.clone(), Arc::new(mesh)));
                read.len() - 1
            }))
        }
        Form::Cuboid(_) => Unit::Cube,
        Form::Cylinder { .. } => Unit::Rod,
        Form::Ball(_) => Unit::Ball,
    }
}

fn solid(body: &Moving, shape: &PlacedShape, unit: Unit) -> Solid {
    let [x, y, z] = shape.rotation;
    let about = |axis, angle| UnitQuaternion::from_axis_angle(&axis, angle);
    let turn = about(Vector3::z_axis(), z) * about(Vector3::y_axis(), y) * about(Vector3::x_axis(), x);
    // The rod lies along y and begins at its origin; a cylinder lies along z about its centre.
    let upright = Rotation3::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    let (factors, upright, centre) = match shape.form {
        Form::Mesh(_, scale) => ([scale; 3], Rotation3::identity(), Vector3::zeros()),
        Form::Cuboid(edges) => (edges, Rotation3::identity(), Vector3::zeros()),
        Form::Cylinder { radius, length } => ([radius, length, radius], upright, Vector3::new(0.0, 0.0, -length / 2.0)),
        Form::Ball(radius) => ([radius; 3], Rotation3::identity(), Vector3::zeros()),
    };
    let axis = |k: usize| turn * (upright * Vector3::ith(k, factors[k]));
    Solid {
        body: body.clone(),
        unit,
        origin: turn * centre + Vector3::from(shape.offset),
        axes: [axis(0), axis(1), axis(2)],
        bounds: match &shape.form {
            Form::Mesh(file, _) => file.bounds(),
            Form::Cuboid(_) => [[-0.5; 3], [0.5; 3]],
            Form::Cylinder { .. } => [[-1.0, 0.0, -1.0], [1.0; 3]],
            Form::Ball(_) => [[-1.0; 3], [1.0; 3]],
        },
    }
}
