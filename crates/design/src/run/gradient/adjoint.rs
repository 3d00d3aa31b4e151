//! The adjoint method: one simulation that is recorded, and one backward pass for all objectives.

use super::super::event_sums::{EventCosts, EventSums};
use super::super::experiment::{Event, Experiment, event};
use super::super::fit::{FitCosts, FitValues};
use super::super::interruption::Interruption;
use super::super::objective_costs::ObjectiveCosts;
use super::super::objectives::{Collected, objective_gradients, objective_slopes, objective_values};
use super::super::peak_costs::PeakCosts;
use super::super::peaks::{Extremes, Peaked, Place};
use super::{GradientReport, Method, ObjectiveGradient, StartTangent};
use crate::error::Result;
use crate::hybrid::{
    At, Checkpoint, Differentiable, Finish, HybridSystem, JumpView, Observer, Simulation, StepView, Tangent, Trajectory,
};
use crate::integrate::Statistics;
use crate::mechanism::{Mechanism, Started, Workspace};
use crate::model::Mode;
use crate::scalar::Dual64;
use crate::sensitivity::{AdjointResult, Backward, FinalGradient, NumberDirection, Recorder, Replay, Schedule};

impl Experiment {
    /// Gradients by the adjoint method.
    pub(super) fn adjoint(&self, started: &Started, workspace: &mut Workspace) -> Result<GradientReport> {
        let mechanism = &self.mechanism;
        let mut recorded = self.record(started, workspace)?;
        let Finish { t, mode, x, .. } = &recorded.finish;
        let mut report = self.report(Method::Adjoint);
        report.forward = recorded.finish.statistics;
        let at_start = started.happenings.iter().map(|happening| event(self.start, happening));
        let events = at_start.chain(recorded.events.iter().cloned());
        report.events = events.map(|event| (event, None)).collect();
        let collected = Collected {
            sums: recorded.sums.values(),
            misfits: &recorded.fits.misfits(&mechanism.model, *t)?,
            peaks: &recorded.peaks.finish(*t, mode, x, mechanism, workspace)?,
        };
        let costs = ObjectiveCosts::new(
            EventCosts(mechanism),
            PeakCosts::new(mechanism, &recorded.peaks),
            FitCosts::new(mechanism, &recorded.fits, self.start, *t),
        );
        let ends = self.final_gradients(*t, mode, x, collected, &costs, workspace)?;
        let values = objective_values(mechanism, *t, mode, x, collected, workspace)?;
        let (directions, by_number) = self.number_directions();
        let tolerance = (self.options.tolerance.rtol(), mechanism.choices.atol);
        let mut backward = Backward::new(mechanism, &ends, &directions, tolerance, &costs)?;
        let (memory, again) = self.go_back(&recorded, &mut backward, workspace)?;
        backward.at_start(&started.mode, &started.x, workspace)?;
        report.recording_bytes = memory;
        report.forward += again;
        let (results, work) = backward.finish();
        report.backward = work;
        let gradients = self.through_start(started, results, by_number.as_deref(), workspace)?;
        report.objectives = values
            .into_iter()
            .zip(gradients)
            .map(|((name, value), gradient)| ObjectiveGradient { name, value, gradient })
            .collect();
        Ok(report)
    }

