//! From parsed operations to the postfix program: constant parts are computed, constant operands merged.

use std::collections::HashMap;
use std::ops::Range;

use super::error::ExpressionError;
use super::evaluate::{Instruction, run};
use super::function::{Function, Unary};
use super::{MAX_STACK, Variable};

/// Collects the program and the variables.
#[derive(Default)]
pub(super) struct Emitter {
    pub(super) program: Vec<Instruction>,
    pub(super) variables: Vec<Variable>,
    /// Where each name is among the variables.
    known: HashMap<String, usize>,
    waiting: usize,
}

type Outcome = Result<(), ExpressionError>;

impl Emitter {
    /// Where the next instruction goes: the start of an operand about to be emitted.
    pub(super) fn here(&self) -> usize {
        self.program.len()
    }

    pub(super) fn number(&mut self, value: f64, span: &Range<usize>) -> Outcome {
        self.operand(Instruction::Constant(value), span)
    }

    pub(super) fn variable(&mut self, name: String, span: &Range<usize>) -> Outcome {
        let known = self.known.get(&name).copied();
        let index = known.unwrap_or(self.variables.len());
        if known.is_none() {
            self.known.insert(name.clone(), index);
            self.variables.push(Variable {
                name,
                span: span.clone(),
            });
        }
        // The length limit of the text keeps the count far below the range of u32.
        self.operand(Instruction::Variable(index as u32), span)
    }

    fn operand(&mut self, instruction: Instruction, span: &Range<usize>) -> Outcome {
        self.waiting += 1;
        if self.waiting > MAX_STACK {
            return Err(ExpressionError::new(
                span.clone(),
                format!("more than {MAX_STACK} intermediate results wait for their operator here"),
            )
            .advise("name parts of the expression as parameters of their own, or reorder it as `((a + b) + c) + ..`"));
        }
        self.program.push(instruction);
        Ok(())
    }

    /// Negates the operand that starts at `start`.
    pub(super) fn negate(&mut self, start: usize, span: &Range<usize>) -> Outcome {
        self.apply(Instruction::Negate, 1, start, span)
    }

    /// Combines the operands that start at `left` and `right`; `span` is the text of both.
    pub(super) fn binary(&mut self, operation: Instruction, left: usize, right: usize, span: &Range<usize>) -> Outcome {
        let constants = (self.lone_constant(left, right), self.lone_constant(right, self.here()));
        match constants {
            (_, Some(0.0)) if operation == Instruction::Divide => {
                return Err(ExpressionError::new(span.clone(), "this divides by zero"));
            }
            (None, Some(value)) => {
                if let Some(merged) = merged_right(operation, value) {
                    self.waiting -= 1;
                    self.program.truncate(right);
                    self.program.push(merged);
                    return Ok(());
                }
            }
            (Some(value), None) => {
                if let Some(merged) = merged_left(operation, value) {
                    self.waiting -= 1;
                    self.program.remove(left);
                    self.program.extend(merged);
                    return Ok(());
                }
            }
            _ => {}
        }
        self.apply(operation, 2, left, span)
    }

    /// Applies a function to the operands that start at the given places; their number fits the function.
    pub(super) fn call(&mut self, function: Function, starts: &[usize], span: &Range<usize>) -> Outcome {
        let Some(&start) = starts.first() else {
            return Ok(());
        };
        match (function, starts) {
            (Function::Unary(unary), _) => self.apply(Instruction::Unary(unary), 1, start, span),
            (Function::Atan2, &[y, x, ..]) => self.binary(Instruction::Atan2, y, x, span),
            _ => self.apply(Instruction::Hypot(starts.len() as u32), starts.len(), start, span),
        }
    }

    /// Appends an instruction on the last `operands` results and computes it at once if they are constants.
    fn apply(&mut self, instruction: Instruction, operands: usize, start: usize, span: &Range<usize>) -> Outcome {
        self.waiting -= operands - 1;
        let arguments = &self.program[start..];
        let mut constants = arguments
            .iter()
            .map(|argument| matches!(argument, Instruction::Constant(_)));
        let foldable = arguments.len() == operands && constants.all(|constant| constant);
        self.program.push(instruction);
        if !foldable {
            return Ok(());
        }
        let value = run::<f64, MAX_STACK>(&self.program[start..], &[]);
        if !value.is_finite() {
            let error = ExpressionError::new(span.clone(), "this constant part has no finite value");
            return Err(error.advise(range_advice(instruction)));
        }
        self.program.truncate(start);
        self.program.push(Instruction::Constant(value));
        Ok(())
    }

    /// The value of the operand in this range of the program if it is a single constant.
    fn lone_constant(&self, start: usize, end: usize) -> Option<f64> {
        match self.program.get(start..end) {
            Some(&[Instruction::Constant(value)]) => Some(value),
            _ => None,
        }
    }
}

/// What to do about an operation on constants that has no finite value.
fn range_advice(instruction: Instruction) -> &'static str {
    match instruction {
        Instruction::Unary(Unary::Sqrt) => "the square root of a negative number is not real",
        Instruction::Unary(Unary::Asin | Unary::Acos) => "the argument lies between -1 and 1",
        Instruction::Power => {
            "a power takes a positive base, or a whole exponent and a base that is not zero; see `cbrt`"
        }
        _ => "check the range of the function",
    }
}

/// The instruction for `x operation value`.
fn merged_right(operation: Instruction, value: f64) -> Option<Instruction> {
    match operation {
        Instruction::Add => Some(Instruction::AddConstant(value)),
        Instruction::Subtract => Some(Instruction::AddConstant(-value)),
        Instruction::Multiply => Some(Instruction::MultiplyConstant(value)),
        Instruction::Divide => Some(Instruction::DivideConstant(value)),
        Instruction::Power => Some(Instruction::PowerConstant(value)),
        _ => None,
    }
}

/// The instructions for `value operation x`.
fn merged_left(operation: Instruction, value: f64) -> Option<Vec<Instruction>> {
    match operation {
        Instruction::Add => Some(vec![Instruction::AddConstant(value)]),
        Instruction::Subtract => Some(vec![Instruction::Negate, Instruction::AddConstant(value)]),
        Instruction::Multiply => Some(vec![Instruction::MultiplyConstant(value)]),
        _ => None,
    }
}
