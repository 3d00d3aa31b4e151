//! Expressions of quantities.

use super::{Motion, Quantity};
use crate::expression::Expression;
use crate::linear::pairs_within;
use crate::model::local::Slots;
use crate::model::{Mode, Model};
use crate::scalar::{Dual64, Scalar};

/// Most outputs that one expression may build on, directly or through others.
pub const MAX_EARLIER: usize = 64;

/// Outputs that most expressions build on at most.
const FEW: usize = 4;

/// An expression of quantities; `arguments` follows the expression's variables.
#[derive(Clone, Debug)]
pub struct Output {
    /// The expression.
    pub expression: Expression,
    /// Its variables.
    pub arguments: Vec<Quantity>,
    /// Outputs of the model that it builds on, directly or through others; ascending, at most [`MAX_EARLIER`].
    pub earlier: Vec<usize>,
}

/// A number as which other rooms read outputs. The code for it is compiled here, and not once more by every crate that reads some.
pub trait Readable: Scalar {
    /// Value of an output at an instant.
    fn read(output: &Output, model: &Model, mode: &Mode, motion: &Motion<Self>) -> Self;
}

impl Readable for f64 {
    fn read(output: &Output, model: &Model, mode: &Mode, motion: &Motion<Self>) -> Self {
        output.evaluate_over(model, mode, motion)
    }
}

impl Readable for Dual64 {
    fn read(output: &Output, model: &Model, mode: &Mode, motion: &Motion<Self>) -> Self {
        output.evaluate_over(model, mode, motion)
    }
}

impl Output {
    /// Value at an instant. Every output it builds on is evaluated once.
    pub fn evaluate<S: Readable>(&self, model: &Model, mode: &Mode, motion: &Motion<S>) -> S {
        S::read(self, model, mode, motion)
    }

    /// The same over any scalar.
    pub(crate) fn evaluate_over<S: Scalar>(&self, model: &Model, mode: &Mode, motion: &Motion<S>) -> S {
        if let Some(quantity) = self.only() {
            return quantity.evaluate(model, mode, motion);
        }
        match self.earlier.len() {
            0 => self.evaluate_after(|_| S::from(f64::NAN), model, mode, motion),
            1..=FEW => self.evaluate_in_turn::<S, FEW>(model, mode, motion),
            _ => self.evaluate_in_turn::<S, MAX_EARLIER>(model, mode, motion),
        }
    }

    fn evaluate_in_turn<S: Scalar, const N: usize>(&self, model: &Model, mode: &Mode, motion: &Motion<S>) -> S {
        let mut values = [S::from(0.0); N];
        for (k, &output) in self.earlier.iter().enumerate() {
            let known = |i: usize| self.known(i, &values);
            values[k] = model.outputs[output].1.evaluate_after(known, model, mode, motion);
        }
        self.evaluate_after(|i| self.known(i, &values), model, mode, motion)
    }

    /// The quantity that it is, without a formula around it.
    #[inline]
    pub fn only(&self) -> Option<&Quantity> {
        self.arguments
            .first()
            .filter(|_| self.expression.is_its_first_variable())
    }

    /// Value of an output among those that this one builds on; NaN if it is none of them.
    fn known<S: Scalar>(&self, output: usize, values: &[S]) -> S {
        let place = self.earlier.binary_search(&output);
        place.map_or(S::from(f64::NAN), |k| values[k])
    }

    /// Value at an instant, with the values of the outputs before it.
    pub fn evaluate_next(&self, before: &[f64], model: &Model, mode: &Mode, motion: &Motion<f64>) -> f64 {
        self.evaluate_after(|i| before[i], model, mode, motion)
    }

    /// Value at an instant, with the values of the outputs that it names.
    fn evaluate_after<S: Scalar>(
        &self,
        earlier: impl Fn(usize) -> S,
        model: &Model,
        mode: &Mode,
        motion: &Motion<S>,
    ) -> S {
        let value = |quantity: &Quantity| match quantity {
            Quantity::Output(i) => earlier(*i),
            quantity => quantity.evaluate(model, mode, motion),
        };
        if let [argument] = &self.arguments[..] {
            return self.expression.evaluate(&[value(argument)]);
        }
        let mut values = Slots::new(self.arguments.len(), S::from(0.0));
        pairs_within(&mut values, &self.arguments, |slot, quantity| *slot = value(quantity));
        self.expression.evaluate(&values)
    }

    /// Writes the coordinates whose positions and velocities it is read off, ascending; false where it may need any.
    pub fn coordinates(&self, model: &Model, out: &mut Vec<usize>) -> bool {
        out.clear();
        let are_few = self.quantities(model).all(|quantity| {
            let own = quantity.coordinates(model);
            out.extend(own.unwrap_or_default());
            own.is_some()
        });
        out.sort_unstable();
        out.dedup();
        are_few
    }

    /// Whether accelerations or multipliers are needed.
    pub fn needs_dynamics(&self, model: &Model) -> bool {
        self.quantities(model).any(Quantity::needs_dynamics)
    }

    /// Whether multipliers are needed.
    pub fn needs_multipliers(&self, model: &Model) -> bool {
        self.quantities(model).any(Quantity::needs_multipliers)
    }

    /// Its own variables and those of the outputs it builds on.
    pub fn quantities<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = &'a Quantity> {
        let earlier = self.earlier.iter().flat_map(|&i| &model.outputs[i].1.arguments);
        self.arguments.iter().chain(earlier)
    }
}
