//! Memory slots. They follow the numbers, whose count is known at the end only: until then slot k goes by the number
//! FIRST + k.

use super::Build;
use super::site::Site;
use crate::error::Result;
use crate::model::local::Local;
use crate::model::quantity::{Output, Quantity};
use crate::model::{Assignment, Measured, Model, Remembered, Term, Trigger, Variable};
use crate::scene::schema::Number;

/// The number that stands for the first memory slot while the scene is compiled: no model has so many numbers.
pub(super) const FIRST: usize = usize::MAX / 2;

impl Build<'_> {
    /// The named values that events set or that follow rates, which are read at the end.
    pub(super) fn memory(&mut self) -> Result<()> {
        for (name, memory) in self.scene.memory.iter() {
            let site = Site::new(self.file, "memory").at(name);
            // Written alone or with its rate.
            let of_start = if memory.rate.is_some() { site.at("start") } else { site };
            let initial = self.numbers.read(&memory.start, name.to_string(), &of_start)?;
            let slot = self.memory_slots(&[self.numbers.value(initial)]);
            let name = name.to_string();
            self.model.variables.push(Variable {
                name,
                slot,
                initial,
                rate: None,
            });
        }
        Ok(())
    }

    /// The rates of memory, which may name whatever the scene has.
    pub(super) fn memory_rates(&mut self) -> Result<()> {
        for (index, (name, memory)) in self.scene.memory.iter().enumerate() {
            if let Some(text) = &memory.rate {
                let site = Site::new(self.file, "memory").at(name).at("rate");
                let rate = self.output(text, &site)?;
                if let Some(value) = self.value_at_start(&rate).filter(|value| !value.is_finite()) {
                    let message = format!("`{}` is {value} at the start, but must be finite", site.label());
                    let error = site.error(message).with_value(value);
                    return Err(error.advise("give a rate that is finite"));
                }
                self.model.variables[index].rate = Some(self.all_kinks_held(rate, &site)?);
            }
        }
        Ok(())
    }

    /// Whether a number stands for memory that follows a rate.
    pub(super) fn has_rate(&self, number: usize) -> bool {
        let slot = number.checked_sub(FIRST);
        let variable = slot.and_then(|slot| self.model.variables.iter().find(|variable| variable.slot == slot));
        variable.is_some_and(|variable| {
            let written = self.scene.memory.get(&variable.name);
            variable.rate.is_some() || written.is_some_and(|memory| memory.rate.is_some())
        })
    }

    /// Refuses memory that follows a rate where its second derivative by time would be needed.
    pub(super) fn refuse_rates(&self, local: &Local, what: &str, site: &Site) -> Result<()> {
        match local.numbers.iter().any(|&number| self.has_rate(number)) {
            true => site.refuse(
                format!("{what} reads memory that has a rate, which is not possible: its rate may jump"),
                "let a force follow such memory, or let events alone change it",
            ),
            false => Ok(()),
        }
    }

    /// The number that stands for a named memory.
    pub(super) fn memory_named(&self, name: &str) -> Option<usize> {
        let found = self.model.variables.iter().find(|variable| variable.name == name);
        found.map(|variable| FIRST + variable.slot)
    }

    /// Value of a number, or of a memory at the start.
    pub(super) fn number_value(&self, number: usize) -> f64 {
        match number.checked_sub(FIRST) {
            Some(slot) => self.model.memory[slot],
            None => self.numbers.value(number),
        }
    }

    /// What an event puts into a memory.
    pub(super) fn assignment(&mut self, name: &str, value: &Number, site: &Site) -> Result<Assignment> {
        let Some(variable) = self.model.variables.iter().find(|variable| variable.name == name) else {
            let names = self.scene.memory.names();
            return Err(site.at(0).unknown(["memory", "memories"], name, names));
        };
        let slot = variable.slot;
        let value = self.remembered(value, &site.at(1))?;
        Ok(Assignment { slot, value })
    }

    /// What goes into memory for a number as written.
    pub(super) fn remembered(&mut self, value: &Number, site: &Site) -> Result<Remembered> {
        Ok(match value {
            Number::Literal(value) => Remembered::Constant(*value),
            Number::Text(text) => Remembered::Expression(self.output(text, site)?),
        })
    }

    /// Takes memory slots and returns the first.
    pub(super) fn memory_slots(&mut self, initial: &[f64]) -> usize {
        let slot = self.model.memory.len();
        self.model.memory.extend(initial);
        slot
    }
}

/// Replaces what stands for memory slots by the indices of these behind the numbers.
pub(super) fn place(model: &mut Model) {
    let first = model.memory_start();
    let place = |number: &mut usize| {
        if *number >= FIRST {
            *number = *number - FIRST + first;
        }
    };
    let place_all = |local: &mut Local| local.numbers.iter_mut().for_each(place);
    let constraints = model.constraints.iter_mut().map(|element| &mut element.local);
    let forces = model.forces.iter_mut().map(|element| &mut element.local);
    let ratchets = model.contacts.iter_mut().filter_map(|contact| contact.ratchet.as_mut());
    let ratchets = ratchets.map(|ratchet| &mut ratchet.local);
    let frictions = model.frictions.iter_mut().map(|friction| &mut friction.local);
    let all = constraints.chain(forces).chain(ratchets).chain(frictions);
    all.for_each(place_all);
    each_output(model, |output| {
        for quantity in &mut output.arguments {
            match quantity {
                Quantity::Number(number) => place(number),
                Quantity::Marker(placed, ..) => place_all(&mut placed.local),
                Quantity::Distance(a, b) => [a, b].into_iter().for_each(|placed| place_all(&mut placed.local)),
                _ => {}
            }
        }
    });
}

/// Visits every expression of quantities.
fn each_output(model: &mut Model, mut visit: impl FnMut(&mut Output)) {
    model.outputs.iter_mut().for_each(|(_, output)| visit(output));
    model.integrands.iter_mut().for_each(&mut visit);
    let rates = model.variables.iter_mut().filter_map(|variable| variable.rate.as_mut());
    rates.for_each(&mut visit);
    let followed = model.feedback.iter_mut();
    followed.for_each(|feedback| visit(&mut feedback.value));
    model.event_sums.iter_mut().for_each(|sum| visit(&mut sum.value));
    model.peaks.iter_mut().for_each(|peak| visit(&mut peak.value));
    model.readings.iter_mut().for_each(|reading| visit(&mut reading.value));
    for channel in model.fits.iter_mut().flat_map(|fit| &mut fit.channels) {
        if let Measured::Value(output) = &mut channel.of {
            visit(output);
        }
    }
    model.kinks.iter_mut().for_each(|kink| visit(&mut kink.guard));
    for event in &mut model.events {
        if let Trigger::Crossing { guard, .. } = &mut event.trigger {
            visit(guard);
        }
        for assignment in &mut event.assignments {
            if let Remembered::Expression(output) = &mut assignment.value {
                visit(output);
            }
        }
    }
    for term in model.objectives.iter_mut().flat_map(|objective| &mut objective.terms) {
        if let Term::Final { value, .. } = term {
            visit(value);
        }
    }
}
