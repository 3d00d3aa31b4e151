//! Search for the first guard that fires within a step, on the step's interpolant.
//!
//! A guard is sampled at the nodes below. A change of sign brackets a root; where three samples suggest an extremum towards
//! zero, or a slope at an end of the step points towards zero, the extremum is found first, so that a guard that touches
//! zero twice within a step is seen.

use super::{At, Crossing, HybridSystem};
use crate::error::{Error, ErrorKind, Result};
use crate::integrate::{DenseOutput, bracketed_root};

/// Sampled fractions of a step: Chebyshev-Lobatto nodes, the natural ones for an interpolant of degree 7.
const NODES: [f64; 10] = [
    0.0,
    0.030_153_689_607_045_81,
    0.116_977_778_440_510_97,
    0.25,
    0.413_175_911_166_534_8,
    0.586_824_088_833_465_2,
    0.75,
    0.883_022_221_559_489,
    0.969_846_310_392_954_2,
    1.0,
];

/// Degree of the interpolant up to which the nodes see what it does.
const DEGREE_OF_PART: usize = 8;

/// Fraction of a step over which the slope at its ends is measured.
const SLOPE: f64 = 1e-4;

/// Refinements of an extremum before it counts as not crossing.
const REFINEMENTS: usize = 60;

/// How far below zero rounding may carry a guard from step to step, in units of its noise.
const ROUNDING_BELOW: f64 = 10.0;

/// Guards whose roots are closer than this fraction of the step fire together: rounding of the roots is far below it.
const SIMULTANEOUS: f64 = 1e-10;

/// Value below zero, over the largest in the step, at which a unilateral guard does not start on zero but beyond it.
const CLEARLY: f64 = 1e-6;

/// How a guard starts a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// Its sign is what its value says.
    Plain,
    /// It has just fired or been woken on zero: until it has left zero by more than rounding its value does not count.
    Leaving,
}

/// Scratch and state of the search.
#[derive(Clone, Debug)]
pub struct GuardSearch {
    /// Stance of each guard; set by the event loop, cleared after a step without event.
    pub stances: Vec<Stance>,
    /// State at a sampled time.
    x: Vec<f64>,
    /// Root of each guard in the current step.
    roots: Vec<Option<f64>>,
    /// Values below this do not tell on which side of zero a leaving guard is.
    noise: f64,
    /// Guards that did not leave zero in the current step.
    idle: Vec<bool>,
    /// Stances at the start of a step that is searched in parts.
    at_start: Vec<Stance>,
}

/// A guard along a step, with the sign that makes "fires" mean "falls below zero".
struct Path<'a, H: HybridSystem> {
    system: &'a H,
    mode: &'a H::Mode,
    workspace: &'a mut H::Workspace,
    dense: &'a DenseOutput,
    /// Part of the step that is searched: its start and length (signed), in seconds.
    window: (f64, f64),
    x: &'a mut [f64],
    guard: usize,
    sign: f64,
    unilateral: bool,
    noise: f64,
    /// Whether it has been found to stay on zero.
    idle: bool,
}

impl<H: HybridSystem> Path<'_, H> {
    fn value(&mut self, t: f64) -> Result<f64> {
        self.dense.evaluate(t, self.x);
        let value = self
            .system
            .guard(self.guard, At::new(t, self.mode, self.x), self.workspace)?;
        if value.is_nan() {
            return Err(
                Error::new(ErrorKind::NotFinite, "a condition for an event is not a number")
                    .at_time(t)
                    .advise(
                        "look for a division by zero or a root of a negative number in the expressions of the events",
                    ),
            );
        }
        Ok(self.sign * value)
    }
}

impl GuardSearch {
    /// A search for a system; `noise` is the size of guard values that carry no sign.
    pub fn new<H: HybridSystem>(system: &H, noise: f64) -> Self {
        let guards = system.guards();
        Self {
            stances: vec![Stance::Plain; guards],
            x: vec![0.0; system.dimension()],
            roots: vec![None; guards],
            noise,
            idle: vec![false; guards],
            at_start: vec![Stance::Plain; guards],
        }
    }

