//! The methods of basin, one step at a time.

use std::fmt::Display;

use basin::{
    BoxBounds, ConstraintDescription, ConstraintJacobian, ConstraintSet, ConstraintSolveError, Constraints,
    CostFunction, CountsMirror, DenseMatrix, Executor, FirstOrderState, Gradient, Lbfgsb, LineSearch, LineSearchBounds,
    LineSearchOutcome, LineSearchResult, NoLinearConstraints, NonlinearBlock, NonlinearBlocks, NonlinearEqualityValues,
    NonlinearInequalityValues, Problem as Counted, SelectedFirstOrderState, Slsqp, Solver, State, StepOutcome, Stepper,
    Termination,
};

use super::line_search::{Line, Wolfe};
use super::point::Refusal;
use super::problem::ScaledProblem;
use super::stepwise::{Advance, Begun, Stepwise};
use crate::scene::compiled::LimitSide;

pub(super) type WithinBounds = ConstraintSet<BoxBounds<Vec<f64>>>;
type WithinLimits =
    ConstraintSet<BoxBounds<Vec<f64>>, NoLinearConstraints, NonlinearBlocks<NonlinearBlock, NonlinearBlock>>;

/// A problem as basin sees it, with a description of its bounds and limits.
pub(super) struct Handle<'a, C> {
    pub problem: &'a ScaledProblem<'a>,
    set: C,
}

impl<C> CostFunction for Handle<'_, C> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Refusal;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Refusal> {
        self.problem.cost(x)
    }
}

impl<C> Gradient for Handle<'_, C> {
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Refusal> {
        self.problem.gradient(x)
    }
}

impl<C: ConstraintDescription> Constraints for Handle<'_, C> {
    type Set = C;

    fn constraints(&self) -> C::Borrowed<'_> {
        self.set.borrowed()
    }
}

impl NonlinearEqualityValues for Handle<'_, WithinLimits> {
    type Param = Vec<f64>;
    type Values = Vec<f64>;
    type Error = Refusal;

    fn nonlinear_equalities(&self, x: &Vec<f64>) -> Result<Vec<f64>, ConstraintSolveError<Refusal>> {
        self.problem.limits(x, true).map_err(ConstraintSolveError::Evaluation)
    }
}

impl NonlinearInequalityValues for Handle<'_, WithinLimits> {
    type Param = Vec<f64>;
    type Values = Vec<f64>;
    type Error = Refusal;

    fn nonlinear_inequalities(&self, x: &Vec<f64>) -> Result<Vec<f64>, ConstraintSolveError<Refusal>> {
        self.problem.limits(x, false).map_err(ConstraintSolveError::Evaluation)
    }
}

impl ConstraintJacobian for Handle<'_, WithinLimits> {
    type Param = Vec<f64>;
    type Jacobian = DenseMatrix<f64>;
    type Error = Refusal;

    fn constraint_jacobian(&self, x: &Vec<f64>) -> Result<DenseMatrix<f64>, ConstraintSolveError<Refusal>> {
        let rows = self
            .problem
            .limit_gradients(x)
            .map_err(ConstraintSolveError::Evaluation)?;
        Ok(DenseMatrix::from_row_slice(rows.len(), x.len(), &rows.concat()))
    }
}

impl<'a> Handle<'a, WithinBounds> {
    /// A problem within its bounds.
    pub fn within_bounds(problem: &'a ScaledProblem<'a>) -> Self {
        let set = ConstraintSet::new().with_bounds(bounds(problem));
        Self { problem, set }
    }
}

/// Scaled bounds as basin sees them.
fn bounds(problem: &ScaledProblem) -> BoxBounds<Vec<f64>> {
    let (lower, upper) = problem.bounds();
    BoxBounds::new(Some(lower), Some(upper))
}

/// Limited-memory BFGS within bounds from a point.
pub(super) fn lbfgs_b<'a>(problem: &'a ScaledProblem<'a>, x: Vec<f64>) -> Begun<'a> {
    // The tolerances of all methods are those of `iterate`.
    let solver = Lbfgsb::with_line_search(LineSearcher)
        .with_absolute_projected_gradient_tolerance(None)
        .with_relative_cost_reduction_tolerance(None)
        .with_m_capacity(problem.optimization.memory);
    Steps::begin(Handle::within_bounds(problem), solver, FirstOrderState::new(x), |_| {
        None
    })
}

