//! Joints and drivers as written.

use serde::Deserialize;

use super::Number;
use super::kinds::switched_kinds;

/// The line of a [`Joint::PointOnLine`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Line {
    /// Fixed in the ground.
    Fixed {
        /// A place on the line.
        through: Vec<Number>,
        /// Its direction, of any length but zero.
        direction: Vec<Number>,
    },
    /// Through two attachments.
    Through(String, String),
    /// Through an attachment, along a direction of its frame (spatial).
    Along(String, Vec<Number>),
}

/// A place that a cable is fixed to or passes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Stop {
    /// An attachment.
    At(String),
    /// A pulley to the left of the cable: the attachment at its centre, and its radius (planar).
    Left(String, Number),
    /// A pulley to the right of the cable (planar).
    Right(String, Number),
}

/// Dry friction of a joint.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Friction {
    /// In proportion to the reaction of the joint.
    Reaction {
        /// Coefficient of friction while it slips.
        coefficient: Number,
        /// Coefficient of friction while it sticks; as `coefficient` when left out.
        r#static: Option<Number>,
        /// Radius of the pin (`Revolute`, `Universal`), shaft (`Cylindrical`), thread (`Screw`), ball (`Spherical`) or face (`Planar`), in space
        /// also the one that keeps a sleeve (`Prismatic`) from turning.
        radius: Option<Number>,
        /// Length of the sleeve (`Prismatic`), in space also of the bearing (`Revolute`, `Cylindrical`, `Universal`).
        length: Option<Number>,
        /// Slip velocity over which the coefficient falls from the static one; at once when left out.
        stribeck: Option<Number>,
        /// Viscous friction over slip velocity; zero when left out.
        viscous: Option<Number>,
        /// Slip velocity over which friction builds up, in the place of sticking.
        regularized: Option<Number>,
        /// Stiffness of bristles, over the reaction in `Reaction`, in the place of sticking.
        bristles: Option<Number>,
        /// Their damping likewise.
        bristle_damping: Option<Number>,
    },
    /// Given: of a brake, a clutch or a joint with preload.
    Preload {
        /// Friction force or torque while it slips; may depend on time.
        kinetic: Number,
        /// The most that sticks; as `kinetic` when left out; may depend on time.
        r#static: Option<Number>,
        /// Radius of the shaft (`Cylindrical`) or face (`Planar`).
        radius: Option<Number>,
        /// Slip velocity over which it falls from the static one; at once when left out.
        stribeck: Option<Number>,
        /// Viscous friction over slip velocity; zero when left out.
        viscous: Option<Number>,
        /// Slip velocity over which friction builds up, in the place of sticking.
        regularized: Option<Number>,
        /// Stiffness of bristles, over the reaction in `Reaction`, in the place of sticking.
        bristles: Option<Number>,
        /// Their damping likewise.
        bristle_damping: Option<Number>,
    },
}

