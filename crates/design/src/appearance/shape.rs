//! The shapes.

use super::{Moving, Owner, Placement, Pose, Rgb, Unit, Vector, unit};
use crate::model::contact::EdgeGap;
use crate::model::force::Load;
use crate::model::local::Local;
use crate::model::marker::{Marker, Orientation};
use crate::model::quaternion::turned;

/// How things are held together at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fastening {
    /// They turn about it.
    Pin,
    /// It is fixed in the ground.
    Ground,
}

/// The kind of a joint between two frames in space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hinge {
    /// Turns about an axis.
    Revolute,
    /// Turns about two axes that are fixed in one body each.
    Universal,
    /// Turns about all axes across, both sides alike.
    ConstantVelocity,
    /// Does not move.
    Weld,
    /// Turns about an axis and slides along it.
    Cylindrical,
    /// Turns about an axis, and slides along it in proportion.
    Screw,
    /// Slides along an axis.
    Prismatic,
    /// Slides along a plane and turns about its normal.
    Planar,
}

/// What reaches from one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// A bar with mass.
    Bar,
    /// A rigid link without mass.
    Link,
    /// A spring.
    Spring,
    /// A damper.
    Damper,
    /// A string that limits a distance.
    Thread,
}

/// What acts on one coordinate of a place, in the ground: it has no place but that axis. Values `N` of the coordinate in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axial<N = f64> {
    /// A spring, and where it is relaxed.
    Spring(N),
    /// An end stop; the coordinate stays above it for +1, below for -1.
    Stop(N, f64),
    /// The rack of a ratchet: one of its teeth and their distance, if it has any; it lets the coordinate grow for +1.
    Rack(Option<[N; 2]>, f64),
}

impl<N> Axial<N> {
    fn map<M>(&self, value: impl Fn(&N) -> M) -> Axial<M> {
        match self {
            Self::Spring(natural) => Axial::Spring(value(natural)),
            Self::Stop(limit, sign) => Axial::Stop(value(limit), *sign),
            Self::Rack(teeth, sign) => Axial::Rack(teeth.as_ref().map(|teeth| teeth.each_ref().map(value)), *sign),
        }
    }
}

/// A shape over places `P`, numbers `N`, directions `D`, solids `S` and curves `C`: in the ground frame with lengths in metres, unless
/// it says how they are read off a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape<P = Vector, N = f64, D = Vector, S = Solid, C = Vec<Vector>> {
    /// Something between its ends.
    Line(Line, [P; 2]),
    /// A rigid body: its centre of mass, and the places that something is attached to.
    Plate(P, Vec<P>),
    /// A point mass in kilograms.
    Mass(P, N),
    /// A joint.
    Joint(P, Fastening),
    /// A joint between frames in space: its place on both bodies, and its axes: of each body where they differ.
    Hinge(Hinge, [P; 2], [D; 2]),
    /// A torsion spring, or a torque.
    Spiral(P),
    /// A force that acts at a place, in newtons.
    Arrow(P, D),
    /// A round contact surface: centre and radius.
    Circle(P, N),
    /// A mark that turns with a round body: its centre, the radius and the direction.
    Spoke(P, N, D),
    /// What acts on a coordinate of a place: 0 to 2 for x to z.
    Axial(Axial<N>, P, usize),
    /// Something on a straight line without end.
    Rail {
        /// A point near which the line passes.
        about: P,
        /// Unit vector along the line.
        direction: D,
        /// What slides; the line goes through it.
        slider: P,
    },
    /// A plane without end that something may touch: a point of it, and the unit vector towards the free side.
    Surface(P, D),
    /// An edge that something may touch from its left, with the centre of mass of the body that it bounds.
    Edge(C, Option<P>),
    /// A shape that the scene gives.
    Solid(S),
}

/// A unit mesh that is stretched, turned and moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// Its mesh.
    pub unit: Unit,
    /// Place of the origin of the mesh.
    pub origin: Vector,
    /// Images of the axes of the mesh.
    pub axes: [Vector; 3],
    /// Least and greatest coordinates of the mesh.
    pub bounds: [Vector; 2],
}

/// A shape of a model, before it is known where; all indices are the model's. Its solids stand in frames that move.
pub(super) type Piece = Shape<Marker, usize, Direction, Box<(Moving, Solid)>, Box<(EdgeGap, Local)>>;

/// What a direction is read off.
#[derive(Clone, Debug)]
pub(super) enum Direction {
    /// Numbers: a vector fixed in a frame.
    Fixed(Orientation, [usize; 3]),
    /// Coordinate: the angle of a vector of the plane.
    Angle(usize),
    /// Coordinates of a quaternion, and numbers: a vector fixed in a rigid body in space.
    Turned([usize; 4], [usize; 3]),
    /// From one place to another.
    Through([Marker; 2]),
    /// A force of any length.
    Load(Load, Local),
}

