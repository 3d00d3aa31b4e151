//! Kinks of what is integrated over time: each is held on a side, which is a memory slot that an event changes.

use super::Build;
use super::memory::FIRST;
use super::site::Site;
use crate::error::Result;
use crate::model::quantity::{Output, Quantity};
use crate::model::{Kink, Rest};

/// Most kinks of one expression: each is a guard that reads all of it.
const MOST_KINKS: usize = 500;

impl Build<'_> {
    /// An expression whose kinks are held, of quantities as written; its sides follow them, as numbers.
    pub(super) fn kinks_held(&mut self, written: Output, site: &Site) -> Result<Output> {
        let written = self.with_signed_reactions(written);
        let varies: Vec<bool> = written
            .arguments
            .iter()
            .map(|quantity| self.varying(quantity))
            .collect();
        self.mark_kinks(&written);
        let held = written.expression.held(|variable| varies[variable]);
        let count = held.guards.len();
        if count > MOST_KINKS {
            let message = format!("the expression has {count} kinks; at most {MOST_KINKS} are possible");
            return site.refuse(message, "make several expressions of it");
        }
        let (owner, of) = (site.owner(), site.element().to_string());
        // Objectives at events count by names.
        let taken = self.scene.events.get(&of).is_some() || self.scene.contacts.get(&of).is_some();
        let name = if taken { format!("kink of {of}") } else { of.clone() };
        // The time stays nowhere.
        let moves = |quantity: &Quantity| match quantity {
            Quantity::Time => false,
            Quantity::Number(number) => *number >= FIRST,
            _ => true,
        };
        let may_stay = written.arguments.iter().any(moves);
        let mut output = Output {
            expression: held.expression,
            ..written
        };
        for (expression, at_zero) in held.guards.into_iter().zip(held.at_zero) {
            let slot = self.memory_slots(&[1.0]);
            output.arguments.push(Quantity::Number(FIRST + slot));
            let guard = Output {
                expression,
                ..output.clone()
            };
            if self.value_at_start(&guard).is_some_and(|value| value < 0.0) {
                self.model.memory[slot] = -1.0;
            }
            let rest = at_zero.filter(|_| may_stay).map(|side| Rest {
                slot: self.memory_slots(&[0.0]),
                side,
            });
            let (name, of) = (name.clone(), of.clone());
            self.model.kinks.push(Kink {
                name,
                owner,
                of,
                slot,
                guard,
                rest,
            });
        }
        Ok(output)
    }

    /// Notes the kinks that parameters hold in an expression of quantities.
    pub(super) fn mark_kinks(&mut self, output: &Output) {
        let fixed = |quantity: &Quantity| match quantity {
            Quantity::Number(number) if *number < FIRST => Some(*number),
            _ => None,
        };
        let numbers: Vec<Option<usize>> = output.arguments.iter().map(fixed).collect();
        self.numbers.mark_kinks(&output.expression, &numbers);
    }

    /// The magnitudes of reactions that have a sign, as `abs` of these.
    pub(super) fn with_signed_reactions(&self, mut written: Output) -> Output {
        for (variable, quantity) in written.arguments.iter_mut().enumerate() {
            let Quantity::Reaction(group, part) = quantity else {
                continue;
            };
            if let Some(signed) = self.model.signed_part(*group, *part) {
                *part = signed;
                written.expression = written.expression.of_magnitude(variable);
            }
        }
        written
    }

    /// As [`Build::kinks_held`], with the outputs that it builds on.
    pub(super) fn all_kinks_held(&mut self, written: Output, site: &Site) -> Result<Output> {
        for &index in &written.earlier {
            let (name, output) = self.model.outputs[index].clone();
            self.model.outputs[index].1 = self.kinks_held(output, &Site::new(self.file, "outputs").at(name))?;
        }
        self.kinks_held(written, site)
    }

    /// Value at the start, unless it depends on the motion.
    pub(super) fn value_at_start(&self, output: &Output) -> Option<f64> {
        let value = |quantity: &Quantity| match quantity {
            Quantity::Time => Some(self.start),
            Quantity::Number(number) => Some(self.number_value(*number)),
            _ => None,
        };
        let values: Option<Vec<f64>> = output.arguments.iter().map(value).collect();
        Some(output.expression.evaluate(&values?))
    }
}
