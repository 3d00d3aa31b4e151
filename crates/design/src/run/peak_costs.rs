//! Extreme values as costs of the objectives for the adjoint.

use super::event_sums::jump_cost;
use super::peaks::{Extreme, Extremes, Place};
use crate::error::Result;
use crate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Tangent};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::quantity::Output;
use crate::model::{Mode, Model, Peak, Term};
use crate::sensitivity::JumpSide;

/// The extreme values as costs of the objectives for the adjoint.
#[derive(Debug)]
pub(super) struct PeakCosts<'a> {
    mechanism: &'a Mechanism,
    found: &'a Extremes,
}

impl<'a> PeakCosts<'a> {
    pub fn new(mechanism: &'a Mechanism, found: &'a Extremes) -> Self {
        Self { mechanism, found }
    }

    /// The instants within phases and at the start.
    pub fn times(&self) -> impl Iterator<Item = f64> {
        let at_instants = |extreme: &&Extreme| matches!(extreme.place, Place::Within | Place::Start);
        self.found
            .found()
            .iter()
            .flatten()
            .filter(at_instants)
            .map(|extreme| extreme.t)
    }

    /// Largest derivative of an objective by an extreme value.
    pub fn size(&self, objective: usize) -> f64 {
        self.terms(objective)
            .fold(0.0, |size, (_, _, factor)| factor.abs().max(size))
    }

    /// The expressions whose extreme values an objective has at a time within a phase or at the start, with its derivative
    /// by them.
    pub fn due(&self, objective: usize, t: f64) -> impl Iterator<Item = (&Output, f64)> {
        let here = move |extreme: &Extreme| extreme.t == t && matches!(extreme.place, Place::Within | Place::Start);
        self.terms(objective)
            .filter(move |(_, extreme, _)| here(extreme))
            .map(|(peak, _, factor)| (&peak.value, factor))
    }

    /// As [`PointCosts::add`](crate::sensitivity::PointCosts::add).
    pub fn add(
        &self,
        objective: usize,
        weight: f64,
        side: &JumpSide<Mode>,
        workspace: &mut Workspace,
        mut cotangents: Cotangents,
    ) -> Result<f64> {
        let here = if side.after { Place::After } else { Place::Before };
        let mut rate = 0.0;
        for (peak, extreme, factor) in self.terms(objective) {
            // Several jumps may follow each other at one time.
            if extreme.place == here && extreme.t == side.jump.t && extreme.x == side.x {
                let weight = weight * factor;
                rate += jump_cost(
                    self.mechanism,
                    &peak.value,
                    weight,
                    side,
                    workspace,
                    cotangents.reborrow(),
                )?;
            }
        }
        Ok(rate)
    }

    /// Derivative of an objective by the time of the start, where values there are the extreme ones.
    ///
    /// # Errors
    /// Kind `Singular` when accelerations are not determined.
    pub fn start_slope(&self, objective: usize, workspace: &mut Workspace) -> Result<f64> {
        let mut sum = 0.0;
        for (peak, extreme, factor) in self.terms(objective) {
            if extreme.place == Place::Start {
                sum += factor * self.rate_at(peak, extreme, workspace)?;
            }
        }
        Ok(sum)
    }

    fn rate_at(&self, peak: &Peak, extreme: &Extreme, workspace: &mut Workspace) -> Result<f64> {
        let mechanism = self.mechanism;
        let (mode, x) = (&extreme.mode, &extreme.x);
        let mut flow = vec![0.0; mechanism.dimension()];
        mechanism.flow(At::new(extreme.t, mode, x), workspace, &mut flow)?;
        let along = Tangent {
            t: 1.0,
            x: &flow,
            numbers: &vec![0.0; mechanism.numbers()],
        };
        let motion = mechanism.motion_jvp(At::new(extreme.t, mode, x), &along, workspace)?;
        Ok(peak.value.evaluate(&mechanism.model, mode, &motion).eps)
    }

    /// The extreme values of an objective with their factors.
    fn terms(&self, objective: usize) -> impl Iterator<Item = (&Peak, &Extreme, f64)> {
        let model = &self.mechanism.model;
        model.objectives[objective]
            .terms
            .iter()
            .filter_map(|term| self.term(model, term))
    }

    fn term(&self, model: &'a Model, term: &Term) -> Option<(&'a Peak, &'a Extreme, f64)> {
        let Term::Peak { coefficient, peak } = term else {
            return None;
        };
        let factor = coefficient.iter().map(|&number| model.numbers[number].value).product();
        Some((&model.peaks[*peak], self.found.found()[*peak].as_ref()?, factor))
    }
}
