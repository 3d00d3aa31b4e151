//! Derivatives of the residual r = [M a - f - C^T lambda; C a + gamma] along several directions at once (theory, section 2).
//!
//! Bars, points, rigid bodies, linear springs and most joints are differentiated by hand, everything else by one pass
//! with dual numbers for each direction.

mod by_hand;
mod directions;
mod elements;
mod place;
mod rows;

pub use directions::{Directions, ResidualLanes};

use super::by_hand::ByHand;
use super::residual::Instant;
use super::{Mode, Model, Terms};

impl Model {
    /// Writes the derivatives at an instant; `terms` supplies the numbers, none of which follows the motion.
    pub fn residual_lanes(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        out.clear(self.nv(), mode.rows);
        in_dimension!(self.dimension, D => {
            for body in &self.bodies {
                body.add_lanes::<D>(at, at.a, &terms.numbers, directions, true, out);
            }
            for index in (0..self.forces.len()).filter(|&index| mode.force_acts(index)) {
                match &terms.springs[index] {
                    Some(spring) => spring.add_lanes::<D>(at, &terms.numbers, directions, out),
                    None => self.forces[index].add_lanes::<D>(at, &terms.numbers, directions, out),
                }
            }
            self.add_constraint_lanes::<D>(at, mode, terms, directions, out);
        })
    }

    /// Writes those of the constraints alone.
    pub fn constraint_lanes(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        out.clear(self.nv(), mode.rows);
        in_dimension!(self.dimension, D => self.add_constraint_lanes::<D>(at, mode, terms, directions, out))
    }

    /// Writes, for velocities u and multipliers w in the place of those of the instant, d(C) u to the rates and -d(C^T) w to the
    /// forces, with d(M) u too where `with_mass`; dv takes no part.
    pub fn matrix_lanes(
        &self,
        at: &Instant,
        (mode, terms): (&Mode, &Terms),
        directions: &Directions,
        with_mass: bool,
        out: &mut ResidualLanes,
    ) {
        out.clear(self.nv(), mode.rows);
        in_dimension!(self.dimension, D => {
            if with_mass {
                for body in &self.bodies {
                    body.add_lanes::<D>(at, at.v, &terms.numbers, directions, false, out);
                }
            }
            self.add_constraint_lanes::<D>(at, mode, terms, directions, out);
            // Without velocity the rate is c_t.
            let resting = Instant { v: &terms.still, ..*at };
            for (&index, &first) in mode.constraints.iter().zip(&mode.offsets).filter(|(i, _)| self.constraints[**i].rheonomic) {
                self.constraints[index].subtract_drift_lanes::<D>(&resting, &terms.numbers, first, directions, out);
            }
        })
    }

    fn add_constraint_lanes<const D: usize>(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        directions: &Directions,
        out: &mut ResidualLanes,
    ) {
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            match &terms.by_hand[index] {
                Some(ByHand::Distance(distance)) => distance.add_lanes::<D>(at, &terms.numbers, first, directions, out),
                Some(ByHand::Angle(angle)) => angle.add_lanes(at, &terms.numbers, first, directions, out),
                Some(ByHand::Pin(pin)) => pin.add_lanes::<D>((at, &terms.numbers), first, directions, out),
                Some(ByHand::Guide(guide)) => guide.add_lanes::<D>((at, &terms.numbers), first, directions, out),
                Some(ByHand::Span(span)) => span.add_lanes::<D>((at, &terms.numbers), first, directions, out),
                Some(ByHand::Combination(combination)) => {
                    combination.add_lanes((at, &terms.numbers), first, directions, out);
                }
                // Directions are followed one by one where there are bodies in space.
                Some(ByHand::Perpendicular(_) | ByHand::Hinge(_)) | None => {
                    self.constraints[index].add_lanes::<D>(at, &terms.numbers, first, directions, out)
                }
            }
        }
    }
}
