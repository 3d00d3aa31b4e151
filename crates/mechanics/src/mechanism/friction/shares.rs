//! Joints that stick and keep the same motion from happening: which of them holds is not determined by the motion.

use super::scratch::Response;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::in_dimension;
use crate::linear::{Entries, add_scaled, dot, in_units};
use crate::mechanism::forced::listed;
use crate::mechanism::{Mechanism, Workspace};
use crate::model::force::{Force, ForceKind};
use crate::model::local::MAX_LOCAL;
use crate::model::quantity::Motion;
use crate::model::{Grip, Hold, Mode, Terms};
use crate::scalar::Scalar;

/// Deviation of two rows, over the larger, up to which they are parallel.
const PARALLEL: f64 = 1e-7;

/// Rows of velocities that stay: those of joints, then those of what sticks.
pub(super) struct Sharing<'a> {
    pub rows: &'a [f64],
    /// How many rows are those of joints.
    pub joints: usize,
    /// Frictions of the others, one for each row.
    pub sticking: &'a [usize],
}

impl Mechanism {
    /// The rows of the slip velocity of a contact or joint, over the velocities.
    pub(super) fn slip_rows<S: Scalar>(&self, friction: usize, q: &[S], numbers: &[S]) -> Vec<Entries<S>> {
        let own = &self.model.frictions[friction];
        if let Some(contact) = own.contact() {
            return self.tangential_rows(contact, q, numbers);
        }
        let Force { kind, local, .. } = &self.model.forces[own.force];
        let ForceKind::Sliding(sliding) = kind else {
            return Vec::new();
        };
        let (place, given) = (local.pick(q), local.pick_numbers(numbers));
        let row = |k: usize| {
            let slopes = in_dimension!(self.model.dimension, D => sliding.slopes::<S, D>(k, &place, &given));
            let mut row = Entries::with_capacity(local.width());
            let entries = local.coordinates.iter().zip(slopes);
            entries.for_each(|(&i, slope)| row.push(i, slope));
            self.model.over_velocities(&row, q)
        };
        (0..own.numbers.len()).map(row).collect()
    }

    /// The same at a state, with their zeros.
    pub(super) fn dense_slip_rows(&self, friction: usize, at: At<Mode>, workspace: &Workspace) -> Vec<Vec<f64>> {
        let rows = self.slip_rows(friction, &at.x[self.positions()], &workspace.terms.numbers);
        rows.iter().map(|row| row.dense(self.model.nv())).collect()
    }

    /// Adds the generalized force of a unit component of a friction force, which is linear in its numbers.
    pub(super) fn unit_friction(
        &self,
        (friction, k): (usize, usize),
        at: At<Mode>,
        terms: &Terms,
        (out, by_coordinates): (&mut [f64], &mut Vec<f64>),
    ) {
        let own = &self.model.frictions[friction];
        let force = &self.model.forces[own.force];
        let q = &at.x[self.positions()];
        let number = |i: usize| match own.numbers.contains(&i) {
            true => f64::from(u8::from(i == own.numbers[k])),
            false => terms.numbers[i],
        };
        // It does not depend on velocities.
        let (still, mut unit) = ([0.0; MAX_LOCAL], [0.0; MAX_LOCAL]);
        let (local, numbers) = (force.local.gather(q), force.local.numbers_by(number));
        in_dimension!(self.model.dimension, D => force.apply::<f64, D>(at.t, &local, &still, &numbers, &mut unit));
        if self.model.frames.is_empty() {
            force.local.scatter_add(&unit, out);
            return;
        }
        by_coordinates.clear();
        by_coordinates.resize(q.len(), 0.0);
        force.local.scatter_add(&unit, by_coordinates);
        self.model.write_transposed(q, by_coordinates, out);
    }

    /// Whether a joint can hold anything.
    pub(super) fn may_hold(&self, friction: usize, at: At<Mode>, workspace: &Workspace) -> bool {
        let own = &self.model.frictions[friction];
        let [at_rest, _] = own.bounds(at.t, &own.local.gather_numbers::<f64>(&workspace.terms.numbers));
        own.press().is_some() && at_rest > 0.0
    }

    /// How a joint holds with one that keeps the same motion from happening: both are used alike, up to the signs of their friction.
    ///
    /// # Errors
    /// Kind `Singular` where more than two of them are at it, or contacts.
    pub(super) fn sharing(
        &self,
        friction: usize,
        row: &[f64],
        independent: &Sharing,
        at: At<Mode>,
        workspace: &Workspace,
    ) -> Result<Grip> {
        let (units, width) = (workspace.terms.jacobian.units(), row.len());
        let (of_joints, of_sticking) = independent.rows.split_at(independent.joints * width);
        let basis = orthonormal(&in_units(of_joints, units), width);
        let own = beside(&basis, in_units(row, units));
        let rows = of_sticking.chunks_exact(width).zip(independent.sticking);
        let parallel = rows.filter_map(|(row, &leader)| {
            let row = beside(&basis, in_units(row, units));
            let along = dot(&own, &row) / dot(&row, &row);
            let mut rest = own.clone();
            add_scaled(&mut rest, -along, &row);
            (dot(&rest, &rest) <= PARALLEL * PARALLEL * dot(&own, &own)).then_some((leader, along))
        });
        let is_joint = |friction: usize| self.model.frictions[friction].press().is_some();
        match parallel.into_iter().next() {
            Some((leader, along)) if is_joint(leader) && is_joint(friction) => Ok(Grip {
                sides: [if along < 0.0 { -1 } else { 1 }, 0],
                ..Grip::new(friction, leader, Hold::Stick)
            }),
            _ => Err(self.undetermined(friction, independent.sticking, at.t)),
        }
    }

    /// Writes how the balance of a joint that sticks together with its leader changes with all forces.
    pub(super) fn share_slopes(
        &self,
        grip: &Grip,
        by: &Mode,
        motion: &Motion<f64>,
        (slopes, responses): (&mut [f64], &[Response]),
    ) {
        for (((other, _), response), slope) in self.forces_of(by).zip(responses).zip(slopes) {
            let [own, of_leader, by_load] = self.model.share_slopes(grip, by, motion, &response.lambda);
            *slope = by_load;
            if other.friction == grip.friction {
                *slope += own;
            } else if other.friction == grip.leader {
                *slope += of_leader;
            }
        }
    }

    #[cold]
    fn undetermined(&self, friction: usize, others: &[usize], t: f64) -> Error {
        let name = self.model.rubbed_name(friction);
        let names = listed(others.iter().map(|&other| self.model.rubbed_name(other)));
        let message = format!(
            "\"{name}\" sticks together with {names}, and how they share what they hold is not determined by the motion"
        );
        let error = Error::new(ErrorKind::Singular, message).named(name).at_time(t);
        error.advise("let one of those that hold the same motion rub, or end before it stops")
    }
}

/// A row without what lies along an orthonormal basis.
fn beside(basis: &[Vec<f64>], mut row: Vec<f64>) -> Vec<f64> {
    // Twice, so that rounding of the first pass is removed too.
    for direction in basis.iter().chain(basis) {
        let along = dot(direction, &row);
        add_scaled(&mut row, -along, direction);
    }
    row
}

/// An orthonormal basis of independent rows.
fn orthonormal(rows: &[f64], width: usize) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for row in rows.chunks_exact(width.max(1)) {
        let mut rest = beside(&basis, row.to_vec());
        let length = dot(&rest, &rest).sqrt();
        rest.iter_mut().for_each(|entry| *entry /= length);
        basis.push(rest);
    }
    basis
}
