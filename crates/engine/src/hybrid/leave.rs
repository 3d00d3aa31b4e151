//! What guards do that start a step on zero.

use super::HybridSystem;
use super::path::{CLEARLY, Path, ROUNDING_BELOW, root_between};
use super::resolution::NODES;
use crate::error::Result;
use crate::integrate::bracketed_root;

/// Times after the start at which a fall is looked for are this many times one another: of a fall that comes back a fifth of the depth is seen.
const FARTHER: f64 = 16.0;

/// What a guard that starts on zero does.
pub(super) enum Left {
    /// It has left zero by this node, whose side it counts as being on before.
    On(usize),
    /// It crosses zero at this time.
    Back(f64),
    /// It stays on zero.
    Never,
}

/// A guard that starts on zero: finds a return to zero before the first telling node, else counts as what that node says.
/// Without a telling node it is idle.
pub(super) fn leave<H: HybridSystem>(
    path: &mut Path<H>,
    heading: Option<f64>,
    values: &mut [f64; NODES.len()],
) -> Result<Left> {
    let (start, h) = path.window;
    let initial = values[0];
    // What a jump has taken beyond zero may have come back by the first node.
    let is_side = path.unilateral && heading.is_none() && path.system.is_side(path.guard);
    if is_side && initial < -ROUNDING_BELOW * path.noise {
        return Ok(Left::Back(start));
    }
    // Below a start on the wrong side by rounding, a guard has to fall further than that.
    let by_rounding = path.unilateral && values[0] >= -ROUNDING_BELOW * path.noise;
    let floor = if by_rounding { values[0].min(0.0) } else { 0.0 };
    let tells = |value: f64| value > path.noise || value < floor - path.noise;
    let Some(telling) = (1..NODES.len()).find(|&k| tells(values[k])) else {
        path.idle = true;
        return Ok(Left::Never);
    };
    let node = (start + NODES[telling] * h, values[telling]);
    let fallen = match values[telling] > 0.0 {
        // What a jump sends below zero at once may have come back by the first node.
        true if path.unilateral && path.struck => fall_after_start(path, initial.min(0.0), node.0)?,
        true => None,
        false => Some(node),
    };
    let Some((first, below)) = fallen else {
        values[..telling].fill(f64::MIN_POSITIVE);
        return Ok(Left::On(telling));
    };
    let largest = values.iter().fold(0.0, |most, value| f64::max(most, value.abs()));
    if path.unilateral && initial < -(CLEARLY * largest).max(ROUNDING_BELOW * path.noise) {
        return Ok(Left::Back(start));
    }
    values[..telling].fill(-f64::MIN_POSITIVE);
    let Some((early, slope)) = rise_after_start(path, initial, first)? else {
        if path.unilateral && path.stayed && initial > 0.0 {
            return root_between(path, (start, initial), (first, below)).map(Left::Back);
        }
        // What falls from the start is turned back if it was rising.
        let turned = heading.is_some_and(|heading| heading > 0.0) || path.unilateral;
        return Ok(if turned { Left::Back(start) } else { Left::On(telling) });
    };
    // Divided by the elapsed time, the root at the start is gone and a return to zero is a plain root.
    let mut deflated = |t: f64| -> Result<f64> { Ok((path.value(t)? - initial) / (t - start)) };
    let end = deflated(first)?;
    if end >= 0.0 {
        // It has not come back below its start: what it is below zero by is rounding.
        return Ok(Left::On(telling));
    }
    bracketed_root((early, slope), (first, end), deflated).map(|root| Left::Back(root.t))
}

/// The first of some times before `end`, each farther away than the one before, at which a guard is above zero or below this floor by more than
/// rounding, with its value, if it is below.
fn fall_after_start<H: HybridSystem>(path: &mut Path<H>, floor: f64, end: f64) -> Result<Option<(f64, f64)>> {
    let (start, h) = path.window;
    let mut elapsed = shortest(path);
    while elapsed < (end - start).abs() {
        let t = start + elapsed.copysign(h);
        let value = path.value(t)?;
        if value > path.noise || value < floor - path.noise {
            return Ok((value < 0.0).then_some((t, value)));
        }
        elapsed *= FARTHER;
    }
    Ok(None)
}

/// The shortest time after the start of a step over which more than rounding changes a guard.
fn shortest<H: HybridSystem>(path: &Path<H>) -> f64 {
    let (start, h) = path.window;
    f64::max(1e-12 * h.abs(), 64.0 * f64::EPSILON * start.abs())
}

/// A time before `first` at which a guard that starts on zero is above it by more than rounding, with the mean slope up
/// to then; looked for at times a quarter of one another.
fn rise_after_start<H: HybridSystem>(path: &mut Path<H>, initial: f64, first: f64) -> Result<Option<(f64, f64)>> {
    let (start, h) = path.window;
    let shortest = shortest(path);
    // Over such times only rounding changes the guard.
    let mut noise = path.noise;
    for k in 1..=3 {
        let change = path.value(start + (f64::from(k) * shortest).copysign(h))? - initial;
        noise = noise.max(4.0 * change.abs());
    }
    let mut elapsed = 0.25 * (first - start);
    while elapsed.abs() > shortest {
        let rise = path.value(start + elapsed)? - initial;
        if rise > noise {
            return Ok(Some((start + elapsed, rise / elapsed)));
        }
        elapsed *= 0.25;
    }
    Ok(None)
}
