//! Values of an element that may depend on time or on local variables.

use crate::expression::Expression;
use crate::linear::pairs_within;
use crate::scalar::Scalar;

use super::local::MAX_LOCAL;

/// Where a variable of a [`Function`] comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Time.
    Time,
    /// A local number of the element.
    Number(usize),
    /// A variable that the element supplies, by position.
    Variable(usize),
}

/// An expression with its variables resolved; `arguments` follows the expression's variables.
#[derive(Clone, Debug)]
pub struct Function {
    /// The expression, held on the sides of its kinks.
    pub expression: Expression,
    /// Source of each variable, at most [`MAX_LOCAL`].
    pub arguments: Vec<Argument>,
    /// The function as written, if it has kinks.
    pub written: Option<Box<Self>>,
}

impl Function {
    /// Value at a time, for the element's numbers and supplied variables.
    pub fn evaluate<S: Scalar>(&self, t: S, numbers: &[S], variables: &[S]) -> S {
        let values = self.values(t, numbers, variables);
        self.expression.evaluate(&values[..self.arguments.len()])
    }

    /// Value at a time of a function without supplied variables, for numbers by their indices.
    pub fn evaluate_by<S: Scalar>(&self, t: S, number: impl Fn(usize) -> S) -> S {
        let mut values = [S::from(0.0); MAX_LOCAL];
        pairs_within(&mut values, &self.arguments, |slot, argument| {
            *slot = match *argument {
                Argument::Time => t,
                Argument::Number(i) => number(i),
                Argument::Variable(_) => S::from(0.0),
            };
        });
        self.expression.evaluate(&values[..self.arguments.len()])
    }

    /// The function as written: for values elsewhere than along the motion, where its kinks are not held.
    pub fn as_written(&self) -> &Self {
        self.written.as_deref().unwrap_or(self)
    }

    #[inline]
    fn values<S: Scalar>(&self, t: S, numbers: &[S], variables: &[S]) -> [S; MAX_LOCAL] {
        let mut values = [S::from(0.0); MAX_LOCAL];
        pairs_within(&mut values, &self.arguments, |slot, argument| {
            *slot = match *argument {
                Argument::Time => t,
                Argument::Number(i) => numbers[i],
                Argument::Variable(i) => variables[i],
            };
        });
        values
    }

    /// The same function of numbers with other indices.
    fn with_numbers(&self, index: &mut impl FnMut(usize) -> usize) -> Self {
        let mut other = |argument: &Argument| match *argument {
            Argument::Number(i) => Argument::Number(index(i)),
            argument => argument,
        };
        Self {
            expression: self.expression.clone(),
            arguments: self.arguments.iter().map(&mut other).collect(),
            written: self
                .written
                .as_ref()
                .map(|written| Box::new(written.with_numbers(index))),
        }
    }

    /// Whether the value depends on time explicitly.
    pub fn depends_on_time(&self) -> bool {
        self.arguments.contains(&Argument::Time)
    }

    /// Whether the value depends on the supplied variable.
    pub fn depends_on_variable(&self, variable: usize) -> bool {
        self.arguments.contains(&Argument::Variable(variable))
    }
}

/// A number or a function of time.
#[derive(Clone, Debug)]
pub enum Signal {
    /// A local number of the element.
    Number(usize),
    /// A function of time.
    Function(Function),
}

impl Signal {
    /// Value at a time.
    pub fn evaluate<S: Scalar>(&self, t: S, numbers: &[S]) -> S {
        match self {
            Self::Number(i) => numbers[*i],
            Self::Function(function) => function.evaluate(t, numbers, &[]),
        }
    }

    /// Value at a time by what is written: beyond a kink too, where what is held on a side goes on.
    pub fn evaluate_as_written<S: Scalar>(&self, t: S, numbers: &[S]) -> S {
        match self {
            Self::Number(i) => numbers[*i],
            Self::Function(function) => function.as_written().evaluate(t, numbers, &[]),
        }
    }

    /// The same value of numbers with other indices.
    pub fn with_numbers(&self, mut index: impl FnMut(usize) -> usize) -> Self {
        match self {
            Self::Number(i) => Self::Number(index(*i)),
            Self::Function(function) => Self::Function(function.with_numbers(&mut index)),
        }
    }

    /// Whether the value depends on time.
    pub fn depends_on_time(&self) -> bool {
        match self {
            Self::Number(_) => false,
            Self::Function(function) => function.depends_on_time(),
        }
    }
}
