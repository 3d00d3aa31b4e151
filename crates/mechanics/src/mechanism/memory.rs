//! Putting values into memory: all those of a jump at once, read off the motion just before, and their derivatives.

use super::{Mechanism, Workspace};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Cotangents, Tangent};
use crate::linear::dot;
use crate::model::quantity::Quantity;
use crate::model::{Assignment, Mode, Remembered};

/// A memory slot that a jump has written, with the derivatives of its new value at the state before.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub slot: usize,
    /// What it took up.
    pub assigned: Remembered,
    pub value: f64,
    /// Derivative by time, state held.
    pub t: f64,
    /// Gradient by the state.
    pub x: Vec<f64>,
    /// Gradient by the numbers.
    pub numbers: Vec<f64>,
}

impl Written {
    /// Derivative of the new value along a direction.
    pub fn along(&self, along: &Tangent) -> f64 {
        self.t * along.t + dot(&self.x, along.x) + dot(&self.numbers, along.numbers)
    }
}

impl Mechanism {
    /// Moves what belongs to newly written memory on to what it was read off.
    pub(super) fn written_vjp(&self, stage: &[Written], x_bar: &mut [f64], numbers_bar: &mut [f64]) {
        let (memory, state) = (self.model.memory_start(), self.quadratures().end);
        // The values are read all at once: every weight is taken before a gradient is added.
        let weights: Vec<f64> = stage
            .iter()
            .map(|written| {
                let of_number = numbers_bar.get_mut(memory + written.slot).map_or(0.0, std::mem::take);
                std::mem::take(&mut x_bar[state + written.slot]) + of_number
            })
            .collect();
        for (written, weight) in stage.iter().zip(weights) {
            let parts = [(&mut *x_bar, &written.x), (&mut *numbers_bar, &written.numbers)];
            for (slots, gradient) in parts {
                for (slot, slope) in slots.iter_mut().zip(gradient) {
                    *slot += weight * slope;
                }
            }
        }
    }

    /// Writes assignments into a state and the numbers, with values at the state before; a later one of the same slot wins.
    ///
    /// # Errors
    /// Kind `NotFinite` for a value that is not finite; whatever the flow reports where a value needs it.
    pub(super) fn assign(
        &self,
        at: At<Mode>,
        assignments: &[Assignment],
        x: &mut [f64],
        workspace: &mut Workspace,
    ) -> Result<()> {
        let memory = self.quadratures().end;
        for Assignment { slot, value } in assignments {
            if !at.mode.slides.is_empty() || value.needs_dynamics(&self.model) {
                self.evaluate_motion(at, true, workspace)?;
            } else {
                self.load(at, &mut workspace.terms);
            }
            let found = value.evaluate(&self.model, at.mode, &self.motion(at, workspace));
            if !found.is_finite() {
                let message = format!("`{}` would be set to {found}", self.slot_name(*slot));
                return Err(Error::new(ErrorKind::NotFinite, message)
                    .named(self.slot_name(*slot))
                    .at_time(at.t)
                    .with_value(found)
                    .advise("look for a division by zero, or a root or logarithm of a negative number, at that time"));
            }
            x[memory + slot] = found;
        }
        self.load_memory(x, &mut workspace.terms);
        Ok(())
    }

    /// Name of a memory slot for messages.
    fn slot_name(&self, slot: usize) -> &str {
        let variables = self
            .model
            .variables
            .iter()
            .map(|variable| (variable.slot, &variable.name));
        let resets = self.model.events.iter().flat_map(|event| &event.resets);
        let mut all = variables.chain(resets.map(|reset| (reset.slot, &reset.name)));
        all.find(|(known, _)| *known == slot).map_or("memory", |(_, name)| name)
    }

    /// The assignments as written at a state, with their derivatives.
    ///
    /// # Errors
    /// Whatever the flow reports where a value needs it.
    pub(super) fn written(
        &self,
        at: At<Mode>,
        assignments: &[Assignment],
        workspace: &mut Workspace,
    ) -> Result<Vec<Written>> {
        let (still, unmoved) = (vec![0.0; at.x.len()], vec![0.0; self.model.numbers.len()]);
        let later = Tangent::new(1.0, &still, &unmoved);
        let mut written: Vec<Written> = Vec::new();
        for Assignment { slot, value } in assignments {
            let (mut x_bar, mut numbers_bar) = (still.clone(), unmoved.clone());
            let cotangents = Cotangents::new(&mut x_bar, &mut numbers_bar);
            let dynamic = value.needs_dynamics(&self.model);
            self.reading_vjp(at, dynamic, workspace, cotangents, &mut |reading, duals, gradient| {
                value.add_gradient(1.0, reading, duals, gradient);
            })?;
            let slope = self.motion_along(at, &later, dynamic, workspace)?;
            let found = value.evaluate(&self.model, at.mode, &slope);
            written.retain(|earlier| earlier.slot != *slot);
            written.push(Written {
                slot: *slot,
                assigned: value.clone(),
                value: found.re,
                t: found.eps,
                x: x_bar,
                numbers: numbers_bar,
            });
        }
        Ok(written)
    }

    /// Value of a quantity that reads no accelerations and multipliers.
    pub(super) fn read(&self, quantity: &Quantity, at: At<Mode>, workspace: &mut Workspace) -> f64 {
        self.load(at, &mut workspace.terms);
        quantity.evaluate(&self.model, at.mode, &self.motion(at, workspace))
    }
}
