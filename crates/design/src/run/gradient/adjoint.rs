//! The adjoint method: one simulation that is recorded, and one backward pass for all objectives.

use super::super::collect::{Collector, Totals};
use super::super::experiment::Experiment;
use super::super::held_kinks::HeldKinks;
use super::super::undetermined::add;
use super::{GradientReport, LinearizedStart, Method, ObjectiveGradient};
use crate::error::Result;
use crate::hybrid::{At, Checkpoint, Finish, Observer, Simulation};
use crate::integrate::Statistics;
use crate::mechanism::{Mechanism, Started, Workspace};
use crate::model::Mode;
use crate::sensitivity::{AdjointResult, Backward, FinalGradient, NumberDirection, Recorder, Replay, Schedule};

impl Experiment {
    /// Gradients by the adjoint method.
    pub(super) fn adjoint(&self, started: &Started, workspace: &mut Workspace) -> Result<GradientReport> {
        let mechanism = &self.mechanism;
        let mut collector = Collector::new(self, started, &[], &[]);
        let mut kinks = HeldKinks::new(self, &[]);
        let recorded = self.record(started, &mut (&mut collector, &mut kinks), workspace)?;
        collector.meetings.refuse()?;
        collector.breaks.refuse()?;
        let mut undetermined = std::mem::take(&mut collector.modes.found);
        let passes = collector.modes.passes;
        if collector.together || kinks.stays && self.leaves_kinks(started, workspace) {
            // Whether they stay one, or by which parameters it leaves a kink, only the sensitivities tell.
            add(
                &mut undetermined,
                self.forward_at_kinks(started, workspace)?.undetermined,
            );
        }
        let Finish { t, mode, x, .. } = &recorded.finish;
        let end = At::new(*t, mode, x);
        let totals = collector.finish(end)?;
        let values = totals.values(end, &mut collector.probe)?;
        self.refuse_kinks(&values)?;
        let ends = self.final_gradients(end, (&totals, &values), &mut collector)?;
        let mut lost = self.lost_at_start(started);
        let passed = undetermined.iter().filter(|found| found.passed);
        lost.extend(passed.map(|found| found.parameter));
        let is_singular = passes || started.mode.departure.is_some();
        let (directions, by_number) = self.number_directions(&lost, is_singular);
        let mut sizes = mechanism.allowed();
        for k in mechanism.quadratures() {
            // What integrals amount to is only estimated before the motion is known.
            sizes[k] = sizes[k].max(recorded.recorder.sizes[k]);
        }
        let along = directions
            .iter()
            .map(|direction| mechanism.allowed_along(direction.iter().copied()));
        let sizes = [sizes, along.collect()];
        let sizes = sizes.each_ref().map(|sizes| &sizes[..]);
        let tolerance = (self.options.tolerance.rtol(), mechanism.choices.atol, sizes);
        let mut backward = Backward::new(
            mechanism,
            &ends,
            &directions,
            (self.options.method, tolerance),
            &collector,
        )?;
        let (recording_bytes, again) = self.go_back(&recorded, &mut backward, workspace)?;
        backward.at_start(&started.mode, &started.x, workspace)?;
        let (results, work) = backward.finish();
        let gradients = self.through_start(started, results, by_number.as_deref(), workspace)?;
        let mut forward = recorded.finish.statistics;
        forward += again;
        Ok(GradientReport {
            objectives: ObjectiveGradient::of(self.wanted(values), gradients),
            events: collector.events.into_iter().map(|(event, _)| (event, None)).collect(),
            undetermined,
            forward,
            backward: work,
            recording_bytes,
            ..self.report(Method::Adjoint)
        })
    }

