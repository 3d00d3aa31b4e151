//! The first step size.

use super::attempt::Halt;
use super::scheme::Ends;
use super::{Flow, Tolerance, minimum_step};
use crate::error::{Error, ErrorKind, Result};

/// Factor of the trial step when the flow fails at its end.
const RETREAT: f64 = 0.1;

/// A first step size, signed as `max_step` (in seconds) and not longer, from the sizes of the first and (by one explicit Euler
/// step) second derivative (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.4).
/// From the start of a step, whose derivative is known; its end is scratch. One evaluation of the flow, more only where it
/// fails.
///
/// # Errors
/// Kind [`ErrorKind::Request`] if `max_step` is zero or NaN; a failure of the flow that no shorter trial step avoids.
pub(super) fn initial_step(
    flow: &mut dyn Flow,
    ends: &mut Ends,
    order_of_estimate: u32,
    tol: &Tolerance,
    max_step: f64,
) -> Result<f64> {
    if max_step.is_nan() || max_step == 0.0 {
        return Err(Error::new(ErrorKind::Request, "the longest step must not be zero").with_value(max_step));
    }
    let size = tol.norm(&ends.x, |i| ends.x[i]);
    let speed = tol.norm(&ends.x, |i| ends.dx[i]);
    let guess = if size < 1e-5 || speed < 1e-5 {
        1e-6
    } else {
        0.01 * size / speed
    };
    let trial = try_euler(flow, ends, guess.min(max_step.abs()).copysign(max_step))?;
    let second_derivative = tol.norm(&ends.x, |i| ends.dx_new[i] - ends.dx[i]) / trial.abs();
    let steepest = speed.max(second_derivative);
    let longest = if steepest <= 1e-15 {
        (trial.abs() * 1e-3).max(1e-6)
    } else {
        (0.01 / steepest).powf(1.0 / f64::from(order_of_estimate))
    };
    let h = (100.0 * trial.abs()).min(longest).min(max_step.abs());
    Ok(h.max(minimum_step(ends.t)).min(max_step.abs()).copysign(max_step))
}

/// Evaluates the flow at the end of an Euler step, retreating where it fails; returns the step size.
fn try_euler(flow: &mut dyn Flow, ends: &mut Ends, mut trial: f64) -> Result<f64> {
    let t = ends.t;
    loop {
        for (end, (x, dx)) in ends.x_new.iter_mut().zip(ends.x.iter().zip(&ends.dx)) {
            *end = x + trial * dx;
        }
        let done = ends.progress.evaluate(flow, t + trial, &ends.x_new, &mut ends.dx_new);
        let Err(halt) = done else {
            return Ok(trial);
        };
        trial *= RETREAT;
        if matches!(halt, Halt::Error(_)) || trial.abs() < minimum_step(t) {
            return Err(ends.progress.failed(t, halt));
        }
    }
}
