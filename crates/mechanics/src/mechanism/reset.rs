//! Positions and velocities that events set: what contradicts them, and what they leave of the rest (theory, 4.5).

use super::displacement::Displacement;
use super::forced::{combination, listed};
use super::guards::ROUNDING;
use super::impact_problem::{ImpactRow, Origin, Side};
use super::jump::{CLOSED, Next};
use super::resolve::TOUCHING;
use super::start::PENETRATION;
use super::{LinearizedJump, Mechanism, Workspace};
use crate::error::{Error, ErrorKind, Result};
use crate::formulation::select_rows;
use crate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Tangent};
use crate::linear::{Entries, dot, max_abs};
use crate::model::quantity::{Hysteresis, Quantity};
use crate::model::{ContactState, Event, Mode, Reset, Settable};

/// Slope of a gap, over what it is measured by, from which a contact that touches after a reset does so by chance.
const STAYS: f64 = 1e-9;

/// Name of an element, the size of what it remembers in its unit, and the value.
type Remembered = (String, f64, f64);

impl Mechanism {
    /// Rows of the impact for velocities that are set.
    pub(super) fn reset_rows(&self, resets: &[Reset], at: At<Mode>, workspace: &Workspace) -> Vec<ImpactRow> {
        let of_velocity = resets.iter().filter(|reset| reset.is_of_velocity());
        let row = |reset: &Reset| {
            let origin = Origin::Reset {
                velocity: self.velocity_set(reset),
                number: self.model.memory_number(reset.slot),
            };
            self.impact_row(origin, Side::Bilateral, &reset.name, at, workspace)
        };
        of_velocity.map(row).collect()
    }

    /// The velocity that is set, or that moves what is set.
    fn velocity_set(&self, reset: &Reset) -> usize {
        match reset.of {
            Settable::Position(coordinate) => self.model.velocities_behind(coordinate).start,
            Settable::Velocity(velocity) => velocity,
        }
    }

    /// Velocities that are set must be left open by the joints and by each other.
    ///
    /// # Errors
    /// As for [`Mechanism::check_resets`].
    pub(super) fn check_velocities(&self, at: At<Mode>, resets: &[Reset], workspace: &Workspace) -> Result<()> {
        self.check_resets(at, resets.iter().filter(|reset| reset.is_of_velocity()), workspace)
    }

