//! Derivatives of what the motion gives for measured values, in a forward run.

use std::ops::Range;

use super::values::FitValues;
use crate::error::Result;
use crate::hybrid::{At, HybridSystem, JumpView, Observer, StepView, Tangent};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::{FitDatum, Measured, Mode};
use crate::scalar::Dual64;
use crate::sensitivity::ForwardMode;

/// Collects values and derivatives.
#[derive(Debug)]
pub struct FitSlopes<'a> {
    mechanism: &'a Mechanism,
    directions: &'a [Vec<f64>],
    workspace: Workspace,
    values: FitValues,
    /// State with sensitivities at an instant; written by every step with one.
    x: Vec<f64>,
    /// By fit, datum and parameter.
    slopes: Vec<Vec<Vec<f64>>>,
}

impl<'a> FitSlopes<'a> {
    /// For a run from `start` to `end` with sensitivities along these directions in the numbers.
    pub fn new(mechanism: &'a Mechanism, directions: &'a [Vec<f64>], start: f64, end: f64) -> Self {
        let values = FitValues::new(mechanism, start, end);
        let fits = values.values().iter();
        Self {
            mechanism,
            directions,
            workspace: mechanism.workspace(),
            slopes: fits.map(|data| vec![vec![0.0; directions.len()]; data.len()]).collect(),
            values,
            x: vec![0.0; mechanism.dimension() * (directions.len() + 1)],
        }
    }

    /// The values.
    pub fn values(&self) -> &FitValues {
        &self.values
    }

    /// Derivatives of the values by fit, datum and parameter.
    pub fn into_slopes(self) -> Vec<Vec<Vec<f64>>> {
        self.slopes
    }

    /// The weighted sums of squared differences with their derivatives by a parameter; `misfits` are their values.
    pub fn by(&self, parameter: usize, misfits: &[f64]) -> Vec<Dual64> {
        let fits = self
            .mechanism
            .model
            .fits
            .iter()
            .zip(self.values.values())
            .zip(&self.slopes);
        fits.zip(misfits)
            .map(|(((fit, values), slopes), &misfit)| {
                let data = fit.data.iter().zip(values).zip(slopes);
                // A fit that no objective uses has no values.
                let slope = data
                    .filter(|((_, value), _)| !value.is_nan())
                    .map(|((datum, value), slopes)| 2.0 * datum.weight * (value - datum.measured) * slopes[parameter]);
                Dual64::new(misfit, slope.sum())
            })
            .collect()
    }

    /// The values at a fixed time, and their derivatives: g_x S + g_p.
    fn sample(&mut self, places: Range<usize>, t: f64, mode: &Mode, x: &[f64]) -> Result<()> {
        let (state, blocks) = x.split_at(self.mechanism.dimension());
        let model = &self.mechanism.model;
        self.values
            .take(places.clone(), (t, mode, state), self.mechanism, &mut self.workspace)?;
        for (parameter, (block, numbers)) in blocks.chunks_exact(state.len()).zip(self.directions).enumerate() {
            let along = Tangent {
                t: 0.0,
                x: block,
                numbers,
            };
            let motion = self
                .mechanism
                .motion_jvp(At::new(t, mode, state), &along, &mut self.workspace)?;
            for place in places.clone() {
                let FitDatum { fit, datum } = self.values.key(place);
                let found = &model.fits[fit];
                if let Measured::Value(output) = &found.channels[found.data[datum].channel].of {
                    self.slopes[fit][datum][parameter] = output.evaluate(model, mode, &motion).eps;
                }
            }
        }
        Ok(())
    }
}

impl Observer<ForwardMode<Mode>> for FitSlopes<'_> {
    fn wants_dense(&self) -> bool {
        self.values.wants_dense()
    }

    fn start(&mut self, t: f64, mode: &ForwardMode<Mode>, x: &[f64]) -> Result<()> {
        match self.values.due(t) {
            Some((t, due)) => self.sample(due, t, &mode.mode, x),
            None => Ok(()),
        }
    }

    fn step(&mut self, step: &StepView<ForwardMode<Mode>>) -> Result<()> {
        let Some(dense) = step.dense else { return Ok(()) };
        while let Some((t, due)) = self.values.due(step.end) {
            let mut x = std::mem::take(&mut self.x);
            dense.evaluate(t, &mut x);
            self.sample(due, t, &step.mode.mode, &x)?;
            self.x = x;
        }
        Ok(())
    }

    fn jump(&mut self, jump: &JumpView<ForwardMode<Mode>>) -> Result<()> {
        let answered = self.values.jump(jump.t, jump.happenings, &self.mechanism.model);
        if let Some(times) = jump.mode_after.event_times.last() {
            for FitDatum { fit, datum } in answered {
                self.slopes[fit][datum].copy_from_slice(times);
            }
        }
        Ok(())
    }
}
