//! What pictures show, as written. Nothing here changes the motion.

use serde::Deserialize;

use super::{Named, Number};

/// The `view` part of a scene.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Places whose paths are drawn; all points that something is attached to when left out.
    pub trace: Option<Vec<String>>,
    /// What the mechanism is seen from, or what a picture holds; all of the motion when left out.
    pub camera: Option<Camera>,
    /// What points, bars and rigid bodies are drawn as, by their names.
    #[serde(default)]
    pub shapes: Named<Vec<Shape>>,
    /// How places, bodies, joints and forces look, by their names.
    #[serde(default)]
    pub looks: Named<Look>,
}

/// How something looks.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// Name of a colour, or `#` with red, green and blue in six hexadecimal digits; that of what it is when left out.
    pub colour: Option<String>,
    /// What stands for its name in pictures with names; nothing when empty.
    pub label: Option<String>,
    /// Order of bodies in the plane: the greater lies in front.
    #[serde(default)]
    pub layer: i32,
}

/// A view of the mechanism, in metres of the ground frame.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Camera {
    /// From a place (spatial).
    LookAt {
        /// What is seen in the middle of the picture.
        target: Vec<Number>,
        /// Where the eye is.
        eye: Vec<Number>,
    },
    /// A part of the plane or of space that pictures hold.
    Area {
        /// Its least coordinates.
        low: Vec<Number>,
        /// Its greatest coordinates.
        high: Vec<Number>,
    },
}

/// A shape in the frame of a body; lengths in metres.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Shape {
    /// Triangles of a file.
    Mesh {
        /// The file (.obj, .stl, .glb or .gltf), relative to the folder of the scene.
        file: String,
        /// Metres per unit of the file; 1 when left out.
        #[serde(default = "one")]
        scale: Number,
        /// Where its origin is; the origin of the body when left out.
        #[serde(default)]
        offset: Vec<Number>,
        /// Angles about the x, y and z axes of the body, in this order; zero when left out.
        #[serde(default)]
        rotation: Vec<Number>,
    },
    /// A cuboid about its centre.
    Box {
        /// Edges along x, y and z.
        size: Vec<Number>,
        /// Where its centre is; the origin of the body when left out.
        #[serde(default)]
        offset: Vec<Number>,
        /// Angles about the x, y and z axes of the body, in this order; zero when left out.
        #[serde(default)]
        rotation: Vec<Number>,
    },
    /// A cylinder about its centre, its axis along z.
    Cylinder {
        /// Radius.
        radius: Number,
        /// Length.
        length: Number,
        /// Where its centre is; the origin of the body when left out.
        #[serde(default)]
        offset: Vec<Number>,
        /// Angles about the x, y and z axes of the body, in this order; zero when left out.
        #[serde(default)]
        rotation: Vec<Number>,
    },
    /// A cylinder with half a ball at either end, about its centre, its axis along z.
    Capsule {
        /// Radius.
        radius: Number,
        /// Length without the halves of the ball.
        length: Number,
        /// Where its centre is; the origin of the body when left out.
        #[serde(default)]
        offset: Vec<Number>,
        /// Angles about the x, y and z axes of the body, in this order; zero when left out.
        #[serde(default)]
        rotation: Vec<Number>,
    },
    /// A cylinder with a round hole along its axis, about its centre, the axis along z.
    Ring {
        /// Outer radius.
        radius: Number,
        /// Radius of the hole.
        hole: Number,
        /// Length along the axis.
        length: Number,
        /// Where its centre is; the origin of the body when left out.
        #[serde(default)]
        offset: Vec<Number>,
        /// Angles about the x, y and z axes of the body, in this order; zero when left out.
        #[serde(default)]
        rotation: Vec<Number>,
    },
    /// A ball.
    Ball {
        /// Radius.
        radius: Number,
        /// Where its centre is; the origin of the body when left out.
        #[serde(default)]
        offset: Vec<Number>,
    },
}

impl Shape {
    /// Where it is and by which angles it is turned, as far as that is written.
    pub fn placed(&self) -> [&[Number]; 2] {
        match self {
            Self::Mesh { offset, rotation, .. }
            | Self::Box { offset, rotation, .. }
            | Self::Cylinder { offset, rotation, .. }
            | Self::Capsule { offset, rotation, .. }
            | Self::Ring { offset, rotation, .. } => [offset, rotation],
            Self::Ball { offset, .. } => [offset, &[]],
        }
    }
}

/// Default of the `scale` field.
fn one() -> Number {
    Number::Literal(1.0)
}
