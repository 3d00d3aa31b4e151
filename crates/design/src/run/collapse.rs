//! Which expression is behind a step size that collapses.

use super::probe::Probe;
use crate::error::{Error, ErrorKind};
use crate::hybrid::At;
use crate::model::Mode;
use crate::scalar::shortest;

/// Time in which an expression changes by its own size, over the time passed, that makes it suspect. Before a pole it is
/// about the time that is left.
const SUSPECT: f64 = 1e-6;

/// The ends of the last two steps within one mode.
#[derive(Clone, Debug)]
pub(super) struct LastSteps {
    mode: Mode,
    times: [f64; 2],
    states: [Vec<f64>; 2],
    known: usize,
}

impl LastSteps {
    pub fn new(mode: Mode, dimension: usize) -> Self {
        Self {
            mode,
            times: [0.0; 2],
            states: [vec![0.0; dimension], vec![0.0; dimension]],
            known: 0,
        }
    }

    /// Begins a phase.
    pub fn begin(&mut self, t: f64, mode: &Mode, x: &[f64]) {
        self.mode.clone_from(mode);
        self.known = 0;
        self.end_step(t, x);
    }

    /// Remembers the end of a step.
    pub fn end_step(&mut self, t: f64, x: &[f64]) {
        self.times.swap(0, 1);
        self.states.swap(0, 1);
        self.times[1] = t;
        self.states[1].copy_from_slice(x);
        self.known = 2.min(self.known + 1);
    }

    /// The same error, or for a collapse of the step size one that names the expression that changes fastest.
    pub fn explain(&self, error: Error, start: f64, probe: &mut Probe) -> Error {
        let elapsed = self.times[1] - start;
        if error.kind() != ErrorKind::StepSize || self.known < 2 {
            return error;
        }
        self.suspect(elapsed, probe).unwrap_or(error)
    }

    fn suspect(&self, elapsed: f64, probe: &mut Probe) -> Option<Error> {
        let [earlier, at] = [0, 1].map(|k| At::new(self.times[k], &self.mode, &self.states[k]));
        let model = &probe.mechanism.model;
        let before = model.expressions(&self.mode, &probe.motion(earlier).ok()?).into_iter();
        let before: Vec<f64> = before.map(|found| found.value).collect();
        let now = model.expressions(&self.mode, &probe.motion(at).ok()?);
        // What drives the motion, and the integrands, come first.
        let moving = now.iter().take_while(|found| found.is_integrated()).zip(&before);
        let times = moving.map(|(b, a)| (at.t - earlier.t) * b.value.abs() / (b.value - a).abs());
        // The integrals of the account of energy belong to nothing that the scene names.
        let named = times.enumerate().filter(|(index, _)| !now[*index].name.is_empty());
        let (index, time) = named.min_by(|a, b| a.1.total_cmp(&b.1))?;
        if time.is_nan() || time > SUSPECT * elapsed {
            return None;
        }
        let found = now.get(index)?;
        let message = format!(
            "the step size has become too small to advance time: {} is {} and changes ever faster",
            found.described(),
            shortest(found.value)
        );
        Some(
            Error::new(ErrorKind::StepSize, message)
                .named(found.name)
                .at_time(at.t)
                .with_value(found.value)
                .advise("look for a pole, such as a division by a length that becomes zero, and keep the motion away from it"),
        )
    }
}
