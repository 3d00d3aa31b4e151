//! What shapes and frames belong to.

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
