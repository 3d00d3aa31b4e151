//! Gradients of all objectives with respect to all parameters.

use std::time::Instant;

use super::difference::Differences;
use super::experiment::{Event, Experiment, event};
use super::objectives::{finite, objective_gradients, objective_slopes, objective_values};
use crate::assembly::AssemblyTangent;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{
    Along, Checkpoint, Differentiable, Finish, HybridSystem, JumpView, Observer, Options, Simulation, StepView,
    Trajectory, simulate,
};
use crate::integrate::{Statistics, Tolerance};
use crate::linear::dot;
use crate::mechanism::{Mechanism, Started, Workspace};
use crate::model::{ContactState, Mode};
use crate::sensitivity::{
    AdjointResult, Backward, FinalGradient, ForwardMode, ForwardSystem, Recorder, Replay, Schedule,
};

/// How gradients are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Costates, one backward pass for all objectives.
    Adjoint,
    /// Sensitivities integrated with the motion.
    Forward,
    /// Difference quotients of repeated simulations, extrapolated.
    FiniteDifference,
}

/// Value and gradient of one objective.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectiveGradient {
    /// Name in the scene.
    pub name: String,
    /// Value.
    pub value: f64,
    /// One entry per parameter; by differences not a number where there is none.
    pub gradient: Vec<f64>,
}

/// Result of a gradient computation.
#[derive(Clone, Debug)]
pub struct GradientReport {
    /// Name of the scene.
    pub scene: String,
    /// Method.
    pub method: Method,
    /// Parameters in the order of every gradient.
    pub parameters: Vec<String>,
    /// Objectives.
    pub objectives: Vec<ObjectiveGradient>,
    /// Events, with dt/dp by the forward method and by differences.
    pub events: Vec<(Event, Option<Vec<f64>>)>,
    /// The step studies, by differences.
    pub differences: Option<Differences>,
    /// Work of the forward run, with what was computed again within a bound on memory.
    pub forward: Statistics,
    /// Work of the backward pass.
    pub backward: Statistics,
    /// Most bytes that the recording of the motion took; zero by the forward method, which records nothing.
    pub recording_bytes: usize,
    /// Wall time in seconds.
    pub seconds: f64,
}

impl GradientReport {
    /// Rejects derivatives that are not finite; those by differences may be missing.
    fn check_finite(&self, t: f64) -> Result<()> {
        let exact = self.objectives.iter().filter(|_| self.differences.is_none());
        exact
            .flat_map(|objective| objective.gradient.iter().map(move |slope| (objective, slope)))
            .try_for_each(|(objective, slope)| finite(&objective.name, *slope, t))
    }
}

impl Experiment {
    /// Gradients of all objectives by a method.
    ///
    /// # Errors
    /// Whatever ends the simulation; kind `Event` where a derivative does not exist.
    pub fn gradient(&self, method: Method) -> Result<GradientReport> {
        let clock = Instant::now();
        let mut workspace = self.mechanism.workspace();
        let started = self.mechanism.start(self.start, &mut workspace)?;
        refuse_start_events(&started, self.start)?;
        self.refuse_unused()?;
        let mut report = match method {
            Method::Forward => self.forward(&started, &mut workspace, &mut ()),
            Method::Adjoint => self.adjoint(&started, &mut workspace),
            Method::FiniteDifference => self.differences(&|_| {}).map(|found| self.difference_report(found)),
        }?;
        report.seconds = clock.elapsed().as_secs_f64();
        report.check_finite(self.options.end)?;
        Ok(report)
    }

    /// A parameter that nothing uses is a mistake of the scene: its derivatives would be zeros without a meaning.
    fn refuse_unused(&self) -> Result<()> {
        let Some(name) = self.unused_parameters.first() else {
            return Ok(());
        };
        Err(Error::new(
            ErrorKind::Request,
            format!("no expression uses the parameter \"{name}\""),
        )
        .named(name.clone())
        .advise("use it in the scene, or remove it from `parameters`: nothing can be differentiated by it"))
    }

    pub(super) fn report(&self, method: Method) -> GradientReport {
        let parameters = self
            .mechanism
            .model
            .parameters
            .iter()
            .map(|parameter| parameter.name.clone())
            .collect();
        GradientReport {
            scene: self.name.clone(),
            method,
            parameters,
            objectives: Vec::new(),
            events: Vec::new(),
            differences: None,
            forward: Statistics::default(),
            backward: Statistics::default(),
            recording_bytes: 0,
            seconds: 0.0,
        }
    }

    /// Derivatives of all numbers by parameter.
    pub(super) fn directions(&self) -> Vec<Vec<f64>> {
        let model = &self.mechanism.model;
        let mut directions = vec![vec![0.0; model.numbers.len()]; model.parameters.len()];
        for (i, number) in model.numbers.iter().enumerate() {
            for &(parameter, slope) in &number.gradient {
                directions[parameter][i] = slope;
            }
        }
        directions
    }

