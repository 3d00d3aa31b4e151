//! What acts on a coordinate of a place: springs, end stops and the racks of ratchets, as places in the ground frame.

use super::{Axial, Scale, Vector};

/// Half the length of the wall of a spring or stop, the distance of a rack from what it holds, and its width, in half-widths of a bar.
const WALL: f64 = 4.0;
const ASIDE: f64 = 4.2;
const WIDE: f64 = 1.6;
/// Length of the flank of a tooth over the pitch.
const FLANK: f64 = 0.8;
/// Most teeth that are drawn.
const MOST: usize = 200;

/// How an axial element is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawn {
    /// A spring between its foot and the place, and the wall that it stands on.
    Spring([Vector; 2], [Vector; 2]),
    /// A wall: what is fixed lies on its left.
    Stop([Vector; 2]),
    /// The outline of a rack, and the corners of a pawl.
    Rack(Vec<Vector>, [Vector; 3]),
}

impl Axial {
    /// Where a spring begins that acts along an axis of the ground on something at a place.
    pub(super) fn foot(&self, at: Vector, axis: usize, reach: f64) -> Option<Vector> {
        let Self::Spring(natural) = self else { return None };
        let mut foot = at;
        foot[axis] = natural - reach;
        Some(foot)
    }

    /// The places of what is drawn.
    pub fn drawn(&self, at: Vector, axis: usize, scale: &Scale) -> Drawn {
        // To the left of what grows: the side of what is fixed where a wall stands below.
        let across = if axis == 0 { Vector::y() } else { -Vector::x() };
        let wall = |through: Vector, sign: f64| {
            let half = across * (sign * WALL * scale.bar);
            [through - half, through + half]
        };
        match self {
            Self::Spring(_) => {
                let foot = self.foot(at, axis, scale.reach).unwrap_or(at);
                Drawn::Spring([foot, at], wall(foot, 1.0))
            }
            Self::Stop(limit, sign) => {
                let mut through = at;
                through[axis] = *limit;
                Drawn::Stop(wall(through, *sign))
            }
            Self::Rack(teeth, sign) => {
                let beside = at - across * (ASIDE * scale.bar);
                let rack = rack(*teeth, *sign, scale, axis, |value, out| {
                    let mut place = beside + across * (out * scale.bar);
                    place[axis] = value;
                    place
                });
                let back = Vector::ith(axis, sign * 2.5 * scale.bar);
                let tip = beside + across * (0.3 * scale.bar);
                let half = across * (0.5 * scale.bar);
                Drawn::Rack(rack, [tip, at + back + half, at + back - half])
            }
        }
    }
}

/// The outline of a rack, by the place at a value of the coordinate and so many half-widths out.
fn rack(
    teeth: Option<[f64; 2]>,
    sign: f64,
    scale: &Scale,
    axis: usize,
    place: impl Fn(f64, f64) -> Vector,
) -> Vec<Vector> {
    let margin = 3.0 * scale.bar;
    let (low, high) = (scale.bounds[0][axis] - margin, scale.bounds[1][axis] + margin);
    let mut outline = vec![place(high, -WIDE), place(low, -WIDE), place(low, 0.0)];
    if let Some([tooth, pitch]) = teeth {
        let flank = -sign * FLANK * pitch;
        let first = ((low - flank.min(0.0) - tooth) / pitch).ceil();
        let count = (((high - flank.max(0.0) - tooth) / pitch).floor() - first + 1.0).clamp(0.0, MOST as f64);
        for k in 0..count as usize {
            // Flat where the pawl comes from, steep behind it.
            let at = tooth + (first + k as f64) * pitch;
            let mut corners = [place(at + flank, 0.0), place(at, WIDE), place(at, 0.0)];
            if sign < 0.0 {
                corners.reverse();
            }
            outline.extend(corners);
        }
    }
    outline.push(place(high, 0.0));
    outline
}