    /// Stances after a step without event: only a guard that has not left zero yet is still leaving it.
    pub fn pass_step(&mut self) {
        for (stance, &idle) in self.stances.iter_mut().zip(&self.idle) {
            if !idle {
                *stance = Stance::Plain;
            }
        }
    }

    /// Time of the first event within the step, with the guards that fire then in `fired`. A step of high degree is searched
    /// in parts.
    ///
    /// # Errors
    /// Whatever a guard reports.
    pub fn first_event_within<H: HybridSystem>(
        &mut self,
        system: &H,
        mode: &H::Mode,
        workspace: &mut H::Workspace,
        dense: &DenseOutput,
        fired: &mut Vec<usize>,
    ) -> Result<Option<f64>> {
        let parts = dense.degree().div_ceil(DEGREE_OF_PART).max(1);
        let length = dense.step() / parts as f64;
        for part in 0..parts {
            let window = (dense.start() + part as f64 * length, length);
            if part == 1 {
                self.at_start.clone_from(&self.stances);
            }
            if part > 0 {
                self.pass_step();
            }
            let event = self.first_event(system, mode, workspace, (dense, window), fired);
            if part > 0 && !matches!(event, Ok(None)) {
                // The step will be repeated, shorter.
                self.stances.clone_from(&self.at_start);
            }
            if !matches!(event, Ok(None)) {
                return event;
            }
        }
        Ok(None)
    }

    fn first_event<H: HybridSystem>(
        &mut self,
        system: &H,
        mode: &H::Mode,
        workspace: &mut H::Workspace,
        (dense, window): (&DenseOutput, (f64, f64)),
        fired: &mut Vec<usize>,
    ) -> Result<Option<f64>> {
        fired.clear();
        for guard in 0..self.roots.len() {
            self.roots[guard] = None;
            self.idle[guard] = false;
            let Some(crossing) = system.crossing(guard, mode) else {
                continue;
            };
            let sign = match crossing {
                Crossing::Falling | Crossing::Unilateral => 1.0,
                Crossing::Rising => -1.0,
                Crossing::Either => 0.0,
            };
            let unilateral = crossing == Crossing::Unilateral;
            let noise = self.noise;
            let mut along = Path {
                system,
                mode,
                workspace,
                dense,
                window,
                x: &mut self.x,
                guard,
                sign,
                unilateral,
                noise,
                idle: false,
            };
            self.roots[guard] = if crossing == Crossing::Either {
                let stance = self.stances[guard];
                let mut first = None;
                for sign in [1.0, -1.0] {
                    along.sign = sign;
                    first = earlier(first, first_root(&mut along, stance)?);
                }
                first
            } else {
                first_root(&mut along, self.stances[guard])?
            };
            self.idle[guard] = along.idle;
        }
        let Some(first) = self.roots.iter().flatten().copied().reduce(f64::min) else {
            return Ok(None);
        };
        let together = first + SIMULTANEOUS * window.1.abs();
        fired.extend((0..self.roots.len()).filter(|&guard| self.roots[guard].is_some_and(|t| t <= together)));
        Ok(Some(first))
    }
}

