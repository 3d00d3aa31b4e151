//! The first step of a motion that starts from a rough place (theory, 8.1).

use super::collocation::BEYOND;
use super::foresight::ORDER;
use super::long_step::{FoundStep, LongStep, shorter};
use super::{PassingStepper, Singular, Start, departs};
use crate::error::{Error, ErrorKind, Result};
use crate::integrate::Attempt;
use crate::linear::add_scaled;

/// Attempts at leaving a rough place that the motion starts from.
const MOST_LEAVING: u64 = 40;

/// Of these, those that noise limits and that are worse than the best, after which shorter ones are not tried: a rough place further
/// on may be the reason for one.
const MOST_NOISY: u64 = 4;

/// Shortest step away from a rough place, over the time in which the motion changes by its size: times much nearer to the start
/// count as the start itself.
const SHORTEST: f64 = 1e-6;

/// Regularity, or where it is not told the length of the step over that time, from which ordinary steps may go on: from nearer they
/// would magnify what error the place has left in derivatives by its inverse fourth power.
pub(super) const CLEAR: f64 = 1e-3;

/// Distance from a rough place, in usual steps, up to which a phase that starts there leaves it by a long step.
const CLOSE: f64 = 2.0;

/// Longest of such steps, in usual steps.
pub(super) const MOST_USUAL: f64 = 16.0;

/// Time after which the regularity is looked at for a place, in usual steps.
const GLANCE: f64 = 1e-3;

impl PassingStepper {
    /// The first step of a phase that starts at a rough place or next to one, up to `h` or `longest`; none where no such place is
    /// close by, or ordinary steps are better.
    ///
    /// # Errors
    /// As [`PassingStepper::attempt_over`]; kind `StepSize` where no step is exact enough, or the phase starts so close to a place
    /// that its derivatives would be lost.
    pub(super) fn begin(
        &mut self,
        flow: &mut dyn Singular,
        start: Start,
        (h, longest): (f64, f64),
    ) -> Result<Option<FoundStep>> {
        let began = self.foresight.begins();
        if let Some(span) = departs(flow, start.t) {
            let left = self.leave(flow, start, start.t, (h, span))?;
            return left.map(Some).ok_or_else(|| not_left(start.t));
        }
        let Some(usual) = began.map(|before| before.max(h.abs()).copysign(h)) else {
            return Ok(None);
        };
        let Some((place, regularity)) = self.place_close_by(flow, start, usual) else {
            return Ok(None);
        };
        if regularity < CLEAR {
            return Err(too_close(start.t));
        }
        let most = shorter(MOST_USUAL * usual, longest);
        self.leave(flow, start, place, (most, most.abs()))
    }

    /// Time of a rough place from which or to which a phase starts, closer than ordinary steps of size `h` may come, and the
    /// regularity at the start.
    fn place_close_by(&mut self, flow: &mut dyn Singular, start: Start, h: f64) -> Option<(f64, f64)> {
        // A phase may be shorter than a glance; what was recorded of it says nothing about what is beyond.
        if !flow.extends(start.t + 2.0 * GLANCE * h) {
            return None;
        }
        let near = self.look(flow, start, GLANCE * h)?;
        let far = self.look(flow, start, 2.0 * GLANCE * h)?;
        let place = self.foresight.look(near, far)?;
        ((place - start.t).abs() < CLOSE * h.abs()).then_some((place, near.1 + (near.1 - far.1)))
    }

    /// Regularity of the flow a time `tau` further on, with that time.
    fn look(&mut self, flow: &mut dyn Singular, Start { t, x, .. }: Start, tau: f64) -> Option<(f64, f64)> {
        let ends = &mut self.stepper.ends;
        ends.x_new.copy_from_slice(x);
        add_scaled(&mut ends.x_new, tau, &ends.dx);
        flow.project(t + tau, &mut ends.x_new).ok()?;
        flow.regularity().filter(|seen| seen.0 == t + tau)
    }

    /// Leaves a rough place at the start of a phase or next to it, where the motion changes by its size in this span: the longest
    /// step by collocation, up to `h`, that is acceptable, with the size of ordinary steps after it; none where no step is exact enough.
    ///
    /// # Errors
    /// As [`PassingStepper::attempt_over`].
    pub(super) fn leave(
        &mut self,
        flow: &mut dyn Singular,
        start: Start,
        place: f64,
        (h, span): (f64, f64),
    ) -> Result<Option<FoundStep>> {
        let mut attempts = 0;
        // What is analytic goes on before the start.
        let extends = flow.extends(start.t - BEYOND * h);
        for beyond in [true, false].into_iter().filter(|beyond| extends || !beyond) {
            let found = self.leave_with(
                flow,
                start,
                LongStep::new(h, f64::INFINITY, Some(place)),
                (beyond, &mut attempts),
            )?;
            if let Some(found) = found.filter(|found| self.is_clear(found.h.abs() / span)) {
                return Ok(Some(FoundStep::over(found.usual(), attempts, found.error)));
            }
        }
        Ok(None)
    }

    /// Whether the latest step, of this length over the span, ends far enough from the place.
    fn is_clear(&mut self, length: f64) -> bool {
        let regularity = self.parts().1.regularity_at_end();
        let cleared = if regularity.is_nan() { length } else { regularity };
        length >= SHORTEST && cleared >= CLEAR
    }

    /// The same with nodes on either side of the place, or on one; none where no step is exact enough.
    fn leave_with(
        &mut self,
        flow: &mut dyn Singular,
        start: Start,
        mut step: LongStep,
        (beyond, attempts): (bool, &mut u64),
    ) -> Result<Option<LongStep>> {
        self.collocate(true);
        flow.project_stages(true);
        self.parts().1.beyond = beyond;
        let (mut best, mut noisy): (Option<LongStep>, u64) = (None, 0);
        for _ in 0..MOST_LEAVING {
            *attempts += 1;
            let Attempt::Done { error } = self.attempt_over(flow, start, step)? else {
                step.h *= 0.5;
                continue;
            };
            if error < 1.0 {
                step.error = error;
                return Ok(Some(step));
            }
            step.error = error;
            noisy += u64::from(self.parts().1.meets_noise());
            if best.is_none_or(|best| error < best.error) {
                (best, noisy) = (Some(step), 0);
            } else if noisy == MOST_NOISY {
                break;
            }
            step.h *= (0.9 * error.powf(-1.0 / ORDER)).clamp(0.3, 0.9);
        }
        let Some(mut step) = best else {
            return Ok(None);
        };
        let Some(error) = self.take_long_step(flow, start, step)? else {
            return Ok(None);
        };
        step.error = error;
        Ok(Some(step))
    }
}

fn not_left(t: f64) -> Error {
    let message = "no step away from the singular position of the start is exact enough";
    Error::new(ErrorKind::StepSize, message)
        .at_time(t)
        .advise("start faster or beside the position, let no event happen so soon after it, or allow longer steps")
}

pub(super) fn too_close(t: f64) -> Error {
    let message =
        "the motion starts, or an event happens, so close to a singular position that derivatives would be lost";
    Error::new(ErrorKind::StepSize, message)
        .at_time(t)
        .advise("let it happen more than a thousandth of the mechanism's size away from that position")
}
