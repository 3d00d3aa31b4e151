//! How curves of outputs follow the parameters, to first order (theory, 3.5).

use std::ops::Range;

use super::Prediction;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::linear::max_abs;
use crate::model::Mode;
use crate::run::gradient::combined;
use crate::run::probe::Probe;
use crate::run::recording::{Recording, Series};
use crate::scalar::shortest;
use crate::sensitivity::Linearization;

/// Most that values of an output at the states of the prediction differ from the recorded ones, over the largest of them: far
/// above what polynomials between states leave, far below what is seen.
const SAME: f64 = 1e-3;

/// The derivatives of recorded curves along a change of the parameters. A point of a curve moves in time with the events at both ends
/// of its smooth piece, in proportion to its distance from them, and its value follows: so no piece is extended beyond its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// By smooth piece, the derivatives of the times of its start and its end (s); none at both ends of the recording.
    pub shifts: Vec<[f64; 2]>,
    /// By output, the derivatives of its values at the moving times, one for each time of the recording; or why there are none. Those
    /// of pieces without duration, between events at one instant, are of the order of events on the side of the change.
    pub slopes: Vec<Result<Vec<f64>>>,
}

impl Curves {
    /// The derivatives along a multiple of the change.
    pub fn scaled(mut self, factor: f64) -> Self {
        let slopes = self.slopes.iter_mut().filter_map(|slopes| slopes.as_mut().ok());
        let all = self.shifts.as_flattened_mut().iter_mut().chain(slopes.flatten());
        all.for_each(|slope| *slope *= factor);
        self
    }

    /// The outputs of the recording that these are derivatives of, as predicted for so much of the change; without those that have no
    /// derivatives, and without energies and events. Times that would go back stand still.
    pub fn predicted(&self, recording: &Recording, change: f64) -> Recording {
        let mut times = recording.times.clone();
        for (range, [start, end]) in recording.phase_ranges().zip(&self.shifts) {
            let phase = &mut times[range];
            let (Some(&from), Some(&to)) = (phase.first(), phase.last()) else {
                continue;
            };
            for t in phase {
                let part = if to > from { (*t - from) / (to - from) } else { 0.0 };
                *t += change * (start + part * (end - start));
            }
        }
        let mut last = f64::NEG_INFINITY;
        for t in &mut times {
            *t = t.max(last);
            last = *t;
        }
        let outputs = recording.outputs.iter().zip(&self.slopes);
        let outputs = outputs.filter_map(|(series, slopes)| {
            let values = series.values.iter().zip(slopes.as_ref().ok()?);
            Some(Series {
                values: values.map(|(value, slope)| value + change * slope).collect(),
                ..series.clone()
            })
        });
        Recording {
            outputs: outputs.collect(),
            times,
            phases: recording.phases.clone(),
            ..Recording::default()
        }
    }
}

impl Prediction {
    /// The derivatives of the curves of a recording of the same experiment along a change `dp` of the parameters: to first order the
    /// changed motion has the value g + g' at the time t + t', with the derivatives g' of [`Curves::slopes`] and t' between
    /// [`Curves::shifts`].
    ///
    /// # Errors
    /// As [`Prediction::motion`]; kind `Request` for a recording of another motion, kind `Singular` where the accelerations of a
    /// state are not determined. Within [`Curves::slopes`], kind `NotFinite` for an output without a derivative, and kind `Request`
    /// for one that moves faster than the kept states tell.
    pub fn curves(&self, recording: &Recording, dp: &[f64]) -> Result<Curves> {
        let (motion, along) = self.motion(dp)?;
        let phases: Vec<Range<usize>> = recording.phase_ranges().collect();
        let (outputs, events) = (&self.experiment.mechanism.model.outputs, motion.events());
        if phases.len() != events.len() + 1 || recording.outputs.len() != outputs.len() {
            let message = "the recording is not one of the motion that the prediction starts from";
            return Err(Error::new(ErrorKind::Request, message).advise("record and predict the same experiment"));
        }
        let numbers = self.along_numbers(dp);
        let mut sampler = Sampler {
            probe: Probe::new(&self.experiment.mechanism, &numbers),
            values: vec![Vec::new(); outputs.len()],
            slopes: vec![Vec::new(); outputs.len()],
        };
        let shift = |event: Option<usize>| {
            event
                .and_then(|k| events.get(k))
                .map_or(0.0, |found| found.shift(&along))
        };
        let (mut shifts, mut lasting) = (Vec::with_capacity(phases.len()), Vec::new());
        for (phase, range) in phases.into_iter().enumerate() {
            let times = &recording.times[range];
            let start = shift(phase.checked_sub(1));
            // An event at the very end takes the end along.
            let is_instant = times.first() == times.last();
            let ends = [start, if is_instant { start } else { shift(Some(phase)) }];
            lasting.resize(lasting.len() + times.len(), !is_instant);
            sampler.sample(&motion, (phase, times), (&along, ends))?;
            shifts.push(ends);
        }
        let of_outputs = recording.outputs.iter().zip(sampler.values).zip(sampler.slopes);
        let slopes = of_outputs.map(|((series, values), slopes)| {
            // Between events at one instant the order may be another one than the recorded.
            let pairs = series.values.iter().zip(&values).zip(&lasting);
            let apart = pairs.filter(|(_, lasting)| **lasting).map(|((a, b), _)| (a - b).abs());
            checked(series, &recording.times, apart.fold(0.0, f64::max), slopes)
        });
        Ok(Curves {
            shifts,
            slopes: slopes.collect(),
        })
    }

