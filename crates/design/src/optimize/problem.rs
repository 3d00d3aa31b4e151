//! What the methods see: scaled variables and values, every point evaluated once.
//!
//! Variables are divided by their scales, the objective by a factor that makes its steepest descent from the start as
//! long as the first step, and each limit by its gradient at the start. A point without a value costs infinitely much.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use super::design::{Design, Evaluation};
use super::point::{Counts, Failure, Point, Refusal};
use crate::error::{Error, ErrorKind, Result};
use crate::linear::max_abs;
use crate::scene::compiled::{DesignVariable, Limit, LimitSide, Optimization};

/// Points remembered; a line search asks again for the best of those that it tried.
const REMEMBERED: usize = 64;

/// A design with its optimization, as the methods see it.
pub(super) struct ScaledProblem<'a> {
    design: &'a dyn Design,
    pub optimization: &'a Optimization,
    with_gradients: bool,
    /// Divisors of the values.
    sizes: Vec<f64>,
    points: RefCell<VecDeque<Rc<Point>>>,
    best: RefCell<Option<Rc<Point>>>,
    failures: RefCell<Vec<Failure>>,
    counts: Cell<Counts>,
    /// The iteration under way, counted from 1.
    pub iteration: Cell<u32>,
    /// Whether the design was asked to evaluate no further point.
    pub interrupted: Cell<bool>,
}

impl<'a> ScaledProblem<'a> {
    /// Evaluates the start.
    ///
    /// # Errors
    /// Whatever keeps the start from having a value or a gradient.
    pub fn new(design: &'a dyn Design, optimization: &'a Optimization, with_gradients: bool) -> Result<Self> {
        let mut problem = Self {
            design,
            optimization,
            with_gradients,
            sizes: vec![1.0; 1 + optimization.limits.len()],
            points: RefCell::default(),
            best: RefCell::default(),
            failures: RefCell::default(),
            counts: Cell::default(),
            iteration: Cell::new(0),
            interrupted: Cell::new(false),
        };
        let parameters: Vec<f64> = problem.variables().iter().map(|variable| variable.start).collect();
        let evaluation = problem.evaluate(&parameters)?;
        problem.sizes = problem.usual_sizes(&evaluation);
        problem.remember(Point {
            x: problem.start(),
            parameters,
            evaluation: Some(evaluation),
        });
        Ok(problem)
    }

    pub fn variables(&self) -> &[DesignVariable] {
        &self.optimization.variables
    }

    pub fn counts(&self) -> Counts {
        self.counts.get()
    }

    /// The scaled variables at the start.
    pub fn start(&self) -> Vec<f64> {
        let variables = self.variables().iter();
        variables.map(|variable| variable.start / variable.scale).collect()
    }

    /// Scaled bounds, lower and upper.
    pub fn bounds(&self) -> (Vec<f64>, Vec<f64>) {
        let scaled = |variable: &DesignVariable| (variable.lower / variable.scale, variable.upper / variable.scale);
        self.variables().iter().map(scaled).unzip()
    }

    /// The point, evaluated unless it is remembered.
    pub fn at(&self, x: &[f64]) -> std::result::Result<Rc<Point>, Refusal> {
        let known = |points: &VecDeque<Rc<Point>>| points.iter().find(|point| point.x == x).cloned();
        if let Some(known) = known(&self.points.borrow()).or_else(|| self.best().filter(|best| best.x == x)) {
            return Ok(known);
        }
        if self.counts.get().simulations >= self.optimization.stopping.max_simulations {
            return Err(Refusal::NoSimulationsLeft);
        }
        let parameters = self.parameters(x);
        let before = self.counts.get();
        let evaluation = match self.evaluate(&parameters) {
            Ok(evaluation) => Some(evaluation),
            Err(error) if error.kind() == ErrorKind::Interrupted => {
                self.counts.set(before);
                self.interrupted.set(true);
                return Err(Refusal::Interrupted);
            }
            Err(error) => {
                self.failures.borrow_mut().push(Failure {
                    iteration: self.iteration.get(),
                    parameters: parameters.clone(),
                    error,
                });
                None
            }
        };
        Ok(self.remember(Point {
            x: x.to_vec(),
            parameters,
            evaluation,
        }))
    }

