//! Steps over rough places that are foreseen (theory, 8.1).

use super::leaving::MOST_USUAL;
use super::long_step::{FoundStep, LongStep, is_too_large, shorter};
use super::{PassingStepper, Singular, Start};
use crate::error::{Error, ErrorKind, Result};
use crate::integrate::Attempt;

/// Distance to a singular position, in step sizes, from which an ordinary step may reach it.
const LAST_CHANCE: f64 = 2.0;

/// Part of the usual length of a step: ordinary steps that are shorter, or start nearer to a place, come to nothing before it.
const STUCK: f64 = 0.05;

/// Estimated error over the tolerance up to which a step over a rough place is taken rather than ordinary ones.
const NEARLY: f64 = 100.0;

fn unreachable_start(place: f64) -> Error {
    let message = "costates cannot be carried to the singular position of the start exactly enough";
    Error::new(ErrorKind::StepSize, message)
        .at_time(place)
        .advise("read values later after the start, use the method forward, or start beside the position")
}

impl PassingStepper {
    /// Passes a singular position that is foreseen by a step of twice the distance to it, whose nodes lie evenly around it; none
    /// where that is not exact enough. From where ordinary steps come to nothing, the longest step over it that is exact enough
    /// passes it. One that the motion starts from is where costates end.
    ///
    /// # Errors
    /// As [`PassingStepper::attempt_over`]; kind `StepSize` where costates cannot be carried to such a start.
    pub(super) fn pass_foreseen(
        &mut self,
        flow: &mut dyn Singular,
        start: Start,
        (h, long): (f64, f64),
        longest: f64,
    ) -> Result<Option<FoundStep>> {
        let Start { t, tolerance, .. } = start;
        let natural = self.foresight.natural(long);
        let Some(expected) = self.foresight.ahead(t, natural, tolerance.rtol()) else {
            return Ok(None);
        };
        let twice = |place: f64| shorter(2.0 * (place - t), longest);
        self.collocate(true);
        flow.project_stages(true);
        let known = self.foresight.knows(expected);
        let place = match known {
            true => expected,
            false => {
                let found = self.find_rough_place(flow, start, twice(expected))?;
                // One that lies behind is passed already.
                found.filter(|place| (place - t) * h > 0.0).unwrap_or(expected)
            }
        };
        let step = self.attempt_around(flow, start, twice(place), place)?;
        let over = |error: f64| FoundStep::over(h, 2, error);
        let mut found = (step.error < 1.0).then(|| over(step.error));
        let reached = (place - t).abs() < LAST_CHANCE * h.abs();
        // Noise does not become less from nearer.
        let small = !is_too_large(step.error, tolerance);
        if found.is_none() && small && (self.parts().1.meets_noise() || reached && step.error < NEARLY) {
            found = self.take_long_step(flow, start, step)?.map(over);
        }
        if found.is_none() && long.abs().min((place - t).abs()) < STUCK * natural.abs() {
            let most = shorter(MOST_USUAL * natural, longest);
            found = self.leave(flow, start, place, (most, most.abs()))?;
        }
        if found.is_none() {
            let worse = self.foresight.wait(place - t, step.error);
            if known && worse && !small {
                return Err(unreachable_start(place));
            }
        } else {
            self.foresight.pass();
        }
        Ok(found)
    }

    /// Attempts a step around a place, with nodes beyond an end that is so close to it unless it is better without; the step with
    /// its error.
    fn attempt_around(&mut self, flow: &mut dyn Singular, start: Start, h: f64, place: f64) -> Result<LongStep> {
        let mut step = LongStep::new(h, f64::INFINITY, Some(place));
        let collocation = self.parts().1;
        collocation.place = step.place;
        collocation.straddle(flow, start.t, h);
        let straddles = collocation.beyond;
        let mut nodes = straddles;
        for beyond in [straddles, false] {
            self.parts().1.beyond = beyond;
            let attempt = self.attempt_over(flow, start, step)?;
            if let Attempt::Done { error } = attempt
                && error < step.error
            {
                (step.error, nodes) = (error, beyond);
            }
            let limited = !matches!(attempt, Attempt::Done { .. }) || self.parts().1.meets_noise();
            if !straddles || step.error < 1.0 || !limited {
                break;
            }
        }
        self.parts().1.beyond = nodes;
        Ok(step)
    }
}
