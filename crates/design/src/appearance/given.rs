//! Shapes that the scene gives: meshes, cuboids, cylinders and balls in the frames of points, bars and rigid bodies, and at ground points.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use nalgebra::{Rotation3, UnitQuaternion};

use super::shape::Piece;
use super::{Line, Mesh, Moving, Owner, Solid, Unit, Vector};
use crate::model::Model;
use crate::scene::ShapeFile;
use crate::scene::compiled::{Form, PlacedShape, View};

/// Puts the shapes of a view in the place of what would be drawn of their bodies; returns the meshes of files.
pub(super) fn replace(pieces: &mut Vec<(Owner, Piece)>, model: &Model, view: &View) -> Vec<Arc<Mesh>> {
    let mut read: Vec<(Arc<ShapeFile>, Arc<Mesh>)> = Vec::new();
    let bodies = Moving::all(model);
    for (name, shapes) in &view.shapes {
        let moving = bodies.iter().find(|body| body.name == *name).cloned();
        let Some(body) = moving.or_else(|| Moving::ground(model, name)) else {
            continue;
        };
        let is_drawn = |(owner, piece): &(Owner, Piece)| {
            let is_body = matches!(
                piece,
                Piece::Line(Line::Bar | Line::Link, _) | Piece::Plate(..) | Piece::Mass(..)
            );
            is_body && owner.name(model) == name
        };
        let first = pieces.iter().position(is_drawn);
        let owner = first.map_or_else(|| body.owner(), |first| pieces[first].0);
        pieces.retain(|piece| !is_drawn(piece));
        let solids = shapes.iter().map(|shape| {
            let solid = solid(shape, &mut read);
            (owner, Piece::Solid(Box::new((body.clone(), solid))))
        });
        let solids: Vec<_> = solids.collect();
        // Behind the joints, in the place of what was drawn.
        let joint = || pieces.iter().position(|(_, piece)| matches!(piece, Piece::Joint(..)));
        let at = first.or_else(joint).unwrap_or(pieces.len()).min(pieces.len());
        pieces.splice(at..at, solids);
    }
    read.into_iter().map(|(_, mesh)| mesh).collect()
}

/// The triangles of a file, kept once.
fn mesh_of(file: &Arc<ShapeFile>, read: &mut Vec<(Arc<ShapeFile>, Arc<Mesh>)>) -> Unit {
    let known = read.iter().position(|(known, _)| Arc::ptr_eq(known, file));
    Unit::Given(known.unwrap_or_else(|| {
        let vectors = |list: &[[f64; 3]]| list.iter().copied().map(Vector::from).collect();
        let mesh = Mesh {
            positions: vectors(&file.positions),
            normals: vectors(&file.normals),
            faces: file.faces.clone(),
        };
        read.push((file.clone(), Arc::new(mesh)));
        read.len() - 1
    }))
}

/// A shape in the frame of its body.
fn solid(shape: &PlacedShape, read: &mut Vec<(Arc<ShapeFile>, Arc<Mesh>)>) -> Solid {
    let (unit, factors, bounds) = match &shape.form {
        Form::Mesh(file, scale) => (mesh_of(file, read), [*scale; 3], file.bounds()),
        Form::Cuboid(edges) => (Unit::Cube, *edges, [[-0.5; 3], [0.5; 3]]),
        Form::Cylinder { radius, length } => (
            Unit::Rod,
            [*radius, *length, *radius],
            [[-1.0, 0.0, -1.0], [1.0, 1.0, 1.0]],
        ),
        Form::Ball(radius) => (Unit::Ball, [*radius; 3], [[-1.0; 3], [1.0; 3]]),
    };
    // The rod lies along y and begins at its origin; a cylinder lies along z about its centre.
    let (upright, centre) = match shape.form {
        Form::Cylinder { length, .. } => (
            Rotation3::from_axis_angle(&Vector::x_axis(), FRAC_PI_2),
            Vector::new(0.0, 0.0, -length / 2.0),
        ),
        _ => (Rotation3::identity(), Vector::zeros()),
    };
    let [x, y, z] = shape.rotation;
    let about = |axis, angle| UnitQuaternion::from_axis_angle(&axis, angle);
    let turn = about(Vector::z_axis(), z) * about(Vector::y_axis(), y) * about(Vector::x_axis(), x);
    Solid {
        unit,
        origin: turn * centre + Vector::from(shape.offset),
        axes: [0, 1, 2].map(|k| turn * (upright * Vector::ith(k, factors[k]))),
        bounds: bounds.map(Vector::from),
    }
}
