//! The sliders of a page: motions predicted for several values of each parameter.

use super::solids::{Solid, solids};
use super::{Missing, Motion, is_end, still};
use crate::appearance::blocks;
use crate::error::{Error, ErrorKind, Result};
use crate::output::page::{Courses, Moved, PageEvent, PageParameter, PagePrediction};
use crate::run::{EventMark, TrustCurve};
use crate::show::Ghost;

/// Most parameters that have a slider: each costs a motion, and room.
const MOST: usize = 24;
/// Most intervals of predicted motions.
const INTERVALS: usize = 120;

impl Motion<'_> {
    /// The parameters with the motions predicted for them, which move these meshes.
    pub(super) fn sliders(
        &self,
        drawn: &[Solid],
        events: &[PageEvent],
        missing: &mut Vec<Missing>,
    ) -> Vec<PageParameter> {
        let parameters = &self.show.model().parameters;
        if parameters.is_empty() {
            return Vec::new();
        }
        let first: Vec<&str> = parameters.iter().take(MOST).map(|found| found.name.as_str()).collect();
        let ghost = Ghost::of(self.show.experiment.clone(), self.show.scale, |name| {
            first.contains(&name)
        });
        let ranges = self.show.ranges();
        let without = |message: String| Err(Error::new(ErrorKind::Request, message));
        let found = |(index, name): (usize, &str)| match &ghost {
            _ if index >= MOST => without(format!("the page has sliders for the first {MOST} parameters")),
            Err(error) => Err(error.clone()),
            Ok(ghost) if ghost.value(name).is_none() => {
                without("nothing that the scene uses has a derivative by it".to_string())
            }
            Ok(ghost) => self.prediction(ghost, name, ranges[index], drawn, events),
        };
        let names = parameters.iter().map(|parameter| parameter.name.as_str());
        let found: Vec<Result<PagePrediction>> = names.enumerate().map(found).collect();
        let mut failures = found.iter().filter_map(|found| found.as_ref().err());
        let ended = failures.find(|error| is_end(error)).cloned();
        missing.extend(ended.map(|error| ("Sliders", error)));
        parameters
            .iter()
            .zip(found)
            .map(|(parameter, found)| PageParameter {
                name: parameter.name.clone(),
                unit: parameter.unit.clone(),
                value: parameter.value,
                about: parameter.about.clone(),
                reason: found.as_ref().err().map(|error| error.message().to_string()),
                prediction: found.ok(),
            })
            .collect()
    }

    fn prediction(
        &self,
        ghost: &Ghost,
        parameter: &str,
        ends: (f64, f64),
        drawn: &[Solid],
        events: &[PageEvent],
    ) -> Result<PagePrediction> {
        let value = ghost.value(parameter).unwrap_or(f64::NAN);
        let interruption = self.show.experiment.interruption();
        let curve = ghost.trust_curve(parameter, ends, interruption)?;
        let (trusted, causes) = curve.map_or(([value; 2], [None, None]), |TrustCurve { range, causes, .. }| {
            (
                [range.0, range.1],
                causes.map(|cause| cause.map(|cause| cause.to_string())),
            )
        });
        let times = self.predicted_times();
        let (mut motions, mut values, mut event_times) = (Vec::new(), Vec::new(), Vec::new());
        for at in places(value, trusted, ends) {
            match self.predicted(ghost, parameter, at, &times) {
                Ok((found, marks)) => {
                    motions.push(found);
                    values.push(at);
                    event_times.push(self.times_of(events, &marks));
                }
                Err(error) if at == value => return Err(error),
                // Far off, a scene may have no meaning.
                Err(_) => {}
            }
        }
        if values.len() < 2 {
            let message = "the prediction is not to be trusted at any other value";
            return Err(Error::new(ErrorKind::Request, message).named(parameter));
        }
        let own = values.iter().position(|at| *at == value).unwrap_or(0);
        let moved = Moves::of(drawn, &motions, own, still(&self.show.scale));
        let (curves, no_curves) = match self.curves(ghost, parameter) {
            Ok(curves) => (curves, None),
            Err(error) if is_end(&error) => return Err(error),
            Err(error) => (Vec::new(), Some(error.message().to_string())),
        };
        Ok(PagePrediction {
            values,
            trusted,
            causes,
            times,
            tracks: moved.courses.packed(),
            blocks: moved.blocks,
            events: event_times,
            hidden: moved.hidden,
            curves,
            no_curves,
        })
    }

    /// The meshes predicted for a value of a parameter at these times, and the events.
    fn predicted(
        &self,
        ghost: &Ghost,
        parameter: &str,
        value: f64,
        times: &[f64],
    ) -> Result<(Vec<Solid>, Vec<EventMark>)> {
        let change = ghost.change(parameter, value).unwrap_or_default();
        let states: Result<Vec<_>> = times.iter().map(|&t| ghost.items(t, &change)).collect();
        let drawn = states?.into_iter().map(|items| {
            let drawn = blocks(&items, &self.show.scale);
            (items, drawn)
        });
        Ok((solids(drawn), ghost.events(&change)?))
    }

    fn predicted_times(&self) -> Vec<f64> {
        let (Some(first), Some(last)) = (self.frames.first(), self.frames.last()) else {
            return Vec::new();
        };
        let count = INTERVALS.min(self.frames.len() - 1).max(1);
        let at = |k: usize| first.t + (last.t - first.t) * k as f64 / count as f64;
        match first.t < last.t {
            true => (0..=count).map(at).collect(),
            false => vec![first.t],
        }
    }

    /// The predicted times of the events of the page.
    fn times_of(&self, events: &[PageEvent], marks: &[EventMark]) -> Vec<Option<f64>> {
        let simulated = &self.show.report.events;
        let of = |event: &PageEvent| {
            let is_same = |mark: &EventMark| mark.name == event.name && mark.kind == event.kind;
            let mut known = simulated.iter().zip(marks);
            let found = known.find(|(mark, predicted)| mark.t == event.t && is_same(mark) && is_same(predicted));
            found.map(|(_, predicted)| predicted.t).filter(|t| t.is_finite())
        };
        events.iter().map(of).collect()
    }
}