    /// What is set must be left open by the joints and by what else is set.
    ///
    /// # Errors
    /// Kind `Event`, naming the joints that prescribe it.
    fn check_resets<'r>(
        &self,
        at: At<Mode>,
        resets: impl Iterator<Item = &'r Reset>,
        workspace: &Workspace,
    ) -> Result<()> {
        let mut resets = resets.peekable();
        if resets.peek().is_none() {
            return Ok(());
        }
        let mut rows = self.bilateral_rows(at, workspace, |row| row.c_t);
        for reset in resets {
            let unit = Entries::unit(self.velocity_set(reset));
            let others: Vec<usize> = (0..rows.len()).collect();
            if let Some(shares) = combination((at.t, self.model.nv()), &rows, &others, &unit) {
                let names = listed(shares.iter().map(|(i, _)| rows[*i].name.as_str()));
                let verb = if names.contains(" and ") {
                    "prescribe"
                } else {
                    "prescribes"
                };
                let message = format!("`{}` cannot be set: {names} {verb} it", reset.name);
                return Err(self
                    .refused(reset, at.t, message)
                    .advise("set fewer coordinates, or disable what prescribes them in the same event, before it"));
            }
            let origin = Origin::Velocity(self.velocity_set(reset));
            rows.push(ImpactRow::new(unit, 0.0, Side::Bilateral, origin, &reset.name));
        }
        Ok(())
    }

    /// Nothing is set at the start: the scene says how it starts.
    pub(super) fn refuse_at_start(&self, event: &Event, t: f64) -> Result<()> {
        let Some(reset) = event.resets.first() else {
            return Ok(());
        };
        let message = format!("`{}` cannot be set at the start", reset.name);
        Err(self
            .refused(reset, t, message)
            .advise("start with this value, or let the event happen a moment later"))
    }

    fn refused(&self, reset: &Reset, t: f64, message: String) -> Error {
        Error::new(ErrorKind::Event, message)
            .named(self.model.events[reset.event].name.clone())
            .at_time(t)
    }

    /// Moves the next state to the positions that are set and the nearest that joints and lasting contacts allow.
    ///
    /// # Errors
    /// Kind `Event` where there is no such place near, where contacts are penetrated there, and where what remembers
    /// positions would not know how it got there.
    pub(super) fn displace(
        &self,
        resets: &[Reset],
        next: &mut Next,
        workspace: &mut Workspace,
    ) -> Result<Option<Displacement>> {
        let of_position: Vec<&Reset> = resets.iter().filter(|reset| !reset.is_of_velocity()).collect();
        let Some(&first) = of_position.first() else {
            return Ok(None);
        };
        next.mode.refresh(&self.model);
        self.check_resets(next.at(), of_position.iter().copied(), workspace)?;
        let remembered = self.remembering(next.at(), workspace);
        let mut found = self.displaced(next.at(), &of_position, workspace);
        if found.is_none() {
            found = self.displaced_off(&of_position, next, workspace);
        }
        let mut found = found.ok_or_else(|| {
            let message = format!("`{}` cannot be set: the joints do not close there", first.name);
            self.refused(first, next.t, message)
                .advise("set it to a place that the mechanism reaches from where it is, or set more of its coordinates")
        })?;
        let positions = self.positions();
        next.x[positions].copy_from_slice(&found.to);
        let now = self.remembering(next.at(), workspace);
        let moved =
            |((_, size, before), (_, _, after)): &(&Remembered, &Remembered)| (after - before).abs() > CLOSED * size;
        if let Some(((name, ..), _)) = remembered.iter().zip(&now).find(moved) {
            let message = format!("`{}` cannot be set: \"{name}\" remembers how it was moved", first.name);
            return Err(self
                .refused(first, next.t, message)
                .advise(format!("disable \"{name}\" in the same event and enable it afterwards")));
        }
        found.touching = self.touching_after(first, next, workspace)?;
        Ok(Some(found))
    }

    /// The displacement without the contacts that last and do not stick; what does not move then keeps its own.
    fn displaced_off(&self, resets: &[&Reset], next: &mut Next, workspace: &mut Workspace) -> Option<Displacement> {
        let lasting = |state| matches!(state, ContactState::Sliding | ContactState::Carried);
        let lasting: Vec<usize> = next.mode.having(lasting).collect();
        let before = next.mode.contacts.clone();
        let open = |mode: &mut Mode| {
            lasting
                .iter()
                .for_each(|&contact| mode.contacts.set(contact, ContactState::Open));
            mode.refresh(&self.model);
        };
        open(next.mode);
        let free = self
            .displaced(next.at(), resets, workspace)
            .filter(|_| !lasting.is_empty())?;
        let stays = |&i: &usize| {
            let size = self.farthest(next.x, self.model.coordinates[i].kind);
            (free.to[i] - free.from[i]).abs() <= ROUNDING * size
        };
        for &contact in &lasting {
            let gap = &self.model.constraints[self.model.contacts[contact].gap];
            if gap.local.coordinates.iter().all(stays) {
                next.mode.contacts.set(contact, before[contact]);
            }
        }
        next.mode.refresh(&self.model);
        let found = self.displaced(next.at(), resets, workspace);
        Some(found.unwrap_or_else(|| {
            open(next.mode);
            free
        }))
    }

    /// The displacement under the rows of a mode, with the memory loaded.
    fn displaced(&self, at: At<Mode>, resets: &[&Reset], workspace: &mut Workspace) -> Option<Displacement> {
        let mut mode = at.mode.clone();
        self.assemble_constraints(At::new(at.t, &mode, at.x), &mut workspace.terms);
        select_rows(&mut mode, &workspace.terms);
        let targets = resets.iter().filter_map(|reset| match reset.of {
            Settable::Position(coordinate) => Some((coordinate, self.model.memory_number(reset.slot))),
            Settable::Velocity(_) => None,
        });
        let place = (at.t, &at.x[self.positions()]);
        Displacement::find(self, mode, place, targets.collect(), &workspace.terms.numbers)
    }

    /// Elements in force that remember positions, with where they are.
    fn remembering(&self, at: At<Mode>, workspace: &mut Workspace) -> Vec<Remembered> {
        let mut found = Vec::new();
        for (force, element) in self.model.forces.iter().enumerate() {
            if at.mode.forces[force] && self.model.hysteretic(force).is_some() {
                let elongation = Quantity::Hysteretic(force, Hysteresis::Elongation);
                found.push((
                    element.name.clone(),
                    self.sizes.length,
                    self.read(&elongation, at, workspace),
                ));
            }
        }
        for (contact, element) in self.model.contacts.iter().enumerate() {
            if element.ratchet.is_some() && at.mode.contacts[contact] != ContactState::Disabled {
                let size = self.sizes.position(self.gap_kind(contact));
                found.push((
                    element.name.clone(),
                    size,
                    self.read(&Quantity::Gap(contact), at, workspace),
                ));
            }
        }
        found
    }

    /// Contacts that touch after a displacement; those that last there are let go where they do not.
    fn touching_after(&self, reset: &Reset, next: &mut Next, workspace: &mut Workspace) -> Result<Vec<usize>> {
        for contact in 0..next.mode.contacts.len() {
            if matches!(next.mode.contacts[contact], ContactState::Open | ContactState::Away) {
                let state = self.faced(contact, next.at(), workspace);
                next.mode.contacts.set(contact, state);
            }
        }
        self.load(next.at(), &mut workspace.terms);
        let states = next.mode.contacts.clone();
        let enabled = (0..states.len()).filter(|&i| {
            use ContactState::{Away, Disabled, Waiting};
            !matches!(states[i], Disabled | Waiting | Away)
        });
        let found = self.touching(next.at(), enabled.clone(), [TOUCHING, PENETRATION], workspace);
        let found = found.map_err(|(contact, gap)| {
            let name = &self.model.contacts[contact].name;
            let message = format!(
                "`{}` cannot be set: \"{name}\" would be penetrated by {:.3e}",
                reset.name, -gap
            );
            self.refused(reset, next.t, message).with_value(gap).advise(format!(
                "set it to a place on the allowed side, or disable \"{name}\" in the same event"
            ))
        })?;
        let touching: Vec<usize> = found.into_iter().map(|(contact, _)| contact).collect();
        for contact in enabled.filter(|contact| !touching.contains(contact)) {
            next.mode.contacts.set(contact, ContactState::Open);
        }
        next.mode.refresh(&self.model);
        Ok(touching)
    }

    /// What a change of each parameter by its size does, from what the numbers do.
    fn by_parameters(&self, numbers_bar: &[f64]) -> Vec<f64> {
        let parameters = self.model.parameters.iter();
        // One that is zero has the size of what it may be added to.
        let size = |value: f64| {
            if value == 0.0 {
                self.sizes.length.max(1.0)
            } else {
                value.abs()
            }
        };
        let sizes: Vec<f64> = parameters.map(|parameter| size(parameter.value)).collect();
        let mut found = vec![0.0; sizes.len()];
        for (number, weight) in self.model.numbers.iter().zip(numbers_bar) {
            for (parameter, slope) in &number.gradient {
                found[*parameter] += weight * slope * sizes[*parameter];
            }
        }
        found
    }

    /// Contacts that touch after a displacement must do so for nearby motions too: else there is no derivative.
    ///
    /// # Errors
    /// Kind `Event` where one does not.
    pub(super) fn check_touching(
        &self,
        jump: &LinearizedJump,
        after: At<Mode>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let Some(moved) = &jump.displacement else {
            return Ok(());
        };
        let (still, unmoved) = (vec![0.0; jump.x.len()], vec![0.0; self.model.numbers.len()]);
        for &contact in &moved.touching {
            let (mut x_bar, mut numbers_bar) = (still.clone(), unmoved.clone());
            let cotangents = Cotangents::new(&mut x_bar, &mut numbers_bar);
            self.reading_vjp(after, false, workspace, cotangents, &mut |reading, duals, gradient| {
                Quantity::Gap(contact).add_gradient(1.0, reading, duals, gradient);
            })?;
            let gap = x_bar[self.positions()].to_vec();
            let mut numbers_bar = [numbers_bar, vec![0.0; self.model.memory.len()]].concat();
            self.displacement_vjp(jump, workspace, &mut x_bar, &mut numbers_bar);
            self.written_vjp(&jump.written, &mut x_bar, &mut numbers_bar);
            let later = Tangent::new(1.0, &still, &unmoved);
            let mut slope = still.clone();
            self.jump_jvp(jump, &later, workspace, &mut slope);
            let in_time = dot(&gap, &slope[self.positions()]) * self.sizes.length / self.sizes.speed;
            let by_parameters = self.by_parameters(&numbers_bar);
            let memory = numbers_bar.split_off(self.model.memory_start());
            x_bar[self.memory()]
                .iter_mut()
                .zip(memory)
                .for_each(|(slot, weight)| *slot += weight);
            // Changes of the gap, each over the size of what it is by.
            let sized = |values: &[f64]| -> Vec<f64> {
                let size = |i: usize| match after.x[i].abs() {
                    own if self.dynamic().contains(&i) => own.max(self.size(i)),
                    own if own > 0.0 => own,
                    _ => 1.0,
                };
                values.iter().enumerate().map(|(i, value)| value * size(i)).collect()
            };
            let most = max_abs(&sized(&x_bar)).max(max_abs(&by_parameters)).max(in_time.abs());
            if most > STAYS * max_abs(&sized(&gap)).max(self.sizes.position(self.gap_kind(contact))) {
                let name = &self.model.contacts[contact].name;
                let message = format!(
                    "\"{name}\" touches after positions are set, but not when a parameter changes: the motion after it has no \
                     derivative"
                );
                return Err(Error::new(ErrorKind::Event, message)
                    .named(name.clone())
                    .at_time(jump.t)
                    .advise("set the positions so that the contact is open, and let the motion close it"));
            }
        }
        Ok(())
    }
}
