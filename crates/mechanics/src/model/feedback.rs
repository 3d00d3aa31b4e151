//! Feedback: numbers of forces that follow the motion (theory, 6.6).
//!
//! A force reads such a number like any other. What gives it its value is an expression of time, positions and velocities:
//! it is evaluated where the memory is loaded, its derivative along a direction where the direction is, and what belongs to
//! it in a gradient is moved on to what it reads.

use super::force::Force;
use super::gradient::{MotionDuals, MotionGradient, MotionView};
use super::quantity::{Motion, Output, Quantity};
use super::{Mode, Model};
use crate::scalar::{Dual64, Scalar};

/// A number of a force that follows the motion.
#[derive(Clone, Debug)]
pub struct Feedback {
    /// The number.
    pub number: usize,
    /// The force that uses it.
    pub force: usize,
    /// What it follows; reads neither accelerations nor multipliers.
    pub value: Output,
}

impl Quantity {
    /// The force whose numbers it depends on, those of its places left aside.
    pub fn force_read(&self) -> Option<usize> {
        match self {
            Self::SpringForce(force)
            | Self::ForcePower(force)
            | Self::Engagement(force)
            | Self::TorsionTorque(force)
            | Self::Bushing(force, _)
            | Self::Hysteretic(force, _) => Some(*force),
            // Lengths and angles are those of places; no energy is stored by what follows the motion.
            Self::Stretch(..) | Self::TorsionAngle(_) | Self::Kinetic | Self::Potential | Self::Total => None,
            Self::Time
            | Self::Number(_)
            | Self::Coordinate(..)
            | Self::Marker(..)
            | Self::Speed(..)
            | Self::Momentum { .. }
            | Self::Distance(..)
            | Self::Ratchet(..)
            | Self::Reaction(..)
            | Self::Gap(_)
            | Self::Facing(_)
            | Self::Margin(_)
            | Self::ContactForce(_)
            | Self::Relief(_)
            | Self::Friction(..)
            | Self::Output(_) => None,
        }
    }
}

impl Model {
    /// Whether a number follows the motion.
    pub fn follows(&self, number: usize) -> bool {
        self.feedback.iter().any(|feedback| feedback.number == number)
    }

    /// Coordinates that each number that follows the motion is read off, those that it needs by the forces it reads included.
    pub(super) fn followed_coordinates(&self) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = Vec::new();
        for feedback in &self.feedback {
            let mut own = Vec::new();
            if !feedback.value.coordinates(self, &mut own) {
                own = (0..self.nq()).collect();
            }
            let forces: Vec<usize> = feedback
                .value
                .quantities(self)
                .filter_map(Quantity::force_read)
                .collect();
            for (earlier, coordinates) in self.feedback.iter().zip(&all) {
                if forces.contains(&earlier.force) {
                    own.extend(coordinates);
                }
            }
            own.sort_unstable();
            own.dedup();
            all.push(own);
        }
        all
    }

    /// Writes the numbers that follow the motion; the memory among the numbers is that of the state.
    pub fn follow<S: Scalar>(&self, mode: &Mode, t: S, q: &[S], v: &[S], numbers: &mut [S]) {
        for feedback in &self.feedback {
            let motion = Motion {
                t,
                q,
                v,
                a: &[],
                lambda: &[],
                numbers,
                frames: &self.frames,
            };
            let value = feedback.value.evaluate_over(self, mode, &motion);
            numbers[feedback.number] = value;
        }
    }

    /// The same with derivatives along a direction; the accelerations tell on which side there is one where an expression has
    /// a singular point.
    pub(super) fn follow_along(&self, mode: &Mode, t: Dual64, [q, v, a]: [&[Dual64]; 3], numbers: &mut [Dual64]) {
        for feedback in &self.feedback {
            let motion = Motion {
                t,
                q,
                v,
                a,
                lambda: &[],
                numbers,
                frames: &self.frames,
            };
            let mut value = feedback.value.evaluate(self, mode, &motion);
            if !value.eps.is_finite() {
                value.eps = feedback.value.along(self, mode, &motion, true);
            }
            numbers[feedback.number] = value;
        }
    }

    /// The transpose: moves gradients from the numbers that follow the motion to what they read.
    pub fn follow_transposed(&self, at: &MotionView, duals: &mut MotionDuals, out: &mut MotionGradient) {
        for feedback in self.feedback.iter().rev() {
            let weight = std::mem::take(&mut out.numbers[feedback.number]);
            if weight != 0.0 {
                feedback.value.add_gradient(weight, &at.over_time(), duals, out);
            }
        }
    }

    /// Whether a force stores energy that depends on its place alone: not where stiffness or length at rest follow the motion.
    pub fn stores_energy(&self, force: usize) -> bool {
        let Force { kind, local, .. } = &self.forces[force];
        let follows = |number: &usize| self.follows(local.numbers[*number]);
        kind.potential_numbers()
            .is_some_and(|law| !law.iter().flatten().any(follows))
    }
}