    /// Simulates and records as much as the memory allows.
    fn record(
        &self,
        started: &Started,
        observer: &mut impl Observer<Mode>,
        workspace: &mut Workspace,
    ) -> Result<Recorded<'_>> {
        let mechanism = &self.mechanism;
        let mut recorder = Recorder::new(mechanism, self.memory.unwrap_or(usize::MAX));
        let from = (self.start, started.mode.clone(), started.x.clone());
        let mut simulation = Simulation::new(mechanism, from, &self.options, workspace)?;
        let start = simulation.checkpoint();
        simulation.report_start(&mut (&mut *observer, &mut recorder))?;
        while !simulation.is_over() {
            simulation.advance(&mut (&mut *observer, &mut recorder))?;
            if simulation.is_between_blocks() {
                recorder.end_block();
            }
        }
        if !simulation.is_between_blocks() {
            recorder.end_block();
        }
        Ok(Recorded {
            finish: simulation.finish(),
            start,
            recorder,
        })
    }

    /// Takes the costates back to the start; returns the bytes that the recording took and the work done again for it.
    fn go_back(
        &self,
        recorded: &Recorded,
        backward: &mut Backward<Mechanism>,
        workspace: &mut Workspace,
    ) -> Result<(usize, Statistics)> {
        let recorder = &recorded.recorder;
        if let Some(trajectory) = &recorder.trajectory {
            backward.through(trajectory, workspace)?;
            return Ok((recorder.peak, Statistics::default()));
        }
        let largest_mode = recorded.finish.mode.bytes().max(self.largest_mode_bytes());
        let checkpoint = recorded.start.bytes(largest_mode);
        let bound = self.memory.unwrap_or(usize::MAX);
        let schedule = Schedule::new(bound, recorder.blocks, recorder.largest_block, checkpoint)?;
        let replay = Replay::new(&self.mechanism, &self.options, schedule, checkpoint);
        replay.run(&recorded.start, recorder.blocks, backward, workspace)
    }

    /// Bytes of a mode in which every constraint acts.
    fn largest_mode_bytes(&self) -> usize {
        let model = &self.mechanism.model;
        let rows: usize = model.constraints.iter().map(|constraint| constraint.rows).sum();
        Mode::initial(model).bytes() + (2 * model.constraints.len() + rows) * size_of::<usize>()
    }

    /// Directions that the backward pass follows: those of the parameters, or single numbers where fewer numbers depend on
    /// parameters than there are parameters; then these numbers as well. None of a motion from or through a singular position along
    /// the parameters that take it off its branch there.
    ///
    /// Numbers that change together are followed together there: the derivatives by each of them grow without bound and cancel in the
    /// sum.
    fn number_directions(&self, lost: &[usize], is_singular: bool) -> (Vec<NumberDirection>, Option<Vec<usize>>) {
        let model = &self.mechanism.model;
        let fed: Vec<usize> = (0..model.numbers.len())
            .filter(|&i| !model.numbers[i].gradient.is_empty())
            .collect();
        if fed.len() < model.parameters.len() && !is_singular {
            let single = fed.iter().map(|&number| vec![(number, 1.0)]).collect();
            return (single, Some(fed));
        }
        let mut directions = vec![Vec::new(); model.parameters.len()];
        for &number in &fed {
            for &(parameter, slope) in &model.numbers[number].gradient {
                directions[parameter].push((number, slope));
            }
        }
        lost.iter().for_each(|&parameter| directions[parameter].clear());
        (directions, None)
    }

    /// Gradients with respect to the state at the end and to the numbers, of all objectives that are wanted.
    fn final_gradients(
        &self,
        end: At<Mode>,
        (totals, values): (&Totals, &[(String, f64)]),
        collector: &mut Collector,
    ) -> Result<Vec<FinalGradient>> {
        let (model, numbers) = (&self.mechanism.model, self.mechanism.model.number_values());
        let values: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
        let weights = |objective| model.objective_weights(objective, &values, &numbers);
        let wanted = self.wanted_objectives().map(|(index, _)| index);
        collector.functionals = wanted.map(weights).collect();
        let rates = self.wanted(totals.rates(end, &mut collector.probe)?);
        let mut ends = totals.gradients(&collector.functionals, &values, end, &mut collector.probe)?;
        for (functional, (end, rate)) in ends.iter_mut().zip(rates).enumerate() {
            end.numbers[self.start_number] += rate + collector.derivative_by_start(functional)?;
            for (number, slope) in collector.derivatives_by_time(functional) {
                end.numbers[number] += slope;
            }
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
        let start = LinearizedStart::new(self, started, workspace)?;
        let by_parameter = |result: AdjointResult| {
            let mut numbers = start.vjp(&result, workspace);
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
struct Recorded<'a> {
    finish: Finish<Mode>,
    start: Checkpoint<Mode>,
    recorder: Recorder<'a, Mechanism>,
}
