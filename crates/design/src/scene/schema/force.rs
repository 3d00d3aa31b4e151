//! Springs, dampers and loads as written.

use serde::Deserialize;
use serde::de::SeqAccess;
use serde::de::value::SeqAccessDeserializer;

use super::kinds::switched_kinds;
use super::shorthand::{Shorthand, deserialize_in_any_form};
use super::{Limited, Number};

/// Side on which a one-sided spring acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum OneSided {
    /// Pulls only when longer than its natural length (a rope).
    Tension,
    /// Pushes only when shorter than its natural length (a buffer).
    Compression,
}

/// Frame in which the components of a load are given.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub enum Frame {
    /// Fixed in the ground.
    Ground,
    /// Turns with the named bar or rigid body (planar).
    Body(String),
}

/// A number, or a list of components.
#[derive(Clone, Debug, PartialEq)]
pub enum Components {
    /// A number.
    One(Number),
    /// Components of a vector.
    List(Vec<Number>),
}

impl<'de> Shorthand<'de> for Components {
    const EXPECTED: &'static str = "a number, an expression in quotes, or a list of three";

    fn from_number(value: f64) -> Option<Self> {
        Number::from_number(value).map(Self::One)
    }

    fn from_text(text: &str) -> Option<Self> {
        Number::from_text(text).map(Self::One)
    }

    fn from_list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Self::List)
    }
}

deserialize_in_any_form!(Components);

switched_kinds! {
/// A force element. `active: false` leaves it out until an event enables it.
pub enum Force {
    /// Linear spring and damper between two attachments.
    Spring {
        /// Attachment at one end.
        from: String,
        /// Attachment at the other end.
        to: String,
        /// Tension per elongation.
        stiffness: Number,
        /// Length without tension.
        natural_length: Number,
        /// Tension per rate of elongation; zero when left out.
        damping: Option<Number>,
        /// Side on which it acts; both when left out.
        one_sided: Option<OneSided>,
    },
    /// Linear damper between two attachments.
    Damper {
        /// Attachment at one end.
        from: String,
        /// Attachment at the other end.
        to: String,
        /// Tension per rate of elongation.
        damping: Number,
    },
    /// Spring whose tension is an expression of `length`, `rate` and `t`.
    NonlinearSpring {
        /// Attachment at one end.
        from: String,
        /// Attachment at the other end.
        to: String,
        /// Tension, positive when it pulls the ends together.
        force: String,
        /// Length at which the stored energy counts as zero.
        natural_length: Number,
    },
    /// Spring with hysteresis: the exponential material model.
    HystereticSpring {
        /// What is elongated.
        of: Limited,
        /// Its value without elongation; zero when left out.
        natural: Option<Number>,
        /// Stiffness just after a reversal.
        ka: Number,
        /// Stiffness far from a reversal.
        kb: Number,
        /// How fast the stiffness falls from the one to the other, per elongation.
        alpha: Number,
        /// Stiffening (positive) or softening (negative) at large elongation, per elongation; zero when left out.
        beta: Option<Number>,
    },
    /// Torsion spring and damper between two bars or bodies, or the ground (planar).
    TorsionSpring {
        /// Names of bars or rigid bodies, or `"ground"`.
        between: (String, String),
        /// Torque per angle.
        stiffness: Number,
        /// Angle of the second relative to the first at which the spring is at rest; zero when left out.
        natural_angle: Option<Number>,
        /// Torque per relative angular velocity; zero when left out.
        damping: Option<Number>,
    },
    /// Torsion damper (planar).
    TorsionDamper {
        /// Names of bars or rigid bodies, or `"ground"`.
        between: (String, String),
        /// Torque per relative angular velocity.
        damping: Number,
    },
    /// Force of time on an attachment.
    Load {
        /// Attachment on which it acts.
        at: String,
        /// Components, one per dimension; each may depend on time.
        force: Vec<Number>,
        /// Frame of the components; the ground when left out.
        frame: Option<Frame>,
    },
    /// Springs and dampers along three axes and about them, between two frames (spatial).
    Bushing {
        /// Attachment whose frame the axes are those of.
        from: String,
        /// The other attachment.
        to: String,
        /// Force per distance, along each axis.
        stiffness: Vec<Number>,
        /// Force per velocity, along each axis; zero when left out.
        damping: Option<Vec<Number>>,
        /// Torque per angle, about each axis; zero when left out.
        torsional_stiffness: Option<Vec<Number>>,
        /// Torque per angular velocity, about each axis; zero when left out.
        torsional_damping: Option<Vec<Number>>,
    },
    /// Torque of time on a bar or body, and in space on a joint with an angle.
    Torque {
        /// The bar, body or joint on which it acts.
        on: String,
        /// The bar or body that takes the opposite torque; the ground when left out.
        from: Option<String>,
        /// Torque, counter-clockwise, or its components on a body in space; may depend on time.
        torque: Components,
        /// Frame of the components; the ground when left out.
        frame: Option<Frame>,
    },
    /// Viscous drag on an attachment: `-(linear + quadratic |v|) v`.
    Drag {
        /// Attachment on which it acts.
        at: String,
        /// Force per speed; zero when left out.
        linear: Option<Number>,
        /// Force per speed squared; zero when left out.
        quadratic: Option<Number>,
    },
}
}
