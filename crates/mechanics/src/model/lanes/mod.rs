//! Derivatives of the residual r = [M a - f - C^T lambda; C a + gamma] along several directions at once (theory, section 2).
//!
//! Bars, points, rigid bodies, linear springs and most joints are differentiated by hand, everything else by one pass
//! with dual numbers for each direction.

mod by_hand;
mod directions;
mod elements;
mod place;
mod rows;
mod turned;

use directions::Along;
pub use directions::{Directions, ResidualLanes};

use super::attitude::Attitudes;
use super::by_hand::ByHand;
use super::residual::Instant;
use super::{Mode, Model, Terms};
use crate::linear::pairs;

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
        self.with_attitudes(at, out, |at, out| {
            in_dimension!(self.dimension, D => {
                let along = &Along { at, numbers: &terms.numbers, directions };
                for body in self.bodies_by_velocities(terms) {
                    body.add_lanes::<D>(along, true, out);
                }
                for index in (0..self.forces.len()).filter(|&index| mode.force_acts(index)) {
                    match (&terms.springs[index], self.force_in_velocities(index, terms)) {
                        (Some(spring), _) => spring.add_lanes::<D>(along, out),
                        (None, Some(force)) => force.add_lanes::<D>(along, out),
                        (None, None) => {}
                    }
                }
                self.add_constraint_lanes::<D>(along, mode, terms, out);
            })
        });
        self.add_mapped_lanes(at, (mode, terms), directions, true, out);
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
        self.with_attitudes(at, out, |at, out| {
            let along = &Along {
                at,
                numbers: &terms.numbers,
                directions,
            };
            in_dimension!(self.dimension, D => self.add_constraint_lanes::<D>(along, mode, terms, out))
        });
        self.add_mapped_lanes(at, (mode, terms), directions, false, out);
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
        let still = &terms.still[..self.nv()];
        let is_moving = mode.constraints.iter().any(|&index| self.constraints[index].rheonomic);
        if is_moving {
            // Without velocity the rate is c_t.
            let resting = Instant { v: still, ..*at };
            self.constraint_lanes(&resting, mode, terms, directions, out);
            std::mem::swap(&mut out.rate, &mut out.drift);
        }
        self.constraint_lanes(at, mode, terms, directions, out);
        if is_moving {
            let ResidualLanes { rate, drift, .. } = &mut *out;
            pairs(rate, drift, |rate, drift| *rate -= *drift);
        }
        if with_mass {
            let at = Instant {
                v: still,
                a: at.v,
                ..*at
            };
            self.with_attitudes(&at, out, |at, out| {
                in_dimension!(self.dimension, D => {
                    let along = &Along { at, numbers: &terms.numbers, directions };
                    for body in self.bodies_by_velocities(terms) {
                        body.add_lanes::<D>(along, false, out);
                    }
                })
            });
        }
    }

    /// The instant as elements by hand read it.
    fn with_attitudes(&self, at: &Instant, out: &mut ResidualLanes, add: impl FnOnce(&Instant, &mut ResidualLanes)) {
        if self.frames.is_empty() {
            return add(at, out);
        }
        let mut attitudes = out.attitudes.take().unwrap_or_else(|| Attitudes::new(self));
        attitudes.load(&self.frames, [at.q, at.v, at.a]);
        let instant = Instant {
            q: &attitudes.q,
            attitudes: Some(&attitudes),
            ..*at
        };
        add(&instant, out);
        out.attitudes = Some(attitudes);
    }

    fn add_constraint_lanes<const D: usize>(&self, along: &Along, mode: &Mode, terms: &Terms, out: &mut ResidualLanes) {
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            match &terms.by_hand[index] {
                Some(ByHand::Distance(distance)) => distance.add_lanes::<D>(along, first, out),
                Some(ByHand::Angle(angle)) => angle.add_lanes(along, first, out),
                Some(ByHand::Pin(pin)) => pin.add_lanes::<D>(along, first, out),
                Some(ByHand::Guide(guide)) => guide.add_lanes::<D>(along, first, out),
                Some(ByHand::Span(span)) => span.add_lanes::<D>(along, first, out),
                Some(ByHand::Combination(combination)) => combination.add_lanes(along, first, out),
                Some(ByHand::Perpendicular(rows)) => rows.add_lanes::<D>(along, first, out),
                Some(ByHand::Hinge(hinge)) => hinge.add_lanes::<D>(along, first, out),
                None if terms.lift.is_some() => {}
                None => self.constraints[index].add_lanes::<D>(along, first, out),
            }
        }
    }
}
