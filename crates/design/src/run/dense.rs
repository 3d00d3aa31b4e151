//! A motion with its interpolants, read at any time.

use super::experiment::Experiment;
use super::probe::Probe;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, HybridSystem, Trajectory};
use crate::model::Mode;

/// A motion as the integration left it: between two steps the interpolant of the method, of order 7 for the explicit one.
#[derive(Clone, Debug)]
pub struct DenseRun {
    experiment: Experiment,
    trajectory: Trajectory<Mode>,
}

impl Experiment {
    /// Simulates and keeps the interpolants of all steps.
    ///
    /// # Errors
    /// As [`Experiment::run`].
    pub fn dense(self) -> Result<DenseRun> {
        let (mut trajectory, mut interruption) = (Trajectory::default(), self.interruption());
        self.observe(&mut (&mut trajectory, &mut interruption))
            .map_err(|error| self.located(error))?;
        Ok(DenseRun {
            experiment: self,
            trajectory,
        })
    }
}

impl DenseRun {
    /// Every output at these times, by output and time; at the instant of a jump before it.
    ///
    /// # Errors
    /// Kind `Request` for a time outside the simulated one; as [`Experiment::run`] for outputs without a value.
    pub fn outputs(&self, times: &[f64]) -> Result<Vec<Vec<f64>>> {
        let mut probe = Probe::new(&self.experiment.mechanism, &[]);
        let mut found = vec![Vec::with_capacity(times.len()); self.experiment.mechanism.model.outputs.len()];
        let phases = self.trajectory.phases.iter();
        let steps: Vec<_> = phases
            .flat_map(|phase| phase.steps.iter().map(|step| (&phase.mode, step)))
            .collect();
        let Some(last) = steps.len().checked_sub(1) else {
            let message = "the motion ends where it starts: there are no steps to read";
            return Err(Error::new(ErrorKind::Request, message).advise("read the values at the end from the report"));
        };
        let mut x = vec![0.0; self.experiment.mechanism.dimension()];
        for &t in times {
            let t = self.experiment.moment("at", t)?;
            // Between two steps there may be a gap, and after the last one, by rounding.
            let next = steps.partition_point(|(_, step)| step.end() < t).min(last);
            let (mode, step) = steps[next];
            let t = t.clamp(step.start(), step.end());
            step.evaluate(t, &mut x);
            let values = probe.outputs(At::new(t, mode, &x));
            let (values, _) = values.map_err(|error| self.experiment.located(error))?;
            found
                .iter_mut()
                .zip(values)
                .for_each(|(series, value)| series.push(value));
        }
        Ok(found)
    }
}
