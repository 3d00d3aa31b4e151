//! Frames that move: those of points, bars and rigid bodies.

use nalgebra::{Quaternion, UnitQuaternion};

use super::{Owner, Pose, Vector};
use crate::model::body::BodyKind;
use crate::model::constraint::ConstraintKind;
use crate::model::marker::{Base, Marker, Place};
use crate::model::{CoordinateKind, GroupKind, Model};

/// A frame that moves, or that shapes of the ground stand in.
#[derive(Clone, Debug)]
pub struct Moving {
    /// Name in the scene.
    pub name: String,
    at: Marker,
    turn: Turn,
}

/// How a frame turns; indices are the model's.
#[derive(Clone, Copy, Debug)]
enum Turn {
    /// Not at all: the frame of a point.
    None,
    /// By a coordinate, about z: the frame of a rigid body.
    Angle(usize),
    /// By a quaternion, from this coordinate on: the frame of a rigid body in space.
    Quaternion(usize),
    /// So that its x axis points to a marker: the frame of a bar, which begins at its start.
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

impl Placement {
    /// The ground frame.
    pub fn ground() -> Self {
        Self {
            at: Vector::zeros(),
            rotation: UnitQuaternion::identity(),
        }
    }
}

impl Moving {
    /// The frames of all points, bars and rigid bodies, in this order, each in the order of the model.
    pub fn all(model: &Model) -> Vec<Self> {
        let bodies = model.bodies.iter().enumerate();
        let rigid = bodies.filter(|(_, body)| matches!(body.kind, BodyKind::Rigid(_) | BodyKind::Solid(_)));
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
                let place = particle.point.map(|i| local.coordinates.get(i).copied().unwrap_or(0));
                Self::point(model, place)
            }
            BodyKind::Bar(bar) => {
                let [from, to] = [bar.from, bar.to].map(|end| Marker::Base(end.global(local, model.dimension)));
                Self::new(&body.name, from, Turn::Towards(to))
            }
            BodyKind::Rigid(rigid) => {
                let place = rigid.body.map(|i| local.coordinates[i]);
                Self::new(&body.name, Marker::Base(Base::Point(place)), Turn::Angle(place[2]))
            }
            BodyKind::Solid(solid) => {
                let place = solid.origin.map(|i| local.coordinates[i]);
                let scalar = local.coordinates[solid.turn[0]];
                Self::new(&body.name, Marker::Base(Base::Point(place)), Turn::Quaternion(scalar))
            }
        }
    }

    /// The place of a ground point by its name, in the directions of the ground frame.
    pub(super) fn ground(model: &Model, name: &str) -> Option<Self> {
        let along = |axis: &str| {
            let own = |(stem, last): (&str, &str)| stem == name && last == axis;
            (0..model.numbers.len()).find(|&number| model.number_name(number).rsplit_once('.').is_some_and(own))
        };
        let (x, y) = (along("x")?, along("y")?);
        let place = [x, y, along("z").unwrap_or(y)];
        Some(Self::new(name, Marker::Base(Base::Ground(place)), Turn::None))
    }

    fn point(model: &Model, place: Place) -> Self {
        let name = Owner::Point(place).name(model);
        Self::new(name, Marker::Base(Base::Point(place)), Turn::None)
    }

    fn new(name: &str, at: Marker, turn: Turn) -> Self {
        let name = name.to_string();
        Self { name, at, turn }
    }

    /// What it belongs to, as files name it: `point`, `bar` or `rigid`.
    pub const fn kind(&self) -> &'static str {
        match self.turn {
            Turn::None => "point",
            Turn::Angle(_) | Turn::Quaternion(_) => "rigid",
            Turn::Towards(_) => "bar",
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
        let at = pose.place(&self.at);
        let about_z = |angle: f64| UnitQuaternion::from_axis_angle(&Vector::z_axis(), angle);
        let rotation = match self.turn {
            Turn::None => UnitQuaternion::identity(),
            Turn::Angle(coordinate) => about_z(pose.q[coordinate]),
            Turn::Quaternion(scalar) => {
                let [w, x, y, z] = [0, 1, 2, 3].map(|k| pose.q[scalar + k]);
                UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z))
            }
            Turn::Towards(end) => {
                let along = pose.place(&end) - at;
                match pose.dimension {
                    2 => about_z(along.y.atan2(along.x)),
                    _ => turned_to(along, before.map_or_else(UnitQuaternion::identity, |it| it.rotation)),
                }
            }
        };
        Placement { at, rotation }
    }
}

/// The rotation nearest to another one that takes the x axis to a direction.
fn turned_to(along: Vector, near: UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    match UnitQuaternion::rotation_between(&(near * Vector::x()), &along) {
        Some(turn) => turn * near,
        // Straight back: any axis across serves.
        None => UnitQuaternion::from_axis_angle(&(near * Vector::z_axis()), std::f64::consts::PI) * near,
    }
}

/// The coordinates of all points, massless ones too.
fn points(model: &Model) -> impl Iterator<Item = Place> {
    let of_rigid = |x: usize| {
        model.bodies.iter().any(|body| match &body.kind {
            BodyKind::Rigid(rigid) => body.local.coordinates[rigid.body[0]] == x,
            BodyKind::Solid(solid) => body.local.coordinates[solid.origin[0]] == x,
            BodyKind::Particle(_) | BodyKind::Bar(_) => false,
        })
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
                let [from, to] = [link.a, link.b].map(|end| end.global(&constraint.local, model.dimension));
                Some(Moving::new(&group.name, from, Turn::Towards(to)))
            }
            _ => None,
        })
    })
}
