//! The postfix program of an expression and its interpreter.

use super::elementary;
use super::function::Unary;
use crate::scalar::Scalar;

/// One step of the program. Operands are on the stack, the right one on top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Instruction {
    Constant(f64),
    Variable(u32),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Min,
    Max,
    Atan2,
    AddConstant(f64),
    MultiplyConstant(f64),
    DivideConstant(f64),
    PowerConstant(f64),
    Unary(Unary),
    /// Root of the sum of the squares of this many operands.
    Hypot(u32),
    /// The first of three operands where the third is positive, else the second.
    Chosen,
}

impl Instruction {
    /// Operands taken from the stack; one result is always put back.
    pub(super) fn operands(self) -> usize {
        match self {
            Self::Constant(_) | Self::Variable(_) => 0,
            Self::Add
            | Self::Subtract
            | Self::Multiply
            | Self::Divide
            | Self::Power
            | Self::Min
            | Self::Max
            | Self::Atan2 => 2,
            Self::Chosen => 3,
            Self::Hypot(count) => count as usize,
            Self::Negate
            | Self::AddConstant(_)
            | Self::MultiplyConstant(_)
            | Self::DivideConstant(_)
            | Self::PowerConstant(_)
            | Self::Unary(_) => 1,
        }
    }
}

/// Greatest number of results on the stack at one time.
pub(super) fn stack_need(program: &[Instruction]) -> usize {
    let mut size = 0;
    let mut need = 0;
    for instruction in program {
        size = size + 1 - instruction.operands();
        need = need.max(size);
    }
    need
}

/// The stack: the top in a register, the rest in `N` slots, a power of two, so that masking keeps indices in range.
struct Stack<S, const N: usize> {
    top: S,
    below: [S; N],
    size: usize,
}

impl<S: Scalar, const N: usize> Stack<S, N> {
    #[inline(always)]
    fn push(&mut self, value: S) {
        self.below[self.size & (N - 1)] = self.top;
        self.size += 1;
        self.top = value;
    }

    /// Takes the result under the top.
    #[inline(always)]
    fn second(&mut self) -> S {
        self.size -= 1;
        self.below[self.size & (N - 1)]
    }

    fn hypot(&mut self, count: usize) {
        let first = self.size + 1 - count;
        self.top = elementary::hypot(&self.below[first..self.size], self.top);
        self.size = first;
    }
}

/// Runs a program whose [`stack_need`] is below or equal to `N`, a power of two.
pub(super) fn run<S: Scalar, const N: usize>(program: &[Instruction], values: &[S]) -> S {
    let zero = S::constant(0.0);
    let mut stack = Stack::<S, N> {
        top: zero,
        below: [zero; N],
        size: 0,
    };
    for instruction in program {
        match *instruction {
            Instruction::Constant(value) => stack.push(S::constant(value)),
            Instruction::Variable(index) => stack.push(values[index as usize]),
            Instruction::Negate => stack.top = -stack.top,
            Instruction::Add => stack.top = stack.second() + stack.top,
            Instruction::Subtract => stack.top = stack.second() - stack.top,
            Instruction::Multiply => stack.top = stack.second() * stack.top,
            Instruction::Divide => stack.top = stack.second() / stack.top,
            Instruction::Power => stack.top = elementary::power(stack.second(), stack.top),
            Instruction::Min => stack.top = elementary::min(stack.second(), stack.top),
            Instruction::Max => stack.top = elementary::max(stack.second(), stack.top),
            Instruction::Atan2 => stack.top = elementary::atan2(stack.second(), stack.top),
            Instruction::AddConstant(value) => stack.top += value,
            Instruction::MultiplyConstant(value) => stack.top *= value,
            Instruction::DivideConstant(value) => stack.top /= value,
            Instruction::PowerConstant(exponent) => {
                stack.top = elementary::power_constant(stack.top, exponent);
            }
            Instruction::Unary(function) => stack.top = elementary::unary(function, stack.top),
            Instruction::Hypot(count) => stack.hypot(count as usize),
            Instruction::Chosen => {
                let (second, first) = (stack.second(), stack.second());
                stack.top = if stack.top.re() > 0.0 { first } else { second };
            }
        }
    }
    stack.top
}
