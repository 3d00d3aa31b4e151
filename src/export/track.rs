//! What moves over time: one track per shape, with its unit meshes as translations, rotations and scales.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion};

use super::Motion;
use crate::appearance::{Block, Item, Moving, Owner, Placement, Shape, Unit, Vector, blocks};
use crate::output::gltf::Transform;
use crate::run::Frame;

/// A shape over time.
#[derive(Debug)]
pub(super) struct Track {
    owner: Owner,
    /// Number among the shapes of this owner.
    ordinal: usize,
    /// Name of the owner.
    pub name: String,
    /// The body that the shape is rigidly part of, if it is: the blocks are in its frame, and do not move in it.
    carrier: Option<Moving>,
    placements: Vec<Placement>,
    /// Of the carrier at each time; empty without.
    pub carried: Vec<Transform>,
    /// Whether it is seen, at each time.
    pub visible: Vec<bool>,
    /// Its unit meshes.
    pub pieces: Vec<Piece>,
}

/// A unit mesh over time.
#[derive(Debug)]
pub(super) struct Piece {
    /// As it was first seen.
    pub block: Block,
    /// At each time; one in a carrier.
    pub moves: Vec<Transform>,
}

/// The tracks of all shapes of a motion.
pub(super) fn tracks(motion: &Motion) -> Vec<Track> {
    let mut tracks: Vec<Track> = Vec::new();
    let scale = motion.show.scale.with_short_slabs();
    for (k, frame) in motion.frames.iter().enumerate() {
        let items = motion.show.items_in(frame);
        let drawn = blocks(&items, &scale);
        for (item, ordinal, drawn) in shapes(&items, &drawn) {
            let known = tracks
                .iter()
                .position(|track| track.owner == item.owner && track.ordinal == ordinal);
            let index = known.unwrap_or_else(|| {
                tracks.push(Track::new(item, ordinal, motion, k));
                tracks.len() - 1
            });
            tracks[index].add(drawn, motion, frame, k);
        }
        tracks.iter_mut().for_each(|track| track.hold(k + 1));
    }
    tracks
}

/// The shapes of which something is drawn: each with its number among those of its owner, and its blocks.
pub(super) fn shapes<'a>(
    items: &'a [Item],
    drawn: &'a [Block],
) -> impl Iterator<Item = (&'a Item, usize, &'a [Block])> {
    // Blocks come in the order of their items.
    let shape = |drawn: &'a [Block]| {
        let (before, [item, ..]) = items.split_at_checked(drawn[0].item)? else {
            return None;
        };
        let ordinal = before.iter().filter(|other| other.owner == item.owner).count();
        Some((item, ordinal, drawn))
    };
    drawn.chunk_by(|a, b| a.item == b.item).filter_map(shape)
}

impl Track {
    fn new(item: &Item, ordinal: usize, motion: &Motion, k: usize) -> Self {
        let model = motion.show.model();
        let carrier = match (item.owner, &item.shape) {
            (Owner::Body(body), Shape::Line(..) | Shape::Plate(..) | Shape::Mass(..) | Shape::Solid(_)) => {
                Some(Moving::of_body(model, body))
            }
            _ => None,
        };
        Self {
            owner: item.owner,
            ordinal,
            name: item.owner.name(model).to_string(),
            carrier,
            placements: Vec::new(),
            carried: Vec::new(),
            visible: vec![false; k],
            pieces: Vec::new(),
        }
    }

    /// Adds what is drawn of the shape at time number `k`: always the same blocks, in the same order, or none.
    fn add(&mut self, drawn: &[Block], motion: &Motion, frame: &Frame, k: usize) {
        self.visible.push(true);
        if let Some(carrier) = &self.carrier {
            let moving = std::slice::from_ref(carrier);
            self.placements = motion.show.placements(moving, frame, &self.placements);
            if let [placement] = self.placements[..] {
                if self.pieces.is_empty() {
                    let own = drawn.iter().map(|block| seen_from(block, &placement));
                    self.pieces = own.filter(has_volume).map(|block| Piece::new(block, 0)).collect();
                }
                let translation = placement.at.map(|x| x as f32).into();
                push(
                    &mut self.carried,
                    transform(translation, placement.rotation, [1.0; 3]),
                    k,
                );
            }
            return;
        }
        if self.pieces.is_empty() {
            self.pieces = drawn.iter().map(|block| Piece::new(*block, k)).collect();
            return;
        }
        for (piece, block) in self.pieces.iter_mut().zip(drawn) {
            let transform = piece.transform(block);
            push(&mut piece.moves, transform, k);
        }
    }

