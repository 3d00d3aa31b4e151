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
    /// How the kinks bend it where these variables vary.
    pub fn bend(&self, varies: impl Fn(usize) -> bool) -> Bend {
        let mut parts: Vec<(bool, Bend)> = Vec::new();
        for &instruction in &self.program {
            let operands = parts.split_off(parts.len() - instruction.operands());
            let moves = match instruction {
                Instruction::Variable(i) => varies(i as usize),
                _ => operands.iter().any(|(moves, _)| *moves),
            };
            let bends: Vec<Bend> = operands.iter().map(|(_, bend)| *bend).collect();
            parts.push((
                moves,
                if moves {
                    bend_of(instruction, &bends)
                } else {
                    Bend::Smooth
                },
            ));
        }
        parts.pop().map_or(Bend::Smooth, |(_, bend)| bend)
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
        let bend = |text: &str| -> Bend { Expression::parse(text).unwrap().bend(|_| true) };
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
        assert_eq!(Expression::parse("abs(p)*x").unwrap().bend(|i| i == 1), Smooth);
    }
}
