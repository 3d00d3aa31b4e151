//! The forward method: sensitivities integrated with the motion.

use super::super::event_sums::EventSumSlopes;
use super::super::experiment::{Event, Experiment, event};
use super::super::fit::{FitSlopes, fit_data};
use super::super::objectives::{Collected, objective_slopes, objective_values};
use super::super::peak_slopes::PeakSlopes;
use super::{GradientReport, Method, ObjectiveGradient, StartTangent};
use crate::error::Result;
use crate::hybrid::{At, Finish, HybridSystem, JumpView, Observer, Options, Tangent, simulate};
use crate::integrate::Tolerance;
use crate::mechanism::{Mechanism, Started, Workspace};
use crate::model::Mode;
use crate::sensitivity::{ForwardMode, ForwardSystem};

impl Experiment {
    /// Gradients by the forward method, with an observer of the motion and its sensitivities.
    pub(in crate::run) fn forward(
        &self,
        started: &Started,
        workspace: &mut Workspace,
        observer: &mut impl Observer<ForwardMode<Mode>>,
    ) -> Result<GradientReport> {
        let mechanism = &self.mechanism;
        let directions = self.directions();
        let (x, times) = self.start_with_slopes(started, &directions, workspace)?;
        let system = ForwardSystem::new(mechanism, &directions);
        let mut events = EventList(Vec::new());
        let mut sums = EventSumSlopes::new(mechanism, &directions);
        let mut fits = FitSlopes::new(mechanism, &directions, self.start, self.options.end);
        let mut peaks = PeakSlopes::new(mechanism, &directions, &times);
        let mode = ForwardMode::start(started.mode.clone(), self.start, times.clone());
        let watching = &mut (
            &mut events,
            &mut (&mut sums, &mut (&mut fits, &mut (&mut peaks, observer))),
        );
        let finish = self.simulate_with_slopes(&system, (mode, x), watching)?;
        let mut report = self.report(Method::Forward);
        let state = &finish.x[..mechanism.dimension()];
        let misfits = fits.values().misfits(&mechanism.model, finish.t)?;
        let collected = Collected {
            sums: sums.values(),
            misfits: &misfits,
            peaks: &peaks.finish(finish.t, &finish.mode.mode, &finish.x)?,
        };
        let values = objective_values(mechanism, finish.t, &finish.mode.mode, state, collected, workspace)?;
        report.objectives = values
            .into_iter()
            .map(|(name, value)| ObjectiveGradient {
                name,
                value,
                gradient: Vec::new(),
            })
            .collect();
        let mut gathered = Gathered {
            sums: &sums,
            fits: &fits,
            misfits: &misfits,
            peaks: &mut peaks,
        };
        self.push_slopes(&system, &finish, &mut gathered, &directions, &mut report, workspace)?;
        report.fits = fit_data(&mechanism.model, fits);
        let at_start = started.happenings.iter().map(|happening| event(self.start, happening));
        let at_start = at_start.map(|event| (event, Some(times.clone())));
        let later = events.0.into_iter();
        let later = later.map(|(event, k)| (event, finish.mode.event_times.get(k).cloned()));
        report.events = at_start.chain(later).collect();
        report.forward = finish.statistics;
        Ok(report)
    }

    /// State with its sensitivities along directions in the numbers at the start, and the derivatives of the start time.
    ///
    /// # Errors
    /// Where the start has no derivative.
    pub(in crate::run) fn start_with_slopes(
        &self,
        started: &Started,
        directions: &[Vec<f64>],
        workspace: &mut Workspace,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let start = StartTangent::new(self, started, workspace)?;
        let mut x = started.x.clone();
        for numbers in directions {
            x.extend(start.along(numbers, workspace));
        }
        Ok((x, directions.iter().map(|numbers| start.time(numbers)).collect()))
    }

    /// Simulates the motion with its sensitivities.
    ///
    /// # Errors
    /// Whatever ends the simulation; kind `Event` where a derivative does not exist.
    pub(in crate::run) fn simulate_with_slopes(
        &self,
        system: &ForwardSystem<Mechanism>,
        (mode, x): (ForwardMode<Mode>, Vec<f64>),
        observer: &mut impl Observer<ForwardMode<Mode>>,
    ) -> Result<Finish<ForwardMode<Mode>>> {
        let options = self.widened_options(system.dimension(), &self.mechanism)?;
        simulate(
            system,
            (self.start, mode, x),
            &options,
            &mut system.workspace(),
            &mut (&mut self.interruption(), observer),
        )
    }

    /// Adds the derivatives of the objectives by each parameter from the sensitivities at the end.
    fn push_slopes(
        &self,
        system: &ForwardSystem<Mechanism>,
        finish: &Finish<ForwardMode<Mode>>,
        gathered: &mut Gathered,
        directions: &[Vec<f64>],
        report: &mut GradientReport,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let mechanism = &self.mechanism;
        let (state, mode) = (&finish.x[..mechanism.dimension()], &finish.mode.mode);
        let mut flow = vec![0.0; state.len()];
        mechanism.flow(At::new(finish.t, mode, state), workspace, &mut flow)?;
        for (j, numbers) in directions.iter().enumerate() {
            let dt = self.end_slope(numbers);
            let s: Vec<f64> = finish.x[system.block(j)]
                .iter()
                .zip(&flow)
                .map(|(s, f)| s + f * dt)
                .collect();
            let along = Tangent { t: dt, x: &s, numbers };
            let collected = Collected {
                sums: gathered.sums.by(j),
                misfits: &gathered.fits.by(j, gathered.misfits),
                peaks: &gathered.peaks.by(j)?,
            };
            let slopes = objective_slopes(mechanism, finish.t, mode, state, &along, collected, workspace)?;
            for (objective, slope) in report.objectives.iter_mut().zip(slopes) {
                objective.gradient.push(slope);
            }
        }
        Ok(())
    }

    fn widened_options(&self, dimension: usize, mechanism: &Mechanism) -> Result<Options> {
        let (rtol, atol) = (self.options.tolerance.rtol(), mechanism.choices.atol);
        Ok(Options {
            tolerance: Tolerance::uniform(rtol, atol, dimension)?.free(mechanism.memory())?,
            ..self.options.clone()
        })
    }
}

/// What a forward run gathered for objectives on its way, with the misfits of measured data.
struct Gathered<'a, 'b> {
    sums: &'a EventSumSlopes<'b>,
    fits: &'a FitSlopes<'b>,
    misfits: &'a [f64],
    peaks: &'a mut PeakSlopes<'b>,
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
