//! What is seen through: predicted motions, moments before, and other motions.

use std::sync::Arc;

use kiss3d::color::Color;

use super::palette;
use crate::appearance::{Block, Mesh, Unit, Vector};
use crate::show::{Other, Show};

/// Distance of other motions behind a planar mechanism, and behind each other, in half-widths of a bar.
const BEHIND: f64 = 12.0;
const APART: f64 = 0.3;
/// How much less other motions are seen through than a predicted one.
const DENSER: f32 = 1.7;

/// What is seen through.
pub(super) struct Through {
    pub(super) blocks: Vec<Block>,
    /// The meshes that scenes give, those of the scene itself first.
    pub(super) meshes: Vec<Arc<Mesh>>,
    /// How far other motions of a planar mechanism lie behind its own, in metres: below all of its layers.
    below: f64,
}

impl Through {
    pub(super) fn new(show: &Show, blocks: Vec<Block>) -> Self {
        let meshes = show.appearance.given().to_vec();
        let below = if show.is_planar() { show.scale.bar } else { 0.0 };
        Self { blocks, meshes, below }
    }

    /// Other motions at a time, beside these blocks.
    pub(super) fn add(&mut self, others: &[Other], t: f64, beside: &[Block]) {
        for (k, other) in others.iter().enumerate() {
            let below = Vector::z() * (self.below * (BEHIND + APART * k.min(20) as f64));
            let given = other.show.appearance.given();
            let known = self.meshes.windows(given.len().max(1));
            let known = known.into_iter().position(|known| is_same(known, given));
            let first = known.unwrap_or(self.meshes.len());
            if known.is_none() {
                self.meshes.extend_from_slice(given);
            }
            let mut blocks = other.blocks(t, beside);
            for block in &mut blocks {
                (block.item, block.origin) = (Block::NO_ITEM, block.origin - below);
                if let Unit::Given(index) = &mut block.unit {
                    *index += first;
                }
            }
            self.blocks.extend(blocks);
        }
    }
}

/// Whether these are the same meshes.
pub(super) fn is_same(some: &[Arc<Mesh>], others: &[Arc<Mesh>]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(a, b)| Arc::ptr_eq(a, b))
}

/// The colour of a block; other motions are no part of an item that is shown.
pub(super) fn colour(block: &Block) -> Color {
    let colour = palette::lit(block.colour);
    match block.item {
        Block::NO_ITEM => Color { a: DENSER, ..colour },
        _ => colour,
    }
}
