//! What a mechanism looks like at an instant: named shapes in the ground frame, in metres, for whatever draws them.
//!
//! Everything is read off the [`Model`]: bars and links, rigid bodies as plates over the places that something is attached
//! to, springs, dampers, contacts, rails; the part `view` of a scene may give other shapes. The plane is z = 0 of space.

mod arrows;
mod blocks;
mod colour;
mod gather;
mod given;
mod mesh;
mod moving;
mod pick;
mod shape;
#[cfg(test)]
mod tests;

pub use arrows::{Arrow, arrow_blocks};
pub use blocks::{Block, Material, Scale, blocks};
pub use mesh::{Mesh, Unit};
pub use moving::{Kind, Moving, Placement};
pub use pick::{Ray, pick};
pub use shape::{Fastening, Item, Owner, Shape};

use std::sync::Arc;

use crate::model::force::Load;
use crate::model::local::Local;
use crate::model::marker::{Marker, Orientation};
use crate::model::{ContactState, Mode, Model};
use crate::scene::compiled::View;

/// A point or vector of space.
pub type Vector = [f64; 3];

/// What is drawn of a model, before it is known where.
#[derive(Clone, Debug)]
pub struct Appearance {
    pieces: Vec<(Owner, Piece)>,
    /// Meshes that the scene gives.
    given: Vec<Arc<Mesh>>,
    /// Places whose paths are drawn.
    traced: Vec<Marker>,
    /// Places that move.
    moving: Vec<Marker>,
}

/// Positions, time and numbers of an instant.
#[derive(Clone, Copy, Debug)]
pub struct Pose<'a> {
    /// Time.
    pub t: f64,
    /// Coordinates.
    pub q: &'a [f64],
    /// Numbers and memory.
    pub numbers: &'a [f64],
    /// What acts.
    pub mode: &'a Mode,
}

/// A shape that moves; all indices are the model's.
#[derive(Clone, Debug)]
enum Piece {
    Link {
        a: Marker,
        b: Marker,
        massless: bool,
    },
    Plate {
        centre: Marker,
        places: Vec<Marker>,
    },
    Mass {
        at: Marker,
        mass: usize,
    },
    Fastened {
        at: Marker,
        how: Fastening,
    },
    Coil {
        a: Marker,
        b: Marker,
    },
    Damper {
        a: Marker,
        b: Marker,
    },
    Spiral {
        at: Marker,
    },
    Thread {
        a: Marker,
        b: Marker,
    },
    Load {
        load: Load,
        local: Local,
    },
    Circle {
        centre: Marker,
        radius: usize,
    },
    /// The slider's rail goes along a direction of a frame, about a marker.
    Rail {
        about: Marker,
        frame: Orientation,
        direction: [usize; 3],
        slider: Marker,
    },
    /// The slider's rail goes through two markers, or parallel to them.
    Slot {
        ends: [Marker; 2],
        slider: Marker,
    },
    Surface {
        through: Marker,
        frame: Orientation,
        normal: [usize; 3],
    },
    Solid(Box<given::Solid>),
}

