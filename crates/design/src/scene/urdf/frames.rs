//! Frames of links as written in a scene: places within places.

use super::robot::Pose;
use crate::scene::schema::part::{Orientation, Rotation};
use crate::scene::schema::{Number, Placement};

/// A frame within another one; none is that one itself.
pub type Frame = Option<Placement>;

/// The number zero.
pub fn zero() -> Number {
    Number::Literal(0.0)
}

/// Whether a number is written as zero.
pub fn is_zero(number: &Number) -> bool {
    *number == zero()
}

/// The frame at a place of another one, with an orientation there.
pub fn then(frame: &Frame, at: &[Number], orientation: Option<Orientation>) -> Frame {
    if at.iter().all(is_zero) && orientation.is_none() {
        return frame.clone();
    }
    Some(Placement {
        at: at.to_vec(),
        orientation,
        within: frame.clone().map(Box::new),
    })
}

/// The frame of a pose in another one.
pub fn at_pose(frame: &Frame, pose: &Pose) -> Frame {
    then(frame, &pose.xyz, orientation(pose))
}

/// Rotations about fixed axes are those about the axes of the body in the opposite order.
pub fn orientation(Pose { rpy, .. }: &Pose) -> Option<Orientation> {
    let [roll, pitch, yaw] = rpy.clone();
    let turns = !rpy.iter().all(is_zero);
    turns.then(|| Orientation::Rotations(vec![Rotation::Z(yaw), Rotation::Y(pitch), Rotation::X(roll)]))
}

/// The frame as a place.
pub fn place(frame: &Frame) -> Placement {
    frame.clone().unwrap_or_else(|| Placement {
        at: vec![zero(); 3],
        orientation: None,
        within: None,
    })
}

/// factor*number + offset.
pub fn linear(number: &Number, factor: &Number, offset: &Number) -> Number {
    match (number, factor, offset) {
        (Number::Literal(number), Number::Literal(factor), Number::Literal(offset)) => {
            Number::Literal(factor * number + offset)
        }
        _ => {
            let [number, factor, offset] = [number, factor, offset].map(|number| match number {
                Number::Literal(value) => format!("({value:?})"),
                Number::Text(text) => format!("({text})"),
            });
            Number::Text(format!("{factor}*{number} + {offset}"))
        }
    }
}
