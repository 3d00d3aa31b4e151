//! Inertia of points, bars and rigid bodies, one file a kind.

mod bar;
mod particle;
mod rigid;
mod solid;

pub use bar::Bar;
pub use particle::Particle;
pub use rigid::Rigid;
pub use solid::Solid;

use super::Matrix;
use super::local::{Local, MAX_LOCAL};
use crate::scalar::{Dual64, Scalar, each};

/// A kind of inertia; see the files of this folder.
#[derive(Clone, Debug)]
pub enum BodyKind {
    /// Point mass.
    Particle(Particle),
    /// Uniform bar in natural coordinates.
    Bar(Bar),
    /// Planar rigid body.
    Rigid(Rigid),
    /// Rigid body in space.
    Solid(Solid),
}

/// A body of the model: its kind and what it sees. Its local numbers include the components of gravity.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name in the scene.
    pub name: String,
    /// Kind with local indices.
    pub kind: BodyKind,
    /// Global indices.
    pub local: Local,
}

impl Body {
    /// Number of the model: its mass.
    pub fn mass(&self) -> usize {
        self.local.numbers[match &self.kind {
            BodyKind::Particle(particle) => particle.mass,
            BodyKind::Bar(bar) => bar.mass,
            BodyKind::Rigid(rigid) => rigid.mass,
            BodyKind::Solid(solid) => solid.mass,
        }]
    }

    /// Product M(q) a, local; kinetic energy is half of v.M v.
    pub fn momentum<S: Scalar, const D: usize>(&self, q: &[S], a: &[S], numbers: &[S], out: &mut [S]) {
        match &self.kind {
            BodyKind::Particle(kind) => kind.momentum::<S, D>(a, numbers, out),
            BodyKind::Bar(kind) => kind.momentum::<S, D>(a, numbers, out),
            BodyKind::Rigid(kind) => kind.momentum(q, a, numbers, out),
            BodyKind::Solid(kind) => kind.momentum(q, a, numbers, out),
        }
    }

    /// Adds weight and velocity-dependent inertia forces, local.
    pub fn force<S: Scalar, const D: usize>(&self, q: &[S], v: &[S], numbers: &[S], f: &mut [S]) {
        match &self.kind {
            BodyKind::Particle(kind) => kind.weight::<S, D>(numbers, f),
            BodyKind::Bar(kind) => kind.weight::<S, D>(numbers, f),
            BodyKind::Rigid(kind) => kind.force(q, v, numbers, f),
            BodyKind::Solid(kind) => kind.force(q, v, numbers, f),
        }
    }

    /// Potential energy of the weight.
    pub fn potential<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> S {
        match &self.kind {
            BodyKind::Particle(kind) => kind.potential::<S, D>(q, numbers),
            BodyKind::Bar(kind) => kind.potential::<S, D>(q, numbers),
            BodyKind::Rigid(kind) => kind.potential(q, numbers),
            BodyKind::Solid(kind) => kind.potential(q, numbers),
        }
    }

    /// Kinetic energy from local coordinates and velocities.
    pub fn kinetic<S: Scalar, const D: usize>(&self, q: &[S], v: &[S], numbers: &[S]) -> S {
        let mut momentum = [S::from(0.0); MAX_LOCAL];
        self.momentum::<S, D>(q, v, numbers, &mut momentum);
        let mut twice = S::from(0.0);
        for (v, p) in v.iter().zip(&momentum).take(self.local.width()) {
            twice += *v * *p;
        }
        twice * 0.5
    }

    /// Whether the mass matrix depends on the configuration or inertia forces on the velocity.
    pub fn is_configuration_dependent(&self) -> bool {
        matches!(self.kind, BodyKind::Rigid(_) | BodyKind::Solid(_))
    }

    /// Adds the body's block to the mass matrix, nv x nv; the velocities of bars and points are told by the caller.
    pub fn add_mass<const D: usize>(&self, q: &[f64], numbers: &[f64], velocities: &[usize], mass: &mut Matrix) {
        match &self.kind {
            BodyKind::Rigid(rigid) => return rigid.add_mass(&self.local, q, numbers, mass),
            BodyKind::Solid(solid) => {
                return solid.add_mass(&self.local, &solid.attitude(&self.local, q), numbers, mass);
            }
            BodyKind::Particle(_) | BodyKind::Bar(_) => {}
        }
        let q = self.local.gather::<f64>(q);
        let numbers = self.local.gather_numbers::<f64>(numbers);
        let mut unit = [0.0; MAX_LOCAL];
        for (column, &j) in velocities.iter().enumerate() {
            let mut block = [0.0; MAX_LOCAL];
            unit[column] = 1.0;
            self.momentum::<f64, D>(&q, &unit, &numbers, &mut block);
            unit[column] = 0.0;
            for (row, &i) in velocities.iter().enumerate() {
                mass.add(i, j, block[row]);
            }
        }
    }

    /// Adds weight and inertia forces of a body in the plane, or of a point or bar, to the global force vector.
    pub fn add_force<const D: usize>(&self, q: &[f64], v: &[f64], numbers: &[f64], f: &mut [f64]) {
        if let BodyKind::Rigid(rigid) = &self.kind {
            rigid.add_force(&self.local, q, v, numbers, f);
            return;
        }
        let mut local = [0.0; MAX_LOCAL];
        let (q, v) = (self.local.gather::<f64>(q), self.local.gather::<f64>(v));
        self.force::<f64, D>(&q, &v, &self.local.gather_numbers::<f64>(numbers), &mut local);
        self.local.scatter_add(&local, f);
    }

    /// Derivative of M a - f along a direction with a held, local; all arguments by the model's indices.
    pub fn along<const D: usize>(
        &self,
        q: impl Fn(usize) -> Dual64,
        v: impl Fn(usize) -> Dual64,
        a: &[f64],
        numbers: impl Fn(usize) -> Dual64,
    ) -> [f64; MAX_LOCAL] {
        let momentum = self.momentum_along::<D>(&q, a, &numbers);
        let (local, mut force) = (&self.local, [Dual64::from(0.0); MAX_LOCAL]);
        let (q, v, numbers) = (
            local.coordinates_by(q),
            local.coordinates_by(v),
            local.numbers_by(numbers),
        );
        self.force::<Dual64, D>(&q, &v, &numbers, &mut force);
        each(|i| momentum[i] - force[i].eps)
    }

    /// Derivative of M a likewise.
    pub fn momentum_along<const D: usize>(
        &self,
        q: impl Fn(usize) -> Dual64,
        a: &[f64],
        numbers: impl Fn(usize) -> Dual64,
    ) -> [f64; MAX_LOCAL] {
        let (local, mut momentum) = (&self.local, [Dual64::from(0.0); MAX_LOCAL]);
        let (q, a, numbers) = (
            local.coordinates_by(q),
            local.gather::<Dual64>(a),
            local.numbers_by(numbers),
        );
        self.momentum::<Dual64, D>(&q, &a, &numbers, &mut momentum);
        each(|i| momentum[i].eps)
    }
}
