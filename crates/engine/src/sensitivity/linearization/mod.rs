//! A motion with its first derivatives, and what they predict for other values of the parameters (theory, 3.5 and 3.6;
//! Hiskens and Pai, Appendix A).

mod order;
mod recorder;

pub use order::{Neighbour, Overtaking};
pub use recorder::LinearizationRecorder;

use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::Happening;
use crate::linear::{add_scaled, dot};

/// When a prediction passes from one phase to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switching {
    /// At the recorded events: x + S dp. Right to first order in dp except between a recorded event and the changed one, where it is
    /// wrong by the jump.
    Recorded,
    /// At the predicted events, t_k + dt_k/dp dp, with phases extended beyond their ends.
    Predicted,
}

/// A recorded motion with its sensitivities: n states and P parameters, sampled, with polynomials of third degree between
/// the samples.
#[derive(Clone, Debug)]
pub struct Linearization<M> {
    n: usize,
    parameters: usize,
    /// Phases in order, one more than events.
    phases: Vec<Phase<M>>,
    events: Vec<LinearizedEvent>,
}

/// A jump of the recorded motion with the derivatives of its time.
#[derive(Clone, Debug)]
pub struct LinearizedEvent {
    /// Time.
    pub t: f64,
    /// dt/dp, P entries.
    pub slopes: Vec<f64>,
    /// What happened.
    pub happenings: Vec<Happening>,
}

/// An instant of the recorded motion.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Time.
    pub t: f64,
    /// [x | S_1 | S_2 | ...], n (P + 1) entries.
    x: Vec<f64>,
    /// Its rate of change.
    rate: Vec<f64>,
}

/// Samples of one mode with x'' at both ends, n entries each.
#[derive(Clone, Debug)]
struct Phase<M> {
    mode: M,
    samples: Vec<Sample>,
    bend_at_start: Vec<f64>,
    bend_at_end: Vec<f64>,
}

impl LinearizedEvent {
    /// Time predicted for parameters changed by `dp` (theory, 3.6).
    pub fn time(&self, dp: &[f64]) -> f64 {
        self.t + self.shift(dp)
    }

    /// Predicted delay, s.
    pub fn shift(&self, dp: &[f64]) -> f64 {
        dot(&self.slopes, dp)
    }
}

impl Sample {
    /// Writes x + S dp and its rate of change.
    pub fn predict(&self, dp: &[f64], x: &mut [f64], rate: &mut [f64]) {
        x.fill(0.0);
        rate.fill(0.0);
        add_linear(1.0, &self.x, dp, x);
        add_linear(1.0, &self.rate, dp, rate);
    }

    /// [x | S_1 | S_2 | ...], n (P + 1) entries.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// Rate of change of [`Sample::x`], per second.
    pub fn rate(&self) -> &[f64] {
        &self.rate
    }
}

/// Adds `factor` times (x + S dp) for [x | S_1 | S_2 | ...].
fn add_linear(factor: f64, blocks: &[f64], dp: &[f64], out: &mut [f64]) {
    let factors = std::iter::once(factor).chain(dp.iter().map(|change| factor * change));
    for (block, factor) in blocks.chunks_exact(out.len().max(1)).zip(factors) {
        for (out, value) in out.iter_mut().zip(block) {
            *out += factor * value;
        }
    }
}

impl<M> Linearization<M> {
    /// Number of states n.
    pub fn dimension(&self) -> usize {
        self.n
    }

    /// Number of parameters P.
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// Events in order.
    pub fn events(&self) -> &[LinearizedEvent] {
        &self.events
    }

    /// First and last recorded time.
    pub fn span(&self) -> (f64, f64) {
        let samples = || self.samples().map(|(_, sample)| sample.t);
        let start = samples().next().unwrap_or(0.0);
        (start, samples().last().unwrap_or(start))
    }

    /// Every sample in order with the mode of its phase; at an event the one before it and the one after.
    pub fn samples(&self) -> impl Iterator<Item = (&M, &Sample)> {
        self.phases
            .iter()
            .flat_map(|phase| phase.samples.iter().map(|sample| (&phase.mode, sample)))
    }

    /// Bytes held by the samples.
    pub fn bytes(&self) -> usize {
        self.samples()
            .map(|(_, sample)| size_of::<Sample>() + 2 * size_of_val(&sample.x[..]))
            .sum()
    }

