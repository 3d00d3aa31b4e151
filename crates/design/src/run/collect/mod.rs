//! What a run collects for its objectives on the way: sums over events, extreme values, values at given times, values that
//! were measured.
//!
//! One observer serves every run: the states of a forward run have a block per direction, those of a plain one none, and
//! whatever is collected has a derivative for each. Behind a plain run the collector is also the costs of the adjoint.

mod breaks;
mod costs;
mod fits;
mod instants;
mod last_instant;
mod meetings;
mod pace;
mod peaks;
mod readings;
mod refine;
mod sums;
mod totals;

pub(super) use instants::{Instants, refuse_outside};
pub(super) use readings::jumps;
pub(super) use totals::{Totals, finite, refuse_kinks};

use super::experiment::Experiment;
use super::fit::FitData;
use super::interruption::Interruption;
use super::probe::{Probe, RunMode, after, before};
use super::recording::EventMark;
use super::undetermined::JoinedModes;
use crate::error::Result;
use crate::hybrid::{At, JumpView, Observer, StepView};
use crate::integrate::DenseOutput;
use crate::mechanism::Started;
use crate::model::{Due, Mode};
use crate::scalar::Dual64;
use breaks::Breaks;
use fits::Fits;
use last_instant::LastInstant;
use meetings::Meetings;
use pace::Pace;
use peaks::{Moment, Peaks};
use readings::{Readings, refuse_jump};
use sums::Sum;

/// A number that a run collects, with its derivatives along the directions that the run follows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Collected {
    pub value: f64,
    pub slopes: Vec<f64>,
}

impl Collected {
    /// A constant in a run that follows so many directions.
    fn constant(value: f64, directions: usize) -> Self {
        Self {
            value,
            slopes: vec![0.0; directions],
        }
    }

    /// With the derivative along one direction.
    fn along(&self, direction: usize) -> Dual64 {
        Dual64::new(self.value, self.slopes[direction])
    }
}

/// Observer that collects, lists the events, and ends the run when it is interrupted.
#[derive(Debug)]
pub(super) struct Collector<'a> {
    pub probe: Probe<'a>,
    /// Events, those of the very start first, with the derivatives of their times by direction.
    pub events: Vec<(EventMark, Vec<f64>)>,
    /// Whether several guards fired as one.
    pub together: bool,
    /// Springs whose ends meet.
    pub meetings: Meetings<'a>,
    /// Jumps that no event tells.
    pub breaks: Breaks,
    /// Events at the very end.
    pub last: LastInstant,
    /// Parameters that cannot change alone in the modes of the run.
    pub modes: JoinedModes<'a>,
    /// How it gets on.
    pub pace: Pace,
    interruption: &'a Interruption,
    /// Most steps that a pass back may take.
    most_steps: u64,
    /// By entry of [`Model::event_sums`](crate::model::Model::event_sums).
    sums: Vec<Sum>,
    due: Instants,
    fits: Fits,
    readings: Readings,
    peaks: Peaks,
    /// State X at an instant; written by every step with one.
    x: Vec<f64>,
    /// Margin about an event within which its time is meant.
    margin: f64,
    /// What is differentiated by the adjoint: objectives, each with a weight.
    pub functionals: Vec<Vec<(usize, f64)>>,
    /// Times at which objectives have costs, ascending; known at the end.
    instants: Vec<f64>,
}

impl<'a> Collector<'a> {
    /// For a run along these directions in the numbers; `times` are the derivatives of the time of the start.
    pub fn new(experiment: &'a Experiment, started: &Started, directions: &'a [Vec<f64>], times: &[f64]) -> Self {
        let (mechanism, start) = (&experiment.mechanism, experiment.start);
        let (model, count) = (&mechanism.model, directions.len());
        let at_start = started.happenings.iter();
        let (end, rtol) = (experiment.options.end, experiment.options.tolerance.rtol());
        Self {
            probe: Probe::new(mechanism, directions),
            events: at_start
                .map(|found| (EventMark::new(start, found, true), times.to_vec()))
                .collect(),
            together: false,
            meetings: Meetings::new(mechanism),
            breaks: Breaks::default(),
            last: LastInstant::new(experiment, directions),
            modes: JoinedModes::new(mechanism),
            pace: Pace::default(),
            interruption: experiment.interruption(),
            most_steps: experiment.options.max_steps,
            sums: Sum::all(model, count),
            due: Instants::new(model, start, end),
            fits: Fits::new(model, count),
            readings: Readings::new(model, count),
            peaks: Peaks::new(model),
            x: Vec::new(),
            margin: rtol * (end - start),
            functionals: Vec::new(),
            instants: Vec::new(),
        }
    }

