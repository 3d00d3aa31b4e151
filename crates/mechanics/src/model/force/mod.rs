//! Springs, dampers and loads, one file a kind.

mod bushing;
mod drag;
mod hysteretic;
mod line;
mod linear_spring;
mod load;
mod sliding;
mod tangential;
mod torsion;

pub use bushing::{Bushed, Bushing};
pub use drag::Drag;
pub use hysteretic::{HYSTERETIC_SLOTS, HystereticSpring};
pub use line::{LineForce, Tension};
pub use linear_spring::{LinearSpring, Stretched};
pub use load::{Load, Moment, Torque};
pub use sliding::{Freedom, Sliding};
pub use tangential::{SurfaceMotion, Tangential};
pub use torsion::Torsion;

use super::local::{Local, MAX_LOCAL, Scratch};
use super::marker::Marker;
use crate::scalar::{Dual64, Scalar, each};

/// A force kind; see the files of this folder.
#[derive(Clone, Debug)]
pub enum ForceKind {
    /// Acts along the line between two markers.
    Line(LineForce),
    /// Acts on a relative angle.
    Torsion(Torsion),
    /// Force of time at a marker.
    Load(Load),
    /// Torque of time.
    Torque(Torque),
    /// Torque of time about axes in space.
    Moment(Moment),
    /// Springs and dampers between two frames in space.
    Bushing(Box<Bushing>),
    /// Viscous drag at a marker.
    Drag(Drag),
    /// Hysteretic force along a measure.
    Hysteretic(HystereticSpring),
    /// Friction along the surface of a contact.
    Tangential(Tangential),
    /// Friction of a joint.
    Sliding(Box<Sliding>),
}

/// A force of the model: its kind and what it sees.
#[derive(Clone, Debug)]
pub struct Force {
    /// Name in the scene.
    pub name: String,
    /// Kind with local indices.
    pub kind: ForceKind,
    /// Global indices.
    pub local: Local,
}

impl ForceKind {
    /// The places that it joins; none of forces that act on one place alone, or on angles.
    pub fn ends(&self) -> Option<[Marker; 2]> {
        match self {
            Self::Line(line) => Some([line.a, line.b]),
            Self::Bushing(bushing) => Some(bushing.ends),
            Self::Torsion(_) | Self::Load(_) | Self::Torque(_) | Self::Moment(_) | Self::Drag(_) => None,
            Self::Hysteretic(_) | Self::Tangential(_) | Self::Sliding(_) => None,
        }
    }

    /// Local numbers by which stored energy depends on its place, its ends aside, if they are held; none for forces that store none.
    pub fn potential_numbers(&self) -> Option<[Option<usize>; 2]> {
        match self {
            Self::Line(line) => Some(match line.tension {
                Tension::Linear { stiffness, natural, .. } => [Some(stiffness), Some(natural)],
                Tension::Expression { natural, .. } => [Some(natural), None],
                Tension::Followed { force, .. } => [Some(force), None],
            }),
            Self::Torsion(torsion) => Some([Some(torsion.stiffness), Some(torsion.natural)]),
            // No number of it follows the motion.
            Self::Bushing(_) => Some([None; 2]),
            Self::Load(_)
            | Self::Torque(_)
            | Self::Moment(_)
            | Self::Drag(_)
            | Self::Hysteretic(_)
            | Self::Tangential(_)
            | Self::Sliding(_) => None,
        }
    }
}

impl Force {
    /// Adds the generalized force, local.
    pub fn apply<S: Scalar, const D: usize>(&self, t: S, q: &[S], v: &[S], numbers: &[S], f: &mut [S]) {
        match &self.kind {
            ForceKind::Line(kind) => kind.apply::<S, D>(t, q, v, numbers, f),
            ForceKind::Torsion(kind) => kind.apply(q, v, numbers, f),
            ForceKind::Load(kind) => kind.apply::<S, D>(t, q, numbers, f),
            ForceKind::Torque(kind) => kind.apply(t, numbers, f),
            ForceKind::Moment(kind) => kind.apply(t, q, numbers, f),
            ForceKind::Bushing(kind) => kind.apply::<S, D>(q, v, numbers, f),
            ForceKind::Drag(kind) => kind.apply::<S, D>(q, v, numbers, f),
            ForceKind::Hysteretic(kind) => kind.apply::<S, D>(q, numbers, f),
            ForceKind::Tangential(kind) => kind.apply::<S, D>(q, numbers, self.local.numbers.len(), f),
            ForceKind::Sliding(kind) => kind.apply::<S, D>(q, numbers, f),
        }
    }

    /// Stored energy; zero for forces that store none.
    pub fn potential<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> S {
        match &self.kind {
            ForceKind::Line(kind) => kind.potential::<S, D>(q, numbers),
            ForceKind::Torsion(kind) => kind.potential(q, numbers),
            ForceKind::Bushing(kind) => kind.bushed(q, &[S::from(0.0); MAX_LOCAL], numbers).energy,
            ForceKind::Load(_) | ForceKind::Torque(_) | ForceKind::Moment(_) | ForceKind::Drag(_) => S::from(0.0),
            ForceKind::Hysteretic(_) | ForceKind::Tangential(_) | ForceKind::Sliding(_) => S::from(0.0),
        }
    }

    /// The vector from the first end of a force along a line to the second, by global positions and numbers; zeros beyond the
    /// dimension.
    pub fn span<const D: usize>(&self, q: &[f64], numbers: &[f64]) -> Option<[f64; 3]> {
        let ForceKind::Line(line) = &self.kind else {
            return None;
        };
        let span: [f64; D] = line.span(&self.local.gather(q), &self.local.gather_numbers(numbers));
        let mut found = [0.0; 3];
        found[..D].copy_from_slice(&span);
        Some(found)
    }

    /// Adds the generalized force to the global force vector.
    pub fn add<const D: usize>(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        numbers: &[f64],
        f: &mut [f64],
        scratch: &mut Scratch,
    ) {
        scratch.load(&self.local, q, v, numbers);
        let mut local = [0.0; MAX_LOCAL];
        self.apply::<f64, D>(t, &scratch.q, &scratch.v, &scratch.numbers, &mut local);
        self.local.scatter_add(&local, f);
    }

    /// Derivative of the generalized force along a direction, local; all arguments by the model's indices.
    pub fn along<const D: usize>(
        &self,
        t: Dual64,
        q: impl Fn(usize) -> Dual64,
        v: impl Fn(usize) -> Dual64,
        numbers: impl Fn(usize) -> Dual64,
    ) -> [f64; MAX_LOCAL] {
        let (local, mut force) = (&self.local, [Dual64::from(0.0); MAX_LOCAL]);
        let (q, v, numbers) = (
            local.coordinates_by(q),
            local.coordinates_by(v),
            local.numbers_by(numbers),
        );
        self.apply::<Dual64, D>(t, &q, &v, &numbers, &mut force);
        each(|i| force[i].eps)
    }
}
