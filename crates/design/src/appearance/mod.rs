//! What a mechanism looks like at an instant: named shapes in the ground frame, in metres, for whatever draws them.
//!
//! Everything is read off the [`Model`]: bars and links, rigid bodies as plates over the places that something is attached
//! to, springs, dampers, contacts, rails; the part `view` of a scene may give other shapes. The plane is z = 0 of space.

mod arrows;
mod axes;
mod axial;
mod blocks;
mod friction;
mod gather;
mod given;
mod hinge;
mod looks;
mod material;
mod mesh;
mod moving;
mod owner;
mod pick;
mod scale;
mod shape;
#[cfg(test)]
mod tests;

pub use arrows::{Arrow, arrow_blocks};
pub use axes::{AXES, axis_length, frame_blocks};
pub use axial::Drawn;
pub use blocks::{Block, blocks};
pub use friction::{Cone, FrictionMark, cone_blocks, friction_blocks};
pub use material::{BODIES, INK, Material, Rgb};
pub use mesh::{Mesh, Unit};
pub use moving::{Moving, Placement};
pub use owner::Owner;
pub use pick::{Ray, pick};
pub use scale::Scale;
pub use shape::{Axial, Fastening, Hinge, Item, Layer, Line, Shape, Solid};

use std::sync::Arc;

use nalgebra::{Vector2, Vector3};

use crate::model::marker::Marker;
use crate::model::{ContactState, Mode, Model};
pub use crate::scene::compiled::{CameraView, View};
use looks::PieceLook;
use shape::Piece;

/// A point or vector of space.
pub type Vector = Vector3<f64>;

/// What is drawn of a model, before it is known where.
#[derive(Clone, Debug)]
pub struct Appearance {
    pieces: Vec<(Owner, Piece)>,
    /// What each piece looks like.
    looks: Vec<PieceLook>,
    /// What the scene writes in the place of names.
    labels: Vec<(String, String)>,
    /// Number of layers of bodies.
    layers: usize,
    /// Meshes that the scene gives.
    given: Vec<Arc<Mesh>>,
    /// Places whose paths are drawn.
    traced: Vec<Marker>,
    /// Places that move.
    moving: Vec<Marker>,
    /// Places of joints with friction, in the order of the frictions.
    rubbing: Vec<Option<Marker>>,
}

/// Positions, time and numbers of an instant.
#[derive(Clone, Copy, Debug)]
pub struct Pose<'a> {
    /// 2 or 3.
    pub dimension: usize,
    /// Time.
    pub t: f64,
    /// Coordinates.
    pub q: &'a [f64],
    /// Numbers and memory.
    pub numbers: &'a [f64],
    /// What acts.
    pub mode: &'a Mode,
}

impl Appearance {
    /// Gathers what a model shows, with the shapes and the places to trace that the scene gives.
    pub fn new(model: &Model, view: &View) -> Self {
        let mut pieces = gather::pieces(model);
        let moving = moving_places(&pieces);
        let traced = match &view.trace {
            Some(trace) => trace.iter().map(|(_, marker)| *marker).collect(),
            None => points(&pieces, &moving),
        };
        let given = given::replace(&mut pieces, model, view);
        let labels = view.looks.iter();
        let labels = labels.filter_map(|(name, look)| Some((name.clone(), look.label.clone()?)));
        let order = looks::layers(view);
        Self {
            looks: looks::of_pieces(model, &pieces, view, &order),
            labels: labels.collect(),
            layers: order.len(),
            pieces,
            given,
            traced,
            moving,
            rubbing: friction::places(model),
        }
    }

    /// Difference in height of two items of a kind and a layer, one after the other, in half-widths of a bar.
    pub fn step(&self) -> f64 {
        blocks::SHARED / (self.pieces.len().max(1) * self.layers) as f64
    }

    /// What is written beside something: its name, unless the scene says otherwise; empty for nothing.
    pub fn label<'a>(&'a self, owner: &Owner, model: &'a Model) -> &'a str {
        let name = owner.name(model);
        let given = self.labels.iter().find(|(labelled, _)| labelled == name);
        given.map_or(name, |(_, label)| label)
    }

