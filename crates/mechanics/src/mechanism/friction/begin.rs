//! The beginning of slip in space (theory, 4.14): its direction is that of the acceleration, which depends on the force itself.

use super::scratch::{Response, Rubs};
use crate::error::Result;
use crate::hybrid::At;
use crate::linear::max_abs;
use crate::mechanism::{Mechanism, Workspace};
use crate::model::quantity::{Motion, Quantity, Rubbing};
use crate::model::tangential::{direction, inner};
use crate::model::{Grip, Hold, Mode};
use crate::scalar::Dual64;

/// Deviation of forces from each other, and of what was left out of the balances, up to which they agree.
const OPEN: f64 = 1e-9;

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
        self.linearize_balances(at, &sticking, rubs, workspace)?;
        rubs.solve();
        self.shorten(at, rubs, workspace);
        self.add_forces(at, rubs, workspace);
        Ok(max_abs(&rubs.forces))
    }

    /// Where feet that begin each by itself leave a tension between them open, there is none: their forces are parallel, and the balances
    /// that were left out hold as well (theory, after 4.20).
    ///
    /// # Errors
    /// Kind `Singular` where they do not.
    pub(super) fn check_begun(&self, at: At<Mode>, rubs: &Rubs, size: f64, workspace: &Workspace) -> Result<()> {
        if let Some((i, pivot)) = rubs.jammed
            && let Some((grip, _)) = self.forces_of(at.mode).nth(i)
        {
            return Err(self.jams(grip, pivot, at, rubs, workspace));
        }
        let n = rubs.forces.len();
        let motion = self.motion(at, workspace);
        let force = |grip: &Grip| self.model.friction_numbers(grip.friction, &motion);
        let holds = |i: usize| rubs.balances[i].abs() <= OPEN * size * max_abs(&rubs.by_force[i * n..][..n]);
        let is_settled = |&i: &usize| {
            let (own, _) = self.forces_of(at.mode).nth(i)?;
            let others = at
                .mode
                .grips
                .iter()
                .filter(|grip| *grip != own && grip.hold == Hold::SlipBegins);
            let cosine = |other: &Grip| inner(direction(force(own)), direction(force(other)));
            let mut balances = (self.forces_of(at.mode).enumerate()).filter(|(_, (grip, _))| *grip == own);
            (balances.all(|(i, _)| holds(i)) && others.map(cosine).any(|cosine| cosine >= 1.0 - OPEN)).then_some(())
        };
        if rubs.open.iter().all(|i| is_settled(i).is_some()) {
            return Ok(());
        }
        Err(self.unsettled(at))
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

    /// Adds forces from which it finds those that it does not find so, as of feet that cannot all stick: as large as they can be, against
    /// the accelerations without friction or at an angle to them. What has been added before is taken away.
    ///
    /// # Errors
    /// Kind `Singular` where these are not unique.
    pub(super) fn oppose(
        &self,
        (at, turn): (At<Mode>, f64),
        rubs: &mut Rubs,
        workspace: &mut Workspace,
    ) -> Result<f64> {
        for (own, force) in self.forces_of(at.mode).zip(&mut rubs.forces) {
            *force = -workspace.terms.numbers[self.number_of(own)];
        }
        self.add_forces(at, rubs, workspace);
        self.take_friction(&mut workspace.terms);
        let mut opposed = at.mode.clone();
        let motion = self.motion(at, workspace);
        for grip in opposed.grips.iter_mut().filter(|grip| grip.hold == Hold::SlipBegins) {
            let held = self.model.onward_direction(grip.friction, turn, &motion);
            *grip = Grip {
                held,
                ..Grip::new(grip.friction, grip.friction, Hold::SlipEnds)
            };
        }
        self.linearize_balances(at, &opposed, rubs, workspace)?;
        rubs.solve();
        self.add_forces(at, rubs, workspace);
        Ok(max_abs(&rubs.forces))
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
