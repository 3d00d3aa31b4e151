//! Derivatives by all variables in one pass back through the program, for expressions of many variables.

use super::Expression;
use super::evaluate::{Instruction, run};
use super::function::Unary;
use crate::scalar::{Dual64, Scalar};

/// Most operands of an instruction but `Hypot`.
const FEW: usize = 3;

/// Greatest number of operands of any instruction.
const MANY: usize = super::MAX_STACK;

/// An instruction with where its operands begin in the list of operands.
struct Node {
    instruction: Instruction,
    operands: std::ops::Range<usize>,
}

impl Expression {
    /// Derivatives by the variables, at a cost in proportion to the length of the expression; allocates.
    ///
    /// They are those of [`Expression::evaluate`] with dual numbers, to rounding. Beside places without a derivative they may be
    /// not finite where terms of these cancel.
    ///
    /// # Panics
    ///
    /// If `values` is not as long as the list of variables.
    pub fn slopes(&self, values: &[f64]) -> Vec<f64> {
        assert_eq!(
            values.len(),
            self.variables.len(),
            "one value per variable of `{}`",
            self.text
        );
        let (mut nodes, mut operands, mut known, mut stack) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for &instruction in &self.program {
            let first = operands.len();
            operands.extend(stack.drain(stack.len() - instruction.operands()..));
            let value = match instruction {
                Instruction::Constant(value) => value,
                Instruction::Variable(index) => values[index as usize],
                _ => step(instruction, operands[first..].iter().map(|&node: &usize| known[node])),
            };
            stack.push(nodes.len());
            known.push(value);
            nodes.push(Node {
                instruction,
                operands: first..operands.len(),
            });
        }
        self.back(&nodes, &operands, &known)
    }

    /// The pass back, from the nodes with their operands and values.
    fn back(&self, nodes: &[Node], operands: &[usize], known: &[f64]) -> Vec<f64> {
        let mut slopes = vec![0.0; self.variables.len()];
        // Nothing for what the result does not read: a branch that was not taken.
        let mut weights = vec![None; nodes.len()];
        if let Some(result) = weights.last_mut() {
            *result = Some(1.0);
        }
        for (index, node) in nodes.iter().enumerate().rev() {
            let Some(weight) = weights[index] else {
                continue;
            };
            if let Instruction::Variable(variable) = node.instruction {
                slopes[variable as usize] += weight;
            }
            let inputs = &operands[node.operands.clone()];
            for (k, &input) in inputs.iter().enumerate() {
                let seeded = |(j, &input): (usize, &usize)| Dual64::new(known[input], f64::from(u8::from(j == k)));
                let slope = step(node.instruction, inputs.iter().enumerate().map(seeded)).eps;
                if slope == 0.0 && chooses(node.instruction) {
                    continue;
                }
                weights[input] = Some(weights[input].unwrap_or(0.0) + weight * slope);
            }
        }
        slopes
    }
}

/// Whether a slope of zero means that the operand is not read.
fn chooses(instruction: Instruction) -> bool {
    matches!(
        instruction,
        Instruction::Min | Instruction::Max | Instruction::Chosen | Instruction::Unary(Unary::Sign | Unary::Step)
    )
}

/// The result of one instruction.
fn step<S: Scalar>(instruction: Instruction, operands: impl ExactSizeIterator<Item = S>) -> S {
    let count = operands.len();
    if count <= FEW {
        return step_in::<S, FEW, 4>(instruction, operands);
    }
    step_in::<S, MANY, { 2 * MANY }>(instruction, operands)
}

fn step_in<S: Scalar, const M: usize, const N: usize>(
    instruction: Instruction,
    operands: impl Iterator<Item = S>,
) -> S {
    let mut values = [S::from(0.0); M];
    let mut program = [instruction; MANY + 1];
    let mut count = 0;
    for (slot, operand) in values.iter_mut().zip(operands) {
        *slot = operand;
        program[count] = Instruction::Variable(count as u32);
        count += 1;
    }
    run::<S, N>(&program[..=count], &values)
}
