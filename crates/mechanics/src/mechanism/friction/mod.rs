//! Friction at closed contacts and in joints (theory, 4.9): the forces for which what slips rubs as much as it is pressed, and
//! what sticks stays where it is. Accelerations and multipliers are affine in these forces, so that the factors of the
//! motion without friction give all of them, and their derivatives.

mod acts;
mod arrest;
mod begin;
mod blocked;
mod faults;
mod footings;
mod from_rest;
mod grasp;
mod grips;
pub(super) mod impact;
mod impulses;
mod independent;
mod joining;
mod joints;
mod outcome;
mod reach;
mod refusal;
mod reported;
mod rounding;
pub(super) mod scratch;
mod shares;
mod slip_ends;
mod solved;
mod space;
pub(super) mod stage;
mod stage_slopes;
mod standing;
mod struck;
mod struck_feet;
mod trial;
mod turning;

use std::f64::consts::FRAC_PI_4;

use super::jacobian::HandOn;
use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::formulation::Wanted;
use crate::hybrid::{At, Tangent};
use crate::linear::{add_scaled, dot, max_abs};
use crate::model::quantity::{Quantity, Rubbing};
use crate::model::{Grip, Hold, Mode, Press, Terms};
use crate::scalar::Dual64;
use scratch::{Pivot, Rubs};

/// Most steps of Newton's method.
const MOST_STEPS: usize = 60;

/// Angles from the accelerations without friction, in eighths of a turn, at which slip is taken to begin where Newton's method does not end
/// from elsewhere.
const TURNS: [f64; 8] = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0];

/// Change of the forces, over the largest so far, from which one that no longer shrinks is rounding.
const CONVERGED: f64 = 1e-10;

impl Mechanism {
    /// Takes all friction forces away.
    #[inline]
    pub(super) fn take_friction(&self, terms: &mut Terms) {
        for friction in &self.model.frictions {
            friction.numbers.iter().for_each(|&number| terms.numbers[number] = 0.0);
        }
    }

