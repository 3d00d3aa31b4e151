//! Random texts never panic; random formulas survive printing and parsing.

use proptest::prelude::*;

use super::*;
use crate::scalar::Dual64;

const PIECES: [&str; 43] = [
    "+", "-", "*", "/", "^", "(", ")", ",", "(", ")", " ", "  ", "\t", "\n", ".", "'", "0", "7", "3.5", "1e3", "2e",
    "E+", "1e-999", "x", "y", "left rod", "P2.", ".y", "'a-b'", "ω", "×", "²", "😀", "pi", "sin(", "min(", "hypot(",
    "atan2(", "sqrt", "\u{301}", "P[", "-3]", "[1]",
];

/// Parses, checks what can be checked of the outcome, and evaluates.
fn survive(text: &str) {
    match Expression::parse(text) {
        Ok(expression) => {
            let count = expression.variables().len();
            for variable in expression.variables() {
                assert!(text.get(variable.span.clone()).is_some(), "`{text}`: {variable:?}");
            }
            expression.evaluate(&vec![0.5; count]);
            expression.evaluate(&vec![Dual64::new(-1.5, 1.0); count]);
        }
        Err(error) => {
            assert!(text.get(error.span.clone()).is_some(), "`{text}`: {error:?}");
            assert!(!error.message.is_empty());
        }
    }
}

/// A formula built without the parser.
#[derive(Clone, Debug)]
enum Tree {
    Number(f64),
    Variable(usize),
    Negative(Box<Tree>),
    Binary(char, Box<Tree>, Box<Tree>),
    Call(&'static str, Vec<Tree>),
}

const VARIABLES: [&str; 3] = ["x", "left rod.force", "'4th bar'.y"];

impl Tree {
    /// How tightly it binds: sums 1, products 2, signs 3, powers 4, the rest 5.
    fn tightness(&self) -> u8 {
        match self {
            Self::Binary('+' | '-', ..) => 1,
            Self::Binary('*' | '/', ..) => 2,
            Self::Negative(_) => 3,
            Self::Binary(..) => 4,
            _ => 5,
        }
    }

    /// Prints with as few parentheses as possible.
    fn print(&self, least: u8) -> String {
        let text = match self {
            Self::Number(value) => format!("{value:?}"),
            Self::Variable(index) => VARIABLES[*index].to_string(),
            Self::Negative(inner) => format!("-{}", inner.print(3)),
            Self::Binary('^', base, exponent) => format!("{}^{}", base.print(5), exponent.print(3)),
            Self::Binary(operator, left, right) => {
                let own = self.tightness();
                format!("{}{operator} {}", left.print(own), right.print(own + 1))
            }
            Self::Call(name, arguments) => {
                let list: Vec<String> = arguments.iter().map(|argument| argument.print(0)).collect();
                format!("{name}({})", list.join(", "))
            }
        };
        if self.tightness() < least {
            format!("({text})")
        } else {
            text
        }
    }

    fn evaluate(&self, values: &[f64; 3]) -> f64 {
        match self {
            Self::Number(value) => *value,
            Self::Variable(index) => values[*index],
            Self::Negative(inner) => -inner.evaluate(values),
            Self::Binary(operator, left, right) => {
                let (a, b) = (left.evaluate(values), right.evaluate(values));
                match operator {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    '/' => a / b,
                    _ => crate::expression::elementary::power_constant(a, b),
                }
            }
            Self::Call(name, arguments) => {
                let a = arguments[0].evaluate(values);
                let b = arguments.get(1).map(|argument| argument.evaluate(values));
                match (*name, b) {
                    ("sin", _) => a.sin(),
                    ("exp", _) => a.exp(),
                    (_, Some(b)) if a.is_nan() || b.is_nan() => f64::NAN,
                    ("min", Some(b)) => a.min(b),
                    ("atan2", Some(b)) => a.atan2(b),
                    _ => unreachable!(),
                }
            }
        }
    }

    fn children(&self) -> Vec<&Tree> {
        match self {
            Self::Number(_) | Self::Variable(_) => vec![],
            Self::Negative(inner) => vec![inner],
            Self::Binary(_, left, right) => vec![left, right],
            Self::Call(_, arguments) => arguments.iter().collect(),
        }
    }

