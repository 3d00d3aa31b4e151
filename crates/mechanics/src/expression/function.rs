//! The functions and constants of the language and their names.

use std::f64::consts::{PI, TAU};

/// A function of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Sqrt,
    Cbrt,
    Exp,
    Log,
    Log10,
    Log2,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Abs,
    Sign,
    Step,
    /// The argument itself with a derivative that is wrong by a per cent, to test what finds wrong derivatives.
    #[cfg(any(test, feature = "flawed"))]
    Flawed,
}

/// A function of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Unary(Unary),
    Atan2,
    Min,
    Max,
    Hypot,
}

impl Function {
    pub(super) fn named(name: &str) -> Option<Self> {
        #[cfg(any(test, feature = "flawed"))]
        if name == "flawed" {
            return Some(Self::Unary(Unary::Flawed));
        }
        let (_, function) = FUNCTIONS.iter().find(|(known, _)| *known == name)?;
        Some(*function)
    }

    /// What is wrong with that many arguments, if anything.
    pub(super) fn arity_complaint(self, count: usize) -> Option<&'static str> {
        match self {
            Self::Unary(_) if count != 1 => Some("takes one argument"),
            Self::Atan2 if count != 2 => Some("takes two arguments: atan2(y, x)"),
            Self::Min | Self::Max | Self::Hypot if count < 2 => Some("takes two arguments or more"),
            _ => None,
        }
    }
}

const FUNCTIONS: [(&str, Function); 26] = [
    ("sqrt", Function::Unary(Unary::Sqrt)),
    ("cbrt", Function::Unary(Unary::Cbrt)),
    ("exp", Function::Unary(Unary::Exp)),
    ("log", Function::Unary(Unary::Log)),
    ("ln", Function::Unary(Unary::Log)),
    ("log10", Function::Unary(Unary::Log10)),
    ("log2", Function::Unary(Unary::Log2)),
    ("sin", Function::Unary(Unary::Sin)),
    ("cos", Function::Unary(Unary::Cos)),
    ("tan", Function::Unary(Unary::Tan)),
    ("asin", Function::Unary(Unary::Asin)),
    ("acos", Function::Unary(Unary::Acos)),
    ("atan", Function::Unary(Unary::Atan)),
    ("atan2", Function::Atan2),
    ("sinh", Function::Unary(Unary::Sinh)),
    ("cosh", Function::Unary(Unary::Cosh)),
    ("tanh", Function::Unary(Unary::Tanh)),
    ("asinh", Function::Unary(Unary::Asinh)),
    ("acosh", Function::Unary(Unary::Acosh)),
    ("atanh", Function::Unary(Unary::Atanh)),
    ("abs", Function::Unary(Unary::Abs)),
    ("sign", Function::Unary(Unary::Sign)),
    ("step", Function::Unary(Unary::Step)),
    ("min", Function::Min),
    ("max", Function::Max),
    ("hypot", Function::Hypot),
];

/// The names of all functions.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, _)| *name)
}

/// The value of a constant of the language.
pub(super) fn constant(name: &str) -> Option<f64> {
    match name {
        "pi" => Some(PI),
        "tau" => Some(TAU),
        _ => None,
    }
}

/// Whether a name without quotes means a constant (`pi`, `tau`), so that a parameter should not bear it.
pub fn is_reserved(name: &str) -> bool {
    constant(name).is_some()
}

/// What to write instead of a function that other languages have and this one has not.
pub(super) fn substitute(name: &str) -> Option<&'static str> {
    match name {
        "pow" | "power" => Some("write `a^b`"),
        "clamp" => Some("write `min(max(x, low), high)`"),
        "sqr" | "square" => Some("write `x^2`"),
        "arcsin" => Some("write `asin(x)`"),
        "arccos" => Some("write `acos(x)`"),
        "arctan" => Some("write `atan(x)`"),
        "heaviside" => Some("write `step(x)`"),
        "if" => Some("write `step(x)*a + (1 - step(x))*b`, and place an event where x is zero"),
        "sum" => Some("write `sum(i = 1..n, ..)` for a sum over an index, `a + b` for one of two"),
        "floor" | "ceil" | "round" | "trunc" | "mod" => {
            Some("rounding has no useful derivative and is left out; use events to switch")
        }
        _ => None,
    }
}
