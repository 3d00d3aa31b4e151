//! The beginning of slip in space (theory, 4.14): its direction is that of the acceleration, which depends on the force itself.

use super::scratch::{Response, Rubs};
use crate::error::Result;
use crate::hybrid::At;
use crate::linear::max_abs;
use crate::mechanism::{Mechanism, Workspace};
use crate::model::quantity::{Motion, Quantity, Rubbing};
use crate::model::{Grip, Hold, Mode};
use crate::scalar::Dual64;

impl Mechanism {
    /// Adds friction forces from which Newton's method finds those where some contact begins to slip: those that it would take to stick, as
    /// large as they can be; returns the largest.
    ///
    /// # Errors
    /// Kind `Singular` where these are not unique.
    pub(super) fn begin_slip(&self, at: At<Mode>, rubs: &mut Rubs, workspace: &mut Workspace) -> Result<f64> {
        let mut sticking = at.mode.clone();
        for grip in sticking.grips.iter_mut().filter(|grip| grip.hold == Hold::SlipBegins) {
            grip.hold = Hold::Stick;
        }
        match self.linearize_balances(at, &sticking, rubs, workspace) {
            Ok(()) => {
                rubs.solve();
                self.shorten(at, rubs, workspace);
            }
            // Feet that begin each by itself cannot all stick so.
            Err(_) if self.begins_apart(at.mode) => self.oppose(at, rubs, workspace),
            Err(error) => return Err(error),
        }
        self.add_forces(at, rubs, workspace);
        Ok(max_abs(&rubs.forces))
    }

    fn begins_apart(&self, mode: &Mode) -> bool {
        let alone = |grip: &&Grip| grip.hold == Hold::SlipBegins && !self.model.is_foot(grip, mode);
        self.model.dimension > 2 && mode.grips.iter().filter(alone).count() > 1
    }

    /// Changes the forces of contacts that begin to slip.
    fn each_begun(&self, mode: &Mode, forces: &mut [f64], mut change: impl FnMut(&Grip, &mut [f64])) {
        let mut rest = forces;
        for grip in &mode.grips {
            let count = self.model.frictions[grip.friction].numbers.len();
            let (own, others) = std::mem::take(&mut rest).split_at_mut(count);
            rest = others;
            if grip.hold == Hold::SlipBegins {
                change(grip, own);
            }
        }
    }

    /// Takes forces of contacts that begin to slip that are as large as they can be, against the accelerations without friction.
    fn oppose(&self, at: At<Mode>, rubs: &mut Rubs, workspace: &Workspace) {
        let motion = self.motion(at, workspace);
        rubs.forces.fill(0.0);
        self.each_begun(at.mode, &mut rubs.forces, |grip, forces| {
            let against = self.model.opposed(grip, at.mode, &motion);
            forces.iter_mut().zip(against).for_each(|(force, own)| *force = own);
        });
    }

    /// Makes the forces of contacts that begin to slip, as it would take them to stick, as large as they can be.
    fn shorten(&self, at: At<Mode>, rubs: &mut Rubs, workspace: &mut Workspace) {
        for (own, force) in self.forces_of(at.mode).zip(&rubs.forces) {
            workspace.terms.numbers[self.number_of(own)] = *force;
        }
        let motion = self.motion(at, workspace);
        self.each_begun(at.mode, &mut rubs.forces, |grip, forces| {
            let share = self.model.fullness(grip, at.mode, &motion);
            forces.iter_mut().for_each(|force| *force *= share);
        });
        self.take_friction(&mut workspace.terms);
    }

    /// Writes how a balance of a contact that begins to slip changes with all forces.
    pub(super) fn begin_slopes(
        &self,
        at: At<Mode>,
        (grip, k): (&Grip, usize),
        (slopes, responses): (&mut [f64], &[Response]),
        workspace: &Workspace,
    ) {
        let balance = Quantity::Friction(grip.friction, Rubbing::Balance(k));
        let lift = |values: &[f64]| -> Vec<Dual64> { values.iter().map(|value| Dual64::from(*value)).collect() };
        let [q, v] = [self.positions(), self.velocities()].map(|part| lift(&at.x[part]));
        let numbers = lift(&workspace.terms.numbers);
        for ((own, response), slope) in self.forces_of(at.mode).zip(responses).zip(slopes) {
            let along = |values: &[f64], change: &[f64]| -> Vec<Dual64> {
                let pair = values.iter().zip(change);
                pair.map(|(value, slope)| Dual64::new(*value, *slope)).collect()
            };
            let mut numbers = numbers.clone();
            numbers[self.number_of(own)].eps = 1.0;
            let motion = Motion {
                t: Dual64::from(at.t),
                q: &q,
                v: &v,
                a: &along(&workspace.a, &response.a),
                lambda: &along(&workspace.lambda[..at.mode.rows], &response.lambda),
                numbers: &numbers,
                frames: &self.model.frames,
            };
            *slope = balance.evaluate(&self.model, at.mode, &motion).eps;
        }
    }
}
