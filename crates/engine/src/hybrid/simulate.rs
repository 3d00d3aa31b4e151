//! The event loop: steps, guards, jumps.

use super::endless::{Latest, endless};
use super::guard::GuardSearch;
use super::leaving::heading_of;
use super::mode_flow::ModeFlow;
use super::progress::Progress;
use super::{At, HybridSystem, Jump, JumpView, Observer, STEPS_OF_A_BLOCK, StepView};
use crate::error::{Error, ErrorKind, Result};
use crate::integrate::{DenseOutput, FoundStep, Method, PassingStepper, Statistics, Stepper, Tolerance, minimum_step};

/// Jumps in a row, each at once after the one before it, after which the events are said to accumulate.
const MOST_JUMPS_AT_ONCE: usize = 150;

/// Time between two jumps, over the duration of the run, that counts as none: so many jumps would never end.
const AT_ONCE: f64 = 1e-8;

/// Jumps that come so fast on average may pause for so many of these times.
const PAUSE: f64 = 10.0;

/// Corrections of an event time by repeating the shortened step.
const MOST_CORRECTIONS: usize = 3;

/// How to integrate.
#[derive(Clone, Debug)]
pub struct Options {
    /// Time at which to stop.
    pub end: f64,
    /// Tolerance per step.
    pub tolerance: Tolerance,
    /// Method of integration, unless the system has differential-algebraic equations.
    pub method: Method,
    /// Longest step.
    pub max_step: f64,
    /// Most steps, accepted or not.
    pub max_steps: u64,
}

/// Where a simulation ended and what it took.
#[derive(Clone, Debug)]
pub struct Finish<M> {
    /// Time.
    pub t: f64,
    /// Mode.
    pub mode: M,
    /// State.
    pub x: Vec<f64>,
    /// Work.
    pub statistics: Statistics,
    /// Number of jumps.
    pub jumps: usize,
    /// Remarks collected from the jumps.
    pub remarks: Vec<String>,
}

/// A simulation under way: the state of the event loop.
#[expect(missing_debug_implementations)]
pub struct Simulation<'a, H: HybridSystem> {
    pub(super) system: &'a H,
    pub(super) options: &'a Options,
    pub(super) workspace: &'a mut H::Workspace,
    pub(super) stepper: PassingStepper,
    pub(super) dense: DenseOutput,
    pub(super) search: GuardSearch,
    pub(super) now: Progress<H::Mode>,
    /// State before a jump, and scratch.
    pub(super) before: Vec<f64>,
    /// Whether the stages of the step at hand are projected, and room for a projected state.
    projects_stages: bool,
    projected: Vec<f64>,
    /// Whether a longer step was tried before the one at hand.
    pub(super) shortened: bool,
    pub(super) fired: Vec<usize>,
    pub(super) latest: Latest,
    remarks: Vec<String>,
}

/// Integrates a hybrid system from (t, mode, x) to the end and tells the observer.
///
/// # Errors
/// Whatever flow, guards, jumps or observer report; kind `StepSize` when no step succeeds or their number is exceeded;
/// kind `Event` when events accumulate without a change of mode.
pub fn simulate<H: HybridSystem>(
    system: &H,
    (t, mode, x): (f64, H::Mode, Vec<f64>),
    options: &Options,
    workspace: &mut H::Workspace,
    observer: &mut impl Observer<H::Mode>,
) -> Result<Finish<H::Mode>> {
    let mut run = Simulation::new(system, (t, mode, x), options, workspace)?;
    run.report_start(observer)?;
    while !run.is_over() {
        run.advance(observer)?;
    }
    Ok(run.finish())
}

pub(super) fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

macro_rules! flow {
    ($run:ident) => {
        flow!($run, &mut |_| Ok(()))
    };
    ($run:ident, $watch:expr) => {
        &mut ModeFlow {
            system: $run.system,
            mode: &$run.now.mode,
            workspace: $run.workspace,
            watch: $watch,
            smooth: $run.now.t >= $run.now.broken,
            projects: &mut $run.projects_stages,
            projected: &mut $run.projected,
        }
    };
}

impl<'a, H: HybridSystem> Simulation<'a, H> {
    /// A simulation from (t, mode, x).
    ///
    /// # Errors
    /// As for the guards.
    pub fn new(
        system: &'a H,
        start: (f64, H::Mode, Vec<f64>),
        options: &'a Options,
        workspace: &'a mut H::Workspace,
    ) -> Result<Self> {
        let mut run = Self::prepare(system, Progress::new(start), options, workspace);
        run.wake_guards(&[], &[])?;
        Ok(run)
    }

