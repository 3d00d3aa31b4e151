//! Elements evaluated in the space of their model, and the kinds that the tests must meet.

use std::collections::{BTreeMap, BTreeSet};

use costate::model::body::{Body, BodyKind};
use costate::model::constraint::{Constraint, ConstraintKind, Direction, MAX_ROWS, RowsAlong};
use costate::model::force::{Force, ForceKind, Freedom, Tension};
use costate::model::local::MAX_LOCAL;
use costate::model::{Model, in_dimension, marker::Marker, measure::Measure};
use costate::scalar::{Dual2_64, Scalar};

use crate::element_support::{Comparison, Random, model, planar, positions_near_guess, spatial, zoo};

/// Comparisons by kind and quantity.
pub type Comparisons = BTreeMap<String, Comparison>;

/// The planar and the spatial zoo.
pub fn zoos() -> [Model; 2] {
    [model(&planar(zoo::PLANAR)), model(&spatial(zoo::SPATIAL))]
}

/// A random state of a model.
pub struct State {
    pub t: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    /// Numbers and memory.
    pub numbers: Vec<f64>,
}

impl State {
    pub fn random(model: &Model, random: &mut Random) -> Self {
        let mut numbers = model.number_values();
        for memory in &mut numbers[model.memory_start()..] {
            *memory = 0.5 * random.unit();
        }
        for friction in &model.frictions {
            friction.numbers[..model.dimension - 1]
                .iter()
                .for_each(|&number| numbers[number] = 3.0);
        }
        Self {
            t: random.between(0.2, 0.9),
            q: positions_near_guess(model, random, 0.2),
            v: random.vector(model.nq(), 1.0),
            a: random.vector(model.nq(), 1.0),
            numbers,
        }
    }

    /// Arguments as a scalar type, each made from its value and what `part` says.
    pub fn lift<S: Scalar>(values: &[f64], part: impl Fn(usize, f64) -> S) -> Vec<S> {
        values.iter().enumerate().map(|(i, x)| part(i, *x)).collect()
    }
}

/// A direction in all arguments.
#[derive(Clone)]
pub struct Along {
    pub t: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub numbers: Vec<f64>,
}

impl Along {
    pub fn zero(model: &Model) -> Self {
        let numbers = vec![0.0; model.number_values().len()];
        Self {
            t: 0.0,
            q: vec![0.0; model.nq()],
            v: vec![0.0; model.nq()],
            numbers,
        }
    }

    pub fn random(model: &Model, random: &mut Random) -> Self {
        let zero = Self::zero(model);
        let numbers = random.vector(zero.numbers.len(), 0.3);
        Self {
            t: 0.5,
            q: random.vector(model.nq(), 1.0),
            v: random.vector(model.nq(), 1.0),
            numbers,
        }
    }

    pub fn direction(&self) -> Direction<'_> {
        Direction {
            t: self.t,
            q: &self.q,
            v: &self.v,
            numbers: &self.numbers,
        }
    }
}

/// Values of a constraint from global arguments.
pub fn value<S: Scalar>(model: &Model, constraint: &Constraint, t: S, q: &[S], numbers: &[S]) -> Vec<S> {
    let (q, numbers) = (constraint.local.pick(q), constraint.local.pick_numbers(numbers));
    let mut c = [S::from(0.0); MAX_ROWS];
    match model.dimension {
        2 => constraint.value::<S, 2>(t, &q, &numbers, &mut c),
        _ => constraint.value::<S, 3>(t, &q, &numbers, &mut c),
    }
    c[..constraint.rows].to_vec()
}

/// Values, total rates and gammas of a constraint's rows.
pub struct Rows {
    pub c: [f64; MAX_ROWS],
    pub rate: [f64; MAX_ROWS],
    pub gamma: [f64; MAX_ROWS],
}

/// Rows and Jacobian (row-major over the local coordinates) of a constraint.
pub fn evaluate(
    model: &Model,
    constraint: &Constraint,
    t: f64,
    q: &[f64],
    v: &[f64],
    numbers: &[f64],
) -> (Rows, Vec<f64>) {
    let width = constraint.local.width();
    let mut jacobian = vec![0.0; constraint.rows * width];
    let mut write = |i: usize, column: [f64; MAX_ROWS]| {
        for row in 0..constraint.rows {
            jacobian[row * width + i] = column[row];
        }
    };
    let motion = |i: usize| Dual2_64::new(q[i], v[i], 0.0);
    let rates = in_dimension!(model.dimension, D => {
        constraint.columns::<f64, D>(t, |i| q[i], |i| numbers[i], &mut write);
        constraint.rates::<f64, D>(t, motion, |i| numbers[i])
    });
    let rows = Rows {
        c: rates.map(|row| row.re),
        rate: rates.map(|row| row.v1),
        gamma: rates.map(|row| row.v2),
    };
    (rows, jacobian)
}

