//! Unilateral contacts and end stops: a gap constraint, a law, and what is remembered while stuck.

mod edge;
mod face;
mod gap;
mod ratchet;

pub use edge::EdgeGap;
pub use face::{Border, Face};
pub use gap::{CircleGap, CoordinateLimit, DistanceLimit, PlaneGap};
pub use ratchet::{Ratchet, Teeth};

/// What happens when a contact closes; numbers are global indices.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// Newton's law with the coefficient of restitution.
    Restitution {
        /// Number: the coefficient.
        e: usize,
    },
    /// The normal velocity reverses; named velocities, or the tangential velocity of the contact point, stay.
    Flip {
        /// Linear combinations of velocities that stay.
        keep: Keep,
    },
    /// The contact becomes a joint until its normal force is below minus the pull-off force.
    Stick {
        /// Number: the pull-off force.
        pull_off: usize,
    },
}

impl Law {
    /// Number: the share of the approach that it gives back; none of laws that give back all of it or hold. A contact of such a
    /// law may come to rest, its bounces may become infinitely many, and friction acts in its impacts.
    pub fn restitution(&self) -> Option<usize> {
        match self {
            Self::Restitution { e } => Some(*e),
            Self::Flip { .. } | Self::Stick { .. } => None,
        }
    }

    /// Number: the force that pulls it off, where it sticks.
    pub fn pull_off(&self) -> Option<usize> {
        match self {
            Self::Stick { pull_off } => Some(*pull_off),
            Self::Restitution { .. } | Self::Flip { .. } => None,
        }
    }
}

/// Velocities that a flip leaves as they are.
#[derive(Clone, Debug, PartialEq)]
pub enum Keep {
    /// The tangential velocity of the contact point.
    Tangential,
    /// These velocities of the model.
    Velocities(Vec<usize>),
}

/// A contact of the model.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Name in the scene, with `(at least)` or `(at most)` where a limit has both sides.
    pub name: String,
    /// Index of its gap among the constraints; its row is active while the contact slides.
    pub gap: usize,
    /// Law.
    pub law: Law,
    /// The joint it becomes while stuck: index among the constraints and memory.
    pub pin: Option<Box<Pin>>,
    /// What makes it a ratchet.
    pub ratchet: Option<Box<Ratchet>>,
    /// What makes it a part of a surface with ends.
    pub face: Option<Box<Face>>,
}

/// The joint that a stuck contact becomes: two markers that remember where they touched.
#[derive(Clone, Debug)]
pub struct Pin {
    /// Index of the coincidence among the constraints.
    pub constraint: usize,
    /// First memory slot of the surface's marker; D slots.
    pub surface_memory: usize,
    /// First memory slot of the point's marker; D slots.
    pub point_memory: usize,
}