    pub(super) fn prepare(
        system: &'a H,
        now: Progress<H::Mode>,
        options: &'a Options,
        workspace: &'a mut H::Workspace,
    ) -> Self {
        let n = system.dimension();
        let is_algebraic = system.hessenberg(&now.mode, workspace, &mut |_| Ok(())).is_ok();
        Self {
            system,
            options,
            workspace,
            stepper: PassingStepper::new(if is_algebraic {
                Stepper::hessenberg(n, options.tolerance.rtol())
            } else {
                Stepper::new(options.method, n, n / system.blocks().max(1), options.tolerance.rtol())
            }),
            dense: DenseOutput::new(),
            search: GuardSearch::new(system, 1e-2 * least(options.tolerance.atol()), options.end - now.start),
            before: now.x.clone(),
            projects_stages: false,
            projected: now.x.clone(),
            shortened: false,
            now,
            fired: Vec::with_capacity(system.guards()),
            latest: Latest::default(),
            remarks: Vec::new(),
        }
    }

    /// Whether the end has been reached.
    pub fn is_over(&self) -> bool {
        self.now.t >= self.options.end
    }

    /// Whether a block of steps ends here: see [`STEPS_OF_A_BLOCK`].
    pub fn is_between_blocks(&self) -> bool {
        self.now.phase_steps.is_multiple_of(STEPS_OF_A_BLOCK)
    }

    /// Tells an observer where it starts to observe.
    ///
    /// # Errors
    /// Whatever the observer reports.
    pub fn report_start(&self, observer: &mut impl Observer<H::Mode>) -> Result<()> {
        observer.start(self.now.t, &self.now.mode, &self.now.x)
    }

    /// Ends the simulation where it is.
    pub fn finish(self) -> Finish<H::Mode> {
        Finish {
            t: self.now.t,
            mode: self.now.mode,
            x: self.now.x,
            statistics: Statistics {
                guards: self.search.evaluations,
                ..self.stepper.statistics()
            },
            jumps: self.now.jumps,
            remarks: self.remarks,
        }
    }

    /// Takes one step, and the jump at its end when that is an event; or only the jump of an event that is due at once.
    ///
    /// # Errors
    /// As for [`simulate`].
    pub fn advance(&mut self, observer: &mut impl Observer<H::Mode>) -> Result<()> {
        let mut h = match self.now.h {
            Some(h) => h,
            None => self.first_step()?,
        };
        h = h.min(self.now.seen);
        let watches = (0..self.system.guards()).any(|guard| self.system.crossing(guard, &self.now.mode).is_some());
        let mut longest = self.options.max_step;
        loop {
            let next = self.accepted_attempt((h, longest), &mut |t| observer.seeks(t))?;
            let event = if watches { self.event_within_step() } else { Ok(None) };
            if let Some(shorter) = self.shorter_after(&event) {
                // What is too long is not tried again by a long step over a rough place either.
                (h, longest) = (shorter, shorter);
                continue;
            }
            if let Some(t) = event? {
                if t - self.now.t < minimum_step(t) {
                    return self.apply_jumps(observer);
                }
                if let Some(shorter) = self.step_onto_event(t)? {
                    (h, longest) = (shorter, shorter);
                    continue;
                }
                self.finish_step(observer)?;
                return self.apply_jumps(observer);
            }
            self.now.h = Some(next);
            let due = watches && self.is_due_at_end()?;
            self.finish_step(observer)?;
            return if due { self.apply_jumps(observer) } else { Ok(()) };
        }
    }

    /// Size of the first step of a phase.
    fn first_step(&mut self) -> Result<f64> {
        let longest = self.options.max_step.min(self.options.end - self.now.t);
        self.stepper.restart(flow!(self), self.now.t, &self.now.x)?;
        self.stepper
            .initial_step(flow!(self), self.now.t, &self.now.x, &self.options.tolerance, longest)
    }

    /// Attempts steps until one is acceptable; returns the step size to go on with.
    fn accepted_attempt(
        &mut self,
        (mut h, longest): (f64, f64),
        watch: &mut dyn FnMut(f64) -> Result<()>,
    ) -> Result<f64> {
        let left = self.options.end - self.now.t;
        // A last step that would leave a remainder too short to integrate takes it along.
        if h >= left || left - h < minimum_step(self.options.end) {
            h = left;
        }
        let sizes = (h, left.min(longest));
        let mut found = self.find_step(sizes, watch)?;
        if self.finds_break()? {
            found = self.find_step(sizes, watch)?;
        }
        if let Some(error) = found.excess {
            self.remarks.push(format!(
                "the step from t = {:.6} s passes a place where the tolerance cannot be met, such as a singular position: its \
                 error is about {:.1e} of the state",
                self.now.t,
                error * self.options.tolerance.rtol()
            ));
        }
        Ok(found.next.min(self.options.max_step))
    }

