//! Search for an acceptable step, also past isolated places where the flow is rough.

use super::leaving::{CLEAR, too_close};
use super::long_step::{FoundStep, LongStep};
use super::{PassingStepper, Singular, Start};
use crate::error::Result;
use crate::integrate::{Attempt, Tolerance};

/// Power of the step size by which the error has to fall: even that of a step over a jump of the flow falls faster.
const SLOW: f64 = 0.5;

/// Growth of the error from a longer to a shorter step that tells a rough place from a step that is too long.
const GROWTH: f64 = 2.0;

/// Distance of a rough place from the end of a step over it, over its length, at which it is why that end has no state.
const NEXT_TO: f64 = 0.01;

impl PassingStepper {
    /// Attempts steps from (t, x), beginning with `h`, until one is acceptable; `longest` bounds the steps over rough places.
    ///
    /// Near a singular position of a mechanism the accelerations of the stages magnify their distance to the constraints, and
    /// rounding, without bound, although the motion itself is smooth. Where that is foreseen, and where a shorter step has
    /// hardly a smaller error than a longer one, a long step by collocation passes the place (theory, 8.1). If it does not
    /// help, the stages are projected, unless that makes the error larger; if steps still get worse as they become shorter,
    /// the best step over the place is taken and reported, provided its error is small.
    ///
    /// # Errors
    /// As [`Stepper::attempt`](crate::integrate::Stepper::attempt) and [`Stepper::judge`](crate::integrate::Stepper::judge).
    pub fn search(
        &mut self,
        flow: &mut dyn Singular,
        (t, x): (f64, &[f64]),
        (mut h, longest): (f64, f64),
        tolerance: &Tolerance,
    ) -> Result<FoundStep> {
        let start = Start { t, x, tolerance };
        self.foresight.know(flow.departure().map(|(place, _)| place));
        let long = h * self.stretch(tolerance.rtol());
        if let Some(found) = self.begin(flow, start, (long, longest))? {
            return Ok(found);
        }
        self.foresight.see(t, flow.regularity());
        let usual = self.foresight.usual(long);
        if let Some(found) = self.pass_foreseen(flow, start, (h, long), longest)? {
            return Ok(found);
        }
        self.collocate(false);
        flow.project_stages(false);
        let first = h;
        let (mut longer, mut attempts): (Option<LongStep>, u64) = (None, 0);
        let mut over: Option<Option<LongStep>> = None;
        // Error of the first step without projected stages, and where to go on if they do not lower it.
        let mut plain: Option<f64> = None;
        let mut resume: Option<f64> = None;
        loop {
            attempts += 1;
            let attempt = self.stepper.attempt(flow, t, x, h, tolerance)?;
            let verdict = self.stepper.judge()?;
            if verdict.accepted {
                return Ok(FoundStep::over(verdict.next, attempts, 0.0));
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
            let Some(before) = longer.replace(LongStep::new(tried, error, None)) else {
                continue;
            };
            let (rough, most) = match over {
                None => (is_slow(before, tried, error), 1.0),
                // Worth its error only if ordinary steps are worse.
                Some(_) => (error > GROWTH * before.error, before.error),
            };
            if !rough || !flow.is_smooth() {
                continue;
            }
            let best = match over {
                Some(best) => best,
                None => self.best_long_step(flow, start, (usual, longest), &mut attempts)?,
            };
            if let Some(step) = best.filter(|step| step.error < most) {
                attempts += 1;
                if let Some(error) = self.take_long_step(flow, start, step)? {
                    return Ok(FoundStep::over(first, attempts, error));
                }
            }
            self.collocate(false);
            if over.replace(best).is_none() && flow.project_stages(true) {
                resume = Some(h);
                (longer, h) = (None, first);
            }
        }
    }

    /// Length of the steps of a method of order 8 over those of this one: steps over rough places are measured by it.
    fn stretch(&self, rtol: f64) -> f64 {
        match self.order() {
            2 => rtol.powf(1.0 / 8.0 - 1.0 / 3.0).max(1.0),
            _ => 1.0,
        }
    }

    /// Repeats the latest step with another size, by the same method; another size to try if that is not acceptable.
    ///
    /// # Errors
    /// As [`PassingStepper::search`].
    pub fn repeat(
        &mut self,
        flow: &mut dyn Singular,
        (t, x): (f64, &[f64]),
        h: f64,
        tolerance: &Tolerance,
    ) -> Result<Option<f64>> {
        if self.collocates {
            let step = LongStep::new(h, 0.0, self.place());
            self.parts().1.straddle(flow, t, h);
            let error = self.take_long_step(flow, Start { t, x, tolerance }, step)?;
            let ends_there = |place: f64| (place - t - h).abs() < NEXT_TO * h.abs();
            let regular = self.parts().1.regularity_at_end() >= CLEAR;
            if error.is_none() && !regular && step.place.is_some_and(ends_there) {
                return Err(too_close(t + h));
            }
            return Ok(error.is_none().then_some(0.5 * h));
        }
        self.stepper.attempt(flow, t, x, h, tolerance)?;
        let verdict = self.stepper.judge()?;
        Ok((!verdict.accepted).then_some(verdict.next))
    }
}

/// Whether the error of a step is hardly smaller than that of a longer one, or larger.
fn is_slow(longer: LongStep, h: f64, error: f64) -> bool {
    error > longer.error * (h / longer.h).powf(SLOW)
}
