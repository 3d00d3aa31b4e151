//! Memory: values that jumps change, and that follow rates between them (theory, section 6).

use super::gradient::{MotionDuals, MotionGradient, MotionView};
use super::quantity::{Motion, Output, Quantity};
use super::{Mode, Model};

/// A named memory slot of the scene.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name in the scene.
    pub name: String,
    /// Memory slot.
    pub slot: usize,
    /// Number: value at the start.
    pub initial: usize,
    /// Its rate; without one only jumps change it.
    pub rate: Option<Output>,
}

/// What an event can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settable {
    /// A coordinate.
    Position(usize),
    /// A velocity.
    Velocity(usize),
}

/// A coordinate or velocity that an event sets, to what the event has put into memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Reset {
    /// Name in the scene, such as `P.vx`.
    pub name: String,
    /// The event.
    pub event: usize,
    /// What is set.
    pub of: Settable,
    /// Memory slot of the value.
    pub slot: usize,
}

impl Reset {
    /// Whether a velocity is set, not a position.
    pub fn is_of_velocity(&self) -> bool {
        matches!(self.of, Settable::Velocity(_))
    }
}

/// What a memory slot takes up, read off the motion just before a jump.
#[derive(Clone, Debug)]
pub enum Remembered {
    /// A constant.
    Constant(f64),
    /// A quantity.
    Quantity(Quantity),
    /// The value of an expression.
    Expression(Output),
}

/// A memory slot with what it takes up.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// Memory slot.
    pub slot: usize,
    /// New value.
    pub value: Remembered,
}

impl Assignment {
    /// A slot that takes up a constant.
    pub fn constant(slot: usize, value: f64) -> Self {
        let value = Remembered::Constant(value);
        Self { slot, value }
    }

    /// A slot that takes up a quantity.
    pub fn quantity(slot: usize, quantity: Quantity) -> Self {
        let value = Remembered::Quantity(quantity);
        Self { slot, value }
    }
}

impl Remembered {
    /// Whether accelerations or multipliers are needed.
    pub fn needs_dynamics(&self, model: &Model) -> bool {
        match self {
            Self::Constant(_) => false,
            Self::Quantity(quantity) => quantity.needs_dynamics(),
            Self::Expression(output) => output.needs_dynamics(model),
        }
    }

    /// Value at an instant.
    pub fn evaluate<S: crate::scalar::Scalar>(&self, model: &Model, mode: &Mode, motion: &Motion<S>) -> S {
        match self {
            Self::Constant(value) => S::from(*value),
            Self::Quantity(quantity) => quantity.evaluate(model, mode, motion),
            Self::Expression(output) => output.evaluate_over(model, mode, motion),
        }
    }

    /// Adds weight times the gradient of the value, time held.
    pub fn add_gradient(&self, weight: f64, at: &MotionView, duals: &mut MotionDuals, out: &mut MotionGradient) {
        match self {
            Self::Constant(_) => {}
            Self::Quantity(quantity) => quantity.add_gradient(weight, at, duals, out),
            Self::Expression(output) => output.add_gradient(weight, at, duals, out),
        }
    }
}

impl Model {
    /// Memory slots that follow a rate, with the rates.
    pub fn memory_rates(&self) -> impl Iterator<Item = (usize, &Output)> {
        let variables = self.variables.iter();
        variables.filter_map(|variable| Some((variable.slot, variable.rate.as_ref()?)))
    }

    /// Index of a memory slot in a vector of numbers.
    pub fn memory_number(&self, slot: usize) -> usize {
        self.memory_start() + slot
    }

    /// Gives the slots of variables the values of the numbers that they start at, or what belongs to these, in a vector of
    /// numbers followed by memory.
    pub fn start_variables(&self, numbers: &mut [f64]) {
        for variable in &self.variables {
            numbers[self.memory_number(variable.slot)] = numbers[variable.initial];
        }
    }

    /// The transpose of [`Model::start_variables`]: moves gradients from the slots to the numbers.
    pub fn start_variables_transposed(&self, numbers: &mut [f64]) {
        for variable in &self.variables {
            let weight = std::mem::take(&mut numbers[self.memory_number(variable.slot)]);
            numbers[variable.initial] += weight;
        }
    }
}
