//! Functions with kinks, held on one side of them.
//!
//! Where the argument of an `abs`, `sign` or `step`, or the difference of the arguments of a `min` or `max`, changes its sign,
//! the function has a kink or a jump. Held on a side it is smooth: the side is a variable of its own, +1 or -1, which changes
//! where the argument vanishes.

use super::evaluate::{Instruction, stack_need};
use super::function::Unary;
use super::{Expression, Variable};

/// An expression whose functions with kinks are held, with what decides on their sides.
#[derive(Clone, Debug)]
pub struct Held {
    /// The expression; its variables are those as written, followed by one side per kink.
    pub expression: Expression,
    /// By side, in the order of the variables: what changes its sign at the kink times the side, so that it is not negative
    /// as long as the side holds. Its variables are those of the held expression up to this side.
    pub guards: Vec<Expression>,
}

impl Expression {
    /// The expression with every kink held whose argument varies: `varies` says so of variables, by their places.
    pub fn held(&self, varies: impl Fn(usize) -> bool) -> Held {
        let (mut parts, mut guards) = (Vec::<Vec<Instruction>>::new(), Vec::new());
        let mut variables = self.variables.clone();
        for &instruction in &self.program {
            let operands = parts.split_off(parts.len() - instruction.operands());
            let mut part = operands.concat();
            match argument(instruction, &part) {
                // Sides are beyond the variables as written: what reads them varies as well.
                Some(mut guard) if reads(&guard, |i| i >= self.variables.len() || varies(i)) => {
                    let side = Instruction::Variable(variables.len() as u32);
                    let name = format!("side {} of `{}`", guards.len() + 1, self.text);
                    variables.push(Variable { name, span: 0..0 });
                    guard.extend([side, Instruction::Multiply]);
                    guards.push(self.part(guard, &variables));
                    hold(instruction, side, &mut part);
                }
                _ => part.push(instruction),
            }
            parts.push(part);
        }
        let expression = self.part(parts.pop().unwrap_or_default(), &variables);
        Held { expression, guards }
    }

    /// The expression of the magnitude of a variable where it is of that variable.
    pub fn of_magnitude(&self, variable: usize) -> Self {
        let replaced = self.program.iter().flat_map(|&instruction| {
            let magnitude = matches!(instruction, Instruction::Variable(i) if i as usize == variable);
            [Some(instruction), magnitude.then_some(Instruction::Unary(Unary::Abs))]
        });
        self.part(replaced.flatten().collect(), &self.variables)
    }

    /// A program as an expression with the text of this one.
    fn part(&self, program: Vec<Instruction>, variables: &[Variable]) -> Self {
        Self {
            text: self.text.clone(),
            variables: variables.to_vec(),
            stack: stack_need(&program),
            program,
        }
    }
}

/// What changes its sign at the kink of a function with these operands, if it has one.
fn argument(instruction: Instruction, operands: &[Instruction]) -> Option<Vec<Instruction>> {
    let mut argument = operands.to_vec();
    match instruction {
        Instruction::Min | Instruction::Max => argument.push(Instruction::Subtract),
        Instruction::Unary(Unary::Abs | Unary::Sign | Unary::Step) => {}
        _ => return None,
    }
    Some(argument)
}

fn reads(program: &[Instruction], varies: impl Fn(usize) -> bool) -> bool {
    (program.iter()).any(|instruction| matches!(*instruction, Instruction::Variable(i) if varies(i as usize)))
}

/// Puts a function behind its operands that is held on a side; jumps need their operands no more.
fn hold(instruction: Instruction, side: Instruction, operands: &mut Vec<Instruction>) {
    let held: &[Instruction] = match instruction {
        Instruction::Min => &[Instruction::Negate, Instruction::Chosen],
        Instruction::Max => &[Instruction::Chosen],
        Instruction::Unary(Unary::Sign) => &[],
        Instruction::Unary(Unary::Step) => &[Instruction::AddConstant(1.0), Instruction::MultiplyConstant(0.5)],
        _ => &[Instruction::Multiply],
    };
    if let Instruction::Unary(Unary::Sign | Unary::Step) = instruction {
        operands.clear();
    }
    operands.push(side);
    operands.extend(held);
}

#[cfg(test)]
mod tests {
    use super::Expression;

    #[test]
    fn held_on_the_sides_of_its_arguments_an_expression_has_its_value() {
        for text in [
            "max(x, 2*y)*abs(x - 3) + sign(y)*min(x, y, 1)^2",
            "abs(min(x, abs(y)) - step(x - y))*hypot(x, y)",
            "1/max(1, max(abs(x), abs(y)))",
            "step(y) - 2*sign(abs(x) - abs(y))",
        ] {
            let expression = Expression::parse(text).unwrap();
            let held = expression.held(|_| true);
            for values in [[1.0, 2.0], [-1.5, 0.25], [0.5, -3.0], [-2.0, -0.125], [4.0, 0.75]] {
                let mut all = values.to_vec();
                for guard in &held.guards {
                    all.push(1.0);
                    let argument = guard.evaluate(&all);
                    all.pop();
                    all.push(argument.signum());
                    assert!(guard.evaluate(&all) >= 0.0, "{text}");
                }
                assert_eq!(
                    held.expression.evaluate(&all),
                    expression.evaluate(&values),
                    "{text} {values:?}"
                );
            }
        }
    }

    #[test]
    fn held_on_one_side_an_expression_goes_on_smoothly_beyond_its_kink() {
        let held = |text: &str, side: f64, x: f64| {
            let held = Expression::parse(text).unwrap().held(|_| true);
            held.expression.evaluate(&[x, side])
        };
        assert_eq!(held("abs(x)", -1.0, 2.0), -2.0);
        assert_eq!(held("sign(x)", -1.0, 2.0), -1.0);
        assert_eq!(held("step(x)", -1.0, 2.0), 0.0);
        assert!(
            !Expression::parse("sign(x)")
                .unwrap()
                .held(|_| true)
                .expression
                .is_its_first_variable()
        );
        assert_eq!(held("max(x, 1)", 1.0, 0.5), 0.5);
        assert_eq!(held("min(x, 1)", 1.0, 0.5), 1.0);
    }

    #[test]
    fn of_the_magnitude_of_a_variable_an_expression_has_a_kink_where_that_vanishes() {
        let of = Expression::parse("x*y + sin(x)").unwrap().of_magnitude(0);
        assert_eq!(of.evaluate(&[-0.5, 3.0]), 1.5 + 0.5_f64.sin());
        assert_eq!(of.held(|i| i == 0).guards.len(), 2);
    }

    #[test]
    fn only_what_varies_is_held() {
        let held = Expression::parse("max(a, b)*abs(x)").unwrap().held(|i| i == 2);
        assert_eq!(held.guards.len(), 1);
        assert_eq!(held.expression.evaluate(&[2.0, 5.0, -3.0, -1.0]), 15.0);
    }
}