    /// The step that is found from here; it counts.
    fn find_step(&mut self, sizes: (f64, f64), watch: &mut dyn FnMut(f64) -> Result<()>) -> Result<FoundStep> {
        let (place, tolerance) = ((self.now.t, &self.now.x[..]), &self.options.tolerance);
        let found = self.stepper.search(flow!(self, watch), place, sizes, tolerance);
        let found = found.map_err(|error| match error.kind() {
            ErrorKind::StepSize => self.system.explain(error, self.now.at(), self.workspace),
            _ => error,
        })?;
        self.count(found.attempts)?;
        self.shortened = found.attempts > 1;
        Ok(found)
    }

    /// Half the step when the flow or a guard fails between the ends of an acceptable one, or a guard turns too often within it: a
    /// shorter step may avoid the place, or see all.
    fn shorter_after(&mut self, event: &Result<Option<f64>>) -> Option<f64> {
        let error = event.as_ref().err()?;
        let half = 0.5 * (self.stepper.t_new() - self.now.t);
        let unseen = error.kind() == ErrorKind::StepSize;
        if unseen {
            self.now.seen = half;
        }
        let avoidable = unseen || matches!(error.kind(), ErrorKind::Singular | ErrorKind::NotFinite);
        (avoidable && half > minimum_step(self.now.t)).then_some(half)
    }

    fn event_within_step(&mut self) -> Result<Option<f64>> {
        self.stepper.dense(flow!(self), &mut self.dense)?;
        self.search.first_event_within(
            self.system,
            &self.now.mode,
            self.workspace,
            &self.dense,
            &mut self.fired,
        )
    }

    /// Repeats the step so that it ends on the event; the event time is corrected until the guard vanishes to rounding.
    /// Another size to try if the shortened step is not acceptable.
    fn step_onto_event(&mut self, root: f64) -> Result<Option<f64>> {
        let mut t = root;
        let guard = self.fired[0];
        for _ in 0..MOST_CORRECTIONS {
            self.count(1)?;
            let (place, tolerance) = ((self.now.t, &self.now.x[..]), &self.options.tolerance);
            if let Some(shorter) = self.stepper.repeat(flow!(self), place, t - self.now.t, tolerance)? {
                return Ok(Some(shorter));
            }
            self.stepper.dense(flow!(self), &mut self.dense)?;
            let correction = self.newton_correction(guard, t)?;
            let resolution = 2.0 * f64::EPSILON * t.abs();
            if correction.abs() <= resolution {
                break;
            }
            t += correction;
        }
        Ok(None)
    }

    /// Newton correction of the event time at the end of the step, with the guard's rate from the interpolant.
    fn newton_correction(&mut self, guard: usize, t: f64) -> Result<f64> {
        let value = self
            .system
            .guard(guard, At::new(t, &self.now.mode, self.stepper.x_new()), self.workspace)?;
        let earlier = t - 1e-3 * (t - self.now.t);
        self.dense.evaluate(earlier, &mut self.before);
        let before = self
            .system
            .guard(guard, At::new(earlier, &self.now.mode, &self.before), self.workspace)?;
        let rate = (value - before) / (t - earlier);
        let correction = -value / rate;
        // A correction beyond the interpolant's error would come from a rate that is zero to rounding.
        Ok(if correction.abs() < 1e-3 * (t - self.now.t) {
            correction
        } else {
            0.0
        })
    }

    fn finish_step(&mut self, observer: &mut impl Observer<H::Mode>) -> Result<()> {
        let start = self.now.t;
        let passes = self.stepper.passes();
        let wants_dense = observer.wants_dense() || passes.is_some();
        if wants_dense {
            self.stepper.dense(flow!(self), &mut self.dense)?;
        }
        let end = if (self.stepper.t_new() - self.options.end).abs() <= minimum_step(self.options.end) {
            self.options.end
        } else {
            self.stepper.t_new()
        };
        let breaks = self.break_within_step(passes.is_some());
        self.now.x.copy_from_slice(self.stepper.x_new());
        self.now.longest = self.now.longest.max(end - start);
        // Twice as long a step still shows that it is too long.
        self.now.seen *= 2.0;
        self.now.t = end;
        self.stepper.accept()?;
        self.search.pass_step();
        self.now.phase_steps += 1;
        observer.step(&StepView {
            mode: &self.now.mode,
            start,
            end,
            x: &self.now.x,
            dense: wants_dense.then_some(&self.dense),
            passes,
            breaks: breaks.as_ref(),
        })
    }

