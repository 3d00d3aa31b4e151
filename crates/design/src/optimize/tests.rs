//! The methods on functions in closed form.

mod least_squares;

use std::cell::Cell;
use std::ops::ControlFlow;

use super::{Design, Evaluation, Report, Status, optimize};
use crate::error::{Error, ErrorKind, Result};
use crate::scene::compiled::{DesignVariable, Limit, LimitSide, Optimization, Stopping};
use crate::scene::schema::Solver;

/// Methods with gradients.
const SMOOTH: [Solver; 5] = [
    Solver::Lbfgs,
    Solver::Bfgs,
    Solver::ConjugateGradients,
    Solver::LbfgsB,
    Solver::Slsqp,
];

/// Values and gradients in closed form; nothing where the first variable is beyond `wall`.
struct Formula<F> {
    formula: F,
    wall: f64,
    accuracy: f64,
    calls: Cell<u32>,
}

fn formula<F: Fn(&[f64]) -> Vec<(f64, Vec<f64>)>>(formula: F) -> Formula<F> {
    Formula {
        formula,
        wall: f64::INFINITY,
        accuracy: 0.0,
        calls: Cell::new(0),
    }
}

impl<F: Fn(&[f64]) -> Vec<(f64, Vec<f64>)>> Design for Formula<F> {
    fn accuracy(&self) -> f64 {
        self.accuracy
    }

    fn evaluate(&self, p: &[f64], gradient: bool) -> Result<Evaluation> {
        self.calls.set(self.calls.get() + 1);
        if p[0] > self.wall {
            return Err(Error::new(ErrorKind::Assembly, "it does not close"));
        }
        let (values, gradients) = (self.formula)(p).into_iter().unzip();
        Ok(Evaluation {
            values,
            gradients: if gradient { gradients } else { Vec::new() },
            events: Vec::new(),
            residuals: None,
        })
    }
}

fn rosenbrock(p: &[f64]) -> Vec<(f64, Vec<f64>)> {
    let (a, b) = (1.0 - p[0], p[1] - p[0] * p[0]);
    vec![(a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * p[0] * b, 200.0 * b])]
}

fn variable(start: f64, lower: f64, upper: f64) -> DesignVariable {
    DesignVariable {
        name: format!("from {start}"),
        unit: String::new(),
        start,
        lower,
        upper,
        scale: 1.0,
    }
}

fn free(start: f64) -> DesignVariable {
    variable(start, f64::NEG_INFINITY, f64::INFINITY)
}

fn task(solver: Solver, variables: Vec<DesignVariable>) -> Optimization {
    Optimization {
        goal: vec![(1.0, "f".to_string())],
        is_fit: false,
        is_least_squares: false,
        cases: Vec::new(),
        variables,
        limits: Vec::new(),
        solver,
        memory: 10,
        particles: None,
        starts: 1,
        seed: 0,
        first_step: 0.1,
        stopping: Stopping {
            decrease: 0.0,
            ..Stopping::default()
        },
    }
}

