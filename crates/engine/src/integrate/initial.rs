//! The first step size.

use super::attempt::Progress;
use super::{Flow, Tolerance, minimum_step};
use crate::error::{Error, ErrorKind, Result};

/// Factor of the trial step when the flow fails at its end.
const RETREAT: f64 = 0.1;

/// Where an integration starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start<'a> {
    /// Time in seconds.
    pub t: f64,
    /// State, `n` components.
    pub x: &'a [f64],
    /// Derivative at `(t, x)`, `n` components.
    pub dx: &'a [f64],
    /// Order of the error estimate.
    pub order: u32,
    /// Longest step in seconds; its sign is the direction of time.
    pub max_step: f64,
}

/// A first step size, signed as `start.max_step` and not longer, from the sizes of the first and (by one explicit Euler
/// step) second derivative (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.4).
/// `stage` and `slope` are scratch of `n` components. One evaluation of the flow, more only where it fails.
///
/// # Errors
/// Kind [`ErrorKind::Request`] if `max_step` is zero or NaN; a failure of the flow that no shorter trial step avoids.
pub(super) fn initial_step(
    flow: &mut dyn Flow,
    progress: &mut Progress,
    start: &Start<'_>,
    tol: &Tolerance,
    stage: &mut [f64],
    slope: &mut [f64],
) -> Result<f64> {
    let Start { t, x, dx, max_step, .. } = *start;
    if max_step.is_nan() || max_step == 0.0 {
        return Err(Error::new(ErrorKind::Request, "the longest step must not be zero").with_value(max_step));
    }
    let size = tol.norm(x, |i| x[i]);
    let speed = tol.norm(x, |i| dx[i]);
    let guess = if size < 1e-5 || speed < 1e-5 {
        1e-6
    } else {
        0.01 * size / speed
    };
    let trial = try_euler(
        flow,
        progress,
        start,
        guess.min(max_step.abs()).copysign(max_step),
        stage,
        slope,
    )?;
    let bending = tol.norm(x, |i| slope[i] - dx[i]) / trial.abs();
    let steepest = speed.max(bending);
    let second = if steepest <= 1e-15 {
        (trial.abs() * 1e-3).max(1e-6)
    } else {
        (0.01 / steepest).powf(1.0 / f64::from(start.order))
    };
    let h = (100.0 * trial.abs()).min(second).min(max_step.abs());
    Ok(h.max(minimum_step(t)).min(max_step.abs()).copysign(max_step))
}

/// Evaluates the flow at the end of an Euler step into `slope`, retreating where it fails; returns the step size.
fn try_euler(
    flow: &mut dyn Flow,
    progress: &mut Progress,
    start: &Start<'_>,
    mut trial: f64,
    stage: &mut [f64],
    slope: &mut [f64],
) -> Result<f64> {
    let t = start.t;
    loop {
        for (stage, (x, dx)) in stage.iter_mut().zip(start.x.iter().zip(start.dx)) {
            *stage = x + trial * dx;
        }
        if progress.evaluate(flow, t + trial, stage, slope)? {
            return Ok(trial);
        }
        trial *= RETREAT;
        if trial.abs() < minimum_step(t) {
            return Err(progress.failed(t));
        }
    }
}