impl Appearance {
    /// Gathers what a model shows, with the shapes and the places to trace that the scene gives.
    pub fn new(model: &Model, view: &View) -> Self {
        let mut pieces = gather::pieces(model);
        let moving = moving_places(&pieces);
        let given = given::replace(&mut pieces, model, view);
        let points = pieces.iter().filter_map(|(owner, piece)| match (owner, piece) {
            (Owner::Point(_), Piece::Fastened { at, .. }) => Some(*at),
            _ => None,
        });
        let traced = match &view.trace {
            Some(trace) => trace.iter().map(|(_, marker)| *marker).collect(),
            None => points.collect(),
        };
        Self {
            pieces,
            given,
            traced,
            moving,
        }
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
    pub fn traced(&self, model: &Model, pose: &Pose) -> Vec<Vector> {
        let place = |marker: &Marker| match model.dimension {
            2 => position::<2>(marker, pose),
            _ => position::<3>(marker, pose),
        };
        self.traced.iter().map(place).collect()
    }

    /// The shapes at an instant. What is switched off is left out.
    pub fn items(&self, model: &Model, pose: &Pose) -> Vec<Item> {
        let visible = self.pieces.iter().filter(|(owner, _)| acts(owner, pose.mode));
        visible
            .map(|(owner, piece)| Item {
                owner: *owner,
                shape: match model.dimension {
                    2 => piece.shape::<2>(pose),
                    _ => piece.shape::<3>(pose),
                },
            })
            .collect()
    }
}

fn moving_places(pieces: &[(Owner, Piece)]) -> Vec<Marker> {
    let mut places: Vec<Marker> = Vec::new();
    for (_, piece) in pieces {
        let place = match piece {
            Piece::Fastened {
                at,
                how: Fastening::Pin,
            } => *at,
            Piece::Mass { at, .. } => *at,
            Piece::Plate { centre, .. } => *centre,
            _ => continue,
        };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// Whether what a piece belongs to is switched on.
fn acts(owner: &Owner, mode: &Mode) -> bool {
    match *owner {
        Owner::Body(_) | Owner::Point(_) | Owner::Ground(_) => true,
        Owner::Group(group) => mode.groups[group],
        Owner::Force(force) => mode.forces[force],
        Owner::Contact(contact) => mode.contacts[contact] != ContactState::Disabled,
    }
}

impl Piece {
    fn shape<const D: usize>(&self, pose: &Pose) -> Shape {
        let place = |marker: &Marker| position::<D>(marker, pose);
        let ends = |a: &Marker, b: &Marker| [place(a), place(b)];
        let vector = |frame: &Orientation, numbers: &[usize; 3]| direction::<D>(*frame, numbers, pose);
        match self {
            Self::Link { a, b, massless } => Shape::Link {
                ends: ends(a, b),
                massless: *massless,
            },
            Self::Plate { centre, places } => Shape::Plate {
                centre: place(centre),
                corners: places.iter().map(place).collect(),
            },
            Self::Mass { at, mass } => Shape::Mass {
                at: place(at),
                mass: pose.numbers[*mass],
            },
            Self::Fastened { at, how } => Shape::Joint {
                at: place(at),
                how: *how,
            },
            Self::Coil { a, b } => Shape::Coil { ends: ends(a, b) },
            Self::Damper { a, b } => Shape::Damper { ends: ends(a, b) },
            Self::Spiral { at } => Shape::Spiral { at: place(at) },
            Self::Thread { a, b } => Shape::Thread { ends: ends(a, b) },
            Self::Load { load, local } => arrow::<D>(load, local, pose),
            Self::Circle { centre, radius } => Shape::Circle {
                centre: place(centre),
                radius: pose.numbers[*radius],
            },
            Self::Rail {
                about,
                frame,
                direction,
                slider,
            } => Shape::Rail {
                about: place(about),
                direction: vector(frame, direction),
                slider: place(slider),
            },
            Self::Slot { ends: [a, b], slider } => {
                let [a, b] = ends(a, b);
                Shape::Rail {
                    about: a,
                    direction: unit(std::array::from_fn(|k| b[k] - a[k])),
                    slider: place(slider),
                }
            }
            Self::Surface { through, frame, normal } => Shape::Surface {
                through: place(through),
                normal: vector(frame, normal),
            },
            Self::Solid(solid) => solid.shape(pose),
        }
    }
}

/// The place of a marker with the model's indices.
fn position<const D: usize>(marker: &Marker, pose: &Pose) -> Vector {
    in_space(marker.position::<f64, D>(pose.q, pose.numbers))
}

/// Unit vector of a direction fixed in a frame.
fn direction<const D: usize>(frame: Orientation, numbers: &[usize; 3], pose: &Pose) -> Vector {
    let given: [f64; D] = std::array::from_fn(|k| pose.numbers[numbers[k]]);
    unit(in_space(frame.turn(pose.q, given)))
}

fn arrow<const D: usize>(load: &Load, local: &Local, pose: &Pose) -> Shape {
    let (q, numbers) = (local.gather::<f64>(pose.q), local.gather_numbers::<f64>(pose.numbers));
    let given: [f64; D] = std::array::from_fn(|k| load.force[k].evaluate(pose.t, &numbers));
    Shape::Arrow {
        at: in_space(load.at.position::<f64, D>(&q, &numbers)),
        vector: in_space(load.frame.turn(&q, given)),
    }
}

fn in_space<const D: usize>(vector: [f64; D]) -> Vector {
    std::array::from_fn(|k| if k < D { vector[k] } else { 0.0 })
}

/// The direction of a vector; zero for zero.
fn unit(vector: Vector) -> Vector {
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 {
        vector.map(|x| x / length)
    } else {
        vector
    }
}

/// The same orientation with the model's indices instead of an element's.
fn global_orientation(orientation: Orientation, local: &Local) -> Orientation {
    match orientation {
        Orientation::Ground => Orientation::Ground,
        Orientation::Angle(i) => Orientation::Angle(local.coordinates[i]),
    }
}