/// Derivatives of a constraint's part of the residual.
pub fn along(model: &Model, constraint: &Constraint, at: &State, lambda: &[f64], direction: &Direction) -> RowsAlong {
    let State { t, q, v, a, numbers } = at;
    match model.dimension {
        2 => constraint.along::<2>(*t, q, v, a, lambda, numbers, direction),
        _ => constraint.along::<3>(*t, q, v, a, lambda, numbers, direction),
    }
}

/// Generalized force of a force, over its local coordinates.
pub fn applied<S: Scalar>(model: &Model, force: &Force, t: S, q: &[S], v: &[S], numbers: &[S]) -> Vec<S> {
    let mut f = [S::from(0.0); MAX_LOCAL];
    let (q, v, numbers) = (
        force.local.pick(q),
        force.local.pick(v),
        force.local.pick_numbers(numbers),
    );
    match model.dimension {
        2 => force.apply::<S, 2>(t, &q, &v, &numbers, &mut f),
        _ => force.apply::<S, 3>(t, &q, &v, &numbers, &mut f),
    }
    f[..force.local.width()].to_vec()
}

/// Stored energy of a force.
pub fn stored<S: Scalar>(model: &Model, force: &Force, q: &[S], numbers: &[S]) -> S {
    let (q, numbers) = (force.local.pick(q), force.local.pick_numbers(numbers));
    match model.dimension {
        2 => force.potential::<S, 2>(&q, &numbers),
        _ => force.potential::<S, 3>(&q, &numbers),
    }
}

/// Kinetic energy of a body.
pub fn kinetic<S: Scalar>(model: &Model, body: &Body, q: &[S], v: &[S], numbers: &[S]) -> S {
    let (q, v, numbers) = (body.local.pick(q), body.local.pick(v), body.local.pick_numbers(numbers));
    match model.dimension {
        2 => body.kinetic::<S, 2>(&q, &v, &numbers),
        _ => body.kinetic::<S, 3>(&q, &v, &numbers),
    }
}

/// Potential energy of a body.
pub fn weight_energy<S: Scalar>(model: &Model, body: &Body, q: &[S], numbers: &[S]) -> S {
    let (q, numbers) = (body.local.pick(q), body.local.pick_numbers(numbers));
    match model.dimension {
        2 => body.potential::<S, 2>(&q, &numbers),
        _ => body.potential::<S, 3>(&q, &numbers),
    }
}

/// Weight and inertia forces of a body, over its local coordinates.
pub fn body_force<S: Scalar>(model: &Model, body: &Body, q: &[S], v: &[S], numbers: &[S]) -> Vec<S> {
    let mut f = [S::from(0.0); MAX_LOCAL];
    let (q, v, numbers) = (body.local.pick(q), body.local.pick(v), body.local.pick_numbers(numbers));
    match model.dimension {
        2 => body.force::<S, 2>(&q, &v, &numbers, &mut f),
        _ => body.force::<S, 3>(&q, &v, &numbers, &mut f),
    }
    f[..body.local.width()].to_vec()
}

/// M a of a body, over its local coordinates.
pub fn momentum<S: Scalar>(model: &Model, body: &Body, q: &[S], a: &[S], numbers: &[S]) -> Vec<S> {
    let mut out = [S::from(0.0); MAX_LOCAL];
    let (q, a, numbers) = (body.local.pick(q), body.local.pick(a), body.local.pick_numbers(numbers));
    match model.dimension {
        2 => body.momentum::<S, 2>(&q, &a, &numbers, &mut out),
        _ => body.momentum::<S, 3>(&q, &a, &numbers, &mut out),
    }
    out[..body.local.width()].to_vec()
}