    /// A point that a method asks the value of.
    pub fn asked_for(&self, x: &[f64]) -> std::result::Result<Rc<Point>, Refusal> {
        self.count(|counts| counts.evaluations += 1);
        self.at(x)
    }

    /// Scaled value of the objective; infinite where there is none.
    pub fn cost(&self, x: &[f64]) -> std::result::Result<f64, Refusal> {
        let point = self.asked_for(x)?;
        let evaluation = point.evaluation.as_ref();
        Ok(evaluation.map_or(f64::INFINITY, |evaluation| evaluation.values[0] / self.sizes[0]))
    }

    /// Scaled gradient of the objective.
    pub fn gradient(&self, x: &[f64]) -> std::result::Result<Vec<f64>, Refusal> {
        self.gradient_of(0, &*self.at(x)?)
    }

    /// Scaled values of the limits on one side, at most zero where they are kept; infinite where there are none.
    pub fn limits(&self, x: &[f64], equalities: bool) -> std::result::Result<Vec<f64>, Refusal> {
        let point = self.at(x)?;
        let value = |(row, limit): (usize, &Limit)| match &point.evaluation {
            Some(evaluation) => sign(limit) * (evaluation.values[row] - limit.bound) / self.sizes[row],
            None => f64::INFINITY,
        };
        Ok(self.rows(equalities).map(value).collect())
    }

    /// Scaled gradients of the limits, equalities first.
    pub fn limit_gradients(&self, x: &[f64]) -> std::result::Result<Vec<Vec<f64>>, Refusal> {
        let point = self.at(x)?;
        let gradient = |(row, limit): (usize, &Limit)| {
            let mut gradient = self.gradient_of(row, &point)?;
            gradient.iter_mut().for_each(|slope| *slope *= sign(limit));
            Ok(gradient)
        };
        self.rows(true).chain(self.rows(false)).map(gradient).collect()
    }

    /// The limits that are equalities, or those that are not, with the index of their value.
    fn rows(&self, equalities: bool) -> impl Iterator<Item = (usize, &Limit)> {
        let rows = (1..).zip(&self.optimization.limits);
        rows.filter(move |(_, limit)| (limit.side == LimitSide::Equal) == equalities)
    }

    fn gradient_of(&self, row: usize, point: &Point) -> std::result::Result<Vec<f64>, Refusal> {
        let evaluation = point.evaluation.as_ref().ok_or(Refusal::NoGradient)?;
        let gradient = evaluation.gradients.get(row).ok_or(Refusal::NoGradient)?;
        let slopes = gradient.iter().zip(self.variables());
        Ok(slopes
            .map(|(slope, variable)| slope * variable.scale / self.sizes[row])
            .collect())
    }

    /// Largest entry of the projected gradient, in objective per scale: entries that lead out of the bounds do not count.
    pub fn projected_gradient(&self, point: &Point) -> Option<f64> {
        let gradient = point.evaluation.as_ref()?.gradients.first()?;
        let entries = gradient.iter().zip(self.variables()).zip(&point.parameters);
        let projected = entries.map(|((slope, variable), value)| {
            let [low, high] = variable.on_bounds(*value);
            let blocked = (low && *slope > 0.0) || (high && *slope < 0.0);
            if blocked { 0.0 } else { (slope * variable.scale).abs() }
        });
        Some(projected.fold(0.0, f64::max))
    }

    /// A number in scaled objective per scaled variable, in objective per scale.
    pub fn unscaled(&self, slope: f64) -> f64 {
        slope * self.sizes[0]
    }

    /// Largest violation of a limit at the point, in its unit.
    pub fn violation(&self, evaluation: &Evaluation) -> f64 {
        let limits = self.optimization.limits.iter().zip(&evaluation.values[1..]);
        limits.map(|(limit, value)| limit.violation(*value)).fold(0.0, f64::max)
    }