    /// Simulates and records as much as the memory allows.
    fn record(&self, started: &Started, workspace: &mut Workspace) -> Result<Recorded> {
        let mechanism = &self.mechanism;
        let mut observer = WithEvents {
            recorder: Recorder::new(mechanism, self.memory.unwrap_or(usize::MAX)),
            events: Vec::new(),
            sums: EventSums::new(&mechanism.model),
            fits: FitValues::new(mechanism, self.start, self.options.end),
            peaks: Extremes::new(mechanism, mechanism.dimension()),
            mechanism,
            workspace: mechanism.workspace(),
            interruption: self.interruption(),
        };
        let from = (self.start, started.mode.clone(), started.x.clone());
        let mut simulation = Simulation::new(mechanism, from, &self.options, workspace)?;
        let start = simulation.checkpoint();
        simulation.report_start(&mut observer)?;
        while !simulation.is_over() {
            simulation.advance(&mut observer)?;
            if simulation.is_between_blocks() {
                observer.recorder.end_block();
            }
        }
        if !simulation.is_between_blocks() {
            observer.recorder.end_block();
        }
        let WithEvents {
            recorder,
            events,
            sums,
            fits,
            peaks,
            ..
        } = observer;
        Ok(Recorded {
            finish: simulation.finish(),
            start,
            events,
            sums,
            fits,
            peaks,
            blocks: recorder.blocks,
            largest_block: recorder.largest_block,
            peak: recorder.peak,
            trajectory: recorder.into_trajectory(),
        })
    }

    /// Takes the costates back to the start; returns the bytes that the recording took and the work done again for it.
    fn go_back(
        &self,
        recorded: &Recorded,
        backward: &mut Backward<Mechanism>,
        workspace: &mut Workspace,
    ) -> Result<(usize, Statistics)> {
        if let Some(trajectory) = &recorded.trajectory {
            backward.through(trajectory, workspace)?;
            return Ok((recorded.peak, Statistics::default()));
        }
        let largest_mode = recorded.finish.mode.bytes().max(self.largest_mode_bytes());
        let checkpoint = recorded.start.bytes(largest_mode);
        let bound = self.memory.unwrap_or(usize::MAX);
        let schedule = Schedule::new(bound, recorded.blocks, recorded.largest_block, checkpoint)?;
        let replay = Replay::new(&self.mechanism, &self.options, schedule, checkpoint);
        replay.run(&recorded.start, recorded.blocks, backward, workspace)
    }

    /// Bytes of a mode in which every constraint acts.
    fn largest_mode_bytes(&self) -> usize {
        let model = &self.mechanism.model;
        let rows: usize = model.constraints.iter().map(|constraint| constraint.rows).sum();
        Mode::initial(model).bytes() + (2 * model.constraints.len() + rows) * size_of::<usize>()
    }

    /// Directions that the backward pass follows: those of the parameters, or single numbers where fewer numbers depend on
    /// parameters than there are parameters; then these numbers as well.
    ///
    /// Numbers that change together are better followed together: at a singular position the derivatives by each of them
    /// grow without bound and cancel in the sum.
    fn number_directions(&self) -> (Vec<NumberDirection>, Option<Vec<usize>>) {
        let model = &self.mechanism.model;
        let fed: Vec<usize> = (0..model.numbers.len()).filter(|&i| model.is_fed(i)).collect();
        if fed.len() < model.parameters.len() {
            let single = fed.iter().map(|&number| vec![(number, 1.0)]).collect();
            return (single, Some(fed));
        }
        let mut directions = vec![Vec::new(); model.parameters.len()];
        for &number in &fed {
            for &(parameter, slope) in &model.numbers[number].gradient {
                directions[parameter].push((number, slope));
            }
        }
        (directions, None)
    }

