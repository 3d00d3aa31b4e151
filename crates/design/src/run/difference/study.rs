//! The step study of one parameter: the simulation repeated at smaller and smaller changes of it.

use std::ops::Range;

use serde::Serialize;

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

/// What is compared between two runs: objectives, then the times of the events.
#[derive(Clone, Debug)]
pub(super) struct Compared {
    pub values: Vec<f64>,
    pub events: Vec<EventMark>,
}

impl Compared {
    pub fn of(experiment: &Experiment) -> Result<Self> {
        let (report, _) = experiment.run(false, &mut |_| {})?;
        let objectives = report.objectives.iter().map(|(_, value)| *value);
        Ok(Self {
            values: objectives.chain(report.events.iter().map(|event| event.t)).collect(),
            events: report.events,
        })
    }

    /// The values in the order of another run; none where other things happen.
    pub fn like(&self, base: &Self) -> Option<Vec<f64>> {
        let order = corresponding(&base.events, &self.events)?;
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
}

/// Runs the study of a parameter; `base` is the run in the middle, with the errors of its values.
pub(super) fn study(experiment: &Experiment, parameter: usize, base: &Compared, noise: &[f64]) -> StepStudy {
    let found = &experiment.mechanism.model.parameters[parameter];
    let size = parameter_size(found.value, found.bounds);
    let mut study = StepStudy {
        parameter: found.name.clone(),
        value: found.value,
        size,
        steps: Vec::new(),
        estimates: vec![None; base.values.len()],
    };
    let mut since_better = 0;
    for level in 0..LEVELS {
        let step = LARGEST * size * 0.5_f64.powi(level);
        study.steps.push(take(experiment, &study, step, base));
        let estimates = estimate(&study.steps, base, noise);
        let better = estimates.iter().zip(&study.estimates).any(|pair| match pair {
            (Some(new), Some(old)) => new.error < 0.5 * old.error,
            (new, _) => new.is_some(),
        });
        study.estimates = estimates;
        let usable = study.estimates.iter().any(Option::is_some);
        since_better = if better || !usable { 0 } else { since_better + 1 };
        if since_better >= PATIENCE {
            break;
        }
    }
    study
}

/// The size that changes of a parameter are measured by: its value, unless that is tiny within its bounds.
pub(in crate::run) fn parameter_size(value: f64, bounds: Option<(f64, f64)>) -> f64 {
    let width = bounds.map_or(0.0, |(low, high)| WIDTH * (high - low));
    match value.abs().max(width) {
        size if size > 0.0 => size,
        _ => 1.0,
    }
}

fn take(experiment: &Experiment, study: &StepStudy, size: f64, base: &Compared) -> Step {
    let end = |value: f64| {
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
    let ((below, low), (above, high)) = (end(study.value - size), end(study.value + size));
    // The step as represented: the ends are rounded.
    let width = (study.value + size) - (study.value - size);
    let quotients = match (&low, &high) {
        (Some(low), Some(high)) => low.iter().zip(high).map(|(low, high)| (high - low) / width).collect(),
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

/// Whether the same things happen in the same order, and the same ones at once.
pub(in crate::run) fn same_events(a: &[EventMark], b: &[EventMark]) -> bool {
    corresponding(a, b).is_some()
}

/// For each event of a run the one of another run that it corresponds to; none where other things happen, in another order,
/// or other ones at once: a bounce that rests as soon as it starts is not one that lands first. What happens at one instant,
/// but each in its own time, has no order.
fn corresponding(base: &[EventMark], other: &[EventMark]) -> Option<Vec<usize>> {
    let (ours, theirs) = (jumps(base), jumps(other));
    let alike = |a: &Range<usize>, b: &Range<usize>| {
        let named = |event: &EventMark| (event.name.clone(), event.kind.clone(), event.part);
        base[a.clone()].iter().map(named).eq(other[b.clone()].iter().map(named))
    };
    let mut order = Vec::with_capacity(base.len());
    let mut first = 0;
    while first < ours.len() {
        let at_same_time = |jump: &&Range<usize>| base[jump.start].t == base[ours[first].start].t;
        let count = ours[first..].iter().take_while(at_same_time).count();
        let mut left = theirs.get(first..first + count)?.to_vec();
        for jump in &ours[first..first + count] {
            let found = left.iter().position(|candidate| alike(jump, candidate))?;
            order.extend(left.remove(found));
        }
        first += count;
    }
    (order.len() == other.len()).then_some(order)
}

/// Ranges of events that happen as one.
fn jumps(events: &[EventMark]) -> Vec<Range<usize>> {
    let starts: Vec<usize> = (0..events.len()).filter(|&i| i == 0 || !events[i].at_once).collect();
    let ends = starts.iter().skip(1).copied().chain([events.len()]);
    starts.iter().zip(ends).map(|(&start, end)| start..end).collect()
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