    /// Derivative of the state at the (fixed) start time along a direction in the numbers.
    fn start_slope(&self, assembly: &AssemblyTangent, flow: &[f64], numbers: &[f64]) -> Vec<f64> {
        let dt = numbers[self.start_number];
        let (dq, dv) = assembly.along(dt, numbers);
        let mut slope: Vec<f64> = dq.into_iter().chain(dv).collect();
        slope.resize(flow.len(), 0.0);
        for (slope, f) in slope.iter_mut().zip(flow) {
            *slope -= f * dt;
        }
        slope
    }

    /// Derivative of the end time along a direction in the numbers.
    fn end_slope(&self, numbers: &[f64]) -> f64 {
        numbers[self.start_number] + self.duration_number.map_or(0.0, |number| numbers[number])
    }

    /// Gradients by the forward method, with an observer of the motion and its sensitivities.
    pub(super) fn forward(
        &self,
        started: &Started,
        workspace: &mut Workspace,
        observer: &mut impl Observer<ForwardMode<Mode>>,
    ) -> Result<GradientReport> {
        let mechanism = &self.mechanism;
        let n = mechanism.dimension();
        let directions = self.directions();
        let mut flow = vec![0.0; n];
        mechanism.flow(self.start, &started.mode, &started.x, workspace, &mut flow)?;
        let assembly = self.assembly_tangent(started)?;
        let mut x = started.x.clone();
        for numbers in &directions {
            x.extend(self.start_slope(&assembly, &flow, numbers));
        }
        let system = ForwardSystem::new(mechanism, &directions);
        let mut events = EventList(Vec::new());
        let mode = ForwardMode {
            mode: started.mode.clone(),
            event_times: Vec::new(),
        };
        let options = self.widened_options(system.dimension(), mechanism)?;
        let finish = simulate(
            &system,
            (self.start, mode, x),
            &options,
            &mut system.workspace(),
            &mut (&mut events, observer),
        )?;
        let state = &finish.x[..n];
        let mut report = self.report(Method::Forward);
        mechanism.flow(finish.t, &finish.mode.mode, state, workspace, &mut flow)?;
        let values = objective_values(mechanism, finish.t, &finish.mode.mode, state, workspace)?;
        report.objectives = values
            .into_iter()
            .map(|(name, value)| ObjectiveGradient {
                name,
                value,
                gradient: Vec::new(),
            })
            .collect();
        for (j, numbers) in directions.iter().enumerate() {
            let dt = self.end_slope(numbers);
            let s: Vec<f64> = finish.x[system.block(j)]
                .iter()
                .zip(&flow)
                .map(|(s, f)| s + f * dt)
                .collect();
            let along = Along { t: dt, x: &s, numbers };
            for (objective, slope) in report.objectives.iter_mut().zip(objective_slopes(
                mechanism,
                finish.t,
                &finish.mode.mode,
                state,
                &along,
                workspace,
            )?) {
                objective.gradient.push(slope);
            }
        }
        report.events = events
            .0
            .into_iter()
            .map(|(event, k)| (event, finish.mode.event_times.get(k).cloned()))
            .collect();
        report.forward = finish.statistics;
        Ok(report)
    }

    fn widened_options(&self, dimension: usize, mechanism: &Mechanism) -> Result<Options> {
        let (rtol, atol) = (self.options.tolerance.rtol(), mechanism.choices.atol);
        Ok(Options {
            tolerance: Tolerance::uniform(rtol, atol, dimension)?.free(mechanism.memory())?,
            ..self.options.clone()
        })
    }