fn run(design: &dyn Design, task: &Optimization) -> Report {
    optimize(design, task, &mut |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn every_method_with_gradients_finds_the_bottom_of_the_valley() {
    for solver in SMOOTH {
        let found = run(&formula(rosenbrock), &task(solver, vec![free(-1.2), free(1.0)]));
        let p = &found.best.parameters;
        assert!(
            (p[0] - 1.0).abs() < 1e-6 && (p[1] - 1.0).abs() < 1e-6,
            "{solver:?} {:?} {p:?}",
            found.status
        );
        assert!(found.gradient.unwrap() < 1e-6, "{solver:?} {:?}", found.gradient);
    }
}

/// A valley that becomes ever flatter towards its end.
fn flattening(p: &[f64]) -> Vec<(f64, Vec<f64>)> {
    let (a, b) = (p[0], p[1] - p[0]);
    let value = 1.0 + a.powi(12) + 100.0 * b * b;
    vec![(value, vec![12.0 * a.powi(11) - 200.0 * b, 200.0 * b])]
}

#[test]
fn what_changes_less_than_it_is_accurate_to_over_many_iterations_ends_so() {
    for solver in [Solver::Lbfgs, Solver::Bfgs, Solver::LbfgsB, Solver::Slsqp] {
        let mut task = task(solver, vec![free(1.2), free(1.0)]);
        (task.stopping.gradient, task.stopping.max_iterations) = (0.0, 80);
        let design = Formula {
            accuracy: 1e-8,
            ..formula(flattening)
        };
        let found = run(&design, &task);
        let exact = run(&formula(flattening), &task);
        assert!(found.history.len() < exact.history.len() && exact.status != Status::Accuracy);
        assert_eq!(found.status, Status::Accuracy, "{solver:?}");
        assert!(found.best.value - 1.0 < 1e-7, "{solver:?} {:?}", found.best);
    }
}

#[test]
fn the_simplex_finds_it_without_gradients() {
    let mut task = task(Solver::NelderMead, vec![free(-1.2), free(1.0)]);
    task.stopping.decrease = 1e-12;
    let found = run(&formula(rosenbrock), &task);
    assert_eq!((found.status, found.gradients), (Status::Converged, 0));
    assert!((found.best.parameters[0] - 1.0).abs() < 1e-4, "{found:?}");
}

#[test]
fn scales_and_factors_of_the_objective_change_no_path() {
    let paths = [(1.0, 1.0), (1e-4, 1.0), (1.0, 1e6)].map(|(scale, factor)| {
        let scaled = move |p: &[f64]| {
            let (value, gradient) = rosenbrock(&[p[0] / scale, p[1] / scale]).remove(0);
            vec![(
                factor * value,
                gradient.iter().map(|slope| factor * slope / scale).collect(),
            )]
        };
        let mut task = task(Solver::Lbfgs, vec![free(-1.2 * scale), free(scale)]);
        task.variables.iter_mut().for_each(|variable| variable.scale = scale);
        task.stopping.max_iterations = 20;
        run(&formula(scaled), &task).best.parameters.map_by(scale)
    });
    for path in &paths[1..] {
        assert!((path[0] - paths[0][0]).abs() < 1e-6, "{paths:?}");
    }
}

trait MapBy {
    fn map_by(self, scale: f64) -> Vec<f64>;
}

impl MapBy for Vec<f64> {
    fn map_by(self, scale: f64) -> Vec<f64> {
        self.into_iter().map(|value| value / scale).collect()
    }
}

#[test]
fn every_point_is_evaluated_once_and_at_most_once_per_value_that_the_method_asks_for() {
    for solver in SMOOTH {
        let design = formula(rosenbrock);
        let found = run(&design, &task(solver, vec![free(-1.2), free(1.0)]));
        assert_eq!(
            (design.calls.get(), found.simulations),
            (found.simulations, found.gradients),
            "{solver:?}"
        );
        assert!(
            f64::from(found.simulations) <= 1.2 * f64::from(found.evaluations),
            "{solver:?} {found:?}"
        );
    }
}

#[test]
fn points_without_a_value_are_backed_off_from_and_reported() {
    for solver in [
        Solver::Lbfgs,
        Solver::Bfgs,
        Solver::ConjugateGradients,
        Solver::LbfgsB,
        Solver::Slsqp,
        Solver::NelderMead,
    ] {
        // The way down from the start leads over the wall; the minimum lies before it.
        let slope = |p: &[f64]| {
            vec![(
                p[0].powi(2) - 1.9 * p[0] + p[1].powi(2),
                vec![2.0 * p[0] - 1.9, 2.0 * p[1]],
            )]
        };
        let mut task = task(solver, vec![free(-3.0), free(0.2)]);
        (task.first_step, task.variables[0].scale) = (0.9, 5.0);
        let found = run(
            &Formula {
                wall: 1.0,
                ..formula(slope)
            },
            &task,
        );
        assert!(
            (found.best.parameters[0] - 0.95).abs() < 1e-4,
            "{solver:?} {:?} {:?}",
            found.status,
            found.best
        );
        assert!(!found.failures.is_empty(), "{solver:?}");
        let failure = &found.failures[0];
        assert!(
            failure.parameters[0] > 1.0 && failure.error.kind() == ErrorKind::Assembly,
            "{solver:?}"
        );
    }
}

#[test]
fn a_value_that_is_not_a_number_is_a_failure_and_at_the_start_an_error() {
    let root = |p: &[f64]| vec![(p[0] - p[0].sqrt(), vec![1.0 - 0.5 / p[0].sqrt()])];
    let mut task = task(Solver::Lbfgs, vec![free(4.0)]);
    task.first_step = 1.0;
    task.variables[0].scale = 10.0;
    let found = run(&formula(root), &task);
    assert!((found.best.parameters[0] - 0.25).abs() < 1e-5, "{found:?}");
    assert_eq!(found.failures[0].error.kind(), ErrorKind::NotFinite);
    task.variables[0].start = -1.0;
    let error = optimize(&formula(root), &task, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFinite);
}

#[test]
fn bounds_are_active_where_the_minimum_lies_outside() {
    for solver in [Solver::LbfgsB, Solver::Slsqp] {
        let bounded = vec![variable(0.3, 0.1, 0.7), variable(0.5, -2.0, 2.0)];
        let found = run(&formula(rosenbrock), &task(solver, bounded));
        assert_eq!(found.best.parameters[0], 0.7, "{solver:?}");
        assert!((found.best.parameters[1] - 0.49).abs() < 1e-6, "{solver:?} {found:?}");
        assert_eq!(found.status, Status::Minimum, "{solver:?} {found:?}");
        let inside = |iteration: &super::Iteration| (0.1..=0.7).contains(&iteration.parameters[0]);
        assert!(found.history.iter().all(inside), "{solver:?}");
    }
}

#[test]
fn limits_from_both_sides_and_equalities_are_kept() {
    // x + y least on a circle, below a line and on another one.
    let circle = |p: &[f64]| {
        vec![
            (p[0] + p[1], vec![1.0, 1.0]),
            (p[0] * p[0] + p[1] * p[1], vec![2.0 * p[0], 2.0 * p[1]]),
            (p[0] - p[1], vec![1.0, -1.0]),
        ]
    };
    let half = 0.5_f64.sqrt();
    let cases = [
        ((LimitSide::AtMost, 1.0), (LimitSide::AtLeast, -5.0), [-half, -half]),
        ((LimitSide::AtMost, 1.0), (LimitSide::AtLeast, 1.0), [0.0, -1.0]),
        ((LimitSide::AtMost, 1.0), (LimitSide::Equal, -1.0), [-1.0, 0.0]),
    ];
    for (first, second, expected) in cases {
        let mut task = task(Solver::Slsqp, vec![free(0.4), free(0.1)]);
        task.limits = [first, second]
            .map(|(side, bound)| Limit {
                objective: format!("{side:?}"),
                case: None,
                side,
                bound,
            })
            .to_vec();
        let found = run(&formula(circle), &task);
        let p = &found.best.parameters;
        assert!(
            (p[0] - expected[0]).abs() < 1e-6 && (p[1] - expected[1]).abs() < 1e-6,
            "{expected:?} {found:?}"
        );
        let worst = found
            .limits
            .iter()
            .map(|(limit, value)| limit.violation(*value))
            .fold(0.0, f64::max);
        assert!(worst <= 1e-8, "{worst:e}");
    }
}

#[test]
fn an_optimization_ends_where_it_is_told_to() {
    let limited = |change: &dyn Fn(&mut Stopping)| {
        let mut task = task(Solver::Lbfgs, vec![free(-1.2), free(1.0)]);
        change(&mut task.stopping);
        run(&formula(rosenbrock), &task)
    };
    let found = limited(&|stopping| stopping.max_iterations = 3);
    assert_eq!((found.status, found.history.len()), (Status::MaxIterations, 4));
    let found = limited(&|stopping| stopping.max_simulations = 7);
    assert_eq!((found.status, found.simulations), (Status::MaxSimulations, 7));
    let found = limited(&|stopping| stopping.target = 1.0);
    assert_eq!(found.status, Status::Target);
    assert!(found.best.value <= 1.0 && found.best.value > 1e-3, "{found:?}");
    let task = task(Solver::Lbfgs, vec![free(-1.2), free(1.0)]);
    let mut watch = |iteration: &super::Iteration| {
        if iteration.number == 2 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let found = optimize(&formula(rosenbrock), &task, &mut watch).unwrap();
    assert_eq!((found.status, found.history.len()), (Status::Interrupted, 3));
}

#[test]
fn a_start_at_the_minimum_needs_one_simulation() {
    for solver in SMOOTH {
        let found = run(&formula(rosenbrock), &task(solver, vec![free(1.0), free(1.0)]));
        assert_eq!((found.status, found.simulations), (Status::Minimum, 1), "{solver:?}");
    }
}

/// A value with its gradient.
type Valued = Vec<(f64, Vec<f64>)>;

#[test]
fn starts_without_any_slope_and_with_one_value_are_one_minimum() {
    let ends = |f: fn(&[f64]) -> Valued| {
        let starts =
            [-0.7, 0.4, 0.9].map(|start| run(&formula(f), &task(Solver::LbfgsB, vec![variable(start, -2.0, 2.0)])));
        super::minima::distinct_minima(&starts, &task(Solver::LbfgsB, vec![free(0.0)])).len()
    };
    assert_eq!(ends(|_| vec![(3.0, vec![0.0])]), 1);
    let valleys = |p: &[f64]| vec![((p[0] * p[0] - 1.0).powi(2), vec![4.0 * p[0] * (p[0] * p[0] - 1.0)])];
    assert_eq!(ends(valleys), 2);
}

#[test]
fn a_value_within_rounding_of_its_bound_is_on_it() {
    let bounded = variable(0.5, 0.1, 0.9);
    assert_eq!(bounded.on_bounds(0.1 + 1e-13), [true, false]);
    assert_eq!(bounded.on_bounds(0.9 - 1e-13), [false, true]);
    assert_eq!(bounded.on_bounds(0.9 - 1e-6), [false, false]);
    assert_eq!(free(0.5).on_bounds(1e9), [false, false]);
}
