//! Sizes that suit a mechanism.

use super::{Item, Line, Shape, Vector};

/// Part of the bounds of a planar mechanism that bars may cover, and the least width of a bar over the usual one.
const COVERED: f64 = 0.2;
const THINNEST: f64 = 0.45;
/// Least side of a picture over its diagonal: a motion along a line has room around it.
const LEAST_SIDE: f64 = 0.3;
/// Length of a spring on a coordinate over the size of the rest.
const REACH: f64 = 0.6;
/// Side of the slab under a surface over the diagonal: one that ends beyond any picture of a plane, one in space, and one that is
/// no larger than what moves over it.
const BEYOND_PICTURES: f64 = 4.0;
const SLAB: f64 = 1.6;
const SHORT_SLAB: f64 = 1.2;

/// Sizes that suit a mechanism, and what a picture of it must hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// 2 or 3.
    pub dimension: usize,
    /// Half the width of a bar, in metres.
    pub bar: f64,
    /// Least and greatest coordinates of what has ends.
    pub bounds: [Vector; 2],
    /// Largest point mass.
    pub mass: f64,
    /// Length of springs that act on a coordinate, where they are relaxed.
    pub reach: f64,
    /// Side of the slab under a surface over the diagonal of the bounds.
    pub slab: f64,
}

impl Scale {
    /// A scale for several instants of a mechanism.
    pub fn new<'a>(dimension: usize, instants: impl Iterator<Item = &'a [Item]>) -> Self {
        let mut bounds = [f64::INFINITY, f64::NEG_INFINITY].map(Vector::repeat);
        let (mut lengths, mut mass, mut longest) = (Vec::new(), 0.0_f64, 0.0_f64);
        let mut axial = Vec::new();
        for items in instants {
            let first = lengths.len();
            for shape in items.iter().map(|item| &item.shape) {
                let anchors = shape.anchors().into_iter();
                for anchor in anchors.filter(|anchor| anchor.iter().all(|x| x.is_finite())) {
                    bounds = [bounds[0].inf(&anchor), bounds[1].sup(&anchor)];
                }
                match shape {
                    Shape::Line(Line::Bar | Line::Link, [a, b]) => lengths.push((a - b).norm()),
                    Shape::Mass(_, of_point) => mass = mass.max(*of_point),
                    Shape::Axial(kind, at, axis) => axial.push((*kind, *at, *axis)),
                    _ => {}
                }
            }
            longest = longest.max(lengths[first..].iter().sum());
        }
        if bounds[0][0] > bounds[1][0] {
            bounds = [-1.0, 1.0].map(Vector::repeat);
        } else if bounds[0] == bounds[1] {
            // Discs on one axis, say: a metre about their place.
            bounds = [-0.5, 0.5].map(|aside| bounds[0].add_scalar(aside));
        }
        let reach = REACH * (bounds[0] - bounds[1]).norm();
        for foot in axial.iter().filter_map(|(kind, at, axis)| kind.foot(*at, *axis, reach)) {
            bounds = [bounds[0].inf(&foot), bounds[1].sup(&foot)];
        }
        let mut scale = Self {
            dimension,
            bar: 0.0,
            bounds,
            mass,
            reach,
            slab: if dimension == 2 { BEYOND_PICTURES } else { SLAB },
        };
        lengths.sort_by(f64::total_cmp);
        let typical = lengths.get(lengths.len() / 2).copied().unwrap_or(f64::INFINITY);
        let extent = scale.extent();
        let usual = (0.014 * extent).min(0.11 * typical).max(1e-4 * extent);
        // Where many bars lie in one place they cover no more than a part of it.
        let sides = scale.bounds[1] - scale.bounds[0];
        let [wide, high] = [sides.x, sides.y].map(|side| side.max(LEAST_SIDE * extent));
        let uncrowded = match scale.is_planar() {
            true => COVERED * wide * high / (2.0 * longest),
            false => f64::INFINITY,
        };
        scale.bar = usual.min(uncrowded.max(THINNEST * usual));
        scale
    }

    /// The same sizes, for a picture that holds another mechanism too.
    pub fn with(&self, other: &Self) -> Self {
        let [low, high] = self.bounds;
        Self {
            bounds: [low.inf(&other.bounds[0]), high.sup(&other.bounds[1])],
            mass: self.mass.max(other.mass),
            ..*self
        }
    }

    /// The same sizes, with slabs that are no larger than what moves over them.
    pub fn with_short_slabs(&self) -> Self {
        Self {
            slab: SHORT_SLAB,
            ..*self
        }
    }

    /// Diagonal of the bounds, which is never zero.
    pub fn extent(&self) -> f64 {
        (self.bounds[0] - self.bounds[1]).norm()
    }

    /// Centre of the bounds.
    pub fn centre(&self) -> Vector {
        (self.bounds[0] + self.bounds[1]) / 2.0
    }

    pub(super) fn is_planar(&self) -> bool {
        self.dimension == 2
    }
}
