//! Costs of the objectives at points of time, for the adjoint.

use super::event_sums::EventCosts;
use super::fit::FitCosts;
use super::peak_costs::PeakCosts;
use crate::error::Result;
use crate::hybrid::{At, Cotangents, Differentiable};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::Mode;
use crate::sensitivity::{JumpSide, PointCosts};

/// Sums over events, extreme values and measured data.
#[derive(Debug)]
pub(super) struct ObjectiveCosts<'a> {
    pub events: EventCosts<'a>,
    pub peaks: PeakCosts<'a>,
    pub fits: FitCosts<'a>,
    times: Vec<f64>,
}

impl<'a> ObjectiveCosts<'a> {
    pub fn new(events: EventCosts<'a>, peaks: PeakCosts<'a>, fits: FitCosts<'a>) -> Self {
        let mut times: Vec<f64> = fits.times().iter().copied().chain(peaks.times()).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        Self {
            events,
            peaks,
            fits,
            times,
        }
    }

    /// Derivative of an objective by the time of the start, through what happens there: measured events that follow at
    /// once on it have its time, and extreme values there move with it.
    ///
    /// # Errors
    /// Kind `Singular` when accelerations are not determined.
    pub fn start_slope(&self, objective: usize, start: f64, workspace: &mut Workspace) -> Result<f64> {
        Ok(self.fits.event_slope(objective, start) + self.peaks.start_slope(objective, workspace)?)
    }
}

impl PointCosts<Mechanism> for ObjectiveCosts<'_> {
    fn instants(&self) -> &[f64] {
        &self.times
    }

    fn size(&self, functional: usize) -> f64 {
        self.fits.size(functional).max(self.peaks.size(functional))
    }

    fn add_at(
        &self,
        functional: usize,
        weight: f64,
        at: At<Mode>,
        workspace: &mut Workspace,
        mut cotangents: Cotangents,
    ) -> Result<()> {
        let mut due = self
            .peaks
            .due(functional, at.t)
            .chain(self.fits.due(functional, at.t))
            .peekable();
        if due.peek().is_none() {
            return Ok(());
        }
        let mechanism = self.events.0;
        mechanism.linearize(at, workspace)?;
        for (output, slope) in due {
            mechanism.output_vjp(output, weight * slope, at, workspace, cotangents.reborrow());
        }
        Ok(())
    }

    fn add(
        &self,
        functional: usize,
        weight: f64,
        side: &JumpSide<Mode>,
        workspace: &mut Workspace,
        mut cotangents: Cotangents,
    ) -> Result<f64> {
        let rate = self.fits.rate(functional, weight, side);
        let rate = rate
            + self
                .peaks
                .add(functional, weight, side, workspace, cotangents.reborrow())?;
        Ok(rate + self.events.add(functional, weight, side, workspace, cotangents)?)
    }
}