    fn is_constant(&self) -> bool {
        !matches!(self, Self::Variable(_)) && self.children().into_iter().all(Self::is_constant)
    }

    /// Whether a part without variables has no finite value, or something is divided by such a part that is zero.
    fn has_impossible_part(&self) -> bool {
        let divides_by_zero =
            matches!(self, Self::Binary('/', _, d) if d.is_constant() && d.evaluate(&[0.0; 3]) == 0.0);
        let without_value = self.is_constant() && !self.evaluate(&[0.0; 3]).is_finite();
        divides_by_zero || without_value || self.children().into_iter().any(Self::has_impossible_part)
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        (0..20_u8).prop_map(|n| Tree::Number(f64::from(n) * 0.5)),
        (0..3_usize).prop_map(Tree::Variable),
        (0..3_usize).prop_map(Tree::Variable),
    ];
    leaf.prop_recursive(6, 60, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            inner.clone().prop_map(|tree| Tree::Negative(Box::new(tree))),
            (prop::sample::select(vec!['+', '-', '*', '/', '^']), pair.clone())
                .prop_map(|(operator, (a, b))| Tree::Binary(operator, Box::new(a), Box::new(b))),
            (prop::sample::select(vec!["min", "atan2"]), pair).prop_map(|(name, (a, b))| Tree::Call(name, vec![a, b])),
            (prop::sample::select(vec!["sin", "exp"]), inner).prop_map(|(name, a)| Tree::Call(name, vec![a])),
        ]
    })
}

fn variable_value(name: &str, values: &[f64; 3]) -> f64 {
    match name {
        "x" => values[0],
        "left rod.force" => values[1],
        "4th bar.y" => values[2],
        other => panic!("unexpected variable `{other}`"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn token_soup_never_panics(pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40)) {
        survive(&pieces.concat());
    }

    #[test]
    fn arbitrary_text_never_panics(text in any::<String>()) {
        survive(&text);
    }

    #[test]
    fn a_truncated_formula_never_panics(tree in trees(), at in any::<prop::sample::Index>()) {
        let text = tree.print(0);
        survive(&text[..at.index(text.len() + 1)]);
    }

    #[test]
    fn printing_and_parsing_a_formula_keeps_its_value(tree in trees(), values in prop::array::uniform3(-3.0..3.0)) {
        let text = tree.print(0);
        match Expression::parse(&text) {
            Ok(expression) => {
                let inputs: Vec<f64> =
                    expression.variables().iter().map(|variable| variable_value(&variable.name, &values)).collect();
                let (actual, expected) = (expression.evaluate(&inputs), tree.evaluate(&values));
                prop_assert!(
                    actual == expected || actual.is_nan() && expected.is_nan(),
                    "`{}` gives {} instead of {}", text, actual, expected
                );
            }
            Err(error) => prop_assert!(tree.has_impossible_part(), "`{}`: {:?}", text, error),
        }
    }

    #[test]
    fn one_pass_back_has_the_derivatives_of_dual_numbers(tree in trees(), values in prop::array::uniform3(-3.0..3.0)) {
        let Ok(expression) = Expression::parse(&tree.print(0)) else { return Ok(()) };
        let inputs: Vec<f64> =
            expression.variables().iter().map(|variable| variable_value(&variable.name, &values)).collect();
        for (k, slope) in expression.slopes(&inputs).into_iter().enumerate() {
            let seeded = |(j, value): (usize, &f64)| Dual64::new(*value, if j == k { 1.0 } else { 0.0 });
            let duals: Vec<Dual64> = inputs.iter().enumerate().map(seeded).collect();
            let value = expression.evaluate(&duals);
            if value.re.is_finite() && value.eps.is_finite() && slope.is_finite() {
                let size = 1e-9 * (1.0 + value.eps.abs()) * (1.0 + value.re.abs());
                prop_assert!((slope - value.eps).abs() <= size, "`{}`: {} and {}", expression, slope, value.eps);
            }
        }
    }
}
