//! Several vectors side by side: what is done to one entry is done to all of them at once.

use nalgebra::SVector;

use super::panel::LANES;

/// The entries of as many vectors at one place.
pub type Lane = SVector<f64, LANES>;

/// Lists of equal length four by four; lanes without a list are zero.
pub fn lanes<L: AsRef<[f64]>>(lists: &[L]) -> Vec<Vec<Lane>> {
    let groups = lists.chunks(LANES).map(|group| {
        let entry = |i: usize| Lane::from_fn(|lane, _| group.get(lane).map_or(0.0, |list| list.as_ref()[i]));
        (0..group[0].as_ref().len()).map(entry).collect()
    });
    groups.collect()
}

/// Writes up to four blocks of as many entries to lanes; those without a block are zero.
pub fn load_lanes(blocks: &[f64], out: &mut [Lane]) {
    out.fill(Lane::zeros());
    for (lane, block) in blocks.chunks_exact(out.len().max(1)).enumerate() {
        for (slot, value) in out.iter_mut().zip(block) {
            slot[lane] = *value;
        }
    }
}

/// Writes lanes to as many blocks as there are.
pub fn store_lanes(lanes: &[Lane], blocks: &mut [f64]) {
    for (lane, block) in blocks.chunks_exact_mut(lanes.len().max(1)).enumerate() {
        for (slot, value) in block.iter_mut().zip(lanes) {
            *slot = value[lane];
        }
    }
}