    /// The meshes that the scene gives: [`Unit::Given`] counts them.
    pub fn given(&self) -> &[Arc<Mesh>] {
        &self.given
    }

    /// Every mesh that blocks may be of.
    pub fn meshes(&self) -> impl Iterator<Item = (Unit, Arc<Mesh>)> {
        let given = self.given.iter().enumerate();
        let unit = Unit::ALL.into_iter().map(|unit| (unit, Arc::new(unit.mesh())));
        unit.chain(given.map(|(index, mesh)| (Unit::Given(index), mesh.clone())))
    }

    /// The places that move: joints, point masses and centres of mass, each once.
    pub fn moving_places(&self) -> &[Marker] {
        &self.moving
    }

    /// Where the places are whose paths are drawn.
    pub fn traced(&self, pose: &Pose) -> Vec<Vector> {
        self.traced.iter().map(|marker| pose.place(marker)).collect()
    }

    /// What the dry friction of a model does at an instant.
    pub fn friction_marks(&self, model: &Model, pose: &Pose) -> Vec<FrictionMark> {
        friction::marks(model, &self.rubbing, pose)
    }

    /// The shapes at an instant. What is switched off is left out.
    pub fn items(&self, pose: &Pose) -> Vec<Item> {
        let pieces = self.pieces.iter().enumerate();
        let visible = pieces.filter(|(_, (owner, _))| is_active(owner, pose.mode));
        let item = |(index, (owner, piece)): (usize, &(Owner, Piece))| Item {
            owner: *owner,
            shape: piece.at(pose),
            colour: self.looks[index].colour,
            given: self.looks[index].given,
            height: index as f64 / self.pieces.len() as f64,
            layer: self.looks[index].layer,
        };
        visible.map(item).collect()
    }
}

impl Pose<'_> {
    /// The place of a marker with the model's indices.
    fn place(&self, marker: &Marker) -> Vector {
        match self.dimension {
            2 => Vector2::from(marker.position(self.q, self.numbers)).push(0.0),
            _ => marker.position(self.q, self.numbers).into(),
        }
    }

    /// A vector by its components, as many as there are.
    fn in_space(&self, component: impl Fn(usize) -> f64) -> Vector {
        Vector::from_fn(|k, _| if k < self.dimension { component(k) } else { 0.0 })
    }
}

/// The points that are joined or have a mass; where there are none, whatever moves.
fn points(pieces: &[(Owner, Piece)], moving: &[Marker]) -> Vec<Marker> {
    let is_point = |marker: &&Marker| {
        pieces.iter().any(|(owner, piece)| match (owner, piece) {
            (Owner::Point(_), Piece::Joint(at, _)) | (_, Piece::Mass(at, _)) => at == *marker,
            _ => false,
        })
    };
    let points: Vec<Marker> = moving.iter().filter(is_point).copied().collect();
    if points.is_empty() { moving.to_vec() } else { points }
}

fn moving_places(pieces: &[(Owner, Piece)]) -> Vec<Marker> {
    let mut places: Vec<Marker> = Vec::new();
    for (_, piece) in pieces {
        if let Piece::Joint(place, Fastening::Pin)
        | Piece::Hinge(_, [_, place], _)
        | Piece::Mass(place, _)
        | Piece::Plate(place, _) = piece
            && !places.contains(place)
        {
            places.push(*place);
        }
    }
    places
}

/// Whether what a piece belongs to is switched on.
fn is_active(owner: &Owner, mode: &Mode) -> bool {
    match *owner {
        Owner::Body(_) | Owner::Point(_) | Owner::Ground(_) => true,
        Owner::Group(group) => mode.groups[group],
        Owner::Force(force) => mode.forces[force],
        Owner::Contact(contact) => mode.contacts[contact] != ContactState::Disabled,
    }
}

/// The direction of a vector; zero for zero.
fn unit(vector: Vector) -> Vector {
    vector.try_normalize(0.0).unwrap_or(vector)
}
