//! The forward method: sensitivities integrated with the motion.

use super::super::collect::Collector;
use super::super::experiment::Experiment;
use super::super::held_kinks::HeldKinks;
use super::super::undetermined::add;
use super::{GradientReport, LinearizedStart, Method, ObjectiveGradient};
use crate::assembly::Undetermined;
use crate::error::{ErrorKind, Result};
use crate::hybrid::{At, Finish, HybridSystem, Observer, Options, simulate};
use crate::linear::add_scaled;
use crate::mechanism::{Mechanism, Started, Workspace};
use crate::model::Mode;
use crate::sensitivity::{ForwardMode, ForwardSystem};

impl Experiment {
    /// Gradients by the forward method along directions in the numbers, one per parameter, with an observer of the motion and its
    /// sensitivities. A wary run that hardly gets on ends with an error of kind `StepSize`.
    pub(in crate::run) fn forward(
        &self,
        started: &Started,
        (directions, wary): (&[Vec<f64>], bool),
        workspace: &mut Workspace,
        observer: &mut impl Observer<ForwardMode<Mode>>,
    ) -> Result<GradientReport> {
        let system = ForwardSystem::new(&self.mechanism, directions);
        let found = self.forward_along(started, (&system, directions, wary), workspace, observer)?;
        Ok(found.0)
    }

    /// What runs along the directions of all parameters give, but for those that take the motion off its branch at a singular position:
    /// where a run meets such a position on its way, it is made again without them.
    pub(in crate::run) fn on_branch<T>(
        &self,
        started: &Started,
        mut run: impl FnMut((&[Vec<f64>], bool)) -> Result<(GradientReport, T)>,
    ) -> Result<(GradientReport, T)> {
        let mut directions = self.directions();
        let mut lost = self.lost_at_start(started);
        let mut wary = true;
        loop {
            lost.iter().for_each(|&parameter| directions[parameter].fill(0.0));
            let found = run((&directions, wary));
            let met = match &found {
                Ok((report, _)) => report.undetermined.clone(),
                // Sensitivities that grow without bound leave no steps.
                Err(error) if error.kind() == ErrorKind::StepSize && wary => {
                    wary = false;
                    self.undetermined_later()?
                }
                Err(_) => return found,
            };
            let followed = |parameter: &usize| directions[*parameter].iter().any(|slope| *slope != 0.0);
            let passed = met.iter().filter(|found| found.passed);
            lost = passed.map(|found| found.parameter).filter(followed).collect();
            if lost.is_empty() && found.is_ok() {
                return found;
            }
        }
    }

    /// The same without derivatives by parameters that move the motion off a kink that it stays on.
    pub(super) fn forward_at_kinks(&self, started: &Started, workspace: &mut Workspace) -> Result<GradientReport> {
        let (mut report, kinks) = self.on_branch(started, |(directions, wary)| {
            let mut kinks = HeldKinks::new(self, directions);
            let report = self.forward(started, (directions, wary), workspace, &mut kinks)?;
            Ok((report, kinks.found))
        })?;
        add(&mut report.undetermined, kinks);
        Ok(report)
    }

    /// Whether any parameter moves the motion off a kink or verge that it stays on: a direction in which all change at once tells.
    pub(super) fn leaves_kinks(&self, started: &Started, workspace: &mut Workspace) -> bool {
        let mut all = [vec![0.0; self.mechanism.model.numbers.len()]];
        for (k, (direction, size)) in self.directions().iter().zip(self.parameter_sizes()).enumerate() {
            // Parts without a common measure do not cancel.
            add_scaled(&mut all[0], (1.5 + (k as f64).sin()) * size, direction);
        }
        let system = ForwardSystem::new(&self.mechanism, &all);
        let mut kinks = HeldKinks::along(self, &all, vec![1.0]);
        let run = self.forward_along(started, (&system, &all, true), workspace, &mut kinks);
        run.is_err() || !kinks.found.is_empty()
    }

