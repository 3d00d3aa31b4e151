//! Terms and residual where there are rigid bodies in space: elements are evaluated with rates of coordinates, and their rows
//! and forces carried over to velocities (theory, 7.1).
//!
//! With q' = Z v and q'' = Z a + Z' v: C = C_q Z, f = Z^T f_q, gamma = c'' for a = 0, and the residual is Z^T r_q.

use super::body::{Body, BodyKind};
use super::by_hand::RowTerms;
use super::force::Force;
use super::lift::Lift;
use super::residual::Instant;
use super::{Mode, Model, Terms};
use crate::linear::pairs;

impl Model {
    /// Elements with the indices of velocities where there are bodies in space.
    pub(super) fn bodies_by_velocities<'a>(&'a self, terms: &'a Terms) -> &'a [Body] {
        terms.lift.as_ref().map_or(&self.bodies, |lift| &lift.bodies)
    }

    /// A force with the indices of velocities where there are bodies in space; none if it is mapped from coordinates there.
    pub(super) fn force_in_velocities<'a>(&'a self, index: usize, terms: &'a Terms) -> Option<&'a Force> {
        match &terms.lift {
            Some(lift) => lift.forces[index].as_ref(),
            None => Some(&self.forces[index]),
        }
    }

    /// Whether a force is mapped from coordinates.
    pub(super) fn is_mapped(&self, force: usize, terms: &Terms) -> bool {
        terms.springs[force].is_none() && self.force_in_velocities(force, terms).is_none()
    }

    /// As [`Model::assemble`].
    pub(super) fn assemble_lifted<const D: usize>(&self, t: f64, q: &[f64], v: &[f64], mode: &Mode, terms: &mut Terms) {
        self.follow(mode, t, q, v, &mut terms.numbers);
        let Some(mut lift) = terms.lift.take() else { return };
        let lift_ref = &mut *lift;
        lift_ref.attitudes.load(&self.frames, [q, v, &terms.still]);
        terms.force.copy_from_slice(&lift_ref.constant_force);
        if !lift_ref.by_hand {
            lift_ref.force.fill(0.0);
            self.write_rates(q, v, &mut lift_ref.rates);
            let mapped = |&index: &usize| terms.springs[index].is_none() && lift_ref.forces[index].is_none();
            let acting = (0..self.forces.len())
                .filter(|&index| mode.force_acts(index))
                .filter(mapped);
            for force in acting.map(|index| &self.forces[index]) {
                force.add::<D>(
                    t,
                    q,
                    &lift_ref.rates,
                    &terms.numbers,
                    &mut lift_ref.force,
                    &mut terms.scratch,
                );
            }
            self.write_transposed(q, &lift_ref.force, &mut lift_ref.mapped);
            pairs(&mut terms.force, &lift_ref.mapped, |slot, value| *slot += *value);
        }
        terms.begin_mass();
        for body in &self.bodies {
            if let BodyKind::Solid(solid) = &body.kind {
                let attitude = lift_ref.attitudes.at(solid.velocity + 3);
                solid.add_mass(&body.local, attitude, &terms.numbers, &mut terms.mass);
                solid.add_force(&body.local, attitude, &terms.numbers, &mut terms.force);
            }
        }
        let at = Instant {
            t,
            q: &lift_ref.attitudes.q,
            v,
            a: &terms.still,
            lambda: &[],
            attitudes: Some(&lift_ref.attitudes),
        };
        for index in (0..self.forces.len()).filter(|&index| mode.force_acts(index)) {
            match (&terms.springs[index], &lift_ref.forces[index]) {
                (Some(spring), _) => spring.apply::<D>(&at, &terms.numbers, &mut terms.force),
                (None, Some(force)) => {
                    force.add::<D>(t, at.q, v, &terms.numbers, &mut terms.force, &mut terms.scratch);
                }
                (None, None) => {}
            }
        }
        self.assemble_rows_lifted::<D>((t, q, v), mode, &mut lift, terms);
        terms.lift = Some(lift);
    }

    /// As [`Model::assemble_constraints`].
    pub(super) fn assemble_constraints_lifted<const D: usize>(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        mode: &Mode,
        terms: &mut Terms,
    ) {
        let Some(mut lift) = terms.lift.take() else { return };
        lift.attitudes.load(&self.frames, [q, v, &terms.still]);
        self.assemble_rows_lifted::<D>((t, q, v), mode, &mut lift, terms);
        terms.lift = Some(lift);
    }

    /// The same with the bodies along the motion.
    fn assemble_rows_lifted<const D: usize>(
        &self,
        (t, q, v): (f64, &[f64], &[f64]),
        mode: &Mode,
        lift: &mut Lift,
        terms: &mut Terms,
    ) {
        if !lift.by_hand {
            self.write_rates(q, v, &mut lift.rates);
            self.write_accelerations(q, v, &terms.still, &mut lift.drift);
        }
        terms.rows = mode.rows;
        terms.jacobian.begin_rows(&mode.constraints);
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            match &terms.by_hand[index] {
                Some(by_hand) => {
                    let at = Instant {
                        t,
                        q: &lift.attitudes.q,
                        v,
                        a: &terms.still,
                        lambda: &[],
                        attitudes: Some(&lift.attitudes),
                    };
                    let mut rows = RowTerms {
                        jacobian: &mut terms.jacobian,
                        c: &mut terms.c,
                        rate: &mut terms.rate,
                        c_t: &mut terms.c_t,
                        gamma: &mut terms.gamma,
                    };
                    by_hand.assemble::<D>(&at, &terms.numbers, &lift.columns[index], first, &mut rows);
                }
                None => self.add_rows_lifted::<D>(index, first, (t, q), lift, terms),
            }
        }
    }

    /// Writes the rows of a constraint that is not written by hand.
    fn add_rows_lifted<const D: usize>(
        &self,
        index: usize,
        first: usize,
        (t, q): (f64, &[f64]),
        lift: &mut Lift,
        terms: &mut Terms,
    ) {
        lift.jacobian.begin_rows(&[index]);
        std::mem::swap(&mut terms.jacobian, &mut lift.jacobian);
        terms.add_rows::<D>(&self.constraints[index], first, t, q, &lift.rates);
        std::mem::swap(&mut terms.jacobian, &mut lift.jacobian);
        for k in 0..self.constraints[index].rows {
            let by_coordinates = lift.jacobian.row(k);
            terms.gamma[first + k] += by_coordinates.dot(&lift.drift);
            let columns = &lift.columns[index];
            let slots = terms.jacobian.next_row(columns);
            for (i, value) in by_coordinates.entries() {
                self.each_rate_factor(i, q, |j, factor| {
                    if let Some(place) = columns.iter().position(|&column| column == j) {
                        slots[place] += value * factor;
                    }
                });
            }
        }
    }
}