/// Sequential quadratic programming within bounds and limits from a point.
pub(super) fn slsqp<'a>(problem: &'a ScaledProblem<'a>, x: Vec<f64>) -> Begun<'a> {
    let limits = &problem.optimization.limits;
    let equalities = limits.iter().filter(|limit| limit.side == LimitSide::Equal).count();
    let set = ConstraintSet::new()
        .with_bounds(bounds(problem))
        .with_nonlinear_equalities(equalities)
        .with_nonlinear_inequalities(limits.len() - equalities);
    let solver = Slsqp::new().with_absolute_accuracy_tolerance(None);
    Steps::begin(
        Handle { problem, set },
        solver,
        SelectedFirstOrderState::new(x),
        |solver| solver.stationarity(),
    )
}

/// A method between two steps.
pub(super) struct Steps<P, S: State, M> {
    stepper: Stepper<P, S, M>,
    /// What the method knows about the gradient of the Lagrangian.
    stationarity: fn(&M) -> Option<f64>,
}

impl<'a, P, S, M> Steps<P, S, M>
where
    P: 'a,
    S: State<Param = Vec<f64>, Float = f64> + CountsMirror + 'a,
    M: Solver<P, S, Error: Display> + 'a,
{
    /// A method before its first step.
    pub fn begin(handle: P, solver: M, state: S, stationarity: fn(&M) -> Option<f64>) -> Begun<'a> {
        let stepper = Executor::new(handle, solver, state).into_stepper()?;
        Ok(Box::new(Self { stepper, stationarity }))
    }
}

impl<P, S, M> Stepwise for Steps<P, S, M>
where
    S: State<Param = Vec<f64>, Float = f64> + CountsMirror,
    M: Solver<P, S>,
{
    fn advance(&mut self) -> Advance {
        let Ok(outcome) = self.stepper.step() else {
            return Advance::Stuck;
        };
        let x = self.stepper.state().param().clone();
        match outcome {
            StepOutcome::Continue => Advance::Moved(x),
            StepOutcome::Stopped(report) => match report.termination {
                Termination::Converged(_) => Advance::Converged(x),
                _ => Advance::Stuck,
            },
        }
    }

    fn stationarity(&self) -> Option<f64> {
        (self.stationarity)(self.stepper.solver())
    }
}

/// The line search as basin calls it.
#[derive(Clone, Copy, Default)]
struct LineSearcher;

impl LineSearcher {
    fn step<P>(problem: &mut Counted<P>, line: Line, longest: f64) -> Result<Option<f64>, P::Error>
    where
        P: CostFunction<Param = Vec<f64>, Output = f64> + Gradient<Gradient = Vec<f64>>,
    {
        let found = line.search(longest, Wolfe::QUASI_NEWTON, |x| {
            let value = problem.cost(x)?;
            let known = value.is_finite().then(|| problem.gradient(x)).transpose()?;
            Ok(known.map(|gradient| (value, gradient)))
        })?;
        Ok(found.map(|(step, _)| step))
    }
}

impl<P> LineSearch<P, Vec<f64>, f64> for LineSearcher
where
    P: CostFunction<Param = Vec<f64>, Output = f64> + Gradient<Gradient = Vec<f64>>,
{
    type Error = P::Error;

    /// Zero, which no method takes for a step, when no smaller value is found.
    fn next(
        &mut self,
        problem: &mut Counted<P>,
        x: &Vec<f64>,
        value: f64,
        gradient: &Vec<f64>,
        direction: &Vec<f64>,
    ) -> Result<f64, P::Error> {
        Ok(Self::step(problem, Line::new(x, value, gradient, direction), f64::INFINITY)?.unwrap_or(0.0))
    }

    fn next_with_bounds(
        &mut self,
        problem: &mut Counted<P>,
        x: &Vec<f64>,
        value: f64,
        gradient: &Vec<f64>,
        direction: &Vec<f64>,
        bounds: LineSearchBounds<f64>,
    ) -> Result<LineSearchResult<Vec<f64>, f64>, P::Error> {
        let found = Self::step(problem, Line::new(x, value, gradient, direction), bounds.max())?;
        let outcome = found.map_or(LineSearchOutcome::Failed, LineSearchOutcome::Step);
        Ok(LineSearchResult::new(outcome))
    }
}
