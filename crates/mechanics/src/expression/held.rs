//! Functions with kinks, held on one side of them.
//!
//! Where the argument of an `abs`, `sign` or `step`, or the difference of the arguments of a `min` or `max`, changes its sign,
//! the function has a kink or a jump. Held on a side it is smooth: the side is a variable of its own, +1 or -1, which changes
//! where the argument vanishes.
//!
//! `atan2` jumps where its first argument changes its sign while the second is negative. Held on a side it goes on beyond, until it is
//! three quarters of a turn from the axis between the sides; the other side takes over before, where both have one value.

use std::f64::consts::FRAC_PI_2;

use super::evaluate::{Instruction, stack_need};
use super::function::Unary;
use super::{Expression, Variable};

/// Tangent of the angle from the positive axis at which the other side of an `atan2` takes over: what rests on that axis is far from it.
const OVERLAP: f64 = 4.0;

/// An expression whose functions with kinks are held, with what decides on their sides.
#[derive(Clone, Debug)]
pub struct Held {
    /// The expression; its variables are those as written, followed by one side per kink.
    pub expression: Expression,
    /// By side, in the order of the variables: what changes its sign at the kink times the side, so that it is not negative
    /// as long as the side holds. Its variables are those of the held expression up to this side.
    pub guards: Vec<Expression>,
    /// By side: what gives the value that the function has where its argument stays at zero, if it jumps there.
    pub at_zero: Vec<Option<f64>>,
}

impl Expression {
    /// The expression with every kink held whose argument varies: `varies` says so of variables, by their places.
    pub fn held(&self, varies: impl Fn(usize) -> bool) -> Held {
        let (mut parts, mut written, mut guards) = (Vec::<Vec<Instruction>>::new(), Vec::new(), Vec::new());
        let mut at_zero = Vec::new();
        let mut variables = self.variables.clone();
        for &instruction in &self.program {
            let operands = parts.split_off(parts.len() - instruction.operands());
            let as_written: Vec<Vec<Instruction>> = written.split_off(written.len() - instruction.operands());
            written.push([as_written.concat(), vec![instruction]].concat());
            // Sides are beyond the variables as written: what reads them varies as well.
            let is_side = |i: usize| i >= self.variables.len();
            let changes = |part: &Vec<Instruction>| reads(part, |i| is_side(i) || varies(i));
            // A kink within would come to zero together with the cut, and take the wrong side of it.
            let is_cut_by_kink = instruction == Instruction::Atan2 && reads(&operands[0], is_side);
            if is_cut_by_kink || !has_kink(instruction, &operands, changes) {
                parts.push([operands.concat(), vec![instruction]].concat());
                continue;
            }
            let side = Instruction::Variable(variables.len() as u32);
            let name = format!("side {} of `{}`", guards.len() + 1, self.text);
            variables.push(Variable { name, span: 0..0 });
            let both = [&operands, &as_written].map(|operands| guard(instruction, side, operands));
            guards.push(self.part(both, &variables));
            at_zero.push(match instruction {
                Instruction::Unary(Unary::Sign) => Some(0.0),
                Instruction::Unary(Unary::Step) => Some(1.0),
                _ => None,
            });
            parts.push(held(instruction, side, &operands));
        }
        let both = [parts, written].map(|mut parts| parts.pop().unwrap_or_default());
        let expression = self.part(both, &variables);
        Held {
            expression,
            guards,
            at_zero,
        }
    }

    /// The expression of the magnitude of a variable where it is of that variable.
    pub fn of_magnitude(&self, variable: usize) -> Self {
        let replaced = self.program.iter().flat_map(|&instruction| {
            let magnitude = matches!(instruction, Instruction::Variable(i) if i as usize == variable);
            [Some(instruction), magnitude.then_some(Instruction::Unary(Unary::Abs))]
        });
        let program: Vec<Instruction> = replaced.flatten().collect();
        self.part([program.clone(), program], &self.variables)
    }

    /// A program, held and as written, as an expression with the text of this one.
    fn part(&self, [program, written]: [Vec<Instruction>; 2], variables: &[Variable]) -> Self {
        Self {
            text: self.text.clone(),
            variables: variables.to_vec(),
            stack: stack_need(&program).max(stack_need(&written)),
            beyond: (program != written).then(|| written.into()),
            program,
        }
    }
}

/// Whether a function has a kink where its operands change: the cut of `atan2` is crossed by its first one.
fn has_kink(
    instruction: Instruction,
    operands: &[Vec<Instruction>],
    changes: impl Fn(&Vec<Instruction>) -> bool,
) -> bool {
    match instruction {
        Instruction::Min | Instruction::Max | Instruction::Unary(Unary::Abs | Unary::Sign | Unary::Step) => {
            operands.iter().any(changes)
        }
        Instruction::Atan2 => changes(&operands[0]),
        _ => false,
    }
}