    /// Parameters that move the motion off a kink that it stays on; none are known where there are no sensitivities.
    pub(super) fn off_kinks(&self, started: &Started, workspace: &mut Workspace) -> Result<Vec<Undetermined>> {
        let mut kinks = HeldKinks::new(self, &[]);
        self.observe(&mut kinks)?;
        let leaves = kinks.stays && self.leaves_kinks(started, workspace);
        let report = leaves.then(|| self.forward_at_kinks(started, workspace));
        Ok(report
            .and_then(Result::ok)
            .map_or_else(Vec::new, |report| report.undetermined))
    }

    /// The same along directions in the numbers, one entry for each in every gradient, with where the run ended.
    pub(super) fn forward_along(
        &self,
        started: &Started,
        (system, directions, wary): (&ForwardSystem<Mechanism>, &[Vec<f64>], bool),
        workspace: &mut Workspace,
        observer: &mut impl Observer<ForwardMode<Mode>>,
    ) -> Result<(GradientReport, Finish<ForwardMode<Mode>>)> {
        let (x, times) = self.start_forward(started, directions, workspace)?;
        let mut collector = Collector::new(self, started, directions, &times);
        let mode = ForwardMode::start(started.mode.clone(), self.start, times);
        collector.pace.wary = wary;
        collector.last.one_sided = system.is_one_sided();
        let finish = self.simulate_forward(system, (mode, x), &mut (&mut collector, observer));
        if !finish.as_ref().is_err_and(|error| error.kind() != ErrorKind::NotFinite) {
            collector.meetings.refuse()?;
            collector.breaks.refuse()?;
        }
        let finish = finish?;
        collector.last.refuse()?;
        let before = collector.last.take_place();
        let end = match &before {
            Some((t, mode, x)) => At::new(*t, mode, x),
            None => At::new(finish.t, &finish.mode.mode, &finish.x),
        };
        let ends: Vec<f64> = directions.iter().map(|numbers| self.end_slope(numbers)).collect();
        let totals = collector.finish(end)?;
        let values = totals.values(end, &mut collector.probe)?;
        self.refuse_kinks(&values)?;
        let slopes = totals.jvps(end, &ends, &mut collector.probe)?;
        let fits = collector.fit_data();
        let (events, undetermined) = (collector.events.into_iter(), collector.modes.found);
        let report = GradientReport {
            objectives: ObjectiveGradient::of(values, slopes),
            fits,
            events: events.map(|(event, times)| (event, Some(times))).collect(),
            undetermined,
            forward: finish.statistics,
            ..self.report(Method::Forward)
        };
        Ok((report, finish))
    }

    /// State with its sensitivities along directions in the numbers at the start, and the derivatives of the start time.
    ///
    /// # Errors
    /// Where the start has no derivative.
    pub(in crate::run) fn start_forward(
        &self,
        started: &Started,
        directions: &[Vec<f64>],
        workspace: &mut Workspace,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let start = LinearizedStart::new(self, started, workspace)?;
        let mut x = started.x.clone();
        for numbers in directions {
            x.extend(start.jvp(numbers, workspace));
        }
        Ok((x, directions.iter().map(|numbers| start.time(numbers)).collect()))
    }

    /// Simulates the motion with its sensitivities.
    ///
    /// # Errors
    /// Whatever ends the simulation; kind `Event` where a derivative does not exist.
    pub(in crate::run) fn simulate_forward(
        &self,
        system: &ForwardSystem<Mechanism>,
        (mode, x): (ForwardMode<Mode>, Vec<f64>),
        observer: &mut impl Observer<ForwardMode<Mode>>,
    ) -> Result<Finish<ForwardMode<Mode>>> {
        let options = self.widened_options(system)?;
        let mut workspace = system.workspace();
        simulate(system, (self.start, mode, x), &options, &mut workspace, observer)
    }

    fn widened_options(&self, system: &ForwardSystem<Mechanism>) -> Result<Options> {
        let size = |direction: &Vec<f64>| self.mechanism.allowed_along(direction.iter().copied().enumerate());
        let sizes: Vec<f64> = system.directions().iter().map(size).collect();
        Ok(Options {
            tolerance: self.mechanism.tolerance(self.options.tolerance.rtol(), &sizes)?,
            ..self.options.clone()
        })
    }
}
