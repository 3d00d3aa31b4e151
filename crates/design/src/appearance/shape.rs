//! The shapes, and what they belong to.

use super::{Unit, Vector};
use crate::model::Model;
use crate::model::marker::Place;

/// What a shape belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Owner {
    /// A body of the model.
    Body(usize),
    /// A point; its coordinates.
    Point(Place),
    /// A ground point; its numbers.
    Ground(Place),
    /// A group of constraints: a joint, driver or bar.
    Group(usize),
    /// A force.
    Force(usize),
    /// A contact.
    Contact(usize),
}

/// How things are held together at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fastening {
    /// They turn about it.
    Pin,
    /// It is fixed in the ground.
    Ground,
}

/// A shape in the ground frame; lengths in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A bar, or a rigid link without mass.
    Link {
        /// Its ends.
        ends: [Vector; 2],
        /// Whether it has no mass of its own.
        massless: bool,
    },
    /// A rigid body.
    Plate {
        /// Centre of mass.
        centre: Vector,
        /// Places that something is attached to.
        corners: Vec<Vector>,
    },
    /// A point mass.
    Mass {
        /// Where.
        at: Vector,
        /// In kilograms.
        mass: f64,
    },
    /// A joint.
    Joint {
        /// Where.
        at: Vector,
        /// Its kind.
        how: Fastening,
    },
    /// A spring.
    Coil {
        /// Its ends.
        ends: [Vector; 2],
    },
    /// A damper.
    Damper {
        /// Its ends.
        ends: [Vector; 2],
    },
    /// A torsion spring, or a torque.
    Spiral {
        /// Where.
        at: Vector,
    },
    /// A string that limits a distance.
    Thread {
        /// Its ends.
        ends: [Vector; 2],
    },
    /// A force that acts at a place, in newtons.
    Arrow {
        /// Where.
        at: Vector,
        /// The force.
        vector: Vector,
    },
    /// A round contact surface.
    Circle {
        /// Centre.
        centre: Vector,
        /// Radius.
        radius: f64,
    },
    /// Something on a straight line without end.
    Rail {
        /// A point near which the line passes.
        about: Vector,
        /// Unit vector along the line.
        direction: Vector,
        /// What slides; the line goes through it.
        slider: Vector,
    },
    /// A plane that something may touch; without end.
    Surface {
        /// A point of it.
        through: Vector,
        /// Unit vector towards the free side.
        normal: Vector,
    },
    /// A shape that the scene gives.
    Solid {
        /// Its mesh.
        unit: Unit,
        /// Place of the origin of the mesh.
        origin: Vector,
        /// Images of the axes of the mesh.
        axes: [Vector; 3],
        /// Least and greatest coordinates of the mesh.
        bounds: [Vector; 2],
    },
}

/// A shape with what it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it belongs to.
    pub owner: Owner,
    /// The shape.
    pub shape: Shape,
}

impl Owner {
    /// Its name in the scene.
    pub fn name<'a>(&self, model: &'a Model) -> &'a str {
        match *self {
            Self::Body(body) => &model.bodies[body].name,
            Self::Point(place) => stem(&model.coordinates[place[0]].name),
            Self::Ground(place) => stem(model.number_name(place[0])),
            Self::Group(group) => &model.groups[group].name,
            Self::Force(force) => &model.forces[force].name,
            Self::Contact(contact) => &model.contacts[contact].name,
        }
    }
}

/// The name of a coordinate without its last part: `P2` of `P2.x`.
fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

impl Shape {
    /// Points that a picture of the mechanism must hold; none for what has no end.
    pub fn anchors(&self) -> Vec<Vector> {
        match self {
            Self::Link { ends, .. } | Self::Coil { ends } | Self::Damper { ends } | Self::Thread { ends } => {
                ends.to_vec()
            }
            Self::Plate { centre, corners } => corners.iter().copied().chain([*centre]).collect(),
            Self::Mass { at, .. } | Self::Joint { at, .. } | Self::Spiral { at } | Self::Arrow { at, .. } => vec![*at],
            Self::Rail { slider, .. } => vec![*slider],
            Self::Circle { centre, radius } => {
                let corner = |sx: f64, sy: f64| [centre[0] + sx * radius, centre[1] + sy * radius, centre[2]];
                vec![corner(-1.0, -1.0), corner(1.0, 1.0)]
            }
            Self::Surface { .. } => Vec::new(),
            Self::Solid {
                origin, axes, bounds, ..
            } => {
                let corner = |k: usize| -> Vector {
                    let at: Vector = std::array::from_fn(|axis| bounds[k >> axis & 1][axis]);
                    std::array::from_fn(|i| origin[i] + (0..3).map(|axis| axes[axis][i] * at[axis]).sum::<f64>())
                };
                (0..8).map(corner).collect()
            }
        }
    }
}
