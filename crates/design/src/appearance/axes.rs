//! Frames as the axes that they have.

use super::blocks::in_front;
use super::{Block, Material, Placement, Rgb, Scale, Unit, Vector};

/// Names and colours of the axes (of Okabe and Ito's palette).
pub const AXES: [(&str, Rgb); 3] = [
    ("x", [0xd5, 0x5e, 0x00]),
    ("y", [0x00, 0x9e, 0x73]),
    ("z", [0x00, 0x72, 0xb2]),
];

/// Length of an axis in the plane and in space, where it has to leave the body, and of its head, and radii of both parts, in half-widths
/// of a bar.
const LENGTHS: [f64; 2] = [8.0, 20.0];
const HEAD: f64 = 2.4;
const RADII: [f64; 2] = [0.3, 0.85];

/// Length of an axis in metres.
pub fn axis_length(scale: &Scale) -> f64 {
    scale.bar * LENGTHS[usize::from(!scale.is_planar())]
}

/// The axes of frames, in front of everything else: in the plane x and y. They belong to no item.
pub fn frame_blocks(frames: &[Placement], scale: &Scale) -> Vec<Block> {
    let mut blocks = Vec::with_capacity(6 * frames.len());
    for frame in frames {
        let origin = in_front(frame.at, scale);
        for (k, (_, colour)) in AXES.iter().enumerate().take(scale.dimension) {
            let axis = frame.rotation * Vector::ith(k, 1.0);
            let length = axis_length(scale);
            let [start, neck, tip] = [0.0, length - HEAD * scale.bar, length].map(|along| origin + axis * along);
            let parts = [(Unit::Rod, [start, neck]), (Unit::Cone, [neck, tip])];
            for ((unit, ends), radius) in parts.into_iter().zip(RADII) {
                let block = Block::between(unit, ends, radius * scale.bar, Material::Pin);
                blocks.push(Block {
                    colour: *colour,
                    ..block
                });
            }
        }
    }
    blocks
}
