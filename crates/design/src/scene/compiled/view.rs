//! What pictures show: paths of places, the camera, and shapes of bodies.

use std::sync::Arc;

use crate::model::marker::Marker;
use crate::scene::ShapeFile;

/// A colour in sRGB: red, green and blue.
pub type Rgb = [u8; 3];

/// Colours that colour-blind readers can tell apart, with their names (Okabe and Ito), the brightest ones left out.
pub const COLOURS: [(&str, Rgb); 6] = [
    ("sky blue", [0x56, 0xb4, 0xe9]),
    ("orange", [0xe6, 0x9f, 0x00]),
    ("green", [0x00, 0x9e, 0x73]),
    ("purple", [0xcc, 0x79, 0xa7]),
    ("blue", [0x00, 0x72, 0xb2]),
    ("vermilion", [0xd5, 0x5e, 0x00]),
];

/// What pictures show.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Names and markers, with the model's indices, of the places whose paths are drawn; none when the scene names none.
    pub trace: Option<Vec<(String, Marker)>>,
    /// What the mechanism is seen from.
    pub camera: Option<CameraView>,
    /// Shapes by the point, bar or rigid body that they are drawn for, each in its frame.
    pub shapes: Vec<(String, Vec<PlacedShape>)>,
    /// Looks by the name of what has them.
    pub looks: Vec<(String, Look)>,
}

/// How something looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Colour, where it is given.
    pub colour: Option<Rgb>,
    /// What stands for its name, where it is given.
    pub label: Option<String>,
    /// Order of bodies in the plane: the greater lies in front.
    pub layer: i32,
}

/// A view of the mechanism, in metres of the ground frame; z is zero in a planar scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CameraView {
    /// From an eye to the middle of the picture.
    LookAt {
        /// Middle of the picture.
        target: [f64; 3],
        /// Where the eye is.
        eye: [f64; 3],
    },
    /// Least and greatest coordinates of what pictures hold.
    Area([[f64; 3]; 2]),
}

/// A shape in the frame of its body.
#[derive(Clone, Debug)]
pub struct PlacedShape {
    /// The shape.
    pub form: Form,
    /// Place of its origin.
    pub offset: [f64; 3],
    /// Angles about the x, y and z axes of the body, in this order.
    pub rotation: [f64; 3],
}

/// A shape about its origin; lengths in metres.
#[derive(Clone, Debug)]
pub enum Form {
    /// Triangles with a factor.
    Mesh(Arc<ShapeFile>, f64),
    /// A cuboid with these edges along x, y and z.
    Cuboid([f64; 3]),
    /// A cylinder about z.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Length.
        length: f64,
    },
    /// A ball of this radius.
    Ball(f64),
}
