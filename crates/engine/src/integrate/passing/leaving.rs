//! The first step of a motion that starts from a rough place (theory, 8.1).

use super::foresight::ORDER;
use super::long_step::LongStep;
use super::{PassingStepper, Singular, Start};
use crate::error::{Error, ErrorKind, Result};
use crate::integrate::Attempt;

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
const CLEAR: f64 = 1e-3;

impl PassingStepper {
    /// Leaves a rough place that the motion starts from, and changes by its size in this span: the longest step by collocation, up
    /// to `h`, that is acceptable, with the attempts made.
    ///
    /// # Errors
    /// As [`PassingStepper::attempt_over`]; kind `StepSize` where no step is exact enough.
    pub(super) fn leave(
        &mut self,
        flow: &mut dyn Singular,
        start: Start,
        (h, span): (f64, f64),
    ) -> Result<(LongStep, u64)> {
        let mut attempts = 0;
        // What is analytic goes on before the start.
        for beyond in [true, false] {
            let found = self.leave_with(flow, start, (h, beyond), &mut attempts)?;
            if let Some(found) = found.filter(|found| self.is_clear(found.h.abs() / span)) {
                return Ok((found, attempts));
            }
        }
        let message = "no step away from the singular position of the start is exact enough";
        Err(Error::new(ErrorKind::StepSize, message)
            .at_time(start.t)
            .advise("start faster or beside the position, let no event happen so soon after it, or allow longer steps"))
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
        (h, beyond): (f64, bool),
        attempts: &mut u64,
    ) -> Result<Option<LongStep>> {
        self.collocate(true);
        flow.project_stages(true);
        self.parts().1.beyond = beyond;
        let mut step = LongStep::new(h, f64::INFINITY, Some(start.t));
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