/// A shape with what it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it belongs to.
    pub owner: Owner,
    /// The shape.
    pub shape: Shape,
    /// Colour of what is drawn of it as a body.
    pub colour: Rgb,
    /// Colour that the scene gives it.
    pub given: Option<Rgb>,
    /// Where it lies among the shapes of its kind, from 0 to 1: one lies over the other.
    pub height: f64,
    /// Where its layer lies among those of the scene.
    pub layer: Layer,
}

/// A layer of the bodies of a planar mechanism: its lower end and its thickness as parts of what all layers have together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// Lower end.
    pub from: f64,
    /// Thickness.
    pub part: f64,
}

impl Layer {
    /// The only one.
    pub const ONLY: Self = Self { from: 0.0, part: 1.0 };
}

impl Piece {
    /// The shape at an instant.
    pub(super) fn at(&self, pose: &Pose) -> Shape {
        let place = |marker: &Marker| pose.place(marker);
        match self {
            Self::Line(line, ends) => Shape::Line(*line, ends.each_ref().map(place)),
            Self::Plate(centre, corners) => Shape::Plate(place(centre), corners.iter().map(place).collect()),
            Self::Mass(at, mass) => Shape::Mass(place(at), pose.numbers[*mass]),
            Self::Joint(at, how) => Shape::Joint(place(at), *how),
            Self::Hinge(kind, ends, axes) => Shape::Hinge(
                *kind,
                ends.each_ref().map(place),
                axes.each_ref().map(|axis| axis.at(pose)),
            ),
            Self::Spiral(at) => Shape::Spiral(place(at)),
            Self::Arrow(at, force) => Shape::Arrow(place(at), force.at(pose)),
            Self::Circle(centre, radius) => Shape::Circle(place(centre), pose.numbers[*radius]),
            Self::Spoke(centre, radius, way) => Shape::Spoke(place(centre), pose.numbers[*radius], way.at(pose)),
            Self::Axial(kind, at, axis) => Shape::Axial(kind.map(|number| pose.numbers[*number]), place(at), *axis),
            Self::Rail {
                about,
                direction,
                slider,
            } => Shape::Rail {
                about: place(about),
                direction: direction.at(pose),
                slider: place(slider),
            },
            Self::Surface(through, normal) => Shape::Surface(place(through), normal.at(pose)),
            Self::Edge(edge, centre) => {
                let (gap, local) = &**edge;
                let (q, numbers) = (local.pick(pose.q), local.pick_numbers(pose.numbers));
                let places = gap.outline::<2>(&q, &numbers).into_iter();
                let places = places.map(|[x, y]| Vector::new(x, y, 0.0)).collect();
                Shape::Edge(places, centre.as_ref().map(place))
            }
            Self::Solid(placed) => Shape::Solid(placed.1.moved(&placed.0.placement(pose, None))),
        }
    }
}

impl Direction {
    fn at(&self, pose: &Pose) -> Vector {
        match self {
            Self::Fixed(frame, numbers) => {
                let given = pose.in_space(|k| pose.numbers[numbers[k]]);
                unit(frame.turn(pose.q, given.into()).into())
            }
            Self::Angle(angle) => Vector::new(pose.q[*angle].cos(), pose.q[*angle].sin(), 0.0),
            Self::Turned(turn, numbers) => {
                unit(turned(turn.map(|i| pose.q[i]), numbers.map(|i| pose.numbers[i])).into())
            }
            Self::Through([a, b]) => unit(pose.place(b) - pose.place(a)),
            Self::Load(load, local) => {
                let (q, numbers) = (local.pick(pose.q), local.pick_numbers(pose.numbers));
                let given = pose.in_space(|k| load.force[k].evaluate(pose.t, &numbers));
                load.frame.turn(&q, given.into()).into()
            }
        }
    }
}

impl Solid {
    /// The solid of a frame in the ground frame.
    fn moved(&self, Placement { at, rotation }: &Placement) -> Self {
        Self {
            origin: rotation * self.origin + at,
            axes: self.axes.map(|axis| rotation * axis),
            ..*self
        }
    }
}

impl Shape {
    /// Points that a picture of the mechanism must hold; none for what has no end.
    pub fn anchors(&self) -> Vec<Vector> {
        match self {
            Self::Line(_, ends) | Self::Hinge(_, ends, _) => ends.to_vec(),
            Self::Plate(centre, corners) => corners.iter().chain([centre]).copied().collect(),
            Self::Mass(at, _) | Self::Joint(at, _) | Self::Spiral(at) | Self::Arrow(at, _) => vec![*at],
            Self::Rail { slider: at, .. } | Self::Axial(_, at, _) => vec![*at],
            Self::Circle(centre, radius) => {
                let corner = Vector::new(*radius, *radius, 0.0);
                vec![centre - corner, centre + corner]
            }
            Self::Edge(places, _) => places.clone(),
            Self::Surface(..) | Self::Spoke(..) => Vec::new(),
            Self::Solid(solid) => {
                let along = |k: usize, axis: usize| solid.axes[axis] * solid.bounds[k >> axis & 1][axis];
                let corner = |k: usize| solid.origin + (along(k, 0) + along(k, 1) + along(k, 2));
                (0..8).map(corner).collect()
            }
        }
    }
}