    /// The best point so far: limits kept, then the least value.
    pub fn best(&self) -> Option<Rc<Point>> {
        self.best.borrow().clone()
    }

    /// Relative accuracy of the values.
    pub fn accuracy(&self) -> f64 {
        self.design.accuracy()
    }

    /// Points without a value so far.
    pub fn failed(&self) -> usize {
        self.failures.borrow().len()
    }

    /// Hands over the points without a value.
    pub fn into_failures(self) -> Vec<Failure> {
        self.failures.into_inner()
    }

    fn remember(&self, point: Point) -> Rc<Point> {
        let point = Rc::new(point);
        let mut best = self.best.borrow_mut();
        let beats = |known: &Rc<Point>| self.merit(&point) < self.merit(known);
        if best.as_ref().is_none_or(beats) {
            *best = Some(point.clone());
        }
        let mut points = self.points.borrow_mut();
        if points.len() == REMEMBERED {
            points.pop_front();
        }
        points.push_back(point.clone());
        point
    }

    /// Violation beyond what is allowed, then the value; the smaller the better.
    fn merit(&self, point: &Point) -> (f64, f64) {
        let Some(evaluation) = &point.evaluation else {
            return (f64::INFINITY, f64::INFINITY);
        };
        let violation = self.violation(evaluation);
        let allowed = violation <= self.optimization.stopping.violation;
        (if allowed { 0.0 } else { violation }, evaluation.values[0])
    }

    fn evaluate(&self, parameters: &[f64]) -> Result<Evaluation> {
        self.refuse_outside(parameters)?;
        self.count(|counts| {
            counts.simulations += 1;
            counts.gradients += u32::from(self.with_gradients);
        });
        let evaluation = self.design.evaluate(parameters, self.with_gradients)?;
        match evaluation.not_finite() {
            None => Ok(evaluation),
            Some(number) => {
                Err(Error::new(ErrorKind::NotFinite, "a value or derivative is not finite").with_value(number))
            }
        }
    }

    /// Methods that know no bounds meet them as points without a value.
    fn refuse_outside(&self, parameters: &[f64]) -> Result<()> {
        let mut variables = self.variables().iter().zip(parameters);
        match variables.find(|(variable, value)| **value < variable.lower || **value > variable.upper) {
            None => Ok(()),
            Some((variable, value)) => {
                let message = format!("\"{}\" leaves its bounds", variable.name);
                Err(Error::new(ErrorKind::Request, message)
                    .named(&variable.name)
                    .with_value(*value))
            }
        }
    }

    /// Values of the variables; those that a rounding error of the scaling takes past a bound are put on it.
    fn parameters(&self, x: &[f64]) -> Vec<f64> {
        let unscaled = |(variable, x): (&DesignVariable, &f64)| {
            let value = x * variable.scale;
            let on_bound = value.clamp(variable.lower, variable.upper);
            if (value - on_bound).abs() <= 4.0 * f64::EPSILON * value.abs() {
                on_bound
            } else {
                value
            }
        };
        self.variables().iter().zip(x).map(unscaled).collect()
    }

    fn usual_sizes(&self, evaluation: &Evaluation) -> Vec<f64> {
        let size = |(row, gradient): (usize, &Vec<f64>)| {
            let slopes = gradient.iter().zip(self.variables());
            let slopes: Vec<f64> = slopes.map(|(slope, variable)| slope * variable.scale).collect();
            let step = if row == 0 { self.optimization.first_step } else { 1.0 };
            let steepest = max_abs(&slopes) / step;
            if steepest > 0.0 { steepest } else { 1.0 }
        };
        match evaluation.gradients.is_empty() {
            true => self.sizes.clone(),
            false => evaluation.gradients.iter().enumerate().map(size).collect(),
        }
    }

    fn count(&self, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.get();
        change(&mut counts);
        self.counts.set(counts);
    }
}

/// Makes a limit one from above.
fn sign(limit: &Limit) -> f64 {
    if limit.side == LimitSide::AtLeast { -1.0 } else { 1.0 }
}
