//! The motions that a prediction starts from: one for all changes, or one for each direction where events at one instant have no
//! derivative in common (theory, 3).

use super::Progress;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::HybridSystem;
use crate::mechanism::Started;
use crate::model::Mode;
use crate::run::experiment::Experiment;
use crate::sensitivity::{ForwardMode, ForwardSystem, Linearization, LinearizationRecorder};

/// Recorded motions with their derivatives.
#[derive(Clone, Debug)]
pub(super) enum Motions {
    /// With the derivatives by every parameter.
    InCommon(Linearization<Mode>),
    /// Below and above the value of each parameter, or why there is none; each with the derivative towards that side.
    Sides(Vec<[Result<Linearization<Mode>>; 2]>),
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
                let side = |direction: &[f64], sign: f64| {
                    let direction = [direction.iter().map(|slope| sign * slope).collect()];
                    let system = ForwardSystem::towards(&self.mechanism, &direction);
                    self.record_motion(started, (&system, &direction), intervals, &mut |_| ())
                };
                let sides = directions
                    .iter()
                    .map(|direction| [-1.0, 1.0].map(|sign| side(direction, sign)));
                let sides: Vec<_> = sides.collect();
                match sides.iter().flatten().any(Result::is_ok) {
                    true => Ok(Motions::Sides(sides)),
                    false => Err(error),
                }
            }
            Err(error) => Err(error),
        }
    }

    fn record_motion(
        &self,
        started: &Started,
        (system, directions): (&ForwardSystem<crate::mechanism::Mechanism>, &[Vec<f64>]),
        intervals: u32,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Linearization<Mode>> {
        let mut workspace = self.mechanism.workspace();
        let (x, times) = self.start_forward(started, directions, &mut workspace)?;
        let interval = (self.options.end - self.start) / f64::from(intervals);
        let mut recorder = LinearizationRecorder::new(&self.mechanism, system, interval)?;
        let mode = ForwardMode::start(started.mode.clone(), self.start, times);
        let watching = &mut (&mut self.interruption(), &mut Progress(progress));
        self.simulate_forward(system, (mode, x), &mut (&mut recorder, watching))?;
        recorder.finish()
    }
}

impl Motions {
    /// The motion for a change of the parameters with the change in its own directions.
    ///
    /// # Errors
    /// Kind `Request` where the change does not fit, or is of several parameters where each has an order of events of its own;
    /// kind `Event` where there is no derivative on that side.
    pub fn along(&self, dp: &[f64]) -> Result<(&Linearization<Mode>, Vec<f64>)> {
        let sides = match self {
            Self::InCommon(motion) => {
                motion.check_change(dp)?;
                return Ok((motion, dp.to_vec()));
            }
            Self::Sides(sides) => sides,
        };
        if dp.len() != sides.len() || dp.iter().any(|change| !change.is_finite()) {
            let message = format!(
                "the prediction has {} parameters, with one finite change each",
                sides.len()
            );
            return Err(Error::new(ErrorKind::Request, message).advise("give one finite change for each parameter"));
        }
        let changed: Vec<usize> = (0..dp.len()).filter(|&k| dp[k] != 0.0).collect();
        let side = |k: usize| &sides[k][usize::from(dp[k] > 0.0)];
        match changed[..] {
            [] => self.first().map(|motion| (motion, vec![0.0])),
            [k] => match side(k) {
                Ok(motion) => Ok((motion, vec![dp[k].abs()])),
                Err(error) => Err(error.clone()),
            },
            _ => Err(Error::new(
                ErrorKind::Request,
                "several parameters change at once where the order of events at one instant matters: each order has a derivative \
                 of its own",
            )
            .advise("change one parameter, or let one parameter move them together")),
        }
    }

    /// Any of the motions: they differ in their derivatives alone.
    pub fn first(&self) -> Result<&Linearization<Mode>> {
        match self {
            Self::InCommon(motion) => Ok(motion),
            Self::Sides(sides) => {
                let mut found = sides.iter().flatten().filter_map(|side| side.as_ref().ok());
                found
                    .next()
                    .ok_or_else(|| Error::new(ErrorKind::Request, "nothing was recorded"))
            }
        }
    }
}
