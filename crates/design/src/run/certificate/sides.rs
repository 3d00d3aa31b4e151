//! The certificate where events at one instant have no derivative in common: on each side of a parameter the derivative of the
//! order of events that it selects, against one-sided difference quotients.

use super::judge::{Limits, Row, change, entry};
use super::{Certificate, Certified, Entry, Verdict};
use crate::error::{Error, Result};
use crate::run::difference::Differences;
use crate::run::experiment::Experiment;
use crate::run::gradient::{GradientReport, Method, Side};
use crate::run::recording::Towards;

/// The derivatives of both sides, at the tolerances of the run and at larger ones.
struct BothSides<'a> {
    report: &'a GradientReport,
    looser: &'a GradientReport,
    differences: &'a Differences,
    sizes: Vec<f64>,
    limits: Limits,
}

impl Experiment {
    /// The certificate of the derivatives of both sides, where the gradient is refused with an error.
    pub(super) fn certify_sides(
        &self,
        method: Method,
        refused: Error,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<(GradientReport, Certificate)> {
        let report = self.gradient_or_sides(method)?;
        if report.sides.is_empty() {
            // The other methods have no gradient.
            return Err(refused);
        }
        let looser = self.looser()?.gradient_or_sides(method)?;
        let events: Vec<_> = (0..report.sides.len())
            .map(|parameter| {
                [0, 1].map(|side| {
                    let found = BothSides::side(&report, parameter, side).into_iter();
                    let events = found.flat_map(|side| &side.events);
                    events.map(|(event, _)| event.clone()).collect()
                })
            })
            .collect();
        let differences = self.differences_of_sides(&events, progress)?;
        let both = BothSides {
            sizes: differences.studies.iter().map(|study| study.size).collect(),
            report: &report,
            looser: &looser,
            differences: &differences,
            limits: Limits::of(self),
        };
        let mut entries = both.objectives(self);
        entries.extend((0..report.sides.len()).flat_map(|k| both.event_times(k)));
        let certificate = self.certificate(entries, differences.clone(), self.margins()?);
        Ok((report, certificate))
    }
}

impl BothSides<'_> {
    /// The derivatives on one side by a parameter, at the tolerances of the run or at larger ones.
    fn side(report: &GradientReport, parameter: usize, side: usize) -> Option<&Side> {
        report.sides.get(parameter)?.sides[side].as_ref().ok()
    }

    fn objectives(&self, experiment: &Experiment) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (k, objective) in experiment.wanted_objectives() {
            for side in [0, 1] {
                let slopes = |report: &GradientReport| -> Vec<f64> {
                    let all = 0..self.sizes.len();
                    all.map(|p| Self::side(report, p, side).map_or(f64::NAN, |side| side.slopes[k]))
                        .collect()
                };
                let (forward, looser) = (slopes(self.report), slopes(self.looser));
                let estimates = self.differences.studies.iter().map(|study| study.sides[side][k]);
                let row = Row {
                    quantity: Certified::Objective(objective.name.clone()),
                    adjoint: None,
                    integration: change(&forward, &looser, &self.sizes),
                    forward,
                    difference: estimates.collect(),
                    index: k,
                };
                entries.extend((0..self.sizes.len()).map(|p| self.entry(&row, (p, p), side)));
            }
        }
        entries
    }

    /// The times of the events by a parameter, in the order of each side.
    fn event_times(&self, parameter: usize) -> Vec<Entry> {
        let mut entries = Vec::new();
        for side in [0, 1] {
            let Some(found) = Self::side(self.report, parameter, side) else {
                continue;
            };
            let looser = Self::side(self.looser, parameter, side);
            for (k, (event, slope)) in found.events.iter().enumerate() {
                let other = looser
                    .and_then(|looser| looser.events.get(k))
                    .map_or(f64::NAN, |(_, slope)| *slope);
                let objectives = found.slopes.len();
                let row = Row {
                    quantity: Certified::EventTime(k, event.clone()),
                    adjoint: None,
                    integration: change(&[*slope], &[other], &self.sizes[parameter..=parameter]),
                    forward: vec![*slope],
                    difference: vec![self.differences.studies[parameter].sides[side][objectives + k]],
                    index: objectives + k,
                };
                entries.push(self.entry(&row, (0, parameter), side));
            }
        }
        entries
    }

    /// The entry in a column of a row, which is by this parameter.
    fn entry(&self, row: &Row, (column, parameter): (usize, usize), side: usize) -> Entry {
        let study = &self.differences.studies[parameter];
        let sizes = if row.forward.len() == 1 {
            &self.sizes[parameter..=parameter]
        } else {
            &self.sizes[..]
        };
        let undetermined = self.report.undetermined_reason(&study.parameter);
        let known = undetermined.is_some();
        let mut entry = entry(row, column, (sizes, &self.limits), (study, true), undetermined);
        entry.side = Some([Towards::Below, Towards::Above][side]);
        if let (Err(reason), false) = (&self.report.sides[parameter].sides[side], known) {
            (entry.verdict, entry.reason) = (Verdict::Inconclusive, reason.clone());
        } else if row.forward[column].is_nan() && !known {
            (entry.verdict, entry.reason) = (Verdict::Inconclusive, "the value jumps to this side".to_string());
        }
        entry
    }
}
