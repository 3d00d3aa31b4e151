//! Guards that come to zero together whatever changes (theory, 3).

use super::event_time::rate_of;
use crate::error::Result;
use crate::hybrid::{At, Cotangents, Differentiable};
use crate::linear::{dot, max_abs};

/// Difference of the derivatives of two times, over the largest, that is rounding.
const SAME: f64 = 1e-7;

/// Derivatives of the time at which a guard comes to zero: by the state before its projection, over the sizes, and by the numbers.
struct Time {
    x: Vec<f64>,
    numbers: Vec<f64>,
}

/// Whether two guards that are on zero at a place come there at one time whatever changes: by every state, as far as the projection
/// lets it change, and along these directions in the numbers.
///
/// # Errors
/// As for the flow and the guards.
pub fn coincide<H: Differentiable>(
    system: &H,
    at: At<H::Mode>,
    directions: &[Vec<f64>],
    guards: [usize; 2],
    workspace: &mut H::Workspace,
) -> Result<bool> {
    let mut flow = vec![0.0; system.dimension()];
    system.flow(at, workspace, &mut flow)?;
    let [one, other] = guards.map(|guard| time_of(guard, system, at, &flow, workspace));
    let (Some(one), Some(other)) = (one?, other?) else {
        return Ok(false);
    };
    let largest = |time: &Time| time.x.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
    let most = SAME * largest(&one).max(largest(&other));
    let by_state = one.x.iter().zip(&other.x).all(|(a, b)| (a - b).abs() <= most);
    let by_numbers = |numbers: &Vec<f64>| {
        let [a, b] = [&one, &other].map(|time| dot(&time.numbers, numbers));
        let terms = one.numbers.iter().zip(&other.numbers).zip(numbers);
        let size: f64 = terms.map(|((a, b), slope)| ((a.abs() + b.abs()) * slope).abs()).sum();
        // What rounding leaves of a state on the guards moves neither.
        (a - b).abs() <= SAME * size + most * max_abs(numbers)
    };
    Ok(by_state && directions.iter().all(by_numbers))
}

/// None where the guard does not move.
fn time_of<H: Differentiable>(
    guard: usize,
    system: &H,
    at: At<H::Mode>,
    flow: &[f64],
    workspace: &mut H::Workspace,
) -> Result<Option<Time>> {
    let Some(rate) = rate_of(guard, system, at, flow, workspace)? else {
        return Ok(None);
    };
    let mut time = Time {
        x: vec![0.0; system.dimension()],
        numbers: vec![0.0; system.numbers()],
    };
    system.guard_vjp(guard, at, workspace, Cotangents::new(&mut time.x, &mut time.numbers))?;
    if system.projects(at.mode) && !system.departs(at.mode, at.t) {
        system.linearize(at, workspace)?;
        system.linearize_projection(at, workspace);
        system.project_vjp(at, &mut time.x, &mut time.numbers, workspace);
    }
    for (i, slope) in time.x.iter_mut().enumerate() {
        *slope *= -system.size(i) / rate;
    }
    time.numbers.iter_mut().for_each(|slope| *slope /= -rate);
    Ok(Some(time))
}
