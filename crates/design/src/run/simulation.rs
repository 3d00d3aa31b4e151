//! One run of an experiment, from its start to its report.

use std::time::Instant;

use super::collapse::LastSteps;
use super::event_sums::EventSums;
use super::experiment::{Experiment, Report, Residuals, event};
use super::film::Camera;
use super::fit::FitValues;
use super::objectives::{Collected, objective_values};
use super::peaks::Extremes;
use super::recording::Recording;
use super::sampler::{Sampler, check_value, evaluate_outputs};
use super::watcher::Watcher;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Finish, HybridSystem, simulate};
use crate::linear::max_abs;
use crate::mechanism::{Mechanism, Started, Workspace};
use crate::model::Mode;

/// Outputs and objectives by name, and the total energy.
type Values = (Vec<(String, f64)>, Vec<(String, f64)>, f64);

impl Experiment {
    /// As [`Experiment::run`], with errors that need not have a place.
    pub(super) fn simulate(
        &self,
        record: bool,
        camera: Option<&mut Camera>,
        progress: &mut dyn FnMut(f64),
    ) -> Result<(Report, Option<Recording>)> {
        let clock = Instant::now();
        let mechanism = &self.mechanism;
        let mut workspace = mechanism.workspace();
        let started = mechanism.start(self.start, &mut workspace)?;
        let energy_before = total_energy(mechanism, self.start, &started.mode, &started.x, &mut workspace)?;
        let mut watcher = self.watcher(&started, record, camera, progress);
        let size_at_start = max_abs(&started.x[mechanism.positions()]);
        let state = (self.start, started.mode, started.x);
        let finish = simulate(mechanism, state, &self.options, &mut workspace, &mut watcher)
            .map_err(|error| watcher.last.explain(error, mechanism, self.start, &mut workspace))?;
        let size = size_at_start.max(max_abs(&finish.x[mechanism.positions()]));
        let (outputs, objectives, energy_after) = self.values_at_end(&finish, &mut watcher, &mut workspace)?;
        let remarks = self.unused_parameters_remark().into_iter();
        let remarks = remarks.chain(started.remarks).chain(finish.remarks);
        let report = Report {
            scene: self.name.clone(),
            t_end: finish.t,
            outputs,
            objectives,
            residuals: watcher.residuals,
            energy: (energy_before, energy_after),
            statistics: finish.statistics,
            seconds: clock.elapsed().as_secs_f64(),
            remarks: remarks.chain(self.opening_remark(&watcher.residuals, size)).collect(),
            events: watcher.events,
        };
        self.check_finite(&report)?;
        let recording = watcher
            .sampler
            .map(|sampler| sampler.into_recording(&self.name, &report.events));
        Ok((report, recording))
    }

    fn watcher<'a>(
        &'a self,
        started: &Started,
        record: bool,
        camera: Option<&'a mut Camera>,
        progress: &'a mut dyn FnMut(f64),
    ) -> Watcher<'a> {
        let mechanism = &self.mechanism;
        Watcher {
            sampler: record.then(|| Sampler::new(mechanism, self.start, self.options.end, self.samples)),
            camera,
            mechanism,
            workspace: mechanism.workspace(),
            sums: EventSums::new(&mechanism.model),
            fits: FitValues::new(mechanism, self.start, self.options.end),
            peaks: Extremes::new(mechanism, mechanism.dimension()),
            last: LastSteps::new(started.mode.clone(), mechanism.dimension()),
            residuals: Residuals::default(),
            events: started.happenings.iter().map(|h| event(self.start, h)).collect(),
            interruption: self.interruption(),
            progress,
        }
    }

    /// Outputs and objectives by name, and the total energy.
    fn values_at_end(&self, finish: &Finish<Mode>, watcher: &mut Watcher, workspace: &mut Workspace) -> Result<Values> {
        let (mechanism, t, mode, x) = (&self.mechanism, finish.t, &finish.mode, &finish.x);
        let outputs = evaluate_outputs(mechanism, t, mode, x, workspace)?;
        let collected = Collected {
            sums: watcher.sums.values(),
            misfits: &watcher.fits.misfits(&mechanism.model, t)?,
            peaks: &watcher.peaks.finish(t, mode, x, mechanism, workspace)?,
        };
        let objectives = objective_values(mechanism, t, mode, x, collected, workspace)?;
        let names = mechanism.model.outputs.iter().map(|(name, _)| name.clone());
        let energy = total_energy(mechanism, t, mode, x, workspace)?;
        Ok((names.zip(outputs).collect(), objectives, energy))
    }

    /// Outputs and objectives must have a value at the end.
    fn check_finite(&self, report: &Report) -> Result<()> {
        let model = &self.mechanism.model;
        for ((name, value), (_, output)) in report.outputs.iter().zip(&model.outputs) {
            check_value(name, output, *value, report.t_end)?;
        }
        match report.objectives.iter().find(|(_, value)| !value.is_finite()) {
            None => Ok(()),
            Some((name, value)) => Err(Error::new(
                ErrorKind::NotFinite,
                format!("the objective \"{name}\" is {value} at the end"),
            )
            .named(name)
            .with_value(*value)
            .at_time(report.t_end)
            .advise("look for a division by zero, or a root or logarithm of a negative number, in its expressions")),
        }
    }
}

fn total_energy(mechanism: &Mechanism, t: f64, mode: &Mode, x: &[f64], workspace: &mut Workspace) -> Result<f64> {
    mechanism.evaluate_motion(At::new(t, mode, x), false, workspace)?;
    let (kinetic, potential) = mechanism
        .model
        .energy(mode, &mechanism.motion(At::new(t, mode, x), workspace));
    Ok(kinetic + potential)
}
