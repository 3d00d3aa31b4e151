//! The unit of an expression, as far as it is certain.

use super::Expression;
use super::evaluate::Instruction;
use super::function::Unary;

/// What is known of the unit of a part.
#[derive(Clone, Copy, PartialEq)]
enum Known<'a> {
    /// A plain number: in a sum it has the unit of the others.
    Number,
    In(&'a str),
    Nothing,
}

impl Expression {
    /// The unit, from those of the variables by their places: of sums, differences, `abs`, `min`, `max` and `hypot` of parts with
    /// one unit, and of angles that functions give. Products have none: what a plain factor counts is not known.
    pub fn unit<'a>(&self, of: impl Fn(usize) -> Option<&'a str>) -> Option<&'a str> {
        use Instruction as I;
        let mut parts: Vec<Known> = Vec::new();
        for &instruction in &self.program {
            let operands = parts.split_off(parts.len() - instruction.operands());
            parts.push(match instruction {
                I::Variable(i) => of(i as usize).map_or(Known::Nothing, Known::In),
                I::Negate | I::Add | I::Subtract | I::AddConstant(_) => common(&operands),
                I::Min | I::Max | I::Hypot(_) | I::Unary(Unary::Abs) => common(&operands),
                I::Atan2 | I::Unary(Unary::Asin | Unary::Acos | Unary::Atan) => Known::In("rad"),
                _ if operands.iter().all(|part| *part == Known::Number) => Known::Number,
                _ => Known::Nothing,
            });
        }
        match parts.last() {
            Some(Known::In(unit)) => Some(unit),
            _ => None,
        }
    }
}

/// The unit that parts have in common.
fn common<'a>(parts: &[Known<'a>]) -> Known<'a> {
    let both = |one, other| match (one, other) {
        (Known::Number, known) | (known, Known::Number) => known,
        _ if one == other => one,
        _ => Known::Nothing,
    };
    parts.iter().copied().fold(Known::Number, both)
}

#[cfg(test)]
mod tests {
    use super::Expression;

    #[test]
    fn sums_keep_their_unit_and_products_have_none() {
        let unit = |text: &str| {
            let expression = Expression::parse(text).expect("an expression");
            let names: Vec<String> = expression.variables().iter().map(|found| found.name.clone()).collect();
            let found = expression.unit(|k| match names[k].as_str() {
                "x" | "y" => Some("m"),
                "t" => Some("s"),
                _ => None,
            });
            found.map(str::to_string)
        };
        for text in ["x", "-x + 3", "2*3 - abs(x - y)", "max(0, x, y)", "hypot(x, y)"] {
            assert_eq!(unit(text).as_deref(), Some("m"), "{text}");
        }
        assert_eq!(unit("atan2(x, y) + pi").as_deref(), Some("rad"));
        for text in ["2*x", "x + t", "x/y", "sqrt(x)", "x^2", "x + k", "3", "sin(t)"] {
            assert_eq!(unit(text), None, "{text}");
        }
    }
}
