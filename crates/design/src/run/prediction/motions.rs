//! The motions that a prediction starts from: one for all changes, or one for each direction where events at one instant have no
//! derivative in common (theory, 3).

use std::sync::{Arc, Mutex, PoisonError};

use super::Progress;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, HybridSystem};
use crate::linear::max_abs;
use crate::mechanism::{Mechanism, Started};
use crate::model::Mode;
use crate::run::brinks::{Brink, Brinks};
use crate::run::experiment::Experiment;
use crate::run::gradient::combined;
use crate::sensitivity::{ForwardMode, ForwardSystem, Linearization, LinearizationRecorder};

/// A recorded motion.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    /// With its derivatives.
    pub motion: Arc<Linearization<Mode>>,
    /// Where nearby motions may have other events.
    pub brinks: Arc<[Brink]>,
}

/// A change with its motion.
type Latest = (Vec<f64>, Recorded);

/// Recorded motions with their derivatives.
#[derive(Clone, Debug)]
pub(super) enum Motions {
    /// With the derivatives by every parameter.
    InCommon(Recorded),
    /// Each with the derivative towards one direction, whose order of events at one instant is its own.
    Sides(Sides),
}

/// Motions of which each has the derivative towards one direction.
#[derive(Clone, Debug)]
pub(super) struct Sides {
    /// Below and above the value of each parameter, or why there is none.
    sides: Vec<[Result<Recorded>; 2]>,
    /// Derivatives of the numbers by parameter.
    directions: Vec<Vec<f64>>,
    intervals: u32,
    /// The latest change of several parameters, over its largest entry, with its motion.
    together: Arc<Mutex<Option<Latest>>>,
}

impl Experiment {
    /// Records the motion with the derivatives along directions in the numbers, one per parameter; on both sides of each where
    /// they have none in common.
    pub(super) fn record_motions(
        &self,
        started: &Started,
        directions: &[Vec<f64>],
        intervals: u32,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Motions> {
        let system = ForwardSystem::new(&self.mechanism, directions);
        match self.record_motion(started, (&system, directions), intervals, progress) {
            Ok(found) => Ok(Motions::InCommon(found)),
            Err(error) if error.kind() == ErrorKind::Event => {
                let side = |k: usize, sign: f64| {
                    let change: Vec<f64> = (0..directions.len()).map(|j| if j == k { sign } else { 0.0 }).collect();
                    self.record_towards(started, (directions, &change), intervals)
                };
                let sides = (0..directions.len()).map(|k| [-1.0, 1.0].map(|sign| side(k, sign)));
                let sides: Vec<_> = sides.collect();
                self.interruption().check(self.start)?;
                match sides.iter().flatten().any(Result::is_ok) {
                    true => Ok(Motions::Sides(Sides {
                        sides,
                        directions: directions.to_vec(),
                        intervals,
                        together: Arc::default(),
                    })),
                    false => Err(error),
                }
            }
            Err(error) => Err(error),
        }
    }

    /// Records the motion with its derivative towards a change of the parameters, in the order of events that it selects.
    fn record_towards(
        &self,
        started: &Started,
        (directions, change): (&[Vec<f64>], &[f64]),
        intervals: u32,
    ) -> Result<Recorded> {
        let direction = combined(directions, change);
        let system = ForwardSystem::towards(&self.mechanism, &direction);
        self.record_motion(started, (&system, &direction), intervals, &mut |_| ())
    }

    fn record_motion(
        &self,
        started: &Started,
        (system, directions): (&ForwardSystem<Mechanism>, &[Vec<f64>]),
        intervals: u32,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Recorded> {
        let mut workspace = self.mechanism.workspace();
        let (x, times) = self.start_forward(started, directions, &mut workspace)?;
        let interval = (self.options.end - self.start) / f64::from(intervals);
        let mut recorder = LinearizationRecorder::new(&self.mechanism, system, interval)?;
        let mode = ForwardMode::start(started.mode.clone(), self.start, times);
        let mut brinks = Brinks::new(&self.mechanism);
        let watching = &mut (&mut self.interruption(), &mut Progress(progress));
        let recording = &mut (&mut recorder, &mut brinks);
        let finish = self.simulate_forward(system, (mode, x), &mut (recording, watching))?;
        brinks.end(At::new(finish.t, &finish.mode.mode, &finish.x));
        Ok(Recorded {
            motion: Arc::new(recorder.finish()?),
            brinks: brinks.found.into(),
        })
    }
}

impl Motions {
    /// The motion for a change of the parameters with the change in its own directions.
    ///
    /// # Errors
    /// Kind `Request` where the change does not fit; kind `Event` where there is no derivative on that side.
    pub fn along(&self, experiment: &Experiment, dp: &[f64]) -> Result<(Recorded, Vec<f64>)> {
        let sides = match self {
            Self::InCommon(motion) => {
                motion.motion.check_change(dp)?;
                return Ok((motion.clone(), dp.to_vec()));
            }
            Self::Sides(sides) => sides,
        };
        if dp.len() != sides.sides.len() || dp.iter().any(|change| !change.is_finite()) {
            let message = format!(
                "the prediction has {} parameters, with one finite change each",
                sides.sides.len()
            );
            return Err(Error::new(ErrorKind::Request, message).advise("give one finite change for each parameter"));
        }
        let changed: Vec<usize> = (0..dp.len()).filter(|&k| dp[k] != 0.0).collect();
        match changed[..] {
            [] => self.first().map(|motion| (motion.clone(), vec![0.0])),
            [k] => {
                let side = sides.sides[k][usize::from(dp[k] > 0.0)].clone();
                side.map(|motion| (motion, vec![dp[k].abs()]))
            }
            _ => sides.together(experiment, dp),
        }
    }

    /// Any of the motions: they differ in their derivatives alone.
    pub fn first(&self) -> Result<&Recorded> {
        match self {
            Self::InCommon(motion) => Ok(motion),
            Self::Sides(Sides { sides, .. }) => {
                let mut found = sides.iter().flatten().filter_map(|side| side.as_ref().ok());
                found
                    .next()
                    .ok_or_else(|| Error::new(ErrorKind::Request, "nothing was recorded"))
            }
        }
    }
}

impl Sides {
    /// The motion for a change of several parameters, simulated unless it was asked for last: the order of events is that of
    /// the change as a whole.
    fn together(&self, experiment: &Experiment, dp: &[f64]) -> Result<(Recorded, Vec<f64>)> {
        let size = max_abs(dp);
        let change: Vec<f64> = dp.iter().map(|change| change / size).collect();
        let mut latest = self.together.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, motion)) = latest.as_ref().filter(|(known, _)| *known == change) {
            return Ok((motion.clone(), vec![size]));
        }
        let mechanism = &experiment.mechanism;
        let started = mechanism.start(experiment.start, &mut mechanism.workspace())?;
        let motion = experiment.record_towards(&started, (&self.directions, &change), self.intervals)?;
        *latest = Some((change, motion.clone()));
        Ok((motion, vec![size]))
    }
}
