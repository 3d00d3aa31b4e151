//! What pieces look like: the colours of bodies in turn, and what the scene gives.

use super::shape::Piece;
use super::{BODIES, Layer, Owner, Rgb};
use crate::model::Model;
use crate::model::body::BodyKind;
use crate::scene::compiled::{Look, View};

/// What a piece looks like.
#[derive(Clone, Copy, Debug)]
pub(super) struct PieceLook {
    /// Colour of what is drawn of it as a body.
    pub colour: Rgb,
    /// Colour that the scene gives it.
    pub given: Option<Rgb>,
    pub layer: Layer,
}

/// The layers that a view uses, the lowest first.
pub(super) fn layers(view: &View) -> Vec<i32> {
    let mut layers: Vec<i32> = view.looks.iter().map(|(_, look)| look.layer).chain([0]).collect();
    layers.sort_unstable();
    layers.dedup();
    layers
}

/// The looks of all pieces: bodies have colours in turn, point masses left out; an edge looks as the body behind it.
pub(super) fn of_pieces(model: &Model, pieces: &[(Owner, Piece)], view: &View, layers: &[i32]) -> Vec<PieceLook> {
    let none = Look::default();
    let look = |piece: &(Owner, Piece)| {
        let owner = owner(piece, pieces);
        let given = view.looks.iter().find(|(name, _)| name == owner.name(model));
        let look = given.map_or(&none, |(_, look)| look);
        let rank = layers.iter().position(|layer| *layer == look.layer).unwrap_or(0);
        PieceLook {
            colour: look
                .colour
                .unwrap_or_else(|| BODIES[number(&owner, model) % BODIES.len()]),
            given: look.colour,
            layer: Layer {
                from: rank as f64 / layers.len() as f64,
                part: 1.0 / layers.len() as f64,
            },
        }
    };
    pieces.iter().map(look).collect()
}

/// Whose look a piece has.
fn owner((own, piece): &(Owner, Piece), pieces: &[(Owner, Piece)]) -> Owner {
    let Piece::Edge(_, Some(centre)) = piece else {
        return *own;
    };
    let body = pieces
        .iter()
        .find(|(_, piece)| matches!(piece, Piece::Plate(at, _) if at == centre));
    body.map_or(*own, |(body, _)| *body)
}

/// Number of a body in the turn of colours.
fn number(owner: &Owner, model: &Model) -> usize {
    match *owner {
        Owner::Body(index) => {
            let before = model.bodies[..index].iter();
            before
                .filter(|body| !matches!(body.kind, BodyKind::Particle(_)))
                .count()
        }
        Owner::Point(place) => place[0],
        _ => 0,
    }
}
