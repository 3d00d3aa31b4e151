//! Search for the first guard that fires within a step, on the step's interpolant.
//!
//! A guard is sampled at the nodes below. A change of sign brackets a root; where three samples suggest an extremum towards
//! zero, or a slope at an end of the step points towards zero, the extremum is found first, so that a guard that touches
//! zero twice within a step is seen.

use super::leave::{Left, leave};
use super::leaving::Leaving;
use super::path::{Path, root_between};
use super::resolution::{FINEST, NODES};
use super::{Crossing, HybridSystem};
use crate::error::Result;
use crate::integrate::DenseOutput;

/// Degree of the interpolant up to which the nodes see what it does.
const DEGREE_OF_PART: usize = 8;

/// Fraction of a step over which the slope at its ends is measured.
const SLOPE: f64 = 1e-4;

/// Refinements of an extremum before it counts as not crossing.
const REFINEMENTS: usize = 60;

/// Guards whose roots are closer than this fraction of the step fire together: rounding of the roots is far below it.
const SIMULTANEOUS: f64 = 1e-10;

/// Scratch and state of the search.
#[derive(Clone, Debug)]
pub struct GuardSearch {
    /// Guards that start the step by leaving zero, ascending: of the others the sign is what their value says. Set by the event
    /// loop, cleared after a step without event.
    pub leaving: Vec<Leaving>,
    /// Evaluations so far.
    pub evaluations: u64,
    /// Guards that are evaluated in the current step: those near zero and those that leave it.
    pub near: Vec<usize>,
    /// States at the nodes of the current part of the step, and at another sampled time.
    samples: Vec<f64>,
    x: Vec<f64>,
    /// Guards with their roots in the current part of the step.
    roots: Vec<(usize, f64)>,
    /// Values below this do not tell on which side of zero a leaving guard is.
    noise: f64,
    /// Steps below this are not shortened for guards that turn often.
    finest: f64,
    /// Guards that did not leave zero in the current part of the step.
    idle: Vec<usize>,
    /// Guards that leave zero at the start of a step that is searched in parts.
    at_start: Vec<Leaving>,
}

impl GuardSearch {
    /// A search for a system over a time; `noise` is the size of guard values that carry no sign.
    pub fn new<H: HybridSystem>(system: &H, noise: f64, duration: f64) -> Self {
        let (n, guards) = (system.dimension(), system.guards());
        // Room for all, so that no step allocates.
        Self {
            leaving: Vec::with_capacity(guards),
            evaluations: 0,
            near: Vec::with_capacity(2 * guards),
            samples: vec![0.0; n * NODES.len()],
            x: vec![0.0; n],
            roots: Vec::with_capacity(guards),
            noise,
            finest: FINEST * duration,
            idle: Vec::with_capacity(guards),
            at_start: Vec::with_capacity(guards),
        }
    }

    /// Values below this do not tell on which side of zero a guard is.
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// After a step without event only a guard that has not left zero yet is still leaving it.
    pub fn pass_step(&mut self) {
        let idle = &self.idle;
        self.leaving.retain(|leaving| idle.contains(&leaving.guard));
        for leaving in &mut self.leaving {
            (leaving.stayed, leaving.struck) = (true, false);
        }
    }

    /// Sets how a guard starts the next step.
    pub fn leave(&mut self, guard: usize, heading: f64) {
        match self.leaving.binary_search_by_key(&guard, |leaving| leaving.guard) {
            Ok(place) => self.leaving[place].heading = heading,
            Err(place) => self.leaving.insert(place, Leaving::new(guard, heading)),
        }
    }

