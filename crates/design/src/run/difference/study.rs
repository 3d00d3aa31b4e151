//! The step study of one parameter: the simulation repeated at smaller and smaller changes of it.

use serde::Serialize;

use super::alike::{corresponding, in_this_order};
use super::extrapolation::{Estimate, Series, extrapolate};
use crate::error::Result;
use crate::run::experiment::Experiment;
use crate::run::recording::EventMark;

/// Changes of a parameter, over its size: from 1/128, each half of the one before.
const LARGEST: f64 = 1.0 / 128.0;
const LEVELS: i32 = 20;

/// Levels without a better estimate after which smaller steps would only show rounding.
const PATIENCE: usize = 3;

/// Part of the width of its bounds that the size of a parameter is at least.
const WIDTH: f64 = 0.01;

/// Difference of the derivatives from both sides, over the greater, and over the errors that they state, from which they are two.
const KINK: f64 = 1e-2;
const CERTAIN: f64 = 100.0;

/// What is compared between two runs: objectives, then the times of the events.
#[derive(Clone, Debug)]
pub(super) struct Compared {
    pub values: Vec<f64>,
    pub events: Vec<EventMark>,
    /// Whether runs are like it only with the events in this very order, at once or not.
    pub in_this_order: bool,
}

impl Compared {
    pub fn of(experiment: &Experiment) -> Result<Self> {
        let (report, _) = experiment.run(false, &mut |_| {})?;
        let objectives = report.objectives.iter().map(|(_, value)| *value);
        Ok(Self {
            values: objectives.chain(report.events.iter().map(|event| event.t)).collect(),
            events: report.events,
            in_this_order: false,
        })
    }

    /// The same run with its events in the order of one side, at the times that they have in it.
    pub fn in_order(&self, events: &[EventMark]) -> Self {
        let objectives = &self.values[..self.values.len() - self.events.len()];
        let nearest = |event: &EventMark| {
            let times = self.events.iter().map(|own| own.t);
            let distance = |t: &f64| (t - event.t).abs();
            times
                .min_by(|a, b| distance(a).total_cmp(&distance(b)))
                .unwrap_or(event.t)
        };
        Self {
            values: objectives.iter().copied().chain(events.iter().map(nearest)).collect(),
            events: events.to_vec(),
            in_this_order: true,
        }
    }

    /// The values in the order of another run; none where other things happen.
    pub fn like(&self, base: &Self) -> Option<Vec<f64>> {
        let order = match base.in_this_order {
            true => in_this_order(&base.events, &self.events),
            false => corresponding(&base.events, &self.events),
        }?;
        let (objectives, times) = self.values.split_at(self.values.len() - self.events.len());
        let times = order.iter().map(|&event| times[event]);
        Some(objectives.iter().copied().chain(times).collect())
    }
}

/// How the run at one end of a difference ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum End {
    /// With the same sequence of events as the run in the middle.
    #[serde(rename = "same events")]
    Same,
    /// With this other sequence of events.
    #[serde(rename = "events")]
    Changed(Vec<EventMark>),
    /// Not at all, for this reason.
    #[serde(rename = "failed")]
    Failed(String),
}

/// One step of a study.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// Change of the parameter, in its unit.
    #[serde(rename = "step")]
    pub size: f64,
    /// The run with the parameter below its value.
    pub below: End,
    /// The run with the parameter above its value.
    pub above: End,
    /// Central quotients of every objective and every event time; empty unless both ends have the same events.
    #[serde(skip)]
    pub quotients: Vec<f64>,
    /// Values of the ends, below and above, for one-sided quotients.
    #[serde(skip)]
    values: [Option<Vec<f64>>; 2],
}

/// Difference quotients of everything with respect to one parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepStudy {
    /// Name of the parameter.
    #[serde(skip)]
    pub parameter: String,
    /// Its value.
    pub value: f64,
    /// The size that the steps are relative to, in its unit.
    pub size: f64,
    /// Steps, falling.
    pub steps: Vec<Step>,
    /// One extrapolated derivative per objective and per event time; none where no two steps could be used.
    #[serde(skip)]
    pub estimates: Vec<Option<Estimate>>,
    /// Quantities whose quotients from below and from above have limits of their own: the mean is no derivative.
    #[serde(skip)]
    pub kinks: Vec<usize>,
    /// The estimates from below and from above, where the sides are compared each with its own order of events; else empty.
    #[serde(skip)]
    pub sides: [Vec<Option<Estimate>>; 2],
}

