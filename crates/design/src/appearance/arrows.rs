//! Vectors as arrows.

use super::blocks::in_front;
use super::{Block, Material, Scale, Unit, Vector, unit};
use crate::model::quantity::VectorKind;

/// An arrow in the ground frame, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// What it shows.
    pub kind: VectorKind,
    /// Its start.
    pub at: Vector,
    /// From its start to its tip.
    pub reach: Vector,
    /// Whether the vector is longer than it is drawn; such an arrow has two heads.
    pub is_cut: bool,
}

/// Length and radius of a head, and radius of a shaft, in half-widths of a bar.
const HEAD: (f64, f64) = (2.6, 0.95);
const SHAFT: f64 = 0.36;

/// The blocks of arrows, in front of everything else. They belong to no item.
pub fn arrow_blocks(arrows: &[Arrow], scale: &Scale) -> Vec<Block> {
    let mut blocks = Vec::with_capacity(2 * arrows.len());
    for arrow in arrows {
        let length = arrow.reach.norm();
        // Shorter than a head, an arrow shrinks as a whole; far below that there is nothing to see.
        let size = (length / (HEAD.0 * scale.bar)).min(1.0);
        let is_finite = arrow.at.iter().chain([&length]).all(|x| x.is_finite());
        if size < 0.05 || !is_finite {
            continue;
        }
        let (direction, start) = (unit(arrow.reach), in_front(arrow.at, scale));
        let (head, width) = (size * HEAD.0 * scale.bar, size * scale.bar);
        let mut push = |unit, from: f64, to: f64, radius: f64| {
            let ends = [from, to].map(|s| start + direction * s);
            blocks.push(Block::between(unit, ends, radius * width, Material::Arrow(arrow.kind)));
        };
        let neck = length - head;
        push(Unit::Cone, neck, length, HEAD.1);
        if arrow.is_cut && neck > head {
            push(Unit::Cone, neck - 0.7 * head, length - 0.7 * head, HEAD.1);
        }
        if neck > 0.0 {
            push(Unit::Rod, 0.0, neck, SHAFT);
        }
    }
    blocks
}
