//! Search for an acceptable step, also past isolated places where the flow is rough.

use super::leap::{Leap, best_leap, pass_foreseen, take_leap};
use super::{Attempt, Flow, Stepper, Tolerance};
use crate::error::Result;

/// Power of the step size by which the error has to fall: even that of a step over a jump of the flow falls faster.
const SLOW: f64 = 0.5;

/// Growth of the error from a longer to a shorter step that tells a rough place from a step that is too long.
const GROWTH: f64 = 2.0;

/// An acceptable step, attempted and not yet accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundStep {
    /// Step size to go on with.
    pub next: f64,
    /// Attempts that were made.
    pub attempts: u64,
    /// Scaled error of a step over a rough place, more than 1, where none was better.
    pub leap: Option<f64>,
}

impl FoundStep {
    /// A step over a rough place with its scaled error.
    fn leap(next: f64, attempts: u64, error: f64) -> Self {
        Self {
            next,
            attempts,
            leap: (error >= 1.0).then_some(error),
        }
    }
}

/// Attempts steps from (t, x), beginning with `h`, until one is acceptable; `longest` bounds the steps over rough places.
///
/// Near a singular position of a mechanism the accelerations of the stages magnify their distance to the constraints, and
/// rounding, without bound, although the motion itself is smooth. Where that is foreseen, and where a shorter step has hardly
/// a smaller error than a longer one, a long step by collocation passes the place (theory, 8.1). If it does not help, the
/// stages are projected, unless that makes the error larger; if steps still get worse as they become shorter, the best step
/// over the place is taken and reported, provided its error is small.
///
/// # Errors
/// As [`Stepper::attempt`] and [`Stepper::judge`].
pub fn search_step(
    stepper: &mut Stepper,
    flow: &mut dyn Flow,
    (t, x): (f64, &[f64]),
    (mut h, longest): (f64, f64),
    tolerance: &Tolerance,
) -> Result<FoundStep> {
    stepper.outlook.see(t, flow.regularity());
    let usual = stepper.outlook.usual(h);
    if let Some(error) = pass_foreseen(stepper, flow, (t, x), (h, longest), tolerance)? {
        return Ok(FoundStep::leap(h, 2, error));
    }
    stepper.leap(false);
    flow.project_stages(false);
    let first = h;
    let (mut longer, mut attempts): (Option<Leap>, u64) = (None, 0);
    let mut leaps: Option<Option<Leap>> = None;
    // Error of the first step without projected stages, and where to go on if they do not lower it.
    let mut plain: Option<f64> = None;
    let mut resume: Option<f64> = None;
    loop {
        attempts += 1;
        let attempt = stepper.attempt(flow, t, x, h, tolerance)?;
        let verdict = stepper.judge()?;
        if verdict.accepted {
            return Ok(FoundStep::leap(verdict.next, attempts, 0.0));
        }
        let tried = h;
        h = verdict.next;
        let Attempt::Done { error } = attempt else {
            continue;
        };
        let plain = *plain.get_or_insert(error);
        if let Some(shorter) = resume.take()
            && error > plain
        {
            flow.project_stages(false);
            (longer, h) = (None, shorter);
            continue;
        }
        let Some(before) = longer.replace(Leap {
            h: tried,
            error,
            place: None,
        }) else {
            continue;
        };
        let (rough, most) = match leaps {
            None => (is_slow(before, tried, error), 1.0),
            // Worth its error only if ordinary steps are worse.
            Some(_) => (error > GROWTH * before.error, before.error),
        };
        if !rough || !flow.leaps() {
            continue;
        }
        let best = match leaps {
            Some(best) => best,
            None => best_leap(stepper, flow, (t, x), (usual, longest), tolerance, &mut attempts)?,
        };
        if let Some(leap) = best.filter(|leap| leap.error < most) {
            attempts += 1;
            if let Some(error) = take_leap(stepper, flow, (t, x), leap, tolerance)? {
                return Ok(FoundStep::leap(first, attempts, error));
            }
        }
        stepper.leap(false);
        if leaps.replace(best).is_none() && flow.project_stages(true) {
            resume = Some(h);
            (longer, h) = (None, first);
        }
    }
}

/// Whether the error of a step is hardly smaller than that of a longer one, or larger.
fn is_slow(longer: Leap, h: f64, error: f64) -> bool {
    error > longer.error * (h / longer.h).powf(SLOW)
}
