//! Where a motion is after each instant with events: nearby motions in any order of these must go there, or the motion jumps.

use std::ops::Range;

use super::super::collect::Collector;
use super::super::experiment::Experiment;
use super::super::probe::RunMode;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, HybridSystem, JumpView, Observer};
use crate::linear::max_abs;
use crate::mechanism::Mechanism;
use crate::model::Mode;
use crate::sensitivity::ForwardMode;

/// Difference of two motions at an instant, over their sizes, that is rounding; and over the relative tolerance.
const SAME_MOTION: [f64; 2] = [1e-7, 1e3];

/// Where a motion is after each instant with events, and at its end.
#[derive(Debug, Default)]
pub(in crate::run) struct Course {
    places: Vec<(f64, Vec<f64>)>,
    /// Values of the objectives.
    pub values: Vec<f64>,
}

/// A motion in the order of events of one side, held to the course of the motion without a change.
#[derive(Debug)]
pub(super) struct Beside<'a> {
    mechanism: &'a Mechanism,
    own: &'a Course,
    /// Part of the sizes of a state by which the two may differ.
    most: f64,
    side: Course,
}

impl Experiment {
    /// Where the motion goes without any change.
    pub(in crate::run) fn own_course(&self) -> Result<Course> {
        let mut own = Course::default();
        let started = self.mechanism.start(self.start, &mut self.mechanism.workspace())?;
        let mut collector = Collector::new(self, &started, &[], &[]);
        let finish = self.observe(&mut (&mut own, &mut collector))?;
        let end = At::new(finish.t, &finish.mode, &finish.x);
        let values = collector.finish(end)?.values(end, &mut collector.probe)?;
        own.values = values.into_iter().map(|(_, value)| value).collect();
        own.places.push((finish.t, finish.x));
        Ok(own)
    }
}

impl<M: RunMode> Observer<M> for Course {
    fn jump(&mut self, jump: &JumpView<M>) -> Result<()> {
        match self.places.last_mut() {
            Some((t, x)) if *t == jump.t => x.copy_from_slice(jump.after),
            _ => self.places.push((jump.t, jump.after.to_vec())),
        }
        Ok(())
    }
}

impl<'a> Beside<'a> {
    pub fn new(experiment: &'a Experiment, own: &'a Course) -> Self {
        let rtol = experiment.options.tolerance.rtol();
        Self {
            mechanism: &experiment.mechanism,
            own,
            most: SAME_MOTION[0].max(SAME_MOTION[1] * rtol),
            side: Course::default(),
        }
    }

    /// The end of the motion must be that of the other one, after as many instants.
    ///
    /// # Errors
    /// Kind `Event` where it is not.
    pub fn end(mut self, end: At<Mode>) -> Result<()> {
        self.check_latest()?;
        self.side
            .places
            .push((end.t, end.x[..self.mechanism.dimension()].to_vec()));
        self.check_latest()?;
        match self.own.places.len() == self.side.places.len() {
            true => Ok(()),
            false => Err(leads_elsewhere(end.t)),
        }
    }

    /// The motion must be where the other one is after its latest instant.
    fn check_latest(&self) -> Result<()> {
        let Some((latest, (_, other))) = self.side.places.iter().enumerate().next_back() else {
            return Ok(());
        };
        let Some((t, x)) = self.own.places.get(latest) else {
            return Ok(());
        };
        let mechanism = self.mechanism;
        let reach = |of: Range<usize>| max_abs(&x[of]);
        let (q, v) = (reach(mechanism.positions()), reach(mechanism.velocities()));
        let size = |i: usize| {
            let own = if mechanism.positions().contains(&i) { q } else { v };
            mechanism.size(i).max(own)
        };
        let mut states = mechanism.dynamic();
        match states.any(|i| (x[i] - other[i]).abs() > self.most * size(i)) {
            true => Err(leads_elsewhere(*t)),
            false => Ok(()),
        }
    }
}

impl Observer<ForwardMode<Mode>> for Beside<'_> {
    fn jump(&mut self, jump: &JumpView<ForwardMode<Mode>>) -> Result<()> {
        if self.side.places.last().is_some_and(|(t, _)| *t < jump.t) {
            self.check_latest()?;
        }
        self.side.jump(jump)
    }
}

fn leads_elsewhere(t: f64) -> Error {
    Error::new(
        ErrorKind::Event,
        "one after the other these events lead elsewhere than at once: the motion jumps here",
    )
    .at_time(t)
}
