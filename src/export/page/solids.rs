//! Unit meshes over several states, each with what it is part of.

use crate::appearance::{Block, Item, Owner, Vector};
use crate::export::track::shapes;
use crate::show::has_length;

/// A unit mesh over the states.
#[derive(Debug)]
pub(super) struct Solid {
    pub owner: Owner,
    /// Whether it is of a bar or link.
    pub has_length: bool,
    /// Number among the shapes of this owner, and among the meshes of that shape.
    number: (usize, usize),
    /// As it was first seen.
    pub block: Block,
    /// Place of its origin and images of its axes, for each state; where it is not seen, as it was before.
    pub matrices: Vec<[f64; 12]>,
    /// Whether it is seen, for each state.
    pub seen: Vec<bool>,
}

/// All meshes of these states, in the order in which they are first seen.
pub(super) fn solids(states: impl Iterator<Item = (Vec<Item>, Vec<Block>)>) -> Vec<Solid> {
    let mut solids: Vec<Solid> = Vec::new();
    for (k, (items, drawn)) in states.enumerate() {
        // Mostly they come in the order of the state before.
        let mut next = 0;
        for (item, ordinal, drawn) in shapes(&items, &drawn) {
            for (part, block) in drawn.iter().enumerate() {
                let number = (ordinal, part);
                let is_it = |solid: &Solid| solid.number == number && solid.owner == item.owner;
                let known = match solids.get(next) {
                    Some(solid) if is_it(solid) => Some(next),
                    _ => solids.iter().position(is_it),
                };
                let index = known.unwrap_or_else(|| {
                    solids.push(Solid::new(item, number, block, k));
                    solids.len() - 1
                });
                next = index + 1;
                solids[index].matrices.push(matrix(block));
                solids[index].seen.push(true);
            }
        }
        solids.iter_mut().for_each(|solid| solid.hold(k + 1));
    }
    solids
}

impl Solid {
    fn new(item: &Item, number: (usize, usize), block: &Block, k: usize) -> Self {
        Self {
            owner: item.owner,
            has_length: has_length(item),
            number,
            block: *block,
            matrices: vec![matrix(block); k],
            seen: vec![false; k],
        }
    }

    fn hold(&mut self, count: usize) {
        if let Some(&last) = self.matrices.last() {
            self.matrices.resize(count, last);
            self.seen.resize(count, false);
        }
    }

    /// Whether both are the same mesh of the same shape.
    pub fn is_same(&self, other: &Self) -> bool {
        self.owner == other.owner && self.number == other.number
    }

    /// Most that an axis turns from one state to the next (rad).
    pub fn turn(&self) -> f64 {
        let axis = |matrix: &[f64; 12], k: usize| Vector::from_fn(|row, _| matrix[3 * k + row]);
        let pairs = self.matrices.iter().zip(&self.matrices[1..]);
        let turns = pairs.flat_map(|(one, other)| (1..4).map(move |k| axis(one, k).angle(&axis(other, k))));
        turns.filter(|turn| turn.is_finite()).fold(0.0, f64::max)
    }

    /// An entry of the matrix over the states.
    pub fn course(&self, entry: usize) -> Vec<f64> {
        self.matrices.iter().map(|matrix| matrix[entry]).collect()
    }

    /// States in which it is not seen: from the first up to and without the second.
    pub fn hidden(&self) -> Vec<[usize; 2]> {
        let mut hidden: Vec<[usize; 2]> = Vec::new();
        for k in (0..self.seen.len()).filter(|&k| !self.seen[k]) {
            match hidden.last_mut().filter(|[_, end]| *end == k) {
                Some([_, end]) => *end = k + 1,
                None => hidden.push([k, k + 1]),
            }
        }
        hidden
    }
}

fn matrix(block: &Block) -> [f64; 12] {
    let [x, y, z] = block.axes;
    let columns: [Vector; 4] = [block.origin, x, y, z];
    std::array::from_fn(|k| columns[k / 3][k % 3])
}
