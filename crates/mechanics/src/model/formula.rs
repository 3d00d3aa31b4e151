//! Formulas of other objectives and of parameters.

use crate::expression::Expression;
use crate::scalar::{Dual64, Scalar};

/// A formula of other objectives: an expression, or the sum of the squares of several.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Name of the objective that it belongs to.
    pub objective: String,
    /// The expression, or those that are squared.
    pub parts: Vec<FormulaPart>,
    /// Whether the parts are residuals, the squares of which are summed.
    pub squared: bool,
}

/// An expression of objectives and numbers.
#[derive(Clone, Debug)]
pub struct FormulaPart {
    /// The expression.
    pub expression: Expression,
    /// What its variables are.
    pub arguments: Vec<FormulaArgument>,
}

/// What a variable of a formula is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormulaArgument {
    /// The value of the objective with this index.
    Objective(usize),
    /// A number.
    Number(usize),
}

impl FormulaPart {
    /// Its value, from those of all objectives and numbers.
    pub fn evaluate<S: Scalar>(&self, values: &[S], numbers: &[S]) -> S {
        self.expression.evaluate(&self.read(values, numbers))
    }

    fn read<S: Scalar>(&self, values: &[S], numbers: &[S]) -> Vec<S> {
        let read = |argument: &FormulaArgument| match *argument {
            FormulaArgument::Objective(objective) => values[objective],
            FormulaArgument::Number(number) => numbers[number],
        };
        self.arguments.iter().map(read).collect()
    }

    /// Derivatives by its arguments.
    pub fn slopes(&self, values: &[f64], numbers: &[f64]) -> Vec<f64> {
        slopes(&self.expression, &self.read(values, numbers))
    }

    /// Whether a kink lies here, within errors of the objectives.
    fn is_at_kink(&self, values: &[f64], numbers: &[f64], error: &impl Fn(usize) -> f64) -> bool {
        let mut known = self.read(values, numbers);
        let error = |argument: &FormulaArgument| match *argument {
            FormulaArgument::Objective(objective) => error(objective),
            FormulaArgument::Number(_) => 0.0,
        };
        for guard in self.expression.held(|_| true).guards {
            known.push(1.0);
            let slopes = slopes(&guard, &known);
            // Sides are no arguments: they are exact, and what they decide is held.
            let arguments = slopes.iter().zip(&self.arguments);
            let uncertain = arguments.map(|(slope, argument)| slope.abs() * error(argument));
            let value = guard.evaluate(&known);
            let varies = slopes.iter().take(self.arguments.len()).any(|slope| *slope != 0.0);
            if varies && value.abs() <= uncertain.sum() {
                return true;
            }
            if let Some(side) = known.last_mut() {
                *side = if value < 0.0 { -1.0 } else { 1.0 };
            }
        }
        false
    }
}

impl Formula {
    /// Its value, from those of all objectives and numbers.
    pub fn evaluate<S: Scalar>(&self, values: &[S], numbers: &[S]) -> S {
        let parts = self.parts.iter().map(|part| part.evaluate(values, numbers));
        parts.fold(S::from(0.0), |sum, part| {
            sum + if self.squared { part * part } else { part }
        })
    }

    /// Derivatives by its arguments.
    pub fn slopes(&self, values: &[f64], numbers: &[f64]) -> Vec<(FormulaArgument, f64)> {
        let mut found = Vec::new();
        for part in &self.parts {
            let outer = if self.squared {
                2.0 * part.evaluate(values, numbers)
            } else {
                1.0
            };
            let slopes = part.slopes(values, numbers).into_iter().map(|slope| outer * slope);
            found.extend(part.arguments.iter().copied().zip(slopes));
        }
        found
    }

    /// The text of a part that has a kink here, within these errors of the values of objectives.
    pub fn kink(&self, values: &[f64], numbers: &[f64], error: impl Fn(usize) -> f64) -> Option<&str> {
        let mut parts = self.parts.iter();
        let found = parts.find(|part| part.is_at_kink(values, numbers, &error))?;
        Some(found.expression.text())
    }

    /// The numbers that it reads.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        self.arguments().filter_map(|argument| match argument {
            FormulaArgument::Number(number) => Some(number),
            FormulaArgument::Objective(_) => None,
        })
    }

    /// The objectives that it names.
    pub fn objectives(&self) -> impl Iterator<Item = usize> {
        self.arguments().filter_map(|argument| match argument {
            FormulaArgument::Objective(objective) => Some(objective),
            FormulaArgument::Number(_) => None,
        })
    }

    fn arguments(&self) -> impl Iterator<Item = FormulaArgument> {
        self.parts.iter().flat_map(|part| part.arguments.iter().copied())
    }

    /// Puts the objectives at other places; those without one are named by no formula that is still used.
    pub(super) fn renumber(&mut self, places: &[Option<usize>]) {
        for argument in self.parts.iter_mut().flat_map(|part| &mut part.arguments) {
            if let FormulaArgument::Objective(objective) = argument {
                *objective = places[*objective].unwrap_or(0);
            }
        }
    }
}

/// Derivatives of an expression by its variables.
fn slopes(expression: &Expression, values: &[f64]) -> Vec<f64> {
    let mut known: Vec<Dual64> = values.iter().map(|value| Dual64::from(*value)).collect();
    let mut slopes = Vec::with_capacity(known.len());
    for k in 0..known.len() {
        known[k].eps = 1.0;
        slopes.push(expression.evaluate(&known).eps);
        known[k].eps = 0.0;
    }
    slopes
}
