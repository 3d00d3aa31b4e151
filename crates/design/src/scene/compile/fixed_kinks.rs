//! Kinks of expressions at the values of parameters, whatever moves: nothing crosses them, and derivatives are there only where
//! both sides have the same.

use super::derivatives::{Derivatives, Known, evaluate, evaluate_first};
use crate::expression::{Expression, Held};

/// Part of what parameters contribute to the argument of a kink that is rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Difference of values or derivatives on two sides, over their size, that is rounding.
const SAME: f64 = 1e-12;

/// Sizes of what is not known beforehand, where it is looked at.
const ANYWHERE: [f64; 4] = [0.3, 1.0, 10.0, 100.0];

/// Whether an expression of these numbers has a kink at them, `value` of each parameter.
pub(super) fn at_kink(expression: &Expression, known: &[Known], value: impl Fn(usize) -> f64) -> bool {
    let fixed = Derivatives::default();
    let mut all = known.to_vec();
    let held = expression.held(|_| true);
    held.guards.iter().any(|guard| {
        all.push((1.0, &fixed));
        let ([argument], [slopes]) = evaluate_first(guard, &all);
        if let Some(side) = all.last_mut().filter(|_| argument < 0.0) {
            side.0 = -1.0;
        }
        vanishes(argument, &slopes, &value)
    })
}

/// Parameters by which an expression of these numbers has other derivatives on one side than on the other, or than it gives at the
/// kink itself, with the order of these, one or two; none stands for what is not known beforehand, and `value` of each parameter.
/// What moves may be anywhere: it is looked at in places at random too, for an argument that vanishes at one of them does at all.
pub(super) fn kinked(
    expression: &Expression,
    known: &[Option<Known>],
    value: impl Fn(usize) -> f64,
) -> Vec<(usize, usize)> {
    let (fixed, held) = (Derivatives::default(), expression.held(|_| true));
    if held.guards.is_empty() {
        return Vec::new();
    }
    let at = |unknown: &dyn Fn(usize) -> f64| -> Vec<Known> {
        let all = known.iter().enumerate();
        all.map(|(i, known)| known.unwrap_or((unknown(i), &fixed))).collect()
    };
    let mut found = kinked_at(expression, &held, &at(&|_| f64::NAN), &value);
    if known.iter().all(Option::is_some) {
        return found;
    }
    for (k, size) in ANYWHERE.into_iter().enumerate() {
        let random = |i: usize, factor: f64| (factor * (i + 1) as f64 + 0.3 * k as f64).fract();
        for sign in [1.0, -1.0] {
            let all = at(&|i| (0.5 + random(i, 0.618_034)) * size * (random(i, 0.754_878) - 0.5).signum() * sign);
            let ([here], _) = evaluate_first(expression, &all);
            if here.is_finite() {
                found.extend(kinked_at(expression, &held, &all, &value));
            }
        }
    }
    found
}

/// The same where all is known; what is no number is not.
fn kinked_at(
    expression: &Expression,
    held: &Held,
    all: &[Known],
    value: &impl Fn(usize) -> f64,
) -> Vec<(usize, usize)> {
    let mut changes: Vec<Change> = Vec::new();
    beside(held, all, &[], value, |argument| {
        for change in changes_of(argument) {
            if !changes.contains(&change) {
                changes.push(change);
            }
        }
    });
    if changes.is_empty() {
        return Vec::new();
    }
    let ([here], [derivatives]) = evaluate(expression, all);
    let mut found = Vec::new();
    for change in changes {
        let [low, high] = [-1.0, 1.0].map(|sign| {
            let change: Change = change.iter().map(|(p, by)| (*p, sign * by)).collect();
            beside(held, all, &change, value, |_| ())
        });
        let written = (here, derivatives.clone());
        let orders = [&high, &written].map(|other| differs(&low, other, value));
        if let Some(order) = orders.into_iter().flatten().min() {
            found.extend(change.iter().map(|(p, _)| (*p, order)));
        }
    }
    found
}

/// A small change of parameters: how fast each changes.
type Change = Vec<(usize, f64)>;

/// Whether the argument of a kink is zero to rounding.
fn vanishes(argument: f64, slopes: &Derivatives, value: impl Fn(usize) -> f64) -> bool {
    let size: f64 = slopes.gradient.iter().map(|(p, slope)| (slope * value(*p)).abs()).sum();
    argument == 0.0 || argument.abs() <= ROUNDING * size
}

/// Value and derivatives of an expression just beside these numbers along a change; the arguments of kinks at them are handed to
/// `visit`, with their derivatives.
fn beside(
    held: &Held,
    known: &[Known],
    change: &[(usize, f64)],
    value: impl Fn(usize) -> f64,
    mut visit: impl FnMut(&Derivatives),
) -> (f64, Derivatives) {
    let fixed = Derivatives::default();
    let mut all = known.to_vec();
    for guard in &held.guards {
        all.push((1.0, &fixed));
        let ([mut argument], [derivatives]) = evaluate(guard, &all);
        if vanishes(argument, &derivatives, &value) {
            visit(&derivatives);
            argument = derivatives.along(change);
        }
        if let Some(side) = all.last_mut().filter(|_| argument < 0.0) {
            side.0 = -1.0;
        }
    }
    let ([value], [derivatives]) = evaluate(&held.expression, &all);
    (value, derivatives)
}

/// Changes by which an argument leaves zero: of one parameter, and of two that it has no slope by.
fn changes_of(argument: &Derivatives) -> Vec<Change> {
    let alone = argument.gradient.iter().map(|(p, _)| vec![(*p, 1.0)]);
    let bent = argument.curvature.iter().flat_map(|&(p, r, _)| match p == r {
        true => vec![vec![(p, 1.0)]],
        false => vec![vec![(p, 1.0), (r, 1.0)], vec![(p, 1.0), (r, -1.0)]],
    });
    alone.chain(bent).collect()
}

/// The order of the first derivatives that differ, if one and two are not all the same but for what rounding of the parameters
/// changes; what is not known is not the same.
fn differs(
    (one, of): &(f64, Derivatives),
    (other, others): &(f64, Derivatives),
    value: impl Fn(usize) -> f64,
) -> Option<usize> {
    let same = |a: f64, b: f64, rounding: f64| (a - b).abs() <= SAME * (a.abs() + b.abs()) + ROUNDING * rounding;
    let slopes = || of.gradient.iter().chain(&others.gradient);
    let seconds = || of.curvature.iter().chain(&others.curvature);
    let by_slopes: f64 = slopes().map(|(p, slope)| (slope * value(*p)).abs()).sum();
    let along = |p: usize, r: usize, q: usize| if r == p { value(q) } else { 0.0 };
    let by_seconds = |p: usize| {
        seconds()
            .map(|&(r, q, second)| (second * (along(p, r, q) + along(p, q, r))).abs())
            .sum()
    };
    if !same(*one, *other, by_slopes) || !slopes().all(|&(p, _)| same(of.slope(p), others.slope(p), by_seconds(p))) {
        return Some(1);
    }
    let all_same = seconds().all(|&(p, r, _)| same(of.second(p, r), others.second(p, r), 0.0));
    (!all_same).then_some(2)
}
