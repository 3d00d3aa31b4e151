//! When values at given times and measured values are due: at times, and at the occurrences of events.

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::Happening;
use crate::model::{Due, FitDatum, Measured, MeasuredAt, Model, Term};
use crate::scalar::shortest;

/// Times this close to the start or the end, relative, are meant to be on it.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The values that are due at given times, and a place among them.
#[derive(Clone, Debug)]
pub(in crate::run) struct Instants {
    /// Ascending in time.
    list: Vec<(f64, Due)>,
    next: usize,
    /// Occurrences so far by fit and channel.
    occurrences: Vec<Vec<usize>>,
}

/// Fits that objectives of the model use.
pub(super) fn used(model: &Model) -> impl Iterator<Item = usize> {
    let terms = model.objectives.iter().flat_map(|objective| &objective.terms);
    terms.filter_map(|term| match term {
        Term::Fit { fit, .. } => Some(*fit),
        _ => None,
    })
}

/// Values at given times that objectives of the model use.
fn used_readings(model: &Model) -> impl Iterator<Item = usize> {
    let terms = model.objectives.iter().flat_map(|objective| &objective.terms);
    terms.filter_map(|term| match term {
        Term::At { reading, .. } => Some(*reading),
        _ => None,
    })
}

/// Refuses times of values outside the simulated ones.
pub(in crate::run) fn refuse_outside(model: &Model, start: f64, end: f64) -> Result<()> {
    let margin = ROUNDING * start.abs().max(end.abs());
    let inside = |t: f64| t >= start - margin && t <= end + margin;
    let span = format!("{} s to {} s", shortest(start), shortest(end));
    for reading in &model.readings {
        let t = model.numbers[reading.time].value;
        if !inside(t) {
            let message = format!("the time {} s lies outside the simulated {span}", shortest(t));
            return Err(Error::new(ErrorKind::Request, message)
                .named(reading.objective.clone())
                .with_value(t)
                .advise("change the time of `At`, or `start` or `duration` of the simulation"));
        }
    }
    for fit in &model.fits {
        for datum in &fit.data {
            let MeasuredAt::Time(t) = datum.at else { continue };
            if inside(t) {
                continue;
            }
            let message = format!(
                "line {} of {}: the time {} s lies outside the simulated {span}",
                datum.line,
                fit.file,
                shortest(t)
            );
            return Err(Error::new(ErrorKind::Request, message)
                .named(fit.objective.clone())
                .with_value(t)
                .advise("change `start` or `duration` of the simulation, or leave the row out"));
        }
    }
    Ok(())
}

impl Instants {
    /// Those that objectives use, with times within the run.
    pub fn new(model: &Model, start: f64, end: f64) -> Self {
        let mut list = Vec::new();
        for fit in used(model) {
            for (datum, measured) in model.fits[fit].data.iter().enumerate() {
                if let MeasuredAt::Time(t) = measured.at {
                    list.push((t.clamp(start, end), Due::Datum(FitDatum { fit, datum })));
                }
            }
        }
        for reading in used_readings(model) {
            let t = model.numbers[model.readings[reading].time].value;
            list.push((t.clamp(start, end), Due::Reading(reading)));
        }
        list.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self {
            list,
            next: 0,
            occurrences: model.fits.iter().map(|fit| vec![0; fit.channels.len()]).collect(),
        }
    }

    /// Whether values at times are due at all.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The times, ascending, each once.
    pub fn times(&self) -> Vec<f64> {
        let mut times: Vec<f64> = self.list.iter().map(|(t, _)| *t).collect();
        times.dedup();
        times
    }

    /// Values that are due at one of the [`Instants::times`].
    pub fn at(&self, t: f64) -> impl Iterator<Item = Due> {
        let first = self.list.partition_point(|(known, _)| *known < t);
        let last = self.list.partition_point(|(known, _)| *known <= t);
        self.keys(first..last)
    }

    /// The next time up to this one, with the values due then; passes them.
    pub fn due(&mut self, until: f64) -> Option<(f64, Range<usize>)> {
        let &(t, _) = self.list.get(self.next).filter(|(t, _)| *t <= until)?;
        let first = self.next;
        let same = |(other, _): &&(f64, Due)| *other == t;
        self.next += self.list[first..].iter().take_while(same).count();
        Some((t, first..self.next))
    }

    /// The values in a range of [`Instants::due`].
    pub fn keys(&self, due: Range<usize>) -> impl Iterator<Item = Due> {
        self.list[due].iter().map(|(_, key)| *key)
    }

    /// Values of expressions that are due within a margin of a time.
    pub fn readings_about(&self, t: f64, margin: f64) -> impl Iterator<Item = usize> {
        let first = self.list.partition_point(|(known, _)| *known < t - margin);
        let last = self.list.partition_point(|(known, _)| *known <= t + margin);
        self.keys(first..last).filter_map(|due| match due {
            Due::Reading(reading) => Some(reading),
            Due::Datum(_) => None,
        })
    }

    /// The measured event times of these happenings.
    pub fn happened(&mut self, model: &Model, happenings: &[Happening]) -> Vec<FitDatum> {
        let mut found = Vec::new();
        for (fit, counts) in self.occurrences.iter_mut().enumerate() {
            for (channel, count) in counts.iter_mut().enumerate() {
                let Measured::EventTimes(names) = &model.fits[fit].channels[channel].of else {
                    continue;
                };
                for _ in happenings.iter().filter(|happening| names.contains(&happening.name)) {
                    *count += 1;
                    let at = MeasuredAt::Occurrence(*count);
                    let data = model.fits[fit].data.iter().enumerate();
                    let here = data.filter(|(_, datum)| datum.channel == channel && datum.at == at);
                    found.extend(here.map(|(datum, _)| FitDatum { fit, datum }));
                }
            }
        }
        found
    }

    /// Occurrences so far of the event that a channel lists.
    pub fn occurrences(&self, fit: usize, channel: usize) -> usize {
        self.occurrences[fit][channel]
    }
}
