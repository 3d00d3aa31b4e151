//! Contacts, end stops and switching events as written.

use serde::Deserialize;

use super::Number;
use super::joint::Stop;
use super::kinds::kinds;

/// The surface that the point or circle of a contact may touch.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Surface {
    /// Half-space: the allowed side is the one the normal points to.
    Plane {
        /// A place on the plane (in the body frame with `on`).
        through: Vec<Number>,
        /// Normal of any length but zero.
        normal: Vec<Number>,
        /// Bar or rigid body that carries the plane; the ground when left out (planar).
        on: Option<String>,
    },
    /// Circle (planar) or sphere (spatial) about an attachment.
    Circle {
        /// Attachment at the centre.
        centre: String,
        /// Radius of the surface.
        radius: Number,
        /// The allowed side is the inside.
        #[serde(default)]
        inside: bool,
    },
    /// Straight edges from point to point, with corners and ends (planar): the allowed side is on the left.
    Polyline {
        /// The points (in the body frame with `on`).
        points: Vec<Vec<Number>>,
        /// Whether an edge leads from the last to the first.
        #[serde(default)]
        closed: bool,
        /// Bar or rigid body that carries it; the ground when left out.
        on: Option<String>,
    },
    /// A smooth curve through points (planar): the allowed side is on the left.
    Spline {
        /// The points (in the body frame with `on`).
        points: Vec<Vec<Number>>,
        /// Whether it leads on from the last to the first.
        #[serde(default)]
        closed: bool,
        /// Bar or rigid body that carries it; the ground when left out.
        on: Option<String>,
    },
}

/// What an end stop limits.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Limited {
    /// Angle of a bar or body (planar).
    Angle(String),
    /// Angle of the second bar or body relative to the first (planar).
    AngleBetween(String, String),
    /// Distance of two attachments.
    Distance(String, String),
    /// Length of a cable over these places.
    Path(Vec<Stop>),
    /// A coordinate such as `"P1.x"`.
    Coordinate(String),
}

/// How an impact with friction ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Hypothesis {
    /// The impulse of the expansion is a share of that of the compression.
    #[default]
    Poisson,
    /// A share of the normal velocity comes back.
    Newton,
}

/// What happens when a contact closes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
// A scene has few of them.
#[expect(clippy::large_enum_variant)]
pub enum Law {
    /// Newton's law with this coefficient of restitution, 0 to 1.
    Restitution(Number),
    /// The normal velocity reverses and the tangential velocity of the point stays (Corner's jump).
    Flip,
    /// The normal velocity reverses and the velocities of these coordinates stay.
    FlipKeeping(Vec<String>),
    /// Dry friction: the contact sticks, or slips along the surface.
    Friction {
        /// Coefficient of friction while it slips.
        coefficient: Number,
        /// Coefficient of friction while it sticks; as `coefficient` when left out.
        r#static: Option<Number>,
        /// Slip speed over which the coefficient falls from the static one; at once when left out.
        stribeck: Option<Number>,
        /// Viscous force over slip speed; zero when left out.
        viscous: Option<Number>,
        /// Slip velocity over which friction builds up, in the place of sticking.
        regularized: Option<Number>,
        /// Stiffness of bristles over normal force, in the place of sticking.
        bristles: Option<Number>,
        /// Their damping over normal force.
        bristle_damping: Option<Number>,
        /// Speed at which the surface moves along itself; zero when left out.
        surface_speed: Option<Number>,
        /// Velocity with which a plane moves over its own material, in the frame of its normal (spatial); zero when left out.
        surface_velocity: Option<Vec<Number>>,
        /// Coefficient of restitution, 0 to 1; zero when left out.
        restitution: Option<Number>,
        /// How impacts end.
        #[serde(default)]
        hypothesis: Hypothesis,
        /// Share of the slip velocity that comes back in an impact that sticks, 0 to 1; zero when left out.
        tangential: Option<Number>,
    },
    /// The contact becomes a joint until its normal force pulls.
    Stick,
    /// The contact becomes a joint until its normal force pulls harder than this.
    StickUntil(Number),
}

/// Way in which a ratchet lets its quantity move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Way {
    /// To greater values.
    Up,
    /// To smaller values.
    Down,
}

kinds! {
/// A unilateral contact or an end stop.
pub enum Contact {
    /// A point, a circle or sphere about it, a capsule or the rim of a disc against a surface.
    Touch {
        /// The attachment that touches.
        point: String,
        /// Radius of the circle or sphere about the point, of a capsule or of a disc; zero when left out.
        radius: Option<Number>,
        /// The attachment at the other end of a capsule, which touches planes (spatial).
        to: Option<String>,
        /// Axis of a disc about the point, in its frame, of which the rim touches planes (spatial).
        axis: Option<Vec<Number>>,
        /// What it touches.
        surface: Surface,
        /// What happens when the gap closes.
        law: Law,
    },
    /// Circles or spheres of which each may touch each other.
    Among {
        /// The attachments at their centres, with their radii.
        circles: Vec<(String, Number)>,
        /// What happens when the gap of two of them closes.
        law: Law,
    },
    /// A lower or upper limit, or both.
    Limit {
        /// What is limited.
        of: Limited,
        /// Lower limit. At least one of the two limits is given.
        at_least: Option<Number>,
        /// Upper limit.
        at_most: Option<Number>,
        /// What happens when a limit is reached.
        law: Law,
    },
    /// Lets a quantity move one way only, and holds the farthest place that it has reached.
    Ratchet {
        /// What it holds.
        of: Limited,
        /// The way that it lets go.
        moves: Way,
        /// Distance of neighbouring teeth; it holds anywhere when left out.
        pitch: Option<Number>,
        /// Place of one of the teeth; zero when left out.
        tooth: Option<Number>,
        /// Coefficient of restitution of pawl and tooth, 0 to 1; zero when left out.
        restitution: Option<Number>,
    },
}
}

/// When an event fires.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Trigger {
    /// At this time.
    At(Number),
    /// When the expression crosses zero upwards.
    Rising(String),
    /// When the expression crosses zero downwards.
    Falling(String),
    /// When the expression crosses zero either way.
    Crossing(String),
}

/// What an event does.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Action {
    /// Switches a joint, force or contact on.
    Enable(String),
    /// Switches a joint, force or contact off.
    Disable(String),
    /// Gives a memory the value that an expression has just before the event.
    Set(String, Number),
    /// Gives a coordinate or velocity the value that an expression has just before the event.
    Reset(String, Number),
}

/// A switch.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// When it fires.
    pub when: Trigger,
    /// What it does, in order.
    pub then: Vec<Action>,
    /// Whether it fires only the first time.
    #[serde(default)]
    pub once: bool,
}
