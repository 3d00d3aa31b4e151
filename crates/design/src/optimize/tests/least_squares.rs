//! Gauss-Newton steps on residuals in closed form.

use super::*;
use crate::optimize::Residuals;

/// Residuals with their Jacobian; nothing where x is beyond the wall.
struct Squares {
    residuals: fn(&[f64]) -> Residuals,
    wall: f64,
    calls: Cell<u32>,
}

impl Design for Squares {
    fn evaluate(&self, p: &[f64], _: bool) -> Result<Evaluation> {
        self.calls.set(self.calls.get() + 1);
        if p[0] > self.wall {
            return Err(Error::new(ErrorKind::Event, "an event is missing"));
        }
        let found = (self.residuals)(p);
        let rows = || found.values.iter().zip(&found.jacobian);
        let slope = |k: usize| rows().map(|(r, row)| 2.0 * r * row[k]).sum();
        Ok(Evaluation {
            values: vec![found.values.iter().map(|r| r * r).sum()],
            gradients: vec![vec![slope(0), slope(1)]],
            events: Vec::new(),
            residuals: Some(found),
        })
    }
}

fn squares(residuals: fn(&[f64]) -> Residuals, wall: f64) -> Squares {
    Squares {
        residuals,
        wall,
        calls: Cell::new(0),
    }
}

/// Those of Rosenbrock's valley.
fn valley(p: &[f64]) -> Residuals {
    Residuals {
        values: vec![1.0 - p[0], 10.0 * (p[1] - p[0] * p[0])],
        jacobian: vec![vec![-1.0, 0.0], vec![-20.0 * p[0], 10.0]],
    }
}

/// Convex ones, for which steps from below go too far.
fn cubic(p: &[f64]) -> Residuals {
    Residuals {
        values: vec![p[0].powi(3) - 1.0, p[1] - 2.0],
        jacobian: vec![vec![3.0 * p[0].powi(2), 0.0], vec![0.0, 1.0]],
    }
}

fn fit(variables: Vec<DesignVariable>) -> Optimization {
    Optimization {
        is_fit: true,
        is_least_squares: true,
        cases: Vec::new(),
        ..task(Solver::GaussNewton, variables)
    }
}

#[test]
fn the_bottom_is_found_with_one_evaluation_per_point() {
    let design = squares(valley, f64::INFINITY);
    let found = run(&design, &fit(vec![free(-1.2), free(1.0)]));
    let p = &found.best.parameters;
    assert!((p[0] - 1.0).abs() < 1e-8 && (p[1] - 1.0).abs() < 1e-8, "{found:?}");
    assert_eq!(
        (design.calls.get(), found.gradients),
        (found.simulations, found.simulations)
    );
    assert!(
        found.simulations <= found.evaluations && found.simulations < 40,
        "{found:?}"
    );
}

#[test]
fn bounds_are_kept_and_reached() {
    let found = run(
        &squares(valley, f64::INFINITY),
        &fit(vec![variable(0.3, 0.1, 0.7), variable(0.5, -2.0, 2.0)]),
    );
    let p = &found.best.parameters;
    assert!((p[0] - 0.7).abs() < 1e-6 && (p[1] - 0.49).abs() < 1e-6, "{found:?}");
    let inside = |iteration: &crate::optimize::Iteration| (0.1..=0.7).contains(&iteration.parameters[0]);
    assert!(found.history.iter().all(inside));
}

#[test]
fn points_without_residuals_are_backed_off_from_and_reported() {
    let found = run(&squares(cubic, 1.05), &fit(vec![free(0.5), free(1.5)]));
    assert!((found.best.parameters[0] - 1.0).abs() < 1e-8, "{found:?}");
    assert!(found.failures.iter().all(|failure| failure.parameters[0] > 1.05));
    assert!(!found.failures.is_empty());
}

#[test]
fn other_goals_are_refused() {
    let other = task(Solver::GaussNewton, vec![free(-1.2), free(1.0)]);
    let error = optimize(&squares(valley, 9.0), &other, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Request);
    assert!(
        error.message().contains("`Fit` and `SumOfSquares` objectives only"),
        "{error}"
    );
}
