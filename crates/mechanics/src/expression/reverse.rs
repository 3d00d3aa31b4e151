//! Derivatives by all variables in one pass back through the program, for expressions of many variables.

use super::Expression;
use super::evaluate::{Instruction, run};
use super::function::Unary;
use crate::scalar::{Dual, Scalar};

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
    pub fn slopes<S: Scalar>(&self, values: &[S]) -> Vec<S> {
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
                Instruction::Constant(value) => S::constant(value),
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

    /// Second derivatives by pairs of variables, the second not before the first, ascending, without those that are zero: a pass
    /// forward and back for each variable that is bent or multiplied; allocates.
    ///
    /// They are those of [`Expression::evaluate`] with dual numbers of dual numbers, to rounding.
    ///
    /// # Panics
    ///
    /// If `values` is not as long as the list of variables.
    pub fn curvature(&self, values: &[f64]) -> Vec<(usize, usize, f64)> {
        let mut found = Vec::new();
        for row in self.curved_pairs().chunk_by(|(p, _), (q, _)| p == q) {
            let p = row[0].0;
            let slopes = self.slopes(&seeded(values.iter().copied(), p).collect::<Vec<_>>());
            let second = |r: usize| match slopes[r].eps {
                second if second.is_finite() => second,
                _ => self.second(values, (p, r)),
            };
            found.extend(row.iter().map(|&(_, r)| (p, r, second(r))));
        }
        found.retain(|(_, _, second)| *second != 0.0);
        found
    }

    /// The derivative by two variables, forward.
    fn second(&self, values: &[f64], (p, r): (usize, usize)) -> f64 {
        let values = seeded(seeded(values.iter().copied(), p), r);
        self.evaluate(&values.collect::<Vec<_>>()).eps.eps
    }

    /// The pass back, from the nodes with their operands and values.
    fn back<S: Scalar>(&self, nodes: &[Node], operands: &[usize], known: &[S]) -> Vec<S> {
        let mut slopes = vec![S::constant(0.0); self.variables.len()];
        // Nothing for what the result does not read: a branch that was not taken.
        let mut weights = vec![None; nodes.len()];
        if let Some(result) = weights.last_mut() {
            *result = Some(S::constant(1.0));
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
                let operands = inputs.iter().map(|&input| known[input]);
                let slope = step(node.instruction, seeded(operands, k)).eps;
                if slope.vanishes() && chooses(node.instruction) {
                    continue;
                }
                let before = weights[input].unwrap_or(S::constant(0.0));
                weights[input] = Some(before + weight * slope);
            }
        }
        slopes
    }
}

/// Numbers of which this one changes at the rate one.
fn seeded<S: Scalar>(values: impl ExactSizeIterator<Item = S>, along: usize) -> impl ExactSizeIterator<Item = Dual<S>> {
    let rate = move |k: usize| S::constant(f64::from(u8::from(k == along)));
    values.enumerate().map(move |(k, value)| Dual::new(value, rate(k)))
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
