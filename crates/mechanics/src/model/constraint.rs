//! The closed set of constraint kinds and what the dynamics needs of each: value, Jacobian, rates and their derivatives.
//!
//! A kind writes its value once, generic over the scalar. First derivatives come from dual numbers, the acceleration
//! term gamma (theory, 1.2) from one second-order pass along the motion, and the derivatives of C^T lambda and
//! C a + gamma (theory, 2.1) from nested ones.

use super::contact::{CircleGap, CoordinateLimit, DistanceLimit, EdgeGap, PlaneGap};
use super::function::Signal;
use super::joint::{
    Across, BarAngle, Cable, Coincidence, Coupling, Distance, PointAlongLine, PointOnLine, RelativeAngle, Slide,
    Turned, Unit,
};
use super::local::{Local, MAX_LOCAL};
use super::marker::Marker;
use crate::linear::Weight;
use crate::scalar::{Dual, Dual2, Dual64, Scalar, each};

/// Most rows that one constraint may have.
pub const MAX_ROWS: usize = 3;

/// A constraint kind; see the files of `joint` and `contact`.
#[derive(Clone, Debug)]
pub enum ConstraintKind {
    /// Distance of two markers.
    Distance(Distance),
    /// Two markers coincide.
    Coincidence(Coincidence),
    /// Point on a moving line in the plane.
    PointOnLine(PointOnLine),
    /// Point on a line in space.
    PointAlongLine(PointAlongLine),
    /// Sliding along a direction, or staying on a plane.
    Slide(Slide),
    /// Relative angle of two bodies.
    RelativeAngle(RelativeAngle),
    /// Angle coordinate of a bar.
    BarAngle(BarAngle),
    /// Linear combination of coordinates.
    Coupling(Coupling),
    /// Directions of two bodies in space that stay perpendicular.
    Across(Across),
    /// Length of a cable, or its limit.
    Cable(Cable),
    /// Angle coordinate of a joint in space.
    Turned(Turned),
    /// Length of a quaternion.
    Unit(Unit),
    /// Gap to a plane.
    PlaneGap(PlaneGap),
    /// Gap between circles.
    CircleGap(CircleGap),
    /// Gap to an edge.
    EdgeGap(EdgeGap),
    /// Limit of a distance.
    DistanceLimit(DistanceLimit),
    /// Limit of a coordinate.
    CoordinateLimit(CoordinateLimit),
}

/// A constraint of the model: its kind and what it sees.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Name of the joint, bar or contact that it belongs to.
    pub name: String,
    /// Kind with local indices.
    pub kind: ConstraintKind,
    /// Global indices.
    pub local: Local,
    /// Number of scalar equations.
    pub rows: usize,
    /// Whether c depends on time explicitly.
    pub rheonomic: bool,
}

/// Derivatives of one constraint's contribution to the residual along a direction, with a and lambda held.
#[derive(Clone, Copy, Debug)]
pub struct RowsAlong {
    /// d(C^T lambda), local.
    pub force: [f64; MAX_LOCAL],
    /// dc.
    pub c: [f64; MAX_ROWS],
    /// d(c').
    pub rate: [f64; MAX_ROWS],
    /// d(C a + gamma).
    pub acceleration: [f64; MAX_ROWS],
}

/// A direction in the space of all arguments of the residual; the slices are global.
#[derive(Clone, Copy, Debug)]
pub struct Direction<'a> {
    /// dt.
    pub t: f64,
    /// dq (nq).
    pub q: &'a [f64],
    /// dv (nv).
    pub v: &'a [f64],
    /// d(numbers).
    pub numbers: &'a [f64],
}

impl ConstraintKind {
    /// The value that it follows, a number or a function of time.
    pub(super) fn signal(&self) -> Option<&Signal> {
        match self {
            Self::Distance(kind) => Some(&kind.length),
            Self::Cable(kind) => Some(&kind.length),
            Self::RelativeAngle(kind) => Some(&kind.value),
            Self::Coupling(kind) => Some(&kind.value),
            Self::Coincidence(_) | Self::PointOnLine(_) | Self::PointAlongLine(_) | Self::Slide(_) => None,
            Self::Across(_) | Self::Turned(_) => None,
            Self::BarAngle(_) | Self::Unit(_) | Self::PlaneGap(_) | Self::CircleGap(_) | Self::EdgeGap(_) => None,
            Self::DistanceLimit(_) | Self::CoordinateLimit(_) => None,
        }
    }
}