    fn adjoint(&self, started: &Started, workspace: &mut Workspace) -> Result<GradientReport> {
        let mechanism = &self.mechanism;
        let recorded = self.record(started, workspace)?;
        let Finish { t, mode, x, .. } = &recorded.finish;
        let mut report = self.report(Method::Adjoint);
        report.forward = recorded.finish.statistics;
        report.events = recorded.events.iter().cloned().map(|event| (event, None)).collect();
        let ends = self.final_gradients(*t, mode, x, workspace)?;
        let values = objective_values(mechanism, *t, mode, x, workspace)?;
        let wanted = self.fed_numbers();
        let tolerance = (self.options.tolerance.rtol(), mechanism.choices.atol);
        let mut backward = Backward::new(mechanism, &ends, &wanted, tolerance)?;
        let (memory, again) = self.go_back(&recorded, &mut backward, workspace)?;
        report.recording_bytes = memory;
        report.forward += again;
        let (results, work) = backward.finish();
        report.backward = work;
        let gradients = self.through_start(started, results, workspace)?;
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
        let WithEvents { recorder, events } = observer;
        Ok(Recorded {
            finish: simulation.finish(),
            start,
            events,
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

    /// Numbers that depend on a parameter.
    fn fed_numbers(&self) -> Vec<usize> {
        let model = &self.mechanism.model;
        (0..model.numbers.len())
            .filter(|&number| model.is_fed(number))
            .collect()
    }

    /// Gradients with respect to the state at the end and to the numbers, of all objectives.
    fn final_gradients(&self, t: f64, mode: &Mode, x: &[f64], workspace: &mut Workspace) -> Result<Vec<FinalGradient>> {
        let mechanism = &self.mechanism;
        let mut flow = vec![0.0; mechanism.dimension()];
        mechanism.flow(t, mode, x, workspace, &mut flow)?;
        let along = Along {
            t: 1.0,
            x: &flow,
            numbers: &vec![0.0; mechanism.numbers()],
        };
        let rates = objective_slopes(mechanism, t, mode, x, &along, workspace)?;
        let mut ends = objective_gradients(mechanism, t, mode, x, workspace)?;
        for (end, rate) in ends.iter_mut().zip(rates) {
            end.numbers[self.start_number] += rate;
            if let Some(number) = self.duration_number {
                end.numbers[number] += rate;
            }
        }
        Ok(ends)
    }

    /// Gradients by parameter from the costates at the start and the gradients by number.
    fn through_start(
        &self,
        started: &Started,
        results: Vec<AdjointResult>,
        workspace: &mut Workspace,
    ) -> Result<Vec<Vec<f64>>> {
        let mechanism = &self.mechanism;
        let mut flow = vec![0.0; mechanism.dimension()];
        mechanism.flow(self.start, &started.mode, &started.x, workspace, &mut flow)?;
        let assembly = self.assembly_tangent(started)?;
        let mut later = vec![0.0; mechanism.numbers()];
        later[self.start_number] = 1.0;
        let slope = self.start_slope(&assembly, &flow, &later);
        let by_parameter = |result: AdjointResult| {
            let mut numbers = result.numbers;
            let (q, v) = (&result.x[mechanism.positions()], &result.x[mechanism.velocities()]);
            assembly.transposed(q, v, &mut numbers);
            numbers[self.start_number] += dot(&slope, &result.x);
            self.by_parameter(&numbers)
        };
        Ok(results.into_iter().map(by_parameter).collect())
    }

    fn assembly_tangent(&self, started: &Started) -> Result<AssemblyTangent<'_>> {
        let nv = self.mechanism.model.nq();
        let (q, v) = (&started.x[..nv], &started.x[nv..2 * nv]);
        AssemblyTangent::new(&self.mechanism.model, self.start, q, v)
    }

    /// Gradient by parameter from the gradient by number (theory, section 6).
    fn by_parameter(&self, numbers: &[f64]) -> Vec<f64> {
        let model = &self.mechanism.model;
        let mut gradient = vec![0.0; model.parameters.len()];
        for (number, value) in model.numbers.iter().zip(numbers) {
            for &(parameter, slope) in &number.gradient {
                gradient[parameter] += value * slope;
            }
        }
        gradient
    }
}

/// Impacts and sticking at the very start are not differentiated: better no gradient than a wrong one.
pub(super) fn refuse_start_events(started: &Started, t: f64) -> Result<()> {
    let stuck = started.mode.contacts.contains(&ContactState::Stuck);
    match started.happenings.first() {
        None if !stuck => Ok(()),
        first => {
            let name = first.map_or("a contact", |happening| happening.name.as_str());
            Err(Error::new(
                ErrorKind::Event,
                format!("\"{name}\" strikes or sticks at the very start: no gradient passes that"),
            )
            .named(name)
            .at_time(t)
            .advise("start a moment earlier, with the contact open"))
        }
    }
}

/// Events of a forward run with the index of their jump.
struct EventList(Vec<(Event, usize)>);

impl Observer<ForwardMode<Mode>> for EventList {
    fn jump(&mut self, jump: &JumpView<ForwardMode<Mode>>) -> Result<()> {
        let index = jump.mode_before.event_times.len();
        self.0.extend(
            jump.happenings
                .iter()
                .map(|happening| (event(jump.t, happening), index)),
        );
        Ok(())
    }
}

/// A first simulation for the adjoint.
struct Recorded {
    finish: Finish<Mode>,
    start: Checkpoint<Mode>,
    events: Vec<Event>,
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
}

impl Observer<Mode> for WithEvents<'_> {
    fn wants_dense(&self) -> bool {
        self.recorder.wants_dense()
    }

    fn start(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Result<()> {
        self.recorder.start(t, mode, x)
    }

    fn step(&mut self, step: &StepView<Mode>) -> Result<()> {
        self.recorder.step(step)
    }

    fn jump(&mut self, jump: &JumpView<Mode>) -> Result<()> {
        self.events
            .extend(jump.happenings.iter().map(|happening| event(jump.t, happening)));
        self.recorder.jump(jump)
    }
}