    /// Whether what the step at hand passes is a jump of the flow, for which no polynomial serves: ordinary steps get shorter there.
    fn finds_break(&mut self) -> Result<bool> {
        if self.stepper.passes().is_none() {
            return Ok(false);
        }
        self.stepper.dense(flow!(self), &mut self.dense)?;
        let found = self.break_within_step(true);
        self.now.broken = found.as_ref().map_or(self.now.broken, |found| found.t);
        Ok(found.is_some())
    }

    /// Applies the jumps of the guards that fired: one after the other where they do not act on each other.
    fn apply_jumps(&mut self, observer: &mut impl Observer<H::Mode>) -> Result<()> {
        let (t, none) = (self.now.t, AT_ONCE * (self.options.end - self.now.start));
        let all = none * self.now.jumps_at_once.max(1) as f64;
        if t - self.now.last_jump > PAUSE * none || t - self.now.first_at_once > all {
            self.now.jumps_at_once = 0;
            self.now.first_at_once = self.now.t;
        }
        self.now.jumps_at_once += 1;
        let follows = self.now.t == self.now.last_jump;
        let at_once = self.now.t - self.now.last_jump <= self.options.last_instant(self.now.start);
        self.now.last_jump = self.now.t;
        self.now.phase_steps = 0;
        self.now.h = None;
        let ((mut headings, mut above), at_first) = (self.headings()?, self.now.x.clone());
        let mut due = std::mem::take(&mut self.fired);
        // What turns back before its turn leaves zero like what has fired.
        let all = due.clone();
        let before = self.now.jumps;
        while !due.is_empty() {
            self.fired = self.system.take_due(self.now.at(), &mut due, self.workspace)?;
            if self.fired.is_empty() {
                break;
            }
            self.system.hold_back(&mut self.now.mode, &due, true);
            self.apply_jump(follows, observer)?;
            self.system.hold_back(&mut self.now.mode, &due, false);
            due.retain(|&guard| self.system.crossing(guard, &self.now.mode).is_some());
            if !due.is_empty() && !follows {
                self.system.begin_own_time(&mut self.now.mode);
            }
        }
        if self.now.jumps == before && self.now.jumps_at_once > MOST_JUMPS_AT_ONCE {
            return Err(self.endless(&Latest::new(self.system, &[], &all)));
        }
        let struck = self.has_struck(&at_first);
        if struck {
            headings.clear();
            above.clear();
        }
        let earlier = std::mem::take(&mut self.search.leaving);
        // What was struck just before is on its way still.
        let struck_at_once = struck || follows && earlier.iter().any(|leaving| leaving.struck);
        self.wake_guards(&headings, &above)?;
        if at_once && !struck {
            self.keep_leaving(&earlier)?;
        }
        self.keep_held(&earlier)?;
        for guard in all {
            self.search.leave(guard, heading_of(&headings, guard));
        }
        (self.search.leaving.iter_mut()).for_each(|leaving| leaving.struck = struck_at_once);
        Ok(())
    }

    fn endless(&self, event: &Latest) -> Error {
        let at_one_instant = self.now.t <= self.now.first_at_once;
        endless(self.system, [&self.latest, event], self.now.t, at_one_instant)
    }

    fn apply_jump(&mut self, follows: bool, observer: &mut impl Observer<H::Mode>) -> Result<()> {
        let index = self.now.jumps;
        self.now.jumps += 1;
        self.before.copy_from_slice(&self.now.x);
        let Jump {
            mode,
            happenings,
            remarks,
        } = self
            .system
            .jump(self.now.t, &self.now.mode, &mut self.now.x, &self.fired, self.workspace)?;
        let event = Latest::new(self.system, &happenings, &self.fired);
        if self.now.jumps_at_once > MOST_JUMPS_AT_ONCE {
            return Err(self.endless(&event));
        }
        self.latest = event;
        let mode_before = std::mem::replace(&mut self.now.mode, mode);
        let new = |remark: &String| !self.remarks.contains(remark);
        let new: Vec<String> = remarks.into_iter().filter(new).collect();
        self.remarks.extend(new);
        observer.jump(&JumpView {
            index,
            t: self.now.t,
            fired: &self.fired,
            follows,
            happenings: &happenings,
            mode_before: &mode_before,
            mode_after: &self.now.mode,
            before: &self.before,
            after: &self.now.x,
        })
    }
}
