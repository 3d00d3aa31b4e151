//! Which second derivatives of an expression may differ from zero, by its structure alone.

use super::Expression;
use super::evaluate::Instruction;
use super::function::Unary;

/// A set of variables, one bit each.
type Set = Vec<u64>;

impl Expression {
    /// Pairs of variables, by their places and the second not before the first, by which the second derivative may differ
    /// from zero; by all others it is zero whatever the values. Ascending.
    pub fn curved_pairs(&self) -> Vec<(usize, usize)> {
        let mut pattern = Pattern::new(self.variables.len());
        let mut parts: Vec<Set> = Vec::new();
        for &instruction in &self.program {
            let operands = parts.split_off(parts.len() - instruction.operands());
            pattern.bend(instruction, &operands);
            let mut all = pattern.none();
            for operand in &operands {
                add(&mut all, operand);
            }
            if let Instruction::Variable(i) = instruction {
                all[i as usize / 64] |= 1 << (i % 64);
            }
            parts.push(all);
        }
        pattern.pairs()
    }
}

/// By variable, those with which it has a second derivative.
struct Pattern {
    rows: Vec<Set>,
}

impl Pattern {
    fn new(variables: usize) -> Self {
        let rows = vec![vec![0; variables.div_ceil(64)]; variables];
        Self { rows }
    }

    fn none(&self) -> Set {
        vec![0; self.rows.len().div_ceil(64)]
    }

    /// Adds the second derivatives of one step of the program by its operands.
    fn bend(&mut self, instruction: Instruction, operands: &[Set]) {
        match (instruction, operands) {
            (Instruction::Multiply, [left, right]) => self.cross(left, right),
            (Instruction::Divide, [left, right]) => {
                self.cross(left, right);
                self.cross(right, right);
            }
            _ if is_straight(instruction) => {}
            _ => {
                for left in operands {
                    for right in operands {
                        self.cross(left, right);
                    }
                }
            }
        }
    }

    /// Adds the pairs of a variable of one set and one of the other.
    fn cross(&mut self, left: &Set, right: &Set) {
        for (i, row) in self.rows.iter_mut().enumerate() {
            if contains(left, i) {
                add(row, right);
            }
        }
    }

    fn pairs(&self) -> Vec<(usize, usize)> {
        let count = self.rows.len();
        let is_curved = |&(i, j): &(usize, usize)| contains(&self.rows[i], j) || contains(&self.rows[j], i);
        let all = (0..count).flat_map(|i| (i..count).map(move |j| (i, j)));
        all.filter(is_curved).collect()
    }
}

impl Expression {
    /// Whether there may be places where it has a value and no derivatives, kinks aside: the tip of a `hypot`, the start of a root.
    pub fn may_lack_derivatives(&self) -> bool {
        let is_root = |exponent: f64| exponent.fract() != 0.0;
        self.program.iter().any(|instruction| match *instruction {
            Instruction::Hypot(_) | Instruction::Atan2 | Instruction::Power => true,
            Instruction::PowerConstant(exponent) => is_root(exponent),
            Instruction::Unary(function) => matches!(function, Unary::Sqrt | Unary::Cbrt),
            _ => false,
        })
    }
}

/// Whether a step of the program is straight in its operands, on the side of a kink where they are.
fn is_straight(instruction: Instruction) -> bool {
    match instruction {
        Instruction::Constant(_)
        | Instruction::Variable(_)
        | Instruction::Negate
        | Instruction::Add
        | Instruction::Subtract
        | Instruction::Min
        | Instruction::Max
        | Instruction::AddConstant(_)
        | Instruction::MultiplyConstant(_)
        | Instruction::DivideConstant(_)
        | Instruction::Chosen => true,
        Instruction::Unary(function) => matches!(function, Unary::Abs | Unary::Sign | Unary::Step),
        Instruction::Multiply
        | Instruction::Divide
        | Instruction::Power
        | Instruction::Atan2
        | Instruction::PowerConstant(_)
        | Instruction::Hypot(_) => false,
    }
}

fn contains(set: &Set, i: usize) -> bool {
    set[i / 64] >> (i % 64) & 1 == 1
}

fn add(set: &mut Set, other: &Set) {
    for (words, more) in set.iter_mut().zip(other) {
        *words |= more;
    }
}

#[cfg(test)]
mod tests {
    use super::Expression;
    use crate::scalar::{Dual, Dual64};

    fn pairs(text: &str) -> Vec<(usize, usize)> {
        Expression::parse(text).unwrap().curved_pairs()
    }

    #[test]
    fn only_what_is_multiplied_or_bent_has_second_derivatives() {
        assert_eq!(pairs("2*x - y/3 + abs(z) - max(x, y)"), []);
        assert_eq!(pairs("x*y + z"), [(0, 1)]);
        assert_eq!(pairs("x/y + z"), [(0, 1), (1, 1)]);
        assert_eq!(pairs("x + sin(y - z)"), [(1, 1), (1, 2), (2, 2)]);
        assert_eq!(pairs("(x + y)*(y - 1) + z"), [(0, 1), (1, 1)]);
    }

    #[test]
    fn passes_back_give_every_second_derivative_that_is_not_zero() {
        for text in [
            "x*y/z + w",
            "x^y + hypot(z, w)",
            "atan2(x, y)*z + w^3",
            "exp(x)*max(y*z, w)",
            "min(x^2, y) - sqrt(z)/w",
            "abs(x*y) - step(z)*w",
            "x*(y + sin(z*w))",
            "(x - 0.7)^2*sqrt(y) + z/(x + y + z + w)",
        ] {
            let expression = Expression::parse(text).unwrap();
            let count = expression.variables().len();
            let values = [0.7, 1.3, 0.4, 1.9];
            let curvature = expression.curvature(&values[..count]);
            for (i, j) in (0..count).flat_map(|i| (i..count).map(move |j| (i, j))) {
                let seed = |k: usize, of: usize| f64::from(u8::from(k == of));
                let value = |k: usize| Dual64::new(values[k], seed(k, i));
                let values: Vec<Dual<Dual64>> = (0..count)
                    .map(|k| Dual::new(value(k), Dual64::new(seed(k, j), 0.0)))
                    .collect();
                let second = expression.evaluate(&values).eps.eps;
                let found = curvature.iter().find(|(p, r, _)| (*p, *r) == (i, j));
                let found = found.map_or(0.0, |(_, _, second)| *second);
                assert!(
                    (second - found).abs() <= 1e-14 * second.abs().max(1.0),
                    "{text}: {i}, {j}: {found}, not {second}"
                );
            }
        }
    }

    #[test]
    fn where_a_pass_back_has_no_number_the_derivative_is_that_of_dual_numbers() {
        let found = Expression::parse("sqrt(x*y)*z").unwrap().curvature(&[0.0, 0.0, 1.0]);
        let pairs: Vec<_> = found.iter().map(|(p, r, _)| (*p, *r)).collect();
        assert_eq!(pairs, [(0, 1)], "those by x alone and by y alone are zero");
        assert!(found[0].2.is_nan());
        assert_eq!(Expression::parse("sqrt(x^4)").unwrap().curvature(&[0.0]), []);
    }
}
