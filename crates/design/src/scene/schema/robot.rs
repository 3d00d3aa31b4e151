//! Robots of URDF files as written in a scene.

use serde::Deserialize;
use serde::de::MapAccess;
use serde::de::value::MapAccessDeserializer;

use super::part::Orientation;
use super::shorthand::{Shorthand, deserialize_in_any_form};
use super::{Law, Named, Number};

/// A robot of a URDF file; its links and joints become bodies and joints of the scene.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Robot {
    /// The file, relative to the folder of the scene.
    pub file: String,
    /// What its first link is fixed to; the origin of the ground when left out.
    pub base: Option<Base>,
    /// Positions and rates of its joints at the start, by their names in the file; zero when left out.
    #[serde(default)]
    pub start: Named<JointStart>,
    /// Numbers in place of those of the file, such as `"link2.mass"`.
    #[serde(default)]
    pub overrides: Named<Number>,
    /// Impact law of the limits of its joints; the limits do nothing when left out.
    pub limits: Option<Law>,
}

/// What the first link of a robot is fixed to.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Base {
    /// The ground.
    Ground {
        /// Where the origin of the link is.
        at: Vec<Number>,
        /// Its axes; those of the ground when left out.
        orientation: Option<Orientation>,
    },
    /// An attachment: a ground point, or a marker of a body in space.
    On(String),
    /// Nothing.
    Free {
        /// Where the origin of the link is at the start.
        at: Vec<Number>,
        /// Its axes at the start; those of the ground when left out.
        orientation: Option<Orientation>,
        /// Initial velocity of its origin; zero when left out.
        velocity: Option<Vec<Number>>,
        /// Initial angular velocity in its axes; zero when left out.
        angular_velocity: Option<Vec<Number>>,
    },
}

/// How a joint of a robot starts: a position, or with fields.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct JointStart {
    /// Initial position (angle), held by the assembly.
    pub position: Option<Number>,
    /// Initial position from which the assembly starts, with a rate that it finds.
    pub guess: Option<Number>,
    /// Initial rate, held by the assembly; zero when left out beside a `position`.
    pub rate: Option<Number>,
}

deserialize_in_any_form!(JointStart);

impl JointStart {
    fn held(position: Number) -> Self {
        Self {
            position: Some(position),
            ..Self::default()
        }
    }
}

impl<'de> Shorthand<'de> for JointStart {
    const EXPECTED: &'static str = "a position, or (position: .., rate: ..), or (guess: ..)";

    fn from_number(value: f64) -> Option<Self> {
        Some(Self::held(Number::Literal(value)))
    }

    fn from_text(text: &str) -> Option<Self> {
        Some(Self::held(Number::Text(text.to_string())))
    }

    fn from_fields<A: MapAccess<'de>>(fields: A) -> Result<Self, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(fields))
    }
}