    /// What is not seen stays where it was.
    fn hold(&mut self, count: usize) {
        self.visible.resize(count, false);
        if self.carrier.is_some() {
            hold(&mut self.carried, count);
        } else {
            self.pieces.iter_mut().for_each(|piece| hold(&mut piece.moves, count));
        }
    }
}

impl Piece {
    fn new(block: Block, k: usize) -> Self {
        let mut piece = Self {
            block,
            moves: Vec::new(),
        };
        let transform = piece.transform(&block);
        push(&mut piece.moves, transform, k);
        piece
    }

    /// What moves the mesh: the unit mesh, or of a prism, whose axes need not be at right angles, the mesh as it was first
    /// seen, from the origin.
    fn transform(&self, block: &Block) -> Transform {
        let translation = block.origin.map(|x| x as f32).into();
        if block.unit == Unit::Prism {
            let turned = orientation(&block.axes) * orientation(&self.block.axes).inverse();
            return transform(translation, turned, [1.0; 3]);
        }
        let scale = block.axes.map(|axis| axis.norm() as f32);
        transform(translation, orientation(&block.axes), scale)
    }
}

/// Adds a transform to those of `k` times; those before the first are the same. Of the two quaternions of a rotation it
/// takes the one near the last, for the values in between.
fn push(moves: &mut Vec<Transform>, mut next: Transform, k: usize) {
    if let Some(last) = moves.last() {
        let dot: f32 = last.rotation.iter().zip(&next.rotation).map(|(a, b)| a * b).sum();
        if dot < 0.0 {
            next.rotation = next.rotation.map(|x| -x);
        }
    }
    let before = moves.last().copied().unwrap_or(next);
    moves.resize(k, before);
    moves.push(next);
}

/// Repeats the last transform until there are this many.
fn hold(moves: &mut Vec<Transform>, count: usize) {
    if let Some(&last) = moves.last() {
        moves.resize(count, last);
    }
}

fn transform(translation: [f32; 3], rotation: UnitQuaternion<f64>, scale: [f32; 3]) -> Transform {
    Transform {
        translation,
        rotation: rotation.coords.map(|x| x as f32).into(),
        scale,
    }
}

/// The block in the frame of a body.
fn seen_from(block: &Block, placement: &Placement) -> Block {
    let turned = |vector: Vector| placement.rotation.inverse() * vector;
    Block {
        origin: turned(block.origin - placement.at),
        axes: block.axes.map(turned),
        ..*block
    }
}

/// Whether a block has a body: corners of a plate may lie on a line with its centre.
fn has_volume(block: &Block) -> bool {
    // Far above rounding, far below anything that is seen.
    const FLAT: f64 = 1e-9;
    let [x, y, z] = block.axes;
    block.unit != Unit::Prism || x.cross(&y).dot(&z).abs() > FLAT * x.norm() * y.norm() * z.norm()
}

/// The rotation of axes: that of the first, and of the second as far as it is at a right angle to it. An axis of no length
/// is where the other two say; all right angles are right-handed.
fn orientation(axes: &[Vector; 3]) -> UnitQuaternion<f64> {
    let [x, y, z] = axes.map(|axis| axis.try_normalize(0.0));
    let (x, y) = match (x, y, z) {
        (Some(x), Some(y), _) => (x, y),
        (Some(x), None, Some(z)) => (x, z.cross(&x)),
        (None, Some(y), Some(z)) => (y.cross(&z), y),
        _ => return UnitQuaternion::identity(),
    };
    let Some(y) = (y - x * x.dot(&y)).try_normalize(0.0) else {
        return UnitQuaternion::identity();
    };
    let matrix = Matrix3::from_columns(&[x, y, x.cross(&y)]);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix))
}