/// What moves in the motions of several values.
#[derive(Default)]
struct Moves {
    blocks: Vec<Moved>,
    hidden: Vec<[usize; 4]>,
    courses: Courses,
}

impl Moves {
    /// Of the meshes that the page draws; `own` is the index of the simulated value. One that a motion never shows moves as in that.
    fn of(drawn: &[Solid], motions: &[Vec<Solid>], own: usize, still: f64) -> Self {
        let mut moves = Self::default();
        for (block, solid) in drawn.iter().enumerate() {
            let find = |motion: &Vec<Solid>| motion.iter().position(|found| found.is_same(solid));
            let Some(simulated) = find(&motions[own]).map(|index| &motions[own][index]) else {
                continue;
            };
            let found: Vec<Option<&Solid>> = motions
                .iter()
                .map(|motion| find(motion).map(|index| &motion[index]))
                .collect();
            for entry in 0..12 {
                let course = found.iter().flat_map(|found| found.unwrap_or(simulated).course(entry));
                let course = moves.courses.add(entry, &course.collect::<Vec<_>>(), still);
                moves
                    .blocks
                    .extend(course.map(|(entry, track, from, range)| (block, entry, track, from, range)));
            }
            for (value, found) in found.iter().enumerate() {
                let never = || vec![[0, simulated.seen.len()]];
                let hidden = found.map_or_else(never, Solid::hidden);
                moves
                    .hidden
                    .extend(hidden.into_iter().map(|[from, to]| [block, value, from, to]));
            }
        }
        moves
    }
}

/// Values that a motion is predicted for: of the parameter, of the ends of the part to trust, and as far again on both sides.
fn places(value: f64, trusted: [f64; 2], ends: (f64, f64)) -> Vec<f64> {
    let beyond = trusted.map(|end| (2.0 * end - value).clamp(ends.0.min(value), ends.1.max(value)));
    // Two that are nearly one would make steps of rounding.
    let apart = 0.01 * (beyond[1] - beyond[0]);
    let below = [beyond[0], trusted[0]]
        .into_iter()
        .filter(|place| value - place > apart);
    let above = [trusted[1], beyond[1]]
        .into_iter()
        .filter(|place| place - value > apart);
    let mut places: Vec<f64> = below.chain([value]).chain(above).collect();
    places.dedup_by(|next, last| *next - *last <= apart);
    places
}
