//! Single long steps by collocation over a place where the flow is rough (theory, 8.1).

use super::{Attempt, Flow, Stepper, Tolerance};
use crate::error::Result;

/// Distance to a singular position, in step sizes, from which an ordinary step may reach it.
const LAST_CHANCE: f64 = 2.0;

/// Estimated error, relative to the solution, up to which a step over a rough place is taken.
const LARGEST_LEAP: f64 = 1e-8;

/// Estimated error over the tolerance up to which a step over a rough place is taken rather than ordinary ones.
const NEARLY: f64 = 100.0;

/// Lengths of steps over a rough place that was not foreseen, over the usual length of a step.
const LEAPS: [f64; 5] = [8.0, 11.0, 5.7, 15.0, 4.0];

/// Fraction of the usual step after which steps over rough places are tried again.
const REST: f64 = 4.0;

/// A step with its scaled error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leap {
    /// Step size (signed), in seconds.
    pub h: f64,
    /// Error over the tolerance.
    pub error: f64,
    /// Time of the rough place, where known.
    pub place: Option<f64>,
}

/// Passes a singular position that is foreseen by a step of twice the distance to it, whose nodes lie evenly around it; the
/// scaled error of the step, or none.
pub(super) fn pass_foreseen(
    stepper: &mut Stepper,
    flow: &mut dyn Flow,
    (t, x): (f64, &[f64]),
    (h, longest): (f64, f64),
    tolerance: &Tolerance,
) -> Result<Option<f64>> {
    let natural = stepper.outlook.natural(h);
    let Some(expected) = stepper.outlook.ahead(t, natural, tolerance.rtol()) else {
        return Ok(None);
    };
    let twice = |place: f64| shorter(2.0 * (place - t), longest);
    stepper.leap(true);
    flow.project_stages(true);
    let place = stepper
        .find_rough_place(flow, (t, x), twice(expected))?
        .unwrap_or(expected);
    let step = twice(place);
    stepper.collocation().place = Some(place);
    let error = match stepper.attempt(flow, t, x, step, tolerance)? {
        Attempt::Done { error } => error,
        Attempt::NotFinite | Attempt::NotConverged { .. } => f64::INFINITY,
    };
    let mut found = (error < 1.0).then_some(error);
    let reached = (place - t).abs() < LAST_CHANCE * h.abs();
    // Noise does not become less from nearer.
    let small = error * tolerance.rtol() <= LARGEST_LEAP;
    if found.is_none() && small && (stepper.collocation().meets_noise() || reached && error < NEARLY) {
        let leap = Leap {
            h: step,
            error,
            place: Some(place),
        };
        found = take_leap(stepper, flow, (t, x), leap, tolerance)?;
    }
    if found.is_none() {
        stepper.outlook.wait(place - t, error);
    } else {
        stepper.outlook.pass();
    }
    Ok(found)
}

fn shorter(h: f64, longest: f64) -> f64 {
    if h.abs() < longest.abs() { h } else { longest }
}

/// Attempts steps by collocation of several lengths until one is acceptable, and returns the best; none if it would be of no
/// use, was not shortly before, or the flow is known to be regular.
pub(super) fn best_leap(
    stepper: &mut Stepper,
    flow: &mut dyn Flow,
    (t, x): (f64, &[f64]),
    (usual, longest): (f64, f64),
    tolerance: &Tolerance,
    attempts: &mut u64,
) -> Result<Option<Leap>> {
    let mut place = stepper.outlook.ahead(t, usual, tolerance.rtol());
    let regular = place.is_none() && flow.regularity().is_some();
    if regular || stepper.outlook.rests(t, usual) {
        return Ok(None);
    }
    stepper.leap(true);
    flow.project_stages(true);
    let mut best: Option<Leap> = None;
    for factor in LEAPS {
        let h = shorter(factor * usual, longest);
        *attempts += 1;
        stepper.collocation().place = place;
        let attempt = stepper.attempt(flow, t, x, h, tolerance)?;
        let Attempt::Done { error } = attempt else {
            break;
        };
        if best.is_none_or(|best| error < best.error) {
            best = Some(Leap { h, error, place });
        }
        // The flow is not smooth apart from noise.
        let hopeless = error * tolerance.rtol() > LARGEST_LEAP;
        if error < 1.0 || hopeless {
            break;
        }
        place = stepper.collocation().located().or(place);
    }
    if best.is_none_or(|best| best.error >= 1.0) {
        stepper.outlook.rest(t + usual / REST);
    }
    Ok(best)
}

/// Repeats a step by collocation, if need be with as much tolerance as its error asks for; the error over the tolerance, or
/// none if it is too large.
///
/// # Errors
/// As [`Stepper::attempt`].
pub(super) fn take_leap(
    stepper: &mut Stepper,
    flow: &mut dyn Flow,
    (t, x): (f64, &[f64]),
    leap: Leap,
    tolerance: &Tolerance,
) -> Result<Option<f64>> {
    stepper.leap(true);
    stepper.collocation().place = leap.place;
    flow.project_stages(true);
    let attempt = stepper.attempt(flow, t, x, leap.h, tolerance)?;
    let Attempt::Done { error } = attempt else {
        return Ok(None);
    };
    if attempt.acceptable() {
        return Ok(Some(error));
    }
    if error * tolerance.rtol() > LARGEST_LEAP {
        return Ok(None);
    }
    let relaxed = tolerance.relaxed(2.0 * error)?;
    let repeated = stepper.attempt(flow, t, x, leap.h, &relaxed)?;
    Ok(repeated.acceptable().then_some(error))
}

/// Ends the latest step over a rough place earlier, at `t + h`; none if the shorter step is not accurate.
///
/// # Errors
/// As [`Stepper::attempt`].
pub fn shorten_leap(
    stepper: &mut Stepper,
    flow: &mut dyn Flow,
    (t, x): (f64, &[f64]),
    h: f64,
    tolerance: &Tolerance,
) -> Result<Option<f64>> {
    let leap = Leap {
        h,
        error: 0.0,
        place: stepper.collocation().place,
    };
    take_leap(stepper, flow, (t, x), leap, tolerance)
}
