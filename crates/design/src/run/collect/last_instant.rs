//! Events at the last instant of a run: they happen, and the values at the end are those after them. A parameter that moves such an
//! event but not the end lets the end be first on one of its sides.

use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, HybridSystem, JumpView, Tangent};
use crate::model::Mode;
use crate::run::experiment::Experiment;
use crate::run::probe::{Probe, RunMode, before};
use crate::sensitivity::move_together;

/// What happens at the last instant.
#[derive(Debug)]
pub(in crate::run) struct LastInstant {
    /// When it begins.
    begins: f64,
    /// Derivatives of the time of the end by direction.
    ends: Vec<f64>,
    /// Whether the only direction selects what is first: an event or the end.
    pub one_sided: bool,
    /// Names and kinds of what happens, without repetitions, and when.
    happened: Vec<(String, String, f64)>,
    /// Whether a direction moves the end and an event apart.
    parts: bool,
    /// Where the motion ends before an event, towards the side where the end is first.
    place: Option<(f64, Mode, Vec<f64>)>,
}

impl LastInstant {
    /// Of a run along these directions in the numbers.
    pub fn new(experiment: &Experiment, directions: &[Vec<f64>]) -> Self {
        let options = &experiment.options;
        Self {
            begins: options.end - options.last_instant(experiment.start),
            ends: directions.iter().map(|numbers| experiment.end_slope(numbers)).collect(),
            one_sided: false,
            happened: Vec::new(),
            parts: false,
            place: None,
        }
    }

    /// Whether something happened.
    pub fn is_busy(&self) -> bool {
        !self.happened.is_empty()
    }

    /// Looks at a jump. False for one that comes after the end, towards the side where the end is first.
    ///
    /// # Errors
    /// As for the flow.
    pub fn visit<M: RunMode>(&mut self, jump: &JumpView<M>, probe: &mut Probe) -> Result<bool> {
        if jump.t < self.begins || self.place.is_some() {
            return Ok(self.place.is_none());
        }
        for found in jump.happenings {
            if self
                .happened
                .iter()
                .all(|(name, kind, _)| found.named() != (name, kind))
            {
                self.happened.push((found.name.clone(), found.kind.clone(), jump.t));
            }
        }
        let (place, times) = (before(jump), jump.mode_after.times());
        for (k, (&end, &time)) in self.ends.iter().zip(times).enumerate() {
            if self.keeps_up(place, (k, [time, end]), probe)? {
                continue;
            }
            self.parts = true;
            if self.one_sided && time > end {
                self.place = Some((jump.t, place.mode.clone(), place.x.to_vec()));
            }
        }
        Ok(self.place.is_none())
    }

    /// Whether an event keeps to the end along a direction.
    fn keeps_up(&self, place: At<Mode>, (k, times): (usize, [f64; 2]), probe: &mut Probe) -> Result<bool> {
        let n = probe.mechanism.dimension();
        let at = At::new(place.t, place.mode, &place.x[..n]);
        let along = Tangent::new(0.0, &place.x[(k + 1) * n..][..n], &probe.directions[k]);
        move_together(probe.mechanism, at, &along, times, &mut probe.workspace)
    }

    /// Where the motion ends on the side of the only direction, if that is before an event.
    pub fn take_place(&mut self) -> Option<(f64, Mode, Vec<f64>)> {
        self.place.take()
    }

    /// What a report says.
    pub fn remark(&self) -> Option<String> {
        let (_, _, t) = self.happened.first()?;
        Some(format!(
            "{} at the very end, at {t:.6} s, within rounding: the values at the end are those after it",
            self.names()
        ))
    }

    fn names(&self) -> String {
        let named = self
            .happened
            .iter()
            .map(|(name, kind, _)| format!("\"{name}\" ({kind})"));
        let verb = if self.happened.len() == 1 { "happens" } else { "happen" };
        format!("{} {verb}", named.collect::<Vec<_>>().join(" and "))
    }

    /// Refuses derivatives where a direction moves the end and an event apart: each side has one of its own.
    ///
    /// # Errors
    /// Kind `Event`, naming the first.
    pub fn refuse(&self) -> Result<()> {
        let Some((name, _, t)) = self.happened.first().filter(|_| self.parts && !self.one_sided) else {
            return Ok(());
        };
        let message = format!(
            "{} at the very end of the motion, and a change of a parameter moves it past the end: values at the end have no \
             derivative",
            self.names()
        );
        Err(Error::new(ErrorKind::Event, message)
            .named(name)
            .at_time(*t)
            .advise("end a moment earlier or later, or let `duration` follow the event by a parameter"))
    }
}