switched_kinds! {
/// A constraint between attachments, angles or coordinates. `active: false` leaves it out until an event enables it.
pub enum Joint {
    /// Constant distance of two attachments.
    Link {
        /// Attachment at one end.
        from: String,
        /// Attachment at the other end.
        to: String,
        /// The distance.
        length: Number,
    },
    /// A cable of a length that passes places and pulleys without friction, and is taut.
    Cable {
        /// Where it runs, from one end to the other.
        path: Vec<Stop>,
        /// Its length; may depend on time.
        length: Number,
    },
    /// A hinge: two attachments coincide, and in space their frames turn relative to each other about an axis only.
    Revolute {
        /// The two attachments.
        between: (String, String),
        /// Axis, with the same components in the frames of both attachments (spatial).
        axis: Option<Vec<Number>>,
        /// Initial angle, held by the assembly (spatial).
        angle: Option<Number>,
        /// Initial angular velocity, held by the assembly (spatial).
        angular_velocity: Option<Number>,
        /// Dry friction; none when left out.
        friction: Option<Friction>,
    },
    /// Turning about an axis and sliding along it (spatial).
    Cylindrical {
        /// The two attachments.
        between: (String, String),
        /// Axis, with the same components in the frames of both attachments.
        axis: Vec<Number>,
        /// Initial angle, held by the assembly.
        angle: Option<Number>,
        /// Initial angular velocity, held by the assembly.
        angular_velocity: Option<Number>,
        /// Initial position along the axis, held by the assembly.
        position: Option<Number>,
        /// Initial velocity along the axis, held by the assembly.
        velocity: Option<Number>,
        /// Dry friction; none when left out.
        friction: Option<Friction>,
    },
    /// A screw: a `Cylindrical` joint whose position follows its angle (spatial).
    Screw {
        /// The two attachments.
        between: (String, String),
        /// Axis, with the same components in the frames of both attachments.
        axis: Vec<Number>,
        /// Travel along the axis per turn; negative for a left-handed thread.
        lead: Number,
        /// Initial angle, held by the assembly.
        angle: Option<Number>,
        /// Initial angular velocity, held by the assembly.
        angular_velocity: Option<Number>,
        /// Dry friction; none when left out.
        friction: Option<Friction>,
    },
    /// A cross joint: two attachments coincide, and an axis of the first body stays perpendicular to one of the second (spatial).
    Universal {
        /// The two attachments.
        between: (String, String),
        /// An axis in the frame of the first attachment and one in that of the second.
        axes: (Vec<Number>, Vec<Number>),
        /// Initial angles about both axes, held by the assembly.
        angles: Option<(Number, Number)>,
        /// Initial angular velocities about both axes, held by the assembly but for one that is free.
        angular_velocities: Option<(Number, Number)>,
        /// Dry friction about both axes; none when left out.
        friction: Option<Box<(Friction, Friction)>>,
    },
    /// Two attachments coincide, and two shafts turn equally far about their axes at any angle between them (spatial).
    ConstantVelocity {
        /// The two attachments.
        between: (String, String),
        /// Axis of the shafts, with the same components in the frames of both attachments.
        axis: Vec<Number>,
    },
    /// The second attachment moves in a plane of the first, and turns about its normal only (spatial).
    Planar {
        /// The two attachments.
        between: (String, String),
        /// Normal of the plane, with the same components in the frames of both attachments.
        normal: Vec<Number>,
        /// Dry friction; none when left out.
        friction: Option<Friction>,
    },
    /// Two attachments coincide (spatial: a ball joint).
    Spherical {
        /// The two attachments.
        between: (String, String),
        /// Dry friction; none when left out (spatial).
        friction: Option<Friction>,
    },
    /// An attachment stays on a straight line (a slot).
    PointOnLine {
        /// The attachment.
        point: String,
        /// The line.
        line: Line,
        /// Distance to the left of the line (planar); zero when left out.
        offset: Option<Number>,
        /// Dry friction; none when left out.
        friction: Option<Friction>,
    },
    /// An attachment stays on a plane fixed in the ground or in a body (spatial).
    PointOnPlane {
        /// The attachment.
        point: String,
        /// A place on the plane, in the ground. Exactly one of `through` and `of` is given.
        through: Option<Vec<Number>>,
        /// The attachment that the plane passes through and turns with.
        of: Option<String>,
        /// Normal of any length but zero, in the ground or in the frame of `of`.
        normal: Vec<Number>,
    },
    /// The second attachment slides along a direction fixed in the body of the first, without relative rotation.
    Prismatic {
        /// The two attachments.
        between: (String, String),
        /// Direction in the frame of the first attachment's body.
        direction: Vec<Number>,
        /// Angle of the second body relative to the first; zero when left out (planar).
        angle: Option<Number>,
        /// Initial position along the direction, held by the assembly (spatial).
        position: Option<Number>,
        /// Initial velocity along the direction, held by the assembly (spatial).
        velocity: Option<Number>,
        /// Dry friction; none when left out.
        friction: Option<Friction>,
    },
    /// Two attachments coincide and their bodies keep a relative angle, in space their orientation.
    Weld {
        /// The two attachments.
        between: (String, String),
        /// Angle of the second body relative to the first; zero when left out (planar).
        angle: Option<Number>,
    },
    /// `angle(second) = ratio * angle(first) + phase`.
    Gear {
        /// The two bars or rigid bodies, or in space joints with an angle.
        between: (String, String),
        /// Turns of the second per turn of the first.
        ratio: Number,
        /// Angle of the second when the first is at zero; zero when left out.
        phase: Option<Number>,
    },
    /// `position(rack) = radius * angle(pinion) + phase`.
    RackAndPinion {
        /// The bar or rigid body that turns, or in space the joint with an angle.
        pinion: String,
        /// The coordinate of what moves, such as `"rack.x"` or the `position` of a joint.
        rack: String,
        /// Travel per radian; negative when the rack moves the other way.
        radius: Number,
        /// Position at the angle zero; zero when left out.
        phase: Option<Number>,
    },
    /// A belt over two pulleys: `radius(second) * angle(second) = radius(first) * angle(first) + phase`.
    Belt {
        /// The two bars or rigid bodies, or in space joints with an angle.
        between: (String, String),
        /// Radii of the pulleys.
        radii: (Number, Number),
        /// Whether the belt is crossed, so that the pulleys turn against each other.
        #[serde(default)]
        crossed: bool,
        /// Length of belt by which the second is ahead; zero when left out.
        phase: Option<Number>,
    },
    /// A linear combination of coordinates keeps a value.
    Coupling {
        /// Pairs of a coordinate (`"P.x"`, `"crank.angle"`) and its factor.
        terms: Vec<(String, Number)>,
        /// The value; may depend on time. Zero when left out.
        equals: Option<Number>,
    },
    /// Prescribes the angle of a body or bar, or of a second one relative to a first, as a function of time.
    DriveAngle {
        /// The driven body or bar, or in space the joint with an angle.
        body: String,
        /// The one it is measured from; the ground when left out.
        from: Option<String>,
        /// The angle; may depend on time.
        angle: Number,
    },
    /// Prescribes a distance as a function of time.
    DriveDistance {
        /// The two attachments.
        between: (String, String),
        /// The distance; may depend on time.
        distance: Number,
    },
    /// Prescribes a coordinate as a function of time.
    DriveCoordinate {
        /// The coordinate, such as `"P1.x"` or `"crank.angle"`.
        coordinate: String,
        /// Its value; may depend on time.
        value: Number,
    },
}
}