    /// The derivatives of the numbers of the model along a change of the parameters.
    fn along_numbers(&self, dp: &[f64]) -> [Vec<f64>; 1] {
        let parameters = &self.experiment.mechanism.model.parameters;
        let place = |name: &String| self.parameters.iter().position(|(known, _)| known == name);
        let change = |name| place(name).and_then(|place| dp.get(place)).copied().unwrap_or(0.0);
        let changes: Vec<f64> = parameters.iter().map(|found| change(&found.name)).collect();
        combined(&self.experiment.directions(), &changes)
    }
}

/// Evaluates outputs at recorded states.
struct Sampler<'a> {
    probe: Probe<'a>,
    values: Vec<Vec<f64>>,
    slopes: Vec<Vec<f64>>,
}

impl Sampler<'_> {
    /// Adds the values and slopes at the times of a phase, whose ends move like this.
    fn sample(
        &mut self,
        motion: &Linearization<Mode>,
        (phase, times): (usize, &[f64]),
        (dp, [start, end]): (&[f64], [f64; 2]),
    ) -> Result<()> {
        let mechanism = self.probe.mechanism;
        let mut x = vec![0.0; 2 * motion.dimension()];
        let (Some(&from), Some(&to)) = (times.first(), times.last()) else {
            return Ok(());
        };
        for &t in times {
            let part = if to > from { (t - from) / (to - from) } else { 0.0 };
            let mode = motion.along(phase, t, dp, &mut x)?;
            let (values, slopes) = (&mut self.values, &mut self.slopes);
            let times = [start + part * (end - start)];
            self.probe.each_jvp(At::new(t, mode, &x), &times, |_, motion, _| {
                for (k, (_, output)) in mechanism.model.outputs.iter().enumerate() {
                    let found = output.evaluate(&mechanism.model, mode, motion);
                    values[k].push(found.re);
                    slopes[k].push(found.eps);
                }
            })?;
        }
        Ok(())
    }
}

/// The slopes of an output, if they are numbers and its values where they were taken are `apart` by little from the recorded ones.
fn checked(series: &Series, times: &[f64], apart: f64, slopes: Vec<f64>) -> Result<Vec<f64>> {
    if let Some((slope, t)) = slopes.iter().zip(times).find(|(slope, _)| !slope.is_finite()) {
        let message = format!("\"{}\" has no derivative at t = {} s", series.name, shortest(*t));
        let error = Error::new(ErrorKind::NotFinite, message).named(&series.name);
        return Err(error.with_value(*slope).at_time(*t));
    }
    match apart <= SAME * max_abs(&series.values) + series.noise {
        true => Ok(slopes),
        false => {
            let message = format!(
                "\"{}\" moves faster than the states that are kept for predictions tell",
                series.name
            );
            let error = Error::new(ErrorKind::Request, message).named(&series.name);
            Err(error.with_value(apart).advise("simulate a shorter duration"))
        }
    }
}