/// What changes its sign at the kink of a function with these operands, times its side.
fn guard(instruction: Instruction, side: Instruction, operands: &[Vec<Instruction>]) -> Vec<Instruction> {
    let times_side: &[Instruction] = &[side, Instruction::Multiply];
    // What lies on the cut itself is on no way over it.
    let far: [Instruction; 5] = [
        Instruction::Constant(0.0),
        Instruction::Max,
        Instruction::MultiplyConstant(OVERLAP),
        Instruction::Add,
        Instruction::AddConstant(f64::MIN_POSITIVE),
    ];
    match (instruction, operands) {
        (Instruction::Atan2, [y, x]) => [&y[..], times_side, x, &far].concat(),
        (Instruction::Min | Instruction::Max, _) => {
            [&operands.concat()[..], &[Instruction::Subtract], times_side].concat()
        }
        _ => [&operands.concat()[..], times_side].concat(),
    }
}

fn reads(program: &[Instruction], varies: impl Fn(usize) -> bool) -> bool {
    (program.iter()).any(|instruction| matches!(*instruction, Instruction::Variable(i) if varies(i as usize)))
}

/// A function that is held on a side; jumps need their operands no more.
fn held(instruction: Instruction, side: Instruction, operands: &[Vec<Instruction>]) -> Vec<Instruction> {
    let all = operands.concat();
    let behind = |held: &[Instruction]| [&all[..], &[side], held].concat();
    match (instruction, operands) {
        (Instruction::Min, _) => behind(&[Instruction::Negate, Instruction::Chosen]),
        (Instruction::Max, _) => behind(&[Instruction::Chosen]),
        (Instruction::Unary(Unary::Sign), _) => vec![side],
        (Instruction::Unary(Unary::Step), _) => {
            vec![side, Instruction::AddConstant(1.0), Instruction::MultiplyConstant(0.5)]
        }
        // The angle from the axis between both sides, a quarter of a turn off.
        (Instruction::Atan2, [y, x]) => [
            &x[..],
            &[side, Instruction::Multiply, Instruction::Negate],
            y,
            &[side, Instruction::Multiply, Instruction::Atan2],
            &[side, Instruction::MultiplyConstant(FRAC_PI_2), Instruction::Add],
        ]
        .concat(),
        _ => behind(&[Instruction::Multiply]),
    }
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
            "atan2(x, y) + atan2(abs(y), x - 1)*atan2(-y, -x)",
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
                let [found, wanted] = [held.expression.evaluate(&all), expression.evaluate(&values)];
                assert!(
                    (found - wanted).abs() <= 1e-15 * wanted.abs(),
                    "{text} {values:?}: {found} {wanted}"
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
    fn where_what_is_held_has_no_value_beyond_its_kink_it_has_that_which_is_written() {
        let held = Expression::parse("max(x, 0)^1.5 + sqrt(max(x, 0))")
            .unwrap()
            .held(|_| true);
        let value = |x: f64| held.expression.evaluate(&[x, 1.0, 1.0]);
        assert_eq!((value(4.0), value(-4.0)), (10.0, 0.0));
        let guard = &Expression::parse("max(sqrt(max(x, 0)) - 1, 0)")
            .unwrap()
            .held(|_| true)
            .guards[1];
        assert_eq!(guard.evaluate(&[-4.0, 1.0, 1.0]), -1.0);
    }

    #[test]
    fn angles_go_on_beyond_their_cut_and_change_sides_where_both_have_one_value() {
        let held = Expression::parse("atan2(y, x)").unwrap().held(|_| true);
        let at = |degrees: f64, side: f64| {
            let (y, x) = degrees.to_radians().sin_cos();
            [&held.expression, &held.guards[0]].map(|part| part.evaluate(&[y, x, side]))
        };
        for degrees in (-85..265).step_by(5).map(f64::from) {
            let [above, guard] = at(degrees, 1.0);
            assert!((above - degrees.to_radians()).abs() < 1e-14, "{degrees}");
            assert_eq!(guard > 1e-9, (-75.0..180.0).contains(&degrees), "{degrees} {guard}");
            let [below, guard] = at(-degrees, -1.0);
            assert!((below + degrees.to_radians()).abs() < 1e-14, "{degrees}");
            assert_eq!(guard > 1e-9, (-75.0..180.0).contains(&degrees), "{degrees} {guard}");
        }
        // What lies on the cut stays on its side.
        assert!(held.guards[0].evaluate(&[0.0, -1.0, 1.0]) > 0.0);
        // What does not cross the cut is not held, and kinks within the argument only by themselves.
        let guards = |text: &str, varies: fn(usize) -> bool| Expression::parse(text).unwrap().held(varies).guards.len();
        assert_eq!(guards("atan2(y, x)", |i| i == 1), 0);
        assert_eq!(guards("atan2(max(y, 0), x)", |_| true), 1);
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