    /// The numbers that the friction forces of a mode are, one after the other, each by its components.
    fn forces_of<'a>(&'a self, mode: &'a Mode) -> impl Iterator<Item = (&'a Grip, usize)> + Clone {
        (mode.grips.iter())
            .flat_map(|grip| (0..self.model.frictions[grip.friction].numbers.len()).map(move |k| (grip, k)))
    }

    /// The number of a friction force.
    fn number_of(&self, (grip, k): (&Grip, usize)) -> usize {
        self.model.frictions[grip.friction].numbers[k]
    }

    /// Adds the friction forces to the motion without them, which has been evaluated at a state with these multipliers.
    ///
    /// # Errors
    /// Kind `Singular` where they are not unique.
    pub(super) fn rub(&self, at: At<Mode>, wanted: Wanted, workspace: &mut Workspace) -> Result<()> {
        let mut rubs = std::mem::take(&mut workspace.rubs);
        let found = self.find_forces((at, wanted), &mut rubs, workspace);
        workspace.rubs = rubs;
        found
    }

    /// Newton's method from the motion without friction: one step, but where friction depends on the magnitude of a reaction, or the
    /// direction of slip on the force.
    fn find_forces(&self, (at, wanted): (At<Mode>, Wanted), rubs: &mut Rubs, workspace: &mut Workspace) -> Result<()> {
        let grips = &at.mode.grips;
        let count = self.forces_of(at.mode).count();
        rubs.resize(count, self.model.nv(), at.mode.rows);
        for (i, own) in self.forces_of(at.mode).enumerate().filter(|(_, own)| bears(own)) {
            self.respond((at, wanted), own, i, rubs, workspace);
            self.check_locking(at, own.0, &rubs.responses[i], workspace)?;
        }
        let begins = grips.iter().any(|grip| grip.hold == Hold::SlipBegins);
        if !begins {
            return self.newton(at, 0.0, rubs, workspace);
        }
        let first = self.begin_slip(at, rubs, workspace);
        let found = first.and_then(|first| self.newton(at, first, rubs, workspace));
        let together = |grip: &Grip| grip.hold == Hold::SlipBegins && self.model.is_foot(grip, at.mode);
        if found.is_ok() || grips.iter().any(together) {
            return found;
        }
        found.or_else(|error| {
            let mut turns = TURNS.into_iter();
            let opposed = |turn| {
                let first = self.oppose((at, turn * FRAC_PI_4), rubs, workspace).ok()?;
                self.newton(at, first, rubs, workspace).ok()
            };
            turns.find_map(opposed).ok_or(error)
        })
    }

    /// Newton's method from forces of this size.
    fn newton(&self, at: At<Mode>, first: f64, rubs: &mut Rubs, workspace: &mut Workspace) -> Result<()> {
        let is_linear = at.mode.grips.iter().all(|grip| self.is_linear(grip));
        let (mut size, mut last) = (first, f64::INFINITY);
        for _ in 0..MOST_STEPS {
            self.linearize_balances(at, at.mode, rubs, workspace)?;
            rubs.solve();
            self.add_forces(at, rubs, workspace);
            let change = max_abs(&rubs.forces);
            size = size.max(change);
            // Without change, or where rounding is all that is left.
            if is_linear || change <= CONVERGED * size && change >= 0.5 * last || change <= f64::EPSILON * size {
                return self.check_begun(at, rubs, size, workspace);
            }
            last = change;
        }
        Err(self.unsettled(at))
    }

    /// Whether the balance of a contact or joint is linear in the friction forces.
    fn is_linear(&self, grip: &Grip) -> bool {
        match (grip.hold, self.model.frictions[grip.friction].press()) {
            (Hold::SlipBegins, _) => false,
            (Hold::Stick, _) if grip.shares() => false,
            (hold, Some(Press::Pin { .. } | Press::Bearing(_))) => !hold.slips(),
            (hold, Some(Press::Guide { .. } | Press::Sleeve { .. })) => !hold.slips() || grip.sides != [0; 2],
            _ => true,
        }
    }

    /// Writes the balances at the motion with the forces found so far, and inverts their derivatives by the forces; `by` tells how what
    /// rubs holds.
    fn linearize_balances(&self, at: At<Mode>, by: &Mode, rubs: &mut Rubs, workspace: &mut Workspace) -> Result<()> {
        let n = rubs.responses.len();
        let motion = self.motion(at, workspace);
        let ([mut balances, mut by_loads], mut loads) = Default::default();
        for (i, (grip, k)) in self.forces_of(by).enumerate() {
            if k == 0 {
                [balances, by_loads] = self.model.balances(grip, by, &motion);
                loads = self.model.press_slopes(grip, by, &motion);
            }
            rubs.balances[i] = balances[k];
            if grip.shares() {
                self.share_slopes(grip, by, &motion, (&mut rubs.by_force[i * n..][..n], &rubs.responses));
                continue;
            }
            if grip.hold == Hold::SlipBegins {
                self.begin_slopes(
                    at,
                    (grip, k),
                    (&mut rubs.by_force[i * n..][..n], &rubs.responses),
                    workspace,
                );
                continue;
            }
            let by_load = by_loads[k];
            let across = match grip.hold {
                Hold::Stick if grip.turns => self.model.turning_direction(grip, by, &motion),
                _ => [0.0; 2],
            };
            for (j, response) in rubs.responses.iter().enumerate() {
                let own = f64::from(u8::from(i == j));
                let load = loads.iter().flatten().map(|&(row, slope)| slope * response.lambda[row]);
                rubs.by_force[i * n + j] = match grip.hold {
                    Hold::Stick if grip.turns => match k {
                        0 => [across[1], -across[0]].get(j.wrapping_sub(i)).copied().unwrap_or(0.0),
                        _ => (across.iter().zip(&rubs.responses[i - 1..]))
                            .map(|(part, own)| part * dot(&own.force, &response.a))
                            .sum(),
                    },
                    Hold::Stick if grip.carries() => dot(&rubs.responses[i].force, &response.a),
                    hold if hold.slips() => own + by_load * load.sum::<f64>(),
                    _ => own,
                };
            }
        }
        let pivot_of = |(grip, _): (&Grip, usize)| match grip.hold {
            Hold::SlipBegins if grip.carries() && self.model.stands(grip, by) => Pivot::Exchanged,
            Hold::Stick if grip.turns => Pivot::Exchanged,
            Hold::SlipBegins => Pivot::Begun(grip.friction),
            Hold::Stick => Pivot::Relative,
            _ => Pivot::Absolute,
        };
        rubs.invert(self.forces_of(by).map(pivot_of))
            .map_err(|(i, pivot)| match self.forces_of(by).nth(i) {
                Some((grip, _)) => self.jams(grip, pivot, at, rubs, workspace),
                None => self.unsettled(at),
            })
    }

    /// Adds changes of the friction forces to the motion.
    fn add_forces(&self, at: At<Mode>, rubs: &Rubs, workspace: &mut Workspace) {
        let Workspace { terms, a, lambda, .. } = workspace;
        rubs.add_responses(a, &mut lambda[..at.mode.rows]);
        for ((own, response), &force) in self.forces_of(at.mode).zip(&rubs.responses).zip(&rubs.forces) {
            terms.numbers[self.number_of(own)] += force;
            add_scaled(&mut terms.force, force, &response.force);
        }
    }

    /// Acceleration along the surface for a unit friction force, at the motion evaluated last.
    fn yields(&self, friction: usize, at: At<Mode>, workspace: &Workspace) -> f64 {
        let own = (self.forces_of(at.mode).enumerate()).filter(|(_, (grip, _))| grip.friction == friction);
        own.map(|(i, _)| workspace.rubs.responses[i].yields())
            .fold(0.0, f64::max)
    }

    /// Acceleration along the freedom of a joint for a unit force, where nothing holds what has mass.
    fn mobility(&self, friction: usize, at: At<Mode>, workspace: &Workspace) -> f64 {
        let mass = &workspace.terms.mass;
        let by_row = |row: Vec<f64>| -> f64 {
            let entries = row.iter().enumerate();
            let shares = entries.map(|(i, entry)| entry * entry / mass.row(i).entry(i));
            shares.filter(|share| share.is_finite()).sum()
        };
        let rows = self.dense_slip_rows(friction, at, workspace);
        rows.into_iter().map(by_row).fold(0.0, f64::max)
    }

    /// Writes what a unit force does at the factored state.
    fn respond(
        &self,
        (at, wanted): (At<Mode>, Wanted),
        own: (&Grip, usize),
        i: usize,
        rubs: &mut Rubs,
        workspace: &mut Workspace,
    ) {
        let Workspace { terms, formulation, .. } = workspace;
        let Rubs {
            responses,
            zeros,
            by_coordinates,
            ..
        } = rubs;
        let response = &mut responses[i];
        self.unit_friction(
            (own.0.friction, own.1),
            at,
            terms,
            (&mut response.force, by_coordinates),
        );
        formulation.respond(
            at.mode,
            terms,
            (&response.force, zeros),
            &mut response.a,
            (wanted, &mut response.lambda),
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
        let mut balances = [Dual64::from(0.0); 3];
        for (balance, (grip, k)) in rubs.balances.iter_mut().zip(self.forces_of(at.mode)) {
            if k == 0 {
                [balances, _] = self.model.balances(grip, at.mode, &motion);
            }
            *balance = balances[k].eps;
        }
        rubs.solve();
        rubs.add_responses(&mut workspace.da, &mut workspace.dlambda[..at.mode.rows]);
        for (own, change) in self.forces_of(at.mode).zip(&rubs.forces) {
            workspace.numbers[self.number_of(own)] = *change;
        }
        workspace.rubs = rubs;
    }

    /// Hands on what unit friction forces do to the motion, each with the gradient of the size of the force by the state.
    ///
    /// # Errors
    /// As for the motion there.
    pub(super) fn forces_by_friction(
        &self,
        at: At<Mode>,
        workspace: &mut Workspace,
        hand_on: &mut HandOn,
    ) -> Result<()> {
        if at.mode.grips.is_empty() {
            return Ok(());
        }
        self.evaluate_motion(at, true, workspace)?;
        for (i, own) in self.forces_of(at.mode).enumerate().filter(|(_, own)| bears(own)) {
            let number = self.number_of(own);
            self.with_gradient_row(workspace, |workspace, cotangents| {
                self.motion_vjp(at, None, workspace, cotangents, &mut |_, _, gradient| {
                    gradient.numbers[number] += 1.0;
                });
                Ok(())
            })?;
            hand_on(&workspace.rubs.responses[i].force, &workspace.column);
        }
        Ok(())
    }

    /// Moves what belongs to the friction forces in a gradient of the motion on to what these follow from.
    pub(super) fn rub_vjp(&self, at: At<Mode>, workspace: &mut Workspace) {
        if at.mode.grips.is_empty() {
            return;
        }
        let mut rubs = std::mem::take(&mut workspace.rubs);
        self.add(at, workspace, &mut |reading, duals, gradient| {
            for ((own, response), slot) in self.forces_of(at.mode).zip(&rubs.responses).zip(&mut rubs.forces) {
                *slot = gradient.numbers[self.number_of(own)];
                if bears(&own) {
                    *slot += dot(gradient.a, &response.a) + dot(gradient.lambda, &response.lambda);
                }
            }
            rubs.solve_transposed();
            for ((grip, k), &weight) in self.forces_of(at.mode).zip(&rubs.balances) {
                let balance = Quantity::Friction(grip.friction, Rubbing::Balance(k));
                balance.add_gradient(weight, reading, duals, gradient);
            }
            for own in self.forces_of(at.mode) {
                gradient.numbers[self.number_of(own)] = 0.0;
            }
        });
        workspace.rubs = rubs;
    }
}

/// Whether a contact or joint has a force of its own: contacts that stick with another have none.
fn bears((grip, _): &(&Grip, usize)) -> bool {
    grip.carries()
}
