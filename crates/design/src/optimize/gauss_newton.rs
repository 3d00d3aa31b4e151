//! Least squares by Gauss-Newton steps within a trust region and bounds, one step at a time.
//!
//! The method is basin's: that of Branch, Coleman and Li, A subspace, interior, and conjugate gradient method for
//! large-scale bound-constrained minimization problems, SIAM Journal on Scientific Computing 21 (1999), with a step from
//! the singular values of the Jacobian, so that parameters that the data cannot tell apart do no harm.

use basin::{DenseMatrix, Jacobian, PointState, Residual, TrustRegionReflective};

use super::design::Residuals;
use super::point::{Point, Refusal};
use super::problem::ScaledProblem;
use super::stepwise::Begun;
use super::through_basin::{Handle, Steps, WithinBounds};

/// Radius of the trust region at the start: about the scale of every variable.
const RADIUS: f64 = 1.0;

/// Trials of one step, each a quarter as long as the one before: a billionth of it then.
const MOST_TRIALS: usize = 15;

fn residuals(point: &Point) -> Option<&Residuals> {
    point.evaluation.as_ref()?.residuals.as_ref()
}

impl Residual for Handle<'_, WithinBounds> {
    type Param = Vec<f64>;
    type Output = Vec<f64>;
    type Error = Refusal;

    /// Infinite where there are none.
    fn residual(&self, x: &Vec<f64>) -> Result<Vec<f64>, Refusal> {
        let point = self.problem.asked_for(x)?;
        // The best point has as many residuals, as the start has.
        let best = self.problem.best();
        match (residuals(&point), best.as_deref().and_then(residuals)) {
            (Some(found), _) => Ok(found.values.clone()),
            (None, Some(known)) => Ok(vec![f64::INFINITY; known.values.len()]),
            (None, None) => Err(Refusal::NoGradient),
        }
    }
}

impl Jacobian for Handle<'_, WithinBounds> {
    type Jacobian = DenseMatrix<f64>;

    /// By the scaled variables.
    fn jacobian(&self, x: &Vec<f64>) -> Result<DenseMatrix<f64>, Refusal> {
        let point = self.problem.at(x)?;
        let found = residuals(&point).ok_or(Refusal::NoGradient)?;
        let scaled = |row: &Vec<f64>| -> Vec<f64> {
            let slopes = row.iter().zip(self.problem.variables());
            slopes.map(|(slope, variable)| slope * variable.scale).collect()
        };
        let slopes: Vec<f64> = found.jacobian.iter().flat_map(scaled).collect();
        Ok(DenseMatrix::from_row_slice(found.values.len(), x.len(), &slopes))
    }
}

/// Gauss-Newton steps from a point.
pub(super) fn gauss_newton<'a>(problem: &'a ScaledProblem<'a>, x: Vec<f64>) -> Begun<'a> {
    // The tolerances of all methods are those of `iterate`.
    let solver = TrustRegionReflective::new()
        .with_absolute_scaled_gradient_tolerance(None)
        .with_initial_radius(RADIUS)
        .with_max_inner_attempts(MOST_TRIALS);
    Steps::begin(Handle::within_bounds(problem), solver, PointState::new(x), |_| None)
}