    /// Gradients with respect to the state at the end and to the numbers, of all objectives.
    fn final_gradients(
        &self,
        t: f64,
        mode: &Mode,
        x: &[f64],
        collected: Collected<f64>,
        costs: &ObjectiveCosts,
        workspace: &mut Workspace,
    ) -> Result<Vec<FinalGradient>> {
        let mechanism = &self.mechanism;
        let mut flow = vec![0.0; mechanism.dimension()];
        mechanism.flow(At::new(t, mode, x), workspace, &mut flow)?;
        let along = Tangent {
            t: 1.0,
            x: &flow,
            numbers: &vec![0.0; mechanism.numbers()],
        };
        let constant = |values: &[f64]| -> Vec<Dual64> { values.iter().map(|&value| Dual64::from(value)).collect() };
        let (sums, misfits) = (constant(collected.sums), constant(collected.misfits));
        let peaks = collected.peaks.iter().map(|peak| match peak {
            Peaked::AtEnd => Peaked::AtEnd,
            Peaked::Known(value) => Peaked::Known(Dual64::from(*value)),
        });
        let still = Collected {
            sums: &sums,
            misfits: &misfits,
            peaks: &peaks.collect::<Vec<_>>(),
        };
        let rates = objective_slopes(mechanism, t, mode, x, &along, still, workspace)?;
        let mut ends = objective_gradients(mechanism, t, mode, x, collected, workspace)?;
        for (objective, (end, rate)) in ends.iter_mut().zip(rates).enumerate() {
            end.numbers[self.start_number] += rate + costs.start_slope(objective, self.start, workspace)?;
            if let Some(number) = self.duration_number {
                end.numbers[number] += rate;
            }
        }
        Ok(ends)
    }

    /// Gradients by parameter from the costates at the start and the derivatives along the directions, which are those of
    /// the parameters unless they are `by_number`.
    fn through_start(
        &self,
        started: &Started,
        results: Vec<AdjointResult>,
        by_number: Option<&[usize]>,
        workspace: &mut Workspace,
    ) -> Result<Vec<Vec<f64>>> {
        let start = StartTangent::new(self, started, workspace)?;
        let by_parameter = |result: AdjointResult| {
            let mut numbers = start.transposed(&result, workspace);
            let fed = by_number.unwrap_or_default();
            for (&number, value) in fed.iter().zip(&result.along) {
                numbers[number] += value;
            }
            let mut gradient = self.by_parameter(&numbers);
            if by_number.is_none() {
                for (slot, value) in gradient.iter_mut().zip(&result.along) {
                    *slot += value;
                }
            }
            gradient
        };
        Ok(results.into_iter().map(by_parameter).collect())
    }
}

/// A first simulation for the adjoint.
struct Recorded {
    finish: Finish<Mode>,
    start: Checkpoint<Mode>,
    events: Vec<Event>,
    sums: EventSums,
    fits: FitValues,
    peaks: Extremes,
    blocks: u64,
    largest_block: usize,
    peak: usize,
    /// None when the memory did not suffice.
    trajectory: Option<Trajectory<Mode>>,
}

/// Records the trajectory and lists the events.
struct WithEvents<'a> {
    recorder: Recorder<'a, Mechanism>,
    events: Vec<Event>,
    sums: EventSums,
    fits: FitValues,
    peaks: Extremes,
    mechanism: &'a Mechanism,
    workspace: Workspace,
    interruption: &'a Interruption,
}

impl Observer<Mode> for WithEvents<'_> {
    fn wants_dense(&self) -> bool {
        self.recorder.wants_dense() || self.fits.wants_dense() || self.peaks.wants_dense()
    }

    fn start(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Result<()> {
        self.fits.start(t, mode, x, self.mechanism, &mut self.workspace)?;
        self.peaks
            .visit((t, Place::Start), mode, x, self.mechanism, &mut self.workspace)?;
        self.recorder.start(t, mode, x)
    }

    fn step(&mut self, step: &StepView<Mode>) -> Result<()> {
        self.interruption.check(step.end)?;
        self.fits.step(step, self.mechanism, &mut self.workspace)?;
        self.peaks
            .step(step.dense, step.mode, self.mechanism, &mut self.workspace)?;
        self.recorder.step(step)
    }

    fn jump(&mut self, jump: &JumpView<Mode>) -> Result<()> {
        self.events
            .extend(jump.happenings.iter().map(|happening| event(jump.t, happening)));
        self.sums.add(jump, self.mechanism, &mut self.workspace)?;
        self.peaks.jump(jump, self.mechanism, &mut self.workspace)?;
        self.fits.jump(jump.t, jump.happenings, &self.mechanism.model);
        self.recorder.jump(jump)
    }
}