    /// Finds the guards to be evaluated in a step.
    fn find_near<H: HybridSystem>(
        &mut self,
        system: &H,
        mode: &H::Mode,
        workspace: &mut H::Workspace,
        dense: &DenseOutput,
    ) {
        let within = |component: usize| dense.bounds(component);
        system.near(mode, &within, self.noise, workspace, &mut self.near);
        let awake = self.leaving.iter().map(|leaving| leaving.guard);
        let awake = awake.filter(|&guard| system.crossing(guard, mode).is_some());
        self.near.extend(awake);
        self.near.sort_unstable();
        self.near.dedup();
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
        self.find_near(system, mode, workspace, dense);
        for part in 0..parts {
            let window = (dense.start() + part as f64 * length, length);
            if part == 1 {
                self.at_start.clone_from(&self.leaving);
            }
            if part > 0 {
                self.pass_step();
            }
            let event = self.first_event(system, mode, workspace, (dense, window), fired);
            if part > 0 && !matches!(event, Ok(None)) {
                // The step will be repeated, shorter.
                self.leaving.clone_from(&self.at_start);
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
        self.roots.clear();
        self.idle.clear();
        if self.near.is_empty() {
            return Ok(None);
        }
        let n = self.x.len();
        for (x, node) in self.samples.chunks_exact_mut(n.max(1)).zip(NODES) {
            dense.evaluate(window.0 + node * window.1, x);
        }
        for &guard in &self.near {
            let Some(crossing) = system.crossing(guard, mode) else {
                continue;
            };
            let signs: &[f64] = match crossing {
                Crossing::Falling | Crossing::Unilateral => &[1.0],
                Crossing::Rising => &[-1.0],
                Crossing::Either => &[1.0, -1.0],
            };
            let leaving = self.leaving.iter().find(|leaving| leaving.guard == guard);
            let heading = leaving.map(|leaving| leaving.heading);
            let mut path = Path {
                system,
                mode,
                workspace,
                dense,
                window,
                samples: &self.samples,
                x: &mut self.x,
                evaluations: &mut self.evaluations,
                guard,
                sign: 1.0,
                unilateral: crossing == Crossing::Unilateral,
                stayed: leaving.is_some_and(|leaving| leaving.stayed),
                struck: leaving.is_some_and(|leaving| leaving.struck),
                noise: self.noise,
                idle: false,
                finest: self.finest,
            };
            let mut first: Option<f64> = None;
            for &sign in signs {
                path.sign = sign;
                let root = first_root(&mut path, heading)?;
                first = first.into_iter().chain(root).reduce(f64::min);
            }
            if path.idle {
                self.idle.push(guard);
            }
            self.roots.extend(first.map(|root| (guard, root)));
        }
        let Some(first) = self.roots.iter().map(|(_, root)| *root).reduce(f64::min) else {
            return Ok(None);
        };
        let together = first + SIMULTANEOUS * window.1.abs();
        let soon = self.roots.iter().filter(|(_, root)| *root <= together);
        fired.extend(soon.map(|(guard, _)| *guard));
        Ok(Some(first))
    }
}

/// First time within the step at which the signed guard falls below zero; a heading when it is leaving zero.
fn first_root<H: HybridSystem>(path: &mut Path<H>, heading: Option<f64>) -> Result<Option<f64>> {
    let (start, h) = path.window;
    let mut values = [0.0; NODES.len()];
    for (node, value) in values.iter_mut().enumerate() {
        *value = path.sample(node)?;
    }
    if heading.is_some() && path.is_held(&values) {
        path.idle = true;
        return Ok(None);
    }
    path.check_resolution(&values)?;
    let heading = heading.map(|heading| path.sign * heading);
    if heading.is_some() || values[0] <= 0.0 {
        path.noise = path.rounding();
    }
    let heading = heading.filter(|_| !path.is_away(&values));
    let sinking = path.unilateral && values[0] <= 0.0;
    // Before the first node that tells, rounding turns and crosses.
    let mut first = 1;
    if heading.is_some() || sinking {
        match leave(path, heading, &mut values)? {
            Left::On(telling) => first = telling,
            Left::Back(root) => return Ok(Some(root)),
            Left::Never => return Ok(None),
        }
    } else if let Some(root) = dip(path, &values, [0, 1])? {
        return Ok(Some(root));
    }
    let at = |k: usize| (start + NODES[k] * h, values[k]);
    for k in first..NODES.len() {
        if values[k - 1] > 0.0 && values[k] <= 0.0 {
            return root_between(path, at(k - 1), at(k)).map(Some);
        }
        let side = values[k].signum();
        let turns = k + 1 < NODES.len()
            && values[k] != 0.0
            && side * values[k] <= side * values[k - 1]
            && side * values[k] < side * values[k + 1];
        if turns && let Some(root) = root_around(path, [at(k - 1), at(k), at(k + 1)], side)? {
            return Ok(Some(root));
        }
    }
    dip(path, &values, [NODES.len() - 1, NODES.len() - 2])
}

/// The guard moves towards zero at an end of the step and away again before the node beside it.
fn dip<H: HybridSystem>(
    path: &mut Path<H>,
    values: &[f64; NODES.len()],
    [end, beside]: [usize; 2],
) -> Result<Option<f64>> {
    let (start, h) = path.window;
    let side = values[end].signum();
    if values[end] == 0.0 || side * values[beside] <= side * values[end] {
        return Ok(None);
    }
    let near = start + (if end == 0 { SLOPE } else { 1.0 - SLOPE }) * h;
    let value = path.value(near)?;
    if side * value >= side * values[end] {
        return Ok(None);
    }
    let at = |k: usize| (start + NODES[k] * h, values[k]);
    root_around(path, [at(end.min(beside)), (near, value), at(end.max(beside))], side)
}

/// The fall below zero around an extremum between two times, when the guard is beyond zero there.
fn root_around<H: HybridSystem>(
    path: &mut Path<H>,
    [before, extremum, after]: [(f64, f64); 3],
    side: f64,
) -> Result<Option<f64>> {
    let Some(beyond) = excursion(path, [before.0, extremum.0, after.0], extremum.1, side)? else {
        return Ok(None);
    };
    let (a, b) = if side > 0.0 { (before, beyond) } else { (beyond, after) };
    root_between(path, a, b).map(Some)
}

/// Looks for a value of the other sign (below zero for `side` 1, above for -1) near an extremum bracketed by three times;
/// golden-section search that ends as soon as one is found.
fn excursion<H: HybridSystem>(
    path: &mut Path<H>,
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
        let value = path.value(t)? * side;
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
