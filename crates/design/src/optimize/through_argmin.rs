//! The methods of argmin, one step at a time.

use argmin::core::{
    CostFunction, Error, Gradient, IterState, KV, Problem as Counted, Solver, State, TerminationReason,
    TerminationStatus,
};
use argmin::solver::conjugategradient::NonlinearConjugateGradient;
use argmin::solver::conjugategradient::beta::PolakRibierePlus;
use argmin::solver::linesearch::LineSearch;
use argmin::solver::neldermead::NelderMead;
use argmin::solver::quasinewton::{BFGS, LBFGS};

use super::line_search::{Line, Wolfe};
use super::problem::ScaledProblem;
use super::stepwise::{Advance, Begun, Stepwise};

/// State of a method with gradients.
type Smooth = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

/// A problem as argmin sees it.
#[derive(Clone, Copy)]
pub(super) struct Handle<'a>(&'a ScaledProblem<'a>);

impl CostFunction for Handle<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.0.cost(x)?)
    }
}

impl Gradient for Handle<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.0.gradient(x)?)
    }
}

/// A method between two steps.
struct Steps<'a, S, I> {
    problem: Counted<Handle<'a>>,
    solver: S,
    /// None after a step that failed.
    state: Option<I>,
}

impl<'a, S, I> Steps<'a, S, I>
where
    I: State<Param = Vec<f64>, Float = f64> + 'a,
    S: Solver<Handle<'a>, I> + 'a,
{
    fn begin(problem: &'a ScaledProblem<'a>, mut solver: S, state: I) -> Begun<'a> {
        let mut problem = Counted::new(Handle(problem));
        let (mut state, _) = solver.init(&mut problem, state)?;
        state.update();
        let state = Some(state);
        Ok(Box::new(Self { problem, solver, state }))
    }
}

impl<'a, S, I> Stepwise for Steps<'a, S, I>
where
    I: State<Param = Vec<f64>, Float = f64>,
    S: Solver<Handle<'a>, I>,
{
    fn advance(&mut self) -> Advance {
        let Some(state) = self.state.take() else {
            return Advance::Stuck;
        };
        // Whatever went wrong, the problem remembers a refusal of its own.
        let Ok((mut state, _)) = self.solver.next_iter(&mut self.problem, state) else {
            return Advance::Stuck;
        };
        state.update();
        state.increment_iter();
        let x = state.get_param().cloned();
        let ended = state.terminated() || self.solver.terminate(&state) != TerminationStatus::NotTerminated;
        self.state = Some(state);
        match x {
            Some(x) if ended => Advance::Converged(x),
            Some(x) => Advance::Moved(x),
            None => Advance::Stuck,
        }
    }
}

fn at(x: Vec<f64>) -> Smooth {
    Smooth::new().param(x)
}

/// Limited-memory BFGS from a point.
pub(super) fn lbfgs<'a>(problem: &'a ScaledProblem<'a>, x: Vec<f64>) -> Begun<'a> {
    let memory = problem.optimization.memory;
    // The tolerances of all methods are those of `iterate`.
    let solver = LBFGS::new(LineSearcher::new(Wolfe::QUASI_NEWTON), memory)
        .with_tolerance_grad(0.0)?
        .with_tolerance_cost(0.0)?;
    Steps::begin(problem, solver, at(x))
}

/// BFGS from a point.
pub(super) fn bfgs<'a>(problem: &'a ScaledProblem<'a>, x: Vec<f64>) -> Begun<'a> {
    let unit = |i: usize| (0..x.len()).map(|j| f64::from(u8::from(i == j))).collect();
    let identity: Vec<Vec<f64>> = (0..x.len()).map(unit).collect();
    let solver = BFGS::new(LineSearcher::new(Wolfe::QUASI_NEWTON))
        .with_tolerance_grad(0.0)?
        .with_tolerance_cost(0.0)?;
    let state = IterState::<Vec<f64>, Vec<f64>, (), Vec<Vec<f64>>, (), f64>::new()
        .param(x)
        .inv_hessian(identity);
    Steps::begin(problem, solver, state)
}

/// Nonlinear conjugate gradients (Polak and Ribiere, not negative) from a point.
pub(super) fn conjugate_gradients<'a>(problem: &'a ScaledProblem<'a>, x: Vec<f64>) -> Begun<'a> {
    let search = LineSearcher::new(Wolfe::CONJUGATE);
    let restart = 2 * x.len() as u64;
    let solver = NonlinearConjugateGradient::new(search, PolakRibierePlus::new()).restart_iters(restart.max(4));
    Steps::begin(problem, solver, at(x))
}

/// Nelder and Mead's simplex from a point; its edges are as long as the first step.
pub(super) fn nelder_mead<'a>(problem: &'a ScaledProblem<'a>, x: Vec<f64>) -> Begun<'a> {
    let (_, upper) = problem.bounds();
    let edge = problem.optimization.first_step;
    let corner = |i: usize| {
        let mut corner = x.clone();
        corner[i] += if corner[i] + edge > upper[i] { -edge } else { edge };
        corner
    };
    let corners = std::iter::once(x.clone()).chain((0..x.len()).map(corner)).collect();
    let solver = NelderMead::new(corners).with_sd_tolerance(problem.optimization.stopping.decrease)?;
    let state = IterState::<Vec<f64>, (), (), (), (), f64>::new();
    Steps::begin(problem, solver, state)
}

/// The line search as argmin calls it.
#[derive(Clone)]
struct LineSearcher {
    wolfe: Wolfe,
    direction: Vec<f64>,
}

impl LineSearcher {
    fn new(wolfe: Wolfe) -> Self {
        let direction = Vec::new();
        Self { wolfe, direction }
    }
}

impl LineSearch<Vec<f64>, f64> for LineSearcher {
    fn search_direction(&mut self, direction: Vec<f64>) {
        self.direction = direction;
    }

    /// The first trial is always the whole step.
    fn initial_step_length(&mut self, _step: f64) -> Result<(), Error> {
        Ok(())
    }
}

impl<O> Solver<O, Smooth> for LineSearcher
where
    O: CostFunction<Param = Vec<f64>, Output = f64> + Gradient<Param = Vec<f64>, Gradient = Vec<f64>>,
{
    fn name(&self) -> &str {
        "line search"
    }

    fn next_iter(&mut self, problem: &mut Counted<O>, mut state: Smooth) -> Result<(Smooth, Option<KV>), Error> {
        let (Some(x), Some(gradient)) = (state.take_param(), state.take_gradient()) else {
            return Err(Error::msg("the line search has no place to start from"));
        };
        let line = Line::new(&x, state.get_cost(), &gradient, &self.direction);
        let found = line.search(f64::INFINITY, self.wolfe, |x| {
            let value = problem.cost(x)?;
            let known = value.is_finite().then(|| problem.gradient(x)).transpose()?;
            Ok::<_, Error>(known.map(|gradient| (value, gradient)))
        })?;
        let (step, cost) = found.ok_or_else(|| Error::msg("no smaller value along the line"))?;
        let state = state.param(line.at(step)).cost(cost);
        Ok((state.terminate_with(TerminationReason::SolverConverged), None))
    }
}
