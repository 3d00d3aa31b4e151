//! What goes into memory, and when: variables, springs with hysteresis, ratchets (theory, 6.1).

use super::jump::Next;
use super::{Mechanism, Watch, Workspace};
use crate::error::Result;
use crate::hybrid::{At, Differentiable, HybridSystem, Tangent};
use crate::in_dimension;
use crate::model::quantity::{Hysteresis, Latching, Quantity};
use crate::model::{Assignment, Mode};

impl Mechanism {
    /// What memory takes up at the start: the variables, and what springs without history remember.
    pub(super) fn first_memory(&self) -> Vec<Assignment> {
        let variables = self.model.variables.iter();
        let mut found: Vec<Assignment> = variables
            .map(|variable| Assignment::quantity(variable.slot, Quantity::Number(variable.initial)))
            .collect();
        for force in 0..self.model.forces.len() {
            found.extend(self.without_history(force));
        }
        found.extend((0..self.model.contacts.len()).filter_map(|contact| self.ratchet_takes(contact, Latching::Catch)));
        found
    }

    /// Puts the sides of kinks into memory; those within others come first. Those that need accelerations or multipliers wait
    /// until the state is settled. An argument that is zero counts as what it becomes.
    ///
    /// # Errors
    /// As for the guards.
    pub(super) fn take_sides(
        &self,
        next: &mut Next,
        settled: bool,
        workspace: &mut Workspace,
    ) -> Result<Vec<Assignment>> {
        let mut sides = Vec::new();
        for (i, kink) in self.model.kinks.iter().enumerate() {
            let (place, guard) = (self.quadratures().end + kink.slot, self.kink_guard(i));
            if settled || !kink.guard.needs_dynamics(&self.model) {
                next.x[place] = 1.0;
                let mut value = self.guard(guard, next.at(), workspace)?;
                if settled && value.abs() <= self.rounding(guard, 0.0, next.at(), workspace) {
                    let (mut flow, still) = (vec![0.0; next.x.len()], vec![0.0; self.numbers()]);
                    self.flow(next.at(), workspace, &mut flow)?;
                    value = self.guard_jvp(guard, next.at(), &Tangent::new(1.0, &flow, &still), workspace)?;
                }
                next.x[place] = if value < 0.0 { -1.0 } else { 1.0 };
            }
            sides.push(Assignment::constant(kink.slot, next.x[place]));
        }
        self.load_memory(next.x, &mut workspace.terms);
        if settled {
            self.slide_at_start(next, workspace)?;
            self.rest_sides(next, &mut sides, workspace);
        }
        Ok(sides)
    }

    /// What a ratchet takes up when it begins to hold, or when its pawl falls behind the next tooth; nothing for other
    /// contacts.
    pub(super) fn ratchet_takes(&self, contact: usize, part: Latching) -> Option<Assignment> {
        let slot = self.model.ratchet(contact)?.slot;
        Some(Assignment::quantity(slot, Quantity::Ratchet(contact, part)))
    }

    /// What a hysteretic spring takes up when it begins to act; nothing for other forces.
    pub(super) fn without_history(&self, force: usize) -> Vec<Assignment> {
        let Some(spring) = self.model.hysteretic(force) else {
            return Vec::new();
        };
        let of = |part| Quantity::Hysteretic(force, part);
        let [elongation, tension, direction, ..] = spring.slots;
        vec![
            Assignment::quantity(elongation, of(Hysteresis::Elongation)),
            Assignment::quantity(tension, of(Hysteresis::Virgin)),
            Assignment::constant(direction, 1.0),
        ]
    }

    /// What a hysteretic spring takes up when it stops to act; nothing for other forces.
    pub(super) fn history(&self, force: usize) -> Option<Assignment> {
        let spring = self.model.hysteretic(force)?;
        let work = Quantity::Hysteretic(force, Hysteresis::Work);
        Some(Assignment::quantity(spring.slots[3], work))
    }

    /// What a hysteretic spring takes up when its elongation turns round.
    pub(super) fn reversal(&self, force: usize, x: &[f64]) -> Vec<Assignment> {
        let Some(spring) = self.model.hysteretic(force) else {
            return Vec::new();
        };
        let of = |part| Quantity::Hysteretic(force, part);
        let slot = |slot: usize| Quantity::Number(self.model.memory_number(slot));
        let [elongation, tension, direction, last, before, first] = spring.slots;
        vec![
            Assignment::quantity(elongation, of(Hysteresis::Elongation)),
            Assignment::quantity(tension, of(Hysteresis::Tension)),
            Assignment::constant(direction, -x[self.quadratures().end + direction]),
            Assignment::quantity(last, of(Hysteresis::Work)),
            Assignment::quantity(before, slot(last)),
            Assignment::quantity(first, slot(before)),
        ]
    }

    /// Gives springs that have just begun to act the direction in which they go on: that of the velocity, at rest that of
    /// the acceleration.
    ///
    /// # Errors
    /// As for the flow.
    pub(super) fn aim(&self, next: &mut Next, forces: &[usize], workspace: &mut Workspace) -> Result<()> {
        let noise = self.noise(next.x);
        for &force in forces {
            let Some(spring) = self.model.hysteretic(force) else {
                continue;
            };
            let mut direction = self.read(&Quantity::Hysteretic(force, Hysteresis::Loading), next.at(), workspace);
            if direction.abs() <= noise {
                self.evaluate_motion(next.at(), false, workspace)?;
                let local = &self.model.forces[force].local;
                let motion = self.motion(next.at(), workspace);
                let (q, v) = (local.pick(motion.q), motion.rates(local));
                let a = local.coordinates_by(|i| motion.acceleration(i));
                let numbers = local.pick_numbers(motion.numbers);
                direction =
                    in_dimension!(self.model.dimension, D => spring.measure.acceleration::<D>(&q, &v, &a, &numbers));
            }
            next.x[self.memory().start + spring.slots[2]] = if direction < 0.0 { -1.0 } else { 1.0 };
        }
        self.load_memory(next.x, &mut workspace.terms);
        Ok(())
    }

    /// What springs whose elongation an impact has turned round take up; those whose reversal has fired have just done so.
    pub(super) fn turned_round(
        &self,
        at: At<Mode>,
        fired: &[usize],
        workspace: &mut Workspace,
    ) -> Vec<(usize, Vec<Assignment>)> {
        let At { mode, x, .. } = at;
        let noise = self.noise(x);
        let reversed = |force: usize| fired.iter().any(|&guard| self.watch(guard) == Watch::Reversal(force));
        let hysteretic =
            |&force: &usize| mode.force_acts(force) && self.model.hysteretic(force).is_some() && !reversed(force);
        let forces: Vec<usize> = (0..self.model.forces.len()).filter(hysteretic).collect();
        let turned = forces.into_iter().filter(|&force| {
            let loading = Quantity::Hysteretic(force, Hysteresis::Loading);
            self.read(&loading, at, workspace) < -noise
        });
        turned.map(|force| (force, self.reversal(force, x))).collect()
    }
}
