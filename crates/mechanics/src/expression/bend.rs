//! Which way the kinks of an expression bend it: a value that is bent upwards only is never greatest at a kink.

use super::Expression;
use super::evaluate::Instruction;
use super::function::Unary;

/// How an expression is bent at its kinks, as it changes through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bend {
    /// It has no kinks.
    Smooth,
    /// Its rate grows, as that of `abs`.
    Up,
    /// Its rate falls, as that of `min`.
    Down,
    /// Either, or it jumps, or nobody knows.
    Any,
}

impl Bend {
    /// Of a sum.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Smooth, bend) | (bend, Self::Smooth) => bend,
            (one, other) if one == other => one,
            _ => Self::Any,
        }
    }

    fn times(self, factor: f64) -> Self {
        match self {
            Self::Up if factor < 0.0 => Self::Down,
            Self::Down if factor < 0.0 => Self::Up,
            bend => bend,
        }
    }
}

impl Expression {
    /// How the kinks bend it, from how its variables are bent; none for those that do not vary.
    pub fn bend(&self, variable: impl Fn(usize) -> Option<Bend>) -> Bend {
        let mut parts: Vec<Option<Bend>> = Vec::new();
        for &instruction in &self.program {
            let operands = parts.split_off(parts.len() - instruction.operands());
            parts.push(match instruction {
                Instruction::Variable(i) => variable(i as usize),
                _ if operands.iter().all(Option::is_none) => None,
                _ => {
                    let bends: Vec<Bend> = operands.iter().map(|bend| bend.unwrap_or(Bend::Smooth)).collect();
                    Some(bend_of(instruction, &bends))
                }
            });
        }
        parts.pop().flatten().unwrap_or(Bend::Smooth)
    }
}

/// Of a function that varies, from its operands.
fn bend_of(instruction: Instruction, operands: &[Bend]) -> Bend {
    let is_smooth = operands.iter().all(|bend| *bend == Bend::Smooth);
    match (instruction, operands) {
        (Instruction::Add, [a, b]) => a.and(*b),
        (Instruction::Subtract, [a, b]) => a.and(b.times(-1.0)),
        (Instruction::Negate, [a]) => a.times(-1.0),
        (Instruction::AddConstant(_), [a]) => *a,
        (Instruction::MultiplyConstant(factor) | Instruction::DivideConstant(factor), [a]) => a.times(factor),
        (Instruction::Max, [a, b]) => a.and(*b).and(Bend::Up),
        (Instruction::Min, [a, b]) => a.and(*b).and(Bend::Down),
        (Instruction::Unary(Unary::Abs), [Bend::Smooth]) => Bend::Up,
        // They grow with what they are of.
        (Instruction::Unary(Unary::Sqrt | Unary::Exp | Unary::Log | Unary::Atan | Unary::Tanh), [a]) => *a,
        (Instruction::Unary(Unary::Abs | Unary::Sign | Unary::Step) | Instruction::Atan2 | Instruction::Chosen, _) => {
            Bend::Any
        }
        _ if is_smooth => Bend::Smooth,
        _ => Bend::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::Bend::{self, Any, Down, Smooth, Up};
    use crate::expression::Expression;

    #[test]
    fn sums_and_growing_functions_of_kinks_are_bent_as_these_are() {
        let bend = |text: &str| -> Bend { Expression::parse(text).unwrap().bend(|_| Some(Smooth)) };
        for (text, wanted) in [
            ("x*y + sin(x)", Smooth),
            ("abs(x) + 2*max(x, y) - min(x, 1)", Up),
            ("3 - abs(x - 2)/2", Down),
            ("sqrt(max(abs(x), abs(y)))", Up),
            ("abs(abs(x) - 1)", Any),
            ("abs(x) - abs(y)", Any),
            ("x*abs(y)", Any),
            ("sign(x)", Any),
            ("abs(x)^2", Any),
        ] {
            assert_eq!(bend(text), wanted, "{text}");
        }
        let of = |text: &str, variables: [Option<Bend>; 2]| Expression::parse(text).unwrap().bend(|i| variables[i]);
        assert_eq!(of("abs(p)*x", [None, Some(Smooth)]), Smooth);
        assert_eq!(of("2*low - x", [Some(Down), Some(Smooth)]), Down);
        assert_eq!(of("low*x", [Some(Down), Some(Smooth)]), Any);
    }
}
