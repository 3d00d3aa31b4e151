//! Friction at closed contacts (theory, 4.9): the forces for which contacts that slip rub as much as they are pressed, and
//! contacts that stick stay where they are. Accelerations and multipliers are affine in these forces, so that the factors of the
//! motion without friction give all of them, and their derivatives.

mod grips;
pub(super) mod impact;
mod outcome;
mod refusal;
pub(super) mod scratch;
pub(super) mod stage;
mod trial;

use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::{At, Tangent};
use crate::in_dimension;
use crate::linear::{add_scaled, dot};
use crate::model::quantity::{Quantity, Rubbing};
use crate::model::{Grip, Hold, Mode, Terms};
use crate::scalar::Dual64;
use scratch::Rubs;

impl Mechanism {
    /// Takes all friction forces away.
    #[inline]
    pub(super) fn take_friction(&self, terms: &mut Terms) {
        for friction in &self.model.frictions {
            terms.numbers[friction.number] = 0.0;
        }
    }

    /// Adds the friction forces to the motion without them, which has been evaluated at a state.
    ///
    /// # Errors
    /// Kind `Singular` where they are not unique.
    pub(super) fn rub(&self, at: At<Mode>, workspace: &mut Workspace) -> Result<()> {
        let mut rubs = std::mem::take(&mut workspace.rubs);
        let found = self.find_forces(at, &mut rubs, workspace);
        if found.is_ok() {
            let Workspace { terms, a, lambda, .. } = workspace;
            rubs.add_responses(a, &mut lambda[..at.mode.rows]);
            for ((grip, response), &force) in at.mode.grips.iter().zip(&rubs.responses).zip(&rubs.forces) {
                terms.numbers[self.model.frictions[grip.friction].number] = force;
                add_scaled(&mut terms.force, force, &response.force);
            }
        }
        workspace.rubs = rubs;
        found
    }

    fn find_forces(&self, at: At<Mode>, rubs: &mut Rubs, workspace: &mut Workspace) -> Result<()> {
        let (grips, n) = (&at.mode.grips, at.mode.grips.len());
        rubs.resize(n, self.model.nv(), at.mode.rows);
        for k in (0..n).filter(|&k| bears(&grips[k])) {
            self.respond(at, k, rubs, workspace);
        }
        let motion = self.motion(at, workspace);
        for (i, grip) in grips.iter().enumerate() {
            let balance = Quantity::Friction(grip.friction, Rubbing::Balance);
            rubs.balances[i] = balance.evaluate(&self.model, at.mode, &motion);
            let row = at
                .mode
                .row_of(self.model.contacts[self.model.frictions[grip.friction].contact].gap);
            let by_normal_force = self.model.friction_by_normal_force(grip, &motion);
            for (k, response) in rubs.responses.iter().enumerate() {
                let own = f64::from(u8::from(i == k));
                rubs.by_force[i * n + k] = match grip.hold {
                    Hold::Stick if grip.leads() => dot(&rubs.responses[i].force, &response.a),
                    Hold::Slip(_) => own + row.map_or(0.0, |row| by_normal_force * response.lambda[row]),
                    _ => own,
                };
            }
        }
        rubs.invert(|k| grips[k].hold == Hold::Stick)
            .map_err(|(k, pivot)| self.jams(&grips[k], pivot, at, rubs, workspace))?;
        rubs.solve();
        Ok(())
    }

    /// Acceleration along the surface for a unit friction force, at the motion evaluated last.
    fn yields(&self, friction: usize, at: At<Mode>, workspace: &Workspace) -> f64 {
        let place = at.mode.grips.iter().position(|grip| grip.friction == friction);
        place.map_or(0.0, |k| {
            let response = &workspace.rubs.responses[k];
            dot(&response.force, &response.a)
        })
    }

    /// Writes what a unit force does at the factored state.
    fn respond(&self, at: At<Mode>, k: usize, rubs: &mut Rubs, workspace: &mut Workspace) {
        let Workspace { terms, formulation, .. } = workspace;
        let friction = &self.model.frictions[at.mode.grips[k].friction];
        let force = &self.model.forces[friction.force];
        let (q, v) = (&at.x[self.positions()], &at.x[self.velocities()]);
        let number = |i: usize| Dual64::new(terms.numbers[i], f64::from(u8::from(i == friction.number)));
        let (still, moving) = (|i: usize| Dual64::from(q[i]), |i: usize| Dual64::from(v[i]));
        let along = in_dimension!(self.model.dimension, D => {
            force.along::<D>(Dual64::from(at.t), still, moving, number)
        });
        let response = &mut rubs.responses[k];
        force.local.scatter_add(&along, &mut response.force);
        formulation.solve(
            at.mode,
            terms,
            &response.force,
            &rubs.zeros,
            &mut response.a,
            &mut response.lambda,
        );
    }

    /// Adds what the changes of the friction forces along a direction do to the accelerations, multipliers and numbers, whose changes
    /// without them are known.
    pub(super) fn rub_jvp(&self, at: At<Mode>, along: &Tangent, workspace: &mut Workspace) {
        if at.mode.grips.is_empty() {
            return;
        }
        let mut rubs = std::mem::take(&mut workspace.rubs);
        let motion = self.differentiated_motion(at, along, workspace);
        for (balance, grip) in rubs.balances.iter_mut().zip(&at.mode.grips) {
            let quantity = Quantity::Friction(grip.friction, Rubbing::Balance);
            *balance = quantity.evaluate(&self.model, at.mode, &motion).eps;
        }
        rubs.solve();
        rubs.add_responses(&mut workspace.da, &mut workspace.dlambda[..at.mode.rows]);
        for (grip, change) in at.mode.grips.iter().zip(&rubs.forces) {
            workspace.numbers[self.model.frictions[grip.friction].number] = *change;
        }
        workspace.rubs = rubs;
    }

    /// Moves what belongs to the friction forces in a gradient of the motion on to what these follow from.
    pub(super) fn rub_vjp(&self, at: At<Mode>, workspace: &mut Workspace) {
        if at.mode.grips.is_empty() {
            return;
        }
        let mut rubs = std::mem::take(&mut workspace.rubs);
        self.add(at, workspace, &mut |reading, duals, gradient| {
            for ((grip, response), slot) in at.mode.grips.iter().zip(&rubs.responses).zip(&mut rubs.forces) {
                *slot = gradient.numbers[self.model.frictions[grip.friction].number];
                if bears(grip) {
                    *slot += dot(gradient.a, &response.a) + dot(gradient.lambda, &response.lambda);
                }
            }
            rubs.solve_transposed();
            for (grip, &weight) in at.mode.grips.iter().zip(&rubs.balances) {
                let balance = Quantity::Friction(grip.friction, Rubbing::Balance);
                balance.add_gradient(weight, reading, duals, gradient);
            }
            for grip in &at.mode.grips {
                gradient.numbers[self.model.frictions[grip.friction].number] = 0.0;
            }
        });
        workspace.rubs = rubs;
    }
}

/// Whether a contact has a force of its own: those that stick with another have none.
fn bears(grip: &Grip) -> bool {
    match grip.hold {
        Hold::Stick => grip.leads(),
        Hold::Slip(_) => true,
        Hold::Spare => false,
    }
}
