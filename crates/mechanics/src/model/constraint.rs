//! The closed set of constraint kinds and what the dynamics needs of each: value, Jacobian, rates and their derivatives.
//!
//! A kind writes its value once, generic over the scalar. First derivatives come from dual numbers, the acceleration
//! term gamma (theory, 1.2) from one second-order pass along the motion, and the derivatives of C^T lambda and
//! C a + gamma (theory, 2.1) from nested ones.

use super::contact::{CircleGap, CoordinateLimit, DistanceLimit, PlaneGap};
use super::joint::{BarAngle, Coincidence, Coupling, Distance, PointAlongLine, PointOnLine, RelativeAngle, Slide};
use super::local::{Local, MAX_LOCAL};
use crate::scalar::{Dual, Dual2, Dual2_64, Dual64, Scalar, each};

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
    /// Gap to a plane.
    PlaneGap(PlaneGap),
    /// Gap between circles.
    CircleGap(CircleGap),
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

/// Values of one constraint's rows at a state.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// c, in the unit of the kind.
    pub c: [f64; MAX_ROWS],
    /// Total rate c' = C v + c_t.
    pub rate: [f64; MAX_ROWS],
    /// gamma with c'' = C a + gamma.
    pub gamma: [f64; MAX_ROWS],
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

impl Constraint {
    /// A constraint of the given kind; whether it depends on time is read off the kind.
    pub fn new(name: String, kind: ConstraintKind, local: Local, dimension: usize) -> Self {
        let rows = match &kind {
            ConstraintKind::Coincidence(_) | ConstraintKind::PointAlongLine(_) => dimension,
            _ => 1,
        };
        let rheonomic = match &kind {
            ConstraintKind::Distance(kind) => kind.length.depends_on_time(),
            ConstraintKind::RelativeAngle(kind) => kind.value.depends_on_time(),
            ConstraintKind::Coupling(kind) => kind.value.depends_on_time(),
            _ => false,
        };
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
            ConstraintKind::PlaneGap(kind) => kind.value::<S, D>(q, numbers, c),
            ConstraintKind::CircleGap(kind) => kind.value::<S, D>(q, numbers, c),
            ConstraintKind::DistanceLimit(kind) => kind.value::<S, D>(q, numbers, c),
            ConstraintKind::CoordinateLimit(kind) => kind.value(q, numbers, c),
        }
    }

    /// Values, rates and acceleration terms; writes the Jacobian rows C (row-major, `rows` x local width) into `jacobian`.
    pub fn evaluate<const D: usize>(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        numbers: &[f64],
        jacobian: &mut [f64],
    ) -> Rows {
        self.jacobian::<D>(t, q, numbers, jacobian);
        self.rates::<D>(t, q, v, numbers)
    }

    /// Values only.
    pub fn evaluate_value<const D: usize>(&self, t: f64, q: &[f64], numbers: &[f64]) -> [f64; MAX_ROWS] {
        let mut c = [0.0; MAX_ROWS];
        self.value::<f64, D>(
            t,
            &self.local.gather::<f64>(q),
            &self.local.gather_numbers::<f64>(numbers),
            &mut c,
        );
        c
    }

    /// Jacobian by one dual pass per local coordinate.
    fn jacobian<const D: usize>(&self, t: f64, q: &[f64], numbers: &[f64], jacobian: &mut [f64]) {
        let mut q = self.local.gather::<Dual64>(q);
        let numbers = self.local.gather_numbers::<Dual64>(numbers);
        let width = self.local.width();
        let mut c = [Dual64::from(0.0); MAX_ROWS];
        for i in 0..width {
            q[i].eps = 1.0;
            self.value::<Dual64, D>(Dual64::from(t), &q, &numbers, &mut c);
            q[i].eps = 0.0;
            for (row, value) in c.iter().enumerate().take(self.rows) {
                jacobian[row * width + i] = value.eps;
            }
        }
    }

    /// c, c' and gamma by one second-order pass along the motion with zero acceleration.
    fn rates<const D: usize>(&self, t: f64, q: &[f64], v: &[f64], numbers: &[f64]) -> Rows {
        let path = self.local.coordinates_by(|i| Dual2_64::new(q[i], v[i], 0.0));
        let numbers = self.local.gather_numbers::<Dual2_64>(numbers);
        let mut c = [Dual2_64::from(0.0); MAX_ROWS];
        self.value::<Dual2_64, D>(Dual2_64::new(t, 1.0, 0.0), &path, &numbers, &mut c);
        Rows {
            c: each(|i| c[i].re),
            rate: each(|i| c[i].v1),
            gamma: each(|i| c[i].v2),
        }
    }

    /// Value and rate of the rows, generic over the scalar, from global arguments of the same scalar.
    pub fn rate_along<S: Scalar, const D: usize>(
        &self,
        t: S,
        q: &[S],
        v: &[S],
        numbers: &[S],
    ) -> ([S; MAX_ROWS], [S; MAX_ROWS]) {
        let path = self.local.coordinates_by(|i| Dual::new(q[i], v[i]));
        let numbers = self.local.numbers_by(|i| Dual::from_re(numbers[i]));
        let mut c = [Dual::<S>::from_re(S::from(0.0)); MAX_ROWS];
        self.value::<Dual<S>, D>(Dual::new(t, S::from(1.0)), &path, &numbers, &mut c);
        (each(|i| c[i].re), each(|i| c[i].eps))
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
        let mut along = self.rows_along::<D>(t, q, v, a, numbers, direction);
        along.force = self.force_along::<D>(t, q, lambda, numbers, direction);
        along
    }

    fn rows_along<const D: usize>(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        numbers: &[f64],
        direction: &Direction,
    ) -> RowsAlong {
        type Path = Dual2<Dual64>;
        let zero = Dual64::from(0.0);
        let path = self.local.coordinates_by(|i| {
            Path::new(
                Dual64::new(q[i], direction.q[i]),
                Dual64::new(v[i], direction.v[i]),
                Dual64::from(a[i]),
            )
        });
        let numbers = self
            .local
            .numbers_by(|i| Path::from_re(Dual64::new(numbers[i], direction.numbers[i])));
        let time = Path::new(Dual64::new(t, direction.t), Dual64::from(1.0), zero);
        let mut c = [Path::from_re(zero); MAX_ROWS];
        self.value::<Path, D>(time, &path, &numbers, &mut c);
        RowsAlong {
            force: [0.0; MAX_LOCAL],
            c: each(|i| c[i].re.eps),
            rate: each(|i| c[i].v1.eps),
            acceleration: each(|i| c[i].v2.eps),
        }
    }

    fn force_along<const D: usize>(
        &self,
        t: f64,
        q: &[f64],
        lambda: &[f64],
        numbers: &[f64],
        direction: &Direction,
    ) -> [f64; MAX_LOCAL] {
        type Path = Dual<Dual64>;
        let zero = Path::from(0.0);
        let mut path = self
            .local
            .coordinates_by(|i| Path::from_re(Dual64::new(q[i], direction.q[i])));
        let numbers = self
            .local
            .numbers_by(|i| Path::from_re(Dual64::new(numbers[i], direction.numbers[i])));
        let time = Path::from_re(Dual64::new(t, direction.t));
        let mut force = [0.0; MAX_LOCAL];
        let mut c = [zero; MAX_ROWS];
        for (i, force) in force.iter_mut().enumerate().take(self.local.width()) {
            path[i].eps.re = 1.0;
            self.value::<Path, D>(time, &path, &numbers, &mut c);
            path[i].eps.re = 0.0;
            *force = 0.0;
            for row in 0..self.rows {
                *force += c[row].eps.eps * lambda[row];
            }
        }
        force
    }
}
