//! Single long steps by collocation over a place where the flow is rough (theory, 8.1).

use super::collocation::Collocation;
use super::{PassingStepper, Singular, Start};
use crate::error::Result;
use crate::integrate::attempt::{Halt, check_advance};
use crate::integrate::scheme::Ends;
use crate::integrate::{Attempt, Tolerance};

/// Estimated error, relative to the solution, up to which a step over a rough place is taken.
const LARGEST_ERROR: f64 = 1e-8;

/// Lengths of steps over a rough place that was not foreseen, over the usual length of a step.
const LENGTHS: [f64; 5] = [8.0, 11.0, 5.7, 15.0, 4.0];

/// Fraction of the usual step after which steps over rough places are tried again.
const REST: f64 = 4.0;

/// A step with its scaled error.
#[derive(Clone, Copy, Debug)]
pub(super) struct LongStep {
    /// Step size (signed), in seconds.
    pub h: f64,
    /// Error over the tolerance.
    pub error: f64,
    /// Time of the rough place, where known.
    pub place: Option<f64>,
}

impl LongStep {
    /// Length of a usual step that it suggests.
    pub fn usual(&self) -> f64 {
        self.h / LENGTHS[0]
    }

    pub fn new(h: f64, error: f64, place: Option<f64>) -> Self {
        Self { h, error, place }
    }
}

pub(super) fn shorter(h: f64, longest: f64) -> f64 {
    if h.abs() < longest.abs() { h } else { longest }
}

/// Whether an error over the tolerance is more than noise explains: the flow is not smooth.
pub(super) fn is_too_large(error: f64, tolerance: &Tolerance) -> bool {
    error * tolerance.rtol() > LARGEST_ERROR
}

/// An acceptable step, attempted and not yet accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundStep {
    /// Step size to go on with.
    pub next: f64,
    /// Attempts that were made.
    pub attempts: u64,
    /// Scaled error of a step over a rough place, more than 1, where none was better.
    pub excess: Option<f64>,
}

impl FoundStep {
    /// A step over a rough place with its scaled error.
    pub(super) fn over(next: f64, attempts: u64, error: f64) -> Self {
        Self {
            next,
            attempts,
            excess: (error >= 1.0).then_some(error),
        }
    }
}

impl PassingStepper {
    /// Attempts steps by collocation of several lengths until one is acceptable, and returns the best; none if it would be of
    /// no use, was not shortly before, or the flow is known to be regular.
    pub(super) fn best_long_step(
        &mut self,
        flow: &mut dyn Singular,
        start: Start,
        (usual, longest): (f64, f64),
        attempts: &mut u64,
    ) -> Result<Option<LongStep>> {
        let Start { t, tolerance, .. } = start;
        let mut place = self.foresight.ahead(t, usual, tolerance.rtol());
        let regular = place.is_none() && flow.regularity().is_some();
        if regular || self.foresight.rests(t, usual) {
            return Ok(None);
        }
        self.collocate(true);
        flow.project_stages(true);
        self.parts().1.beyond = false;
        let mut best: Option<LongStep> = None;
        for factor in LENGTHS {
            let mut step = LongStep::new(shorter(factor * usual, longest), 0.0, place);
            *attempts += 1;
            let Attempt::Done { error } = self.attempt_over(flow, start, step)? else {
                break;
            };
            step.error = error;
            if best.is_none_or(|best| error < best.error) {
                best = Some(step);
            }
            if error < 1.0 || is_too_large(error, tolerance) {
                break;
            }
            place = self.parts().1.located().or(place);
        }
        if best.is_none_or(|best| best.error >= 1.0) {
            self.foresight.rest(t + usual / REST);
        }
        Ok(best)
    }

    /// Repeats a step by collocation, if need be with as much tolerance as its error asks for; the error over the tolerance, or
    /// none if it is too large.
    ///
    /// # Errors
    /// As [`PassingStepper::attempt_over`].
    pub(super) fn take_long_step(
        &mut self,
        flow: &mut dyn Singular,
        start: Start,
        step: LongStep,
    ) -> Result<Option<f64>> {
        self.collocate(true);
        flow.project_stages(true);
        let attempt = self.attempt_over(flow, start, step)?;
        let Attempt::Done { error } = attempt else {
            return Ok(None);
        };
        if attempt.acceptable() {
            return Ok(Some(error));
        }
        if is_too_large(error, start.tolerance) {
            return Ok(None);
        }
        let tolerance = &start.tolerance.relaxed(2.0 * error)?;
        let repeated = self.attempt_over(flow, Start { tolerance, ..start }, step)?;
        Ok(repeated.acceptable().then_some(error))
    }

    /// Both ends of the step, and the method by which rough places are passed.
    pub(super) fn parts(&mut self) -> (&mut Ends, &mut Collocation) {
        let ends = &mut self.stepper.ends;
        let n = ends.n;
        let collocation = self.collocation.get_or_insert_with(|| Box::new(Collocation::new(n)));
        (ends, collocation)
    }

    /// Time of the rough place of the latest step by collocation, where it was known.
    pub(super) fn place(&mut self) -> Option<f64> {
        self.parts().1.place
    }

    /// Attempts a step by collocation.
    ///
    /// # Errors
    /// As [`Stepper::attempt`](crate::integrate::Stepper::attempt).
    pub(super) fn attempt_over(
        &mut self,
        flow: &mut dyn Singular,
        Start { t, x, tolerance }: Start,
        LongStep { h, place, .. }: LongStep,
    ) -> Result<Attempt> {
        tolerance.check_dimension(self.dimension(), x)?;
        check_advance(t, h)?;
        let (ends, collocation) = self.parts();
        collocation.place = place;
        ends.place(t, x);
        ends.attempt(h, |ends| collocation.compute(ends, flow, h, tolerance))
    }

    /// Time at which the flow is rough within a step of size `h`, as collocation first sees it, at the price of one evaluation
    /// per node.
    pub(super) fn find_rough_place(&mut self, flow: &mut dyn Singular, start: Start, h: f64) -> Result<Option<f64>> {
        check_advance(start.t, h)?;
        let (ends, collocation) = self.parts();
        ends.place(start.t, start.x);
        match collocation.find_rough_place(ends, flow, h) {
            Err(Halt::Error(error)) => Err(error),
            Ok(place) => Ok(place),
            Err(Halt::Attempt(_)) => Ok(None),
        }
    }
}