/// Name of a constraint kind.
pub fn constraint_kind(kind: &ConstraintKind) -> &'static str {
    match kind {
        ConstraintKind::Distance(_) => "Distance",
        ConstraintKind::Coincidence(_) => "Coincidence",
        ConstraintKind::PointOnLine(_) => "PointOnLine",
        ConstraintKind::PointAlongLine(_) => "PointAlongLine",
        ConstraintKind::Slide(_) => "Slide",
        ConstraintKind::RelativeAngle(_) => "RelativeAngle",
        ConstraintKind::BarAngle(_) => "BarAngle",
        ConstraintKind::Coupling(_) => "Coupling",
        ConstraintKind::Unit(_) => "Unit",
        ConstraintKind::Across(_) => "Across",
        ConstraintKind::Turned(_) => "Turned",
        ConstraintKind::Cable(_) => "Cable",
        ConstraintKind::PlaneGap(_) => "PlaneGap",
        ConstraintKind::CircleGap(_) => "CircleGap",
        ConstraintKind::EdgeGap(_) => "EdgeGap",
        ConstraintKind::DistanceLimit(_) => "DistanceLimit",
        ConstraintKind::CoordinateLimit(_) => "CoordinateLimit",
    }
}

/// Name of a force kind.
pub fn force_kind(kind: &ForceKind) -> &'static str {
    match kind {
        ForceKind::Line(line) => match line.tension {
            Tension::Linear { .. } => "Line, linear",
            Tension::Expression { .. } | Tension::Followed { .. } => "Line, expression",
        },
        ForceKind::Torsion(_) => "Torsion",
        ForceKind::Load(_) => "Load",
        ForceKind::Torque(_) => "Torque",
        ForceKind::Moment(_) => "Moment",
        ForceKind::Bushing(_) => "Bushing",
        ForceKind::Drag(_) => "Drag",
        ForceKind::Tangential(_) => "Tangential",
        ForceKind::Sliding(sliding) => match sliding.freedom {
            Freedom::Slide(_) => "Sliding along a direction",
            Freedom::Line(_) => "Sliding along a line",
            Freedom::Turn(_, None) => "Sliding about a pin",
            Freedom::Turn(_, Some(_)) => "Sliding about an axis",
            Freedom::Shaft(..) => "Sliding of a shaft",
            Freedom::Plane(..) => "Sliding of a face",
            Freedom::Ball(_) => "Sliding of a ball",
            Freedom::Helix(..) => "Sliding along a thread",
        },
        ForceKind::Hysteretic(spring) => match spring.measure {
            Measure::Coordinate { .. } => "Hysteretic coordinate",
            Measure::Distance(..) => "Hysteretic distance",
        },
    }
}

/// Name of a body kind.
pub fn body_kind(kind: &BodyKind) -> &'static str {
    match kind {
        BodyKind::Particle(_) => "Particle",
        BodyKind::Bar(_) => "Bar",
        BodyKind::Rigid(_) => "Rigid",
        BodyKind::Solid(_) => "Solid",
    }
}

/// Name of a marker kind.
pub fn marker_kind(marker: &Marker) -> &'static str {
    use costate::model::marker::Base;
    match marker {
        Marker::Base(Base::Ground(_)) => "Ground",
        Marker::Base(Base::Point(_)) => "Point",
        Marker::Offset { .. } => "Offset",
        Marker::OnBar(_) => "OnBar",
        Marker::OnBody { .. } => "OnBody",
        Marker::OnSolid { .. } => "OnSolid",
    }
}

fn sorted<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn the_zoos_hold_every_kind() {
    let [plane, space] = zoos();
    let constraints = |model: &Model| sorted(model.constraints.iter().map(|c| constraint_kind(&c.kind))).join(" ");
    assert_eq!(
        constraints(&plane),
        "BarAngle Cable CircleGap Coincidence CoordinateLimit Coupling Distance DistanceLimit EdgeGap PlaneGap PointOnLine RelativeAngle Slide"
    );
    assert_eq!(
        constraints(&space),
        "Cable CircleGap Coincidence CoordinateLimit Coupling Distance DistanceLimit PlaneGap PointAlongLine Slide"
    );
    let forces = |model: &Model| sorted(model.forces.iter().map(|f| force_kind(&f.kind))).join(" ");
    assert_eq!(
        forces(&plane),
        "Drag Hysteretic coordinate Hysteretic distance Line, expression Line, linear Load Sliding about a pin Sliding along a direction Sliding along a line Tangential Torque Torsion"
    );
    assert_eq!(
        forces(&space),
        "Drag Hysteretic coordinate Hysteretic distance Line, expression Line, linear Load"
    );
    let bodies = |model: &Model| sorted(model.bodies.iter().map(|b| body_kind(&b.kind))).join(" ");
    assert_eq!(bodies(&plane), "Bar Particle Rigid");
    assert_eq!(bodies(&space), "Bar Particle");
    let markers = |model: &Model| sorted(super::references::all_markers(model).iter().map(marker_kind)).join(" ");
    assert_eq!(markers(&plane), "Ground Offset OnBar OnBody Point");
    assert_eq!(markers(&space), "Ground Offset OnBar Point");
}
