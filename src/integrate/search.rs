//! Search for an acceptable step size, also past isolated places where the flow is rough.

use super::{Attempt, Flow, Stepper, Tolerance};
use crate::error::Result;

/// Growth of the error from a longer to a shorter step that tells a rough place from a step that is too long.
const GROWTH: f64 = 2.0;

/// Error of a shorter step over that of a longer one above which the stages are projected: a smooth flow has far less.
const SLOW: f64 = 0.5;

/// Estimated error, relative to the solution, up to which a step over a rough place is taken.
const LARGEST_LEAP: f64 = 1e-8;

/// Shortest step over a rough place, as a fraction of the step that was tried first: shorter ones end too close to it.
const SHORTEST_LEAP: f64 = 0.2;

/// Sizes that are tried for a step over a rough place.
const LEAPS: [f64; 6] = [1.0, 1.2, 0.85, 1.45, 0.7, 1.75];

/// An acceptable step, attempted and not yet accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundStep {
    /// Step size to go on with.
    pub next: f64,
    /// Attempts that were made.
    pub attempts: u64,
    /// Scaled error of a step over a rough place, more than 1, where no shorter step was better.
    pub leap: Option<f64>,
    /// Whether its stages were projected.
    pub projected: bool,
}

/// Attempts steps from (t, x), beginning with `h` and never longer than `longest`, until one is acceptable.
///
/// Where a shorter step has hardly a smaller error than a longer one, the flow is not smooth at the accuracy asked for:
/// near a singular position of a mechanism the accelerations of the stages carry their distance to the constraints divided
/// by that to the position, and steps would shrink towards it for ever. The stages are then projected. If that does not
/// help, the longer step is taken, provided its estimated error is small, and reported.
///
/// # Errors
/// As [`Stepper::attempt`] and [`Stepper::judge`].
pub fn search_step<F: Flow + ?Sized>(
    stepper: &mut Stepper,
    flow: &mut F,
    (t, x): (f64, &[f64]),
    (mut h, longest): (f64, f64),
    tolerance: &Tolerance,
) -> Result<FoundStep> {
    let mut longer: Option<(f64, f64)> = None;
    let mut attempts = 0;
    let mut projected = false;
    flow.project_stages(false);
    let first = h;
    loop {
        attempts += 1;
        let attempt = stepper.attempt(flow, t, x, h, tolerance)?;
        let verdict = stepper.judge()?;
        if verdict.accepted {
            return Ok(FoundStep {
                next: verdict.next,
                attempts,
                leap: None,
                projected,
            });
        }
        let Attempt::Done { error } = attempt else {
            h = verdict.next;
            continue;
        };
        let slow = longer.is_some_and(|(_, before)| error > SLOW * before);
        if slow && !projected && flow.project_stages(true) {
            (projected, longer, h) = (true, None, first);
            continue;
        }
        let rough =
            longer.filter(|(longer, before)| error > GROWTH * before && longer.abs() >= SHORTEST_LEAP * first.abs());
        if let Some((longer, _)) = rough {
            attempts += LEAPS.len() as u64 + 1;
            if let Some(leap) = leap_over(stepper, flow, (t, x), (longer, longest), tolerance)? {
                return Ok(FoundStep {
                    next: longer,
                    attempts,
                    leap: Some(leap),
                    projected,
                });
            }
        }
        longer = Some((h, error));
        h = verdict.next;
    }
}

/// Takes the best of several steps of about the size `h`, whose stages lie differently around the rough place; none if all
/// have too large an error.
fn leap_over<F: Flow + ?Sized>(
    stepper: &mut Stepper,
    flow: &mut F,
    (t, x): (f64, &[f64]),
    (h, longest): (f64, f64),
    tolerance: &Tolerance,
) -> Result<Option<f64>> {
    let mut best: Option<(f64, f64)> = None;
    for factor in LEAPS.into_iter().filter(|factor| (factor * h).abs() <= longest.abs()) {
        if let Attempt::Done { error } = stepper.attempt(flow, t, x, factor * h, tolerance)?
            && best.is_none_or(|(_, least)| error < least)
        {
            best = Some((factor * h, error));
        }
    }
    let Some((h, error)) = best.filter(|(_, error)| error * tolerance.rtol() <= LARGEST_LEAP) else {
        return Ok(None);
    };
    let relaxed = tolerance.relaxed(1.5 * error.max(1.0))?;
    Ok(stepper.attempt(flow, t, x, h, &relaxed)?.acceptable().then_some(error))
}
