//! Passing places near which a flow is rough although the motion through them is smooth: singular positions of a mechanism
//! (theory, 8.1).
//!
//! A [`PassingStepper`] holds a stepper and takes its steps, but for single long steps by collocation over such places.

mod collocation;
mod foreseen;
mod foresight;
mod leaving;
mod long_step;
mod search;
#[cfg(test)]
mod tests;

pub use long_step::FoundStep;

use std::ops::Deref;

use self::collocation::Collocation;
use self::foresight::Foresight;
use self::leaving::{CLEAR, too_close};
use super::{DenseOutput, Flow, Stepper, Tolerance};
use crate::error::{ErrorKind, Result};

/// A flow that may be rough near singular positions.
pub trait Singular: Flow {
    /// From now on evaluates at the projection of each state onto the invariants, or no longer; false if it cannot.
    ///
    /// On the invariants nothing changes. Off them, where the stages of a step lie, the projected flow stays smooth near
    /// places at which the flow itself magnifies the distance to the invariants without bound.
    fn project_stages(&mut self, on: bool) -> bool {
        let _ = on;
        false
    }

    /// Whether the flow is smooth, so that places rough by rounding may be passed by long steps.
    fn is_smooth(&self) -> bool {
        true
    }

    /// How far the latest projected state was from where the invariants lose their independence, with its time in seconds:
    /// about proportional to the time to such a position, no unit. None if the system cannot tell.
    fn regularity(&self) -> Option<(f64, f64)> {
        None
    }

    /// Whether the flow is known at a time: one that follows a motion is not far beyond its ends.
    fn extends(&self, t: f64) -> bool {
        let _ = t;
        true
    }

    /// Where a motion starts from a rough place: its time, and the time in which the motion changes by its size.
    fn departure(&self) -> Option<(f64, f64)> {
        None
    }
}

/// A stepper that passes rough places; see the module documentation of [`integrate`](crate::integrate) for the protocol, in
/// which [`PassingStepper::search`] attempts and judges.
#[derive(Clone, Debug)]
pub struct PassingStepper {
    stepper: Stepper,
    /// Made when it is first needed: few motions have such places.
    collocation: Option<Box<Collocation>>,
    /// Whether the latest attempt was made by collocation.
    collocates: bool,
    foresight: Foresight,
}

/// Where a step starts, and how exact it must be.
#[derive(Clone, Copy)]
struct Start<'a> {
    t: f64,
    x: &'a [f64],
    tolerance: &'a Tolerance,
}

/// What an attempt has to tell is read off the stepper.
impl Deref for PassingStepper {
    type Target = Stepper;

    fn deref(&self) -> &Stepper {
        &self.stepper
    }
}

/// The time in which a motion changes by its size, if it starts from a rough place at this time.
fn departs(flow: &dyn Singular, t: f64) -> Option<f64> {
    flow.departure().filter(|(place, _)| *place == t).map(|(_, span)| span)
}

impl PassingStepper {
    /// Takes the steps of this stepper where the flow is smooth.
    pub fn new(stepper: Stepper) -> Self {
        Self {
            stepper,
            collocation: None,
            collocates: false,
            foresight: Foresight::default(),
        }
    }

    /// As [`Stepper::restart`].
    ///
    /// # Errors
    /// As [`Stepper::restart`].
    pub fn restart(&mut self, flow: &mut dyn Singular, t: f64, x: &[f64]) -> Result<()> {
        self.collocate(false);
        self.foresight.restart();
        if departs(flow, t).is_some() {
            return self.stepper.renew(flow, x);
        }
        self.stepper.restart(flow, t, x).map_err(|error| {
            let undetermined = matches!(error.kind(), ErrorKind::Singular | ErrorKind::NotFinite);
            match flow.regularity() {
                Some((at, regularity)) if undetermined && at == t && regularity < CLEAR => too_close(t),
                _ => error,
            }
        })
    }

    /// As [`Stepper::initial_step`], after a restart; from a rough place, the longest that is tried.
    ///
    /// # Errors
    /// As [`Stepper::initial_step`].
    pub fn initial_step(
        &mut self,
        flow: &mut dyn Singular,
        t: f64,
        x: &[f64],
        tol: &Tolerance,
        most: f64,
    ) -> Result<f64> {
        if let Some(span) = departs(flow, t) {
            return Ok(span.min(most.abs()).copysign(most));
        }
        self.stepper.initial_step(flow, t, x, tol, most)
    }

    /// As [`Stepper::dense`].
    ///
    /// # Errors
    /// As [`Stepper::dense`].
    pub fn dense(&mut self, flow: &mut dyn Flow, output: &mut DenseOutput) -> Result<()> {
        match &mut self.collocation {
            Some(collocation) if self.collocates => {
                let ends = &self.stepper.ends;
                collocation.interpolate(ends, ends.progress.acceptable()?.h, output);
                Ok(())
            }
            _ => self.stepper.dense(flow, output),
        }
    }

    /// About when the latest attempt passes a rough place; none where the stepper itself made it.
    pub fn passes(&self) -> Option<f64> {
        let collocation = self.collocation.as_ref().filter(|_| self.collocates)?;
        Some(collocation.passes())
    }

    /// As [`Stepper::accept`]; the method starts anew from the end of a step by collocation.
    ///
    /// # Errors
    /// As [`Stepper::accept`].
    pub fn accept(&mut self) -> Result<()> {
        if !self.collocates {
            return self.stepper.accept();
        }
        let trial = self.stepper.ends.progress.accept()?;
        self.stepper.ends.advance(trial, false);
        Ok(())
    }

    /// A copy between two steps that holds nothing of collocation, and takes the same steps.
    pub fn light(&self) -> Self {
        let mut copy = Self {
            foresight: self.foresight,
            ..Self::new(self.stepper.clone())
        };
        if self.collocates {
            copy.stepper.ends.progress.forget();
        }
        copy
    }

    /// From now on attempts by collocation, or by the stepper again. What was attempted and not accepted is forgotten.
    fn collocate(&mut self, on: bool) {
        if self.collocates != on {
            self.stepper.ends.progress.forget();
            self.collocates = on;
        }
    }
}
