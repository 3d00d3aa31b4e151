//! Kinks of expressions at the values of parameters alone: nothing that moves crosses them, and there is no derivative at them.

use super::derivatives::{Derivatives, Known, evaluate_first};
use crate::expression::Expression;

/// Part of what parameters contribute to the argument of a kink that is rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Difference of values or derivatives on two sides, over their size, that is rounding.
const SAME: f64 = 1e-12;

/// Parameters by which an expression of these numbers has other derivatives on one side than on the other, `value` of each; none
/// stands for what is not known beforehand.
pub(super) fn kinked(expression: &Expression, known: &[Option<Known>], value: impl Fn(usize) -> f64) -> Vec<usize> {
    let held = expression.held(|_| true);
    let fixed = Derivatives::default();
    let mut all: Vec<Known> = known.iter().map(|known| known.unwrap_or((f64::NAN, &fixed))).collect();
    let mut vanishing = Vec::new();
    for guard in &held.guards {
        all.push((1.0, &fixed));
        let ([argument], [slopes]) = evaluate_first(guard, &all);
        let side = all.len() - 1;
        all[side].0 = if argument < 0.0 { -1.0 } else { 1.0 };
        let size: f64 = slopes.gradient.iter().map(|(p, slope)| (slope * value(*p)).abs()).sum();
        if argument.abs() <= ROUNDING * size || argument == 0.0 {
            vanishing.push((side, slopes.gradient));
        }
    }
    let mut found = Vec::new();
    for (side, slopes) in vanishing {
        let [(low, below), (high, above)] = [-1.0, 1.0].map(|sign| {
            all[side].0 = sign;
            let ([value], [derivatives]) = evaluate_first(&held.expression, &all);
            (value, derivatives)
        });
        let goes_on = same(low, high) && same_slopes(&below, &above);
        found.extend(slopes.iter().map(|(p, _)| *p).filter(|_| !goes_on));
    }
    found
}

/// What is not known is not the same.
fn same(one: f64, other: f64) -> bool {
    (one - other).abs() <= SAME * (one.abs() + other.abs())
}

fn same_slopes(one: &Derivatives, other: &Derivatives) -> bool {
    let pairs = || one.gradient.iter().zip(&other.gradient);
    one.gradient.len() == other.gradient.len() && pairs().all(|(one, other)| one.0 == other.0 && same(one.1, other.1))
}
