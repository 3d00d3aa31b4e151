//! Curves of several motions in one chart: where they lie, and which point is near.

use kiss3d::egui::Vec2;

use super::beside::Beside;
use super::curves::{Curve, Curves};
use super::state::Viewer;
use super::widgets::range;
use crate::run::{Recording, Series};

/// A recording with the curves of one of its charts, and what they are drawn over.
#[derive(Clone, Copy)]
pub(super) struct Drawn<'a> {
    pub(super) recording: &'a Recording,
    pub(super) curves: &'a Curves<'a>,
    pub(super) over: &'a [f64],
}

/// The curves of a chart of the shown motion, and those of others beside it.
pub(super) struct Together<'a> {
    pub(super) own: Drawn<'a>,
    pub(super) others: Vec<(Beside, Drawn<'a>)>,
    /// The output that they are drawn over; the time when none.
    pub(super) over: Option<&'a Series>,
}

impl<'a> Together<'a> {
    pub(super) fn new(
        viewer: &Viewer,
        (recording, curves): (&'a Recording, &'a Curves<'a>),
        others: impl Iterator<Item = (Beside, &'a Recording, &'a Curves<'a>)>,
    ) -> Self {
        let over = |recording: &'a Recording| viewer.plots.over(recording);
        let drawn = |recording: &'a Recording, curves| Drawn {
            recording,
            curves,
            over: over(recording).map_or(&recording.times[..], |over| &over.values[..]),
        };
        let own = over(recording);
        // What the other motion does not have, its curves are not drawn over.
        let others = others.filter(|(_, other, _)| own.is_some() == over(other).is_some());
        Self {
            own: drawn(recording, curves),
            others: others
                .map(|(kind, other, curves)| (kind, drawn(other, curves)))
                .collect(),
            over: own,
        }
    }

    /// All motions; none for what the shown one is.
    pub(super) fn all(&self) -> impl Iterator<Item = (Option<Beside>, Drawn<'a>)> {
        let others = self.others.iter().map(|(kind, other)| (Some(*kind), *other));
        [(None, self.own)].into_iter().chain(others)
    }

    /// The values at the left and the right, and at the lower and the upper edge, within a span of time: of all but what is predicted.
    pub(super) fn edges(&self, span: (f64, f64)) -> Option<[(f64, f64); 2]> {
        let known = || self.all().filter(|(kind, _)| *kind != Some(Beside::Predicted));
        let curves = || known().flat_map(|(_, drawn)| drawn.curves.iter().map(move |curve| (drawn, curve)));
        let points = || curves().flat_map(|(drawn, curve)| drawn.points(curve, span));
        let across = range(points().flatten().map(|point| point.0))?;
        let (low, high) = range(points().flatten().map(|point| point.1))?;
        let across = if self.over.is_some() { across } else { span };
        Some([across, (low, if high > low { high } else { low + 1.0 })])
    }

    /// The time of the point of its own curves that is nearest to a place, in parts of a chart of this size.
    pub(super) fn nearest(&self, [across, up]: [f64; 2], size: Vec2, span: (f64, f64)) -> Option<f64> {
        let ([(left, right), (low, high)], own) = (self.edges(span)?, self.own);
        let apart = |x: f64, y: f64| {
            let x = f64::from(size.x) * ((x - left) / (right - left).max(f64::MIN_POSITIVE) - across);
            x.hypot(f64::from(size.y) * ((y - low) / (high - low) - up))
        };
        let times = own.recording.times.iter().enumerate();
        let times = times.filter(|(_, t)| (span.0..=span.1).contains(*t));
        let points = times.flat_map(|(k, t)| own.curves.iter().map(move |curve| (k, *t, curve)));
        let near = points.filter_map(|(k, t, curve)| Some((apart(*own.over.get(k)?, *curve.values.get(k)?), t)));
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, t)| t)
    }
}

impl<'a> Drawn<'a> {
    /// The parts of a curve between jumps within a span of time, up to its ends.
    pub(super) fn points(self, curve: &'a Curve, (from, to): (f64, f64)) -> impl Iterator<Item = Vec<(f64, f64)>> + 'a {
        let times = &self.recording.times;
        let count = times.len().min(curve.values.len()).min(self.over.len());
        let at = move |t: f64| {
            let read = |values: &[f64]| self.recording.read(values, t).map(|(value, _)| value);
            // The time itself is exact.
            let x = if std::ptr::eq(self.over, &times[..]) {
                Some(t)
            } else {
                read(self.over)
            };
            x.zip(read(&curve.values))
        };
        self.recording.phase_ranges().map(move |phase| {
            let phase = phase.start.min(count)..phase.end.min(count);
            let is_inside =
                |t: f64| times[phase.clone()].first().is_some_and(|first| *first < t) && times[phase.end - 1] > t;
            let ends = [from, to].map(|t| is_inside(t).then(|| at(t)).flatten());
            let within = phase.filter(|k| (from..=to).contains(&times[*k]));
            let points = within.map(|k| (self.over[k], curve.values[k]));
            ends[0].into_iter().chain(points).chain(ends[1]).collect()
        })
    }
}
