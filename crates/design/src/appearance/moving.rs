//! Frames that move: those of points, bars and rigid bodies.

use nalgebra::{UnitQuaternion, Vector3};

use super::{Owner, Pose, Vector, in_space};
use crate::model::body::BodyKind;
use crate::model::constraint::ConstraintKind;
use crate::model::local::Local;
use crate::model::marker::{Base, Marker, Place};
use crate::model::{CoordinateKind, GroupKind, Model};

/// What a frame belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A point: its frame keeps its orientation.
    Point,
    /// A bar: its frame begins at its start, and its x axis points to its end.
    Bar,
    /// A rigid body: its own frame.
    Rigid,
}

/// A frame that moves.
#[derive(Clone, Debug)]
pub struct Moving {
    /// Name in the scene.
    pub name: String,
    /// What it belongs to.
    pub kind: Kind,
    dimension: usize,
    at: Marker,
    turn: Turn,
}

/// How a frame turns; indices are the model's.
#[derive(Clone, Copy, Debug)]
enum Turn {
    /// Not at all.
    None,
    /// By a coordinate, about z.
    Angle(usize),
    /// So that its x axis points to a marker.
    Towards(Marker),
}

/// Where a frame is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Its origin in the ground frame, in metres.
    pub at: Vector,
    /// From the frame to the ground frame.
    pub rotation: UnitQuaternion<f64>,
}

impl Kind {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Bar => "bar",
            Self::Rigid => "rigid",
        }
    }
}

impl Moving {
    /// The frames of all points, bars and rigid bodies, in this order, each in the order of the model.
    pub fn all(model: &Model) -> Vec<Self> {
        let bodies = model.bodies.iter().enumerate();
        let rigid = bodies.filter(|(_, body)| matches!(body.kind, BodyKind::Rigid(_)));
        let points = points(model).map(|place| Self::point(model, place));
        points
            .chain(bars(model))
            .chain(rigid.map(|(index, _)| Self::of_body(model, index)))
            .collect()
    }

    /// The frame of a body of the model.
    pub fn of_body(model: &Model, index: usize) -> Self {
        let body = &model.bodies[index];
        let local = &body.local;
        match &body.kind {
            BodyKind::Particle(particle) => {
                let place = coordinates(&particle.point, model.dimension, local);
                Self::point(model, place)
            }
            BodyKind::Bar(bar) => {
                let [from, to] = [bar.from, bar.to].map(|end| Marker::Base(end.global(local)));
                Self::bar(model, &body.name, from, to)
            }
            BodyKind::Rigid(rigid) => {
                let place = rigid.body.map(|i| local.coordinates[i]);
                Self {
                    name: body.name.clone(),
                    kind: Kind::Rigid,
                    dimension: model.dimension,
                    at: Marker::Base(Base::Point(place)),
                    turn: Turn::Angle(place[2]),
                }
            }
        }
    }

    fn point(model: &Model, place: Place) -> Self {
        Self {
            name: Owner::Point(place).name(model).to_string(),
            kind: Kind::Point,
            dimension: model.dimension,
            at: Marker::Base(Base::Point(place)),
            turn: Turn::None,
        }
    }

    fn bar(model: &Model, name: &str, from: Marker, to: Marker) -> Self {
        Self {
            name: name.to_string(),
            kind: Kind::Bar,
            dimension: model.dimension,
            at: from,
            turn: Turn::Towards(to),
        }
    }

    /// What its shapes belong to when nothing else is drawn of it.
    pub(super) fn owner(&self) -> Owner {
        match self.at {
            Marker::Base(Base::Ground(place)) => Owner::Ground(place),
            Marker::Base(Base::Point(place)) => Owner::Point(place),
            // Frames begin at points.
            _ => Owner::Point(Place::default()),
        }
    }

    /// Where it is at an instant. A bar in space has no orientation about itself: it turns as little as possible from the
    /// placement before, or from the ground frame.
    pub fn placement(&self, pose: &Pose, before: Option<&Placement>) -> Placement {
        let at = self.position(&self.at, pose);
        let about_z = |angle: f64| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
        let rotation = match self.turn {
            Turn::None => UnitQuaternion::identity(),
            Turn::Angle(coordinate) => about_z(pose.q[coordinate]),
            Turn::Towards(end) => {
                let end = self.position(&end, pose);
                let along = Vector3::from_fn(|k, _| end[k] - at[k]);
                match self.dimension {
                    2 => about_z(along.y.atan2(along.x)),
                    _ => turned_to(
                        along,
                        before.map_or_else(UnitQuaternion::identity, |before| before.rotation),
                    ),
                }
            }
        };
        Placement { at, rotation }
    }

    fn position(&self, marker: &Marker, pose: &Pose) -> Vector {
        match self.dimension {
            2 => in_space(marker.position::<f64, 2>(pose.q, pose.numbers)),
            _ => in_space(marker.position::<f64, 3>(pose.q, pose.numbers)),
        }
    }
}

/// The rotation nearest to another one that takes the x axis to a direction.
fn turned_to(along: Vector3<f64>, near: UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let x = near * Vector3::x();
    match UnitQuaternion::rotation_between(&x, &along) {
        Some(turn) => turn * near,
        // Straight back: any axis across serves.
        None => UnitQuaternion::from_axis_angle(&(near * Vector3::z_axis()), std::f64::consts::PI) * near,
    }
}

/// The coordinates of all points, massless ones too.
fn points(model: &Model) -> impl Iterator<Item = Place> {
    let of_rigid = |x: usize| {
        model
            .bodies
            .iter()
            .any(|body| matches!(&body.kind, BodyKind::Rigid(rigid) if body.local.coordinates[rigid.body[0]] == x))
    };
    let coordinates = model.coordinates.iter().enumerate();
    coordinates
        .filter(move |(i, coordinate)| {
            coordinate.kind == CoordinateKind::Length && coordinate.name.ends_with(".x") && !of_rigid(*i)
        })
        // The coordinates of a point follow each other.
        .map(|(i, _)| [i, i + 1, i + 2])
}

/// The frames of all bars, massless ones too.
fn bars(model: &Model) -> impl Iterator<Item = Moving> {
    let groups = model.groups.iter().filter(|group| group.kind == GroupKind::Bar);
    groups.flat_map(move |group| {
        let constraints = group.constraints.iter().map(|&index| &model.constraints[index]);
        constraints.filter_map(move |constraint| match &constraint.kind {
            ConstraintKind::Distance(link) => {
                let [from, to] = [link.a, link.b].map(|end| end.global(&constraint.local));
                Some(Moving::bar(model, &group.name, from, to))
            }
            _ => None,
        })
    })
}

fn coordinates(place: &Place, dimension: usize, local: &Local) -> Place {
    std::array::from_fn(|k| if k < dimension { local.coordinates[place[k]] } else { 0 })
}