fn earlier(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// First time within the step at which the signed guard falls below zero.
fn first_root<H: HybridSystem>(along: &mut Path<H>, stance: Stance) -> Result<Option<f64>> {
    let (start, h) = along.window;
    let mut values = [0.0; NODES.len()];
    for (value, node) in values.iter_mut().zip(NODES) {
        *value = along.value(start + node * h)?;
    }
    if stance == Stance::Leaving {
        let rounding = along
            .system
            .rounding(along.guard, At::new(start + h, along.mode, along.x), along.workspace);
        along.noise = along.noise.max(rounding);
    }
    let sinking = along.unilateral && values[0] <= 0.0;
    if stance == Stance::Leaving || sinking {
        let root = leave(along, &mut values)?;
        if root.is_some() || along.idle {
            return Ok(root);
        }
    } else if let Some(root) = dip_at_start(along, &values)? {
        return Ok(Some(root));
    }
    for k in 1..NODES.len() {
        let time = |k: usize| start + NODES[k] * h;
        if values[k - 1] > 0.0 && values[k] <= 0.0 {
            return root_between(along, (time(k - 1), values[k - 1]), (time(k), values[k])).map(Some);
        }
        let interior = k + 1 < NODES.len();
        let low = interior && values[k] > 0.0 && values[k] <= values[k - 1] && values[k] < values[k + 1];
        let high = interior && values[k] < 0.0 && values[k] >= values[k - 1] && values[k] > values[k + 1];
        if low && let Some((t, value)) = excursion(along, [time(k - 1), time(k), time(k + 1)], values[k], 1.0)? {
            return root_between(along, (time(k - 1), values[k - 1]), (t, value)).map(Some);
        }
        if high && let Some((t, value)) = excursion(along, [time(k - 1), time(k), time(k + 1)], values[k], -1.0)? {
            return root_between(along, (t, value), (time(k + 1), values[k + 1])).map(Some);
        }
    }
    dip_at_end(along, &values)
}

/// A guard that starts on zero: finds a return to zero before the first telling node, else counts as what that node says.
/// Without a telling node it is idle.
fn leave<H: HybridSystem>(along: &mut Path<H>, values: &mut [f64; NODES.len()]) -> Result<Option<f64>> {
    let (start, h) = along.window;
    // Below a start on the wrong side by rounding, a guard has to fall further than that.
    let by_rounding = along.unilateral && values[0] >= -ROUNDING_BELOW * along.noise;
    let floor = if by_rounding { values[0].min(0.0) } else { 0.0 };
    let tells = |value: f64| value > along.noise || value < floor - along.noise;
    let Some(telling) = (1..NODES.len()).find(|&k| tells(values[k])) else {
        along.idle = true;
        return Ok(None);
    };
    if values[telling] > 0.0 {
        values[..telling].fill(f64::MIN_POSITIVE);
        return Ok(None);
    }
    let initial = values[0];
    let largest = values.iter().fold(0.0, |most, value| f64::max(most, value.abs()));
    if along.unilateral && initial < -(CLEARLY * largest).max(ROUNDING_BELOW * along.noise) {
        return Ok(Some(start));
    }
    values[..telling].fill(-f64::MIN_POSITIVE);
    let first = start + NODES[telling] * h;
    let Some((early, slope)) = rise_after_start(along, initial, first)? else {
        return Ok((along.unilateral && values[telling] < 0.0).then_some(start));
    };
    // Divided by the elapsed time, the root at the start is gone and a return to zero is a plain root.
    let mut deflated = |t: f64| -> Result<f64> { Ok((along.value(t)? - initial) / (t - start)) };
    let end = deflated(first)?;
    if end >= 0.0 {
        // It has not come back below its start: what it is below zero by is rounding.
        return Ok(None);
    }
    bracketed_root((early, slope), (first, end), deflated).map(|root| Some(root.t))
}

/// A time before `first` at which a guard that starts on zero is above it by more than rounding, with the mean slope up
/// to then; looked for at times a quarter of one another.
fn rise_after_start<H: HybridSystem>(along: &mut Path<H>, initial: f64, first: f64) -> Result<Option<(f64, f64)>> {
    let (start, h) = along.window;
    let shortest = f64::max(1e-12 * h.abs(), 64.0 * f64::EPSILON * start.abs());
    // Over such times only rounding changes the guard.
    let mut noise = along.noise;
    for k in 1..=3 {
        let change = along.value(start + (f64::from(k) * shortest).copysign(h))? - initial;
        noise = noise.max(4.0 * change.abs());
    }
    let mut elapsed = 0.25 * (first - start);
    while elapsed.abs() > shortest {
        let rise = along.value(start + elapsed)? - initial;
        if rise > noise {
            return Ok(Some((start + elapsed, rise / elapsed)));
        }
        elapsed *= 0.25;
    }
    Ok(None)
}

fn root_between<H: HybridSystem>(along: &mut Path<H>, a: (f64, f64), b: (f64, f64)) -> Result<f64> {
    Ok(bracketed_root(a, b, |t| along.value(t))?.t)
}

/// The guard moves towards zero at the very start and away again before the first node.
fn dip_at_start<H: HybridSystem>(along: &mut Path<H>, values: &[f64; NODES.len()]) -> Result<Option<f64>> {
    let (start, h) = along.window;
    let side = values[0].signum();
    if values[0] == 0.0 || side * values[1] <= side * values[0] {
        return Ok(None);
    }
    let near = start + SLOPE * h;
    let value = along.value(near)?;
    if side * value >= side * values[0] {
        return Ok(None);
    }
    let first = start + NODES[1] * h;
    let ends = [(start, values[0]), (first, values[1])];
    beyond_zero(along, [start, near, first], value, side, ends)
}

/// The guard moves towards zero after the last inner node and away again before the end.
fn dip_at_end<H: HybridSystem>(along: &mut Path<H>, values: &[f64; NODES.len()]) -> Result<Option<f64>> {
    let (start, h) = along.window;
    let last = NODES.len() - 1;
    let side = values[last].signum();
    if values[last] == 0.0 || side * values[last - 1] <= side * values[last] {
        return Ok(None);
    }
    let near = start + (1.0 - SLOPE) * h;
    let value = along.value(near)?;
    if side * value >= side * values[last] {
        return Ok(None);
    }
    let before = start + NODES[last - 1] * h;
    let ends = [(before, values[last - 1]), (start + h, values[last])];
    beyond_zero(along, [before, near, start + h], value, side, ends)
}

/// The fall below zero between two ends on one side of it, when the guard is beyond zero in between.
fn beyond_zero<H: HybridSystem>(
    along: &mut Path<H>,
    times: [f64; 3],
    middle: f64,
    side: f64,
    ends: [(f64, f64); 2],
) -> Result<Option<f64>> {
    let Some(beyond) = excursion(along, times, middle, side)? else {
        return Ok(None);
    };
    let (a, b) = if side > 0.0 {
        (ends[0], beyond)
    } else {
        (beyond, ends[1])
    };
    root_between(along, a, b).map(Some)
}

/// Looks for a value of the other sign (below zero for `side` 1, above for -1) near an extremum bracketed by three times;
/// golden-section search that ends as soon as one is found.
fn excursion<H: HybridSystem>(
    along: &mut Path<H>,
    times: [f64; 3],
    middle: f64,
    side: f64,
) -> Result<Option<(f64, f64)>> {
    const GOLDEN: f64 = 0.381_966_011_250_105_1;
    let [mut a, mut b, mut c] = times;
    let mut best = middle * side;
    for _ in 0..REFINEMENTS {
        let right = (c - b).abs() > (b - a).abs();
        let t = if right {
            b + GOLDEN * (c - b)
        } else {
            b - GOLDEN * (b - a)
        };
        let value = along.value(t)? * side;
        if value < 0.0 {
            return Ok(Some((t, value * side)));
        }
        // Near an extremum the value is flat: once it no longer changes, it does not cross.
        if (value - best).abs() <= 4.0 * f64::EPSILON * best.abs() {
            return Ok(None);
        }
        if value < best {
            if right {
                a = b
            } else {
                c = b
            }
            (b, best) = (t, value);
        } else if right {
            c = t;
        } else {
            a = t;
        }
    }
    Ok(None)
}
