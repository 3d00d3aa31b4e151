//! Whether the samples of a guard within a step show what it does between them.
//!
//! At the ten nodes a guard is a sum of Chebyshev polynomials. Those of the highest degrees have little share in what a step
//! resolves; in what turns more often than the samples tell, all have shares alike.

use std::f64::consts::PI;

use crate::error::{Error, ErrorKind, Result};

/// Steps over the duration, below which none is shortened for guards that turn often: jumps of a guard never look smooth.
pub(super) const FINEST: f64 = 1e-10;

/// Variation of a guard, over what carries no sign, from which it tells something.
const TELLING: f64 = 1e4;

/// Samples of a step.
const COUNT: usize = 10;

/// Shares of the two highest polynomials in the square of the variation: below the first the samples tell, above the second they do
/// not.
const SMOOTH: f64 = 1e-8;
const ROUGH: f64 = 5e-3;

/// Part of the step where the polynomial through the samples is compared with the guard in between, and how far it may be off,
/// over the variation.
const BETWEEN: f64 = 0.463_7;
const APART: f64 = 0.25;

/// Variation over the largest value that may be rounding.
const ROUNDING: f64 = 1e-9;

/// Looks at the samples of a guard at the Chebyshev-Lobatto nodes of a step, and between them by `value`, a function of the part of
/// the step, where they leave a doubt; `rounding` is what of the values carries no sign.
///
/// # Errors
/// Kind `StepSize` where they do not tell what it does between them: a shorter step sees it. What `value` reports.
pub(super) fn check_resolution(
    values: &[f64; COUNT],
    rounding: f64,
    value: impl FnOnce(f64) -> Result<f64>,
) -> Result<()> {
    let (rough, variation) = roughness(values);
    let largest = values.iter().fold(0.0, |most, value| f64::max(most, value.abs()));
    let is_seen = variation <= (ROUNDING * largest).max(TELLING * rounding)
        || rough < SMOOTH
        || rough < ROUGH && (value(BETWEEN)? - interpolated(values, BETWEEN)).abs() < APART * variation;
    if is_seen {
        return Ok(());
    }
    let message = "a condition for an event turns more often than steps can see";
    Err(Error::new(ErrorKind::StepSize, message))
}

/// Share of the two highest polynomials in the square of the variation, and the variation.
fn roughness(values: &[f64; COUNT]) -> (f64, f64) {
    let last = COUNT - 1;
    let mean_of = |weigh: &dyn Fn(usize) -> f64| -> f64 {
        let terms = (0..COUNT).map(|k| {
            if k.is_multiple_of(last) {
                0.5 * weigh(k)
            } else {
                weigh(k)
            }
        });
        terms.sum::<f64>() / last as f64
    };
    let mean = mean_of(&|k| values[k]);
    let square = mean_of(&|k| (values[k] - mean).powi(2));
    let alternating = |k: usize| {
        if k.is_multiple_of(2) {
            values[k] - mean
        } else {
            mean - values[k]
        }
    };
    let highest = mean_of(&alternating);
    let next = mean_of(&|k| alternating(k) * (k as f64 * PI / last as f64).cos());
    let share = (highest.powi(2) + 2.0 * next.powi(2)) / square;
    (if share.is_nan() { 0.0 } else { share }, square.sqrt())
}

/// The polynomial through the values, at a part of the step that is no node.
fn interpolated(values: &[f64; COUNT], part: f64) -> f64 {
    let last = COUNT - 1;
    let (mut sum, mut weights) = (0.0, 0.0);
    for (k, value) in values.iter().enumerate() {
        let node = 0.5 - 0.5 * (k as f64 * PI / last as f64).cos();
        let weight = if k.is_multiple_of(2) { 1.0 } else { -1.0 } * if k.is_multiple_of(last) { 0.5 } else { 1.0 }
            / (part - node);
        sum += weight * value;
        weights += weight;
    }
    sum / weights
}

#[cfg(test)]
mod tests {
    use super::{COUNT, PI, check_resolution};

    fn is_seen(guard: impl Fn(f64) -> f64) -> bool {
        let values: [f64; COUNT] = std::array::from_fn(|k| guard(0.5 - 0.5 * (k as f64 * PI / 9.0).cos()));
        check_resolution(&values, 0.0, |part| Ok(guard(part))).is_ok()
    }

    #[test]
    fn what_turns_less_often_than_the_samples_is_seen() {
        for omega in [0.0, 0.1, 1.0, 3.0, 6.0] {
            assert!(is_seen(|t| (omega * t + 0.3).sin()), "{omega}");
        }
        assert!(is_seen(|t| (t - 0.4).abs()));
        assert!(is_seen(|t| 1.0 + 1e-12 * (1e5 * t).sin()), "rounding");
    }

    #[test]
    fn what_turns_more_often_is_not() {
        let missed = |step: f64| {
            (100..10_100)
                .filter(|&k| is_seen(|t| (step * f64::from(k) * t + 0.3).sin()))
                .count()
        };
        assert!(missed(37.7) < 100, "{} of 10000", missed(37.7));
        for omega in [20.0, 30.0, 40.0, 60.0] {
            let phases = (0..63).filter(|&k| is_seen(|t| (omega * t + 0.1 * f64::from(k)).sin()));
            assert_eq!(phases.count(), 0, "{omega}");
        }
    }
}
