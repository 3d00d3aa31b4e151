//! The methods of basin, one step at a time.

use basin::{
    BoxBounds, ConstraintJacobian, ConstraintSet, ConstraintSolveError, Constraints, CostFunction, DenseMatrix,
    Executor, FirstOrderState, Gradient, Lbfgsb, LineSearch, LineSearchBounds, LineSearchOutcome, LineSearchResult,
    NoLinearConstraints, NonlinearBlock, NonlinearBlocks, NonlinearEqualityValues, NonlinearInequalityValues,
    Problem as Counted, SelectedFirstOrderState, Slsqp, State, StepOutcome, Stepper, Termination,
};

use super::iterate::{Advance, Stepwise};
use super::line_search::{Line, Wolfe};
use super::point::Refusal;
use super::problem::Problem;
use crate::scene::compiled::LimitSide;

pub(super) type WithinBounds = ConstraintSet<BoxBounds<Vec<f64>>>;
type WithinLimits =
    ConstraintSet<BoxBounds<Vec<f64>>, NoLinearConstraints, NonlinearBlocks<NonlinearBlock, NonlinearBlock>>;

/// A problem as basin sees it, with a description of its bounds and limits.
pub(super) struct Handle<'a, C> {
    problem: &'a Problem<'a>,
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

impl Constraints for Handle<'_, WithinBounds> {
    type Set = WithinBounds;

    fn constraints(&self) -> <WithinBounds as basin::ConstraintDescription>::Borrowed<'_> {
        basin::ConstraintDescription::borrowed(&self.set)
    }
}

impl Constraints for Handle<'_, WithinLimits> {
    type Set = WithinLimits;

    fn constraints(&self) -> <WithinLimits as basin::ConstraintDescription>::Borrowed<'_> {
        basin::ConstraintDescription::borrowed(&self.set)
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
    pub fn within_bounds(problem: &'a Problem<'a>) -> Self {
        let set = ConstraintSet::new().with_bounds(bounds(problem));
        Self { problem, set }
    }
}

/// Scaled bounds as basin sees them.
pub(super) fn bounds(problem: &Problem) -> BoxBounds<Vec<f64>> {
    let (lower, upper) = problem.bounds();
    BoxBounds::new(Some(lower), Some(upper))
}

/// Limited-memory BFGS within bounds from a point.
pub(super) fn lbfgs_b<'a>(
    problem: &'a Problem<'a>,
    x: Vec<f64>,
) -> Result<Box<dyn Stepwise + 'a>, ConstraintSolveError<Refusal>> {
    let handle = Handle::within_bounds(problem);
    // The tolerances of all methods are those of `iterate`.
    let solver = Lbfgsb::with_line_search(LineSearcher)
        .with_absolute_projected_gradient_tolerance(None)
        .with_relative_cost_reduction_tolerance(None)
        .with_m_capacity(problem.optimization.memory);
    let stepper = Executor::new(handle, solver, FirstOrderState::new(x)).into_stepper()?;
    Ok(Box::new(BoundedSteps(stepper)))
}

/// Sequential quadratic programming within bounds and limits from a point.
pub(super) fn slsqp<'a>(
    problem: &'a Problem<'a>,
    x: Vec<f64>,
) -> Result<Box<dyn Stepwise + 'a>, ConstraintSolveError<Refusal>> {
    let limits = &problem.optimization.limits;
    let equalities = limits.iter().filter(|limit| limit.side == LimitSide::Equal).count();
    let set = ConstraintSet::new()
        .with_bounds(bounds(problem))
        .with_nonlinear_equalities(equalities)
        .with_nonlinear_inequalities(limits.len() - equalities);
    let solver = Slsqp::new().with_absolute_accuracy_tolerance(None);
    let stepper = Executor::new(Handle { problem, set }, solver, SelectedFirstOrderState::new(x)).into_stepper()?;
    Ok(Box::new(LimitedSteps(stepper)))
}

type Bounded = FirstOrderState<Vec<f64>, f64>;

type Method = Lbfgsb<Vec<f64>, f64, LineSearcher>;

struct BoundedSteps<'a>(Stepper<Handle<'a, WithinBounds>, Bounded, Method>);

struct LimitedSteps<'a>(Stepper<Handle<'a, WithinLimits>, SelectedFirstOrderState<Vec<f64>, f64>, Slsqp>);

impl Stepwise for BoundedSteps<'_> {
    fn advance(&mut self) -> Advance {
        match self.0.step() {
            Ok(outcome) => after(&outcome, self.0.state().param()),
            Err(_) => Advance::Stuck,
        }
    }
}

impl Stepwise for LimitedSteps<'_> {
    fn advance(&mut self) -> Advance {
        match self.0.step() {
            Ok(outcome) => after(&outcome, self.0.state().param()),
            Err(_) => Advance::Stuck,
        }
    }

    fn stationarity(&self) -> Option<f64> {
        self.0.solver().stationarity()
    }
}

/// What a step of basin came to.
pub(super) fn after(outcome: &StepOutcome, x: &[f64]) -> Advance {
    match outcome {
        StepOutcome::Continue => Advance::Moved(x.to_vec()),
        StepOutcome::Stopped(report) => match report.termination {
            Termination::Converged(_) => Advance::Converged(x.to_vec()),
            _ => Advance::Stuck,
        },
    }
}

/// The line search as basin calls it.
#[derive(Clone, Copy, Default)]
struct LineSearcher;

impl LineSearcher {
    fn step<P>(problem: &mut Counted<P>, line: &Line, longest: f64) -> Result<Option<f64>, P::Error>
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
        let line = Line {
            x,
            value,
            gradient,
            direction,
        };
        Ok(Self::step(problem, &line, f64::INFINITY)?.unwrap_or(0.0))
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
        let line = Line {
            x,
            value,
            gradient,
            direction,
        };
        let found = Self::step(problem, &line, bounds.max())?;
        Ok(LineSearchResult::new(
            found.map_or(LineSearchOutcome::Failed, LineSearchOutcome::Step),
        ))
    }
}
