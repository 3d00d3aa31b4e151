//! Whether the samples of a guard within a step show what it does between them.
//!
//! At the nodes a guard is a sum of Chebyshev polynomials. Those of the highest degrees have little share in what a step
//! resolves; in what turns more often than the samples tell, all have shares alike.

use crate::error::{Error, ErrorKind, Result};

/// Sampled fractions of a step: Chebyshev-Lobatto nodes, the natural ones for an interpolant of degree 7.
pub(super) const NODES: [f64; 10] = [
    0.0,
    0.030_153_689_607_045_81,
    0.116_977_778_440_510_97,
    0.25,
    0.413_175_911_166_534_8,
    0.586_824_088_833_465_2,
    0.75,
    0.883_022_221_559_489,
    0.969_846_310_392_954_2,
    1.0,
];

/// Steps over the duration, below which none is shortened for guards that turn often: jumps of a guard never look smooth.
pub(super) const FINEST: f64 = 1e-10;

/// Part of the step where a guard is compared with the polynomial through its samples, and how far it may be off, over the
/// variation.
pub(super) const BETWEEN: f64 = 0.463_7;
const APART: f64 = 0.25;

/// Variation of a guard, over what carries no sign, from which it tells something.
const TELLING: f64 = 1e4;

/// Variation over the largest value that may be rounding.
const ROUNDING: f64 = 1e-9;

/// Shares of the two highest polynomials in the square of the variation: below the first the samples tell, above the second they do
/// not.
const SMOOTH: f64 = 1e-8;
const ROUGH: f64 = 5e-3;

/// Samples that may not tell what the guard does between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt<'a> {
    values: &'a [f64; NODES.len()],
    /// Root of the mean square about the mean.
    variation: f64,
    /// Share of the two highest polynomials in its square.
    share: f64,
}

impl<'a> Doubt<'a> {
    /// None where the samples tell.
    pub fn about(values: &'a [f64; NODES.len()]) -> Option<Self> {
        let mean = mean(|k| values[k]);
        let square = self::mean(|k| (values[k] - mean).powi(2));
        let alternating = |k: usize| sign(k) * (values[k] - mean);
        let highest = self::mean(alternating);
        let next = self::mean(|k| alternating(k) * (1.0 - 2.0 * NODES[k]));
        let share = (highest.powi(2) + 2.0 * next.powi(2)) / square;
        let variation = square.sqrt();
        let largest = values.iter().fold(0.0, |most, value| f64::max(most, value.abs()));
        (share > SMOOTH && variation > ROUNDING * largest).then_some(Self {
            values,
            variation,
            share,
        })
    }

    /// Whether the guard does nothing beyond what carries no sign.
    pub fn is_rounding(&self, rounding: f64) -> bool {
        self.variation <= TELLING * rounding
    }

    /// Settles the doubt by the value at [`BETWEEN`].
    ///
    /// # Errors
    /// Kind `StepSize` where the samples do not tell: a shorter step does.
    pub fn settle(&self, between: f64) -> Result<()> {
        if self.share < ROUGH && (between - self.interpolated(BETWEEN)).abs() < APART * self.variation {
            return Ok(());
        }
        let message = "a condition for an event turns more often than steps can see";
        Err(Error::new(ErrorKind::StepSize, message))
    }

    /// The polynomial through the samples, at a part of the step that is no node.
    fn interpolated(&self, part: f64) -> f64 {
        let weight = |k: usize| sign(k) / (part - NODES[k]);
        mean(|k| weight(k) * self.values[k]) / mean(weight)
    }
}

fn sign(k: usize) -> f64 {
    if k.is_multiple_of(2) { 1.0 } else { -1.0 }
}

/// Mean over the nodes, the ends by halves.
fn mean(value: impl Fn(usize) -> f64) -> f64 {
    let last = NODES.len() - 1;
    let inner: f64 = (1..last).map(&value).sum();
    (inner + 0.5 * (value(0) + value(last))) / last as f64
}

#[cfg(test)]
mod tests {
    use super::{BETWEEN, Doubt, NODES};

    fn is_seen(guard: impl Fn(f64) -> f64) -> bool {
        let values = NODES.map(&guard);
        Doubt::about(&values).is_none_or(|doubt| doubt.settle(guard(BETWEEN)).is_ok())
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
