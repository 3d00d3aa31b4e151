//! The assembled start with its derivatives, before anything strikes or sticks there.

use super::experiment::Experiment;
use crate::assembly::AssemblyTangent;
use crate::error::Result;
use crate::hybrid::{At, HybridSystem};
use crate::linear::max_abs;
use crate::mechanism::{Mechanism, Started};
use crate::model::Mode;

/// The state that is assembled, as it depends on the numbers.
pub(super) struct AssembledStart<'a> {
    mechanism: &'a Mechanism,
    start_number: usize,
    started: &'a Started,
    /// The derivatives of positions and velocities.
    pub tangent: AssemblyTangent<'a>,
}

impl<'a> AssembledStart<'a> {
    /// # Errors
    /// Kind `Assembly` where it does not depend smoothly on the numbers.
    pub fn new(experiment: &'a Experiment, started: &'a Started) -> Result<Self> {
        let mechanism = &experiment.mechanism;
        let [q, v] = [mechanism.positions(), mechanism.velocities()].map(|part| &started.assembled[part]);
        Ok(Self {
            mechanism,
            start_number: experiment.start_number,
            started,
            tangent: AssemblyTangent::new(&mechanism.model, experiment.start, q, v)?,
        })
    }

    /// The state, at the time `t` of the start.
    pub fn at(&self, t: f64) -> At<'_, Mode> {
        At::new(t, &self.started.mode, &self.started.assembled)
    }

    /// Derivative of the start time along a direction in the numbers.
    pub fn time(&self, numbers: &[f64]) -> f64 {
        numbers[self.start_number]
    }

    /// Total derivative of the state along a direction in the numbers, with the size of that of the velocities.
    pub fn jvp(&self, numbers: &[f64]) -> (Vec<f64>, f64) {
        let dt = self.time(numbers);
        let (dq, dv) = self.tangent.along(dt, numbers);
        let size = max_abs(&dv);
        let mut slope = [dq, dv].concat();
        slope.resize(self.mechanism.dimension(), 0.0);
        self.started.memory_jvp(self.mechanism, dt, numbers, &mut slope);
        (slope, size)
    }
}
