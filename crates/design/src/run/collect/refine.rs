//! Where a function of time has its extreme values, from its values and rates.
//!
//! An interval is halved until the cubic through the values and rates at its ends foretells the middle, and the rates its
//! change: then its rate changes sign at most once in each half. Where no halving helps there is a kink, a jump or a pole.

use crate::error::Result;

/// Deviation from the cubic, over the change of value that the ends allow, at which it is followed.
const FOLLOWED: f64 = 0.05;

/// Halvings after which an interval is a place.
const DEEPEST: usize = 40;

/// Difference of the values on both sides of a place, over their size, that is a jump and no cusp.
const JUMP: f64 = 1e-3;

/// Samples within an interval, beyond which it is left as it is.
const MOST_SAMPLES: usize = 4000;

/// Value and rate at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub t: f64,
    pub value: f64,
    pub rate: f64,
}

/// What keeps a function from having an extreme value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    /// It grows without bound towards this time.
    Pole(f64),
    /// It has other values on both sides of this time.
    Jump(f64),
    /// It changes too often in the interval that ends at this time.
    Unresolved(f64),
}

/// The parts of an interval in which the rate falls through zero, and what is in the way.
#[derive(Debug, Default)]
pub(super) struct Extremes {
    pub brackets: Vec<(Sample, Sample)>,
    pub fault: Option<Fault>,
}

/// Looks for them between two samples; `noise` tells how exact values of a size are.
///
/// # Errors
/// Those of `sample`.
pub(super) fn extremes(
    sample: &mut impl FnMut(f64) -> Result<Sample>,
    (first, last): (Sample, Sample),
    noise: impl Fn(f64) -> f64,
) -> Result<Extremes> {
    let mut found = Extremes::default();
    // Intervals to look at, each with the largest values in those that it is a part of.
    let mut waiting = vec![(first, last, Vec::new())];
    let mut samples = 0;
    while let Some((a, b, mut sizes)) = waiting.pop() {
        let middle = sample(0.5 * (a.t + b.t))?;
        samples += 1;
        let size = a.value.abs().max(b.value.abs()).max(middle.value.abs());
        sizes.push(size);
        if deviation(a, middle, b) > noise(size) {
            let is_place = sizes.len() > DEEPEST || middle.t <= a.t || middle.t >= b.t;
            if samples > MOST_SAMPLES {
                found.fault = Some(Fault::Unresolved(b.t));
                return Ok(found);
            }
            if !is_place {
                waiting.push((middle, b, sizes.clone()));
                waiting.push((a, middle, sizes));
                continue;
            }
            found.fault = found.fault.or(fault(a, b, &sizes));
        }
        let halves = [(a, middle), (middle, b)];
        let falls = |(a, b): &(Sample, Sample)| a.rate > 0.0 && b.rate <= 0.0;
        found.brackets.extend(halves.into_iter().filter(falls));
    }
    Ok(found)
}

/// By how much the middle of an interval differs from what its ends foretell; zero where that is little beside the change that
/// they allow.
fn deviation(a: Sample, middle: Sample, b: Sample) -> f64 {
    let step = b.t - a.t;
    let mean = 0.5 * (a.value + b.value);
    let cubic = mean + step * (a.rate - b.rate) / 8.0;
    let change = step * (a.rate + 4.0 * middle.rate + b.rate) / 6.0;
    let off = (middle.value - cubic).abs().max((b.value - a.value - change).abs());
    let allowed = (b.value - a.value).abs() + (middle.value - mean).abs() + step * (a.rate.abs() + b.rate.abs());
    if off <= FOLLOWED * allowed { 0.0 } else { off }
}

/// What a place is, from the values on its sides and the largest ones in the intervals around it.
fn fault(a: Sample, b: Sample, sizes: &[f64]) -> Option<Fault> {
    let (whole, half) = (sizes.last()?, sizes.get(sizes.len() / 2)?);
    let (early, late) = ((half - sizes.first()?).abs(), (whole - half).abs());
    if late >= 0.5 * early && late > JUMP * half.abs() {
        return Some(Fault::Pole(a.t));
    }
    // Beside the values around: those of a cusp through zero differ by as much as they are.
    ((a.value - b.value).abs() > JUMP * sizes.first()?).then_some(Fault::Jump(a.t))
}

#[cfg(test)]
mod tests {
    use super::{Extremes, Fault, Sample, extremes};

    /// Where functions have their poles.
    const PLACE: f64 = 0.370_123;

    /// The search from 0 to 1, with the derivative by differences that do not reach over the place.
    fn searched(f: impl Fn(f64) -> f64) -> Extremes {
        let mut sample = |t: f64| {
            let h = (0.01 * (t - PLACE).abs()).clamp(1e-15, 1e-5);
            let rate = (f(t + h) - f(t - h)) / (2.0 * h);
            Ok(Sample { t, value: f(t), rate })
        };
        let ends = (sample(0.0).unwrap(), sample(1.0).unwrap());
        extremes(&mut sample, ends, |size| 1e-6 * size + 1e-8).unwrap()
    }

    #[test]
    fn every_extreme_value_is_bracketed_however_fast_they_follow() {
        for count in [1, 7, 40] {
            let turns = std::f64::consts::TAU * f64::from(count);
            let found = searched(|t| (turns * t).sin());
            assert_eq!(found.fault, None);
            assert_eq!(found.brackets.len(), count as usize, "{count}");
        }
    }

    #[test]
    fn poles_and_jumps_are_told_from_kinks_and_cusps() {
        let c = PLACE;
        let poles: [fn(f64) -> f64; 4] = [
            |x| 1.0 / x,
            |x| -2.0 - 1e-3 / x,
            |x| 1.0 / x.abs().sqrt(),
            |x| 5.0 + x.abs().ln(),
        ];
        for (k, pole) in poles.iter().enumerate() {
            let fault = searched(|t| pole(t - c)).fault;
            assert!(
                matches!(fault, Some(Fault::Pole(t)) if (t - c).abs() < 1e-9),
                "{k}: {fault:?}"
            );
        }
        let fault = searched(|t| t + if t < c { 3.0 } else { 0.0 }).fault;
        assert!(
            matches!(fault, Some(Fault::Jump(t)) if (t - c).abs() < 1e-9),
            "{fault:?}"
        );
        for fine in [|x: f64| -x.abs(), |x: f64| 1.0 - x.abs().sqrt(), |x: f64| x.cbrt()] {
            assert_eq!(searched(|t| fine(t - c)).fault, None);
        }
    }

    #[test]
    fn noise_is_no_fault() {
        let found = searched(|t| 1e-13 * (1e9 * t).sin());
        assert_eq!(found.fault, None);
        assert_eq!(searched(|t| 20.0 + 1e-9 * (1e6 * t).sin()).fault, None);
    }
}