    /// Everything that was collected in a run that ends here.
    ///
    /// # Errors
    /// Kind `Event` naming an objective with an event that did not occur; as [`Probe::value`].
    pub fn finish(&mut self, end: At<Mode>) -> Result<Totals> {
        let mut sums = self.sums.iter().zip(&self.probe.mechanism.model.event_sums);
        sums.try_for_each(|(sum, of)| sum.check(of, end.t))?;
        let misfits = self.fits.misfits(&self.probe.mechanism.model, &self.due, end.t)?;
        let peaks = self.peaks.finish(end, &mut self.probe)?;
        self.instants = self.due.times();
        self.instants.extend(self.peaks.times());
        self.instants.sort_by(f64::total_cmp);
        self.instants.dedup();
        Ok(Totals {
            sums: self.sums.iter().map(|sum| sum.total.clone()).collect(),
            misfits,
            readings: self.readings.values.clone(),
            peaks,
        })
    }

    /// The measured data with the values of the motion.
    pub fn fit_data(&self) -> Vec<FitData> {
        self.fits.data(&self.probe.mechanism.model)
    }

    /// Takes what is due at a state.
    fn take(&mut self, due: &[Due], at: At<Mode>) -> Result<()> {
        self.fits.take(due, at, &mut self.probe)?;
        self.readings.take(due, at, &mut self.probe)
    }

    /// Takes what is due up to the end of a step.
    fn take_within(&mut self, dense: &DenseOutput, end: f64, mode: &Mode) -> Result<()> {
        while let Some((t, due)) = self.due.due(end) {
            let keys: Vec<Due> = self.due.keys(due).collect();
            let mut x = std::mem::take(&mut self.x);
            x.resize(self.probe.entries(), 0.0);
            dense.evaluate(t, &mut x);
            self.take(&keys, At::new(t, mode, &x))?;
            self.x = x;
        }
        Ok(())
    }

    /// Looks at values whose time is that of an event; whether they have derivatives, only the sensitivities tell.
    fn compare_sides<M: RunMode>(&mut self, jump: &JumpView<M>) -> Result<()> {
        let model = &self.probe.mechanism.model;
        for reading in self.due.readings_about(jump.t, self.margin) {
            self.together = true;
            refuse_jump(&model.readings[reading], jump, &mut self.probe)?;
        }
        Ok(())
    }
}

impl<M: RunMode> Observer<M> for Collector<'_> {
    fn wants_dense(&self) -> bool {
        !self.due.is_empty() || self.peaks.wants_dense()
    }

    fn start(&mut self, t: f64, mode: &M, x: &[f64]) -> Result<()> {
        let at = At::new(t, mode.mode(), x);
        self.meetings.visit(t, mode.mode(), x, true);
        self.modes.visit(at);
        if let Some((t, due)) = self.due.due(t) {
            let keys: Vec<Due> = self.due.keys(due).collect();
            self.take(&keys, At { t, ..at })?;
        }
        self.peaks.visit(at, Moment::Start, mode.times(), &mut self.probe)
    }

    fn seeks(&mut self, t: f64) -> Result<()> {
        self.interruption.check(t)?;
        self.pace.seeks(t)
    }

    fn step(&mut self, step: &StepView<M>) -> Result<()> {
        self.interruption.check(step.end)?;
        self.pace.step(step.end - step.start, step.end)?;
        self.meetings.visit(step.end, step.mode.mode(), step.x, false);
        self.breaks.visit(step, &mut self.probe);
        self.modes.pass(step, step.mode.mode());
        let Some(dense) = step.dense else { return Ok(()) };
        self.take_within(dense, step.end, step.mode.mode())?;
        self.peaks.step(dense, step.mode.mode(), &mut self.probe)
    }

    fn jump(&mut self, jump: &JumpView<M>) -> Result<()> {
        if !self.last.visit(jump, &mut self.probe)? {
            return Ok(());
        }
        let (probe, times) = (&mut self.probe, jump.mode_after.times());
        let found = jump
            .happenings
            .iter()
            .enumerate()
            .map(|(k, found)| (EventMark::new(jump.t, found, jump.follows || k > 0), times.to_vec()));
        self.events.extend(found);
        self.together |= self.last.is_busy() || jump.fired.len() > 1 && !jump.follows;
        self.modes.strike(before(jump), jump.fired)?;
        self.modes.visit(after(jump));
        self.peaks
            .visit(before(jump), Moment::Before(jump.index), times, probe)?;
        self.peaks.visit(after(jump), Moment::After(jump.index), times, probe)?;
        let measured = self.due.happened(&probe.mechanism.model, jump.happenings);
        self.fits.jump(jump, times, measured);
        self.compare_sides(jump)?;
        let mut sums = self.sums.iter_mut().zip(&self.probe.mechanism.model.event_sums);
        sums.try_for_each(|(sum, of)| sum.jump(of, jump, &mut self.probe))
    }
}