impl ConstraintKind {
    /// The places that it holds, in a body or as near as its joint; a force of the row acts on the last.
    pub fn held(&self) -> Vec<&Marker> {
        match self {
            Self::Distance(link) => vec![&link.a, &link.b],
            Self::DistanceLimit(limit) => vec![&limit.a, &limit.b],
            Self::Coincidence(pin) => vec![&pin.a, &pin.b],
            Self::Cable(cable) => cable.path.stops.iter().map(|stop| &stop.at).collect(),
            Self::CircleGap(gap) => vec![&gap.a, &gap.b],
            Self::PlaneGap(gap) => vec![&gap.point],
            Self::EdgeGap(gap) => vec![&gap.point],
            Self::PointOnLine(slot) => vec![&slot.point],
            Self::PointAlongLine(slot) => vec![&slot.point],
            Self::Slide(slide) => vec![&slide.b],
            Self::RelativeAngle(_) | Self::BarAngle(_) | Self::Across(_) | Self::Turned(_) | Self::Unit(_) => {
                Vec::new()
            }
            Self::Coupling(_) | Self::CoordinateLimit(_) => Vec::new(),
        }
    }

    /// The place that its line or plane goes through, where that is held too.
    pub fn carrier(&self) -> Option<&Marker> {
        match self {
            Self::Slide(slide) => Some(&slide.a),
            _ => None,
        }
    }

    /// How far the row is from where it has no meaning, without unit: positive where it has one; none of rows that have one everywhere.
    pub fn margin<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> Option<S> {
        match self {
            Self::PlaneGap(gap) => gap.margin::<S, D>(q, numbers),
            Self::Cable(cable) => Some(cable.path.margin::<S, D>(q, numbers)),
            Self::Across(across) => across.margin(q, numbers),
            _ => None,
        }
    }

    /// Whether there are places where the row has no meaning; what it says there is [`ConstraintKind::margin`].
    pub fn has_margin(&self) -> bool {
        match self {
            Self::PlaneGap(gap) => gap.rim.is_some(),
            Self::Cable(_) => true,
            Self::Across(across) => across.less.is_some(),
            Self::Distance(_) | Self::Coincidence(_) | Self::PointOnLine(_) | Self::PointAlongLine(_) => false,
            Self::Slide(_) | Self::RelativeAngle(_) | Self::BarAngle(_) | Self::Coupling(_) | Self::Turned(_) => false,
            Self::Unit(_) | Self::CircleGap(_) | Self::EdgeGap(_) => false,
            Self::DistanceLimit(_) | Self::CoordinateLimit(_) => false,
        }
    }
}

impl Constraint {
    /// A constraint of the given kind; whether it depends on time is read off the kind.
    pub fn new(name: String, kind: ConstraintKind, local: Local, dimension: usize) -> Self {
        let rows = match &kind {
            ConstraintKind::Coincidence(_) | ConstraintKind::PointAlongLine(_) => dimension,
            _ => 1,
        };
        let rheonomic = kind.signal().is_some_and(Signal::depends_on_time);
        Self {
            name,
            kind,
            local,
            rows,
            rheonomic,
        }
    }

    /// Constraint values from local arguments.
    pub fn value<S: Scalar, const D: usize>(&self, t: S, q: &[S], numbers: &[S], c: &mut [S]) {
        match &self.kind {
            ConstraintKind::Distance(kind) => kind.value::<S, D>(t, q, numbers, c),
            ConstraintKind::Coincidence(kind) => kind.value::<S, D>(q, numbers, c),
            ConstraintKind::PointOnLine(kind) => kind.value(q, numbers, c),
            ConstraintKind::PointAlongLine(kind) => kind.value::<S, D>(q, numbers, c),
            ConstraintKind::Slide(kind) => kind.value::<S, D>(q, numbers, c),
            ConstraintKind::RelativeAngle(kind) => kind.value(t, q, numbers, c),
            ConstraintKind::BarAngle(kind) => kind.value(q, numbers, c),
            ConstraintKind::Coupling(kind) => kind.value(t, q, numbers, c),
            ConstraintKind::Across(kind) => kind.value(q, numbers, c),
            ConstraintKind::Turned(kind) => kind.value(q, numbers, c),
            ConstraintKind::Unit(kind) => kind.value(q, c),
            ConstraintKind::Cable(kind) => kind.value::<S, D>(t, q, numbers, c),
            ConstraintKind::PlaneGap(kind) => kind.value::<S, D>(q, numbers, c),
            ConstraintKind::CircleGap(kind) => kind.value::<S, D>(q, numbers, c),
            ConstraintKind::EdgeGap(kind) => kind.value(q, numbers, c),
            ConstraintKind::DistanceLimit(kind) => kind.value::<S, D>(q, numbers, c),
            ConstraintKind::CoordinateLimit(kind) => kind.value(q, numbers, c),
        }
    }

    /// The entries of its rows, the first at `first`, of a list with one per row of the mode; zeros beyond them.
    pub fn own_rows<S: Weight>(&self, first: usize, all: &[S]) -> [S; MAX_ROWS] {
        each(|k| if k < self.rows { all[first + k] } else { S::zero() })
    }