    /// Writes the state predicted at a time for parameters changed by `dp` (P entries), after whatever happens then, to `x`
    /// (n entries), and returns its mode. Before the first and after the last recorded time it is the state there.
    ///
    /// Events keep the recorded order: one that would overtake the event before it happens together with that.
    ///
    /// # Errors
    /// Kind `Request` where `dp`, `x` or the time do not fit; kind `NotFinite` where the prediction is too large for a number.
    pub fn predict(&self, t: f64, dp: &[f64], switching: Switching, x: &mut [f64]) -> Result<&M> {
        self.check_change(dp)?;
        if x.len() != self.n || !t.is_finite() {
            return Err(unfit("the time or the number of states does not fit the recorded motion").with_value(t));
        }
        let (start, end) = self.span();
        let t = t.clamp(start, end);
        let phase = self.phase_at(t, dp, switching);
        let phase = self.phases.get(phase).ok_or_else(|| unfit("nothing was recorded"))?;
        phase.evaluate(t, dp, x);
        match x.iter().find(|value| !value.is_finite()) {
            None => Ok(&phase.mode),
            Some(value) => Err(Error::new(ErrorKind::NotFinite, "the predicted state has no value")
                .at_time(t)
                .with_value(*value)
                .advise("predict a smaller change")),
        }
    }

    /// Writes the recorded state x at a time of a phase, which is number 0 up to the first event, and its derivative S dp for a
    /// change of the parameters by `dp` (P entries) to `x` (2 n entries), and returns its mode.
    ///
    /// # Errors
    /// Kind `Request` where the phase, `dp`, `x` or the time do not fit.
    pub fn along(&self, phase: usize, t: f64, dp: &[f64], x: &mut [f64]) -> Result<&M> {
        self.check_change(dp)?;
        if x.len() != 2 * self.n || !t.is_finite() {
            return Err(unfit("the time or the number of states does not fit the recorded motion").with_value(t));
        }
        let phase = self
            .phases
            .get(phase)
            .ok_or_else(|| unfit("the phase was not recorded"))?;
        let mut blocks = vec![0.0; self.n * (self.parameters + 1)];
        phase.evaluate(t, &[], &mut blocks);
        let (state, derivative) = x.split_at_mut(self.n);
        state.copy_from_slice(&blocks[..self.n]);
        derivative.fill(0.0);
        for (block, change) in blocks[self.n..].chunks_exact(self.n.max(1)).zip(dp) {
            add_scaled(derivative, *change, block);
        }
        Ok(&phase.mode)
    }

    /// Number of the phase that the prediction is in: of the events that happened up to now.
    fn phase_at(&self, t: f64, dp: &[f64], switching: Switching) -> usize {
        let happened = |event: &&LinearizedEvent| match switching {
            Switching::Recorded => event.t <= t,
            Switching::Predicted => event.time(dp) <= t,
        };
        self.events.iter().take_while(happened).count()
    }

    /// Checks that `dp` has one finite entry per parameter.
    ///
    /// # Errors
    /// Kind `Request` unless it has.
    pub fn check_change(&self, dp: &[f64]) -> Result<()> {
        if dp.len() != self.parameters {
            let (wanted, got) = (self.parameters, dp.len());
            return Err(unfit(&format!("the prediction has {wanted} parameters, not {got}")));
        }
        match dp.iter().find(|change| !change.is_finite()) {
            None => Ok(()),
            Some(change) => Err(unfit("a change of a parameter is not finite").with_value(*change)),
        }
    }
}

fn unfit(message: &str) -> Error {
    Error::new(ErrorKind::Request, message)
        .advise("give a finite time and one finite change for each parameter of the prediction")
}

impl<M> Phase<M> {
    /// The phase at a time, for changed parameters: interpolated between its samples, extended beyond its ends.
    fn evaluate(&self, t: f64, dp: &[f64], x: &mut [f64]) {
        x.fill(0.0);
        let next = self.samples.partition_point(|sample| sample.t < t);
        match (
            next.checked_sub(1).and_then(|k| self.samples.get(k)),
            self.samples.get(next),
        ) {
            (Some(before), Some(after)) => interpolate([before, after], t, dp, x),
            (None, Some(first)) => extend(first, &self.bend_at_start, t, dp, x),
            (Some(last), None) => extend(last, &self.bend_at_end, t, dp, x),
            (None, None) => {}
        }
    }
}

/// Cubic polynomials through two samples and their rates.
fn interpolate([before, after]: [&Sample; 2], t: f64, dp: &[f64], x: &mut [f64]) {
    let step = after.t - before.t;
    let theta = (t - before.t) / step;
    let rest = 1.0 - theta;
    let left = rest * rest * (1.0 + 2.0 * theta);
    add_linear(left, &before.x, dp, x);
    add_linear(1.0 - left, &after.x, dp, x);
    add_linear(step * theta * rest * rest, &before.rate, dp, x);
    add_linear(-step * theta * theta * rest, &after.rate, dp, x);
}

/// Theory, 3.5: x + x' d + x'' d^2/2 + (S + S' d) dp at the distance d from an end of a phase.
fn extend(end: &Sample, bend: &[f64], t: f64, dp: &[f64], x: &mut [f64]) {
    let delay = t - end.t;
    add_linear(1.0, &end.x, dp, x);
    add_linear(delay, &end.rate, dp, x);
    for (x, bend) in x.iter_mut().zip(bend) {
        *x += 0.5 * delay * delay * bend;
    }
}
