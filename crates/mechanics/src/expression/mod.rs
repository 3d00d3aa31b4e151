//! Expressions: the formulas that stand wherever a scene wants a number.
//!
//! # Language
//!
//! | part | meaning |
//! | --- | --- |
//! | `3` `3.5` `.5` `3e-4` `1E+6` | numbers; `2*e` multiplies by the variable `e` |
//! | `+` `-` `*` `/` `^` `( )` | as in mathematics: `^` binds tighter than a sign (`-x^2` is `-(x^2)`) and groups to the right (`2^3^2` is `2^9`); `2^-1` works |
//! | `pi` `tau` | constants; the only reserved names |
//! | `sqrt` `cbrt` `exp` `log` (natural, also `ln`) `log10` `log2` | roots, exponential, logarithms |
//! | `sin` `cos` `tan` `asin` `acos` `atan` `atan2(y, x)` | angles in radians |
//! | `sinh` `cosh` `tanh` `asinh` `acosh` `atanh` | hyperbolic functions |
//! | `abs` `sign` `step` | kinked or jumping, see below; `step(x)` is 0 for `x < 0` and 1 otherwise |
//! | `min(a, b, ..)` `max(a, b, ..)` `hypot(a, b, ..)` | two arguments or more |
//!
//! A name starts with a letter or an underscore and goes on with letters, digits and underscores. Names of several
//! words need no quotes, because two operands never stand side by side: `2*crank length`, `spring 1.force`. Any white
//! space between words counts as one space. A dotted path such as `left rod.force` is one variable. A part with other
//! characters stands in single quotes: `'left-rod'.force`, `'4th bar'.angle`. Whole numbers in brackets belong to the name before
//! them: `P[3].y`, `m[1, 2]`. A name directly before `(` is a function.
//!
//! There is no implicit multiplication: `2 x` is an error that advises `2*x`.
//!
//! # Derivatives
//!
//! Evaluated with dual numbers an expression gives its exact derivatives. Where a function has none, this holds:
//!
//! * `abs`, `min`, `max`, `sign` and `step` choose their branch by the real part and have the derivative of that branch:
//!   `abs` at 0 that of `+x`, `min` and `max` of equal arguments that of the first; `sign` and `step` have derivative
//!   zero. What is integrated over time has these functions held on their sides, which change in events:
//!   see [`Expression::held`].
//! * Where the derivative is infinite or undefined (`sqrt` at 0, `x^0.5` at 0, `acos` at 1, `hypot(0, 0)`,
//!   `atan2(0, 0)`, a negative base under a varying exponent), the derivative parts are infinite or NaN, never a made-up
//!   zero; the caller reports what is not finite. An argument that does not vary at all (every derivative part zero) is
//!   no such case: its result does not vary either, so `max(-gap, 0)^1.5` is fine in open and closed contact.

mod bend;
mod complaint;
mod curved;
mod elementary;
mod emit;
mod error;
mod evaluate;
mod function;
mod held;
mod lexer;
mod name;
mod nearest;
mod parser;
mod reverse;
#[cfg(test)]
mod tests;
mod unit;

use std::fmt;
use std::ops::Range;

use crate::scalar::Scalar;
use evaluate::{Instruction, run, stack_need};

pub use bend::Bend;
pub use elementary::{atan2, tanh};
pub use error::ExpressionError;
pub use function::{function_names, is_reserved};
pub use held::Held;
pub use nearest::{nearest_name, suggest};

/// Greatest length of an expression in bytes.
pub const MAX_LENGTH: usize = 1 << 18;

/// Greatest depth of parentheses, function calls, signs and exponents inside each other.
pub const MAX_NESTING: usize = 100;

/// Greatest number of intermediate results that wait for their operator at one time.
pub const MAX_STACK: usize = 32;

/// A variable of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The whole dotted path without quotes, single spaces between words.
    pub name: String,
    /// Bytes of the expression text where it first appears.
    pub span: Range<usize>,
}

/// A parsed expression: a formula of named variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    variables: Vec<Variable>,
    program: Vec<Instruction>,
    /// Of what is held on sides: the program as written, which has a value beyond a kink where the one that is held has none, such as a
    /// root of what is negative there.
    beyond: Option<Box<[Instruction]>>,
    stack: usize,
}

impl Expression {
    /// Parses an expression in the language of the [module documentation](self).
    ///
    /// # Errors
    ///
    /// An [`ExpressionError`] with the byte range in `text` for anything outside the language, for a constant part
    /// without a finite value (`1/0`, `log(-1)`, `1e999`), and for texts beyond [`MAX_LENGTH`], [`MAX_NESTING`] or
    /// [`MAX_STACK`].
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let (program, variables) = parser::parse(text)?;
        Ok(Self {
            text: text.to_string(),
            variables,
            stack: stack_need(&program),
            program,
            beyond: None,
        })
    }

    /// The expression that is this number.
    pub fn constant(value: f64) -> Self {
        Self {
            text: format!("{value:?}"),
            variables: Vec::new(),
            program: vec![Instruction::Constant(value)],
            beyond: None,
            stack: 1,
        }
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The distinct variables in the order of their first appearance.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Whether there is no variable.
    pub fn is_constant(&self) -> bool {
        self.variables.is_empty()
    }

    /// Whether it is nothing but its first variable; of a `sign` that is held, only the side is left, which comes after it.
    #[inline]
    pub fn is_its_first_variable(&self) -> bool {
        matches!(self.program[..], [Instruction::Variable(0)])
    }

    /// Whether the value is computed from the variable of that place.
    pub fn uses(&self, variable: usize) -> bool {
        let is_it =
            |instruction: &Instruction| matches!(instruction, Instruction::Variable(i) if *i as usize == variable);
        self.program.iter().any(is_it)
    }

    /// The value, with its derivatives if `S` is a dual number. Allocates nothing.
    ///
    /// `values` holds one value per variable in the order of [`Expression::variables`]. The result is not finite where
    /// the expression has no value, and its derivative parts where it has no derivative; that is for the caller to
    /// report. A NaN among the values that are used gives NaN.
    ///
    /// # Panics
    ///
    /// If `values` is not as long as the list of variables.
    pub fn evaluate<S: Scalar>(&self, values: &[S]) -> S {
        assert_eq!(
            values.len(),
            self.variables.len(),
            "one value per variable of `{}`",
            self.text
        );
        let value = self.run(&self.program, values);
        match &self.beyond {
            Some(beyond) if value.re().is_nan() => self.run(beyond, values),
            _ => value,
        }
    }

    fn run<S: Scalar>(&self, program: &[Instruction], values: &[S]) -> S {
        match self.stack {
            0..=8 => run::<S, 8>(program, values),
            9..=MAX_STACK => run::<S, MAX_STACK>(program, values),
            // Sides that are held wait on the stack as well.
            _ => run::<S, { 2 * MAX_STACK }>(program, values),
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
