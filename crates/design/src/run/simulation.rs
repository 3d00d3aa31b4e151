//! One run of an experiment, from its start to its report.

use super::collapse::LastSteps;
use super::collect::Collector;
use super::experiment::{ConstraintResiduals, Experiment, Report};
use super::recording::Recording;
use super::sampler::Sampler;
use super::watcher::Watcher;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Finish, HybridSystem, Observer, simulate};
use crate::linear::max_abs;
use crate::machine::Clock;
use crate::mechanism::{Mechanism, Workspace};
use crate::model::Mode;

impl Experiment {
    /// Simulates with an observer alone.
    ///
    /// # Errors
    /// Whatever ends the simulation.
    pub(super) fn observe(&self, observer: &mut impl Observer<Mode>) -> Result<Finish<Mode>> {
        let mut workspace = self.mechanism.workspace();
        let started = self.mechanism.start(self.start, &mut workspace)?;
        let start = (self.start, started.mode, started.x);
        simulate(&self.mechanism, start, &self.options, &mut workspace, observer)
    }

    /// As [`Experiment::run`], with somebody else who observes the motion, and errors that need not have a place.
    pub(super) fn simulate<'a>(
        &'a self,
        record: bool,
        guest: &'a mut dyn Observer<Mode>,
        progress: &'a mut dyn FnMut(f64),
    ) -> Result<(Report, Option<Recording>)> {
        let clock = Clock::start();
        let mechanism = &self.mechanism;
        let mut workspace = mechanism.workspace();
        let started = mechanism.start(self.start, &mut workspace)?;
        let energy_before = total_energy(
            mechanism,
            At::new(self.start, &started.mode, &started.x),
            &mut workspace,
        )?;
        let mut watcher = Watcher {
            collector: Collector::new(self, &started, &[], &[]),
            sampler: record.then(|| Sampler::new(self, &[])),
            guest,
            last: LastSteps::new(started.mode.clone(), mechanism.dimension()),
            residuals: ConstraintResiduals::default(),
            progress,
        };
        watcher.collector.modes.wanted = false;
        let size_at_start = max_abs(&started.x[mechanism.positions()]);
        let state = (self.start, started.mode, started.x);
        let finish = simulate(mechanism, state, &self.options, &mut workspace, &mut watcher)
            .map_err(|error| watcher.last.explain(error, self.start, &mut watcher.collector.probe))?;
        let size = size_at_start.max(max_abs(&finish.x[mechanism.positions()]));
        let (mut collector, residuals) = (watcher.collector, watcher.residuals);
        let end = At::new(finish.t, &finish.mode, &finish.x);
        let objectives = collector.finish(end)?.values(end, &mut collector.probe)?;
        let (outputs, motion) = collector.probe.outputs(end)?;
        let energy = finite_energy(mechanism.model.energy(&finish.mode, &motion), finish.t)?;
        let names = mechanism.model.outputs.iter().map(|(name, _)| name.clone());
        let remarks = self
            .file_remarks()
            .iter()
            .cloned()
            .chain(self.unused_parameters_remark());
        let remarks = remarks.chain(self.offset_remark(&finish.x[mechanism.positions()]));
        let remarks = remarks.chain(self.stiffness_remark(&finish.statistics));
        let remarks = remarks.chain(started.remarks).chain(finish.remarks);
        let remarks = remarks
            .chain(collector.meetings.remarks())
            .chain(collector.breaks.remark())
            .chain(collector.last.remark());
        let report = Report {
            scene: self.name.clone(),
            t_end: finish.t,
            outputs: names.zip(outputs).collect(),
            objectives,
            residuals,
            energy: (energy_before, energy),
            balance: None,
            statistics: finish.statistics,
            seconds: clock.seconds(),
            remarks: remarks.chain(self.opening_remark(&residuals, size)).collect(),
            events: collector.events.into_iter().map(|(event, _)| event).collect(),
        };
        let recording = watcher.sampler.map(|grid| grid.keeper.into_recording(&report.events));
        Ok((report, recording))
    }
}

fn total_energy(mechanism: &Mechanism, at: At<Mode>, workspace: &mut Workspace) -> Result<f64> {
    mechanism.evaluate_motion(at, false, workspace)?;
    finite_energy(mechanism.model.energy(at.mode, &mechanism.motion(at, workspace)), at.t)
}

/// Refuses numbers whose squares are beyond all numbers: the motion they give would be a product of rounding.
fn finite_energy((kinetic, potential): (f64, f64), t: f64) -> Result<f64> {
    let energy = kinetic + potential;
    if energy.is_finite() {
        return Ok(energy);
    }
    let advice = "write masses, velocities and positions in units in which they are nearer to 1";
    let error = Error::new(
        ErrorKind::NotFinite,
        "the energy of the mechanism is beyond all numbers",
    );
    Err(error.at_time(t).with_value(energy).advise(advice))
}
