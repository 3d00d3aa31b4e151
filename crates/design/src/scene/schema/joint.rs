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
    /// Two attachments coincide (planar: a pin).
    Revolute {
        /// The two attachments.
        between: (String, String),
    },
    /// Two attachments coincide (spatial: a ball joint).
    Spherical {
        /// The two attachments.
        between: (String, String),
    },
    /// An attachment stays on a straight line (a slot).
    PointOnLine {
        /// The attachment.
        point: String,
        /// The line.
        line: Line,
        /// Distance to the left of the line (planar); zero when left out.
        offset: Option<Number>,
    },
    /// An attachment stays on a plane fixed in the ground (spatial).
    PointOnPlane {
        /// The attachment.
        point: String,
        /// A place on the plane.
        through: Vec<Number>,
        /// Normal of any length but zero.
        normal: Vec<Number>,
    },
    /// The second attachment slides along a direction fixed in the body of the first, without relative rotation (planar).
    Prismatic {
        /// The two attachments.
        between: (String, String),
        /// Direction in the frame of the first attachment's body.
        direction: Vec<Number>,
        /// Angle of the second body relative to the first; zero when left out.
        angle: Option<Number>,
    },
    /// Two attachments coincide and their bodies keep a relative angle (planar).
    Weld {
        /// The two attachments.
        between: (String, String),
        /// Angle of the second body relative to the first; zero when left out.
        angle: Option<Number>,
    },
    /// `angle(second) = ratio * angle(first) + phase` (planar).
    Gear {
        /// The two bars or rigid bodies.
        between: (String, String),
        /// Turns of the second per turn of the first.
        ratio: Number,
        /// Angle of the second when the first is at zero; zero when left out.
        phase: Option<Number>,
    },
    /// A linear combination of coordinates keeps a value.
    Coupling {
        /// Pairs of a coordinate (`"P.x"`, `"crank.angle"`) and its factor.
        terms: Vec<(String, Number)>,
        /// The value; may depend on time. Zero when left out.
        equals: Option<Number>,
    },
    /// Prescribes the angle of a body or bar, or of a second one relative to a first, as a function of time (planar).
    DriveAngle {
        /// The driven body or bar.
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
