//! The curves of outputs, and how they follow the parameters.

use super::Motion;
use crate::error::Result;
use crate::output::page::{Courses, PageCurves, PageOutputs, PageSeries, PageSlope};
use crate::run::Curves;
use crate::show::Ghost;

/// What a page shows of a recording.
struct Kept {
    /// Indices of the times.
    samples: Vec<usize>,
    /// By smooth piece of which something is shown, its number and where its samples begin among those kept.
    phases: Vec<(usize, usize)>,
}

impl Motion<'_> {
    fn kept(&self) -> Kept {
        let recording = &self.show.recording;
        let (from, to) = self.span();
        let (mut samples, mut phases) = (Vec::new(), Vec::new());
        for (number, phase) in recording.phase_ranges().enumerate() {
            let before = samples.len();
            // With the neighbours of both ends, so that curves reach these.
            let times = &recording.times[phase.clone()];
            let first = times.partition_point(|t| *t < from);
            let first = first - usize::from(first > 0 && times.get(first).is_some_and(|t| *t > from));
            let last = times.partition_point(|t| *t <= to);
            let last = last + usize::from(last > 0 && last < times.len() && times[last - 1] < to);
            samples.extend(phase.skip(first).take(last.saturating_sub(first)));
            if samples.len() > before {
                phases.push((number, before));
            }
        }
        Kept { samples, phases }
    }

    pub(super) fn outputs(&self) -> PageOutputs {
        let recording = &self.show.recording;
        let Kept { samples, phases } = self.kept();
        PageOutputs {
            times: samples.iter().map(|&k| recording.times[k]).collect(),
            phases: phases.into_iter().map(|(_, first)| first).collect(),
            series: recording
                .outputs
                .iter()
                .map(|series| PageSeries {
                    name: series.name.clone(),
                    expression: series.expression.clone(),
                    values: samples.iter().map(|&k| series.values[k]).collect(),
                })
                .collect(),
        }
    }

    /// How the curves follow a parameter.
    pub(super) fn curves(&self, ghost: &Ghost, parameter: &str) -> Result<Vec<PageCurves>> {
        if self.show.recording.outputs.is_empty() {
            return Ok(Vec::new());
        }
        let kept = self.kept();
        let found = ghost.curves(&self.show.recording, parameter)?;
        let curves = found.into_iter().map(|(side, curves)| {
            let side = side.map(|side| side.to_string());
            self.packed_curves(side, &curves, &kept)
        });
        Ok(curves.collect())
    }

    fn packed_curves(&self, side: Option<String>, curves: &Curves, kept: &Kept) -> PageCurves {
        let times = &self.show.recording.times;
        let phases: Vec<_> = self.show.recording.phase_ranges().collect();
        let ends = kept
            .phases
            .iter()
            .map(|(_, first)| *first)
            .skip(1)
            .chain([kept.samples.len()]);
        let shown = kept.phases.iter().zip(ends);
        // Of a piece that is shown in part, the shifts of the first and the last sample.
        let shifts = shown.map(|(&(number, first), end)| {
            let (piece, [start, stop]) = (&phases[number], curves.shifts[number]);
            let (from, to) = (times[piece.start], times[piece.end - 1]);
            [first, end - 1].map(|sample| {
                let part = if to > from {
                    (times[kept.samples[sample]] - from) / (to - from)
                } else {
                    0.0
                };
                start + part * (stop - start)
            })
        });
        let mut courses = Courses::default();
        let slopes = curves.slopes.iter().map(|slopes| match slopes {
            Ok(slopes) => {
                let values: Vec<f64> = kept.samples.iter().map(|&k| slopes[k]).collect();
                courses.add_slopes(&values)
            }
            Err(error) => PageSlope::None(error.message().to_string()),
        });
        let slopes = slopes.collect();
        PageCurves {
            side,
            shifts: shifts.collect(),
            tracks: courses.packed(),
            slopes,
        }
    }
}
