//! On which side of their kinks and jumps the functions of an expression are.

use super::evaluate::{Instruction, run};
use super::function::Unary;
use super::{Expression, MAX_STACK};

impl Expression {
    /// What every `abs`, `sign`, `step`, `min` and `max` decides by, in the order of evaluation: the argument, or the difference
    /// of the arguments. Where one of these changes its sign, derivatives have a kink or a jump.
    pub fn sides(&self, values: &[f64]) -> Vec<f64> {
        let (mut sides, mut stack) = (Vec::new(), Vec::<f64>::new());
        for &instruction in &self.program {
            let operands = stack.split_off(stack.len() - instruction.operands());
            match instruction {
                Instruction::Min | Instruction::Max => sides.push(operands[0] - operands[1]),
                Instruction::Unary(Unary::Abs | Unary::Sign | Unary::Step) => sides.push(operands[0]),
                _ => {}
            }
            let mut program: Vec<Instruction> = (0..operands.len() as u32).map(Instruction::Variable).collect();
            program.push(instruction);
            let arguments = if operands.is_empty() { values } else { &operands };
            stack.push(run::<f64, MAX_STACK>(&program, arguments));
        }
        sides
    }
}

#[cfg(test)]
mod tests {
    use super::Expression;

    #[test]
    fn every_kink_tells_its_side_in_the_order_of_evaluation() {
        let expression = Expression::parse("max(x, 2*y)*abs(x - 3) + sign(y)*min(x, y, 1)^2").unwrap();
        assert_eq!(expression.sides(&[1.0, 2.0]), [-3.0, -2.0, 2.0, -1.0, 0.0]);
        assert!(
            Expression::parse("sin(x) + hypot(x, 2, 3)")
                .unwrap()
                .sides(&[1.0])
                .is_empty()
        );
    }
}