    /// Values from arguments given by their global indices.
    pub fn value_at<S: Scalar, const D: usize>(
        &self,
        t: S,
        q: impl Fn(usize) -> S,
        numbers: impl Fn(usize) -> S,
    ) -> [S; MAX_ROWS] {
        let mut c = [S::from(0.0); MAX_ROWS];
        let (q, numbers) = (self.local.coordinates_by(q), self.local.numbers_by(numbers));
        self.value::<S, D>(t, &q, &numbers, &mut c);
        c
    }

    /// c, c' and c'' by one second-order pass along a motion q(t) given by its derivatives; c'' is gamma without acceleration.
    pub fn rates<S: Scalar, const D: usize>(
        &self,
        t: S,
        motion: impl Fn(usize) -> Dual2<S>,
        numbers: impl Fn(usize) -> S,
    ) -> [Dual2<S>; MAX_ROWS] {
        let time = Dual2::new(t, S::from(1.0), S::from(0.0));
        self.value_at::<Dual2<S>, D>(time, motion, |i| Dual2::from_re(numbers(i)))
    }

    /// Visits the columns of C, by local index, by one dual pass per coordinate.
    pub fn columns<S: Scalar, const D: usize>(
        &self,
        t: S,
        q: impl Fn(usize) -> S,
        numbers: impl Fn(usize) -> S,
        mut visit: impl FnMut(usize, [S; MAX_ROWS]),
    ) {
        let mut q = self.local.coordinates_by(|i| Dual::from_re(q(i)));
        let numbers = self.local.numbers_by(|i| Dual::from_re(numbers(i)));
        let mut c = [Dual::<S>::from_re(S::from(0.0)); MAX_ROWS];
        for i in 0..self.local.width() {
            q[i].eps = S::from(1.0);
            self.value::<Dual<S>, D>(Dual::from_re(t), &q, &numbers, &mut c);
            q[i].eps = S::from(0.0);
            visit(i, each(|row| c[row].eps));
        }
    }

    /// Visits C^T lambda by local index; of the joints of space at once, of others column by column.
    pub fn push<S: Scalar, const D: usize>(
        &self,
        t: S,
        q: impl Fn(usize) -> S,
        numbers: impl Fn(usize) -> S,
        lambda: [f64; MAX_ROWS],
        mut visit: impl FnMut(usize, S),
    ) {
        let local = (self.local.coordinates_by(&q), self.local.numbers_by(&numbers));
        let mut force = [S::from(0.0); MAX_LOCAL];
        let known = match &self.kind {
            ConstraintKind::Coincidence(kind) => kind.push::<S, D>(&local.0, &local.1, &lambda, &mut force),
            ConstraintKind::Slide(kind) => kind.push::<S, D>(&local.0, &local.1, lambda[0], &mut force),
            ConstraintKind::Across(kind) => kind.push(&local.0, &local.1, lambda[0], &mut force),
            ConstraintKind::Turned(kind) => kind.push(&local.0, &local.1, lambda[0], &mut force),
            _ => false,
        };
        if !known {
            return self.columns::<S, D>(t, q, numbers, |i, column| {
                (0..self.rows).for_each(|row| visit(i, column[row] * lambda[row]));
            });
        }
        for (i, value) in force.into_iter().enumerate().take(self.local.width()) {
            visit(i, value);
        }
    }

    /// Derivatives of C^T lambda, c, c' and C a + gamma along a direction, with a (global) and lambda (own rows) held.
    #[allow(clippy::too_many_arguments)]
    pub fn along<const D: usize>(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        lambda: &[f64],
        numbers: &[f64],
        direction: &Direction,
    ) -> RowsAlong {
        self.along_by::<D>(
            Dual64::new(t, direction.t),
            |i| Dual64::new(q[i], direction.q[i]),
            |i| Dual64::new(v[i], direction.v[i]),
            (a, lambda),
            |i| Dual64::new(numbers[i], direction.numbers[i]),
        )
    }

    /// The same for a direction given by the model's indices.
    pub fn along_by<const D: usize>(
        &self,
        time: Dual64,
        q: impl Fn(usize) -> Dual64,
        v: impl Fn(usize) -> Dual64,
        (a, lambda): (&[f64], &[f64]),
        numbers: impl Fn(usize) -> Dual64,
    ) -> RowsAlong {
        let motion = |i: usize| Dual2::new(q(i), v(i), Dual64::from(a[i]));
        let c = self.rates::<Dual64, D>(time, motion, &numbers);
        let mut force = [0.0; MAX_LOCAL];
        self.columns::<Dual64, D>(time, &q, &numbers, |i, column| {
            for (row, lambda) in lambda.iter().enumerate().take(self.rows) {
                force[i] += column[row].eps * lambda;
            }
        });
        RowsAlong {
            force,
            c: each(|i| c[i].re.eps),
            rate: each(|i| c[i].v1.eps),
            acceleration: each(|i| c[i].v2.eps),
        }
    }
}
