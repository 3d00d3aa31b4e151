//! Tests of the expression language.

mod derivatives;
mod errors;
mod functions;
mod grammar;
mod limits;
mod names;
mod random;
mod singular;

use super::{Expression, ExpressionError};
use crate::scalar::Scalar;

fn parsed(text: &str) -> Expression {
    Expression::parse(text).unwrap_or_else(|error| panic!("`{text}`: {error:?}"))
}

fn refused(text: &str) -> ExpressionError {
    match Expression::parse(text) {
        Ok(expression) => panic!("`{text}` parsed to {expression:?}"),
        Err(error) => error,
    }
}

/// The value of a text whose variables are among `x`, `y` and `z`.
fn value_at<S: Scalar>(text: &str, [x, y, z]: [S; 3]) -> S {
    let expression = parsed(text);
    let values: Vec<S> = expression
        .variables()
        .iter()
        .map(|variable| match variable.name.as_str() {
            "x" => x,
            "y" => y,
            "z" => z,
            other => panic!("`{text}` has the variable `{other}`"),
        })
        .collect();
    expression.evaluate(&values)
}

fn value(text: &str) -> f64 {
    value_at(text, [3.0, 5.0, 7.0])
}

fn variable_names(text: &str) -> Vec<String> {
    parsed(text)
        .variables()
        .iter()
        .map(|variable| variable.name.clone())
        .collect()
}
