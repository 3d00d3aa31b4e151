//! Points, bars and rigid bodies as written.

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess};

use super::kinds::kinds;
use super::shorthand::{Shorthand, deserialize_in_any_form};
use super::{Named, Number, Shape};

/// A coordinate that the assembly holds at its given value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Coordinate {
    /// First coordinate.
    X,
    /// Second coordinate.
    Y,
    /// Third coordinate (spatial scenes).
    Z,
    /// Angle of a rigid body.
    Angle,
    /// Orientation of a rigid body in space.
    Orientation,
}

/// Orientation of a rigid body in space: what turns its own axes into those of the ground.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Orientation {
    /// Quaternion of any length, the scalar first.
    Quaternion(Vec<Number>),
    /// Rotation about an axis of any length.
    AxisAngle {
        /// The axis.
        axis: Vec<Number>,
        /// The angle.
        angle: Number,
    },
    /// Rotations one after the other, each about an axis of the body as the ones before it have turned it.
    Rotations(Vec<Rotation>),
}

/// Rotation about an axis of a body.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub enum Rotation {
    /// About the first axis.
    X(Number),
    /// About the second axis.
    Y(Number),
    /// About the third axis.
    Z(Number),
}

/// A named place of the ground or of a body, with an orientation in space: `[x, y, z]` or `(at: [x, y, z], orientation: ..)`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Placement {
    /// The place.
    pub at: Vec<Number>,
    /// Its own axes; those of the ground or the body when left out.
    pub orientation: Option<Orientation>,
    /// The frame that both are given in; that of the ground or the body when left out (spatial).
    pub within: Option<Box<Placement>>,
}

impl<'de> Shorthand<'de> for Placement {
    const EXPECTED: &'static str = "a place such as `[1, 0, 2]` or `(at: [1, 0, 2], orientation: Rotations([X(0.5)]))`";

    fn from_list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        let at = Vec::deserialize(SeqAccessDeserializer::new(list))?;
        Ok(Self {
            at,
            orientation: None,
            within: None,
        })
    }

    fn from_fields<A: MapAccess<'de>>(fields: A) -> Result<Self, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(fields))
    }
}

deserialize_in_any_form!(Placement);

/// A part of a rigid body in space, in the frame of the body.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Part {
    /// Anything with this mass and inertia.
    Mass {
        /// Mass.
        mass: Number,
        /// Inertia tensor about its centre of mass in its own axes: `[Ixx, Iyy, Izz, Ixy, Ixz, Iyz]`, entries of the matrix.
        inertia: Vec<Number>,
        /// Its centre of mass; the origin of the body when left out.
        at: Option<Vec<Number>>,
        /// Its axes; those of the body when left out.
        orientation: Option<Orientation>,
        /// The frame that both are given in; that of the body when left out.
        within: Option<Placement>,
    },
    /// Shapes of one material, which the body is drawn as, too.
    Shapes {
        /// Mass per volume.
        density: Number,
        /// The shapes, in the frame of the body.
        shapes: Vec<Shape>,
    },
}

/// A moving point.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Initial position, held by the assembly. Exactly one of `at` and `guess` is given.
    pub at: Option<Vec<Number>>,
    /// Initial position from which the assembly looks for the nearest closed configuration.
    pub guess: Option<Vec<Number>>,
    /// Coordinates of `guess` that are held nevertheless.
    #[serde(default)]
    pub hold: Vec<Coordinate>,
    /// Initial velocity, held by the assembly.
    pub velocity: Option<Vec<Number>>,
    /// Point mass; zero when left out.
    pub mass: Option<Number>,
}

impl Body {
    /// Named places on it.
    pub fn markers(&self) -> &Named<Placement> {
        match self {
            Self::Bar(bar) => &bar.markers,
            Self::Rigid(rigid) => &rigid.markers,
            Self::Solid(solid) => &solid.markers,
        }
    }
}

kinds! {
/// A bar or a rigid body, in the plane or in space.
pub enum Body {
    /// Straight uniform bar of constant length between two attachments (natural coordinates).
    Bar {
        /// Attachment at the start.
        from: String,
        /// Attachment at the end.
        to: String,
        /// Distance of the ends.
        length: Number,
        /// Total mass; a bar without mass is a rigid link.
        mass: Option<Number>,
        /// Initial angle of the direction from start to end, held by the assembly (planar).
        angle: Option<Number>,
        /// Initial angular velocity, held by the assembly (planar).
        angular_velocity: Option<Number>,
        /// Named places on the bar: `[along, across]`, measured from the start (spatial: `[along]`).
        #[serde(default)]
        markers: Named<Placement>,
    },
    /// Planar rigid body with position of its origin and angle as coordinates.
    Rigid {
        /// Mass.
        mass: Number,
        /// Moment of inertia about the centre of mass.
        inertia: Number,
        /// Centre of mass in the body frame; the origin when left out.
        centre: Option<Vec<Number>>,
        /// Initial `[x, y, angle]`, held by the assembly. Exactly one of `at` and `guess` is given.
        at: Option<Vec<Number>>,
        /// Initial `[x, y, angle]` from which the assembly starts.
        guess: Option<Vec<Number>>,
        /// Coordinates of `guess` that are held nevertheless.
        #[serde(default)]
        hold: Vec<Coordinate>,
        /// Initial `[vx, vy, omega]`, held by the assembly.
        velocity: Option<Vec<Number>>,
        /// Named places in the body frame.
        #[serde(default)]
        markers: Named<Placement>,
    },
    /// Rigid body in space with position of its origin and orientation as coordinates.
    Solid {
        /// Mass; left out with `parts`.
        mass: Option<Number>,
        /// Inertia tensor about the centre of mass in body axes: `[Ixx, Iyy, Izz, Ixy, Ixz, Iyz]`, entries of the matrix.
        inertia: Option<Vec<Number>>,
        /// What it is made of, in place of mass, inertia and centre of mass.
        #[serde(default)]
        parts: Vec<Part>,
        /// Centre of mass in the body frame; the origin when left out.
        centre_of_mass: Option<Vec<Number>>,
        /// Initial position of the origin, held by the assembly with the orientation. Exactly one of `at` and `guess` is given.
        at: Option<Vec<Number>>,
        /// Initial position from which the assembly starts, with the orientation.
        guess: Option<Vec<Number>>,
        /// Initial orientation; that of the ground when left out.
        orientation: Option<Orientation>,
        /// The frame that position and orientation are given in; the ground when left out.
        within: Option<Placement>,
        /// Coordinates of `guess` and the orientation, where they are held nevertheless.
        #[serde(default)]
        hold: Vec<Coordinate>,
        /// Initial velocity of the origin, held by the assembly.
        velocity: Option<Vec<Number>>,
        /// Initial angular velocity in body axes, held by the assembly.
        angular_velocity: Option<Vec<Number>>,
        /// Named places in the body frame.
        #[serde(default)]
        markers: Named<Placement>,
    },
}
}
