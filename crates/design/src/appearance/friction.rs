//! What rubs: where it is, whether it sticks or slips, and the cone of its contact forces.

use super::blocks::{frame, in_front, layer, lifted};
use super::gather::ends_of_angle;
use super::{Block, Material, Pose, Scale, Unit, Vector};
use crate::model::constraint::ConstraintKind;
use crate::model::force::{ForceKind, Freedom};
use crate::model::local::Local;
use crate::model::marker::{Base, Marker, Orientation};
use crate::model::{Friction, FrictionState, Model, Rubbed};

/// Something with dry friction at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionMark {
    /// Its place.
    pub at: Vector,
    /// Unit normal of a contact; none of a joint.
    pub normal: Option<Vector>,
    /// Radius of a round contact, zero otherwise.
    pub radius: f64,
    /// What it does.
    pub state: FrictionState,
}

/// The cone of the forces that a contact can bear, in metres of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Its tip, where the contact touches.
    pub at: Vector,
    /// From there to the middle of its base.
    pub axis: Vector,
    /// Radius of its base.
    pub radius: f64,
}

/// Radius of a mark in half-widths of a bar, and of the lines of a cone.
const MARK: f64 = 1.35;
const LINE: f64 = 0.13;
/// Generators of a cone in space, and sides of its base.
const GENERATORS: usize = 8;
const SIDES: usize = 40;

/// Where the friction of a joint is seen, if it is one: in the order of the frictions of the model.
pub(super) fn places(model: &Model) -> Vec<Option<Marker>> {
    model.frictions.iter().map(|friction| place(model, friction)).collect()
}

fn place(model: &Model, friction: &Friction) -> Option<Marker> {
    let Rubbed::Joint(group, _) = friction.rubbed else {
        return None;
    };
    let mut constraints = model.groups[group]
        .constraints
        .iter()
        .map(|&index| &model.constraints[index]);
    let pinned = constraints.find_map(|constraint| match &constraint.kind {
        ConstraintKind::Coincidence(pin) => Some(pin.b.global(&constraint.local, model.dimension)),
        _ => None,
    });
    let force = &model.forces[friction.force];
    let ForceKind::Sliding(sliding) = &force.kind else {
        return pinned;
    };
    match &sliding.freedom {
        Freedom::Slide(slide) | Freedom::Shaft(slide, ..) | Freedom::Helix(slide, ..) => {
            Some(slide.b.global(&force.local, model.dimension))
        }
        Freedom::Line([point, ..]) => Some(point.global(&force.local, model.dimension)),
        Freedom::Plane(slides, ..) => Some(slides[0].b.global(&force.local, model.dimension)),
        Freedom::Turn(bodies, _) | Freedom::Ball(bodies) => {
            pinned.or_else(|| shared_place(model, *bodies, &force.local))
        }
    }
}

/// The place that two bodies share which turn against each other.
fn shared_place(model: &Model, bodies: [Orientation; 2], local: &Local) -> Option<Marker> {
    let [first, second] = bodies.map(|body| ends_of_angle(model, body.map(&mut |list, i| local.global(list, i))));
    let shared = second
        .iter()
        .find(|end| first.contains(end) || matches!(end, Marker::Base(Base::Ground(_))));
    shared.or(second.first()).or(first.first()).copied()
}

/// The marks of everything with dry friction; `places` are those of joints.
pub(super) fn marks(model: &Model, places: &[Option<Marker>], pose: &Pose) -> Vec<FrictionMark> {
    let frictions = model.frictions.iter().zip(places).enumerate();
    let mark = |(index, (friction, place)): (usize, (&Friction, &Option<Marker>))| {
        let state = model.friction_state(index, pose.mode);
        let (at, normal, radius) = match (friction.contact(), place) {
            (Some(contact), _) => {
                let [at, normal] = model.touching(contact, pose.q, pose.numbers)?.map(Vector::from);
                (at, Some(normal), radius_of(model, contact, pose))
            }
            (None, Some(place)) => (pose.place(place), None, 0.0),
            (None, None) => return None,
        };
        Some(FrictionMark {
            at,
            normal,
            radius,
            state,
        })
    };
    frictions.filter_map(mark).collect()
}

/// The radius of the ball that touches a plane, or of what touches an edge; zero otherwise, as of rims.
fn radius_of(model: &Model, contact: usize, pose: &Pose) -> f64 {
    let gap = &model.constraints[model.contacts[contact].gap];
    match &gap.kind {
        ConstraintKind::PlaneGap(plane) if plane.rim.is_none() => pose.numbers[gap.local.numbers[plane.radius]],
        ConstraintKind::EdgeGap(edge) => pose.numbers[gap.local.numbers[edge.radius]],
        _ => 0.0,
    }
}

/// Coloured discs: in the plane around the place, in space on the surface, wider than a ball hides.
pub fn friction_blocks(marks: &[FrictionMark], scale: &Scale) -> Vec<Block> {
    let disc = |mark: &FrictionMark| {
        let thick = 0.25 * scale.bar;
        let (normal, radius) = match scale.is_planar() {
            true => (Vector::z(), MARK * scale.bar),
            false => (
                mark.normal.unwrap_or_else(Vector::z),
                (2.0 * scale.bar).max(0.75 * mark.radius),
            ),
        };
        let at = lifted(mark.at, layer::JOINT - 0.5, scale);
        let ends = [at - normal * thick, at + normal * thick];
        Block::between(Unit::Rod, ends, radius, Material::Friction(mark.state))
    };
    finite(marks.iter().map(disc))
}

/// The lines of cones: in the plane two, in space generators and base.
pub fn cone_blocks(cones: &[Cone], scale: &Scale) -> Vec<Block> {
    finite(cones.iter().flat_map(|cone| lines(cone, scale)).map(|ends| {
        let ends = ends.map(|end| in_front(end, scale));
        Block::between(Unit::Rod, ends, LINE * scale.bar, Material::Cone)
    }))
}

fn lines(cone: &Cone, scale: &Scale) -> Vec<[Vector; 2]> {
    let [across, _, other] = frame(cone.axis);
    if scale.is_planar() {
        return [-1.0, 1.0]
            .map(|side| [cone.at, cone.at + cone.axis + across * (side * cone.radius)])
            .to_vec();
    }
    let rim = |k: usize, of: usize| {
        let (sine, cosine) = (std::f64::consts::TAU * k as f64 / of as f64).sin_cos();
        cone.at + cone.axis + (across * cosine + other * sine) * cone.radius
    };
    let base = (0..SIDES).map(|k| [rim(k, SIDES), rim(k + 1, SIDES)]);
    base.chain((0..GENERATORS).map(|k| [cone.at, rim(k, GENERATORS)]))
        .collect()
}

fn finite(blocks: impl Iterator<Item = Block>) -> Vec<Block> {
    blocks.filter(Block::is_finite).collect()
}