/// Runs the study of a parameter; `base` is the run in the middle, with the errors of its values.
pub(super) fn study(experiment: &Experiment, parameter: usize, base: &Compared, noise: &[f64]) -> StepStudy {
    let mut study = begun(experiment, parameter);
    study.estimates = vec![None; base.values.len()];
    let mut patience = Patience::default();
    for level in 0..LEVELS {
        let step = LARGEST * study.size * 0.5_f64.powi(level);
        study.steps.push(take(experiment, &study, step, [base, base]));
        let estimates = estimate(&study.steps, base, noise);
        let ended = patience.ended(&estimates, &study.estimates);
        study.estimates = estimates;
        if ended {
            break;
        }
    }
    study.leave_out_kinks((base, noise));
    study
}

/// Runs the study of a parameter with each side compared with what happens in its own order of events, which `bases` say: a run
/// below and one above, each with the errors of its values.
pub(super) fn study_of_sides(experiment: &Experiment, parameter: usize, bases: [(&Compared, &[f64]); 2]) -> StepStudy {
    let mut study = begun(experiment, parameter);
    study.sides = bases.map(|(base, _)| vec![None; base.values.len()]);
    let mut patience = [Patience::default(), Patience::default()];
    for level in 0..LEVELS {
        let step = LARGEST * study.size * 0.5_f64.powi(level);
        study
            .steps
            .push(take(experiment, &study, step, bases.map(|(base, _)| base)));
        let mut ended = [false; 2];
        for side in [0, 1] {
            let estimates = estimate_side(&study.steps, side, bases[side]);
            ended[side] = patience[side].ended(&estimates, &study.sides[side]);
            study.sides[side] = estimates;
        }
        if ended == [true; 2] {
            break;
        }
    }
    study
}

/// A study without steps.
fn begun(experiment: &Experiment, parameter: usize) -> StepStudy {
    let found = &experiment.mechanism.model.parameters[parameter];
    StepStudy {
        parameter: found.name.clone(),
        value: found.value,
        size: parameter_size(found.value, found.bounds),
        steps: Vec::new(),
        estimates: Vec::new(),
        kinks: Vec::new(),
        sides: [Vec::new(), Vec::new()],
    }
}

/// When smaller steps do not help any more.
#[derive(Default)]
struct Patience {
    since_better: usize,
}

impl Patience {
    fn ended(&mut self, new: &[Option<Estimate>], old: &[Option<Estimate>]) -> bool {
        let better = new.iter().zip(old).any(|pair| match pair {
            (Some(new), Some(old)) => new.error < 0.5 * old.error,
            (new, _) => new.is_some(),
        });
        let usable = new.iter().any(Option::is_some);
        self.since_better = if better || !usable { 0 } else { self.since_better + 1 };
        self.since_better >= PATIENCE
    }
}

impl Experiment {
    /// The sizes that changes of the parameters are measured by.
    pub(in crate::run) fn parameter_sizes(&self) -> Vec<f64> {
        let parameters = self.mechanism.model.parameters.iter();
        parameters
            .map(|found| parameter_size(found.value, found.bounds))
            .collect()
    }
}

/// The size that changes of a parameter are measured by: its value, unless that is tiny within its bounds.
fn parameter_size(value: f64, bounds: Option<(f64, f64)>) -> f64 {
    let width = bounds.map_or(0.0, |(low, high)| WIDTH * (high - low));
    match value.abs().max(width) {
        size if size > 0.0 => size,
        _ => 1.0,
    }
}

fn take(experiment: &Experiment, study: &StepStudy, size: f64, bases: [&Compared; 2]) -> Step {
    let end = |value: f64, base: &Compared| {
        let sample = experiment
            .with_parameter(&study.parameter, value)
            .and_then(|changed| Compared::of(&changed));
        match sample {
            Err(error) => (End::Failed(error.to_string()), None),
            Ok(sample) => match sample.like(base) {
                Some(values) => (End::Same, Some(values)),
                None => (End::Changed(sample.events), None),
            },
        }
    };
    let ((below, low), (above, high)) = (end(study.value - size, bases[0]), end(study.value + size, bases[1]));
    // The step as represented: the ends are rounded.
    let width = (study.value + size) - (study.value - size);
    let quotients = match (&low, &high) {
        (Some(low), Some(high)) if low.len() == high.len() => {
            low.iter().zip(high).map(|(low, high)| (high - low) / width).collect()
        }
        _ => Vec::new(),
    };
    Step {
        size,
        below,
        above,
        quotients,
        values: [low, high],
    }
}

