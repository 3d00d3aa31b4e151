//! The motion of a mechanism over time, for whatever shows it: states at equidistant times and on both sides of every jump.

use super::experiment::{Experiment, Report};
use super::grid::{Grid, Keeper};
use super::recording::Recording;
use crate::error::Result;
use crate::hybrid::At;
use crate::mechanism::Mechanism;
use crate::model::{self, Mode, coordinate_rate};

/// A recorded motion.
#[derive(Clone, Debug)]
pub struct Film {
    /// Phases in order; one phase starts where the one before it ends.
    phases: Vec<Reel>,
    /// Number of positions in a state; velocities follow them.
    nq: usize,
    /// Rigid bodies in space among the positions.
    turning: Vec<model::Frame>,
}

/// Samples of one mode.
#[derive(Clone, Debug)]
struct Reel {
    mode: Mode,
    times: Vec<f64>,
    states: Vec<Vec<f64>>,
}

/// The state of a mechanism at an instant.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// Time.
    pub t: f64,
    /// Mode.
    pub mode: &'a Mode,
    /// State.
    pub x: Vec<f64>,
}

impl Experiment {
    /// Simulates, and keeps besides the report and the recording the state at equidistant times, `intervals` of them, and on
    /// both sides of every jump.
    ///
    /// # Errors
    /// As [`Experiment::run`].
    pub fn film(&self, intervals: u32, progress: &mut dyn FnMut(f64)) -> Result<(Report, Recording, Film)> {
        let film = Film {
            phases: Vec::new(),
            nq: self.mechanism.positions().len(),
            turning: self.mechanism.model.frames.clone(),
        };
        let mut camera = Grid::new(self, intervals, film);
        let (report, recording) = self
            .simulate(true, &mut camera, progress)
            .map_err(|error| self.located(error))?;
        Ok((report, recording.unwrap_or_default(), camera.keeper))
    }
}

impl Film {
    /// First and last time.
    pub fn span(&self) -> (f64, f64) {
        let times = || self.phases.iter().flat_map(|reel| &reel.times);
        let first = times().next().copied().unwrap_or(0.0);
        (first, times().next_back().copied().unwrap_or(first))
    }

    /// Every recorded state in order.
    pub fn frames(&self) -> impl Iterator<Item = Frame<'_>> {
        self.phases.iter().flat_map(|reel| {
            let states = reel.times.iter().zip(&reel.states);
            states.map(|(&t, x)| Frame {
                t,
                mode: &reel.mode,
                x: x.clone(),
            })
        })
    }

    /// The state at a time, after whatever happens at it; the nearest one outside the recorded time. Between the recorded
    /// states positions follow cubic polynomials through positions and velocities, the rest is linear.
    pub fn frame(&self, t: f64) -> Option<Frame<'_>> {
        let after = self
            .phases
            .partition_point(|reel| reel.times.first().is_some_and(|&start| start <= t));
        let reel = self.phases.get(after.saturating_sub(1))?;
        let next = reel.times.partition_point(|&time| time <= t);
        let (before, next) = (next.saturating_sub(1), next.min(reel.times.len().checked_sub(1)?));
        let t = t.clamp(reel.times[before], reel.times[next]);
        Some(Frame {
            t,
            mode: &reel.mode,
            x: self.between(reel, before, next, t),
        })
    }

    fn between(&self, reel: &Reel, before: usize, next: usize, t: f64) -> Vec<f64> {
        let (a, b) = (&reel.states[before], &reel.states[next]);
        let step = reel.times[next] - reel.times[before];
        if step <= 0.0 {
            return b.clone();
        }
        let (nq, theta) = (self.nq, (t - reel.times[before]) / step);
        let rate = |x: &[f64], i: usize| coordinate_rate(&self.turning, i, x, &x[nq..]);
        let value = |i: usize| match i < nq {
            true => hermite(theta, [a[i], b[i]], [step * rate(a, i), step * rate(b, i)]),
            false => a[i] + theta * (b[i] - a[i]),
        };
        (0..a.len()).map(value).collect()
    }
}

/// Cubic polynomial on [0, 1] through two values with two slopes.
fn hermite(theta: f64, value: [f64; 2], slope: [f64; 2]) -> f64 {
    let rest = 1.0 - theta;
    let bump = theta * rest;
    rest * value[0]
        + theta * value[1]
        + bump * (rest - theta) * (value[0] - value[1])
        + bump * (rest * slope[0] - theta * slope[1])
}

impl Frame<'_> {
    /// Numbers of the model, those that follow the motion among them, followed by the memory of this state.
    pub fn numbers(&self, mechanism: &Mechanism) -> Vec<f64> {
        let mut numbers = mechanism.model.number_values();
        let memory = mechanism.model.memory_start();
        numbers[memory..].copy_from_slice(&self.x[mechanism.quadratures().end..]);
        let (q, v) = (&self.x[mechanism.positions()], &self.x[mechanism.velocities()]);
        mechanism.model.follow(self.mode, self.t, q, v, &mut numbers);
        numbers
    }
}

impl Keeper for Film {
    fn begin(&mut self, mode: &Mode) {
        self.phases.push(Reel {
            mode: mode.clone(),
            times: Vec::new(),
            states: Vec::new(),
        });
    }

    fn keep(&mut self, at: At<Mode>) -> Result<()> {
        // An instant of the grid may be that of a jump.
        if let Some(reel) = self.phases.last_mut().filter(|reel| reel.times.last() != Some(&at.t)) {
            reel.times.push(at.t);
            reel.states.push(at.x.to_vec());
        }
        Ok(())
    }
}
