//! Joints between frames in space: their kind from their rows, and what is drawn of each.

use super::blocks::{Builder, frame};
use super::shape::Direction;
use super::{Hinge, Material, Unit, Vector};
use crate::model::constraint::{Constraint, ConstraintKind};
use crate::model::joint;
use crate::model::local::Local;
use crate::model::marker::Marker;

/// Rows of a joint: places that coincide, slides, directions that stay across, and rows that tie two motions.
type Rows = [usize; 4];

/// Kinds by their rows.
const KINDS: [(Rows, Hinge); 8] = [
    ([1, 0, 2, 0], Hinge::Revolute),
    ([1, 0, 1, 0], Hinge::Universal),
    ([1, 0, 0, 1], Hinge::ConstantVelocity),
    ([1, 0, 3, 0], Hinge::Weld),
    ([0, 2, 2, 0], Hinge::Cylindrical),
    ([0, 2, 2, 1], Hinge::Screw),
    ([0, 2, 3, 0], Hinge::Prismatic),
    ([0, 1, 2, 0], Hinge::Planar),
];

/// A joint between frames: its kind, its place on both bodies and its axes, that of each body where they differ.
pub(super) type Found<'a> = (Hinge, [&'a Marker; 2], &'a Local, [Direction; 2]);

/// What the constraints of a group in space are, if they are a joint between frames.
pub(super) fn found<'a>(constraints: impl Iterator<Item = &'a Constraint>) -> Option<Found<'a>> {
    let (mut rows, mut places, mut axes) = (Rows::default(), None, None);
    for Constraint { kind, local, .. } in constraints {
        let row = match kind {
            ConstraintKind::Coincidence(pin) => {
                places = Some(([&pin.a, &pin.b], local));
                0
            }
            ConstraintKind::Slide(slide) => {
                places = Some(([&slide.a, &slide.b], local));
                1
            }
            ConstraintKind::Across(across) => {
                // The first row says where the axes are; see `hinged` in `scene/compile/hinges.rs`.
                let [u, w] = across.pair;
                let pair = across.less.map_or([u, w], |[other, _]| [u, other]);
                axes = axes.or(Some(pair.map(|direction| fixed(direction, local))));
                if across.less.is_some() { 3 } else { 2 }
            }
            ConstraintKind::Coupling(_) => 3,
            _ => return None,
        };
        rows[row] += 1;
    }
    let (_, kind) = KINDS.into_iter().find(|(of, _)| *of == rows)?;
    let ((places, local), [first, second]) = (places?, axes?);
    let axes = match kind {
        Hinge::Universal | Hinge::ConstantVelocity => [first, second],
        _ => [second.clone(), second],
    };
    Some((kind, places, local, axes))
}

/// A direction with the model's indices.
fn fixed(direction: joint::Direction, local: &Local) -> Direction {
    let joint::Direction { frame, given } = direction.map(&mut |list, i| local.global(list, i));
    Direction::Fixed(frame, given)
}

impl Builder<'_> {
    /// A joint in space between its places on both bodies.
    pub(super) fn add_hinge(&mut self, kind: Hinge, places: [Vector; 2], [first, second]: [Vector; 2]) {
        let at = places[1];
        match kind {
            Hinge::Revolute => {
                self.add_axle(at, second, [3.4, 0.55], Material::Pin);
                self.add_axle(at, second, [2.4, 1.35], Material::Rim);
            }
            Hinge::Universal => {
                self.add_axle(at, first, [2.8, 0.6], Material::Pin);
                self.add_axle(at, second, [2.8, 0.6], Material::Rim);
                self.push(Unit::Cube, Material::Rim, at, self.box_along(second, [1.5, 1.5, 1.5]));
            }
            Hinge::ConstantVelocity => {
                self.add_ball(at, 1.5, Material::Pin);
                self.add_axle(at, first.cross(&second), [0.6, 2.0], Material::Rim);
            }
            Hinge::Weld => self.push(Unit::Cube, Material::Rim, at, self.box_along(second, [2.6, 2.6, 2.6])),
            Hinge::Cylindrical => {
                self.add_guide(places, second, 0.6);
                self.add_axle(at, second, [2.4, 1.35], Material::Rim);
            }
            Hinge::Screw => {
                self.add_guide(places, second, 0.45);
                let ends = self.guide(places, second);
                self.add_along(Unit::Coil, ends, 0.8 * self.bar, Material::Rail);
                self.add_axle(at, second, [1.6, 1.6], Material::Rim);
            }
            Hinge::Prismatic => {
                let [from, to] = self.guide(places, second);
                let long = (to - from).norm() / self.bar;
                self.push(
                    Unit::Cube,
                    Material::Rail,
                    (from + to) / 2.0,
                    self.box_along(second, [1.0, long, 1.0]),
                );
                self.push(Unit::Cube, Material::Rim, at, self.box_along(second, [2.4, 4.0, 2.4]));
            }
            Hinge::Planar => {
                self.push(Unit::Cube, Material::Rail, at, self.box_along(second, [9.0, 0.3, 9.0]));
                self.add_axle(at, second, [0.7, 1.8], Material::Rim);
            }
        }
    }

    /// A cylinder about an axis with a place in its middle: half its length and its radius, in half-widths of a bar.
    fn add_axle(&mut self, at: Vector, axis: Vector, [half, radius]: [f64; 2], material: Material) {
        let reach = axis * (half * self.bar);
        self.add_along(Unit::Rod, [at - reach, at + reach], radius * self.bar, material);
    }

    fn add_ball(&mut self, at: Vector, radius: f64, material: Material) {
        let axes = [Vector::x(), Vector::y(), Vector::z()].map(|axis| axis * (radius * self.bar));
        self.push(Unit::Ball, material, at, axes);
    }

    fn add_guide(&mut self, places: [Vector; 2], axis: Vector, radius: f64) {
        let ends = self.guide(places, axis);
        self.add_along(Unit::Rod, ends, radius * self.bar, Material::Rail);
    }

    /// Ends of what something slides on: through the place on the first body, and beyond that on the second.
    fn guide(&self, [from, to]: [Vector; 2], axis: Vector) -> [Vector; 2] {
        let (way, room) = ((to - from).dot(&axis), 5.0 * self.bar);
        [way.min(0.0) - room, way.max(0.0) + room].map(|along| from + axis * along)
    }

    /// Edges of a box, the second along an axis, in half-widths of a bar.
    fn box_along(&self, axis: Vector, edges: [f64; 3]) -> [Vector; 3] {
        let axes = frame(axis);
        [0, 1, 2].map(|k| axes[k] * (edges[k] * self.bar))
    }
}