fn estimate(steps: &[Step], base: &Compared, noise: &[f64]) -> Vec<Option<Estimate>> {
    let side = usable_side(steps);
    let steps = usable(steps);
    base.values
        .iter()
        .enumerate()
        .map(|(k, &middle)| {
            let quotient = |step: &Step| match side {
                None => step.quotients.get(k).copied(),
                Some(0) => Some((middle - step.values[0].as_ref()?[k]) / step.size),
                Some(_) => Some((step.values[1].as_ref()?[k] - middle) / step.size),
            };
            let quotients: Vec<(f64, f64)> = steps
                .iter()
                .filter_map(|step| Some((step.size, quotient(step)?)))
                .collect();
            let series = if side.is_none() { Series::Even } else { Series::All };
            extrapolate(&quotients, series, noise[k])
        })
        .collect()
}

/// One-sided quotients, extrapolated.
fn estimate_side(steps: &[Step], side: usize, (base, noise): (&Compared, &[f64])) -> Vec<Option<Estimate>> {
    let end = |step: &Step| {
        if side == 0 {
            step.below.clone()
        } else {
            step.above.clone()
        }
    };
    let changed = |step: &Step| matches!(end(step), End::Changed(_));
    let first = steps.iter().rposition(changed).map_or(0, |last| last + 1);
    let sign = if side == 0 { -1.0 } else { 1.0 };
    let middles = base.values.iter().zip(noise).enumerate();
    let of = |(k, (&middle, &noise)): (usize, (&f64, &f64))| {
        let quotient = |step: &Step| Some((step.size, sign * (step.values[side].as_ref()?[k] - middle) / step.size));
        let quotients: Vec<(f64, f64)> = steps[first..].iter().filter_map(quotient).collect();
        extrapolate(&quotients, Series::All, noise)
    };
    middles.map(of).collect()
}

/// Steps below every one at which the events change. Beyond such a step the same names may stand for other events.
fn usable(steps: &[Step]) -> &[Step] {
    let changed = |step: &Step| matches!(step.below, End::Changed(_)) || matches!(step.above, End::Changed(_));
    let first = steps.iter().rposition(changed).map_or(0, |last| last + 1);
    &steps[first..]
}

/// The side to use where the other one cannot be run at all, as beyond a bound of the parameter.
fn usable_side(steps: &[Step]) -> Option<usize> {
    let failed = |end: fn(&Step) -> &End| steps.iter().all(|step| matches!(end(step), End::Failed(_)));
    match (failed(|step| &step.below), failed(|step| &step.above)) {
        (true, false) => Some(1),
        (false, true) => Some(0),
        _ => None,
    }
}

impl StepStudy {
    /// Takes out the estimates of quantities whose sides differ.
    fn leave_out_kinks(&mut self, base: (&Compared, &[f64])) {
        if usable_side(&self.steps).is_some() {
            return;
        }
        let sides = [0, 1].map(|side| estimate_side(usable(&self.steps), side, base));
        for (k, estimate) in self.estimates.iter_mut().enumerate() {
            let (Some(below), Some(above)) = (sides[0][k], sides[1][k]) else {
                continue;
            };
            let sizes = below.value.abs().max(above.value.abs());
            let most = (KINK * sizes).max(CERTAIN * (below.error + above.error));
            if (below.value - above.value).abs() > most {
                *estimate = None;
                self.kinks.push(k);
            }
        }
    }

    /// Steps that the estimates are made of: those below every one at which the events change.
    pub fn usable_steps(&self) -> &[Step] {
        usable(&self.steps)
    }

    /// Whether the events change within every step that was tried, however small.
    pub fn always_crosses(&self) -> bool {
        self.usable_steps().is_empty()
    }

    /// The first reason for which a run failed.
    pub fn failure(&self) -> Option<&str> {
        self.steps
            .iter()
            .flat_map(|step| [&step.below, &step.above])
            .find_map(|end| match end {
                End::Failed(reason) => Some(reason.as_str()),
                _ => None,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::parameter_size;

    #[test]
    fn the_size_of_a_parameter_is_never_zero_and_follows_its_bounds() {
        assert_eq!(parameter_size(-3.0, None), 3.0);
        assert_eq!(parameter_size(0.0, None), 1.0);
        assert_eq!(parameter_size(0.0, Some((-50.0, 50.0))), 1.0);
        assert_eq!(parameter_size(1e-9, Some((-1.0, 1.0))), 0.02);
    }
}
