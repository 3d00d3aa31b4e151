//! Sizes that suit a mechanism.

use super::{Item, Line, Shape, Vector};

/// Part of the bounds of a planar mechanism that bars may cover, and the least width of a bar over the usual one.
const COVERED: f64 = 0.2;
const THINNEST: f64 = 0.45;
/// Least side of a picture over its diagonal: a motion along a line has room around it.
const LEAST_SIDE: f64 = 0.3;
/// Least half of the height that is seen over the diagonal: what moves along a line has room around it.
const LEAST_SEEN: f64 = 0.075;
/// Length of a spring on a coordinate over the size of the rest.
const REACH: f64 = 0.6;
/// Side of the slab under a surface over the diagonal: one that ends beyond any picture of a plane, one in space, and one that is
/// no larger than what moves over it.
const BEYOND_PICTURES: f64 = 4.0;
const SLAB: f64 = 1.6;
const SHORT_SLAB: f64 = 1.2;

/// Directions to the middles of the faces, edges and corners of a cube.
const WAYS: usize = 26;

fn ways() -> impl Iterator<Item = Vector> {
    let sign = |k: usize| (k % 3) as f64 - 1.0;
    let all = (0..27).filter(|&k| k != 13);
    all.map(move |k| Vector::new(sign(k), sign(k / 3), sign(k / 9)))
}

/// Sizes that suit a mechanism, and what a picture of it must hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// 2 or 3.
    pub dimension: usize,
    /// Half the width of a bar, in metres.
    pub bar: f64,
    /// Least and greatest coordinates of what has ends.
    pub bounds: [Vector; 2],
    /// Of what has ends the places that lie farthest along the middles of the faces, edges and corners of a cube.
    pub farthest: [Vector; WAYS],
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
        let mut farthest = None;
        let (mut lengths, mut mass, mut longest) = (Vec::new(), 0.0_f64, 0.0_f64);
        let mut axial = Vec::new();
        for items in instants {
            let first = lengths.len();
            for shape in items.iter().map(|item| &item.shape) {
                let anchors = shape.anchors().into_iter();
                for anchor in anchors.filter(|anchor| anchor.iter().all(|x| x.is_finite())) {
                    bounds = [bounds[0].inf(&anchor), bounds[1].sup(&anchor)];
                    go_on_to(farthest.get_or_insert([anchor; WAYS]), anchor);
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
            farthest = None;
        }
        let mut farthest = farthest.unwrap_or_else(|| of_box(bounds));
        let reach = REACH * (bounds[0] - bounds[1]).norm();
        for foot in axial.iter().filter_map(|(kind, at, axis)| kind.foot(*at, *axis, reach)) {
            bounds = [bounds[0].inf(&foot), bounds[1].sup(&foot)];
            go_on_to(&mut farthest, foot);
        }
        let mut scale = Self {
            dimension,
            bar: 0.0,
            bounds,
            farthest,
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
        let mut farthest = self.farthest;
        other.farthest.iter().for_each(|at| go_on_to(&mut farthest, *at));
        Self {
            farthest,
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

    /// The same sizes, for a picture that holds what is between these corners.
    pub fn within(&self, corners: [Vector; 2]) -> Self {
        Self {
            bounds: corners,
            farthest: of_box(corners),
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

    /// In a picture that is seen along the last of these axes, to the right, upwards and towards the eye: the middle of what has ends, and
    /// the distance of the eye from which all of it is seen within these tangents of the angle across and upwards.
    pub fn seen_along(&self, axes: [Vector; 3], tangents: [f64; 2]) -> (Vector, f64) {
        let middle = axes.map(|axis| {
            let along = self.farthest.map(|at| axis.dot(&at));
            let least = along.iter().copied().fold(f64::INFINITY, f64::min);
            let most = along.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            axis * ((least + most) / 2.0)
        });
        let middle = middle[0] + middle[1] + middle[2];
        let distance = |at: &Vector| {
            let [across, upwards, nearer] = axes.map(|axis| axis.dot(&(at - middle)));
            (across.abs() / tangents[0]).max(upwards.abs() / tangents[1]) + nearer
        };
        let least = LEAST_SEEN * self.extent() / tangents[1];
        (middle, self.farthest.iter().map(distance).fold(least, f64::max))
    }

    pub(super) fn is_planar(&self) -> bool {
        self.dimension == 2
    }
}

/// The places of a box that lie farthest along the ways.
fn of_box([low, high]: [Vector; 2]) -> [Vector; WAYS] {
    let mut ways = ways();
    [(); WAYS].map(|()| {
        let way = ways.next().unwrap_or_default();
        (low + high) / 2.0 + way.component_mul(&(high - low)) / 2.0
    })
}

/// Takes a place for the farthest where it lies farther.
fn go_on_to(farthest: &mut [Vector; WAYS], at: Vector) {
    for (known, way) in farthest.iter_mut().zip(ways()) {
        if way.dot(&at) > way.dot(known) {
            *known = at;
        }
    }
}
