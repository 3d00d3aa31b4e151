//! Costs of the objectives at points of time, for the adjoint.

use super::event_sums::EventCosts;
use super::fit::FitCosts;
use crate::error::Result;
use crate::hybrid::Bars;
use crate::mechanism::{Mechanism, Workspace};
use crate::model::Mode;
use crate::sensitivity::{Instant, JumpSide, PointCosts};

/// Sums over events, and measured data.
#[derive(Debug)]
pub(super) struct ObjectiveCosts<'a> {
    pub events: EventCosts<'a>,
    pub fits: FitCosts<'a>,
}

impl PointCosts<Mechanism> for ObjectiveCosts<'_> {
    fn instants(&self) -> &[f64] {
        self.fits.times()
    }

    fn size(&self, functional: usize) -> f64 {
        self.fits.size(functional)
    }

    fn add_at(
        &self,
        functional: usize,
        weight: f64,
        instant: &Instant<Mode>,
        workspace: &mut Workspace,
        bars: Bars,
    ) -> Result<()> {
        self.fits.add_at(functional, weight, instant, workspace, bars)
    }

    fn add(
        &self,
        functional: usize,
        weight: f64,
        side: &JumpSide<Mode>,
        workspace: &mut Workspace,
        bars: Bars,
    ) -> Result<f64> {
        let rate = self.fits.rate(functional, weight, side);
        Ok(rate + self.events.add(functional, weight, side, workspace, bars)?)
    }
}
