//! Iterations of any method: the history, restarts, and when to stop.

use std::ops::ControlFlow;
use std::rc::Rc;

use super::design::Design;
use super::point::Point;
use super::problem::ScaledProblem;
use super::report::{Iteration, Report, Status, Valued};
use super::stepwise::{Advance, CannotBegin, Stepwise};
use super::{gauss_newton, swarm, through_argmin, through_basin};
use crate::error::{Error, ErrorKind, Result};
use crate::machine::Clock;
use crate::scene::compiled::{Optimization, Stopping};
use crate::scene::schema::Solver;

/// Iterations in a row that must decrease the value too little; one alone may be a short step of a line search.
const SMALL_IN_A_ROW: u32 = 2;

/// Iterations over which the violation of limits must decrease, by at least the share below; a step that a failing point
/// shortens is often doubled again within them.
const ITERATIONS_OF_VIOLATION: usize = 8;

/// Share of the violation that these iterations must take off, while no point keeps the limits.
const SHARE_OF_VIOLATION: f64 = 0.02;

/// Iterations over which the value must change by more than it is accurate to.
const ITERATIONS_OF_ACCURACY: usize = 20;

/// Optimizes a design; `watch` is told about the start and every iteration, and may stop.
///
/// # Errors
/// Whatever keeps the start from having a value or a gradient. Later points without them are no error.
pub fn optimize(
    design: &dyn Design,
    optimization: &Optimization,
    watch: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Report> {
    let clock = Clock::start();
    refuse_unsuited(optimization)?;
    let problem = ScaledProblem::new(design, optimization, uses_gradients(optimization.solver))?;
    let mut run = Run::new(&problem, watch)?;
    let status = match run.verdict() {
        Some(status) => status,
        None => run.iterate()?,
    };
    let (history, restarts) = (run.history, run.restarts);
    let counts = problem.counts();
    let best = problem.best().ok_or_else(|| lost("there is no best point"))?;
    let values = best.evaluation.as_ref().map_or(&[][..], |found| &found.values);
    let (Some(first), Some(last), Some((value, limited))) = (history.first(), history.last(), values.split_first())
    else {
        return Err(lost("the best point has no value"));
    };
    let limits = optimization.limits.iter().cloned().zip(limited.iter().copied());
    let place = |value: f64, parameters: &[f64]| Valued {
        value,
        parameters: parameters.to_vec(),
    };
    let missed = optimization.limits.iter().zip(limited);
    let mut violations = missed.map(|(limit, value)| limit.violation(*value));
    let misses = violations.any(|violation| violation > optimization.stopping.violation);
    let ended = matches!(status, Status::NoDecrease | Status::Converged);
    Ok(Report {
        solver: optimization.solver,
        status: if misses && ended { Status::LimitsNotMet } else { status },
        variables: optimization.variable_names().map(str::to_string).collect(),
        initial: place(first.value, &first.parameters),
        best: place(*value, &best.parameters),
        limits: limits.collect(),
        gradient: last.gradient,
        restarts,
        simulations: counts.simulations,
        gradients: counts.gradients,
        evaluations: counts.evaluations,
        failures: problem.into_failures(),
        history,
        seconds: clock.seconds(),
    })
}

/// Refuses a method that does not suit the goal, the limits or the bounds.
pub(super) fn refuse_unsuited(optimization: &Optimization) -> Result<()> {
    if optimization.solver == Solver::GaussNewton && !optimization.is_least_squares {
        return Err(Error::new(
            ErrorKind::Request,
            "the solver GaussNewton minimizes `Fit` and `SumOfSquares` objectives only",
        )
        .named("optimization")
        .advise("choose another solver, or minimize `Fit` and `SumOfSquares` objectives with positive factors"));
    }
    match (optimization.solver, optimization.limits.first()) {
        (Solver::ParticleSwarm, None) => optimization.require_bounds("the particle swarm"),
        (Solver::Slsqp, _) | (_, None) => Ok(()),
        (solver, Some(limit)) => {
            let message = format!("the solver {solver:?} cannot keep the limit of \"{}\"", limit.objective);
            Err(Error::new(ErrorKind::Request, message)
                .named(&limit.objective)
                .advise("use the solver Slsqp"))
        }
    }
}

fn uses_gradients(solver: Solver) -> bool {
    !matches!(solver, Solver::NelderMead | Solver::ParticleSwarm)
}

/// A method at a point.
fn begin<'a>(problem: &'a ScaledProblem<'a>, x: Vec<f64>) -> Result<Box<dyn Stepwise + 'a>> {
    let begun = match problem.optimization.solver {
        Solver::Lbfgs => through_argmin::lbfgs(problem, x),
        Solver::Bfgs => through_argmin::bfgs(problem, x),
        Solver::ConjugateGradients => through_argmin::conjugate_gradients(problem, x),
        Solver::NelderMead => through_argmin::nelder_mead(problem, x),
        Solver::LbfgsB => through_basin::lbfgs_b(problem, x),
        Solver::ParticleSwarm => swarm::particle_swarm(problem, x),
        Solver::Slsqp => through_basin::slsqp(problem, x),
        Solver::GaussNewton => gauss_newton::gauss_newton(problem, x),
    };
    begun.map_err(CannotBegin::refusal)
}

fn lost(what: &str) -> Error {
    Error::new(ErrorKind::NotFinite, format!("the optimization has no result: {what}"))
        .advise("simulate the scene alone to see what its objective is")
}

/// The iterations so far.
struct Run<'a, 'w> {
    problem: &'a ScaledProblem<'a>,
    point: Rc<Point>,
    history: Vec<Iteration>,
    watch: &'w mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    small_decreases: u32,
    restarts: u32,
    interrupted: bool,
}

impl<'a, 'w> Run<'a, 'w> {
    fn new(problem: &'a ScaledProblem<'a>, watch: &'w mut dyn FnMut(&Iteration) -> ControlFlow<()>) -> Result<Self> {
        let point = problem
            .at(&problem.start())
            .map_err(|error| CannotBegin::from(error).refusal())?;
        let mut run = Self {
            problem,
            point: point.clone(),
            history: Vec::new(),
            watch,
            small_decreases: 0,
            restarts: 0,
            interrupted: false,
        };
        run.record(point, None);
        Ok(run)
    }

    fn stopping(&self) -> &'a Stopping {
        &self.problem.optimization.stopping
    }

    /// Takes a method forward until there is a reason to stop.
    fn iterate(&mut self) -> Result<Status> {
        let mut method = match (begin(self.problem, self.point.x.clone()), self.ended()) {
            (Err(_), Some(status)) => return Ok(status),
            (method, _) => method?,
        };
        let mut since_start = 0;
        loop {
            self.problem.iteration.set(self.history.len() as u32);
            let (x, converged) = match method.advance() {
                Advance::Moved(x) => (x, false),
                Advance::Converged(x) => (x, true),
                Advance::Stuck if let Some(status) = self.ended() => return Ok(status),
                Advance::Stuck if since_start == 0 => return Ok(Status::NoDecrease),
                Advance::Stuck => {
                    method = begin(self.problem, self.point.x.clone())?;
                    (since_start, self.restarts) = (0, self.restarts + 1);
                    continue;
                }
            };
            since_start += 1;
            let Ok(point) = self.problem.at(&x) else {
                return Ok(self.ended().unwrap_or(Status::NoDecrease));
            };
            if point.evaluation.is_none() {
                return Ok(Status::NoDecrease);
            }
            self.record(point, method.stationarity());
            match self.verdict() {
                Some(status) => return Ok(status),
                None if converged => return Ok(Status::Converged),
                None => {}
            }
        }
    }

    fn exhausted(&self) -> bool {
        self.problem.counts().simulations >= self.stopping().max_simulations
    }

    /// The reason not to be given another point, if there is one.
    fn ended(&self) -> Option<Status> {
        match (self.problem.interrupted.get(), self.exhausted()) {
            (true, _) => Some(Status::Interrupted),
            (false, true) => Some(Status::MaxSimulations),
            (false, false) => None,
        }
    }

    /// The reason to stop at the last point, if there is one.
    fn verdict(&self) -> Option<Status> {
        let stopping = self.stopping();
        let last = self.history.last()?;
        let kept = last.violation <= stopping.violation;
        let flat = last.gradient.is_some_and(|gradient| gradient <= stopping.gradient);
        let reasons = [
            (self.interrupted, Status::Interrupted),
            (kept && flat, Status::Minimum),
            (kept && last.value <= stopping.target, Status::Target),
            (self.small_decreases >= SMALL_IN_A_ROW, Status::SmallDecrease),
            (kept && self.is_within_accuracy(), Status::Accuracy),
            (self.misses_limits(), Status::LimitsNotMet),
            (last.number >= stopping.max_iterations, Status::MaxIterations),
            (self.exhausted(), Status::MaxSimulations),
        ];
        let found = reasons.into_iter().find(|(applies, _)| *applies);
        found.map(|(_, status)| status)
    }

    /// Whether the last iterations changed the value by less than it is accurate to, as along a flat valley. A method without
    /// gradients may keep its best point for many iterations.
    fn is_within_accuracy(&self) -> bool {
        let many = self.history.len().checked_sub(ITERATIONS_OF_ACCURACY + 1);
        let (Some(first), true) = (many, uses_gradients(self.problem.optimization.solver)) else {
            return false;
        };
        let values = self.history[first..].iter().map(|point| point.value);
        let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        most - least <= self.problem.accuracy() * least.abs().max(most.abs())
    }

    /// Whether no point so far keeps the limits and the last iterations hardly came closer to it.
    fn misses_limits(&self) -> bool {
        let least = |part: &[Iteration]| part.iter().map(|point| point.violation).fold(f64::INFINITY, f64::min);
        let Some(before) = self.history.len().checked_sub(ITERATIONS_OF_VIOLATION) else {
            return false;
        };
        let (before, now) = (least(&self.history[..before]), least(&self.history));
        now > self.stopping().violation && now > (1.0 - SHARE_OF_VIOLATION) * before
    }

    /// Goes to a point and tells whoever watches.
    fn record(&mut self, point: Rc<Point>, stationarity: Option<f64>) {
        let Some(evaluation) = &point.evaluation else {
            return;
        };
        let limited = !self.problem.optimization.limits.is_empty();
        let gradient = match limited {
            true => stationarity.map(|slope| self.problem.unscaled(slope)),
            false => self.problem.projected_gradient(&point),
        };
        let changes = self.point.x.iter().zip(&point.x).map(|(a, b)| (a - b).abs());
        let events = |point: &Point| point.evaluation.as_ref().map(|found| found.events.clone());
        let iteration = Iteration {
            number: self.history.len() as u32,
            value: evaluation.values[0],
            violation: self.problem.violation(evaluation),
            limits: evaluation.values[1..].to_vec(),
            gradient,
            step: changes.fold(0.0, f64::max),
            parameters: point.parameters.clone(),
            simulations: self.problem.counts().simulations,
            failed: self.problem.failed(),
            events_changed: events(&self.point) != events(&point),
        };
        self.count_small_decreases(&iteration);
        self.point = point;
        self.interrupted = (self.watch)(&iteration).is_break();
        self.history.push(iteration);
    }

    /// A method without gradients may keep its best point for many iterations; one with limits may go uphill.
    fn count_small_decreases(&mut self, now: &Iteration) {
        let Some(before) = self.history.last() else { return };
        let optimization = self.problem.optimization;
        let decrease = match optimization.limits.is_empty() {
            true => before.value - now.value,
            false => (before.value - now.value).abs(),
        };
        let size = before.value.abs().max(now.value.abs());
        let stopping = self.stopping();
        let small = decrease <= stopping.decrease * size && now.violation <= stopping.violation;
        let counts = small && uses_gradients(optimization.solver);
        self.small_decreases = if counts { self.small_decreases + 1 } else { 0 };
    }
}
